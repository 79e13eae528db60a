"""Read single objects out of packs, by git's documentation of its pack format; no process is started.

As with git the sums in it prove what is read. Where anything else stands there, it is for git to read.
"""

from __future__ import annotations

import os
import zlib

#: What begins an index of the second version, with the table that is in it.
_MAGIC, _TABLE_BYTES = b"\xfftOc\0\0\0\2", 1032
_OFFSET, _REFERENCE = 6, 7  #: say where the base of what differs is: so far before it, or by its id
_HEADER_BYTES = 64  #: of an object in a pack; it is shorter


def packed_object(folder: str, oid: str, limit: int, first: str) -> tuple[str, bytes | None]:
    """Return an object's bytes behind the pack of a folder that has it, None where git has to be asked.

    So it has of more than `limit` bytes. `first` is the pack to look into first, "" for any.
    """
    try:
        names = [name[:-4] for name in os.listdir(folder) if name[-4:] == ".idx"]
        for name in sorted(names, key=first.__ne__):
            with open(f"{folder}/{name}.idx", "rb", 0) as index:
                if at := _place(index.fileno(), bytes.fromhex(oid)):
                    with open(f"{folder}/{name}.pack", "rb", 0) as pack:
                        return name, _entry(pack.fileno(), index.fileno(), at, limit)
    except (OSError, ValueError, IndexError, RecursionError, zlib.error):
        pass
    return first, None


def _place(index: int, oid: bytes) -> int:
    """Return where in its pack an object is, 0 where an index has none of that id."""
    table = os.pread(index, _TABLE_BYTES, 0)
    if table[:8] != _MAGIC:
        raise ValueError
    low, high, count = [
        int.from_bytes(table[4 * at : 4 * at + 4], "big") for at in (oid[0] + 1, oid[0] + 2, 257)
    ]
    low *= oid[0] > 0
    while low < high:
        middle = (low + high) // 2
        there = os.pread(index, 20, _TABLE_BYTES + 20 * middle)
        if there == oid:
            at = os.pread(index, 4, _TABLE_BYTES + 24 * count + 4 * middle)
            if at[0] & 128:  # so far behind in a large pack that it stands in another table
                raise ValueError
            return int.from_bytes(at, "big")
        low, high = (middle + 1, high) if there < oid else (low, middle)
    return 0


def _entry(pack: int, index: int, at: int, limit: int) -> bytes:
    """Return the bytes of what is at a place of a pack."""
    head = os.pread(pack, _HEADER_BYTES, at)
    number, start = _number(head, 0)
    kind, size, base = number >> 4 & 7, number >> 7 << 4 | number & 15, 0
    if kind == _OFFSET:
        back = head[start] & 127
        while head[start] & 128:
            start += 1
            back = (back + 1) << 7 | head[start] & 127
        start, base = start + 1, at - back
    elif kind == _REFERENCE:
        base, start = _place(index, head[start : start + 20]), start + 20
    differs = kind in (_OFFSET, _REFERENCE)
    if size > limit or kind in (0, 5) or (differs and base <= 0):
        raise ValueError
    packed = os.pread(pack, size + size // 1000 + _HEADER_BYTES, at + start)
    data = zlib.decompressobj().decompress(packed, size)
    if len(data) != size:
        raise ValueError
    return _changed(_entry(pack, index, base, limit), data, limit) if differs else data


def _changed(base: bytes, told: bytes, limit: int) -> bytes:
    """Return what a base becomes by what differs from it: pieces of the base, and bytes of its own."""
    before, at = _number(told, 0)
    size, at = _number(told, at)
    if before != len(base) or size > limit:
        raise ValueError
    made = bytearray()
    while at < len(told):
        does, at = told[at], at + 1
        if does & 128:
            numbers = [0, 0]  # from where, and how many
            for bit in range(7):
                if does >> bit & 1:
                    numbers[bit > 3] |= told[at] << 8 * (bit & 3)
                    at += 1
            made += base[numbers[0] : numbers[0] + (numbers[1] or 1 << 16)]
        else:
            made += told[at : at + does]
            at += does
    if len(made) != size:
        raise ValueError
    return bytes(made)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, the lowest first; return it, and where the next byte is."""
    number = shift = 0
    while data[at] & 128:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return number | data[at] << shift, at + 1
