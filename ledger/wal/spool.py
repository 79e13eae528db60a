"""Keep session logs durable in the spool, a write-ahead log beside the object store.

A log's bytes are durable here before any git object is touched, so a kill, a full disk, a stuck lock, a
pruned object and a refused commit are all one case: commit what the spool holds. An entry's name is
the log's stem, which proves its content; a half-written one is seen for what it is.

`waiting` entries are not in the ledger yet. `kept` ones are, and stay until their objects are surely on
the disk (after a flush), as the copy that survives `git gc --prune=now` and a power cut. `held` entries
are logs that wait though nothing failed: captured ones, until they are in nobody's way (W14),
and those that are plain files which a person commits (W21). So do their kept copies: one that has to wait
again is held again. Where a plain file belongs stands beside its copy (`Mark`).
"""

from __future__ import annotations

import os

from ledger.errors import StorageFailed
from ledger.model.order import breaks_seal, is_sealed
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file, unlink, write_private

#: How many committed entries are kept before one flush makes their objects durable together.
KEEP = 64
#: The folder, in each of those where logs wait, of those that are committed.
_KEPT = "/kept"
#: The folder of the marks.
_AT = "/at"


class Mark(Record):
    """Where a log belongs that is a plain file, or has yet to become one."""

    tree: str  #: the git directory of its work tree, from the common one
    top: str  #: that work tree
    branch: str  #: that was checked out there, "" for none
    owed: bool = False  #: the work tree has not had it yet


class Spool:
    """The spool of one repository.

    Args:
        folder: `<common git directory>/diurna/spool`.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        #: where logs wait: those that were asked for, and captured ones
        self._shelves = (folder, folder + "/held")

    def put(self, stem: str, data: bytes, *, held: bool = False, mark: Mark | None = None) -> None:
        """Make a log durable. The same log again changes nothing.

        `held`: it waits until it disturbs nobody's work, or a person commits it: there, by its `mark`.

        Raises:
            StorageFailed: the disk refused; nothing is left behind.
        """
        shelf = self._shelves[held]
        make_folder(shelf + _KEPT)
        if mark is not None:
            self.set_mark(stem, mark)
        path = f"{shelf}/{stem}"
        try:
            write_private(path, data)
        except StorageFailed:
            self._unmark(stem)
            raise
        except FileExistsError:
            if _is_part(path):  # of a writer that was killed, or is at it: the same bytes
                replace_file(path, data, 0o600, durable=True)

    def waiting(self) -> list[str]:
        """Return the stems of logs that wait and were asked for, oldest first."""
        return _whole(self.folder)

    def held(self) -> list[str]:
        """Return the stems of logs that wait though nothing failed, oldest first."""
        return _whole(self._shelves[1])

    def set_mark(self, stem: str, mark: Mark) -> None:
        """Note where a log belongs."""
        make_folder(self.folder + _AT)
        said = "\n".join((mark.tree, mark.top, mark.branch, "owed" * mark.owed))
        replace_file(f"{self.folder}{_AT}/{stem}", os.fsencode(said), 0o600)

    def _unmark(self, stem: str) -> None:
        path = f"{self.folder}{_AT}/{stem}"
        if os.path.exists(path):
            unlink(path)

    def mark(self, stem: str) -> Mark | None:
        """Return where a log belongs; None where that was not noted."""
        try:
            said = plain_bytes(f"{self.folder}{_AT}/{stem}") or b""
            tree, top, branch, owed = os.fsdecode(said).split("\n")
        except ValueError:
            return None
        return Mark(tree, top, branch, bool(owed))

    def kept(self) -> list[str]:
        """Return the stems that are committed and kept for a while, oldest first."""
        return sorted({stem for shelf in self._shelves for stem in _stems(shelf + _KEPT)})

    def read(self, stem: str) -> bytes | None:
        """Return the bytes of a log that waits; None when it is gone or was never written whole."""
        return self._read("", stem)

    def read_kept(self, stem: str) -> bytes | None:
        """Return a kept log's bytes; None when it is gone or damaged."""
        return self._read(_KEPT, stem)

    def _read(self, folder: str, stem: str) -> bytes | None:
        found = (_read(f"{shelf}{folder}/{stem}", stem) for shelf in self._shelves)
        return next((data for data in found if data is not None), None)

    def commit(self, stem: str) -> None:
        """Note that a log is in the ledger."""
        for shelf in self._shelves:
            if os.path.exists(f"{shelf}/{stem}"):  # else it is on the other one, or was noted
                make_folder(shelf + _KEPT)  # somebody may have taken it away
                _move(f"{shelf}/{stem}", f"{shelf}{_KEPT}/{stem}")
                self._unmark(stem)

    def withdraw(self, stem: str) -> None:
        """Take back a log that nobody was told of and that is not to be committed any more."""
        for shelf in self._shelves:
            unlink(f"{shelf}/{stem}")
        self._unmark(stem)

    def requeue(self, stem: str, mark: Mark | None = None) -> None:
        """Let a kept log wait again, where it waited before: the ledger lost it.

        With a mark it is a plain file again.
        """
        if mark is not None:
            make_folder(self._shelves[1] + _KEPT)
            self.set_mark(stem, mark)
        for shelf in self._shelves:
            _move(f"{shelf}{_KEPT}/{stem}", f"{shelf if mark is None else self._shelves[1]}/{stem}")

    def forget(self, stems: list[str]) -> None:
        """Let go of kept logs whose objects are on the disk."""
        for stem in stems:
            for shelf in self._shelves:
                unlink(f"{shelf}{_KEPT}/{stem}")


def _whole(folder: str) -> list[str]:
    return [stem for stem in _stems(folder) if not _is_part(f"{folder}/{stem}")]


def _is_part(path: str) -> bool:
    """Tell whether an entry can be read and is not what its name says."""
    data = plain_bytes(path)
    return data is not None and breaks_seal(os.path.basename(path), data)


def _move(path: str, target: str) -> None:
    """Move a file, where it is there."""
    try:
        os.rename(path, target)
    except FileNotFoundError:
        pass


def _stems(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if is_sealed(name))


def _read(path: str, stem: str) -> bytes | None:
    data = plain_bytes(path)
    return None if data is None or breaks_seal(stem, data) else data
