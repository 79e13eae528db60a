"""Define what an extraction gives: items, each with the words that bear it out."""

from __future__ import annotations

from ledger.model.record import Record

#: At most so many items come of a slice, each with at most so many tags.
MOST_ITEMS, MOST_TAGS = 12, 5
#: What is told without a model.
SOURCES = "sources"


class Item(Record):
    """Something that others have to know.

    Args:
        kind: of the fact.
        text: in words that can be understood without the session.
        quote: the words of the session that say it, on one line.
        salience: 1 to 10.
        entity: what it is about.
        tags: at most 5.
        personal: it is about the person, not about the project.
        supersedes: ids of known facts that no longer hold.
        obsolete_when: what will make an end of it.
        misfit: where it does not fit.
        at: the byte at which the line of the transcript starts that has the quote.
    """

    kind: str
    text: str
    quote: str
    salience: int = 5
    entity: str = ""
    tags: tuple[str, ...] = ()
    personal: bool = False
    supersedes: tuple[str, ...] = ()
    obsolete_when: str = ""
    misfit: str = ""
    at: int = 0


class Extraction(Record):
    """What became of a slice.

    Args:
        items: at most 12, what weighs most first.
        extractor: what found them: "sources", "http:MODEL", "claude -p" or "codex exec -".
        dropped: how many more it gave that nobody said, or that are none.
        failed: why there are none, "" where it was no failure: none is an answer, too.
    """

    items: tuple[Item, ...]
    extractor: str
    dropped: int = 0
    failed: str = ""
