"""Define how a type of event is written and told: its verb, its arrow, what its parentheses name.

And the states that it moves a task to. No state follows one that closes a task: `Reopened` brings it back
to `todo`; a ticked box (`Closed`) makes it `done` from anywhere.
"""

from __future__ import annotations

from ledger.model.ids import is_fact_id
from ledger.model.record import TYPE_CHECKING, Record

TODO, IN_PROGRESS, HANDOFF_READY, BLOCKED, DONE, CANCELLED = STATES = (
    "todo", "in-progress", "handoff-ready", "blocked", "done", "cancelled",
)  # fmt: skip
#: The states that close a task.
CLOSING = frozenset((DONE, CANCELLED))
#: Which states may follow each.
FOLLOWS: dict[str, frozenset[str]] = {
    TODO: frozenset((IN_PROGRESS, BLOCKED, CANCELLED)),
    IN_PROGRESS: frozenset((HANDOFF_READY, DONE, BLOCKED, CANCELLED)),
    HANDOFF_READY: frozenset((IN_PROGRESS, DONE, CANCELLED)),
    BLOCKED: frozenset((IN_PROGRESS, HANDOFF_READY, CANCELLED)),
    DONE: frozenset(),
    CANCELLED: frozenset(),
}


def is_state(text: str) -> bool:
    """Tell whether a text is a state of a task."""
    return text in FOLLOWS


def either(states: tuple[str, ...]) -> str:
    """Write states, each once."""
    return " or ".join(dict.fromkeys(states))


def may_follow(states: tuple[str, ...]) -> tuple[str, ...]:
    """Return the states that may follow those of the moves answered; of several one may stay."""
    found = {state for one in states for state in FOLLOWS[one]}
    if len(states) > 1:
        found.update(states)
    return tuple([state for state in STATES if state in found and state != TODO])


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    Kind = TypeVar("Kind", bound="type[Record]")


class Naming(Record):
    """What an event may name in a parenthesis behind its id: `(was h1, h2)`."""

    field: str  #: of the event that holds it; the word that the parenthesis begins with
    fits: Callable[[str], bool]  #: tells whether a text is one of what it may name
    #: what is said of others: `{event}` is the event as it is written, `{id}`, `{names}`
    refused: str
    split: bool = False  #: each is several words, and the field holds their tuple
    filled: bool = True  #: where the author does not say it (None), an append does
    nothing: str = ""  #: the word for naming none, "" where that can not be said

    def names(self, event: Record) -> list[str] | None:
        """Return what an event names so, as it is written; None where it does not say."""
        value = getattr(event, self.field)
        if value == () and self.nothing:
            return [self.nothing]
        if value is None or not self.split:
            return None if value is None else list(value)
        return [" ".join(words) for words in value] or None

    def can_be(self, names: list[str]) -> bool:
        """Tell whether names may be what stands there."""
        return all(map(self.fits, names)) or (names == [self.nothing] and bool(self.nothing))

    def value(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return what the field holds for what is written."""
        names = [name for name in names if not self.nothing or name != self.nothing]
        return tuple([tuple(name.split(" ")) for name in names] if self.split else names)


class Arrow(Record):
    """What stands behind the `→` of an event."""

    field: str  #: of the event that holds it
    #: how the event is told of the fact before the arrow, and of the one behind it
    told: tuple[str, str]
    fits: Callable[[str], bool] = is_fact_id  #: tells whether a text can stand there
    called: str = "fact id"  #: what such a text is called
    #: a word in parentheses that may stand in its place, and the verb of what is said then
    instead: tuple[str, str] = ("", "")

    @property
    def is_fact(self) -> bool:
        """Whether a fact stands there."""
        return self.fits is is_fact_id


class Verb(Record):
    """How a type of event is written and told."""

    word: str  #: that its bullets begin with. Never reused.
    also: tuple[str, ...] = ()  #: what hand-written logs say for it
    arrow: Arrow | None = None  #: what stands behind its `→`, if it has one
    namings: tuple[Naming, ...] = ()  #: the parentheses that may follow, in this order
    use: str = "id"  #: the field whose naming is a use of that fact, "" for none
    #: several of one id may stand in a log, and mean another thing in another order
    tied: bool = False
    #: events of the same id that it contradicts in one log, which has no order among them
    opposite: tuple[type[Any], ...] = ()
    corrects: bool = False  #: it says that something does not hold any more, or holds otherwise
    single: bool = False  #: one log says it once of an id
    signed: bool = False  #: who says it counts, so the fold gets that from the log's header
    #: a remark behind the last id of a bullet is that of the ids before it, too
    shared: bool = False
    of_log: bool = False  #: its id is the stem of a log, and the fold does not know of it


#: The type of event of each verb, in the canonical order of the section: that of the classes below.
VERBS: dict[str, type[Any]] = {}
#: How each type is written and told.
GRAMMAR: dict[type[Any], Verb] = {}


def verb(word: str, **more: Any) -> Callable[[Kind], Kind]:
    """Say of a type of event how it is written and told (`Verb`)."""

    def enter(kind: Kind) -> Kind:
        VERBS[word], GRAMMAR[kind] = kind, Verb(word, **more)
        return kind

    return enter
