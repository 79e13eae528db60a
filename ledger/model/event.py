"""Events: what a session log says happened to facts. A closed union of frozen records.

The text of a fact travels inside the event that brought it, so an event means something by itself.
`remark` is what the author wrote beside the id; it is kept and means nothing to the fold.
"""

from __future__ import annotations

from ledger.model.record import Record

Meta = tuple[tuple[str, str], ...]  #: footer keys and values besides `id`, in canonical order


class FactReferenced(Record):
    """The session relied on the fact."""

    id: str
    remark: str = ""


class FactCreated(Record):
    """A fact was born. `mark` is its checkbox: `""` none, `" "` open, `"x"` closed.

    `text` is None when the log names the id and holds no text for it.
    """

    id: str
    text: str | None
    mark: str = ""
    meta: Meta = ()
    remark: str = ""


class FactUpdated(Record):
    """The fact got a new text that replaces the versions `was` (None: not said which).

    `said` are the logs that call the fact false, as its writer knew (None: of none).
    """

    id: str
    text: str | None
    was: tuple[str, ...] | None = None
    mark: str = ""
    meta: Meta = ()
    remark: str = ""
    said: tuple[str, ...] | None = None


class FactSuperseded(Record):
    """`id` is false now; `new` replaces it. `was` are the versions that its writer saw."""

    id: str
    new: str
    remark: str = ""
    was: tuple[str, ...] | None = None


class FactInvalidated(Record):
    """The fact is false now and nothing replaces it. `was` are the versions that its writer saw."""

    id: str
    remark: str = ""
    was: tuple[str, ...] | None = None


class FactReactivated(Record):
    """The fact was pulled back from the archive."""

    id: str
    remark: str = ""


class ThreadClosed(Record):
    """The thread is done. `was` are the versions that whoever closed it saw (None: not said which)."""

    id: str
    remark: str = ""
    was: tuple[str, ...] | None = None


class ThreadReopened(Record):
    """The thread is open again."""

    id: str
    remark: str = ""


class FactVerified(Record):
    """A human confirmed the fact again."""

    id: str
    remark: str = ""


class FactPromoted(Record):
    """A human set the tier `core`."""

    id: str
    remark: str = ""


class FactDemoted(Record):
    """A human lifted the tier `core`."""

    id: str
    remark: str = ""


class FactRedacted(Record):
    """The text of the fact is withheld from every projection; a stem as `id` is a log's words.

    `held` are the logs that held it, (stem, blob id of its bytes): they alone may go from the history.
    """

    id: str
    remark: str = ""
    held: tuple[tuple[str, str], ...] = ()


class FactReinstated(Record):
    """A person says that the fact holds after all: what the logs `said` against it is taken back.

    `said` are the stems of the logs that superseded or invalidated it (None: all before this one).
    """

    id: str
    remark: str = ""
    said: tuple[str, ...] | None = None


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

#: The verb each event is written with, in the canonical order of the section. Never reused.
VERBS: dict[str, type[Event]] = {
    "Referenced": FactReferenced,
    "Created": FactCreated,
    "Updated": FactUpdated,
    "Superseded": FactSuperseded,
    "Invalidated": FactInvalidated,
    "Reactivated": FactReactivated,
    "Closed": ThreadClosed,
    "Reopened": ThreadReopened,
    "Verified": FactVerified,
    "Promoted": FactPromoted,
    "Demoted": FactDemoted,
    "Redacted": FactRedacted,
    "Reinstated": FactReinstated,
    "Archived": FactArchived,
}

VERB_OF: dict[type[Event], str] = {kind: verb for verb, kind in VERBS.items()}
VERB_RANK: dict[type[Event], int] = {kind: rank for rank, kind in enumerate(VERBS.values())}
#: Events whose naming of the fact is no use of it; nor is that of the old side of `FactSuperseded`.
NO_USE = (FactInvalidated, FactArchived)
#: Events that may name, as `was`, the versions which their writer saw.
SEEING = (FactUpdated, FactSuperseded, FactInvalidated, ThreadClosed)
#: Events of which several may stand in a log and would mean another thing in another order.
_TIED = (FactUpdated, FactSuperseded, ThreadClosed)


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
        if isinstance(event, FactSuperseded):
            return rank, 0, event.id, event.new, event.was or ()
        if isinstance(event, FactUpdated | ThreadClosed):
            return rank, met[event.id], "", "", event.was or ()
        return rank, 0, "", "", ()

    return sorted(events, key=place)
