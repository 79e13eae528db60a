"""Seal a log: its name ends in what its bytes come to, so that none is changed unseen (FORMAT.md, O4)."""

from __future__ import annotations

from ledger.model.order import BASE32, SEAL_CHARS, STAMP_CHARS, WEAK_HEX, is_sealed
from ledger.model.sha256 import sha256

#: Every other byte becomes what no number has.
_AS_DIGITS = bytes(
    b"0123456789abcdefghijklmnopqrstuv!"[BASE32.find(chr(byte))] for byte in range(256)
)
#: A seal of fewer bits than that proves nothing against somebody who tries.
_STRONG_BITS = 128


def seal(stamp: str, data: bytes) -> str:
    """Name a log: its stamp and the first 26 base32 characters of the SHA-256 of its bytes."""
    number = _leading_bits(sha256(data).digest())
    return f"{stamp}-{''.join([BASE32[number >> at & 31] for at in range(5 * SEAL_CHARS - 5, -1, -5)])}"


def _leading_bits(digest: bytes) -> int:
    return int.from_bytes(digest, "big") >> 8 * len(digest) - 5 * SEAL_CHARS


def is_weak(stem: str) -> bool:
    """Tell whether a sealed stem has so short a seal that other bytes can be made to fit it."""
    chars = len(stem) - STAMP_CHARS - 1
    return (5 if chars == SEAL_CHARS else 4) * chars < _STRONG_BITS


def proves(stem: str, digest: bytes) -> bool:
    """Tell whether what follows the stamp of a stem seals bytes with this SHA-256."""
    mark = stem[STAMP_CHARS + 1 :]
    if len(mark) == SEAL_CHARS:
        try:  # a number compares in a fraction of the time that writing the characters takes
            return int(mark.encode().translate(_AS_DIGITS), 32) == _leading_bits(digest)
        except ValueError:
            return False
    return len(mark) == WEAK_HEX and mark == digest.hex()[:WEAK_HEX]


def breaks_seal(stem: str, data: bytes) -> bool:
    """Tell whether a stem is sealed and `data` is not what it was sealed with."""
    return is_sealed(stem) and not proves(stem, sha256(data).digest())
