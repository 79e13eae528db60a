"""Tell what is only one person's: facts with the footer `personal: true` (FORMAT.md, S16)."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.event import Event, FactCreated, FactUpdated, Meta

PERSONAL_KEY, PERSONAL_VALUE = "personal", "true"
#: What says that a fact is not; any other value is taken at its worst.
_NOT = ("", "false", "no", "0")


def says_personal(meta: Meta) -> bool:
    """Tell whether a footer says that its fact is only one person's."""
    return any(key == PERSONAL_KEY and value.strip().lower() not in _NOT for key, value in meta)


def personal_ids(events: Iterable[Event]) -> list[str]:
    """Return the facts that some events call personal, each once, in order."""
    return list(
        dict.fromkeys(
            event.id
            for event in events
            if isinstance(event, FactCreated | FactUpdated) and says_personal(event.meta)
        )
    )
