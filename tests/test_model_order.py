"""Names of logs: what a stem proves, and the one order."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ledger.model.log_names import (
    breaks_seal,
    has_time,
    is_sealed,
    is_stem,
    is_weak,
    key_of,
    milliseconds_of,
    next_stamp,
    proves,
    seal,
    stem_in,
)

STAMP = "2026-11-21-083012417"
NOON = milliseconds_of("2026-11-21-120000000")


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_a_seal_is_the_base32_of_the_hash(data: bytes, other: bytes) -> None:
    """26 characters of RFC 4648's alphabet in lower case, which prove these bytes alone."""
    stem = seal(STAMP, data)
    said = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()
    assert stem == f"{STAMP}-{said[:26]}"
    assert is_sealed(stem) and is_stem(stem) and not is_weak(stem)
    assert not breaks_seal(stem, data)
    assert proves(stem, hashlib.sha256(other).digest()) == (other == data)


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


_DAYS = st.sampled_from(
    ["2026-11-20", "2026-11-21", "2026-12-31", "2027-01-01", "2028-02-29", "9999-12-30"]
)
_REST = st.one_of(
    st.just(""),
    st.text("az059-_.", min_size=1, max_size=12).map(lambda rest: f"-{rest}"),
    st.sampled_from(["000000", "083012", "083013", "235959", "999999"]).flatmap(
        lambda clock: st.sampled_from(
            ",-x,-0,x,_,0,9,000,417,999,417-x,9-x,999zz,.,999999".split(",")
        ).map(lambda tail: f"-{clock}{tail}")
    ),
)
_BY_HAND = st.builds(str.__add__, _DAYS, _REST).filter(is_stem)
_SEALED = st.builds(
    lambda day, clock, data: seal(f"{day}-{clock}", data),
    _DAYS, st.sampled_from(["000000000", "083012417", "083012999", "235959999"]), st.binary(max_size=3),
)  # fmt: skip
STEMS = st.one_of(_BY_HAND, _SEALED)


@given(st.lists(STEMS, max_size=6), st.lists(st.integers(0, 3 * 86_400_000), max_size=6))
def test_what_has_seen_a_log_sorts_behind_it(stems: list[str], clocks: list[int]) -> None:
    """O2: whatever the clocks say, and however the logs that were seen are named."""
    keys = [key_of(stem) for stem in stems]
    for number, clock in enumerate(clocks):
        newest = max(keys, default="")
        stamp = next_stamp(NOON - 86_400_000 + clock, newest)
        stem = seal(stamp, b"%d" % number)
        assert is_sealed(stem) and key_of(stem) == stem
        assert stem > newest
        assert milliseconds_of(stem) >= max([milliseconds_of(key) for key in keys], default=0)
        keys.append(stem)


@given(STEMS, STEMS)
def test_a_key_is_a_stem_in_ledger_order(one: str, other: str) -> None:
    """Different stems have different keys; a name without a time is at the start of its day."""
    assert stem_in(key_of(one)) == one == stem_in(key_of(one) + "~0123")
    assert key_of(key_of(one)) == key_of(one)
    assert (key_of(one) == key_of(other)) == (one == other)
    assert (key_of(one)[:10] < key_of(other)[:10]) <= (key_of(one) < key_of(other))
    if one[:10] == other[:10] and has_time(other) and not has_time(one):
        assert key_of(one) < key_of(other)
    if has_time(one) and has_time(other):
        assert (key_of(one) < key_of(other)) == (one < other)


def test_the_examples_of_the_format_hold() -> None:
    """The table beside O1 shows each key as `key_of` makes it."""
    page = Path(__file__).parents[1] / "ledger" / "FORMAT.md"
    rows = re.findall(r"^  \| (`2026.*) \| (.*) \|$", page.read_text(), re.MULTILINE)
    pairs: list[tuple[str, str]] = []
    for stems, keys in rows:
        named = re.findall(r"`([^`]+)`", stems)
        pairs += zip(named, re.findall(r"`([^`]+)`", keys) or named, strict=True)
    assert len(pairs) == 7
    for stem, key in pairs:
        assert is_stem(stem) and key_of(stem) == key and stem_in(key) == stem
