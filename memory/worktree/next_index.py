"""Set entries of git's index at one stroke, right before the branch moves.

What the index is to be is made in a copy, which takes the index's place once the work tree has the files.
Where git wrote the index meanwhile, holds it, or keeps it in parts, `update_index` sets the entries.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from ledger.git.repository import head
from ledger.home import Home
from ledger.model.sha256 import blob_id
from ledger.wal.atomic_files import make_folder
from ledger.wal.git_locks import next_index
from memory.worktree.checkout import FILE_MODE, pending_file

#: One that is larger takes longer to copy than what there is to win.
_LARGEST_BYTES = 32 << 20


def index_line(path: str, data: bytes | None) -> str:
    """Return the entry of a file as `git update-index --index-info` reads it; None takes it out.

    `path` is from the root of the work tree.
    """
    return entry_line(path, "" if data is None else blob_id(data))


def entry_line(path: str, blob: str) -> str:
    """Return the same of a blob, "" to take it out."""
    return f"{FILE_MODE} {blob}\t{path}" if blob else f"0 {'0' * 40}\t{path}"


class NextIndex:
    """What the index of a work tree is to be once a commit is its tip.

    Args:
        home: a home that is checked out.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._index = f"{home.repository.gitdir}/index"
        self._copy = next_index(home.repository.gitdir)
        self._before: tuple[int, ...] = ()
        self._mode = 0
        self._taken: tuple[int, ...] = ()

    def prepare(self, lines: Sequence[str]) -> bool:
        """Make the copy, with entries as `index_line` writes them; tell whether there can be one."""
        try:
            self._make(lines)
        except OSError:
            self._before = ()
        return bool(self._before)

    def _make(self, lines: Sequence[str]) -> None:
        home, self._before = self._home, ()
        where = home.repository
        if head(where)[0] != home.reference or os.path.exists(pending_file(home)):
            return
        if not os.path.isdir(home.folder) or any(
            name.startswith("sharedindex.") for name in os.listdir(where.gitdir)
        ):
            return  # a sparse checkout marks its entries; a split index is in several files
        with open(self._index, "rb") as file:
            found = os.fstat(file.fileno())
            if found.st_size > _LARGEST_BYTES:
                return
            data = file.read()
        make_folder(os.path.dirname(self._copy))
        for left in (f"{self._copy}.lock", self._copy):
            if os.path.lexists(left):
                os.unlink(left)  # of a process that was killed: it may be another name of the index
        with open(self._copy, "xb") as file:
            file.write(data)
        # git looks twice at files that are not older than the index itself
        os.utime(self._copy, ns=(found.st_atime_ns, found.st_mtime_ns))
        entries = "".join([line + "\n" for line in lines])
        running = where.git().start(
            *where.unfiltered(), "update-index", "--add", "--index-info",
            more={"GIT_INDEX_FILE": self._copy},
        )  # fmt: skip
        status, _, _ = running.finish(entries.encode("utf-8", "surrogateescape"))
        if status == 0:
            self._before, self._mode = _identity(found), found.st_mode & 0o777

    def take(self) -> bool:
        """Let the copy take the index's place; tell whether it did."""
        if not self._before:
            return False
        lock = f"{self._index}.lock"
        try:
            os.chmod(self._copy, self._mode)
            os.link(self._copy, lock)  # whole from the start, and known for ours by its other name
        except OSError:
            return False
        try:
            there = self._before == _identity(os.stat(self._index))
            if there and head(self._home.repository)[0] == self._home.reference:
                os.replace(lock, self._index)
                os.unlink(self._copy)
                self._taken = _identity(os.stat(self._index))
                return True
        except OSError:
            pass
        if os.path.lexists(lock):
            os.unlink(lock)
        return False

    def was_written_over(self) -> bool:
        """Tell whether somebody wrote the index since the copy took its place."""
        try:
            return bool(self._taken) and self._taken != _identity(os.stat(self._index))
        except OSError:
            return True


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
