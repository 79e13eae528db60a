"""Names of logs: what a stem proves, and the one order."""

from __future__ import annotations

import base64
import hashlib

from hypothesis import given
from hypothesis import strategies as st

from ledger.order import breaks_seal, is_sealed, is_stem, is_weak, proves, seal

STAMP = "2026-11-21-083012417"


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_a_seal_is_the_base32_of_the_hash(data: bytes, other: bytes) -> None:
    """26 characters of RFC 4648's alphabet in lower case, which prove these bytes alone."""
    stem = seal(STAMP, data)
    said = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()
    assert stem == f"{STAMP}-{said[:26]}"
    assert is_sealed(stem) and is_stem(stem) and not is_weak(stem)
    assert not breaks_seal(stem, data)
    assert proves(stem, hashlib.sha256(other).digest()) == (other == data)


def test_the_short_seals_of_before_are_read() -> None:
    """12 hex digits are a seal, and a weak one."""
    stem = f"{STAMP}-{hashlib.sha256(b'x').hexdigest()[:12]}"
    assert is_sealed(stem) and is_weak(stem)
    assert not breaks_seal(stem, b"x")
    assert breaks_seal(stem, b"y")


def test_what_is_no_seal_seals_nothing() -> None:
    """Another length, another alphabet, no time: a name written by hand, whose bytes nothing proves."""
    whole = seal(STAMP, b"x")
    for name in (
        whole[:-1],
        whole + "a",
        whole.upper(),
        whole[:21] + "0" * 26,
        whole[:21] + "a_" * 13,
        whole[:21] + "+" + whole[22:],
        whole[:21] + " " + whole[22:],
        whole[:21] + "ş" + whole[22:],
        "2026-11-21-250000000" + whole[20:],
        "2026-02-30" + whole[10:],
        whole.replace("-", "_"),
        f"{STAMP}-{'A' * 12}",
        f"{STAMP}-{'g' * 12}",
    ):
        assert not is_sealed(name), name
        assert not breaks_seal(name, b"y"), name
        if len(name) in (33, 47) and name[21:] != whole[21:]:
            assert not proves(name, hashlib.sha256(b"x").digest()), name
