"""Plan what takes logs back, or does them again: the events, what they do, and what is left.

It is a plan like any decision. The aim is the ledger as if those logs had never been
(`projection.fold.undone_logs`). What somebody else touched since is left, and said; before anything is
offered it is folded into what the ledger says, and what would not stand as it stood is left, too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.model import event as verbs
from ledger.model.logset import LogRef
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import SOURCE_KEY, Entry
from memory.api import Memory
from memory.query.provenance import LogLine, lines_of
from memory.replay.as_of import logs_in, state_by
from memory.write.seen_versions import with_seen
from projection.fold.declared_conflicts import CONFLICTS
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged
from projection.fold.full_replay import State
from projection.fold.reversal import Irreversible, reversal, stands_as
from projection.fold.testimony import is_person
from projection.fold.undone_logs import BEHIND, TakenBack, effect
from projection.graph.fact_links import footer, ids_in, named
from projection.policy.model import CLOSABLE
from projection.text.clipping import one_line
from rituals.decide.decision import Decision

_UNDO, _REDO = "Undo: ", "Redo: "
_TITLE_CHARS = 90
_SAYS = {
    verbs.FactReinstated: "{} holds again", verbs.ThreadClosed: "{} is closed again",
    verbs.ThreadReopened: "{} is open again", verbs.FactPromoted: "{} is core again",
    verbs.FactDemoted: "{} is core no more", verbs.FactArchived: "{} goes back into the archive",
    verbs.FactReactivated: "{} is out of the archive again",
}  # fmt: skip
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
        self.logs = logs_in(self._cache)
        self._entries = [entry for _, entry in self.logs]
        self._effect = effect(self._entries)
        self.undone = self._effect.undone

    def named(self, stems: Sequence[str]) -> tuple[LogRef, ...]:
        """Return the logs of stems, in ledger order."""
        return tuple([ref for ref, _ in self.logs if ref.stem in stems])

    def plan(
        self, refs: tuple[LogRef, ...], meant: TakenBack, since: str = "", *, derived: bool = False
    ) -> Undoing:
        """Plan to take logs back, or to do them again.

        `meant` is what the undo is to say. What is later than `since` was not known to it; "" is for
        behind each of the logs. With `derived` goes what rests on them.

        Returns:
            A decision without events, with the reason, where nothing of it can be done.
        """
        memory = self._memory
        lines = lines_of(memory.snapshot, [ref.key for ref in refs])
        told = tuple([lines[ref.stem] for ref in refs])
        now = memory.state()
        reach = reach_of(
            self._effect.entries, self._entries, refs, meant, now, since, derived=derived
        )
        events, left, said = self._events(reach, meant, now)
        names = [
            f"{memory.short(one.stem)} of {one.agent}, “{one_line(one.title, _TITLE_CHARS)}”"
            for one in told
        ]
        does = "does again" if meant.again else "takes back"
        if not events:
            what = names[0] if len(names) == 1 else f"{len(names)} logs"
            why = next(iter(left.values()), "it changed no fact; words and uses of a log stay")
            hint = f"`diurna log {memory.short(refs[0].stem)}` tells what it says"
            for fact in left:
                hint = f"`diurna why {fact}` tells what happened"
                break
            refused = f"{what} is not {'done again' if meant.again else 'taken back'}: {why}"
            return Undoing(
                Decision("", already=refused, hints=(hint,)), told, (), tuple(left.items())
            )
        title = _title(told)
        stay = tuple([f"left as it is: {why}" for why in left.values()])
        decision = Decision(
            (_REDO if meant.again else _UNDO) + title,
            (*[f"{does} {name}" for name in names], *said, *stay),
            events,
            reason=f"{does.capitalize()} what {', '.join([ref.stem for ref in refs])} did.",
            hints=(
                "`diurna undo` takes that back"
                if meant.again
                else "the log stays, with its words and uses; `diurna undo --redo` does it again",
            ),
            header=meant._replace(kept=tuple(left), took=reach.took).header,
        )
        return Undoing(decision, told, reach.took, tuple(left.items()))

    def _events(
        self, reach: Reach, meant: TakenBack, now: State
    ) -> tuple[tuple[verbs.Event, ...], dict[str, str], tuple[str, ...]]:
        """Return what takes logs back, what is left and why, and what that does, a line an event."""
        left, refs = dict(reach.left), [ref for ref, _ in self.logs]
        while True:
            for old, new in reach.replaced:
                if new in left:
                    left.setdefault(old, f"{old} is superseded by {new}, which is left")
            planned = meant._replace(kept=tuple(left), took=reach.took)
            then = state_by(self._cache, refs, effect(self._entries, planned).entries)
            before, does = len(left), list[str]()
            events: list[verbs.Event] = []
            for fact in reach.facts:
                aim, standing = then.get(fact), now.get(fact)
                if standing is None or fact in left:
                    continue
                if fact not in reach.acted and aim and aim.live == standing.live:
                    continue  # a use alone moves a fact out of the archive, and nothing else
                try:
                    found = reversal(aim, standing, then.histories.get(fact), now.histories[fact])
                except Irreversible as problem:
                    left[fact] = problem.message
                    continue
                events += found
                does += [_said(event, born=aim is None, took=fact in reach.took) for event in found]
            if len(left) == before:
                later = _with(now, events)
                for fact in reach.acted:
                    if fact not in left and not stands_as(later.get(fact), then.get(fact)):
                        left[fact] = f"{fact} would not be as it was before"
            if len(left) == before:
                return tuple(events), left, tuple(does)


def _title(told: Sequence[LogLine]) -> str:
    if len(told) == 1:
        return one_line(told[0].title, _TITLE_CHARS)
    agents = list(dict.fromkeys([one.agent for one in told]))
    return one_line(f"{len(told)} logs of {', '.join(agents)}", _TITLE_CHARS)


def _with(now: State, events: list[verbs.Event]) -> State:
    """Return the state with a further log of some events."""
    opened = {event.id for event in events if isinstance(event, verbs.ThreadReopened)}
    seen = [with_seen(event, now.fact(event.id), now.histories, opened) for event in events]
    log = Entry(BEHIND, False, "", "edit", (), tuple(verbs.in_order(seen)))
    known = {name: now.histories[name] for name in now.histories}
    return State(known | merged(known, collect([log])), now.work, now.summary, now.policy)


def _said(event: verbs.Event, *, born: bool, took: bool) -> str:
    match event:
        case verbs.FactUpdated():
            return f"{event.id} says again: {one_line(event.text or '')}"
        case verbs.FactInvalidated():
            came = "came of it" if took else "it brought"
            return f"{event.id}{f', which {came}, is false now' if born else ' is false again'}"
        case verbs.FactSuperseded():
            return f"{event.id} is superseded by {event.new} again"
        case verbs.FactMoved():
            return f"{event.id} is {event.state} again"
        case _:
            return _SAYS[type(event)].format(event.id)


class Reach(Record):
    """How far logs reach."""

    facts: tuple[str, ...]  #: that they name, or that go with them, in the order met
    acted: frozenset[str]  #: those of which they say more than that they were used
    replaced: tuple[tuple[str, str], ...]  #: what they superseded, and by what: (old, new)
    #: facts that other logs brought, or said something of, and that go with them
    took: tuple[str, ...]
    left: dict[str, str]  #: facts that stay as they are, and why, a sentence each


def reach_of(
    counting: Sequence[Entry],
    entries: Sequence[Entry],
    refs: Sequence[LogRef],
    meant: TakenBack,
    now: State,
    since: str,
    *,
    derived: bool,
) -> Reach:
    """Find how far logs reach.

    Args:
        counting: what still counts of all logs, in ledger order.
        entries: all that they say.
        refs: the logs.
        meant: what the undo is to say so far.
        now: the state.
        since: what is later was not known to an undo that is done again; "" for behind each log.
        derived: what rests on the logs goes with them.
    """
    keys = {ref.key for ref in refs}
    own = [entry for entry in (entries if meant.again else counting) if entry.stem in keys]
    after = since or min(keys)
    later = [entry for entry in counting if entry.stem not in keys and entry.stem > after]
    births = _births(entries if meant.again else counting)
    first, left = _spoken(own, since)
    born = {fact for fact in first if births.get(fact) in keys}
    took = dict.fromkeys(meant.took)
    counts = effect(entries, meant).entries if meant.again else counting
    behind = [entry for entry in counts if entry.stem >= min(keys)]
    # what a later log superseded by them holds again since an undo
    again = [old for old, _ in _replaced(behind, keys, took)] if meant.again else []
    first |= dict.fromkeys([*took, *again], since)
    _touch(later, first, born, took, left, derived=derived)
    if derived:
        stems = {stem_in(key) for key in keys}
        _derive(later, births, stems, {*born} - left.keys(), now, took, left)
    replaced = _replaced(behind, keys, took)
    facts = [*first, *took, *[old for old, _ in replaced]]
    used = [fact for entry in own for fact in entry.named]
    return Reach(
        tuple(dict.fromkeys([*facts, *used])), frozenset(facts),
        tuple([pair for pair in replaced if pair[1] in born or pair[1] in took]), tuple(took), left,
    )  # fmt: skip


def _replaced(
    entries: Sequence[Entry], keys: Collection[str], took: Collection[str]
) -> list[tuple[str, str]]:
    """Return what logs superseded, or other logs by a fact that goes with them: (old, new)."""
    return [
        (event.id, event.new)
        for entry in entries
        for event in entry.acts
        if isinstance(event, verbs.FactSuperseded) and (entry.stem in keys or event.new in took)
    ]


def _spoken(own: Sequence[Entry], since: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return since when logs speak of each fact, and what of it is never taken back."""
    first: dict[str, str] = {}
    left: dict[str, str] = {}
    for entry in own:
        whole = entry.type == "import" and SOURCE_KEY not in dict(entry.reported)
        for event in entry.acts:
            first.setdefault(event.id, since or entry.stem)
            if whole:
                left[event.id] = f"{event.id} came with a whole ledger"
            elif isinstance(event, verbs.FactRedacted):
                left[event.id] = f"{event.id}: what is withheld is withheld for good"
    return first, left


def _touch(
    later: Sequence[Entry], first: dict[str, str], born: set[str], took: dict[str, None],
    left: dict[str, str], *, derived: bool,
) -> None:  # fmt: skip
    """Let what later logs say of facts be left, or go with what the logs brought."""
    for entry in later:
        for event in entry.acts:
            for fact in verbs.facts_in(event):
                if fact in left or entry.stem < first.get(fact, "~"):
                    continue
                if derived and fact in born:
                    if is_person(entry) and event.id == fact and isinstance(event, _DECIDING):
                        left[fact] = (
                            f"{fact} was decided by a person since, in {stem_in(entry.stem)}"
                        )
                        took.pop(fact, None)
                    else:
                        took[fact] = None
                elif event.id == fact or fact in born:
                    left[fact] = f"{fact} was changed since, by {stem_in(entry.stem)}"


def _births(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the key of the log that first brought a text for each fact."""
    found: dict[str, str] = {}
    for entry in entries:
        for event in entry.acts:
            if isinstance(event, verbs.FactCreated | verbs.FactUpdated) and event.text is not None:
                found.setdefault(event.id, entry.stem)
    return found


def _derive(
    later: Sequence[Entry],
    births: dict[str, str],
    stems: Collection[str],
    bases: set[str],
    now: State,
    took: dict[str, None],
    left: dict[str, str],
) -> None:
    """Add the facts of later logs that rest on what is taken back, also through others."""
    since = {entry.stem: entry for entry in later}
    acts: dict[str, list[tuple[Entry, verbs.Event]]] = {}
    for entry in later:
        for event in entry.acts:
            acts.setdefault(event.id, []).append((entry, event))
    found = [fact for fact, key in births.items() if key in since and fact not in bases]
    grew = True
    while grew:
        grew = False
        for name in found:
            fact = now.fact(name)
            if fact is None or name in bases or name in left:
                continue
            base = _rests_on(fact, bases, stems)
            if not base:
                continue
            person = [
                entry
                for entry, event in acts[name]
                if is_person(entry) and isinstance(event, _DECIDING)
            ]
            if person and fact.kind not in CLOSABLE:  # a question decides nothing
                left[name] = f"{name} rests on {base}, and a person decided it"
                continue
            took[name] = None
            bases.add(name)
            grew = True


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
