"""Make commits: trees are the parent's with our own paths put in or taken out, so nothing else can differ.

What is new is stored by one `git unpack-objects`.
"""

from __future__ import annotations

from ledger.errors import GitFailed, StorageFailed, TipMoved
from ledger.git.committer import Commit, check_stored
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    TREE,
    Objects,
    merge_commit,
    object_id,
    with_files,
    write_objects,
)
from ledger.git.repository import Repository, read_reference
from ledger.model.ids import blob_id
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Made(Record):
    """A commit, and what is new of it but for the bytes of files."""

    commit: str  #: its id
    data: bytes  #: its bytes
    trees: dict[str, bytes]  #: by id


def make_commit(
    read: Callable[[str], bytes],
    parent: str,
    people: tuple[str, str],
    message: str,
    files: Iterable[tuple[str, str]],
    signature: str = "",
) -> Made:
    """Make a commit of a parent ("" for none) and files of it; nothing is stored.

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
    return Made(object_id(COMMIT, data), data, trees)


def store_commit(where: Repository, wanted: Commit, sign: Callable[[str], str] = str) -> str:
    """Make a commit and store it; return its id, the parent's where nothing differs.

    `sign` gives the signed commit for one that is not.

    Raises:
        TipMoved: the branch is no longer at `wanted.expected`.
        StorageFailed: an object did not reach the disk.
    """
    if read_reference(where, wanted.reference) != wanted.expected:
        raise TipMoved(wanted.reference)
    who = wanted.identity
    files = [(path, "" if data is None else blob_id(data)) for path, data in wanted.files]
    with Objects(where) as objects:
        made = make_commit(
            objects.read, wanted.parent, who.lines(wanted.seconds), wanted.message, files
        )
    if wanted.parent and not made.trees:
        return wanted.parent
    new = [(BLOB, data) for _, data in wanted.files if data is not None]
    new += [(TREE, raw) for raw in made.trees.values()]
    try:
        write_objects(where, [*new, (COMMIT, made.data)], whole=False, durable=False)
    except GitFailed as problem:
        raise StorageFailed(
            f"git could not store the commit: {problem.message}",
            hint="the log is saved; check the disk and its free space",
        ) from problem
    check_stored(where, made.commit)  # before a branch points to it (fault:A7, fault:A14)
    return sign(made.commit)
