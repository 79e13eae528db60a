"""Define the events by which a session log says what happened to facts: a closed union of records.

The text of a fact travels inside the event that brought it, so an event means something by itself.
`remark` is what the author wrote beside the id; it is kept and means nothing to the fold.

`@verb` says of each type how it is written and told (`ledger.model.verbs`). The codec, the fast path, the
checks of drafts, the cache, `why` and the JSON answers go by that alone. A new type takes four places:

| place | what is said there |
|---|---|
| its class here, below the others, with its `@verb` | its fields, its verb, its bullet, how it is told |
| its line in `Event` | that it is one of the union |
| its arm in the `match` of `projection.fold.fold` | what it means; `assert_never` asks for it |
| its row in the table of FORMAT.md, 3.3 | the same for every other reader |
"""

from __future__ import annotations

from ledger.model.ids import is_object, is_version_id
from ledger.model.log_names import is_stem
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.verbs import GRAMMAR as GRAMMAR
from ledger.model.verbs import VERBS as VERBS
from ledger.model.verbs import Arrow, Naming, is_state, verb

if TYPE_CHECKING:
    from collections.abc import Iterable

Meta = tuple[tuple[str, str], ...]  #: footer keys and values besides `id`, in canonical order

#: Stands beside a handoff in the log with which its receiver closes it.
RECEIVED = "received"
#: The remark of a use that comes of asking for a fact by its id.
OPENED = "opened"


def is_holder(text: str) -> bool:
    """Tell whether a text names a log and its bytes: a stem, a blank, a blob id."""
    stem, _, blob = text.partition(" ")
    return is_stem(stem) and is_object(blob)


def is_seen(text: str) -> bool:
    """Tell whether a text names what a closing closed: a version, or the log of a move."""
    return is_version_id(text) or is_stem(text)


_NO_VERSION = "`{event}` names no version {names}"
_BY = Arrow("commit", ("By the commit {}", ""), is_object, "id of a commit")
_WAS = Naming("was", is_version_id, _NO_VERSION)
_CLOSED = Naming("was", is_seen, _NO_VERSION)
_MOVES = Naming("was", is_stem, "`{event}` names no log {names}", nothing="none")
_SAID = Naming("said", is_stem, "no log {names} says anything against {id}")
_GONE = Naming("said", is_stem, "no log {names} says anything of {id}", filled=False)
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


@verb("Created", also=("new", "added", "born"), single=True)
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
    single=True,
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


@verb("Closed", also=("completed", "resolved"), namings=(_CLOSED,), tied=True, signed=True)
class ThreadClosed(Record):
    """The thread is done. `was` are the versions that whoever closed it saw (None: not said which).

    Of a task that is a move to `done`: `was` are also the stems of the moves that they saw.
    """

    id: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Reopened", also=("re-opened",), opposite=(ThreadClosed,), signed=True)
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


@verb("Withdrawn", namings=(_GONE,), use="", corrects=True)
class FactWithdrawn(Record):
    """What the logs `said` state of the fact (`WITHDRAWABLE`) counts no more; None names no log."""

    id: str
    remark: str = ""
    said: tuple[str, ...] | None = None


@verb("Archived", use="", opposite=(FactReactivated,))
class FactArchived(Record):
    """A person put the fact away; a work log that names it, or `FactReactivated`, brings it back."""

    id: str
    remark: str = ""


@verb(
    "Moved",
    arrow=Arrow("state", ("Moved to {}", ""), is_state, "state of a task"),
    namings=(_MOVES,),
    opposite=(ThreadClosed, ThreadReopened),
    single=True,
    signed=True,
)
class FactMoved(Record):
    """The task is in another state now.

    `was` are the stems of the logs whose moves stood to its writer, () for none (None: not said which).
    """

    id: str
    state: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Helped", signed=True, shared=True)
class FactHelped(Record):
    """The fact helped; the remark is the evidence (`ledger.model.evidence`)."""

    id: str
    remark: str = ""


@verb("Ignored", use="", opposite=(FactHelped,), signed=True, shared=True)
class FactIgnored(Record):
    """The fact was of no use where it was shown; the remark is the role that says so."""

    id: str
    remark: str = ""


@verb("Landed", arrow=_BY, use="", of_log=True)
class WorkLanded(Record):
    """The work of the log `id` came into a branch by a commit; the remark is how (FORMAT.md, B9)."""

    id: str
    commit: str
    remark: str = ""


@verb("Dropped", use="", of_log=True)
class WorkDropped(Record):
    """A person says that the work of the log `id` came to nothing; the remark is its branch."""

    id: str
    remark: str = ""


@verb("Reverted", arrow=_BY, use="", of_log=True)
class WorkReverted(Record):
    """A commit took back what the log `id` tells of, where it had landed."""

    id: str
    commit: str
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
    | FactWithdrawn
    | FactArchived
    | FactMoved
    | FactHelped
    | FactIgnored
    | WorkLanded
    | WorkDropped
    | WorkReverted
)

VERB_OF: dict[type[Event], str] = {kind: known.word for kind, known in GRAMMAR.items()}
VERB_RANK: dict[type[Event], int] = {kind: rank for rank, kind in enumerate(GRAMMAR)}
#: Events whose naming of the fact is a use of it.
USES_ID = frozenset([kind for kind, known in GRAMMAR.items() if known.use == "id"])
#: Events that only mean something together with who said them.
SIGNED = frozenset([kind for kind, known in GRAMMAR.items() if known.signed])
#: Events that name a log, and no fact.
OF_LOGS = frozenset([kind for kind, known in GRAMMAR.items() if known.of_log])
#: Events that take nothing out of sight that was there before.
ADDING = frozenset(
    (FactReferenced, FactCreated, FactVerified, FactPromoted, FactHelped, FactIgnored)
)
#: Events that bring a text.
BRINGING = (FactCreated, FactUpdated)
#: What a later log can withdraw. A birth stays, and what is false holds again by `FactReinstated`.
WITHDRAWABLE = frozenset(
    (FactUpdated, FactReactivated, ThreadClosed, ThreadReopened, FactVerified, FactPromoted, FactDemoted,
     FactWithdrawn, FactArchived, FactMoved)
)  # fmt: skip


def facts_in(event: Event) -> tuple[str, ...]:
    """Return the ids of the facts that an event names: its own, and the one behind an arrow."""
    if isinstance(event, FactSuperseded):
        return event.id, event.new
    return () if type(event) in OF_LOGS else (event.id,)


def used_in(event: Event) -> str:
    """Return the fact that an event uses by naming it, "" for none."""
    field = GRAMMAR[type(event)].use
    return getattr(event, field) if field else ""


def signs(acts: Iterable[Event]) -> bool:
    """Tell whether it counts who said any of some events."""
    return not SIGNED.isdisjoint(map(type, acts))


def written(event: Event) -> str:
    """Return an event's id as its bullet begins: `a`, or `a → b`."""
    arrow = GRAMMAR[type(event)].arrow
    return event.id if arrow is None else f"{event.id} → {getattr(event, arrow.field)}"


def told(event: Event, fact: str) -> str:
    """Say in a word or two what happened to a fact: the verb, or `Superseded by b`."""
    arrow = GRAMMAR[type(event)].arrow
    if arrow is None:
        return VERB_OF[type(event)]
    ahead, behind = arrow.told
    return (
        ahead.format(getattr(event, arrow.field)) if event.id == fact else behind.format(event.id)
    )


def is_received(event: Event) -> bool:
    """Tell whether an event closes a handoff because its receiver wrote (W16): no retry says so again."""
    return isinstance(event, ThreadClosed) and event.remark == RECEIVED


def in_order(events: list[Event]) -> list[Event]:
    """Put what one log says into the order in which it counts, however it was written (C6)."""
    if len(events) < 2:
        return events
    met: dict[str, int] = {}
    for event in events:
        met.setdefault(event.id, len(met))

    def place(event: Event) -> tuple[object, ...]:
        rank = VERB_RANK[type(event)]
        if not GRAMMAR[type(event)].tied:
            return (rank,)
        named = facts_in(event) if isinstance(event, FactSuperseded) else (met[event.id],)
        return rank, *named, getattr(event, "was", None) or ()

    return sorted(events, key=place)


#: Stands in logs of a redaction, which Diurna commits by itself.
REDACTS = b"\n- Redacted: "
