"""Withholding: what is kept and folded of redacted facts and logs, without a word of what they say.

A text gives way to the name of its version (`ledger.ids.withheld_text`), so that updates still find what
they replace. Keeps F9 of FORMAT.md.
"""

from __future__ import annotations

from ledger.event import Event, FactCreated, FactRedacted, FactUpdated
from ledger.ids import withheld_text
from ledger.order import stem_in
from ledger.session import Entry
from projection.fact import REDACTED_TEXT, Act, History, Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def redactions_in(entries: Iterable[Entry]) -> list[str]:
    """Return what some logs redact, as often as they say so: ids of facts, and stems of logs."""
    return [event.id for entry in entries for event in entry.acts if type(event) is FactRedacted]


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
    """Return an entry without the texts of redacted facts, and a redacted log's without its remarks."""
    bare = stem_in(entry.stem) in redacted
    acts = tuple([_withheld(event, bare, redacted) for event in entry.acts])
    return entry if acts == entry.acts else entry._replace(acts=acts)


def withheld_history(history: History) -> History:
    """Return the history of a redacted fact without its texts."""
    return history._replace(
        acts=tuple([Act(stem, seq, _without_text(event)) for stem, seq, event in history.acts])
    )


def without_texts(versions: Iterable[Version]) -> tuple[Version, ...]:
    """Return the versions of a redacted fact: which they are, and nothing that they say."""
    return tuple([version._replace(text=REDACTED_TEXT) for version in versions])


def _withheld(event: Event, bare: bool, redacted: Container[str]) -> Event:
    if bare and event.remark:
        event = event._replace(remark="")
    return _without_text(event) if event.id in redacted else event


def _without_text(event: Event) -> Event:
    if isinstance(event, FactCreated | FactUpdated) and event.text is not None:
        return event._replace(text=withheld_text(event.text))
    return event
