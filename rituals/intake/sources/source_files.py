"""Read files of other tools: regular ones, of bounded size, number and depth, and through no link."""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ledger.model.order import ended_of, stamp_of
from rituals.intake.intake_items import LeftOut

#: What is larger, deeper or more than that is left out, and said.
FILE_LIMIT_BYTES = 4 << 20
FILES_LIMIT = 5_000
DEPTH_LIMIT = 8
#: A file of which one byte in so many is NUL is no text.
_NUL_SHARE = 100
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPPED = frozenset((".git", "node_modules", "__pycache__"))


def text_of(path: str, place: str = "", *, limit: int = FILE_LIMIT_BYTES) -> str | LeftOut:
    """Return the text of a file, or why it is left out; as `bytes_of`."""
    data = bytes_of(path, place, limit=limit)
    if isinstance(data, LeftOut):
        return data
    if data.count(0) * _NUL_SHARE > len(data):
        return LeftOut(place or path, "it is no text")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def bytes_of(path: str, place: str = "", *, limit: int = FILE_LIMIT_BYTES) -> bytes | LeftOut:
    """Return the bytes of a file, or why it is left out.

    `place` is how it is called, "" for its path; `limit` is the most bytes that are read.
    """
    place = place or path
    try:
        fd = os.open(path, _OPEN)
    except OSError as problem:
        return LeftOut(place, problem.strerror or "it can not be opened")
    if not S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return LeftOut(place, "it is no regular file")
    with os.fdopen(fd, "rb") as file:
        try:
            data = file.read(limit + 1)
        except OSError as problem:
            return LeftOut(place, problem.strerror or "it can not be read")
    if len(data) > limit:
        return LeftOut(place, f"it is over {limit >> 20} MiB" if limit >> 20 else "it is too large")
    return data


def written_at(path: str) -> str:
    """Return when a file was last written, as an instant; "" where nobody knows."""
    try:
        return ended_of(stamp_of(int(os.stat(path, follow_symlinks=False).st_mtime * 1000)))
    except (OSError, ValueError, OverflowError):
        return ""


def is_file(path: str) -> bool:
    """Tell whether there is a file, or a link to one."""
    return os.path.isfile(path)


def files_below(folder: str, *endings: str) -> tuple[list[str], list[LeftOut]]:
    """List the files below a folder whose names end so, sorted, relative to it; and what is left out."""
    found: list[str] = []
    left_out: list[LeftOut] = []
    todo = [("", 0)]
    while todo:
        below, depth = todo.pop()
        try:
            names = sorted(os.listdir(f"{folder}/{below}"))
        except OSError as problem:
            left_out.append(LeftOut(below or folder, problem.strerror or "it can not be listed"))
            continue
        for name in names:
            path = f"{below}{name}"
            try:
                mode = os.lstat(f"{folder}/{path}").st_mode
            except (OSError, ValueError):
                continue
            if S_ISLNK(mode):
                left_out.append(LeftOut(path, "it is a link"))
            elif S_ISDIR(mode) and name not in _SKIPPED:
                if depth == DEPTH_LIMIT:
                    left_out.append(LeftOut(path, f"it is more than {DEPTH_LIMIT} folders deep"))
                else:
                    todo.append((f"{path}/", depth + 1))
            elif S_ISREG(mode) and name.endswith(endings):
                found.append(path)
    found.sort()
    if len(found) > FILES_LIMIT:
        left_out.append(
            LeftOut(folder, f"{len(found) - FILES_LIMIT} more files than {FILES_LIMIT}")
        )
    return found[:FILES_LIMIT], left_out
