"""Define the events by which a session log says what happened to facts: a closed union of records.

The text of a fact travels inside the event that brought it, so an event means something by itself.
`remark` is what the author wrote beside the id; it is kept and means nothing to the fold.

`@verb` says of each type how it is written and told. The codec, the fast path, the checks of drafts, the
cache, `why` and the JSON answers go by that alone. A new type of event takes four places:

| place | what is said there |
|---|---|
| its class here, below the others, with its `@verb` | its fields, its verb, its bullet, how it is told |
| its line in `Event` | that it is one of the union |
| its arm in the `match` of `projection.fold.fold` | what it means; `assert_never` asks for it |
| its row in the table of FORMAT.md, 3.3 | the same for every other reader |
"""

from __future__ import annotations

from ledger.model.ids import is_fact_id, is_version_id
from ledger.model.order import is_stem
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    Kind = TypeVar("Kind", bound="type[Event]")

Meta = tuple[tuple[str, str], ...]  #: footer keys and values besides `id`, in canonical order

_BLOB_CHARS = 40


class Naming(Record):
    """What an event may name in a parenthesis behind its id: `(was h1, h2)`.

    Args:
        field: of the event that holds it; the word that the parenthesis begins with.
        fits: tells whether a text is one of what it may name.
        refused: what is said of others: `{event}` is the event as it is written, `{id}`, `{names}`.
        split: each is several words, and the field holds their tuple.
        filled: where the author does not say it (None), an append does.
    """

    field: str
    fits: Callable[[str], bool]
    refused: str
    split: bool = False
    filled: bool = True

    def names(self, event: Event) -> list[str] | None:
        """Return what an event names so, as it is written; None where it does not say."""
        value = getattr(event, self.field)
        if value is None or not self.split:
            return None if value is None else list(value)
        return [" ".join(words) for words in value] or None

    def value(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return what the field holds for what is written."""
        return tuple([tuple(name.split(" ")) for name in names] if self.split else names)


class Arrow(Record):
    """What stands behind the `→` of an event.

    Args:
        field: of the event that holds it.
        told: how the event is told of the fact before the arrow, and of the one behind it.
        fits: tells whether a text can stand there.
        called: what such a text is called.
        instead: a word in parentheses that may stand in its place, and the verb of what is said then.
    """

    field: str
    told: tuple[str, str]
    fits: Callable[[str], bool] = is_fact_id
    called: str = "fact id"
    instead: tuple[str, str] = ("", "")

    @property
    def is_fact(self) -> bool:
        """Whether a fact stands there."""
        return self.fits is is_fact_id


class Verb(Record):
    """How a type of event is written and told.

    Args:
        word: that its bullets begin with. Never reused.
        also: what hand-written logs say for it.
        arrow: what stands behind its `→`, if it has one.
        namings: the parentheses that may follow, in this order.
        use: the field whose naming is a use of that fact, "" for none.
        tied: several of one id may stand in a log, and mean another thing in another order.
        opposite: events of the same id that it contradicts in one log, which has no order among them.
        corrects: it says that something does not hold any more, or holds otherwise.
    """

    word: str
    also: tuple[str, ...] = ()
    arrow: Arrow | None = None
    namings: tuple[Naming, ...] = ()
    use: str = "id"
    tied: bool = False
    opposite: tuple[type[Event], ...] = ()
    corrects: bool = False


#: The type of event of each verb, in the canonical order of the section: that of the classes below.
VERBS: dict[str, type[Event]] = {}
#: How each type is written and told.
GRAMMAR: dict[type[Event], Verb] = {}


def verb(word: str, **more: Any) -> Callable[[Kind], Kind]:
    """Say of a type of event how it is written and told (`Verb`)."""

    def enter(kind: Kind) -> Kind:
        VERBS[word], GRAMMAR[kind] = kind, Verb(word, **more)
        return kind

    return enter


def is_holder(text: str) -> bool:
    """Tell whether a text names a log and its bytes: a stem, a blank, a blob id."""
    stem, _, blob = text.partition(" ")
    return is_stem(stem) and len(blob) == _BLOB_CHARS and not blob.strip("0123456789abcdef")


_WAS = Naming("was", is_version_id, "`{event}` names no version {names}")
_SAID = Naming("said", is_stem, "no log {names} says anything against {id}")
_HELD = Naming("held", is_holder, "{id} was held by no log {names}", split=True, filled=False)


@verb(
    "Referenced",
    also=(
        "reference", "references", "applied", "extended", "used", "relied on", "consulted", "read",
    ),
)  # fmt: skip
class FactReferenced(Record):
    """The session relied on the fact."""

    id: str
    remark: str = ""


@verb("Created", also=("new", "added", "born"))
class FactCreated(Record):
    """A fact was born. `mark` is its checkbox: `""` none, `" "` open, `"x"` closed.

    `text` is None when the log names the id and holds no text for it.
    """

    id: str
    text: str | None = None
    mark: str = ""
    meta: Meta = ()
    remark: str = ""


@verb(
    "Updated",
    also=("touched", "corrected", "substance updated", "updates", "amended", "revised"),
    namings=(_WAS, _SAID),
    tied=True,
    opposite=(FactCreated,),
    corrects=True,
)
class FactUpdated(Record):
    """The fact got a new text that replaces the versions `was` (None: not said which).

    `said` are the logs that call the fact false, as its writer knew (None: of none).
    """

    id: str
    text: str | None = None
    was: tuple[str, ...] | None = None
    mark: str = ""
    meta: Meta = ()
    remark: str = ""
    said: tuple[str, ...] | None = None


@verb(
    "Superseded",
    arrow=Arrow(
        "new", ("Superseded by {}", "Supersedes {}"), instead=("invalidated", "Invalidated")
    ),
    namings=(_WAS,),
    use="new",
    tied=True,
    corrects=True,
)
class FactSuperseded(Record):
    """`id` is false now; `new` replaces it. `was` are the versions that its writer saw."""

    id: str
    new: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Invalidated", namings=(_WAS,), use="", corrects=True)
class FactInvalidated(Record):
    """The fact is false now and nothing replaces it. `was` are the versions that its writer saw."""

    id: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Reactivated")
class FactReactivated(Record):
    """The fact was pulled back from the archive."""

    id: str
    remark: str = ""


@verb("Closed", also=("completed", "resolved"), namings=(_WAS,), tied=True)
class ThreadClosed(Record):
    """The thread is done. `was` are the versions that whoever closed it saw (None: not said which)."""

    id: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Reopened", also=("re-opened",), opposite=(ThreadClosed,))
class ThreadReopened(Record):
    """The thread is open again."""

    id: str
    remark: str = ""


@verb("Verified", also=("re-verified", "reverified"))
class FactVerified(Record):
    """A human confirmed the fact again."""

    id: str
    remark: str = ""


@verb("Promoted")
class FactPromoted(Record):
    """A human set the tier `core`."""

    id: str
    remark: str = ""


@verb("Demoted", opposite=(FactPromoted,))
class FactDemoted(Record):
    """A human lifted the tier `core`."""

    id: str
    remark: str = ""


@verb("Redacted", namings=(_HELD,))
class FactRedacted(Record):
    """The text of the fact is withheld from every projection; a stem as `id` is a log's words.

    `held` are the logs that held it, (stem, blob id of its bytes): they alone may go from the history.
    """

    id: str
    remark: str = ""
    held: tuple[tuple[str, str], ...] = ()


@verb("Reinstated", namings=(_SAID,), opposite=(FactSuperseded, FactInvalidated), corrects=True)
class FactReinstated(Record):
    """A person says that the fact holds after all: what the logs `said` against it is taken back.

    `said` are the stems of the logs that superseded or invalidated it (None: all before this one).
    """

    id: str
    remark: str = ""
    said: tuple[str, ...] | None = None


@verb("Archived", use="", opposite=(FactReactivated,))
class FactArchived(Record):
    """A person put the fact away; a work log that names it, or `FactReactivated`, brings it back."""

    id: str
    remark: str = ""


Event = (
    FactReferenced
    | FactCreated
    | FactUpdated
    | FactSuperseded
    | FactInvalidated
    | FactReactivated
    | ThreadClosed
    | ThreadReopened
    | FactVerified
    | FactPromoted
    | FactDemoted
    | FactRedacted
    | FactReinstated
    | FactArchived
)

VERB_OF: dict[type[Event], str] = {kind: known.word for kind, known in GRAMMAR.items()}
VERB_RANK: dict[type[Event], int] = {kind: rank for rank, kind in enumerate(GRAMMAR)}
#: Events whose naming of the fact is a use of it.
USES_ID = frozenset([kind for kind, known in GRAMMAR.items() if known.use == "id"])
_TIED = frozenset([kind for kind, known in GRAMMAR.items() if known.tied])
#: Events of two facts.
TWO_FACTS = frozenset(
    [kind for kind, known in GRAMMAR.items() if known.arrow is not None and known.arrow.is_fact]
)


def facts_in(event: Event) -> tuple[str, ...]:
    """Return the ids of the facts that an event names: its own, and the one behind an arrow."""
    arrow = GRAMMAR[type(event)].arrow if type(event) in TWO_FACTS else None
    return (event.id,) if arrow is None else (event.id, getattr(event, arrow.field))


def used_in(event: Event) -> str:
    """Return the fact that an event uses by naming it, "" for none."""
    field = GRAMMAR[type(event)].use
    return getattr(event, field) if field else ""


def written(event: Event) -> str:
    """Return an event's id as its bullet begins: `a`, or `a → b`."""
    arrow = GRAMMAR[type(event)].arrow
    return event.id if arrow is None else f"{event.id} → {getattr(event, arrow.field)}"


def told(event: Event, fact: str) -> str:
    """Say in a word or two what happened to a fact: the verb, or `Superseded by b`."""
    known = GRAMMAR[type(event)]
    if known.arrow is None:
        return known.word
    ahead, behind = known.arrow.told
    other = getattr(event, known.arrow.field)
    return ahead.format(other) if event.id == fact else behind.format(event.id)


def in_order(events: list[Event]) -> list[Event]:
    """Put what one log says into the order in which it counts, however it was written (C6)."""
    last = -1
    for event in events:
        rank = VERB_RANK[type(event)]
        if rank < last or (rank == last and type(event) in _TIED):
            break
        last = rank
    else:
        return events
    met: dict[str, int] = {}
    for event in events:
        met.setdefault(event.id, len(met))

    def place(event: Event) -> tuple[int, int, str, str, tuple[str, ...]]:
        rank = VERB_RANK[type(event)]
        if type(event) not in _TIED:
            return rank, 0, "", "", ()
        was = getattr(event, "was", None) or ()
        if type(event) in TWO_FACTS:
            id, other = facts_in(event)
            return rank, 0, id, other, was
        return rank, met[event.id], "", "", was

    return sorted(events, key=place)
