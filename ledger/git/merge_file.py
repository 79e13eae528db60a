"""Merge three versions of one text line by line, with git's own merge."""

from __future__ import annotations

import os

from ledger.git.cli import Git
from ledger.model.record import Record

_OURS, _BASE, _THEIRS, _END = b"<<<<<<< ", b"||||||| ", b"=======", b">>>>>>> "


class LineMerge(Record):
    """What merging two versions of a text came to."""

    text: bytes | None  #: the merged text, None for a conflict
    one: str = ""  #: the first line in conflict as the first version has it, "" where it has none
    two: str = ""  #: the same of the second version


def merge_lines(git: Git, one: bytes, base: bytes, two: bytes) -> LineMerge:
    """Merge two versions of a text that come from one base.

    Raises:
        GitFailed: git could not.
    """
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("one", "base", "two")]
        for path, data in zip(paths, (one, base, two), strict=True):
            with open(path, "wb") as file:
                file.write(data)
        status, merged, err = git.call("merge-file", "-p", "--diff3", "--", *paths)
    if status == 0:
        return LineMerge(merged)
    if not merged or status > 127:  # otherwise the number of conflicts
        raise git.failure("merge-file", status, err)
    return LineMerge(None, *_first_conflict(merged))


def _first_conflict(merged: bytes) -> tuple[str, str]:
    """Return the first line of each side of the first conflict."""
    found: dict[bytes, str] = {}
    part = b""
    for line in merged.split(b"\n"):
        marker = next((one for one in (_OURS, _BASE, _THEIRS, _END) if line.startswith(one)), b"")
        if marker == _END:
            break
        if marker:
            part = marker
        elif part and line.strip():
            found.setdefault(part, line.decode("utf-8", "replace").strip()[:80])
    return found.get(_OURS, ""), found.get(_THEIRS, "")
