"""Define the values that a commit is made from, ask git who commits, and read commits back.

A commit is built from the branch tip's tree plus Diurna's own files, never from an index (`commit_maker`).
Other work goes on while git is asked who commits.
"""

from __future__ import annotations

import os
import zlib

from ledger.environment import variables
from ledger.errors import ObjectTooLarge, StorageFailed
from ledger.model.findings import Finding
from ledger.model.ids import sha1
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ledger.git.repository import Repository

    #: Asked while git's own lock of a branch is held: whether the branch is to move.
    Within = Callable[[], bool]
    #: Moves a branch where that says so; tells whether it did.
    Move = Callable[[Within], bool]

FALLBACK_NAME, FALLBACK_EMAIL = "Diurna", "diurna@localhost.invalid"
#: The header of a loose object is shorter: `commit 1234`.
_HEADER_BYTES = 40
#: What git takes off both ends of a name and of an address.
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"


class Identity(Record):
    """Who commits."""

    name: str  #: of the author
    email: str  #: of the author
    fallback: bool = False  #: git knew no name or no address, so a fixed one stands for it
    signs: bool = False  #: the user has git sign commits (`commit.gpgsign`)
    committer: tuple[str, ...] = ()  #: name and address, where they are others than the author's
    #: of author and committer, as a commit has them: `SECONDS ZONE`; "" for the time of the write
    dates: tuple[str, str] = ("", "")

    @property
    def committing(self) -> tuple[str, str]:
        """Name and address of the committer."""
        name, email = self.committer or (self.name, self.email)
        return name, email

    def lines(self, seconds: int) -> tuple[str, str]:
        """Return author and committer as a commit has them that is made at a time since 1970."""
        author, committer = [
            f"{clean_name(name)} <{clean_name(email, '')}> {date or f'{seconds} +0000'}"
            for (name, email), date in zip(
                ((self.name, self.email), self.committing), self.dates, strict=True
            )
        ]
        return author, committer


class Commit(Record):
    """A commit to make."""

    reference: str  #: the branch's full name
    parent: str  #: the tip it is built on, "" for the first commit of the branch
    #: what the reference must still point to, "" for unborn. It differs from `parent` only when a
    #: branch is born from its remote-tracking branch.
    expected: str
    #: (path from the repository's root, bytes); all other files stay as they are. None as bytes
    #: takes a file out: only a projection page that the replay no longer makes.
    files: tuple[tuple[str, bytes | None], ...]
    message: str  #: one line, or a line, a blank line and more
    identity: Identity
    seconds: int  #: when it is made, since 1970
    along: tuple[tuple[str, str], ...] = ()  #: (reference that moves too, where to, "" for here)


def clean_name(text: str, otherwise: str = FALLBACK_NAME) -> str:
    """Make a text safe for a commit header: one line, without `<`, `>`, NUL and control characters."""
    kept = "".join(" " if char < " " or char in "<>\x7f" else char for char in text)
    return " ".join(kept.split()) or otherwise


def loose_object(objects: str, oid: str, limit: int = 0) -> bytes | None:
    """Read a loose object from the disk: its bytes with header, None when it is not loose.

    Raises:
        StorageFailed: the file is there and does not hold what its name says.
        ObjectTooLarge: it has more than `limit` bytes, where that is not 0.
    """
    path = f"{objects}/{oid[:2]}/{oid[2:]}"
    try:
        with open(path, "rb") as file:
            packed = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if limit:
            head = zlib.decompressobj().decompress(packed, _HEADER_BYTES).partition(b"\0")[0]
            if (size := int(head.partition(b" ")[2])) > limit:
                raise ObjectTooLarge(oid, size)
        data = zlib.decompress(packed)
    except (zlib.error, ValueError):
        data = b""
    if sha1(data, usedforsecurity=False).hexdigest() != oid:
        raise StorageFailed(
            f"the object {oid} did not reach the disk whole",
            hint="check the disk; the session log itself is safe in the spool",
        )
    return data


def check_stored(
    repository: Repository, commit: str, blobs: Iterable[tuple[str, str]] = ()
) -> None:
    """Read a commit back from the disk, and the (path from the root, blob id) it must hold.

    Raises:
        StorageFailed: something did not reach the disk.
    """
    names = {commit: commit} | {oid: f"{commit}:{path}" for path, oid in blobs}
    objects = repository.commondir + "/objects"
    packed = [name for oid, name in names.items() if loose_object(objects, oid) is None]
    if packed and "" in repository.git().resolve(*packed):
        raise StorageFailed(f"the commit {commit} did not reach the disk whole")


def branch_lock(commondir: str, reference: str) -> str:
    """Return the path of a branch's lock file."""
    return os.path.join(commondir, reference + ".lock")


def lock_in_the_way(said: str, branch: str) -> str:
    """Return which lock a message of git is about, "" for none that is there.

    git locks HEAD too, for its reflog, when it moves the branch that is checked out. The message names
    the file in quotes; `branch` is the branch's own lock file.
    """
    named = [word for word in said.split("'") if word.endswith(".lock") and os.path.isabs(word)]
    return next((path for path in (branch, *named) if os.path.exists(path)), "")


class IdentityQuestion:
    """The question put to git who commits here, and whether their commits are signed.

    As git itself counts: the environment, else `author.*` and `committer.*`, else `user.*`.

    Args:
        repository: where.
    """

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git()
        self._running = self._git.start(
            "config", "-z", "--get-regexp",
            r"^((user|author|committer)\.(name|email)|commit\.gpgsign)$",
        )  # fmt: skip

    def answer(self) -> Identity:
        """Wait for the answer; where git knows no name or address, a fixed one stands for it."""
        status, said, _ = self._running.finish()
        found = {}
        for item in ("" if status else said.decode("utf-8", "replace")).split("\0"):
            key, is_set, value = item.partition("\n")
            found[key] = value if is_set else "true"  # a key alone in its line means true
        said_of = [
            (_named(found, role, "name"), _named(found, role, "email"))
            for role in ("author", "committer")
        ]
        fallback = not said_of[0][0] or said_of[0][1] is None
        author, committer = [
            (name or FALLBACK_NAME, FALLBACK_EMAIL if email is None else email)
            for name, email in said_of
        ]
        signs = found.get("commit.gpgsign", "").lower() not in ("", "false", "no", "off", "0")
        dates = self._dated("AUTHOR"), self._dated("COMMITTER")
        other = committer if committer != author else ()
        return Identity(*author, fallback, signs, other, dates)

    def _dated(self, role: str) -> str:
        """Return the date that the environment gives a commit, as git reads it; "" for none."""
        date = variables().get(f"GIT_{role}_DATE")
        if not date:
            return ""
        whoever = ("-c", "user.name=x", "-c", "user.email=x", "var", f"GIT_{role}_IDENT")
        status, said, _ = self._git.start(*whoever, more={f"GIT_{role}_DATE": date}).finish()
        return "" if status else " ".join(said.decode("utf-8", "replace").split()[-2:])


def _named(found: Mapping[str, str], role: str, key: str) -> str | None:
    """Return a name or an address of an author or committer; None where git has none."""
    said = variables().get(f"GIT_{role.upper()}_{key.upper()}")
    if said is None or (key == "name" and not said.strip(_CRUD)):
        said = found.get(f"{role}.{key}") or found.get(f"user.{key}")
    if said is None and key == "email":
        said = variables().get("EMAIL")
    return said if said is None else said.strip(_CRUD)


def identity_findings(who: Identity) -> tuple[Finding, ...]:
    """Say where a fixed name stands for the user's."""
    if not who.fallback:
        return ()
    missing = "user.name" if who.name == FALLBACK_NAME else "user.email"
    said = f"git has no {missing}; commits are made by {who.name} <{who.email}>"
    return (Finding("fallback-identity", said, hint=f"git config {missing} YOURS"),)
