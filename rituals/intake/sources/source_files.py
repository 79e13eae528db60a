"""Read files of other tools: regular ones, of bounded size, number and depth, and through no link."""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ledger.model.order import ended_of, stamp_of
from rituals.intake.intake_items import LeftOut

Left = list[LeftOut]  #: what was passed over so far

#: What is larger, deeper or more than that is left out, and said.
FILE_LIMIT_BYTES = 4 << 20
FILES_LIMIT = 5_000
DEPTH_LIMIT = 8
#: A file of which one byte in so many is NUL is no text.
_NUL_SHARE = 100
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPPED = frozenset((".git", "node_modules", "__pycache__"))


def text_of(path: str, place: str, left: Left, *, limit: int = FILE_LIMIT_BYTES) -> str | None:
    """Return the text of a file, None where it is left out; as `bytes_of`."""
    data = bytes_of(path, place, left, limit=limit)
    if data is not None and data.count(0) * _NUL_SHARE > len(data):
        left.append(LeftOut(place, "it is no text"))
    elif data is not None:
        return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return None


def bytes_of(path: str, place: str, left: Left, *, limit: int = FILE_LIMIT_BYTES) -> bytes | None:
    """Return the bytes of a file, at most `limit`; None where it is left out, which is added to `left`.

    `place` is how it is called.
    """
    data, why = b"", ""
    try:
        fd = os.open(path, _OPEN)
        if S_ISREG(os.fstat(fd).st_mode):
            with os.fdopen(fd, "rb") as file:
                data = file.read(limit + 1)
        else:
            os.close(fd)
            why = "it is no regular file"
    except OSError as problem:
        why = problem.strerror or "it can not be read"
    if len(data) > limit:
        why = f"it is over {limit >> 20} MiB" if limit >> 20 else "it is too large"
    if why:
        left.append(LeftOut(place, why))
    return None if why else data


def written_at(path: str) -> str:
    """Return when a file was last written, as an instant; "" where nobody knows."""
    try:
        return ended_of(stamp_of(int(os.stat(path, follow_symlinks=False).st_mtime * 1000)))
    except (OSError, ValueError, OverflowError):
        return ""


def files_at(place: str, left: Left, *endings: str) -> list[tuple[str, str]]:
    """List what is to be read at a place, as (name, path): itself, or what is below it and ends so."""
    if not os.path.isdir(place):
        return [(os.path.basename(place), place)]
    return [(name, f"{place}/{name}") for name in files_below(place, left, *endings)]


def files_below(folder: str, left: Left, *endings: str) -> list[str]:
    """List the files below a folder whose names end so, sorted, relative to it."""
    found: list[str] = []
    todo = [("", 0)]
    while todo:
        below, depth = todo.pop()
        try:
            names = sorted(os.listdir(f"{folder}/{below}"))
        except OSError as problem:
            left.append(LeftOut(below or folder, problem.strerror or "it can not be listed"))
            continue
        for name in names:
            path = f"{below}{name}"
            try:
                mode = os.lstat(f"{folder}/{path}").st_mode
            except (OSError, ValueError):
                continue
            if S_ISLNK(mode):
                left.append(LeftOut(path, "it is a link"))
            elif S_ISDIR(mode) and name not in _SKIPPED:
                if depth == DEPTH_LIMIT:
                    left.append(LeftOut(path, f"it is more than {DEPTH_LIMIT} folders deep"))
                else:
                    todo.append((f"{path}/", depth + 1))
            elif S_ISREG(mode) and name.endswith(endings):
                found.append(path)
    found.sort()
    if len(found) > FILES_LIMIT:
        left.append(LeftOut(folder, f"{len(found) - FILES_LIMIT} more files than {FILES_LIMIT}"))
    return found[:FILES_LIMIT]
