"""Take back what logs did, by a log of its own, or do it again.

It is a plan: the events, what they do, and what is left. The aim is the ledger as if those logs had
never been (`projection.fold.reversal`). What somebody else touched since is left, and said; before
anything is offered it is folded into what the ledger says, and what would not stand is left, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model import event as verbs
from ledger.model.logset import LogRef
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import BY_KEY, SOURCE_KEY, Entry
from memory.api import Memory
from memory.cache.name_lookup import log_named
from memory.query.log_lines import LogLine, lines_of
from memory.replay.replayed_state import state_by
from memory.write.amendments import with_seen
from projection.fold.fold import collect, merged
from projection.fold.full_replay import State
from projection.fold.reversal import (
    BEHIND,
    Irreversible,
    TakenBack,
    effect,
    reversal,
    stands_as,
    told_by,
)
from projection.text.clipping import one_line
from rituals.decide.decision import Decision

#: Of how many logs git is asked at once who committed them; how many an undo can name in its header.
_ASKED, _MOST = 200, 1000
_TITLE_CHARS = 90
_SAYS = {
    verbs.FactReinstated: "{0.id} holds again",
    verbs.ThreadClosed: "{0.id} is closed again",
    verbs.ThreadReopened: "{0.id} is open again",
    verbs.FactPromoted: "{0.id} is core again",
    verbs.FactDemoted: "{0.id} is core no more",
    verbs.FactMoved: "{0.id} is {0.state} again",
    verbs.FactArchived: "{0.id} goes back into the archive",
    verbs.FactInvalidated: "{0.id}{false}",
    verbs.FactReactivated: "{0.id} is out of the archive again",
    verbs.FactSuperseded: "{0.id} is superseded by {0.new} again",
    verbs.FactUpdated: "{0.id} says again: {text}",
}


class Undoing(Record):
    """What is to be taken back, or done again, before it is."""

    decision: Decision  #: that records it
    logs: tuple[LogLine, ...]  #: that are taken back, oldest first
    left: tuple[tuple[str, str], ...] = ()  #: facts that stay as they are, and why, a sentence each
    undo: str = ""  #: the stem of the undo that is done again, "" for none


def undoing(memory: Memory, agent: str = "") -> Undoing:
    """Plan to take back the last log of an agent that stands and was committed by who commits here.

    `agent` is "" for who opened this home: what they said in the name of others is theirs, too.

    Raises:
        NotFound: there is no such log.
        Irreversible: it changed no fact, or nothing of it can be taken back.
    """
    past = _Past(memory)
    first: Undoing | None = None
    own = False
    for ref, entry in _own(memory, agent):
        own = True
        if told_by(entry) is not None or ref.stem in past.undone or (first and not entry.acts):
            continue
        plan = past.plan((ref,), TakenBack((ref.stem,), again=False))
        if plan.decision.events or plan.left:
            return _some(plan)
        first = first or plan  # it changed no fact: the one before it is meant
    if first:
        return _some(first)
    me, who = memory.identity(), agent or memory.asker()
    hint = "`diurna log -n 5` lists the newest logs; `--agent NAME` says whose last one is meant"
    said = f"no log of {who} was committed by {me.name} <{me.email}>"
    if own:
        hint = "`diurna undo --redo` does the last one again"
        said = f"all logs of {who} by {me.name} <{me.email}> are taken back"
    raise NotFound(said, hint=hint)


def redoing(memory: Memory, agent: str = "") -> Undoing:
    """Plan to do again what the last undo of an agent took back; the arguments are those of `undoing`.

    Raises:
        NotFound: there is no undo that is not done again.
        Irreversible: nothing of it can be done again.
    """
    past = _Past(memory)
    for ref, entry in _own(memory, agent):
        said = told_by(entry)
        stems = [stem for stem in said.stems if past.undone.get(stem) == ref.key] if said else []
        if said and stems and not said.again:
            meant = said._replace(stems=tuple(stems), again=True)
            refs = tuple([one for one, _ in past.logs if one.stem in stems])
            return _some(past.plan(refs, meant, ref.key))._replace(undo=ref.stem)
    hint = "`diurna undo` takes back your last log"
    raise NotFound(f"no undo of {agent or memory.asker()} waits to be done again", hint=hint)


def step_back_from(memory: Memory, stem: str) -> Undoing:
    """Plan to take back one's own last log, or where that is an undo, to do again what it took back.

    `stem` is of the log that is meant.

    Raises:
        DiurnaError: as `undoing` and `redoing`; or another log came behind it.
    """
    ref = memory.cache().log_ref(stem)
    logs = memory.cache().entries_since(ref.key) if ref else []
    last = told_by(logs[-1][1]) if logs else None
    plan = redoing(memory) if last and not last.again else undoing(memory)
    stems = tuple([one.stem for one in plan.logs])
    meant = plan.undo or (stem if last and stems == last.stems else stems[-1])
    if meant != stem:
        raise DiurnaError(
            f"the last log here is {memory.short(meant)} by now, and not the one that was shown",
            hint="`diurna undo --dry-run` says what would be taken back",
        )
    return plan


def taking_back(
    memory: Memory, stems: tuple[str, ...], session: str, agent: str, since: str
) -> Undoing:
    """Plan to take back logs that are named.

    They are named by their stems, or the start of some; or by the session or agent that wrote them, and
    by a time from which on, as people write it; "" for each that is not said.

    Raises:
        NotFound: there are no such logs.
        Irreversible: nothing of them can be taken back.
        WrongUsage: one is an undo, or they are too many.
    """
    past, cache = _Past(memory), memory.cache()
    keys, begin = {log_named(cache, stem).key for stem in stems}, memory.bounds(since, "")[0]
    agent = agent or ("" if session or stems else memory.asker())
    chosen = []
    for ref, entry in past.logs:
        fits = ref.key in keys if keys else ref.key >= begin
        if not fits or session not in ("", entry.session) or agent not in ("", entry.agent):
            continue
        if told_by(entry) is None:
            chosen.append(ref)
        elif keys:
            hint = "`diurna undo --redo` does again what it took back"
            raise WrongUsage(f"{memory.short(ref.stem)} is an undo", hint=hint)
    if not chosen:
        hint = "`diurna log` lists them; `diurna log --json` tells their sessions"
        raise NotFound("no log fits", hint=hint)
    standing = tuple([ref for ref in chosen if ref.stem not in past.undone])
    if len(standing) > _MOST:
        hint = f"name at most {_MOST}, the newest first"
        raise WrongUsage(f"{len(standing)} logs are too many for one undo", hint=hint)
    if not standing:
        by = stem_in(past.undone[chosen[0].stem])
        already = f"taken back before, by {memory.short(by)}; `diurna undo --redo` does it again"
        return Undoing(Decision("Undo", already=already), ())
    return _some(past.plan(standing, TakenBack(tuple([ref.stem for ref in standing]), again=False)))


def _some(plan: Undoing) -> Undoing:
    """Return a plan that does something."""
    if not plan.decision.events:
        raise Irreversible(plan.decision.already, hint=plan.decision.hints[0])
    return plan


def _own(memory: Memory, agent: str) -> Iterator[tuple[LogRef, Entry]]:
    """Yield the logs of an agent that were committed by who commits here, newest first.

    `agent` is "" for who opened this home.
    """
    me, waits, asker = memory.identity(), memory.snapshot.waiting(), memory.asker()
    home = memory.home

    def fits(entry: Entry) -> bool:
        said_by = dict(entry.reported).get(BY_KEY, entry.agent)
        return entry.agent == agent if agent else said_by == asker

    logs = [pair for pair in memory.cache().entries_since("") if fits(pair[1])]
    for start in range(0, len(logs), _ASKED):
        some = logs[start : start + _ASKED]
        paths = [home.prefix + ref.path for ref, _ in some]
        brought = ("--name-only", "--no-renames", "--diff-filter=A", "-z", home.tip(), "--", *paths)
        listing = home.repository.git().text("log", "--format=%x01%ae", *brought)
        mine: set[str] = set()
        for block in listing.split("\x01")[1:]:
            address, _, names = block.partition("\0")
            mine.update(names.replace("\n", "\0").split("\0") if address == me.email else ())
        for ref, entry in some:  # what waits was recorded in this clone
            if ref.stem in waits or home.prefix + ref.path in mine:
                yield ref, entry


class _Past:
    """All logs of a home, what still counts of them, and the state now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._cache = memory.cache()
        self.logs = self._cache.logs("ORDER BY stem")
        self._entries = [entry for _, entry in self.logs]
        self._effect = effect(self._entries)
        self.undone = self._effect.undone

    def plan(self, refs: tuple[LogRef, ...], meant: TakenBack, since: str = "") -> Undoing:
        """Plan to take logs back, or to do them again.

        `meant` is what the undo is to say. What is later than `since` was not known to it; "" is for
        behind each of the logs.

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
        reach = _Reach(self._entries, self._effect.entries, keys, meant, since)
        events, does = self._events(reach, meant)
        left = tuple(reach.left.items())
        if not events:
            what = names[0] if len(names) == 1 else f"{len(names)} logs"
            why = "it changed no fact; words and uses of a log stay"
            hint = f"`diurna log {short(refs[0].stem)}` tells what it says"
            if left:
                why, hint = left[0][1], f"`diurna why {left[0][0]}` tells what happened"
            refused = f"{what} is not {'done again' if meant.again else 'taken back'}: {why}"
            return Undoing(Decision("", already=refused, hints=(hint,)), logs, left)
        agents = ", ".join(dict.fromkeys([one.agent for one in logs]))
        title = logs[0].title if len(logs) == 1 else f"{len(logs)} logs of {agents}"
        hint = "the log stays, with its words and uses; `diurna undo --redo` does it again"
        verb = "does again" if meant.again else "takes back"
        decision = Decision(
            f"{'Redo' if meant.again else 'Undo'}: {one_line(title, _TITLE_CHARS)}",
            (
                *[f"{verb} {name}" for name in names],
                *does,
                *[f"left as it is: {why}" for _, why in left],
            ),
            events,
            reason=f"{verb.capitalize()} what {', '.join([ref.stem for ref in refs])} did.",
            hints=("`diurna undo` takes that back" if meant.again else hint,),
            header=meant._replace(kept=tuple(reach.left)).header,
        )
        return Undoing(decision, logs, left)

    def _events(self, reach: _Reach, meant: TakenBack) -> tuple[tuple[verbs.Event, ...], list[str]]:
        """Return what takes logs back, and what that does, a line an event; add to what is left."""
        left, refs, now = reach.left, [ref for ref, _ in self.logs], self._memory.state()
        while True:
            for old, new in reach.replaced:
                if new in left:
                    left.setdefault(old, f"{old} is superseded by {new}, which is left")
            planned = meant._replace(kept=tuple(left))
            then = state_by(self._cache, refs, effect(self._entries, planned).entries)
            before, does, events = len(left), list[str](), list[verbs.Event]()
            for fact in reach.facts:
                aim, standing = then.get(fact), now.get(fact)
                if standing is None or fact in left:
                    continue
                if fact not in reach.acted and aim and aim.live == standing.live:
                    continue  # a use alone moves a fact out of the archive, and nothing else
                try:
                    back = reversal(aim, standing, then.histories.get(fact), now.histories[fact])
                except Irreversible as problem:
                    left[fact] = problem.message
                    continue
                events += back
                does += [_line(event, born=aim is None) for event in back]
            if len(left) == before:
                later = _with(now, events)
                for fact in reach.acted:
                    if fact not in left and not stands_as(later.get(fact), then.get(fact)):
                        left[fact] = f"{fact} would not be as it was before"
            if len(left) == before:
                return tuple(events), does


def _with(now: State, events: list[verbs.Event]) -> State:
    """Return the state with a further log of some events."""
    opened = {event.id for event in events if isinstance(event, verbs.ThreadReopened)}
    seen = [with_seen(event, now.fact(event.id), now.histories, opened) for event in events]
    log = Entry(BEHIND, False, "", "edit", (), tuple(verbs.in_order(seen)))
    known = dict(now.histories)
    return State(known | merged(known, collect([log])), now.work, now.summary, now.policy)


def _line(event: verbs.Event, *, born: bool) -> str:
    text = one_line(event.text or "") if isinstance(event, verbs.FactUpdated) else ""
    false = ", which it brought, is false now" if born else " is false again"
    return _SAYS[type(event)].format(event, text=text, false=false)


class _Reach:
    """How far logs reach.

    Args:
        entries: what all logs say, in ledger order.
        counting: what still counts of it.
        keys: of the logs.
        meant: what the undo is to say so far; an old one may name facts of other logs that went with it.
        since: what is later was not known to an undo that is done again; "" is for behind each log.

    Attributes:
        facts: that they name, or that went with them, in the order met.
        acted: those of which they say more than that they were used.
        replaced: what they superseded, and by what: (old, new).
        left: facts that stay as they are, and why, a sentence each.
    """

    def __init__(
        self,
        entries: list[Entry],
        counting: Iterable[Entry],
        keys: set[str],
        meant: TakenBack,
        since: str,
    ) -> None:
        self.left = left = dict[str, str]()
        spoken, took, after = (
            entries if meant.again else [*counting],
            meant.took,
            since or min(keys),
        )
        counts = effect(entries, meant).entries if meant.again else spoken
        births, first = dict[str, str](), dict[str, str]()
        for entry in spoken:
            for event in entry.acts:
                if (
                    isinstance(event, verbs.FactCreated | verbs.FactUpdated)
                    and event.text is not None
                ):
                    births.setdefault(event.id, entry.stem)
                if entry.stem not in keys:
                    continue
                first.setdefault(event.id, since or entry.stem)
                if entry.type == "import" and SOURCE_KEY not in dict(entry.reported):
                    left[event.id] = f"{event.id} came with a whole ledger"
                elif isinstance(event, verbs.FactRedacted):
                    left[event.id] = f"{event.id}: what is withheld is withheld for good"
        replaced = [
            (event.id, event.new)
            for entry in counts
            for event in (entry.acts if entry.stem >= min(keys) else ())
            if isinstance(event, verbs.FactSuperseded) and (entry.stem in keys or event.new in took)
        ]
        born = {fact for fact in first if births.get(fact) in keys}
        # what a later log superseded by them holds again since an undo
        first |= dict.fromkeys(
            [*took, *([old for old, _ in replaced] if meant.again else ())], since
        )
        for entry in counting:
            for event in entry.acts if entry.stem not in keys and entry.stem > after else ():
                for fact in verbs.facts_in(event):
                    if fact in left or entry.stem < first.get(fact, "~"):
                        continue
                    if event.id == fact or fact in born:
                        left[fact] = f"{fact} was changed since, by {stem_in(entry.stem)}"
        facts = [*first, *took, *[old for old, _ in replaced]]
        used = [fact for entry in spoken if entry.stem in keys for fact in entry.named]
        self.facts, self.acted = tuple(dict.fromkeys([*facts, *used])), frozenset(facts)
        self.replaced = [pair for pair in replaced if pair[1] in born or pair[1] in took]
