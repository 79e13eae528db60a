"""Define what an extraction gives: items, each with the words that bear it out."""

from __future__ import annotations

from ledger.model.record import Record

#: At most so many items come of a slice, each with at most so many tags.
MOST_ITEMS, MOST_TAGS = 12, 5
#: What is told without a model.
SOURCES = "sources"


class Item(Record):
    """Something that others have to know."""

    kind: str  #: of the fact
    text: str  #: in words that can be understood without the session
    quote: str  #: the words of the session that say it, on one line
    salience: int = 5  #: 1 to 10
    entity: str = ""  #: what it is about
    tags: tuple[str, ...] = ()  #: at most 5
    personal: bool = False  #: it is about the person, not about the project
    supersedes: tuple[str, ...] = ()  #: ids of known facts that no longer hold
    obsolete_when: str = ""  #: what will make an end of it
    misfit: str = ""  #: where it does not fit
    at: int = 0  #: the byte at which the line of the transcript starts that has the quote


class Extraction(Record):
    """What became of a slice."""

    items: tuple[Item, ...]  #: at most 12, what weighs most first
    extractor: str  #: what found them: "sources", "http:MODEL", "claude -p" or "codex exec -"
    dropped: int = 0  #: how many more it gave that nobody said, or that are none
    failed: str = ""  #: why there are none, "" where it was no failure: none is an answer, too
