"""Find the commit that ended a fact: the first on its line where it came true (U2).

A function of the commits, tags and branches of a repository and of what is asked; all facts are asked at
once. A check is another matter: it fails, or not, at the commit that is asked about (U5).
"""

from __future__ import annotations

import operator
import os
import re
from fnmatch import fnmatchcase
from functools import cached_property

from ledger.git.ancestry import BLOB_LIMIT_BYTES, Entry, Mainline, Step, merged_branches
from ledger.model.record import TYPE_CHECKING, Record
from projection.text.until_conditions import (
    FILE,
    GONE,
    HAS,
    LACKS,
    MERGED,
    TAG,
    VERSION,
    Until,
    until_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ledger.git.cli import Git
    from memory.cache.landed_work import EndingFact

_TAGS, _HEADS, _REMOTES = "refs/tags", "refs/heads", "refs/remotes"
_SAID_CHARS = 90
_LINK = "120000"
_COMPARES = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


class End(Record):
    """What ended a fact, or broke its check."""

    commit: str
    seconds: int  #: when that was committed, since 1970
    said: str  #: what came true


def ended_facts(
    git: Git,
    head: str,
    waits: Iterable[EndingFact],
    *,
    branch: str = "",
    seen: Mapping[str, str] | None = None,
) -> dict[EndingFact, End]:
    """Find which facts have ended at a commit, and by which.

    Args:
        git: runs in the repository of the code.
        head: the commit.
        waits: the facts; those that a day ends are passed over.
        branch: that `head` is the tip of, which can not be merged into itself.
        seen: where branches were noted last, by name: what is known of those that are deleted.
    """
    asked = [(wait, until) for wait in waits if (until := until_in(wait.until))]
    return _Looking(Mainline(git, head), head, branch, seen or {}).found(asked)


class _Looking:
    def __init__(self, line: Mainline, head: str, branch: str, seen: Mapping[str, str]) -> None:
        self._line, self._head, self._branch, self._seen = line, head, branch, seen
        self._steps: list[Step] = []
        self._base = ""
        self._births: dict[EndingFact, str] = {}
        self._behind: dict[str, list[Step]] = {}

    def found(self, asked: Sequence[tuple[EndingFact, Until]]) -> dict[EndingFact, End]:
        """Look for all of it."""
        checks = [(wait, until) for wait, until in asked if until.checks]
        trees = [(wait, until) for wait, until in asked if until.is_of_tree and not until.checks]
        tags = [(wait, until) for wait, until in asked if until.form == TAG]
        merges = [(wait, until) for wait, until in asked if until.form == MERGED]
        found = dict(self._of_checks(checks))
        if not (trees or tags or merges):
            return found
        self._births = self._born([wait for wait, _ in (*trees, *tags, *merges)])
        births = [*self._births.values()]
        self._base = "" if "" in births else self._line.common(births)
        self._steps = self._line.behind(self._base)
        found.update(self._of_trees(trees))
        found.update(self._of_tags(tags))
        found.update(self._of_merges(merges))
        return found

    def _born(self, waits: Sequence[EndingFact]) -> dict[EndingFact, str]:
        """Return the births of facts."""
        whole = self._line.whole({one.birth for one in waits if one.birth})
        births = {one: whole.get(one.birth, "") for one in waits}
        unknown = [one for one, birth in births.items() if not birth]
        steps = self._line.behind() if unknown else []
        for one in unknown:  # what was committed by then is what its writer may have seen
            older = [step.commit for step in steps if step.seconds <= one.seconds]
            births[one] = older[-1] if older else ""
        return births

    def _all(self, wait: EndingFact) -> list[Step]:
        """Return all steps behind the birth of a fact."""
        birth = self._births[wait]
        if birth not in self._behind:
            places = [at for at, step in enumerate(self._steps) if step.commit == birth]
            whole = not birth or birth == self._base
            self._behind[birth] = (
                self._steps if whole else self._steps[places[0] + 1 :] if places
                else self._line.behind(birth)
            )  # fmt: skip
        return self._behind[birth]

    def _of_trees(
        self, asked: Sequence[tuple[EndingFact, Until]]
    ) -> Iterator[tuple[EndingFact, End]]:
        """Yield what the files of commits end."""
        touched = self._line.touching({until.place for _, until in asked}, self._base)
        rows: list[tuple[EndingFact, Until, list[Step], str]] = []
        for wait, until in asked:
            changes = touched[until.place]
            changed = [one for one in self._all(wait) if one.commit in changes]
            if changed:
                rows.append((wait, until, changed, self._brings(wait)))
        places = [
            (commit, until.place)
            for wait, until, changed, brings in rows
            for commit in (
                changed[0].parent, self._births[wait] * bool(brings), *[one.commit for one in changed],
            )
        ]  # fmt: skip
        entries, texts = self._read(places, [until for _, until, _, _ in rows])
        for wait, until, changed, brings in rows:
            first, birth = changed[0].parent, (self._births[wait], until.place)
            was = _holds(until, entries[first, until.place] if first else Entry(""), texts)
            for step in changed:
                is_link = touched[until.place][step.commit] == _LINK
                now = _holds(until, entries[step.commit, until.place], {} if is_link else texts)
                known = step.commit == brings and _holds(until, entries[birth], texts)
                if now and was is False and not known:
                    yield wait, End(step.commit, step.seconds, _clipped(until.said))
                    break
                was = was if now is None else now

    def _read(
        self, places: Iterable[tuple[str, str]], asked: Iterable[Until]
    ) -> tuple[dict[tuple[str, str], Entry], dict[str, str]]:
        """Return what stands at paths of commits, and the texts that are asked for, by blob."""
        entries = self._line.entries([place for place in places if place[0]])
        read = {until.place for until in asked if until.form in (FILE, VERSION)}
        blobs = {
            one.id for place, one in entries.items() if one.type == "blob" and place[1] in read
        }
        return entries, self._line.contents(blobs)

    def _of_checks(
        self, asked: Sequence[tuple[EndingFact, Until]]
    ) -> Iterator[tuple[EndingFact, End]]:
        """Yield the checks that fail at the commit, each with the first of the line since which it does.

        The birth of what is asked is where somebody confirmed it: that stands for what was there.
        """
        head, untils = self._head, [until for _, until in asked]
        entries, texts = self._read([(head, one.place) for one in untils], untils)
        fails = [pair for pair in asked if _holds(pair[1], entries[head, pair[1].place], texts)]
        touched = self._line.touching({until.place for _, until in fails}, "") if fails else {}
        births = self._line.whole({wait.birth for wait, _ in fails if wait.birth}) if fails else {}
        places = [(commit, path) for path, changes in touched.items() for commit in changes]
        places += [(births.get(wait.birth, ""), until.place) for wait, until in fails]
        were, texts = self._read(places, [until for _, until in fails])
        broken: list[tuple[EndingFact, Until, str]] = []
        for wait, until in fails:
            place, since = (
                until.place,
                "" if touched[until.place] else self._line.behind()[0].commit,
            )
            confirmed = were.get((births.get(wait.birth, ""), place))
            if confirmed and _same(until, confirmed, entries[head, place]):
                continue
            for commit, mode in touched[place].items():  # newest first
                if not _holds(until, were[commit, place], {} if mode == _LINK else texts):
                    break
                since = commit
            if since:
                broken.append((wait, until, since))
        times = self._line.times({since for _, _, since in broken})
        for wait, until, since in broken:
            yield wait, End(since, times[since], _clipped(until.said))

    def _brings(self, wait: EndingFact) -> str:
        """Return the commit of the line that brought the birth of a fact from elsewhere, "" for none."""
        birth = self._births[wait]
        if birth not in self._elsewhere:
            return ""
        return self._line.first_holding(self._all(wait), [birth]).commit

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        start = self._steps[0].parent if self._steps else self._head
        # one that the line had at its beginning, or has not, no step brings
        known = {"", start, *[step.commit for step in self._steps]}
        apart = frozenset(self._births.values()) - known
        apart = self._line.lacking(start, apart) if start else apart
        return apart - self._line.lacking("", apart)

    def _of_tags(
        self, asked: Sequence[tuple[EndingFact, Until]]
    ) -> Iterator[tuple[EndingFact, End]]:
        """Yield what tags end: of those that are in the line, one that the birth had not."""
        names = [one for one in self._refs if one.startswith(_TAGS)] if asked else []
        for wait, until in asked:
            asked_for = [one for one in names if fnmatchcase(one, f"{_TAGS}/{until.place}")]
            named = self._line.refs(asked_for)
            here = {one.commit for one in named}
            here -= self._line.lacking("", here)
            # what was tagged behind the birth at a commit of the birth's; an annotated tag tells when
            new = self._new(wait, here)
            late = [one for one in named if one.commit in here - new and one.seconds > wait.seconds]
            if late:
                one = min(late, key=lambda one: (one.seconds, one.name))
                said = f"{TAG} {one.name[len(_TAGS) + 1 :]}"
                yield wait, End(one.commit, one.seconds, _clipped(said))
            elif new:
                by = {one.name: one.commit for one in named if one.commit in new}
                step = self._line.first_holding(self._all(wait), new)
                later = self._line.lacking(step.commit, new)
                name = min(name for name, commit in by.items() if commit not in later)
                said = f"{TAG} {name[len(_TAGS) + 1 :]}"
                yield wait, End(step.commit, step.seconds, _clipped(said))

    @cached_property
    def _refs(self) -> list[str]:
        return self._line.names(_TAGS, _HEADS, _REMOTES)

    def _new(self, wait: EndingFact, commits: Iterable[str]) -> frozenset[str]:
        """Return those of some commits that the birth of a fact had not."""
        wanted = frozenset(commits)
        birth = self._births[wait] if wanted else ""
        return self._line.lacking(birth, wanted) if birth else wanted

    def _of_merges(
        self, asked: Sequence[tuple[EndingFact, Until]]
    ) -> Iterator[tuple[EndingFact, End]]:
        """Yield what the merge of a branch ends, by its message or by the branch's tip."""
        names = self._refs if asked else []
        for wait, until in asked:
            if until.place == self._branch:
                continue
            own = self._all(wait)
            told = [
                one for one in own if one.merges and until.place in merged_branches(one.subject)
            ]
            ours = [
                one for one in names
                if one == f"{_HEADS}/{until.place}"
                or (one.startswith(_REMOTES) and one.split("/", 3)[3:] == [until.place])
            ]  # fmt: skip
            tips = [one.commit for one in self._line.refs(ours)]
            if not tips and until.place in self._seen:
                tips = list(self._line.whole([self._seen[until.place]]).values())
            steps = [*told[:1], *self._held(wait, until.place, tips)]
            if steps:
                ids = [one.commit for one in own]
                step = min(steps, key=lambda one: ids.index(one.commit))
                yield wait, End(step.commit, step.seconds, _clipped(until.said))

    def _held(self, wait: EndingFact, branch: str, tips: Sequence[str]) -> list[Step]:
        """Return the step that brought the tip of a branch.

        A tip that is of the line itself is a branch that was moved forward, or one that nobody has
        worked on: git's note of it tells which.
        """
        found = []
        new = self._new(wait, set(tips) - self._line.lacking("", tips))
        for tip in sorted(new):
            step = self._line.first_holding(self._all(wait), [tip])
            if step.commit == tip:
                work = self._line.worked_on(branch)
                if not work or self._line.lacking("", [work]) or not self._new(wait, [work]):
                    continue
                step = self._line.first_holding(self._all(wait), [work])
            found.append(step)
        return found


def is_true_now(until: Until, top: str) -> bool:
    """Tell whether what files say is true in a work tree; what is of commits is not looked at."""
    path, text = f"{top}/{until.place}", b""
    if not until.is_of_tree:
        return False
    if until.form in (FILE, VERSION):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(fd, "rb") as file:
                text = file.read(BLOB_LIMIT_BYTES)
        except OSError:
            return until.checks
    there = Entry("blob" if os.path.lexists(path) else "", "file")
    return bool(_holds(until, there, {"file": text.decode("utf-8", "replace")}))


def _same(until: Until, one: Entry, other: Entry) -> bool:
    """Tell whether two entries are the same for what is looked for."""
    return one == other if until.form in (FILE, VERSION) else one.type == other.type


def _holds(until: Until, there: Entry, texts: Mapping[str, str]) -> bool | None:
    """Tell whether what is looked for is so at its path; None where that can not be told."""
    found = _is_true(until, there, texts)
    return found if found is None else found != until.checks


def _is_true(until: Until, there: Entry, texts: Mapping[str, str]) -> bool | None:
    if until.form in (GONE, HAS):
        return bool(there.type) == (until.form == HAS)
    if not there.type:
        return False
    text = texts.get(there.id) if there.type == "blob" else None
    if text is None:
        return None
    if until.form == VERSION:
        return _compares(until, text)
    return (until.text in text) != (until.how == LACKS)


def _compares(until: Until, text: str) -> bool:
    """Tell whether the version that stands beside a name compares as it should; numbers left out are 0."""
    name = re.escape(until.text)
    beside = re.search(
        rf"(?<![\w@./-]){name}(?![\w@/-])(?:[^\d\n]{{0,60}}|[^\d\n]{{0,60}}\n\s*<version>)v?(\d{{1,9}}(?:\.\d{{1,9}}){{0,3}})",
        text,
    )
    if beside is None:
        return False
    found = tuple([int(part) for part in beside[1].split(".")])
    if until.how == "=":
        return (*found, 0, 0, 0)[: len(until.number)] == until.number
    return bool(_COMPARES[until.how]((*found, 0, 0, 0)[:4], (*until.number, 0, 0, 0)[:4]))


def _clipped(said: str) -> str:
    return said if len(said) <= _SAID_CHARS else f"{said[: _SAID_CHARS - 1]}…"
