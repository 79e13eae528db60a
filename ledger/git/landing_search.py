"""Find by which commit the work of a log came into a branch: as itself, picked, squashed, or alike.

Rules, in this order: *ancestor*, the point is in the branch; *named*, a message there names it, or merges
its branch; *patch*, commits there have the patches of half of its changed lines; *squash*, one commit has
the patch of the branch; *forge*, one has its title and half of its paths; *content*, one has four fifths
of its lines. A landing that was reverted is none, as long as the revert stands (B8).

Heads that have not the work of a point are kept (`Asked`) and not asked again.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from ledger.git.ancestry import merged_branches
from ledger.git.cli import Git
from ledger.git.landing_evidence import (
    Budget,
    History,
    Lines,
    Patch,
    Told,
    between,
    patches_of,
    same_share,
)
from ledger.model.record import Record

ANCESTOR, NAMED, PATCH, SQUASH, FORGE, CONTENT = (
    "ancestor", "named", "patch", "squash", "forge", "content",
)  # fmt: skip
#: How work is known to have come into a branch, in the order in which it is looked for.
HOWS = (ANCESTOR, NAMED, PATCH, SQUASH, FORGE, CONTENT)
#: Limits for one point.
SECONDS, LINE, OWN = 2.0, 2000, 30
#: Which part of the lines has to be there: of work of some size, and of a few lines.
_MOST, _NEARLY_ALL, _FEW, _TOO_FEW = 0.8, 0.95, 8, 3
_HALF = 0.5


class Work(Record):
    """Where the work of one log is, as far as it is known."""

    point: str  #: the commit that holds it
    branch: str = ""  #: that it was done on
    ended: int = 0  #: seconds since 1970
    tip: str = ""  #: the newest known commit of the branch
    #: where work of others may end on the way to the point: points of other logs, tips of other branches
    known: frozenset[str] = frozenset()


class Landing(Record):
    """How the work of a log came into a branch, or left it again."""

    commit: str  #: that brought it, or brought it back; "" where none was found within the limits
    how: str  #: one of `HOWS`
    reverted: str = ""  #: the commit that took it back, "" for none


def search(git: Git, work: Work, history: History, *, asked: str = "") -> Landing | None:
    """Return by which commit some work came into the head of a history, None where it did not.

    `asked` is an older head for which the answer was no: only what came since is looked at.
    """
    one = _Search(git, work, history, asked)
    first: Landing | None = None
    try:
        for commit, how in one.found():
            by = history.reverted(commit)
            if not by:
                return Landing(history.standing(commit), how)
            first = first or Landing(commit, how, by)
    except TimeoutError:
        pass
    return first or (Landing("", "") if one.budget.cut else None)


class _Search:
    """Looks for one point; each rule yields commits, the likeliest first.

    Args:
        git: runs in the repository.
        work: what is looked for.
        history: of the head.
        asked: an older head that has it not.
    """

    def __init__(self, git: Git, work: Work, history: History, asked: str) -> None:
        self._git, self._work, self._history, self._asked = git, work, history, asked
        self.budget = Budget(SECONDS)
        self._since = work.ended
        self._told: list[Told] = []
        self._line = self._every = list[Patch]()

    def found(self) -> Iterator[tuple[str, str]]:
        """Yield (commit, how) for each landing that a rule sees.

        Raises:
            TimeoutError: the limits are reached.
        """
        point, head = self._work.point, self._history.head
        said = self._git.run("log", "-1", "--format=%ct %s", point, check=False)
        seconds, _, subject = said.decode("utf-8", "replace").strip().partition(" ")
        if not seconds:
            self._told = [one for one in self._history.told.values() if one.seconds >= self._since]
            yield from self._named(frozenset(), [])
            return
        self._since = min(self._since, int(seconds))
        fork = self._git.run("merge-base", point, head, check=False).decode().strip()
        if fork == point:
            yield point, ANCESTOR  # what follows is asked where that was reverted
        self._told = self._history.behind(self._asked or fork) if fork else []
        own, behind = self._own(fork) if self._told else ([], "")
        if not own:
            return
        starts = [fork, behind] if fork != point else [behind]
        pairs = [(start, point) for start in starts if start]
        wholes = [one for one in between(self._git, self.budget, pairs) if one.files]
        if wholes:
            yield from self._named(wholes[0].paths, own)
            sums = [*wholes, *self._sums(fork, behind)]
            self._compare(frozenset().union(*[one.paths for one in (*sums, *own)]), fork)
            yield from self._patch(own)
            wanted = {one.id() for one in sums if one.files}
            yield from [
                (one.commit, SQUASH) for one in self._line if one.files and one.id() in wanted
            ]
            yield from self._forge(subject, wholes[0].paths)
            yield from self._content(wholes, own[0].lines())

    def _own(self, fork: str) -> tuple[list[Patch], str]:
        """Return the commits of this log alone, newest first, and the one behind which they begin.

        "" for the fork, where nothing on the way to it is known.
        """
        point, here = self._work.point, fork == self._work.point
        without = () if here else (f"^{self._history.head}",)
        said = self._git.run("rev-list", f"-n{OWN + 1}", point, *without).decode().split()
        at = next((at for at, one in enumerate(said) if at and one in self._work.known), 0)
        behind = said[at] if at else ""
        if here and not at:
            at, behind = 1, said[1] if len(said) > 1 else ""
        own = said[: at or OWN]
        return patches_of(self._git, self.budget, "--no-walk=unsorted", "--no-merges", *own), behind

    def _named(self, paths: frozenset[bytes], own: list[Patch]) -> Iterator[tuple[str, str]]:
        """Look for messages that name the point, or a merge of its branch."""
        point, branch = self._work.point, self._work.branch
        for one in self._told:
            named = point in one.message and point in one.names
            if named and (not own or _share(own, one.names) >= _HALF):
                yield one.commit, NAMED
            elif branch in merged_branches(one.message) and one.seconds >= self._since:
                if one.commit in self._history.line and self._touches(one, paths):
                    yield one.commit, NAMED

    def _touches(self, one: Told, paths: frozenset[bytes]) -> bool:
        """Tell whether a merge changed at least half of some files."""
        if len(one.parents) < 2 or not paths:
            return True
        brought = between(self._git, self.budget, [(one.parents[0], one.commit)])
        return bool(brought) and _overlap(paths, brought[0]) >= _HALF

    def _sums(self, fork: str, behind: str) -> list[Patch]:
        """Return all that the branch changed, up to its tip and to each commit down to the point."""
        point, tip = self._work.point, self._work.tip
        if not tip or tip == point or not self._git.resolve(f"{tip}^{{commit}}")[0]:
            return []
        asked = ("--first-parent", "--parents", f"-n{OWN}", tip, f"^{point}")
        said = self.budget.ask(self._git, "rev-list", *asked).decode()
        rows = [row.split() for row in said.split("\n") if row]
        merged = any(len(row) > 2 for row in rows)
        pairs = []
        for commit in [row[0] for row in rows]:
            base = fork
            if merged:  # the trunk came in meanwhile
                base = self._git.text("merge-base", commit, self._history.head, check=False).strip()
            pairs += [(one, commit) for one in (base, behind) if one and one != commit]
        return between(self._git, self.budget, pairs)

    def _compare(self, paths: frozenset[bytes], fork: str) -> None:
        """Read what came into the branch, of the files of the work alone."""
        head = self._history.head
        asked = (f"-n{LINE}", head, f"^{self._asked or fork}")
        self._line = patches_of(self._git, self.budget, "--first-parent", "-m", *asked, paths=paths)
        self._every = self._line
        if any(len(one.parents) > 1 for one in self._told):
            self._every = self._line + patches_of(
                self._git, self.budget, "--no-merges", *asked, paths=paths
            )

    def _patch(self, own: list[Patch]) -> Iterator[tuple[str, str]]:
        """Look for the log's commits, each as it is or with nearly all of its lines; the newest too."""
        ids = {patch.id(): patch.commit for patch in reversed(self._every) if patch.files}
        taken = {one.commit: ids.get(one.id()) or self._alike(one) for one in own if one.files}
        taken = {one: by for one, by in taken.items() if by}
        if own[0].commit not in taken:
            return
        stand = {one: by for one, by in taken.items() if not self._history.reverted(by)}
        order = {commit: at for at, commit in enumerate(self._history.told)}
        for some in (stand, taken):
            if _share(own, some) >= _HALF:
                yield min(some.values(), key=lambda commit: order.get(commit, 0)), PATCH

    def _alike(self, one: Patch) -> str:
        """Return a commit with nearly all lines of another one, "" for none."""
        lines, paths = one.lines(), one.paths
        for patch in self._every:
            if not paths.isdisjoint(patch.files) and _has(patch.lines(), lines):
                return patch.commit
        return ""

    def _forge(self, subject: str, paths: frozenset[bytes]) -> Iterator[tuple[str, str]]:
        """Look for the title that a forge gives to a squashed branch."""
        for one in self._line:
            told = self._history.told.get(one.commit)
            if told and told.tells(subject) and _overlap(paths, one) >= _HALF:
                yield one.commit, FORGE

    def _content(self, wholes: list[Patch], newest: Lines) -> Iterator[tuple[str, str]]:
        """Look for one commit with nearly all lines of the work, those of its newest commit too."""
        wanted = [one.lines() for one in wholes]
        for one in self._line:
            told = self._history.told.get(one.commit)
            if told is not None and told.seconds >= self._since:
                there = one.lines()
                if any(
                    some.total() >= _TOO_FEW and _has(there, some) and _has(there, newest & some)
                    for some in wanted
                ):
                    yield one.commit, CONTENT


def _share(own: list[Patch], some: Container[str]) -> float:
    """Return which part of the lines that commits changed is of some of them."""
    sizes = {one.commit: one.lines().total() or 1 for one in own if one.files}
    taken = sum(size for commit, size in sizes.items() if commit in some)
    return taken / sum(sizes.values()) if sizes else 0.0


def _overlap(paths: frozenset[bytes], patch: Patch) -> float:
    return len(paths & patch.paths) / len(paths) if paths else 0.0


def _has(there: Lines, wanted: Lines) -> bool:
    """Tell whether a commit has nearly all of some changed lines; of nothing there is no saying."""
    return same_share(wanted, there) >= (_MOST if wanted.total() >= _FEW else _NEARLY_ALL)


#: Under the common git directory.
ASKED_FILE = "diurna/unlanded"
#: How many heads of one point are kept.
_HEADS = 4


class Asked:
    """What was asked before.

    It is a cache: without it more is looked through.

    Args:
        text: of the file: a point, the tip of its branch (`-` for none), and heads, the last first.
        git: runs in the repository.
    """

    def __init__(self, text: str, git: Git) -> None:
        self._git, self._old = git, text
        rows = [line.split(" ") for line in text.split("\n")]
        self._heads = {(row[0], row[1]): row[2:] for row in rows if len(row) > 2}
        self._behind: dict[tuple[str, str], bool] = {}

    def before(self, work: Work, head: str) -> str:
        """Return the nearest head before one that has not some work, "" where none is known."""
        heads = self._heads.get(_key(work), ())
        if head in heads:
            return head
        return next((one for one in heads if self._leads(one, head)), "")

    def note(self, work: Work, head: str) -> None:
        """Note that a head has not some work."""
        heads = self._heads.get(_key(work), ())
        rest = [one for one in heads if one != head and not self._leads(one, head)]
        self._heads[_key(work)] = [head, *rest][:_HEADS]

    def text(self) -> str | None:
        """Return what is to be in the file, None where it is as it was."""
        lines = [" ".join((*key, *heads)) + "\n" for key, heads in self._heads.items()]
        return None if "".join(lines) == self._old else "".join(lines)

    def _leads(self, old: str, new: str) -> bool:
        """Tell whether a head is an ancestor of another one."""
        if (old, new) not in self._behind:
            self._behind[old, new] = self._git.holds(new, old)
        return self._behind[old, new]


def _key(work: Work) -> tuple[str, str]:
    return work.point, work.tip or "-"
