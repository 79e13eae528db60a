"""Pack entries and events into plain tuples, which a cache or a pipe can hold, and unpack them.

`marshal` takes only exact built-in types; it reads and writes them ten times faster than anything else
in the standard library. The form is internal: caches carry a version and are rebuilt, never migrated.
"""

from __future__ import annotations

from ledger.model.event import VERBS, Event
from ledger.model.session import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS: tuple[type[Event], ...] = tuple(VERBS.values())
_CODES = {kind: code for code, kind in enumerate(_KINDS)}


def pack_event(event: Event) -> tuple[Any, ...]:
    """Return an event as a plain tuple: the position of its verb in the table, then its fields."""
    return (_CODES[type(event)], *event)


def unpack_event(packed: tuple[Any, ...]) -> Event:
    """Return the event of a plain tuple.

    Raises:
        (TypeError, IndexError): this was never packed here.
    """
    event: Event = _KINDS[packed[0]](*packed[1:])
    return event


def pack_entry(entry: Entry) -> tuple[Any, ...]:
    """Return an entry as a plain tuple."""
    stem, work, agent, kind, named, acts, *told = entry
    return stem, work, agent, kind, named, tuple([pack_event(event) for event in acts]), *told


def unpack_entry(packed: tuple[Any, ...]) -> Entry:
    """Return the entry of a plain tuple."""
    stem, work, agent, kind, named, acts, *told = packed
    return Entry(stem, work, agent, kind, named, tuple([unpack_event(act) for act in acts]), *told)
