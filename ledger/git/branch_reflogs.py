"""Tell where branches are and were: by references, and by git's own notes of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ledger.environment import last_bytes
from ledger.git.cli import Git
from ledger.git.landings import Work
from ledger.git.repository import Repository, branch_there
from ledger.model.ids import is_object
from ledger.model.record import Record

#: How many commits of a branch are looked at for the one that took what was not committed yet.
_DEEP = 500


class Written(Record):
    """What the header of a log says of where it was written."""

    stem: str
    commit: str  #: the whole id of HEAD
    branch: str  #: that was checked out
    ended: int  #: milliseconds since 1970
    dirty: bool  #: tracked files differed from it


class Seen(Record):
    """Where a branch was, some day."""

    branch: str
    commit: str
    when: int  #: milliseconds since 1970


class Points:
    """Answers which commits hold the work of logs.

    Args:
        git: runs in the repository.
        seen: where branches were, and are.
        trunk: the branch that work comes together on, "" where nobody knows.
    """

    def __init__(self, git: Git, seen: Iterable[Seen], trunk: str) -> None:
        self._git, self._trunk = git, trunk
        self._seen = sorted(set(seen), key=lambda one: (-one.when, one.branch, one.commit))
        ids = list(dict.fromkeys(one.commit for one in self._seen))
        here = git.resolve(*[f"{one}^{{commit}}" for one in ids]) if ids else []
        there = {one for one, found in zip(ids, here, strict=True) if found}
        self._branches: dict[str, list[Seen]] = {}  # newest first, as far as the commits are here
        for one in self._seen:
            if one.commit in there:
                self._branches.setdefault(one.branch, []).append(one)
        self._marks: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._holding: dict[tuple[str, str], bool] = {}

    def work(self, log: Written, known: frozenset[str] = frozenset()) -> Work | None:
        """Return where the work of a log is; None where no commit has it yet.

        `known` are the points of other logs.
        """
        point = log.commit
        if log.dirty or self._began_here(log):
            point = self._behind(log)
            if not point:
                return None
        tip = next((one for one in self._tips(log.branch) if self._holds(one, point)), "")
        marks = self._marks.get((log.branch, known))
        if marks is None:
            others = [one.commit for one in self._seen if one.branch != log.branch]
            marks = self._marks[log.branch, known] = known.union(others)
        return Work(point, log.branch, log.ended // 1000, tip, marks)

    def _tips(self, branch: str) -> list[str]:
        """Return where a branch was, newest first, as far as its commits are here."""
        return list(dict.fromkeys([one.commit for one in self._branches.get(branch, ())]))

    def _began_here(self, log: Written) -> bool:
        """Tell whether a log was written on a fresh branch: the trunk has its commit, and not its work.

        What the trunk had before is asked, where it was seen then. Else its first-parent line: what came
        by a merge is not on it. A branch that was fast-forwarded is told from a fresh one by what was
        seen of the trunk alone, and by who recorded its landing.
        """
        trunk = self._branches.get(self._trunk, [])
        if not log.branch or log.branch == self._trunk or not trunk:
            return False
        second = log.ended // 1000 * 1000  # git's notes tell no more
        if any(one.when == second and self._holds(one.commit, log.commit) for one in trunk):
            # a fresh branch begins with the commit, any other was seen before it
            tips = self._tips(log.branch)
            return not any(one != log.commit and self._holds(log.commit, one) for one in tips)
        then = next((one for one in trunk if one.when < second), None)
        first = then or trunk[-1]
        if then is not None or not self._holds(first.commit, log.commit):
            return self._holds(first.commit, log.commit)
        asked = ("--first-parent", "--parents", first.commit, f"^{log.commit}")
        rows = self._git.text("rev-list", *asked, check=False).split("\n")[:-1]
        return not rows or rows[-1].split(" ")[1:2] == [log.commit]

    def _behind(self, log: Written) -> str:
        """Return the first commit of a branch that may hold what was not committed when a log ended."""
        for tip in reversed(self._tips(log.branch)):  # what was rewritten later had it first
            if tip != log.commit and self._holds(tip, log.commit):
                form = ("--first-parent", f"-n{_DEEP}", "--format=%H %ct")
                said = self._git.text("log", *form, tip, f"^{log.commit}", check=False)
                rows = [row.partition(" ") for row in reversed(said.split("\n")) if row]
                found = [row[0] for row in rows if int(row[2]) >= log.ended // 1000]
                trunk = self._tips(self._trunk)[:2]
                # behind a rebase the branch's line leads through commits of the trunk
                own = [one for one in found if not any(self._holds(tip, one) for tip in trunk)]
                if found:
                    return (own or found)[0]
        return ""

    def _holds(self, tip: str, commit: str) -> bool:
        """Tell whether a commit is reachable from another one."""
        if (tip, commit) not in self._holding:
            self._holding[tip, commit] = self._git.holds(tip, commit)
        return self._holding[tip, commit]


#: How much of a reflog is read, from its end.
_REFLOG_BYTES = 1 << 20
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_CHECKOUT, _ASIDE = "checkout: moving from ", ("rebase", "pull --rebase")


def now(repository: Repository, ms: int) -> list[Seen]:
    """Return where branches are, here and at remotes, under the names that logs know them by."""
    form = "--format=%(objectname) %(refname) %(symref)"
    found = []
    said = repository.git().text("for-each-ref", form, _HEADS, _REMOTES, check=False)
    for line in said.split("\n"):
        commit, _, rest = line.partition(" ")
        name, _, symbolic = rest.partition(" ")
        if name and not symbolic:
            branch = name.removeprefix(_HEADS)
            if branch == name:
                branch = branch_there(name)
            found.append(Seen(branch, commit, ms))
    return found


def recalled(repository: Repository) -> list[Seen]:
    """Return where git noted that branches were, those too that are deleted, as far as it notes it."""
    found: list[Seen] = []
    folder = f"{repository.commondir}/logs/{_HEADS}"
    for where, _, names in os.walk(folder):
        for name in names:
            path = f"{where}/{name}"
            branch = os.path.relpath(path, folder)
            found += [Seen(branch, commit, when) for _, commit, when, _ in _reflog(path)]
    worktrees = f"{repository.commondir}/worktrees"
    places = os.listdir(worktrees) if os.path.isdir(worktrees) else []
    for gitdir in (repository.commondir, *[f"{worktrees}/{one}" for one in places]):
        found += _of_head(f"{gitdir}/logs/HEAD")
    return found


def _of_head(path: str) -> Iterator[Seen]:
    """Read where branches were while they were checked out."""
    branch = ""
    for old, new, when, what in _reflog(path):
        if what.startswith(_CHECKOUT):
            left, _, branch = what[len(_CHECKOUT) :].rpartition(" to ")
            yield Seen(left, old, when)
        elif what.startswith(_ASIDE):
            continue  # HEAD is detached meanwhile
        if branch:
            yield Seen(branch, new, when)


def _reflog(path: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield (old, new, milliseconds, what was done) of a reflog's last lines, oldest first.

    The file may be missing, or in the making.
    """
    for line in last_bytes(path, _REFLOG_BYTES).decode("utf-8", "surrogateescape").split("\n"):
        head, _, what = line.partition("\t")
        words = head.split(" ")
        if len(words) > 4 and all(map(is_object, words[:2])) and words[-2].isdigit():
            yield words[0], words[1], int(words[-2]) * 1000, what
