"""Read what OpenMemory exports: a zip with `memories.jsonl.gz`, a memory a line, and `memories.json`.

Either file is read alone as well, and so is the answer of its programming interface.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable

from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.object_items import items_in
from rituals.intake.sources.source_files import Left, bytes_of
from rituals.intake.sources.source_table import Ground

#: Of a file, and of what is packed in it.
LIMIT_BYTES = 64 << 20
_LINES, _WHOLE = "memories.jsonl.gz", "memories.json"
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"


def places(ground: Ground) -> tuple[str, ...]:
    """Nothing lies anywhere by default: the user names an export."""
    return ()


def read(place: str, ground: Ground, left: Left) -> Iterable[Item]:
    """Read one export."""
    name = place.rpartition("/")[2]
    data = bytes_of(place, name, left, limit=LIMIT_BYTES)
    if data is None:
        return ()
    try:
        text = _unpacked(data).decode("utf-8-sig", "replace")
    except (OSError, EOFError, ValueError, KeyError, RuntimeError, NotImplementedError,
            zipfile.BadZipFile, zlib.error) as problem:  # fmt: skip
        left.append(LeftOut(name, f"it can not be unpacked: {problem}"))
        return ()
    return items_in(name, text, left)


def _unpacked(data: bytes) -> bytes:
    """Return the text of an export; a `ValueError` says that it is too large, or holds no memories."""
    if data.startswith(_ZIP):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            held = {name.rpartition("/")[2]: name for name in file.namelist()}
            member = held.get(_LINES) or held.get(_WHOLE)
            if member is None:
                raise ValueError(f"it holds no {_LINES}")
            with file.open(member) as packed:
                return _unpacked(_bounded(packed.read(LIMIT_BYTES + 1)))
    if data.startswith(_GZIP):
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as lines:
            return _bounded(lines.read(LIMIT_BYTES + 1))
    return data


def _bounded(data: bytes) -> bytes:
    if len(data) > LIMIT_BYTES:
        raise ValueError(f"it is over {LIMIT_BYTES >> 20} MiB")
    return data
