"""Check the ids that a log names against those that memory knows.

An id that memory does not know is a slip more often than not: what would change that fact is refused, with
the ids that are spelled alike (W10). Logs that wait in the spool are known too. The start of an
id that no other begins with stands for it, and is recorded whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.codec.log import read_entry
from ledger.errors import DraftRefused, NotFound
from ledger.model.event import (
    Event,
    FactCreated,
    FactMoved,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.session import EDIT, Entry, SessionLog
from ledger.model.verbs import DONE, TODO, either, may_follow
from memory.cache.name_lookup import fact_named
from memory.write.draft import ANYWAY, Case, births, named_ids, renamed
from projection.fold.fact_history import Fact, History
from projection.fold.fold import collect, merged, resolve
from projection.policy.model import CLOSABLE, DEFAULT_KIND, TASK_KIND


class Known:
    """The facts that a log may name: those of the ledger, and those of logs that wait to be committed.

    Args:
        case: of the log, with the histories of what it names.
    """

    def __init__(self, case: Case) -> None:
        self._cache, self._histories, self._spool = case.cache, case.histories, case.spool
        self._waiting: dict[str, History] | None = None

    def fact(self, name: str) -> Fact | None:
        """Return what the ledger knows of an id, None where it has no text for it."""
        history = self._histories.get(name)
        return None if history is None else resolve(name, history, self._cache.cut)

    def waits(self, name: str) -> bool:
        """Tell whether a log that waits brings a text for an id."""
        history = self._waiting_histories().get(name)
        return history is not None and resolve(name, history) is not None

    def is_log(self, name: str) -> bool:
        """Tell whether an id is the stem of a log."""
        return self._cache.log_ref(name) is not None

    def successors(self, name: str) -> set[str]:
        """Return what is said to replace a fact, and was not taken back."""
        waits = self._waiting_histories()
        news = {name: waits[name]} if name in waits else {}
        known = self._cache.some_histories([name])
        known.update(merged(known, news))
        return {
            event.new
            for stem, seq, event, _ in (known[name].acts if name in known else ())
            if isinstance(event, FactSuperseded) and event.id == name
            if (stem, seq, name, event.new) not in self._cache.cut
        }

    def whole(self, name: str, born: Iterable[str]) -> str:
        """Return the id that a name stands for, among those of the log itself too (`fact_named`).

        Raises:
            NotFound: several facts begin so.
        """
        return fact_named(self._cache, name, {*self._waiting_histories(), *born})

    def near(self, name: str, born: Iterable[str]) -> str:
        """Say which ids are spelled nearly like one that nobody knows."""
        from projection.text.normalize import meant

        ids = {*self._cache.fact_ids(), *self._waiting_histories(), *born}
        return f"{meant(name, sorted(ids)) or '`diurna show --list` lists the ids;'} {ANYWAY}"

    def _waiting_histories(self) -> dict[str, History]:
        if self._waiting is None:
            logs = ((stem, self._spool.read(stem)) for stem in self._spool.waiting())
            entries: list[Entry] = [
                read_entry(stem, data)[0]
                for stem, data in logs
                if data is not None and self._cache.log_ref(stem) is None
            ]
            self._waiting = collect(entries)
        return self._waiting


def with_whole_ids(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Give a log the whole ids for those that it names by their start; leave out references to nothing.

    With `anyway` the draft's ids are meant as they are. Told is what was left out.

    Raises:
        DraftRefused: an id is the start of several, or a reference that was typed leads nowhere.
    """
    draft = case.asked.draft
    born = set(births(log.events))
    names = named_ids(log.events)
    stored = case.cache.rows_among("SELECT id FROM facts WHERE id IN (?)", names)
    doubted = [name for name in names if name not in born and (name,) not in stored]
    if draft.anyway or not doubted:
        return log, ()
    known, whole = Known(case), {}
    changed = {*named_ids(tuple(e for e in log.events if not isinstance(e, FactReferenced)))}
    nowhere: dict[str, Finding] = {}
    for name in doubted:
        try:
            whole[name] = known.whole(name, born)
        except NotFound as problem:
            nowhere[name] = Finding("unknown-id", problem.message, hint=f"{problem.hint}; {ANYWAY}")
            continue
        if whole[name] == name and name not in changed and not known.waits(name):
            said = f"there is no fact {name}"
            where = "--ref" if name in draft.typed else ""
            nowhere[name] = Finding("unknown-id", said, where, hint=known.near(name, born))
    refused = [nowhere[name] for name in nowhere if name in changed or name in draft.typed]
    if refused:
        raise DraftRefused(tuple(refused))
    events = tuple(event for event in log.events if event.id not in nowhere)
    told = [
        one._replace(message=f"{one.message}; that reference is left out")
        for one in nowhere.values()
    ]
    return log._replace(events=renamed(events, whole)), tuple(told)


def check_named(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Refuse what a log can not mean; say what else is odd about the ids that it names.

    With `anyway` unknown ids are meant as they are: they are told, and nothing is refused for them. What
    a person decides (`EDIT`) moves a task anywhere.

    Raises:
        DraftRefused: a fact is created that is there, an unknown one is changed, a circle is closed, or a
            task is moved to what can not follow.
    """
    events, known = log.events, Known(case)
    refused = [*_taken(events, known), *_circles(events, known)]
    if log.type != EDIT:
        refused += _moves(events, known)
    if not case.asked.draft.anyway:
        refused += _unknown(events, known)
    if refused:
        raise DraftRefused(tuple(refused))
    return log, _odd(events, known)


def _taken(events: tuple[Event, ...], known: Known) -> list[Finding]:
    """Name created facts that exist already: one id never silently gets two texts from one writer."""
    found = []
    for event in events:
        if isinstance(event, FactCreated) and (fact := known.fact(event.id)) is not None:
            said = f"the fact {event.id} exists already: {fact.text.split(chr(10))[0]}"
            hint = f"reference it, change it with `--update {event.id} TEXT`, or choose another id"
            found.append(Finding("not-canonical", said, hint=hint))
    return found


def _unknown(events: tuple[Event, ...], known: Known) -> list[Finding]:
    """Name the ids that a log would change and that memory does not know; relying on one is a remark."""
    born = births(events)
    changed = [event for event in events if not isinstance(event, FactReferenced)]
    logs = {event.id for event in events if isinstance(event, FactRedacted)}
    return [
        Finding("unknown-id", f"there is no fact {name}", hint=known.near(name, born))
        for name in named_ids(tuple(changed))
        if name not in born and known.fact(name) is None and not known.waits(name)
        if not (name in logs and known.is_log(name))
    ]


def _moves(events: tuple[Event, ...], known: Known) -> list[Finding]:
    """Name the moves of what is no task, and those to a state that can not follow."""
    kinds: dict[str, str] = {}
    states: dict[str, tuple[str, ...]] = {}
    for event in events:
        if isinstance(event, FactCreated | FactUpdated):
            kinds.update([(event.id, value) for key, value in event.meta if key == "kind"])
            if isinstance(event, FactCreated):
                kinds.setdefault(event.id, "")
                states[event.id] = (DONE if event.mark == "x" else TODO,)
    found = []
    for event in events:
        if not isinstance(event, FactMoved):
            continue
        id, fact = event.id, known.fact(event.id)
        if fact is None and id not in kinds:
            continue  # unknown, or it waits: nothing is known of it
        kind = kinds.get(id, fact.kind if fact else "") or DEFAULT_KIND
        before = states.get(id) or (fact.states if fact else ()) or (TODO,)
        if kind != TASK_KIND:
            said = f"{id} is of kind {kind}; only a task is moved"
            hint = f"`diurna append --close {id}` closes it" if kind in CLOSABLE else (
                "only what has the footer `kind: task` is moved"
            )  # fmt: skip
            found.append(Finding("task-move", said, hint=hint))
        elif event.state not in may_follow(before):
            said = f"{id} is {either(before)} and can not be moved to {event.state}"
            found.append(Finding("task-move", said, hint=move_hint(id, before)))
    return found


def move_hint(id: str, states: tuple[str, ...]) -> str:
    """Say to which states a task may be moved, as one does it."""
    may = ", ".join(may_follow(states))
    if may:
        return f"what may follow: {may}; `--close {id}` says that it is done, `--reopen {id}` todo"
    return f"`diurna append --reopen {id}` brings it back to {TODO}"


def _circles(events: tuple[Event, ...], known: Known) -> list[Finding]:
    """Name the supersessions by which a fact would replace itself, over however many others."""
    said = [event for event in events if isinstance(event, FactSuperseded)]
    held = {event.id for event in events if isinstance(event, FactReinstated)}
    own: dict[str, set[str]] = {}
    for event in said:
        own.setdefault(event.id, set()).add(event.new)
    found = []
    for event in said:
        if event.new == event.id:
            continue  # refused for its form
        way = _way(event.new, event.id, own, known, held)
        if way:
            circle = " → ".join((event.id, *way))
            hint = (
                f"{event.id} is false then for good; where it holds after all: "
                f"`diurna edit {event.id} --restore --reason TEXT`, or a fact with another id"
            )
            message = f"{event.new} can not supersede {event.id}: it would be a circle, {circle}"
            found.append(Finding("supersession-cycle", message, hint=hint))
    return found[:1]


def _way(
    start: str, goal: str, own: Mapping[str, set[str]], known: Known, held: set[str]
) -> list[str]:
    """Return the shortest chain of successors from one fact to another, [] where there is none."""
    before = {start: ""}
    todo = [start]
    for name in todo:
        if name == goal:
            way = [name]
            while before[way[-1]]:
                way.append(before[way[-1]])
            return way[::-1]
        there = set() if name in held else known.successors(name)
        for new in sorted(there | own.get(name, set())):
            if new not in before:
                before[new] = name
                todo.append(new)
    return []


def _odd(events: tuple[Event, ...], known: Known) -> tuple[Finding, ...]:
    """Say what is odd about the ids that a log names: no text for them, no thread, or false."""
    born = set(births(events))
    closed = {event.id for event in events if isinstance(event, ThreadClosed | ThreadReopened)}
    relied = {event.id for event in events if isinstance(event, FactReferenced | FactReactivated)}
    redacted = {event.id for event in events if isinstance(event, FactRedacted)}
    found = []
    for name in named_ids(events):
        fact = known.fact(name)
        if fact is None:
            if name in born or (name in redacted and known.is_log(name)) or known.waits(name):
                continue
            said = f"{name} is not in this ledger (yet)"
            hint = "check the spelling; `diurna show --list` lists the ids"
            found.append(Finding("unknown-id", said, hint=hint))
        elif name in closed and fact.kind not in CLOSABLE:
            said = f"{name} is of kind {fact.kind}, which is never closed or reopened"
            hint = "what is false now is invalidated or superseded"
            found.append(Finding("not-a-thread", said, hint=hint))
        elif fact.false and name in relied:
            said = f"{name} is false: it was invalidated"
            hint = "say what holds instead with `--new`"
            if fact.superseded_by:
                said = f"{name} is false: {', '.join(fact.superseded_by)} superseded it"
                hint = f"`diurna why {name}` tells when and by whom; reference its successor"
            found.append(Finding("false-fact", said, hint=hint))
    return tuple(found)
