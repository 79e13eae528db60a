"""Say what held at the end of any session, off the lives of facts and without a replay.

The spans of the lives say which facts stood in which tier. Only those that may have been live are read off
their histories, as far as these went by then. It says the same as the replay of the logs up to that point.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ledger.model.event import FactCreated, FactUpdated
from ledger.model.record import Record
from projection.fold import projection_state as states
from projection.fold.cycles import Cuts
from projection.fold.decay import Decay
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.tiers import never_decaying, stand
from projection.fold.withholding import withheld_fact
from projection.lifecycle.lives import counts_from, tier_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from ledger.model.session import Entry
    from projection.fold.full_replay import State
    from projection.lifecycle.life import Life
    from projection.lifecycle.lives import Lives

#: From so many sessions to the next it is kept which facts were live; between them, what changed.
_STEP = 64


class Then(Record):
    """What held at the end of a session."""

    session: int  #: its number, 0 for before the first
    stem: str  #: the last log that counts, "" where there is none
    tiers: tuple[int, ...]  #: how many facts stood in each, in the order of `TIERS`
    live: tuple[
        states.Standing, ...
    ]  #: the facts that stood in `continuity.md`, by id, as they were


class Since(Record):
    """What became of it since: ids, those of the last change first."""

    learned: tuple[str, ...]  #: facts that came later
    corrected: tuple[str, ...]  #: facts that got another text, or were superseded or invalidated
    faded: tuple[str, ...]  #: facts that were live and are archived
    closed: tuple[str, ...]  #: threads that were closed


class Past:
    """Answers what held at the end of each session of one ledger.

    Args:
        state: of it, now.
        lives: of its facts.
        entries: of its logs.
        withheld: facts that were redacted.
    """

    def __init__(
        self, state: State, lives: Lives, entries: Iterable[Entry], withheld: frozenset[str]
    ) -> None:
        self.work = lives.work
        self._histories, self._withheld = state.histories, withheld
        self._decay = Decay(self.work, state.policy.windows)
        self._lasting = never_decaying(state.policy)
        self._cuts = Cuts(state.histories)
        self._uses: dict[str, list[str]] = {}
        self._stems = []
        for entry in sorted(entries, key=lambda entry: entry.stem):
            self._stems.append(entry.stem)
            if entry.uses:
                for fact in entry.named:
                    self._uses.setdefault(fact, []).append(entry.stem)
        #: (fact, the sessions from the first of its logs to where its life tells of it)
        self._told_early: list[tuple[str, int, int]] = []
        known = [self._as_logs_came(life) for life in lives.lives]
        self._tiers = tier_counts(known, range(len(self.work) + 1), states.TIERS)
        self._changes, self._kept = _course(known, len(self.work))
        self._since = _Changes(known, self._histories, self._position)

    def at(self, session: int) -> Then:
        """Return what held at the end of a session, counted from 1 on."""
        names = set(self._kept[session // _STEP])
        for at, name, came in self._changes[session // _STEP]:
            if at > session:
                break
            if came:
                names.add(name)
            else:
                names.discard(name)
        counts = [row[session] for row in self._tiers]
        for name, first, settled in self._told_early:
            if first <= session < settled:
                standing = self.standing(name, session)
                if standing is not None:
                    counts[states.TIERS.index(standing.tier)] += 1
                    names.add(name)
        found = [self.standing(name, session) for name in sorted(names)]
        live = tuple([one for one in found if one is not None and one.live])
        return Then(session, self.last_log(session), tuple(counts), live)

    def since(self, session: int) -> Since:
        """Return what became of what held at the end of a session."""
        return self._since.behind(session)

    @property
    def changes(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """What `since` is made of: by the name of its field, each (session, fact), ascending."""
        return self._since.found

    def session_of(self, stem: str) -> int:
        """Return the session at whose end a log, or the start of a stem, counts."""
        at = bisect_left(self._stems, stem)
        whole = at < len(self._stems) and self._stems[at] == stem
        return bisect_right(self.work, stem if whole or not stem else stem + "~")

    def last_log(self, session: int) -> str:
        """Return the last log that counts at the end of a session, "" where there is none."""
        last = session >= len(self.work)
        count = len(self._stems) if last else bisect_left(self._stems, self.work[session])
        return self._stems[count - 1] if count else ""

    def standing(self, fact: str, session: int) -> states.Standing | None:
        """Return where a fact stood at the end of a session, and as what; None where it was not there."""
        end = self.work[session] if session < len(self.work) else "~"
        whole, uses = self._histories[fact], self._uses.get(fact, [])
        used = bisect_left(uses, end)
        acts = tuple([act for act in whole.acts if act.stem < end])
        history = History(used, uses[used - 1] if used else "", acts)
        found = resolve(fact, history, self._cuts.at(self.last_log(session), fact, history))
        if found is None:
            return None
        if fact in self._withheld and not found.redacted:
            found = withheld_fact(found)
        return stand(found, self._decay.clock(session), self._lasting)

    def turns(self, life: Life) -> list[int]:
        """Return the sessions at whose end a fact may have stood otherwise than before, ascending."""
        history = self._histories[life.id]
        found = {session for session, _ in life.spans}
        found |= {self._position(act.stem) for act in history.acts}
        # so long after a closing
        found |= {self._decay.passed(act.stem, "archive") for act in history.acts}
        return sorted(one for one in found if one <= len(self.work))

    def _position(self, stem: str) -> int:
        return bisect_right(self.work, stem)

    def _as_logs_came(self, life: Life) -> Life:
        """Return a life without what it tells of a time at which no log told of the fact yet (T5)."""
        history = self._histories[life.id]
        early = [act.stem for act in history.acts if counts_from(act) != act.stem]
        if not early:
            return life
        first, settled = self._position(history.acts[0].stem), self._position(max(early))
        if first < settled:
            self._told_early.append((life.id, first, settled))
        before = [(settled, tier) for session, tier in life.spans if session <= settled]
        after = [span for span in life.spans if span[0] > settled]
        moments = [one for one in life.moments if one.session >= first]
        return life._replace(spans=(*before[-1:], *after), moments=tuple(moments))


class _Changes:
    """What was learned, corrected, faded and closed, and at the end of which session.

    Args:
        lives: of the facts, as logs came.
        histories: of them.
        position: tells which session a stem is in.
    """

    def __init__(
        self,
        lives: Iterable[Life],
        histories: Mapping[str, History],
        position: Callable[[str], int],
    ) -> None:
        found: dict[str, list[tuple[int, str]]] = {name: [] for name in Since._fields}
        self.found = found
        for life in lives:
            if life.spans:
                found["learned"].append((life.spans[0][0], life.id))
            for moment in life.moments:
                if moment.what in (states.SUPERSEDED, states.INVALIDATED):
                    found["corrected"].append((moment.session, life.id))
                elif moment.what == states.CLOSED:
                    found["closed"].append((moment.session, life.id))
                elif moment.what == states.FADED and life.tier == "archived":
                    found["faded"].append((moment.session, life.id))
            for act in histories[life.id].acts[1:]:
                if isinstance(act.event, FactCreated | FactUpdated) and act.event.text is not None:
                    found["corrected"].append((position(act.stem), life.id))
        for changes in found.values():
            changes.sort()

    def behind(self, session: int) -> Since:
        """Return what changed behind a session."""
        came = _behind(self.found["learned"], session)
        new = frozenset(came)
        corrected = _behind(self.found["corrected"], session, new)
        faded = _behind(self.found["faded"], session, new.union(corrected))
        return Since(came, corrected, faded, _behind(self.found["closed"], session, new))


def _behind(
    changes: Sequence[tuple[int, str]], session: int, but: Container[str] = ()
) -> tuple[str, ...]:
    start = bisect_left(changes, (session + 1, ""))
    found = dict.fromkeys([id for _, id in reversed(changes[start:])])
    return tuple([id for id in found if id not in but])


def _course(
    lives: Iterable[Life], last: int
) -> tuple[list[list[tuple[int, str, bool]]], list[tuple[str, ...]]]:
    """Return, for each `_STEP` sessions, how facts came to be live or not, and which were before."""
    changes: list[list[tuple[int, str, bool]]] = [[] for _ in range(last // _STEP + 1)]
    for life in lives:
        before = False
        for session, tier in life.spans:
            live = tier not in states.ARCHIVED_TIERS
            if live != before:
                changes[session // _STEP].append((session, life.id, live))
            before = live
    now: set[str] = set()
    kept = []
    for part in changes:
        part.sort()
        kept.append(tuple(now))
        for _, id, live in part:
            if live:
                now.add(id)
            else:
                now.discard(id)
    return changes, kept
