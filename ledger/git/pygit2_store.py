"""Read objects with pygit2, many at a time; the only module that imports it.

libgit2 1.9 never comes back from a loose object that was cut short, so those are read here without it.
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


class Store:
    """Objects of one repository.

    Args:
        repository: where it is.
    """

    def __init__(self, repository: Repository) -> None:
        self._where = repository
        try:
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
                continue
        return found

    def _read_loose(self, one: str) -> bytes | None:
        """Read a loose object without libgit2, which never comes back from one that was cut short."""
        try:
            with open(f"{self._objects}/{one[:2]}/{one[2:]}", "rb") as file:
                data = zlib.decompress(file.read())
            return data[data.index(b"\0") + 1 :]
        except FileNotFoundError:  # packed meanwhile
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
