"""Define what a source of memories hands in, and what a plan makes of it.

A source hands in items, with what it calls them, and what it left out. What a memory has
already is known by its key or its words; what can not be known is asked by threads of the intake.
"""

from __future__ import annotations

from ledger.model.event import Event, FactCreated
from ledger.model.finding_codes import Finding
from ledger.model.ids import version_id
from ledger.model.record import Record
from memory import footer_value
from projection.brief.inert_text import shortened
from projection.policy.model import THREAD_KIND

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


class Draft(Record):
    """An item as it would be stored."""

    item: Item  #: as its source has it
    key: str  #: of the footer `key`
    event: FactCreated  #: that brings it; in a plan with its id
    secrets: int = 0  #: how many were taken out
    findings: tuple[Finding, ...] = ()  #: what was changed so that it can stand in a log

    @property
    def id(self) -> str:
        """Its fact."""
        return self.event.id

    @property
    def text(self) -> str:
        """The text as it is stored."""
        return self.event.text or ""


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
    new: tuple[Draft, ...] = ()  #: what becomes a fact, in the source's order
    same: int = 0  #: how many items memory has already
    #: the key of each item that is a fact, or is to be, and its id
    ids: tuple[tuple[str, str], ...] = ()
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


#: Footers of what was taken in: what its source calls it, and the text that it last had there.
KEY, IMPORTED = "key", "imported"
_KEY_CHARS, _QUOTED_CHARS = 200, 300


def key_in(source: str, key: str) -> str:
    """Return how the footer of a fact says what a source calls it."""
    value = footer_value(f"{source} {key}")
    if len(value) > _KEY_CHARS:
        value = f"{value[:_KEY_CHARS]}… {version_id(value)}"
    return value


def asking(id: str, version: str) -> str:
    """Return the id of the thread that asks about a fact that both sides changed.

    `version` is that of the text that the source has.
    """
    return f"changed-twice-{version_id(f'{id} {version}')}"


def changed_twice(source: str, id: str, text: str) -> FactCreated:
    """Ask what holds of a fact that was changed here and in its source, which now has `text`."""
    said = shortened(footer_value(text), _QUOTED_CHARS)
    asked = (
        f"`{id}` was changed here and in {source} since it was taken in. What does hold? "
        f'{source} has now: "{said}"'
    )
    return _thread(asking(id, version_id(text)), asked, id)


def denied(id: str, document: str) -> FactCreated:
    """Ask what holds of an accepted decision that memory calls false.

    `id` is of the fact that says the same, and is false; `document` has the decision.
    """
    path = footer_value(document)
    asked = f"`{id}` is false here, and {path} has it as an accepted decision. What does hold?"
    return _thread(f"denied-{version_id(f'{id} {path}')}", asked, id)


def _thread(id: str, text: str, about: str) -> FactCreated:
    return FactCreated(id, text, " ", (("kind", THREAD_KIND), ("about", about)))
