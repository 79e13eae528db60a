"""Strip redacted facts and logs of their words, so that they can be kept and folded.

A text gives way to the name of its version (`ledger.model.ids.withheld_text`), so that updates still find
what they replace; of a footer stays what cannot hold free text, and of a remark nothing (FORMAT.md, F9).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactIgnored,
    FactRedacted,
    FactUpdated,
    Meta,
    facts_in,
)
from ledger.model.evidence import form_of, role_in
from ledger.model.ids import WITHHELD, is_fact_id, withheld_text
from ledger.model.log_names import is_date, is_stem, stem_in
from ledger.model.session import COUNTED_KEY, Entry
from projection.fold.fact_history import (
    REDACTED_TEXT,
    UNCOUNTED,
    Fact,
    History,
    counted_in,
)
from projection.policy.model import DEFAULT_KIND

#: Footer keys that hold ids.
_OF_IDS = ("supersedes", "serves", "conflicts")


def held_in(histories: Iterable[History]) -> frozenset[tuple[str, str]]:
    """Return the logs, as (stem, blob id), that redactions allow to be gone from the history."""
    return frozenset(
        [
            held
            for history in histories
            for act in history.acts
            if isinstance(act.event, FactRedacted)
            for held in act.event.held
        ]
    )


def withheld_entry(entry: Entry, redacted: Container[str]) -> Entry:
    """Return an entry without what is withheld of it; a redacted log's has no remarks."""
    bare = stem_in(entry.stem) in redacted
    acts = withheld_events(entry.acts, redacted, bare=bare, counted=True)
    return entry if acts == entry.acts else entry._replace(acts=acts)


def withheld_events(
    events: Sequence[Event], redacted: Container[str], *, bare: bool = False, counted: bool = False
) -> tuple[Event, ...]:
    """Return the events of one log without texts, footers and remarks of redacted facts.

    What one remark says beside several ids, is beside each of them. `events` are all of the log that
    are at hand; `bare`: no remark at all is to be left; `counted`: they are folded: of what counts by a
    remark its form is left.
    """
    gone = {event.remark for event in events if event.remark and (bare or names(event, redacted))}
    kept = [
        _unremarked(event, counted=counted) if event.remark in gone else event for event in events
    ]
    return tuple([_bare(event) if event.id in redacted else event for event in kept])


def _unremarked(event: Event, *, counted: bool) -> Event:
    """Return an event without its remark, but for a role, which is no free text."""
    if isinstance(event, FactIgnored) and role_in(event.remark):
        return event
    form = form_of(event.remark) if counted and isinstance(event, FactHelped) else ""
    return event._replace(remark=WITHHELD + form if form else "")


def names(event: Event, facts: Container[str]) -> bool:
    """Tell whether an event names one of some facts."""
    return any(fact in facts for fact in facts_in(event))


def withheld_history(history: History) -> History:
    """Return the history of a redacted fact without texts, footers and remarks."""
    acts = [act._replace(event=_bare(_unremarked(act.event, counted=True))) for act in history.acts]
    return history._replace(acts=tuple(acts))


def withheld_fact(fact: Fact) -> Fact:
    """Return a redacted fact: which versions it has and what its footer says that is no free text."""
    meta = tuple([pair for pair in structural(fact.meta) if pair[1]])
    heads = tuple([version._replace(text=REDACTED_TEXT) for version in fact.heads])
    return fact._replace(redacted=True, kind=_kind(fact.kind), heads=heads, meta=meta)


def structural(meta: Meta) -> Meta:
    """Return what of a footer can hold no free text: its kind, its birth, and the ids that it names.

    A key of ids stays, also without any: key by key, the first footer wins.
    """
    kept: list[tuple[str, str]] = []
    for key, value in meta:
        if key == "kind":
            kept.append((key, _kind(value)))
        elif key in _OF_IDS:
            kept.append((key, ", ".join(filter(is_fact_id, value.replace(",", " ").split()))))
        elif (
            (key == "created" and is_date(value))
            or (key == "origin" and is_stem(value))
            or (key == COUNTED_KEY and counted_in(value) is not UNCOUNTED)
        ):
            kept.append((key, value))
    return tuple(kept)


def free_values(meta: Meta) -> tuple[tuple[str, str], ...]:
    """Return the keys and values of a footer that are withheld."""
    kept = set(structural(meta))
    return tuple([pair for pair in meta if pair not in kept])


def _kind(kind: str) -> str:
    """Return a kind as it may be shown: nobody names one with a sentence."""
    return kind if is_fact_id(kind) else DEFAULT_KIND


def _bare(event: Event) -> Event:
    """Return an event of a redacted fact without its text, and with what its footer may show."""
    if isinstance(event, FactCreated | FactUpdated):
        text = None if event.text is None else withheld_text(event.text)
        return event._replace(text=text, meta=structural(event.meta))
    return event
