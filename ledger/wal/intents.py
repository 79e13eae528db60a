"""Note beside the spool what is about to be committed, before any git object is written.

A commit and its trees follow from its parent, the logs and this note, so they can be made again, under the
same ids, when `git gc --prune=now` took them while the branch was just moving to them (W8).
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.git.commit_record import Commit
from ledger.model.ids import blob_id
from ledger.model.record import Record
from ledger.wal.atomic_files import append_bytes, make_folder, plain_bytes, try_unlink

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

    def last(self, reference: str, parent: str) -> dict[str, str]:
        """Return path -> blob id of the commit that was to be made last of a branch where it stood."""
        meant = self.read()
        if not meant or (meant[-1].reference, meant[-1].parent) != (reference, parent):
            return {}
        return dict(meant[-1].files)

    def forget(self) -> None:
        """Forget notes: what was made of them is whole and on the disk."""
        try_unlink(self._path)
