"""Write the history of one folder anew in another place: each commit by whom and when it was made.

The same history gives the same objects, so whoever was killed in the middle of it begins again, and two
clones make the same commits. A signature stood for the whole tree, and is left out; all else of a commit
stays, byte for byte. Commits that do not touch the folder are passed over, as `git log` does.
"""

from __future__ import annotations

from ledger.git.git_objects import COMMIT, TREE, object_id
from ledger.git.trees import FOLDER, put
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.git.cli import Git

#: What stood for the bytes of the old commit.
_SIGNED = (b"gpgsig", b"mergetag")


class Relocated(Record):
    """A history in its new place, nothing of it stored yet."""

    tip: str  #: its last commit, "" where the folder has no history
    objects: tuple[tuple[str, bytes], ...]  #: (kind, bytes) to be stored


def relocated(git: Git, tip: str, before: str, after: str) -> Relocated:
    """Return the history of a folder with the folder in another place, and nothing beside it.

    `before` is the folder, ending in a slash, "" for the top; `after` is where it goes, the same way.
    """
    where = ["--", f":(top,literal){before.rstrip('/')}"] if before else ["--"]
    listed = git.run(
        "--no-replace-objects", "rev-list", "--topo-order", "--reverse", "--parents",
        *(["--simplify-merges"] if before else []), tip, *where,
    )  # fmt: skip
    rows = [line.split(" ") for line in listed.decode("ascii").splitlines()]
    trees = git.resolve(*[f"{row[0]}:{before.rstrip('/')}" for row in rows])
    made: dict[tuple[str, bytes], None] = {(TREE, b""): None}
    placed: dict[str, str] = {}
    new: dict[str, str] = {}
    bodies = git.blobs([row[0] for row in rows])
    for (commit, *parents), found, body in zip(rows, trees, bodies, strict=True):
        tree = found or object_id(TREE, b"")
        if tree not in placed:
            placed[tree] = tree
            for name in reversed(after.split("/")[:-1]):
                raw = put(b"", name.encode("utf-8", "surrogateescape"), FOLDER, placed[tree])
                made[TREE, raw] = None
                placed[tree] = object_id(TREE, raw)
        data = _anew(body or b"", placed[tree], [new[one] for one in parents if one in new])
        new[commit] = object_id(COMMIT, data)
        made[COMMIT, data] = None
    return Relocated(new[rows[-1][0]] if rows else "", tuple(made))


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
