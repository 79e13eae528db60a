"""Keep session logs durable in the spool, a write-ahead log beside the object store.

A log's bytes are durable here before any git object is touched, so a kill, a full disk, a stuck lock, a
pruned object and a refused commit are all one case: commit what the spool holds. An entry's name is
the log's stem, which proves its content; a half-written one is seen for what it is.

`waiting` entries are not in the ledger yet. `kept` ones are, and stay until their objects are surely on
the disk (after a flush), as the copy that survives `git gc --prune=now` and a power cut. `held` entries
are logs that wait though nothing failed: captured ones, until they are in nobody's way (W14),
and those that are plain files which a person commits (W21). So do their kept copies: one that has to wait
again is held again. Where a plain file belongs stands beside its copy (`Mark`).

What is about to be committed is noted here, too (`Intents`), before any git object is written: a commit
and its trees follow from its parent, the logs and that note, so they can be made again, under the same
ids, when `git gc --prune=now` took them while the branch was just moving to them (W8).
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError, StorageFailed
from ledger.model.ids import blob_id
from ledger.model.log_names import breaks_seal, is_sealed
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import (
    append_bytes,
    make_folder,
    plain_bytes,
    replace_file,
    try_unlink,
    unlink,
    write_private,
)

if TYPE_CHECKING:
    from ledger.git.committer import Commit

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
        if os.path.exists(path := f"{self.folder}{_AT}/{stem}"):
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
        paths = [f"{shelf}{folder}/{stem}" for shelf in self._shelves]
        found = (plain_bytes(path) for path in paths if not _is_part(path))
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


#: Entries that are what their names say, with their times and sizes: a command asks a dozen times.
_sound: set[tuple[str, int, int]] = set()


def _is_part(path: str) -> bool:
    """Tell whether an entry can be read and is not what its name says."""
    try:
        now = os.stat(path)
    except OSError:
        return False
    state = path, now.st_mtime_ns, now.st_size
    if state not in _sound:
        data = plain_bytes(path)
        if data is None or breaks_seal(os.path.basename(path), data):
            return data is not None
        _sound.add(state)
    return False


def _move(path: str, target: str) -> None:
    """Move a file, where it is there."""
    try:
        os.rename(path, target)
    except FileNotFoundError:
        pass


def _stems(folder: str) -> list[str]:
    try:
        return sorted(filter(is_sealed, os.listdir(folder)))
    except OSError:
        return []


_END = b"\0\0\n"
_NOTHING = "-"
_FIXED = 5
#: Stands in the place of a path before the header that signs a commit: no path in a tree begins so.
_SIGNATURE = "/gpgsig"


class Intent(Record):
    """A commit as it was meant."""

    reference: str  #: the branch's full name
    parent: str  #: the commit it was built on, "" for none
    people: tuple[str, str]  #: author and committer, as the commit has them
    message: str  #: of the commit, without its last line break
    files: tuple[tuple[str, str], ...]  #: (path from the root, blob id), "" for a file taken out
    signature: str = ""  #: the header that signs it, "" for none


class Intents:
    """The notes of one home; whoever holds Diurna's lock writes them.

    Args:
        folder: the home's spool. The notes lie in `kept/`: whatever lies in the spool itself waits.
    """

    def __init__(self, folder: str) -> None:
        self._path = folder + "/kept/commits"

    def note(self, wanted: Commit, signature: str = "") -> None:
        """Note a commit that is about to be made; a disk that refuses is no reason not to make it.

        `signature` is the header that signs it, "" for none.
        """
        people = wanted.identity.lines(wanted.seconds)
        fields = [wanted.reference, wanted.parent, *people, wanted.message.replace("\0", "")]
        for path, data in wanted.files:
            fields += (path, "" if data is None else blob_id(data))
        fields += (_SIGNATURE, signature) if signature else ()
        text = "\0".join([field or _NOTHING for field in fields])
        try:
            # an end at both ends: a note cut short by a kill spoils no other
            line = _END + text.encode("utf-8", "surrogateescape") + _END
            make_folder(os.path.dirname(self._path))
            append_bytes(self._path, line)
        except (DiurnaError, OSError, UnicodeEncodeError):
            pass

    def read(self) -> list[Intent]:
        """Return what was noted, oldest first; what can not be read is left out."""
        found: list[Intent] = []
        for line in (plain_bytes(self._path) or b"").split(_END):
            parts = line.decode("utf-8", "surrogateescape").split("\0")
            fields = ["" if part == _NOTHING else part for part in parts]
            if len(fields) < _FIXED or not len(fields) % 2:
                continue
            reference, parent, author, committer, message = fields[:_FIXED]
            files = dict(zip(fields[_FIXED::2], fields[_FIXED + 1 :: 2], strict=True))
            signature = files.pop(_SIGNATURE, "")
            meant = (message, tuple(files.items()), signature)
            found.append(Intent(reference, parent, (author, committer), *meant))
        return found

    def forget(self) -> None:
        """Forget notes: what was made of them is whole and on the disk."""
        try_unlink(self._path)
