"""Write a history anew: with other blobs below one folder and other messages, or a folder's as the top's.

The same history gives the same objects, so whoever was killed in the middle of it begins again, and two
clones make the same commits. Authors, dates, merges, encodings and all else stay as they stand in the old
objects, byte for byte.

With other blobs a signature stays, and no longer fits what it signed; references move in one transaction,
and only from where they were. A signature stood for the whole tree, and is left out where a folder moves;
commits that do not touch it are passed over, as `git log` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ledger.errors import WriteRefused
from ledger.git.cli import Git
from ledger.git.committer import TipMoved, move_references
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    FOLDER,
    TAG,
    TREE,
    Objects,
    entries,
    object_id,
    written,
)
from ledger.git.repository import Repository
from ledger.model.record import Record

#: What stood for the bytes of the old commit.
_SIGNED = (b"gpgsig", b"mergetag")


def relocated(git: Git, tip: str, folder: str) -> tuple[str, tuple[tuple[str, bytes], ...]]:
    """Return the history of a folder, ending in a slash, as that of a repository's top.

    That is its last commit, "" where the folder has no history, and (kind, bytes) to be stored.
    """
    listed = git.run(
        "--no-replace-objects", "rev-list", "--topo-order", "--reverse", "--parents",
        "--simplify-merges", tip, "--", f":(top,literal){folder.rstrip('/')}",
    )  # fmt: skip
    rows = [line.split(" ") for line in listed.decode("ascii").splitlines()]
    trees = git.resolve(*[f"{row[0]}:{folder.rstrip('/')}" for row in rows])
    made: dict[tuple[str, bytes], None] = {(TREE, b""): None}
    new: dict[str, str] = {}
    bodies = git.blobs([row[0] for row in rows])
    for (commit, *parents), tree, body in zip(rows, trees, bodies, strict=True):
        tree = tree or object_id(TREE, b"")
        data = _anew(body or b"", tree, [new[one] for one in parents if one in new])
        new[commit] = object_id(COMMIT, data)
        made[COMMIT, data] = None
    return new[rows[-1][0]] if rows else "", tuple(made)


def _anew(data: bytes, tree: str, parents: list[str]) -> bytes:
    """Return a commit with another tree and other parents, and without what signed it."""
    head, _, said = data.partition(b"\n\n")
    rows = [f"tree {tree}".encode(), *[f"parent {one}".encode() for one in parents]]
    keeps = True
    for line in head.split(b"\n"):
        if line[:1] != b" ":  # else the line before goes on
            key = line.partition(b" ")[0]
            keeps = key not in (b"tree", b"parent") and not key.startswith(_SIGNED)
        if keeps:
            rows.append(line)
    return b"\n".join(rows) + b"\n\n" + said


#: Which references are written anew. What else leads to an old commit is in the way.
_OURS = ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/diurna/")
_FILES = ("100644", "100755")


class Move(Record):
    """A reference that is to lead elsewhere: from which object to which."""

    reference: str
    old: str
    new: str


class Rewriting(Record):
    """A history written anew, nothing of it stored yet."""

    commits: dict[str, str]  #: the new commit of each that changes
    messages: tuple[str, ...]  #: the old commits whose message changes
    signed: int  #: how many of the commits bear a signature
    moves: tuple[Move, ...]  #: of references
    others: tuple[str, ...]  #: references that lead to old commits and are nobody's of ours
    objects: tuple[tuple[str, bytes], ...]  #: (kind, bytes) to be stored


class Rewriter:
    """Plans a history anew: blobs below a folder by their new bytes, and messages.

    Args:
        repository: whose it is.
        folder: "" for everywhere, else ending in a slash.
        blobs: the new bytes, by id.
        message: gives the message of a commit or tag anew.
    """

    def __init__(
        self,
        repository: Repository,
        folder: str,
        blobs: Mapping[str, bytes],
        message: Callable[[bytes], bytes],
    ) -> None:
        self._objects, self._message = Objects(repository), message
        self._git = repository.git()
        self._folder = tuple(folder.rstrip("/").encode().split(b"/")) if folder else ()
        self._new = {old: object_id(BLOB, data) for old, data in blobs.items()}
        self._made: dict[tuple[str, bytes], None] = {(BLOB, data): None for data in blobs.values()}
        self._trees: dict[tuple[str, int], str] = {}
        self._commits: dict[str, str] = {}
        self._messages: list[str] = []
        self._signed = 0

    def planned(self) -> Rewriting:
        """Return the plan; nothing is stored."""
        said = self._git.text("for-each-ref", "--format=%(objectname) %(symref) %(refname)")
        rows = [line.split(" ", 2) for line in said.split("\n")[:-1]]
        listed = self._git.run("rev-list", "--topo-order", "--reverse", "--all").decode("ascii")
        with self._objects:
            for commit in listed.split():
                self._rewrite(commit)
            found = [Move(name, old, self._target(old)) for old, link, name in rows if not link]
        moves = [one for one in found if one.new != one.old]
        return Rewriting(
            {old: new for old, new in self._commits.items() if old != new}, tuple(self._messages),
            self._signed, tuple([one for one in moves if one.reference.startswith(_OURS)]),
            tuple([one.reference for one in moves if not one.reference.startswith(_OURS)]),
            tuple(self._made),
        )  # fmt: skip

    def _rewrite(self, commit: str) -> None:
        head, _, said = self._objects.read(commit).partition(b"\n\n")
        lines = head.split(b"\n")
        for at, line in enumerate(lines):
            key, _, value = line.partition(b" ")
            if key == b"tree":
                lines[at] = b"tree " + self._tree(value.decode("ascii"), 0).encode()
            elif key == b"parent":
                parent = value.decode("ascii")
                lines[at] = b"parent " + self._commits.get(parent, parent).encode()
            else:
                break
        now = self._message(said)
        data = b"\n".join(lines) + b"\n\n" + now
        made = object_id(COMMIT, data)
        self._commits[commit] = made
        if made == commit:
            return
        self._made[COMMIT, data] = None
        self._signed += any(line.startswith(b"gpgsig") for line in lines)
        if now != said:
            self._messages.append(commit)

    def _tree(self, tree: str, depth: int) -> str:
        """Return the tree that takes the place of one, so many folders below the root."""
        known = self._trees.get((tree, depth))
        if known is not None:
            return known
        found = dict(entries(self._objects.read(tree)))
        for name, (mode, old) in found.items():
            inside, new = depth >= len(self._folder), old
            if mode == FOLDER and (inside or name == self._folder[depth]):
                new = self._tree(old, depth + 1)
            elif inside and mode in _FILES:
                new = self._new.get(old, old)
            found[name] = mode, new
        data = written(found)
        made = object_id(TREE, data)
        if made != tree:
            self._made[TREE, data] = None
        self._trees[tree, depth] = made
        return made

    def _target(self, oid: str) -> str:
        """Return what a reference leads to: a commit, or a tag that is written anew."""
        if oid in self._commits:
            return self._commits[oid]
        data = self._objects.read(oid)
        head, _, said = data.partition(b"\n\n")
        lines = head.split(b"\n")
        if lines[0][:7] != b"object " or lines[1:2] not in ([b"type commit"], [b"type tag"]):
            return oid
        old = lines[0][7:].decode("ascii")
        new = self._target(old)
        now = self._message(said)
        if (old, said) == (new, now):
            return oid
        data = b"\n".join([b"object " + new.encode(), *lines[1:]]) + b"\n\n" + now
        self._made[TAG, data] = None
        return object_id(TAG, data)


def move_all(git: Git, moves: Iterable[Move]) -> None:
    """Let all references lead to the new history, or none.

    Raises:
        WriteRefused: one is not where it was.
        StorageFailed: git could not move them.
    """
    try:
        move_references(git, [(one.reference, one.new, one.old) for one in moves], "diurna: purge")
    except TipMoved as problem:
        message = f"a branch moved meanwhile: {problem.message}"
        raise WriteRefused(message, hint="run the command again") from None
