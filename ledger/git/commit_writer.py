"""Write commits: our files on the tip's tree, each object in a file of its own, the branch moved by git.

Trees are edited as bytes, so all that is not ours stays as it is (fault:D4), and no index takes part.
Objects are not flushed, as git's are not: what must not be lost waits in the spool (fault:A15).
"""

from __future__ import annotations

import os
import stat
import zlib

from ledger.errors import GitFailed, StorageFailed
from ledger.git.commit_record import Commit, loose_object
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    TREE,
    Objects,
    merge_commit,
    move_references,
    object_id,
)
from ledger.git.trees import with_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.git.commit_record import Move, Within
    from ledger.git.repository import Repository


def write_commit(
    repository: Repository,
    wanted: Commit,
    show: Callable[[Move], None],
    sign: Callable[[str], str],
) -> str:
    """Make a commit and move the branch to it; return its id.

    `show` is called once nothing is known to be in the way, with what moves the branch; `sign` gives
    the signed commit for one that is not.

    Raises:
        TipMoved: the branch is no longer at `wanted.expected`.
        ReferenceLocked: the branch's lock file is there.
        StorageFailed: an object did not reach the disk, or something stands where a folder is to be.
    """
    git, folder = repository.git(), f"{repository.commondir}/objects"
    try:
        with Objects(git, folder) as stored:
            base = stored.header(wanted.parent).tree if wanted.parent else ""
            files = [
                (path, "" if data is None else store_loose(folder, BLOB, data))
                for path, data in wanted.files
            ]
            root, trees = with_files(stored.read, base, files)
        for raw in trees.values():  # those below come first
            store_loose(folder, TREE, raw)
        data = merge_commit(
            root or store_loose(folder, TREE, b""), [wanted.parent] * bool(wanted.parent),
            wanted.identity.lines(wanted.seconds), wanted.message.replace("\0", ""),
        )  # fmt: skip
        made = sign(store_loose(folder, COMMIT, data))
    except OSError as problem:
        failure = git.failure("commit", 1, str(problem).encode("utf-8", "replace"))
        if not isinstance(failure, GitFailed):
            raise failure from problem
        raise StorageFailed(
            f"git could not store the commit: {problem}",
            hint="the log is saved; check the disk and its free space",
        ) from problem

    def move(within: Within) -> bool:
        moves = [(name, to or made) for name, to in ((wanted.reference, ""), *wanted.along)]
        why, who = wanted.message.split("\n")[0], wanted.identity.committing
        return move_references(git, moves, wanted.expected, why, within, who)

    show(move)
    return made


def store_loose(folder: str, kind: str, data: bytes) -> str:
    """Write an object into the folder of objects as git does, unless it is there; return its id.

    Raises:
        OSError: the disk refused.
        StorageFailed: what is there does not hold what its name says.
    """
    oid = object_id(kind, data)
    if loose_object(folder, oid) is not None:
        return oid
    below, mode = f"{folder}/{oid[:2]}", stat.S_IMODE(os.stat(folder).st_mode)
    if not os.path.isdir(below):
        os.makedirs(below, exist_ok=True)
        os.chmod(below, mode)  # who may read and write what is shared
    # git clears such away, where they are left
    temporary = f"{below}/tmp_obj_{os.urandom(6).hex()}"  # noqa: S108 - of git's own form
    with open(temporary, "xb") as file:
        try:
            file.write(zlib.compress(b"%s %d\0%s" % (kind.encode(), len(data), data), 1))
            os.fchmod(file.fileno(), mode & 0o444)
            file.close()
            os.rename(temporary, f"{below}/{oid[2:]}")
        except BaseException:
            os.unlink(temporary)
            raise
    return oid
