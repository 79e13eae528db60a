"""Read objects with pygit2, many at a time; the only module that imports it.

libgit2 1.9 never comes back from a loose object that was cut short, so those are read here without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pygit2
from pygit2.enums import Option

from ledger.errors import CorruptRepository, StorageFailed
from ledger.git.git_objects import loose_object
from ledger.git.repository import Repository

# SHA-1 with collision detection over every object read takes a third of the reading; who reads logs proves
# their bytes by the seal, or by the blob's id where they bear none (`memory.replay.read_logs`)
pygit2.option(Option.ENABLE_STRICT_HASH_VERIFICATION, False)
# a large pack is not held in memory whole
pygit2.option(Option.SET_MWINDOW_SIZE, 4 << 20)
pygit2.option(Option.SET_MWINDOW_MAPPED_LIMIT, 16 << 20)


def read_blobs(repository: Repository, ids: Iterable[str]) -> Iterator[bytes | None]:
    """Yield the bytes of each object, None for one that is missing or unreadable.

    That the bytes are those of the id is for the caller to check.

    Raises:
        CorruptRepository: it can not be opened.
    """
    try:
        packed = pygit2.Repository(repository.gitdir).odb.read
    except (pygit2.GitError, KeyError) as problem:
        raise CorruptRepository(
            f"{repository.gitdir} can not be opened: {problem}",
            hint="run `git fsck` there to see what is wrong",
        ) from problem
    objects = repository.commondir + "/objects"
    for one in ids:
        try:
            data = loose_object(objects, one, 0)
            yield packed(one)[1] if data is None else data[data.index(b"\0") + 1 :]
        except StorageFailed:  # it is damaged; git may have a packed copy
            status, data, _ = repository.git().call("cat-file", "blob", one)
            yield None if status else data
        except (KeyError, pygit2.GitError, ValueError):
            yield None
