"""Read the index: which files git tracks, and whether they hold what no commit has; no process is run."""

from __future__ import annotations

import os
import stat
from _collections_abc import Iterator
from struct import Struct
from struct import error as StructError

from ledger.git.repository import Repository
from ledger.model.ids import blob_id

#: An index of more files is not gone through: it would be felt in every note.
FILES_LIMIT = 2000
_FILES = (stat.S_IFREG, stat.S_IFLNK)
_READ_BYTES = 1 << 20
_ENTRY = Struct(">10I20sH")
_EXTENDED, _UNCHANGED, _SKIPPED = 0x4000, 0x8000, 0x4000


def is_dirty(repository: Repository) -> bool | None:
    """Tell whether a tracked file differs from HEAD; None where that is not cheap to tell.

    What was only touched, or lies in the index as HEAD has it, differs in nothing.
    """
    try:
        return _differs(repository, _index(repository)) if repository.top else None
    except (OSError, ValueError, IndexError, StructError):
        return None


def tracked(repository: Repository, most: int) -> list[str]:
    """Return the first paths of the index, at most so many; what can not be read is left out."""
    paths: list[str] = []
    try:
        for *_, path in _entries(_index(repository)):
            paths.append(os.fsdecode(path))
            if len(paths) == most:
                break
    except (OSError, ValueError, IndexError, StructError):
        pass
    return paths


def _index(repository: Repository) -> bytes:
    """Return the index, of a version whose entries stand for themselves, else raise ValueError."""
    with open(repository.gitdir + "/index", "rb") as file:
        data = file.read()
    if data[:4] != b"DIRC" or int.from_bytes(data[4:8], "big") > 3:
        raise ValueError("another form of index")
    return data


def _entries(data: bytes) -> Iterator[tuple[int, list[int], bytes, int, bytes]]:
    """Yield (where the next one begins, numbers, blob, flags with the further ones above, path)."""
    at = 12
    for _ in range(int.from_bytes(data[8:12], "big")):
        *numbers, blob, flags = _ENTRY.unpack_from(data, at)
        start = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        more = int.from_bytes(data[start - 2 : start], "big") if flags & _EXTENDED else 0
        end = data.index(b"\0", start)
        at += (end - at + 8) // 8 * 8
        yield at, numbers, blob, flags | more << 16, data[start:end]


def _differs(repository: Repository, data: bytes) -> bool | None:
    at = 12
    if int.from_bytes(data[8:12], "big") > FILES_LIMIT:
        return None
    top = os.fsencode(repository.top)
    for at, numbers, blob, flags, path in _entries(data):  # noqa: B007
        if not path:
            return None  # it stands for an entry of another part of the index
        if flags >> 12 & 3:
            return True
        if flags & _UNCHANGED or flags >> 16 & _SKIPPED or stat.S_IFMT(numbers[6]) not in _FILES:
            continue
        if _changed(b"%s/%s" % (top, path), numbers, blob.hex()):
            return True
    if data[at : at + 4] == b"link":
        return None  # the index is kept in parts
    if data[at : at + 4] == b"TREE" and data[at + 8 : at + 11] != b"\x00-1":
        return False
    staged = repository.git().call("diff-index", "--cached", "--quiet", "HEAD", "--")[0]
    return staged == 1 if staged in (0, 1) else None


def _changed(path: bytes, numbers: list[int], blob: str) -> bool:
    """Tell whether a file is another one than the index has; it is read where its times do not say it."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    seconds, beyond, size = numbers[2], numbers[3], numbers[9]
    if stat.S_IFMT(found.st_mode) != stat.S_IFMT(numbers[6]):
        return True
    when = found.st_mtime_ns
    if found.st_size & 0xFFFFFFFF == size:
        if when // 10**9 & 0xFFFFFFFF == seconds and beyond in (0, when % 10**9):
            return False
    if stat.S_ISLNK(found.st_mode):
        return blob_id(os.readlink(path)) != blob
    if found.st_size > _READ_BYTES:
        return True
    with open(path, "rb") as file:
        return blob_id(file.read()) != blob
