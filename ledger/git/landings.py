"""Find by which commit the work of a log came into a branch: as itself, picked, rebased or squashed.

Rules, in this order: *ancestor*, the point is in the branch; *named*, a message there names it, or merges
its branch; *patch*, commits there have the patches of half of its changed lines; *squash*, one commit has
the patch of the branch. A landing that was reverted is none, as long as the revert stands (B8).

Two patches are the same when `git patch-id --stable` says so: line numbers and white space do not count.
"""

from __future__ import annotations

import re
from codecs import escape_decode
from collections.abc import Container, Iterable, Iterator
from hashlib import sha1

from ledger.environment import monotonic
from ledger.git.ancestry import merged_branches
from ledger.git.cli import Git
from ledger.model.record import Record

ANCESTOR, NAMED, PATCH, SQUASH = "ancestor", "named", "patch", "squash"
#: Limits for one point: seconds, commits of the branch that are compared, commits of its own.
SECONDS, LINE, OWN = 2.0, 2000, 30
#: How many commits behind HEAD are looked at; how long reading them may take, and how much is read.
COMMITS, _SECONDS, _BYTES = 10_000, 10.0, 32 << 20
#: How much text of patches is read at once.
PATCH_BYTES = 5 << 20
_HALF = 0.5
#: What `git cherry-pick -x` and `git merge --squash` write.
_NAMED = re.compile(r"(?:cherry[- ]picked from commit |^commit )([0-9a-f]{40})\b", re.MULTILINE)
_SQUASHED = "Squashed commit"
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
#: Whatever the user's settings say, a patch has one form; a whole object id tells what a binary file is.
_FORM = (
    "-p -U3 --no-renames --no-ext-diff --no-textconv --no-color --full-index --diff-algorithm=myers "
    "--src-prefix=a/ --dst-prefix=b/ --submodule=short"
).split()
#: Nothing is fetched because a patch was asked for: where files are missing there is no answer.
_QUIET = {"GIT_NO_LAZY_FETCH": "1"}
_TREES = re.compile(rb"\n(?:[0-9a-f]{40} [0-9a-f]{40})(?=\n|$)")


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
    how: str  #: the rule that saw it
    reverted: str = ""  #: the commit that took it back, "" for none


class Told(Record):
    """One commit and its message."""

    commit: str
    parents: tuple[str, ...]
    seconds: int  #: when it was committed, since 1970
    message: str

    def names(self) -> frozenset[str]:
        """Return the commits that it says it brings."""
        squash = _SQUASHED in self.message
        found = [(said[0][:7], said[1]) for said in _NAMED.finditer(self.message)]
        return frozenset([commit for word, commit in found if squash or word != "commit "])


class History:
    """What led to one commit, as far as `COMMITS` go.

    Args:
        told: its commits, newest first.
        head: the commit.
    """

    def __init__(self, told: Iterable[Told], head: str) -> None:
        self.head = head
        self.told: dict[str, Told] = {one.commit: one for one in told}
        line: dict[str, None] = {}
        at = head
        while at in self.told and at not in line:
            line[at] = None
            at = (self.told[at].parents or ("",))[0]
        self.line = line  #: its first-parent line, newest first
        self._dead: dict[str, str] = {}
        self._back: dict[str, str] = {}
        for one in self.told.values():  # no commit comes before what it reverts
            dead = self._dead.get(one.commit, "")
            for found in _REVERTS.finditer(one.message):
                (self._back if dead else self._dead).setdefault(found[1], dead or one.commit)
        self._brought: dict[str, str] = {}

    def behind(self, fork: str) -> list[Told]:
        """Return what HEAD has and an ancestor of it has not, newest first."""
        known = {fork, *self._reached(fork, set())}
        return [one for commit, one in self.told.items() if commit not in known]

    def reverted(self, commit: str) -> str:
        """Return the commit that took back what a commit brought, "" where that stands.

        A revert that was itself reverted takes nothing back. What a merge brought goes with the merge.
        """
        return self._dead.get(commit, "") or self._dead.get(self._bringer(commit), "")

    def standing(self, commit: str) -> str:
        """Return the commit since which there is what one brought: itself, or a revert of a revert."""
        return self._back.get(commit, "") or self._back.get(self._bringer(commit), "") or commit

    def _bringer(self, commit: str) -> str:
        """Return the commit of the first-parent line that brought a commit; itself where it is there."""
        if not self._brought:
            for one in reversed(self.line):  # oldest first: whoever has it first brought it
                self._brought |= dict.fromkeys(self._reached(one, self._brought), one)
        return self._brought.get(commit, commit)

    def _reached(self, commit: str, known: Container[str]) -> set[str]:
        """Return a commit and its ancestors, as far as others are not known."""
        found, ask = set[str](), [commit]
        while ask:
            at = ask.pop()
            if at in self.told and at not in known and at not in found:
                found.add(at)
                ask.extend(self.told[at].parents)
        return found


def history(git: Git, head: str) -> History:
    """Read the messages of a commit and its ancestors."""
    form = ("-z", "--no-show-signature", "--no-notes", "--format=%H%n%P%n%ct%n%B")
    running = git.start("log", *form, f"-n{COMMITS}", head, more={})
    try:
        out = running.finish(seconds=_SECONDS, most=_BYTES)[1]
    except TimeoutError:
        out = b""  # nothing is known of it, so nothing is found
    rows = [part.split("\n", 3) for part in out.decode("utf-8", "replace").split("\0")]
    rows = [row for row in rows if len(row) > 3 and row[2].isdigit()]
    return History([Told(row[0], tuple(row[1].split()), int(row[2]), row[3]) for row in rows], head)


class Patch(Record):
    """What a commit, or a run of commits, changes."""

    commit: str  #: the last of them
    paths: frozenset[bytes]  #: the files that it changes
    lines: int  #: how many it takes away and adds, at least 1
    id: bytes  #: what equal patches share


def search(git: Git, work: Work, history: History, *, asked: str = "") -> Landing | None:
    """Return by which commit some work came into the head of a history, None where it did not.

    `asked` is an older head for which the answer was no: only what came since is looked at.
    """
    one = Search(git, work, history, asked)
    first: Landing | None = None
    try:
        for commit, how in one.found():
            by = history.reverted(commit)
            if not by:
                return Landing(history.standing(commit), how)
            first = first or Landing(commit, how, by)
    except TimeoutError:
        pass
    return first or (Landing("", "") if one.cut else None)


class Search:
    """Looks for one point; each rule yields commits, the likeliest first.

    Args:
        git: runs in the repository.
        work: what is looked for.
        history: of the head.
        asked: an older head that has it not.
        seconds: that it may take.
    """

    def __init__(
        self, git: Git, work: Work, history: History, asked: str = "", seconds: float = SECONDS
    ) -> None:
        self._git, self._work, self._history, self._asked = git, work, history, asked
        self._until = monotonic() + seconds
        self.cut = False  #: something was left out, so that "not found" is no answer for good

    def found(self) -> Iterator[tuple[str, str]]:
        """Yield (commit, how) for each landing that a rule sees.

        Raises:
            TimeoutError: the limits are reached.
        """
        point, head, since = self._work.point, self._history.head, self._work.ended
        made = self._git.text("log", "-1", "--format=%ct", point, check=False).strip()
        if not made:
            told = [one for one in self._history.told.values() if one.seconds >= since]
            yield from self._named(told, since, frozenset(), [])
            return
        fork = self._git.text("merge-base", point, head, check=False).strip()
        if fork == point:
            yield point, ANCESTOR  # what follows is asked where that was reverted
        told = self._history.behind(self._asked or fork) if fork else []
        own, behind = self._own(fork) if told else ([], "")
        sums = [one for one in self._sums(fork, behind) if one.paths] if own else []
        if not sums:
            return
        yield from self._named(told, min(since, int(made)), sums[0].paths, own)
        base = self._asked or fork
        paths = frozenset[bytes]().union(*[one.paths for one in (*sums, *own)])
        line = self.patches("--no-merges", f"-n{LINE}", head, f"^{base}", paths=paths)
        yield from self._picked(own, {one.id: one.commit for one in reversed(line)})
        wanted = {one.id for one in sums}
        yield from [(one.commit, SQUASH) for one in line if one.id in wanted]

    def _own(self, fork: str) -> tuple[list[Patch], str]:
        """Return the commits of this log alone, newest first, and the one behind which they begin.

        "" for the fork, where nothing on the way to it is known.
        """
        point, here = self._work.point, fork == self._work.point
        without = () if here else (f"^{self._history.head}",)
        said = self._git.run("rev-list", f"-n{OWN + 1}", point, *without).decode().split()
        at = next((at for at, one in enumerate(said) if at and one in self._work.known), 0)
        at = at or (here and 1)
        own = self.patches("--no-walk=unsorted", "--no-merges", *said[: at or OWN])
        return [one for one in own if one.paths], "".join(said[at : at + 1]) if at else ""

    def _sums(self, fork: str, behind: str) -> list[Patch]:
        """Return all that the branch changed, up to the point and to each commit behind it."""
        point, tip = self._work.point, self._work.tip
        rows = []
        if tip and tip != point and self._git.resolve(f"{tip}^{{commit}}")[0]:
            asked = ("--first-parent", "--parents", f"-n{OWN}", tip, f"^{point}")
            said = self._ask("rev-list", *asked).decode().split("\n")
            rows = [row.split() for row in said if row]
        merged = any(len(row) > 2 for row in rows)  # the trunk came in meanwhile
        pairs = [(start, point) for start in (fork, behind) if start and start != point]
        for commit in [row[0] for row in rows]:
            base = fork
            if merged:
                base = self._git.text("merge-base", commit, self._history.head, check=False).strip()
            pairs += [(one, commit) for one in (base, behind) if one and one != commit]
        return self.between(pairs)

    def _named(
        self, told: Iterable[Told], since: int, paths: frozenset[bytes], own: list[Patch]
    ) -> Iterator[tuple[str, str]]:
        """Look for messages that name the point, or merge its branch with half of its files."""
        point, branch = self._work.point, self._work.branch
        for one in told:
            if point in one.message and point in one.names():
                if not own or _share(own, one.names()) >= _HALF:
                    yield one.commit, NAMED
            elif branch in merged_branches(one.message) and one.seconds >= since:
                if one.commit in self._history.line and self._touches(one, paths):
                    yield one.commit, NAMED

    def _touches(self, one: Told, paths: frozenset[bytes]) -> bool:
        if len(one.parents) < 2 or not paths:
            return True
        (brought,) = self.between([(one.parents[0], one.commit)]) or (None,)
        return brought is not None and len(paths & brought.paths) >= _HALF * len(paths)

    def _picked(self, own: list[Patch], there: dict[bytes, str]) -> Iterator[tuple[str, str]]:
        """Look for the log's commits as others have them, by patch; for the newest too."""
        taken = {one.commit: there[one.id] for one in own if one.id in there}
        if own[0].commit not in taken:
            return
        stand = {one: by for one, by in taken.items() if not self._history.reverted(by)}
        order = {commit: at for at, commit in enumerate(self._history.told)}
        for some in (stand, taken):
            if _share(own, some) >= _HALF:
                yield min(some.values(), key=lambda commit: order.get(commit, 0)), PATCH

    def _ask(self, *arguments: str, data: bytes = b"") -> bytes:
        """Return what a git command prints, as far as there is time for it, and room.

        Raises:
            TimeoutError: the time is up.
            GitFailed: it failed: objects are not here, perhaps.
        """
        self.cut, cut = True, self.cut
        if self._until <= (now := monotonic()):
            raise TimeoutError
        running = self._git.start(*arguments, more=_QUIET)
        status, out, err = running.finish(data, seconds=self._until - now, most=PATCH_BYTES)
        if status:
            raise self._git.failure(arguments[0], status, err)
        if len(out) >= PATCH_BYTES:
            return out[: out.rfind(b"\n\x01") + 1]  # the last may not be whole
        self.cut = cut
        return out

    def patches(self, *arguments: str, paths: Iterable[bytes] = ()) -> list[Patch]:
        """Return the patches of the commits that `git log` lists with these arguments, newest first."""
        specs = [f":(top,literal){path.decode('utf-8', 'surrogateescape')}" for path in paths]
        form = ("--no-show-signature", "--no-notes", "--format=%x01%H", *_FORM)
        out = self._ask("log", *form, *arguments, "--", *specs)
        # no line of a patch begins as the line of a commit does
        parts = (b"\n" + out).split(b"\n\x01")[1:]
        return [_patch(part[:40].decode(), part[40:]) for part in parts]

    def between(self, pairs: list[tuple[str, str]]) -> list[Patch]:
        """Return what lies between two commits each, (from, to), as one patch; in their order."""
        trees = self._git.resolve(*[f"{one}^{{tree}}" for pair in pairs for one in pair])
        if "" in trees or not trees:
            return []
        rows = zip(trees[::2], trees[1::2], strict=True)
        asked = "".join([f"{old} {new}\n" for old, new in rows])
        said = self._ask("diff-tree", "--stdin", "-r", *_FORM, data=asked.encode())
        parts = _TREES.split(b"\n" + said)[1:]
        return [_patch(to, b"\n" + part) for (_, to), part in zip(pairs, parts, strict=False)]


def _share(own: list[Patch], some: Container[str]) -> float:
    """Return which part of the lines that commits changed is of some of them."""
    total = sum([one.lines for one in own])
    return sum([one.lines for one in own if one.commit in some]) / total if total else 0.0


def _patch(commit: str, text: bytes) -> Patch:
    files, count = list[tuple[bytes, list[bytes]]](), 0
    for block in text.split(b"\ndiff --git ")[1:]:
        names, _, rest = block.partition(b"\n")
        head, _, body = rest.partition(b"\n@@ ")
        half = len(names) // 2  # without renames both are the same, but for `a/` and `b/`
        path = escape_decode(names[3 : half - 1])[0] if names[:1] == b'"' else names[2:half]
        lines = [line for line in head.split(b"\n") if line[:6] in (b"index ", b"new mo")]
        if body:
            lines = [line for line in body.split(b"\n")[1:] if line[:1] in (b"+", b"-", b" ")]
        count += sum([line[:1] != b" " for line in lines])
        files.append((path, [line[:1] + b"".join(line[1:].split()) for line in lines]))
    digest = sha1(repr(files).encode(), usedforsecurity=False).digest()
    return Patch(commit, frozenset([path for path, _ in files]), max(count, 1), digest)


#: Under the common git directory.
ASKED_FILE = "diurna/unlanded"


class Asked:
    """Which heads have not which work. It is a cache: without it more is looked through.

    Args:
        text: of the file: a point, the tip of its branch (`-` for none), and heads.
    """

    def __init__(self, text: str) -> None:
        self._old, rows = text, [line.split(" ") for line in text.split("\n")]
        self._heads = {(row[0], row[1]): row[2:] for row in rows if len(row) > 2}
        self._new: dict[tuple[str, str], list[str]] = {}

    def before(self, work: Work, history: History) -> str:
        """Return a head, this one or one before it, that has not some work; "" where none is known."""
        heads = self._heads.get((work.point, work.tip or "-"), ())
        here = history.head
        return here if here in heads else next((one for one in heads if one in history.told), "")

    def note(self, work: Work, head: str) -> None:
        """Note that a head has not some work."""
        self._new.setdefault((work.point, work.tip or "-"), []).append(head)

    def text(self) -> str | None:
        """Return what is to be in the file, None where it is as it was."""
        rows = {**self._heads, **self._new}
        text = "".join([" ".join((*key, *heads)) + "\n" for key, heads in rows.items()])
        return None if text == self._old else text
