"""Define what a source of memories hands in: items, with what it calls them, and what was left out."""

from __future__ import annotations

from ledger.model.record import Record


class Version(Record):
    """A text that an item had before.

    Args:
        text: as it stood.
        at: since when, a date or an instant; "" where the source does not say.
        author: who wrote it, "" where the source does not say.
    """

    text: str
    at: str = ""
    author: str = ""


class Item(Record):
    """One thing that a source knows: a fact to be, in the source's own words.

    Args:
        key: what the source calls it, the same at each reading: an id, or the path and heading.
        text: markdown, one fact.
        kind: of the policy's kinds, "" for a plain fact.
        at: when it was written, a date or an instant; "" where the source does not say.
        author: who wrote it, "" where the source does not say.
        place: where it stands, for a person who looks it up: `path:line`, with `@commit` where git has it.
        entity: what it is about, "" for nothing in particular.
        tags: of the source.
        closed: it was open once, and is settled.
        personal: it is about the person, and belongs into no shared home.
        replaces: keys of items that it stands in place of.
        earlier: the texts that it had before, oldest first.
    """

    key: str
    text: str
    kind: str = ""
    at: str = ""
    author: str = ""
    place: str = ""
    entity: str = ""
    tags: tuple[str, ...] = ()
    closed: bool = False
    personal: bool = False
    replaces: tuple[str, ...] = ()
    earlier: tuple[Version, ...] = ()


class LeftOut(Record):
    """Something that a source holds and that is no fact: where it stands, and why it stays there."""

    place: str
    why: str


class Reading(Record):
    """What one reading of a source brought.

    Args:
        source: its name, as the header of the log has it (`source: claude`).
        items: in the source's order.
        left_out: what was passed over, in the source's order.
        whole: it is all that the source has, so what waited for another time is in it, or gone.
    """

    source: str
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...] = ()
    whole: bool = True


def beside(one: Item, two: Item) -> bool:
    """Tell whether two items stand in one document: who wrote them there knew of both."""
    documents = [item.place.partition("@")[0].rpartition(":")[0] for item in (one, two)]
    return documents[0] == documents[1] != ""
