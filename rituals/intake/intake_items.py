"""Define what a source of memories hands in: items, with what it calls them, and what was left out."""

from __future__ import annotations

from ledger.model.record import Record


class Version(Record):
    """A text that an item had before."""

    text: str  #: as it stood
    at: str = ""  #: since when, a date or an instant; "" where the source does not say
    author: str = ""  #: who wrote it, "" where the source does not say


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
    earlier: tuple[Version, ...] = ()  #: the texts that it had before, oldest first


class LeftOut(Record):
    """Something that a source holds and that is no fact: where it stands, and why it stays there."""

    place: str
    why: str


class Reading(Record):
    """What one reading of a source brought."""

    source: str  #: its name, as the header of the log has it (`source: claude`)
    items: tuple[Item, ...]  #: in the source's order
    left_out: tuple[LeftOut, ...] = ()  #: what was passed over, in the source's order
    #: it is all that the source has, so what waited for another time is in it, or gone
    whole: bool = True


def beside(one: Item, two: Item) -> bool:
    """Tell whether two items stand in one document: who wrote them there knew of both."""
    documents = [item.place.partition("@")[0].rpartition(":")[0] for item in (one, two)]
    return documents[0] == documents[1] != ""
