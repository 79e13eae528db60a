"""Keep session logs durable in the spool, a write-ahead log beside the object store.

A log's bytes are durable here before any git object is touched, so a kill, a full disk, a stuck lock, a
pruned object and a refused commit are all one case: commit what the spool holds. An entry's name is
the log's stem, which proves its content; a half-written one is seen for what it is.

`waiting` entries are not in the ledger yet. `kept` ones are, and stay until their objects are surely on
the disk (after a flush), as the copy that survives `git gc --prune=now` and a power cut.
"""

from __future__ import annotations

import os

from ledger.errors import StorageFailed
from ledger.model.order import breaks_seal, is_sealed
from ledger.wal.atomic_files import make_folder, replace_file, write_private

#: How many committed entries are kept before one flush makes their objects durable together.
KEEP = 64


class Spool:
    """The spool of one repository.

    Args:
        folder: `<common git directory>/diurna/spool`.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.kept_folder = folder + "/kept"

    def put(self, stem: str, data: bytes) -> None:
        """Make a log durable. The same log again changes nothing.

        Raises:
            StorageFailed: the disk refused; nothing is left behind.
        """
        path = f"{self.folder}/{stem}"
        try:
            write_private(path, data)
        except FileExistsError:
            if self._is_part(stem):  # of a writer that was killed, or is at it: the same bytes
                replace_file(path, data, 0o600, durable=True)
        except StorageFailed as problem:
            if os.path.isdir(self.kept_folder):
                raise
            if not _missing_folder(problem):
                raise
            make_folder(self.kept_folder)
            self.put(stem, data)

    def waiting(self) -> list[str]:
        """Return the stems that wait, oldest first."""
        return [stem for stem in _stems(self.folder) if not self._is_part(stem)]

    def parts(self) -> list[str]:
        """Return the stems of logs that are not written whole: nobody was told that they are recorded."""
        return [stem for stem in _stems(self.folder) if self._is_part(stem)]

    def _is_part(self, stem: str) -> bool:
        """Tell whether an entry can be read and is not what its name says."""
        try:
            with open(f"{self.folder}/{stem}", "rb") as file:
                return breaks_seal(stem, file.read())
        except OSError:
            return False

    def kept(self) -> list[str]:
        """Return the stems that are committed and kept for a while, oldest first."""
        return _stems(self.kept_folder)

    def read(self, stem: str) -> bytes | None:
        """Return a waiting log's bytes; None when it is gone or was never written whole."""
        return _read(f"{self.folder}/{stem}", stem)

    def read_kept(self, stem: str) -> bytes | None:
        """Return a kept log's bytes; None when it is gone or damaged."""
        return _read(f"{self.kept_folder}/{stem}", stem)

    def commit(self, stem: str) -> None:
        """Note that a log is in the ledger."""
        here, there = f"{self.folder}/{stem}", f"{self.kept_folder}/{stem}"
        try:
            os.rename(here, there)
        except FileNotFoundError:
            if os.path.exists(here):  # somebody took the folder away
                make_folder(self.kept_folder)
                os.rename(here, there)
            # else another process that held the lock before us noted it

    def withdraw(self, stem: str) -> None:
        """Take back a log that nobody was told of and that is not to be committed any more."""
        try:
            os.unlink(f"{self.folder}/{stem}")
        except FileNotFoundError:
            pass

    def requeue(self, stem: str) -> None:
        """Let a kept log wait again: the ledger lost it."""
        try:
            os.rename(f"{self.kept_folder}/{stem}", f"{self.folder}/{stem}")
        except FileNotFoundError:
            pass

    def forget(self, stems: list[str]) -> None:
        """Let go of kept logs whose objects are on the disk."""
        for stem in stems:
            try:
                os.unlink(f"{self.kept_folder}/{stem}")
            except FileNotFoundError:
                pass


def _missing_folder(problem: StorageFailed) -> bool:
    cause = problem.__cause__
    return isinstance(cause, FileNotFoundError)


def _stems(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if is_sealed(name))


def _read(path: str, stem: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    return None if breaks_seal(stem, data) else data
