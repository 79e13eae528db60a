"""Ask git which commits wrote the lines of a file, and how commits lie to each other.

Every answer is of the history that this clone has: where it is cut, that is said.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.git.cli import Git
from ledger.model.record import Record

#: A commit as git lists it: the parents, the times of author and committer, the author, the message.
_FORMAT = "%x01%H%x00%P%x00%at%x00%ct%x00%an%x00%B"
#: What git says where the list of commits to be passed over, which the settings name, is not right.
_BAD_LIST = (b"object name list", b"invalid object name")


class Written(Record):
    """The lines of a file that one commit wrote."""

    commit: str  #: its whole id, "" for what is not committed yet
    lines: tuple[int, ...]  #: their numbers, from 1
    first: bytes  #: the first of them, as it is now


class CodeCommit(Record):
    """A commit of the code."""

    id: str
    parents: tuple[str, ...]
    written: int  #: by its author: seconds since 1970
    made: int  #: by whoever committed it
    author: str
    message: str

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        """The rest of its message."""
        return self.message.partition("\n")[2].strip()


def blame(git: Git, path: str, line: int = 0, commit: str = "") -> tuple[Written, ...] | None:
    """Return who wrote a file, those of most lines first; None where git has no such file or line.

    White space and moves within the file's commits count for nothing, and neither do the commits that
    `blame.ignoreRevsFile` names.

    Args:
        git: runs in the repository.
        path: of the file, from the top.
        line: the only one that is asked for, 0 for all.
        commit: whose file is meant, "" for that of the work tree.
    """
    asked = ["blame", "-w", "-C", "--no-textconv", "--porcelain"]
    asked += [f"-L{line},{line}"] * bool(line) + [commit] * bool(commit)
    asked += ["--", path]
    options = () if commit else git.unfiltered()
    status, out, err = git.call(*options, *asked)
    if status and any(words in err for words in _BAD_LIST):
        status, out, err = git.call(*options, asked[0], "--no-ignore-revs-file", *asked[1:])
    if status:
        return None
    lines: dict[str, list[int]] = {}
    first: dict[str, bytes] = {}
    by, number = "", 0
    for row in out.split(b"\n"):
        words = row.split(b" ")
        if row[:1] == b"\t":
            lines.setdefault(by, []).append(number)
            first.setdefault(by, row[1:])
        elif len(words) > 2 and len(words[0]) in (40, 64) and words[2].isdigit():
            by, number = words[0].decode("ascii"), int(words[2])
            by = by.strip("0") and by
    found = [Written(one, tuple(some), first[one]) for one, some in lines.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.lines), one.lines)))


def commits_of(git: Git, ids: Iterable[str]) -> dict[str, CodeCommit]:
    """Return commits by their whole ids."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    asked = ("--no-walk=unsorted", "--encoding=UTF-8", f"--format={_FORMAT}", *wanted)
    out = git.run("log", *asked, "--")
    found = {}
    for part in out.decode("utf-8", "replace").split("\x01")[1:]:
        one, parents, written, made, author, message = part.split("\0", 5)
        found[one] = CodeCommit(
            one, tuple(parents.split()), int(written or 0), int(made or 0), author, message.strip()
        )
    return found


def commit_named(git: Git, said: str) -> str:
    """Return the whole id of the commit that a revision names, "" where it names none or several."""
    return git.resolve(f"{said}^{{commit}}")[0]
