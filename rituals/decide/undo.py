"""Take back what the last log of an agent did, by a log of its own; taking that back does it again.

It is a plan like any decision. Before it is offered it is folded into what the ledger says: facts whose
text, truth or state would not be those of before are a reason to refuse.
"""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.event import (
    Event,
    FactArchived,
    FactDemoted,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
    facts_in,
    in_order,
)
from ledger.model.order import stem_in
from ledger.model.session import Entry
from memory.query.provenance import lines_of
from memory.recall.hits.snippets import one_line
from memory.replay.as_of import state_without
from memory.write.seen import with_seen
from projection.fold.fold import collect, merged
from projection.fold.replay import State
from projection.fold.reversal import Irreversible, reversal, stands_as
from rituals.decide.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.logset import LogRef
    from memory.api import Memory

_UNDO, _REDO = "Undo: ", "Redo: "
_TITLE_CHARS = 90
#: Of how many logs git is asked at once who committed them.
_ASKED = 200
#: Sorts behind every log: where the undo will stand.
_BEHIND = "9999-12-31-235959999-~"
_SAYS = {
    FactReinstated: "{} holds again", ThreadClosed: "{} is closed again",
    ThreadReopened: "{} is open again", FactPromoted: "{} is core again",
    FactDemoted: "{} is core no more", FactArchived: "{} goes back into the archive",
    FactReactivated: "{} is out of the archive again",
}  # fmt: skip


def undoing(memory: Memory, agent: str = "") -> tuple[Decision, str]:
    """Plan to take back what the last log of an agent did that was committed by who commits here.

    Args:
        memory: the home, open.
        agent: whose log; "" for who opened this home.

    Returns:
        The decision, and the stem of the log.

    Raises:
        NotFound: there is no such log.
        Irreversible: it changed no fact, or something of it can not be taken back.
    """
    agent = agent or memory.asker()
    ref, entry = _last(memory, agent)
    line = lines_of(memory.snapshot, [ref.key])[ref.stem]
    what = f"{memory.short(ref.stem)} of {agent}, “{one_line(line.title, _TITLE_CHARS)}”"
    try:
        now, then = memory.state(), state_without(memory.snapshot, ref.key)
        events, does = _taken_back(entry, ref, now, then)
    except Irreversible as problem:
        raise Irreversible(
            f"{what} is not taken back: {problem.message}",
            hint=problem.hint or f"`diurna log {memory.short(ref.stem)}` tells what it says",
        ) from None
    redo = line.title.startswith(_UNDO)
    title = line.title.removeprefix(_UNDO).removeprefix(_REDO)
    return Decision(
        (_REDO if redo else _UNDO) + one_line(title, _TITLE_CHARS),
        (f"takes back {what}", *does),
        events,
        reason=f"Takes back what {ref.stem} did.",
        hints=(
            "that log stays, with its words and uses; `diurna undo` again brings back what it did",
        ),
    ), ref.stem


def _last(memory: Memory, agent: str) -> tuple[LogRef, Entry]:
    """Find the newest log of an agent that was committed by who commits here."""
    me = memory.identity()
    cache = memory.snapshot.cache()
    for since in (cache.newest_of(agent), ""):
        logs = [pair for pair in cache.entries_since(since) if pair[1].agent == agent]
        for start in range(0, len(logs), _ASKED):
            some = logs[start : start + _ASKED]
            authors = _authors(memory, [ref.path for ref, _ in some])
            for ref, entry in some:
                if me.email in authors.get(ref.path, ()):
                    return ref, entry
        if not logs:
            break
    said = f"no log of {agent} was committed by {me.name} <{me.email}>"
    hint = "`diurna log -n 5` lists the newest logs; `--agent NAME` says whose last one is meant"
    raise NotFound(said, hint=hint)


def _authors(memory: Memory, paths: list[str]) -> dict[str, list[str]]:
    """Return by whom each log was brought into the history, by path: addresses."""
    home = memory.home
    listing = home.repository.git().run(
        "log", "--format=%x01%ae", "--name-only", "--no-renames", "--diff-filter=A", "-z",
        home.tip(), "--", *[home.prefix + path for path in paths],
    )  # fmt: skip
    found: dict[str, list[str]] = {}
    for block in listing.decode("utf-8", "replace").split("\x01")[1:]:
        address, _, names = block.partition("\0")
        for name in names.replace("\n", "\0").split("\0"):
            found.setdefault(name.removeprefix(home.prefix), []).append(address)
    return found


def _taken_back(
    entry: Entry, ref: LogRef, now: State, then: State
) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return what takes a log back, and what that does, a line for each event.

    Raises:
        Irreversible: something of it can not be taken back, or there is nothing.
    """
    if entry.type == "import" and not entry.session:
        raise Irreversible("it brought a whole ledger")
    if any(isinstance(event, FactRedacted) for event in entry.acts):
        raise Irreversible("what is withheld is withheld for good")
    acted = dict.fromkeys([event.id for event in entry.acts])
    events: list[Event] = []
    does: list[str] = []
    for fact in dict.fromkeys([*acted, *entry.named]):
        before, standing = then.get(fact), now.get(fact)
        if standing is None or (fact not in acted and before and before.live):
            continue
        if fact in acted:
            _refuse_changed(fact, ref.key, now, born=before is None)
        own = tuple(event for event in entry.acts if event.id == fact)
        found = reversal(before, standing, own, ref.stem)
        events += found
        does += [_said(event, born=before is None) for event in found]
    if not events:
        raise Irreversible("it changed no fact; words and uses of a log stay")
    later = _with(now, events)
    for fact in acted:
        if not stands_as(later.get(fact), then.get(fact)):
            raise Irreversible(f"{fact} would not stand as it stood before")
    return tuple(events), tuple(does)


def _refuse_changed(fact: str, key: str, now: State, *, born: bool) -> None:
    """Refuse to take back what somebody built on.

    Raises:
        Irreversible: a later log changed the fact, or a fact replaces another by it.
    """
    for stem, _, event, _ in now.histories[fact].acts:
        if stem > key and (event.id == fact or (born and fact in facts_in(event))):
            later = stem_in(stem)
            raise Irreversible(
                f"{fact} was changed since, by {later}",
                hint=f"`diurna why {fact}` tells what happened; "
                f"`diurna append --update {fact} TEXT` says what holds",
            )


def _with(now: State, events: list[Event]) -> State:
    """Return the state with a further log of some events."""
    opened = {event.id for event in events if isinstance(event, ThreadReopened)}
    seen = [with_seen(event, now.fact(event.id), now.histories, opened) for event in events]
    log = Entry(_BEHIND, False, "", "edit", (), tuple(in_order(seen)))
    known = {name: now.histories[name] for name in now.histories}
    return State(known | merged(known, collect([log])), now.work, now.summary, now.policy)


def _said(event: Event, *, born: bool) -> str:
    match event:
        case FactUpdated():
            return f"{event.id} says again: {one_line(event.text or '')}"
        case FactInvalidated():
            return (
                f"{event.id}, which it brought, is false now"
                if born
                else f"{event.id} is false again"
            )
        case FactSuperseded():
            return f"{event.id} is superseded by {event.new} again"
        case FactMoved():
            return f"{event.id} is {event.state} again"
        case _:
            return _SAYS[type(event)].format(event.id)
