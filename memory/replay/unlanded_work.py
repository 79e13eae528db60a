"""Find out in one walk what HEAD does not hold of the work that logs tell of (B2 to B6).

And gather, for whoever looks for that work, where in the code the logs were written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ledger.environment import machine_ms, monotonic, now_ms
from ledger.git.ancestry import Lacking, lacking, whole_ids
from ledger.git.branch_reflogs import Points, Seen, Written, now, recalled
from ledger.git.landings import Work
from ledger.git.repository import cut_commits, read_reference, remote_branches
from ledger.home import OWN_BRANCH, Home
from ledger.model.event import VERB_OF, WorkLanded, facts_in
from ledger.model.ids import is_object
from ledger.model.log_names import milliseconds_of, stamp_of
from ledger.model.record import Record
from memory.cache.cache_file import Cache
from memory.cache.landed_work import Heads, Settled, Told, read_heads, settle_landings
from memory.replay.broken_truth import has_code
from memory.replay.page_publishing import code_trunk
from projection.document.fact_remarks import (
    BORN,
    CLOSED,
    FALSE,
    NO,
    OF_CODE,
    REOPENED,
    REPLACED,
    REVERTED,
    REWORDED,
    TRUE,
    Elsewhere,
)
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import Edge
from projection.fold.fold import resolve

#: Over this part of all facts, and more than so many, none is marked: HEAD stands somewhere else.
_MOST_PART, _FEW = 4, 12
#: How long somebody who reads waits for the commits with the work of new logs; the rest is done aside.
_WAIT_MS = 60
#: How long a brief tells of the work of a branch that is gone.
_GONE_DAYS = 14


class Telling:
    """Finds out what HEAD does not have.

    Args:
        home: of the ledger.
        cache: of its tip.
        kept: what is known.
        commit: HEAD.
        branch: that is checked out, "" for none.
    """

    def __init__(self, home: Home, cache: Cache, kept: Heads, commit: str, branch: str) -> None:
        self._home, self._cache, self._kept = home, cache, kept
        self._head, self._branch = commit, branch
        self._git = home.repository.git()
        self._trunk = code_trunk(home, cache.policy)
        self._recorded: dict[str, list[tuple[str, str, str]]] = {}
        for stem, verb, by, how in cache.landed():
            self._recorded.setdefault(stem, []).append((verb, by, how))
        self._landings: dict[str, Settled] = {}
        self._reverted: dict[str, Settled] = {}  # by point, as it was told of this HEAD

    def told(self, before: Told) -> Told:
        """Find it out; of what is new alone where it is known of this HEAD, or of one before it."""
        outside, unknown, cache = dict(before.outside), before.unknown, self._cache
        if before.head != self._head and (outside or unknown):
            again = frozenset((*outside, *unknown))
            rows = cache.places()
            rows = [row for row in rows if row[0] > before.number or row[1] in again]
            outside, unknown = {}, ()
        else:
            rows = cache.places(before.number)
            self._reverted = {
                row.point: Settled(row.landed, row.how, row.reverted, row.when)
                for row in before.facts
                if row.reverted
            }
        mine = self._head, self._branch  # what git is not asked of
        places = [one for one in map(_written, rows) if (one.commit, one.branch) != mine]
        new, more = self._outside(places)
        outside.update(new)
        behind = before.behind if before.head == self._head else 0
        if new and not behind:
            behind = self._behind()
        facts = tuple(self._facts(outside)) if outside else ()
        live = cache.head.counts[0] - cache.head.counts[1]
        return Told(
            self._head, self._branch, cache.commit, "",
            cache.newest_number(), tuple(outside.items()), (*unknown, *more), behind,
            self._trunk, len(facts) > _FEW and len(facts) * _MOST_PART > live, facts,
        )  # fmt: skip

    def _outside(self, places: list[Written]) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the logs that are elsewhere with their points, and those of which nobody can tell."""
        if not places:
            return {}, ()
        asked = {one.commit for one in places}
        asked |= {point for one in places if (point := self._kept.points.get(one.stem))}
        for said in self._kept.settled.values():
            asked |= {one for one in (said.commit, said.reverted) if one}
        asked |= {by for one in places for _, by, _ in self._recorded.get(one.stem, ()) if by}
        found = lacking(self._git, self._head, asked)
        points = self._points(places, found)
        more = {point for point in points.values() if point} - asked
        if more:
            found = found.joined(lacking(self._git, self._head, more))
        shallow = bool(cut_commits(self._home.repository))
        outside: dict[str, str] = {}
        unknown = []
        for place in places:
            here = self._is_here(place, points[place.stem], found, shallow)
            if here is None:
                unknown.append(place.stem)
            elif not here:
                outside[place.stem] = points[place.stem]
        return outside, tuple(unknown)

    def _is_here(self, place: Written, point: str, found: Lacking, shallow: bool) -> bool | None:
        """Tell whether HEAD has the work of a log; None where that can not be told (B3)."""
        if place.commit in found.unknown:
            return None
        if place.branch == self._branch and self._branch:
            # what is not committed yet is in this very work tree, or was; or it was amended, or rebased
            if found.has(place.commit) or point in self._stood(self._branch):
                return True
        said = self._landing(place.stem, point, found)
        if said is not None:
            self._landings[place.stem] = said
            return not said.reverted
        if point and found.has(point):
            return True
        return None if shallow and place.commit in found.missing else False

    def _landing(self, stem: str, point: str, found: Lacking) -> Settled | None:
        """Return how the work of a log came here, or left again: as logs say (B9), or was found out."""
        held = [one for one in self._recorded.get(stem, ()) if found.has(one[1])]
        if held:
            verb, by, how = held[-1]
            return Settled(by, how) if verb == VERB_OF[WorkLanded] else Settled("", how, by)
        said = self._kept.settled.get(point)
        if said is None or not found.has(said.commit):
            return None
        return said if found.has(said.reverted) else said._replace(reverted="", when="")

    def _points(self, places: Sequence[Written], found: Lacking) -> dict[str, str]:
        """Return the commit with the work of each log, "" where none has it yet.

        It is that of the header, unless the work was still to come: something was not committed, or
        HEAD has the commit, and the log is of a branch that is not the trunk.
        """
        points, asked = {}, []
        for place in places:
            points[place.stem] = found.whole.get(place.commit, place.commit)
            if place.stem in self._kept.points:
                points[place.stem] = self._kept.points[place.stem]
            elif (
                found.has(place.commit)
                and place.branch != self._branch
                and (place.dirty or place.branch != self._trunk)
            ):
                asked.append(place)
        if asked:
            points.update(self._looked_up(sorted(asked, reverse=True), found))
        return points

    def _looked_up(self, places: Sequence[Written], found: Lacking) -> dict[str, str]:
        """Look up where branches were seen, the newest logs first, as long as somebody waits."""
        end, points = monotonic() + _WAIT_MS / 1000, dict[str, str]()
        repository = self._home.repository
        seen = [*now(repository, machine_ms()), *recalled(repository)]
        known = Points(self._git, seen, self._trunk)
        for place in places:
            if monotonic() > end and points:
                points.update({place.stem: ""} if place.dirty else {})
                continue
            work = known.work(place._replace(commit=found.whole[place.commit]))
            points[place.stem] = "" if work is None else work.point
        settle_landings(self._home, {}, {stem: one for stem, one in points.items() if one})
        return points

    def _stood(self, branch: str) -> frozenset[str]:
        """Return where a branch stood, as git noted it."""
        try:
            path = f"{self._home.repository.commondir}/logs/refs/heads/{branch}"
            with open(path, encoding="utf-8", errors="replace") as file:
                return frozenset([line.split(" ", 2)[1] for line in file if line.count(" ") > 1])
        except OSError:
            return frozenset()

    def _behind(self) -> int:
        """Return how many commits HEAD is behind the trunk, where it has nothing of its own."""
        repository, name = self._home.repository, self._trunk
        for reference in (*remote_branches(repository, name), f"refs/heads/{name}") if name else ():
            tip = read_reference(repository, reference)
            if tip and tip != self._head:
                said = self._git.run("rev-list", "--count", "--left-right", f"{self._head}...{tip}")
                own, behind = said.decode().split()
                if own == "0":
                    return int(behind)
        return 0

    def _facts(self, outside: dict[str, str]) -> Iterator[Elsewhere]:
        """Yield what differs of the facts that logs elsewhere name, and of what became of their work."""
        before = stamp_of(now_ms() - _GONE_DAYS * 86_400_000)[:10]
        branches = {stem: branch for _, stem, _, _, branch in self._cache.places()}
        gone, where = {branches[stem] for stem in outside}, self._home.repository
        gone -= {one for one in gone if read_reference(where, f"refs/heads/{one}")}
        gone -= {one for one in gone if remote_branches(where, one)}  # as far as that was fetched
        for kind, stem, row in _differing(self._cache, outside):
            if kind in OF_CODE:
                point, branch = outside[stem], branches[stem]
                known = self._landings.get(stem) or self._reverted.get(point, Settled("", ""))
                yield row._replace(
                    here=REVERTED if known.reverted else NO, branch=branch, point=point,
                    landed=known.commit, how=known.how, reverted=known.reverted, when=known.when,
                    gone=branch in gone and stem[:10] < before,
                )  # fmt: skip


def _written(row: tuple[int, str, str, int, str]) -> Written:
    """Return where a log was written, of a row of `Cache.places`."""
    _, stem, commit, dirty, branch = row
    return Written(stem, commit, branch, milliseconds_of(stem), bool(dirty))


def told_beside(cache: Cache, where: Mapping[str, str]) -> Told:
    """Return what logs say that are plain files elsewhere (W21).

    `where` is stem -> the place where it is, in words.
    """
    there = [stem for stem in sorted(where) if cache.entry(stem) is not None]
    rows = [row._replace(branch=where[stem]) for _, stem, row in _differing(cache, there)]
    outside = tuple([(stem, "") for stem in there])
    return Told("", "", cache.commit, "", 0, outside, (), 0, "", False, tuple(rows))


def _differing(cache: Cache, stems: Iterable[str]) -> Iterator[tuple[str, str, Elsewhere]]:
    """Fold twice what some logs elsewhere name, and yield what differs.

    Each is (kind of the fact, the last of those logs, what they say of it).
    """
    away = frozenset(stems)
    named = {
        id: (stem, entry.agent)
        for stem in sorted(away)
        if (entry := cache.entry(stem)) is not None
        for event in entry.acts
        for id in facts_in(event)
    }
    for id, history in cache.some_histories(named).items():
        whole, here = cache.fact(id), without(id, history, away, cache.cut)
        change = "" if whole is None or whole.redacted else _change(whole, here)
        if whole is not None and change:
            text = here.text if here is not None and change != BORN else ""
            other = _instead(whole) if change == REPLACED else whole.text
            stem, agent = named[id]
            row = Elsewhere(id, NO, change, "", agent, "", text=text, other=other)
            yield whole.kind, stem, row


def without(id: str, history: History, stems: Collection[str], cut: frozenset[Edge]) -> Fact | None:
    """Fold a fact of all events but those of some logs; None where none of the others brought a text."""
    acts = tuple([act for act in history.acts if act.stem not in stems])
    return resolve(id, history._replace(acts=acts), cut)


def _instead(whole: Fact) -> str:
    """Return what is said to stand in the place of a fact, also where that does not count (F10)."""
    return ", ".join(whole.superseded_by or [new for _, new in whole.denied if new])


def _change(whole: Fact, here: Fact | None) -> str:
    """Tell in what a fact of all logs differs from the one of here, "" for nothing that matters."""
    if here is None:
        return BORN
    if whole.false != here.false:
        return TRUE if here.false else REPLACED if whole.superseded_by else FALSE
    if whole.text != here.text:
        return REWORDED
    if whole.superseded_by != here.superseded_by or whole.denied != here.denied:
        return REPLACED if _instead(whole) else FALSE
    if whole.closed != here.closed:
        return CLOSED if whole.closed else REOPENED
    return ""


class Works(Record):
    """The logs of a ledger that tell of work on branches of the code beside it."""

    logs: tuple[Written, ...]  #: newest first
    points: Points
    known: frozenset[str]  #: the commits that logs name
    seen: tuple[Seen, ...]  #: where branches are
    trunk: str  #: the branch that work comes together on, "" where nobody can say

    def of(self, log: Written) -> Work | None:
        """Return where the work of a log is; None where no commit has it yet."""
        return self.points.work(log, self.known)


def works_of(home: Home, cache: Cache) -> Works | None:
    """Gather them; None where nothing can be told: in-tree, without code, or of a history that is cut."""
    if home.kind != OWN_BRANCH or not has_code(home) or cut_commits(home.repository):
        return None
    repository, logs = home.repository, sorted(map(_written, cache.places()), reverse=True)
    git, trunk = repository.git(), code_trunk(home, cache.policy)
    current = now(repository, machine_ms())
    seen = [*recalled(repository), *current]
    whole = whole_ids(git, {one.commit for one in logs})
    logs = [
        one._replace(commit=whole[one.commit] or one.commit)
        for one in logs
        if whole[one.commit] or (whole[one.commit] == "" and is_object(one.commit))
    ]
    known = frozenset([*[log.commit for log in logs], *read_heads(home).points.values()])
    return Works(tuple(logs), Points(git, seen, trunk), known, tuple(current), trunk)
