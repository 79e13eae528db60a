"""Read what the messages of a history say of other commits: picked, squashed, merged, reverted."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_MERGES = (
    re.compile(r"^Merge pull request #\d+ from [^\s/]+/(\S+)"),
    re.compile(r"^Merged? (?:remote-tracking )?branch '([^']+)'"),
    re.compile(r"^Merged in (\S+) \(pull request #\d+\)"),
)
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

    @property
    def merged(self) -> str:
        """The branch that it says it merges, "" for none."""
        return next((found[1] for form in _MERGES if (found := form.match(self.message))), "")

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
