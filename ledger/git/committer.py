"""Make commits, move branches to them and read them back; ask git who commits.

A commit is built from the branch tip's tree with Diurna's own files put in or taken out, never from an
index, so nothing else can differ.
"""

from __future__ import annotations

import os

from ledger.environment import variables
from ledger.errors import DiurnaError, StorageFailed
from ledger.git.config_files import settings
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    TREE,
    Objects,
    loose_object,
    merge_commit,
    object_id,
    with_files,
    write_objects,
)
from ledger.git.repository import Repository, read_reference
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ledger.git.cli import Git

    #: Asked while git's own lock of a branch is held: whether the branch is to move.
    Within = Callable[[], bool]
    #: Moves a branch where that says so; tells whether it did.
    Move = Callable[[Within], bool]

FALLBACK_NAME, FALLBACK_EMAIL = "Diurna", "diurna@localhost.invalid"
#: What git takes off both ends of a name and of an address.
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"
#: What would end a line of a commit's header, or a part of one.
_BREAKS_OUT = dict.fromkeys([*range(32), *b"<>\x7f"], " ")


class TipMoved(DiurnaError):
    """The branch no longer points where the commit was built: build again on the new tip."""


class ReferenceLocked(DiurnaError):
    """The branch's lock file is there; `path` names it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is there: another git process is updating the branch, or one died",
            hint="wait for it to end; Diurna moves a lock aside once nobody owns it",
        )
        self.path = path


class Identity(Record):
    """Who commits."""

    name: str  #: of the author
    email: str  #: of the author
    fallback: bool = False  #: git knew no name or no address, so a fixed one stands for it
    signs: bool = False  #: the user has git sign commits (`commit.gpgsign`)
    committer: tuple[str, str] | None = None  #: name and address, where others than the author's
    #: of author and committer, as a commit has them: `SECONDS ZONE`; "" for the time of the write
    dates: tuple[str, str] = ("", "")

    def lines(self, seconds: int) -> tuple[str, str]:
        """Return author and committer as a commit has them that is made at a time since 1970."""
        people = (self.name, self.email), self.committer or (self.name, self.email)
        author, committer = [
            f"{clean_name(name)} <{clean_name(email, '')}> {date or f'{seconds} +0000'}"
            for (name, email), date in zip(people, self.dates, strict=True)
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
    return " ".join(text.translate(_BREAKS_OUT).split()) or otherwise


def make_commit(
    read: Callable[[str], bytes],
    parent: str,
    people: tuple[str, str],
    message: str,
    files: Iterable[tuple[str, str]],
    signature: str = "",
) -> tuple[str, bytes, dict[str, bytes]]:
    """Make a commit of a parent ("" for none) and files of it; return its id, its bytes, new trees by id.

    `read` gives the bytes of an object, `people` are as `Identity.lines` gives them; files are (path from
    the root, blob id, "" to take it out); `signature` is the header that signs it, "" for none.

    Raises:
        StorageFailed: something of the user's stands where a file belongs (fault:D4).
    """
    base = read(parent)[5:45].decode("ascii") if parent else ""
    root, trees = with_files(read, base, files)
    parents = [parent] if parent else []
    data = merge_commit(root, parents, people, message.replace("\0", ""))
    if signature:
        head, _, rest = data.partition(b"\n\n")
        data = b"\n".join((head, signature.encode("utf-8", "surrogateescape"), b"", rest))
    return object_id(COMMIT, data), data, trees


def store_commit(where: Repository, wanted: Commit) -> str:
    """Make a commit and store it; return its id, the parent's where nothing differs.

    Raises:
        TipMoved: the branch is no longer at `wanted.expected`.
        StorageFailed: an object did not reach the disk.
    """
    if read_reference(where, wanted.reference) != wanted.expected:
        raise TipMoved(wanted.reference)
    who = wanted.identity
    files = [(path, "" if data is None else blob_id(data)) for path, data in wanted.files]
    commit, body, trees = make_commit(
        Objects(where).read, wanted.parent, who.lines(wanted.seconds), wanted.message, files
    )
    if wanted.parent and not trees:
        return wanted.parent
    new = [(BLOB, data) for _, data in wanted.files if data is not None]
    new += [(TREE, raw) for raw in trees.values()]
    write_objects(where, [*new, (COMMIT, body)], durable=False)
    check_stored(where, commit)  # before a branch points to it (fault:A7, fault:A14)
    return commit


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


def move_references(
    git: Git,
    moves: Sequence[tuple[str, str, str | None]],
    why: str,
    within: Within = lambda: True,
    who: tuple[str, str] = ("Diurna", "diurna@localhost.invalid"),
) -> bool:
    """Let references point elsewhere, all or none, if they still are where they were.

    `moves` are full names, each with where it goes and where it was, "" for not there, None for wherever;
    `why`, and name and address (`who`), are for the reflog. `within` is asked while git has them
    locked; where it says no nothing is changed.

    Raises:
        TipMoved: it is elsewhere by now.
        ReferenceLocked: its lock file is there.
    """
    reference, does = moves[0][0], False
    old = ["" if was is None else was or "0" * 40 for _, _, was in moves]
    rows = [f"update {one[0]} {one[1]} {was}".rstrip() for one, was in zip(moves, old, strict=True)]
    running = git.start(
        "-c", f"user.name={clean_name(who[0])}", "-c", f"user.email={clean_name(who[1], '')}",
        "update-ref", "-m", why, "--stdin",
    )  # fmt: skip
    try:
        told = "\n".join(["start", *rows, "prepare", ""]).encode("utf-8", "surrogateescape")
        does = running.ask(told, b"prepare: ok") and within()
    except BrokenPipeError:
        pass  # it says why
    except BaseException:
        running.finish(b"abort\n")
        raise
    status, _, err = running.finish(b"commit\n" if does else b"abort\n")
    if not status:
        return does
    words = err.decode("utf-8", "replace")
    if "File exists" in words:
        common = git.text("rev-parse", "--git-common-dir").strip()
        branch = os.path.join(git.where, common, f"{reference}.lock")
        # git locks HEAD too, for its reflog, and names the file in quotes
        named = [one for one in words.split("'") if one.endswith(".lock") and os.path.isabs(one)]
        raise ReferenceLocked(next(filter(os.path.exists, (branch, *named)), branch))
    if "but expected" in words or "already exists" in words or "unable to resolve" in words:
        raise TipMoved(reference)
    failure = git.failure("update-ref", status, err)
    raise failure if isinstance(failure, StorageFailed) else StorageFailed(failure.message)


def identity_in(where: Repository) -> Identity:
    """Return who commits in a repository, and whether git signs it; a fixed name for one that is not set.

    As git itself counts: the environment, else `author.*` and `committer.*`, else `user.*`.
    """
    asked = ("user", "author", "committer", "commit"), ("name", "email", "gpgsign")
    found = dict(settings(where.git(), *asked))
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
    dates = {"AUTHOR": "", "COMMITTER": ""}  # as git reads those that the environment gives
    for role in dates:
        if date := variables().get(f"GIT_{role}_DATE"):
            whoever = ("-c", "user.name=x", "-c", "user.email=x", "var", f"GIT_{role}_IDENT")
            _, data, _ = where.git().start(*whoever, more={f"GIT_{role}_DATE": date}).finish()
            dates[role] = " ".join(data.decode("utf-8", "replace").split()[-2:])
    return Identity(*author, fallback, signs, committer, (dates["AUTHOR"], dates["COMMITTER"]))


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
