"""Write commits through `git fast-import`, which a short command uses instead of loading pygit2.

git itself builds the trees on the tip, and `git update-ref` moves the branch, in a transaction that is
open while the index gets its entries. The stream only ever names our own paths; fast-import would put a
folder in the place of a file without a word, so it is asked first what stands where our folders go.
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.errors import GitFailed, StorageFailed, TipMoved
from ledger.git import commit_record as record
from ledger.git.git_objects import move_references
from ledger.git.repository import Repository, read_reference


class FastImport:
    """Writes commits to one repository.

    Args:
        repository: where it is.
    """

    def __init__(self, repository: Repository) -> None:
        self._where = repository
        self._git = repository.git()

    def commit(
        self,
        wanted: record.Commit,
        show: Callable[[record.Move], None] = record.at_once,
        sign: Callable[[str], str] = record.as_made,
    ) -> str:
        """Make a commit and move the branch to it; return its id.

        `show` is called once nothing is known to be in the way, with what moves the branch; `sign`
        gives the signed commit for one that is not.

        Raises:
            TipMoved: the branch is no longer at `wanted.expected`.
            ReferenceLocked: the branch's lock file is there.
            StorageFailed: an object did not reach the disk.
        """
        if read_reference(self._where, wanted.reference) != wanted.expected:
            raise TipMoved(wanted.reference)
        made, who = sign(self._make(wanted)), wanted.identity
        why = wanted.message.split("\n")[0]

        def move(within: record.Within) -> bool:
            moves = [(name, to or made) for name, to in ((wanted.reference, ""), *wanted.along)]
            return move_references(self._git, moves, wanted.expected, why, within, who.committing)

        show(move)
        return made

    def _make(self, wanted: record.Commit) -> str:
        """Write the objects of a commit; return its id."""
        folders = _folders(wanted) if wanted.parent else []
        blocked: list[str] = []

        def answer(said: bytes) -> bytes | None:
            rows = said.split(b"\n")
            if len(rows) <= len(folders):
                return None
            for folder, row in zip(folders, rows, strict=False):
                if not row.startswith((b"040000 tree ", b"missing ")):
                    blocked.append(folder)
            return b"done\n" if blocked else _stream(wanted)

        asked = "".join(f"ls {wanted.parent} {_quoted(folder)}\n" for folder in folders).encode()
        status, out, err = self._git.call(
            "fast-import", "--quiet", "--done", "--date-format=raw",
            data=asked or _stream(wanted), answer=answer if asked else None,
        )  # fmt: skip
        if blocked:
            raise record.in_the_way(blocked[0])
        if status:
            failure = self._git.failure("fast-import", status, err)
            if not isinstance(failure, GitFailed):
                raise failure
            said = err.decode("utf-8", "replace").strip().split("\n")[0]
            raise StorageFailed(
                f"git could not store the commit: {said or status}",
                hint="the log is saved; check the disk and its free space",
            )
        return out.decode("utf-8", "replace").strip().split("\n")[-1]


def _folders(wanted: record.Commit) -> list[str]:
    """List the folders that a commit's files lie in, those above first."""
    found: set[str] = set()
    for path, _ in wanted.files:
        while "/" in path:
            path = path[: path.rindex("/")]
            found.add(path)
    return sorted(found)


def _stream(wanted: record.Commit) -> bytes:
    """Write a commit as fast-import reads it."""
    message = wanted.message.replace("\0", "").encode("utf-8", "replace") + b"\n"
    author, committer = wanted.identity.lines(wanted.seconds)
    people = f"author {author}\ncommitter {committer}\n"
    parts = [
        f"commit {wanted.reference}\nmark :1\n{people}".encode("utf-8", "replace"),
        b"data %d\n%s" % (len(message), message),
    ]
    if wanted.parent:
        parts.append(f"from {wanted.parent}\n".encode())
    for path, data in wanted.files:
        if data is None:
            parts.append(f"D {_quoted(path)}\n".encode())
            continue
        parts.append(f"M 100644 inline {_quoted(path)}\ndata {len(data)}\n".encode())
        parts += [data, b"\n"]
    # the answer to get-mark is the new commit's id, on standard output; behind a reset no branch moves
    parts.append(b"get-mark :1\nreset %s\n\ndone\n" % wanted.reference.encode())
    return b"".join(parts)


def _quoted(path: str) -> str:
    """Quote a path the way fast-import reads it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
