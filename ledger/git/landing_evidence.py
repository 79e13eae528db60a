"""Read what tells by which commit work came: what messages say of other commits, and what commits change.

Messages tell of what was picked, squashed, merged and reverted. Patches are values that can be compared,
by file and line: two are the same when `git patch-id --stable` says so: line numbers and white space do
not count.
"""

from __future__ import annotations

import re
from codecs import escape_decode
from collections import Counter
from collections.abc import Iterable
from hashlib import sha1

from ledger.environment import monotonic
from ledger.git.cli import Git
from ledger.model.record import Record

#: How many commits behind HEAD are looked at.
COMMITS = 10_000
#: How long reading them may take, and how much is read of what they say.
_SECONDS, _BYTES = 10.0, 32 << 20
#: What `git cherry-pick -x` and `git merge --squash` write.
_NAMED = re.compile(r"(?:cherry[- ]picked from commit |^commit )([0-9a-f]{40})\b", re.MULTILINE)
_SQUASHED = "Squashed commit"
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_NUMBER = re.compile(r"\s*\((?:#|!)\d+\)\s*$")


class Told(Record):
    """One commit and its message."""

    commit: str
    parents: tuple[str, ...]
    seconds: int  #: when it was committed, since 1970
    message: str

    @property
    def subject(self) -> str:
        """The first line, without the number of a pull request behind it."""
        return _NUMBER.sub("", self.message.partition("\n")[0]).strip()

    @property
    def names(self) -> frozenset[str]:
        """The commits that it says it brings."""
        squash = _SQUASHED in self.message
        return frozenset(
            found[1]
            for found in _NAMED.finditer(self.message)
            if squash or not found[0].startswith("commit ")
        )

    def tells(self, subject: str) -> bool:
        """Tell whether its title, or an item of its body, is the subject of another commit."""
        wanted = _NUMBER.sub("", subject).strip()
        lines = self.message.split("\n")
        listed = (_NUMBER.sub("", line[2:]).strip() for line in lines[1:] if line[:2] == "* ")
        return bool(wanted) and (self.subject == wanted or wanted in listed)


class History:
    """What led to one commit, as far as `COMMITS` go.

    Args:
        told: its commits.
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
        for one in self.told.values():  # no commit comes before what it reverts; newest first
            dead = self._dead.get(one.commit, "")
            for found in _REVERTS.finditer(one.message):
                if dead:
                    self._back.setdefault(found[1], dead)
                else:
                    self._dead.setdefault(found[1], one.commit)
        self._brought: dict[str, str] | None = None

    def behind(self, fork: str) -> list[Told]:
        """Return what HEAD has and an ancestor of it has not, newest first."""
        known, ask = {fork}, [fork]
        while ask:
            one = self.told.get(ask.pop())
            for parent in one.parents if one is not None else ():
                if parent not in known:
                    known.add(parent)
                    ask.append(parent)
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
        if self._brought is None:
            self._brought = {}
            for one in reversed(self.line):  # oldest first: whoever has it first brought it
                ask = [one]
                while ask:
                    at = ask.pop()
                    if at in self.told and at not in self._brought:
                        self._brought[at] = one
                        ask.extend(self.told[at].parents)
        return self._brought.get(commit, commit)


def history(git: Git, head: str) -> History:
    """Read the messages of a commit and its ancestors."""
    form = ("-z", "--no-show-signature", "--no-notes", "--format=%H%n%P%n%ct%n%B")
    running = git.start("log", *form, f"-n{COMMITS}", head, more={})
    try:
        out = running.finish(seconds=_SECONDS, most=_BYTES)[1]
    except TimeoutError:
        out = b""  # nothing is known of it, so nothing is found
    rows = [part.split("\n", 3) for part in out.decode("utf-8", "replace").split("\0")]
    told = [
        Told(row[0], tuple(row[1].split()), int(row[2]), row[3])
        for row in rows
        if len(row) > 3 and row[2].isdigit()
    ]
    return History(told, head)


#: How often a line, with its sign, is changed at a path.
Lines = Counter[tuple[bytes, bytes]]

#: How much text of patches is read at once.
PATCH_BYTES = 5 << 20
#: Whatever the user's settings say, a patch has one form; a whole object id tells what a binary file is.
_FORM = (
    "-p", "-U3", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index",
    "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
)  # fmt: skip
_LOG = ("--no-show-signature", "--no-notes", "--format=%x01%H")
#: Nothing is fetched because a patch was asked for: where files are missing there is no answer.
_QUIET = {"GIT_NO_LAZY_FETCH": "1"}
_COMMIT, _FILE = b"\x01", b"diff --git "
_TREES = re.compile(rb"\n(?:[0-9a-f]{40} [0-9a-f]{40})(?=\n|$)")


class Patch(Record):
    """What a commit, or a run of commits, changes."""

    commit: str  #: the last of them
    #: path -> its lines, each with its sign and without white space; those around a change too
    files: dict[bytes, tuple[bytes, ...]]

    @property
    def paths(self) -> frozenset[bytes]:
        """The files that it changes."""
        return frozenset(self.files)

    def id(self) -> bytes:
        """Return what equal patches share."""
        return sha1(repr(self.files).encode(), usedforsecurity=False).digest()

    def lines(self) -> Lines:
        """Return how often each line was taken away or added, by path; empty ones are not counted."""
        return Counter(
            (path, line)
            for path, lines in self.files.items()
            for line in lines
            if line[:1] in b"+-" and len(line) > 1
        )


class Budget:
    """How much longer the search for one point may take, and whether anything was left out.

    Args:
        seconds: it may take.
    """

    def __init__(self, seconds: float) -> None:
        self._until = monotonic() + seconds
        self.cut = False  #: something was left out, so that "not found" is no answer for good

    def ask(self, git: Git, *arguments: str, data: bytes = b"") -> bytes:
        """Return what a git command prints, as far as there is time for it, and room.

        Raises:
            TimeoutError: the time is up.
            GitFailed: it failed: objects are not here, perhaps.
        """
        left = self._until - monotonic()
        if left <= 0:
            self.cut = True
            raise TimeoutError
        running = git.start(*arguments, more=_QUIET)
        try:
            status, out, err = running.finish(data, seconds=left, most=PATCH_BYTES)
        except TimeoutError:
            self.cut = True
            raise
        if status:
            raise git.failure(arguments[0], status, err)
        if len(out) >= PATCH_BYTES:
            self.cut = True
            return out[: out.rfind(b"\n" + _COMMIT) + 1]  # the last may not be whole
        return out


def patches_of(
    git: Git, budget: Budget, *arguments: str, paths: Iterable[bytes] = ()
) -> list[Patch]:
    """Return the patches of the commits that `git log` lists with these arguments, newest first."""
    specs = [f":(top,literal){path.decode('utf-8', 'surrogateescape')}" for path in paths]
    out = budget.ask(git, "log", *_LOG, *_FORM, *arguments, "--", *specs)
    # no line of a patch begins as the line of a commit does
    parts = (b"\n" + out).split(b"\n" + _COMMIT)[1:]
    return [_patch(part[:40].decode(), part[40:]) for part in parts]


def between(git: Git, budget: Budget, pairs: Iterable[tuple[str, str]]) -> list[Patch]:
    """Return what lies between two commits each, (from, to), as one patch; in their order."""
    pairs = list(pairs)
    trees = git.resolve(*[f"{one}^{{tree}}" for pair in pairs for one in pair])
    if "" in trees or not trees:
        return []
    asked = "".join(f"{old} {new}\n" for old, new in zip(trees[::2], trees[1::2], strict=True))
    said = budget.ask(git, "diff-tree", "--stdin", "-r", *_FORM, data=asked.encode())
    parts = _TREES.split(b"\n" + said)[1:]
    return [_patch(to, b"\n" + part) for (_, to), part in zip(pairs, parts, strict=False)]


def _patch(commit: str, text: bytes) -> Patch:
    return Patch(commit, dict(map(_file, text.split(b"\n" + _FILE)[1:])))


def _file(block: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """Return the path of one file of a patch, and its lines."""
    names, _, rest = block.partition(b"\n")
    head, _, body = rest.partition(b"\n@@ ")
    half = len(names) // 2  # without renames both are the same, but for `a/` and `b/`
    path = escape_decode(names[3 : half - 1])[0] if names[:1] == b'"' else names[2:half]
    if not body:
        kept = [line for line in head.split(b"\n") if line[:6] in (b"index ", b"new mo")]
        return path, tuple(kept)
    lines = [line for line in body.split(b"\n")[1:] if line[:1] in (b"+", b"-", b" ")]
    return path, tuple([line[:1] + b"".join(line[1:].split()) for line in lines])


def same_share(wanted: Lines, there: Lines) -> float:
    """Return which part of some changed lines others have, 0 where there are none."""
    total = wanted.total()
    return (wanted & there).total() / total if total else 0.0
