<<<<<<< HEAD
"""Read objects with pygit2, many at a time; the only module that imports it.

libgit2 1.9 never comes back from a loose object that was cut short, so those are read here without it.
=======
"""Read many objects with pygit2; the only module that imports it.

From reading a loose object that was cut short libgit2 1.9 never comes back, so loose objects are read here
without it.
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator

import pygit2
from pygit2.enums import Option

from ledger.errors import CorruptRepository, GitFailed
from ledger.git.repository import Repository

# SHA-1 with collision detection over every object read takes a third of the reading; who reads logs proves
# their bytes by the seal, or by the blob's id where they bear none (`memory.replay.read_logs`)
pygit2.option(Option.ENABLE_STRICT_HASH_VERIFICATION, False)


<<<<<<< HEAD
class Store:
    """Objects of one repository.
=======
def read_blobs(repository: Repository, ids: Iterable[str]) -> Iterator[bytes | None]:
    """Yield the bytes of each object, None for one that is missing or unreadable.
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)

    That the bytes are those of the id is for the caller to check.

    Raises:
        CorruptRepository: it can not be opened.
    """
    try:
        read = pygit2.Repository(repository.gitdir).odb.read
    except (pygit2.GitError, KeyError) as problem:
        raise CorruptRepository(
            f"{repository.gitdir} can not be opened: {problem}",
            hint="run `git fsck` there to see what is wrong",
        ) from problem
    objects = repository.commondir + "/objects"
    loose = set()  # what is packed is not looked for in vain, and costs nothing
    for start in map("{:02x}".format, range(256)):
        if os.path.isdir(f"{objects}/{start}"):
            loose.update([start + name for name in os.listdir(f"{objects}/{start}")])
    for one in ids:
        try:
<<<<<<< HEAD
            self._odb = pygit2.Repository(repository.gitdir).odb
        except (pygit2.GitError, KeyError) as problem:
            raise CorruptRepository(
                f"{repository.gitdir} can not be opened: {problem}",
                hint="run `git fsck` there to see what is wrong",
            ) from problem
        self._objects = repository.commondir + "/objects"

    def blobs(self, ids: Iterable[str]) -> Iterator[bytes | None]:
        """Yield the bytes of each object, None for one that is missing or unreadable.

        That the bytes are those of the id is for the caller to check.
        """
        read = self._odb.read
        loose = self._loose()
        for one in ids:
            try:
                yield self._read_loose(one) if one in loose else read(one)[1]
            except (KeyError, pygit2.GitError, ValueError):
                yield None

    def blob(self, one: str) -> bytes | None:
        """Return the bytes of one object; see `blobs`, which is for many."""
        try:
            return self._read_loose(one)
        except (KeyError, pygit2.GitError, ValueError, OSError):
            return None

    def _loose(self) -> set[str]:
        """List the loose objects: what is packed is not looked for in vain, and costs nothing."""
        found: set[str] = set()
        for number in range(256):
            start = f"{number:02x}"
            try:
                found.update([start + name for name in os.listdir(f"{self._objects}/{start}")])
            except OSError:
=======
            if one in loose:
                with open(f"{objects}/{one[:2]}/{one[2:]}", "rb") as file:
                    data = zlib.decompress(file.read())
                yield data[data.index(b"\0") + 1 :]
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)
                continue
        except FileNotFoundError:  # packed meanwhile
<<<<<<< HEAD
            return bytes(self._odb.read(one)[1])
        except zlib.error:
            return self._read_safely(one)

    def _read_safely(self, one: str) -> bytes | None:
        """Let git read an object whose file is damaged: there may be a packed copy."""
        try:
            (found,) = self._where.git().blobs([one])
        except GitFailed:
            return None
        return found
=======
            pass
        except (zlib.error, ValueError, OSError):  # damaged; git may have a packed copy
            try:
                yield from repository.git().blobs([one])
            except GitFailed:
                yield None
            continue
        try:
            yield read(one)[1]
        except (KeyError, pygit2.GitError, ValueError):
            yield None
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)
