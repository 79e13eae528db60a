"""Plan what takes logs back, or does them again: the events, what they do, and what is left.

It is a plan like any decision. The aim is the ledger as if those logs had never been
(`projection.fold.reversal`). What somebody else touched since is left, and said; before anything is
offered it is folded into what the ledger says, and what would not stand as it stood is left, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ledger.model import event as verbs
from ledger.model.log_names import LogRef, stem_in
from ledger.model.record import Record
from ledger.model.session import SOURCE_KEY, Entry
from ledger.model.verbs import either
from memory import LogLine, Memory, lines_of, state_from
from projection.fold.fact_history import Fact
from projection.fold.fact_links import footer, ids_in, named
from projection.fold.falsity import CONFLICTS
from projection.fold.fold import collect, merged
from projection.fold.full_replay import State
from projection.fold.reversal import BEHIND, TakenBack, effect, reversal, stands_as
from projection.fold.testimony import is_person
from projection.policy.model import CLOSABLE
from projection.text.clipping import one_line
from rituals.decide.decision import Decision

_TITLE_CHARS = 90
_SAYS = {
    verbs.FactReinstated: "{0.id} holds again",
    verbs.FactArchived: "{0.id} goes back into the archive",
    verbs.FactInvalidated: "{0.id}{false}",
    verbs.FactSuperseded: "{0.id} is superseded by {0.new} again",
}
_SOURCE, _ABOUT = "source", "about"
#: By what a person says of a fact that it holds.
_DECIDING = (verbs.FactCreated, verbs.FactUpdated, verbs.FactVerified, verbs.FactReinstated)


class Undoing(Record):
    """What is to be taken back, or done again, before it is."""

    decision: Decision  #: that records it
    logs: tuple[LogLine, ...]  #: that are taken back, oldest first
    took: tuple[str, ...] = ()  #: facts of other logs that go with them
    left: tuple[tuple[str, str], ...] = ()  #: facts that stay as they are, and why, a sentence each
    undo: str = ""  #: the stem of the undo that is done again, "" for none


class Past:
    """All logs of a home, what still counts of them, and the state now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._cache = memory.cache()
        self.logs = self._cache.logs("ORDER BY stem")
        self._entries = [entry for _, entry in self.logs]
        self._effect = effect(self._entries)
        self.undone = self._effect.undone

    def plan(
        self, refs: tuple[LogRef, ...], meant: TakenBack, since: str = "", *, derived: bool = False
    ) -> Undoing:
        """Plan to take logs back, or to do them again.

        `meant` is what the undo is to say. What is later than `since` was not known to it; "" is for
        behind each of the logs. With `derived` goes what rests on them.

        Returns:
            A decision without events, with the reason, where nothing of it can be done.
        """
        short, keys = self._memory.short, {ref.key for ref in refs}
        lines = lines_of(self._memory.snapshot, keys)
        logs = tuple([lines[ref.stem] for ref in refs])
        names = [
            f"{short(one.stem)} of {one.agent}, “{one_line(one.title, _TITLE_CHARS)}”"
            for one in logs
        ]
        now = self._memory.state()
        reach = _Reach(self._entries, self._effect.entries, keys, meant, now, since, derived)
        events, does = self._events(reach, meant, now)
        left = tuple(reach.left.items())
        if not events:
            what = names[0] if len(names) == 1 else f"{len(names)} logs"
            why = "it changed no fact; words and uses of a log stay"
            hint = f"`diurna log {short(refs[0].stem)}` tells what it says"
            if left:
                why, hint = left[0][1], f"`diurna why {left[0][0]}` tells what happened"
            refused = f"{what} is not {'done again' if meant.again else 'taken back'}: {why}"
            return Undoing(Decision("", already=refused, hints=(hint,)), logs, (), left)
        agents = ", ".join(dict.fromkeys([one.agent for one in logs]))
        title = logs[0].title if len(logs) == 1 else f"{len(logs)} logs of {agents}"
        hint = "the log stays, with its words and uses; `diurna undo --redo` does it again"
        verb = "does again" if meant.again else "takes back"
        decision = Decision(
            f"{'Redo' if meant.again else 'Undo'}: {one_line(title, _TITLE_CHARS)}",
            (*[f"{verb} {name}" for name in names], *does,
             *[f"left as it is: {why}" for _, why in left]),
            events,
            reason=f"{verb.capitalize()} what {', '.join([ref.stem for ref in refs])} did.",
            hints=("`diurna undo` takes that back" if meant.again else hint,),
            header=meant._replace(kept=tuple(reach.left), took=tuple(reach.took)).header,
        )  # fmt: skip
        return Undoing(decision, logs, tuple(reach.took), left)

    def _events(
        self, reach: _Reach, meant: TakenBack, now: State
    ) -> tuple[tuple[verbs.Event, ...], list[str]]:
        """Return what takes logs back, and what that does, a line an event; add to what is left."""
        left, refs = reach.left, [ref for ref, _ in self.logs]
        while True:
            for old, new in reach.replaced:
                if new in left:
                    left.setdefault(old, f"{old} is superseded by {new}, which is left")
            planned = meant._replace(kept=tuple(left), took=tuple(reach.took))
            undone, cache = effect(self._entries, planned).entries, self._cache
            then = state_from(refs, undone, cache.policy, withheld=cache.redacted)
            before, does, events = len(left), list[str](), list[verbs.Event]()
            for fact in reach.facts:
                aim, standing = then.get(fact), now.get(fact)
                if standing is None or fact in left:
                    continue
                if fact not in reach.acted and aim and aim.live == standing.live:
                    continue  # a use alone moves a fact out of the archive, and nothing else
                for event in reversal(aim, standing, then.histories.get(fact), now.histories[fact]):
                    events.append(event)
                    if aim and isinstance(event, verbs.FactWithdrawn | verbs.FactUpdated):
                        does += _back(standing.fact, aim.fact)
                    else:
                        does.append(_line(event, born=aim is None, took=fact in reach.took))
            if len(left) == before:
                later = _with(now, events)
                for fact in reach.acted:
                    if fact not in left and not stands_as(later.get(fact), then.get(fact)):
                        left[fact] = f"{fact} would not be as it was before"
            if len(left) == before:
                return tuple(events), does


def _with(now: State, events: list[verbs.Event]) -> State:
    """Return the state with a further log of some events."""
    log = Entry(BEHIND, False, "", "edit", (), tuple(verbs.in_order(events)))
    known = dict(now.histories)
    return State(known | merged(known, collect([log])), now.work, now.summary, now.policy)


def _line(event: verbs.Event, *, born: bool, took: bool) -> str:
    false = f", which {'came of it' if took else 'it brought'}, is false now"
    return _SAYS[type(event)].format(event, false=false if born else " is false again")


def _back(fact: Fact, then: Fact) -> Iterator[str]:
    """Say how a fact comes back to what it was, a sentence for each thing that changes."""
    if {one.id for one in fact.heads} != {one.id for one in then.heads} or fact.meta != then.meta:
        yield f"{fact.id} says again: {' / '.join([one_line(one.text) for one in then.heads])}"
    if set(fact.states) != set(then.states):
        yield f"{fact.id} is {either(then.states)} again"
    elif fact.closed != then.closed:
        yield f"{fact.id} is {'closed' if then.closed else 'open'} again"
    if fact.promoted != then.promoted:
        yield f"{fact.id} is core {'again' if then.promoted else 'no more'}"
    if then.archived_at and not fact.archived_at:
        yield f"{fact.id} goes back into the archive"
    elif fact.archived_at and not then.archived_at:
        yield f"{fact.id} is out of the archive again"
    if fact.verified != then.verified:
        yield f"{fact.id} is confirmed {'again' if fact.verified < then.verified else 'no more'}"


class _Reach:
    """How far logs reach.

    Args:
        entries: what all logs say, in ledger order.
        counting: what still counts of it.
        keys: of the logs.
        meant: what the undo is to say so far.
        now: the state.
        since: what is later was not known to an undo that is done again; "" is for behind each log.
        derived: whether what rests on the logs goes, too.

    Attributes:
        facts: that they name, or that go with them, in the order met.
        acted: those of which they say more than that they were used.
        replaced: what they superseded, and by what: (old, new).
        took: facts that other logs brought, or said something of, and that go with them.
        left: facts that stay as they are, and why, a sentence each.
    """

    def __init__(
        self, entries: Sequence[Entry], counting: Sequence[Entry], keys: set[str], meant: TakenBack,
        now: State, since: str, derived: bool,
    ) -> None:  # fmt: skip
        self.took, self.left = took, left = dict.fromkeys(meant.took), dict[str, str]()
        self._keys, spoken = keys, entries if meant.again else counting
        counts = effect(entries, meant).entries if meant.again else counting
        after = since or min(keys)
        births = dict[str, str]()  # the key of the log that first brought a text for each fact
        first = dict[str, str]()  # since when they speak of each
        for entry, event in _acts(spoken):
            if isinstance(event, verbs.FactCreated | verbs.FactUpdated) and event.text is not None:
                births.setdefault(event.id, entry.stem)
            if entry.stem not in keys:
                continue
            first.setdefault(event.id, since or entry.stem)
            if entry.type == "import" and SOURCE_KEY not in dict(entry.reported):
                left[event.id] = f"{event.id} came with a whole ledger"
            elif isinstance(event, verbs.FactRedacted):
                left[event.id] = f"{event.id}: what is withheld is withheld for good"
        pairs = [
            (entry.stem in keys, event.id, event.new)
            for entry, event in _acts(counts)
            if isinstance(event, verbs.FactSuperseded) and entry.stem >= min(keys)
        ]

        def replaced() -> list[tuple[str, str]]:
            """What they superseded, or other logs by a fact that goes with them: (old, new)."""
            return [(old, new) for own, old, new in pairs if own or new in took]

        born = {fact for fact in first if births.get(fact) in keys}
        # what a later log superseded by them holds again since an undo
        again = [old for old, _ in replaced()] if meant.again else []
        first |= dict.fromkeys([*took, *again], since)
        later = [one for one in counting if one.stem not in keys and one.stem > after]
        # what they say is left, or goes with what the logs brought
        for entry, event in _acts(later):
            for fact in verbs.facts_in(event):
                if fact in left or entry.stem < first.get(fact, "~"):
                    continue
                goes = derived and fact in born
                if goes and event.id == fact and _decides(entry, event):
                    by = f"was decided by a person since, in {stem_in(entry.stem)}"
                    left[fact] = f"{fact} {by}"
                    took.pop(fact, None)
                elif goes:
                    took[fact] = None
                elif event.id == fact or fact in born:
                    left[fact] = f"{fact} was changed since, by {stem_in(entry.stem)}"
        if derived:
            self._derive(later, births, born - left.keys(), now)
        facts = [*first, *took, *[old for old, _ in replaced()]]
        used = [fact for entry in spoken if entry.stem in keys for fact in entry.named]
        self.facts, self.acted = tuple(dict.fromkeys([*facts, *used])), frozenset(facts)
        self.replaced = [pair for pair in replaced() if pair[1] in born or pair[1] in took]

    def _derive(
        self, later: Sequence[Entry], births: dict[str, str], bases: set[str], now: State
    ) -> None:
        """Take the facts of later logs that rest on `bases`, also through others."""
        stems, keys = {stem_in(key) for key in self._keys}, {entry.stem for entry in later}
        decided = {event.id for entry, event in _acts(later) if _decides(entry, event)}
        brought = [fact for fact, key in births.items() if key in keys and fact not in bases]
        grew = True
        while grew:
            grew = False
            for name in brought:
                fact = now.fact(name) if name not in bases and name not in self.left else None
                base = _rests_on(fact, bases, stems) if fact else ""
                if not (fact and base):
                    continue
                if name in decided and fact.kind not in CLOSABLE:  # a question decides nothing
                    self.left[name] = f"{name} rests on {base}, and a person decided it"
                else:
                    self.took[name] = None
                    bases.add(name)
                    grew = True


def _acts(entries: Iterable[Entry]) -> Iterator[tuple[Entry, verbs.Event]]:
    return ((entry, event) for entry in entries for event in entry.acts)


def _decides(entry: Entry, event: verbs.Event) -> bool:
    return is_person(entry) and isinstance(event, _DECIDING)


def _rests_on(fact: Fact, bases: set[str], stems: Collection[str]) -> str:
    """Return what is taken back and a fact rests on, "" for nothing."""
    about = ids_in(footer(fact, _ABOUT))
    if about and bases.issuperset(about):
        return about[0]
    sources = footer(fact, _SOURCE).replace(",", " ").split()
    for word in sources:
        if word in bases or word.partition(":")[0] in stems:
            return word
    names = [*fact.supersedes, *[id for kind, id in named(fact) if kind != CONFLICTS]]
    return next((name for name in names if name in bases), "")
