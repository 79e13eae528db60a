"""Give facts from elsewhere a form that a log takes, and cut what was taken in into logs.

A text is changed as little as the format needs: its comments are escaped, else it is kept in a block of
code. Lines and logs are broken up before they reach a limit of the format. A log has one text of a fact:
the first is born, each further one is an update in a log behind that. Every step says which text was taken
in so far, so an intake that stops half-way goes on the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ledger.codec.log import canonical
from ledger.codec.validate import problems
from ledger.errors import DraftRefused
from ledger.model.event import Event, FactCreated, FactSuperseded, FactUpdated, Meta
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.record import Record
from ledger.model.session import LINE_LIMIT_BYTES, SessionLog
from projection.fold.full_replay import State
from rituals.intake.known_items import IMPORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    Bringing = TypeVar("Bringing", FactCreated, FactUpdated)

_LOG_BYTES = 700_000  #: of events in one log, below the limit of the format
_LOG_EVENTS = 5_000
#: The keys of a footer that stay where the others can not.
_KEPT = ("kind", "created", "origin")


class Brought(Record):
    """The event that brings a text, and those that say how its fact stands."""

    event: FactCreated | FactUpdated
    state: tuple[Event, ...] = ()


def stored(event: Bringing, file: str = "", line: int = 0) -> tuple[Bringing, tuple[Finding, ...]]:
    """Return an event of an `import` log in a form that the format takes, and what was changed for that.

    `file` and `line` are where its text stands, for the finding.

    Raises:
        DraftRefused: the text is too large for any log.
    """
    bare: Meta = tuple(pair for pair in event.meta if pair[0] in _KEPT)
    text = event.text or ""
    fence = "~~~"
    while fence in text:
        fence += "~"
    quoted = f"As it stood:\n\n{fence}\n{text}\n{fence}"
    problem: tuple[Finding, ...] = ()
    for changed, how in (
        (event, ""),
        (event._replace(text=text.replace("<!--", "&lt;!--")), "its comments are escaped"),
        (event._replace(meta=bare), "the other keys of its footer are left out"),
        (event._replace(text=quoted), "its text is kept in a code block"),
        (event._replace(text=quoted, meta=bare), "its text is kept in a code block"),
    ):
        log = canonical(SessionLog((("type", "import"),), "Import", "", (changed,)))
        wrong, made = problems(log), log.events[0]
        if not wrong and isinstance(made, type(event)):
            if not how:
                return made, ()
            message = f"`{event.id}` can not stand as it is ({problem[0].message}); {how}"
            return made, (Finding("not-canonical", message, file, line),)
        problem = problem or wrong
    raise DraftRefused((problem[0]._replace(file=file, line=line), *problem[1:]))


def wrapped(text: str) -> str:
    """Break lines that are over the limit of the format, at blanks where there are some."""
    limit = LINE_LIMIT_BYTES // 2
    if len(text) <= limit // 4:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        rest = line
        while len(rest.encode()) > limit:
            at = rest.rfind(" ", limit // 8, limit // 4)
            at = at if at > 0 else limit // 4
            lines.append(rest[:at])
            rest = rest[at:].removeprefix(" ")
        lines.append(rest)
    return "\n".join(lines)


def parts(brought: Iterable[Brought], loose: Sequence[Event] = ()) -> list[list[Event]]:
    """Cut what is brought, in its order, into logs that stay within the limits of the format.

    `loose` events, those without a text, come behind it.
    """
    found: list[list[Event]] = []
    size = 0
    for events in [*[(event, *state) for event, state in brought], *[(one,) for one in loose]]:
        cost = sum(map(_cost, events))
        if not found or size + cost > _LOG_BYTES or len(found[-1]) + len(events) > _LOG_EVENTS:
            found.append([])
            size = 0
        found[-1] += events
        size += cost
    return found


def _cost(event: Event) -> int:
    """Return how many bytes an event has in a log at most, about: a line names two ids."""
    if not isinstance(event, FactCreated | FactUpdated):
        return 200
    text = event.text or ""
    return len(text.encode()) + 2 * text.count("\n") + 300 + sum(len(v) for _, v in event.meta)


def in_steps(
    brought: Iterable[tuple[FactCreated, Sequence[str]]],
) -> tuple[list[FactCreated], list[list[FactUpdated]]]:
    """Return births with the first texts, and for each further text of any the updates to it.

    `brought` has births with the texts of now, and for each the texts before that, oldest first.
    """
    births: list[FactCreated] = []
    updates: list[list[FactUpdated]] = []
    for now, before in brought:
        texts = [text for text in dict.fromkeys(before) if text != now.text]
        steps = [now]
        for text in reversed(texts):
            taken = {IMPORTED: version_id(text)}
            meta = tuple([(key, taken.get(key, value)) for key, value in now.meta])
            steps.insert(0, now._replace(text=text, meta=meta))
        births.append(steps[0])
        for number, (old, new) in enumerate(pairwise(steps)):
            if number == len(updates):
                updates.append([])
            updates[number].append(update_to(new, (version_id(old.text or ""),)))
    return births, [sorted(step, key=lambda one: one.id) for step in updates]


def update_to(event: FactCreated, was: tuple[str, ...]) -> FactUpdated:
    """Return the update by which a fact gets the text that its source has by now."""
    kept = tuple([pair for pair in event.meta if pair[0] in ("source", IMPORTED)])
    return FactUpdated(event.id, event.text, was, meta=kept)


def without_circles(pairs: Iterable[tuple[str, str]], state: State) -> list[tuple[str, str]]:
    """Return (old, new) ids, each once, but those by which a fact would replace itself over others.

    `pairs` come in the order in which they are believed.
    """
    found: dict[tuple[str, str], None] = {}
    after: dict[str, set[str]] = {}
    for old, new in pairs:
        if old != new and (old, new) not in found and not _reaches(new, old, after, state):
            after.setdefault(old, set()).add(new)
            found[(old, new)] = None
    return list(found)


def with_edges(births: Sequence[FactCreated], edges: Iterable[tuple[str, str]]) -> list[Brought]:
    """Put each supersession beside the later birth of its two facts, where both of them are known.

    `births` stand in the order in which they come; `edges` are (old, new) ids.
    """
    rank = {event.id: number for number, event in enumerate(births)}
    states: dict[str, list[Event]] = {}
    for old, new in edges:
        later = max((old, new), key=lambda id: rank.get(id, -1))
        states.setdefault(later, []).append(FactSuperseded(old, new))
    return [Brought(event, tuple(states.get(event.id, ()))) for event in births]


def _reaches(start: str, goal: str, after: Mapping[str, set[str]], state: State) -> bool:
    """Tell whether one fact is replaced by another one, over however many."""
    seen, todo = {start}, [start]
    for name in todo:
        if name == goal:
            return True
        fact = state.fact(name)
        for one in {*after.get(name, ()), *(fact.superseded_by if fact else ())} - seen:
            seen.add(one)
            todo.append(one)
    return False
