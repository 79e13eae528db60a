"""Define what a source of memories hands in, and what a plan makes of it.

A source hands in items, with what it calls them, and what it left out.
"""

from __future__ import annotations

from ledger.model.event import Event, FactCreated
from ledger.model.findings import Finding
from ledger.model.record import Record

#: What becomes of an item that its source changed: an update, or a question where memory changed it too.
UPDATED, ASKED = "updated", "asked"


class Item(Record):
    """One thing that a source knows: a fact to be, in the source's own words."""

    key: str  #: what the source calls it, the same at each reading: an id, or the path and heading
    text: str  #: markdown, one fact
    kind: str = ""  #: of the policy's kinds, "" for a plain fact
    at: str = ""  #: when it was written, a date or an instant; "" where the source does not say
    author: str = ""  #: who wrote it, "" where the source does not say
    #: where it stands, for a person who looks it up: `path:line`, with `@commit` where git has it
    place: str = ""
    entity: str = ""  #: what it is about, "" for nothing in particular
    tags: tuple[str, ...] = ()  #: of the source
    closed: bool = False  #: it was open once, and is settled
    personal: bool = False  #: it is about the person, and belongs into no shared home
    replaces: tuple[str, ...] = ()  #: keys of items that it stands in place of
    id: str = ""  #: what the fact is to be called, "" where its text gives it a name


class LeftOut(Record):
    """Something that a source holds and that is no fact: where it stands, and why it stays there."""

    place: str
    why: str
    key: str = ""  #: what its source calls it, where it is an item


class Reading(Record):
    """What one reading of a source brought."""

    source: str  #: its name, as the header of the log has it (`source: claude`)
    items: tuple[Item, ...]  #: in the source's order
    left_out: tuple[LeftOut, ...] = ()  #: what was passed over, in the source's order
    #: its items are decided there: one that is false here is asked about
    decided: bool = False


class Planned(Record):
    """An item that becomes a fact."""

    id: str
    item: Item
    event: FactCreated


class Changed(Record):
    """An item that its source changed since it was taken in."""

    id: str  #: of its fact
    item: Item  #: as it is now
    before: str  #: the text of the fact
    text: str  #: the text that the item has now, as it would be stored
    how: str  #: `UPDATED` or `ASKED`


class IntakePlan(Record):
    """What one reading of a source comes to."""

    source: str  #: its name
    new: tuple[Planned, ...] = ()  #: what becomes a fact, in the source's order
    same: int = 0  #: how many items memory has already
    ids: tuple[
        tuple[str, str], ...
    ] = ()  #: the key of each item that is a fact, or is to be, and its id
    changed: tuple[Changed, ...] = ()  #: what the source changed
    closed: tuple[str, ...] = ()  #: ids of threads that the source settled since
    #: what is no fact, may not be stored, or is withheld or false here
    left_out: tuple[LeftOut, ...] = ()
    #: items about the person: they belong into the personal home, and stay out of this one
    personal: tuple[Item, ...] = ()
    redacted: int = 0  #: how many secrets are not stored
    findings: tuple[Finding, ...] = ()  #: what was changed so that it can stand in a log
    #: the events of each log to be; none where there is nothing to write
    logs: tuple[tuple[Event, ...], ...] = ()


class Applied(Record):
    """What was written."""

    stems: tuple[str, ...] = ()  #: of the logs, oldest first; none where there was nothing new
    commits: tuple[str, ...] = ()  #: that have them; fewer where a log waits in the spool
    findings: tuple[Finding, ...] = ()  #: what was noticed
