"""Define what may be learned, before and after the bar: offers, their marks, proposals and their keys."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from projection.lifecycle.review_threads import key_of
from projection.text.normalize import index_words, plain
from rituals.hosts.capture.composition import storable
from rituals.hosts.extraction.extracted_items import Item
from rituals.review.review_question import LEARN, Question

#: Where an offer comes from, what weighs most first: a person's word before an agent's.
CORRECTION, CANDIDATE, PREFERENCE, DECISION, LESSON, FINDING, REPEATED, DROPPED = SOURCES = (
    "correction", "candidate", "preference", "decision", "lesson", "finding", "repeated", "dropped",
)  # fmt: skip
#: A question that found nothing: no text, but words by which a fact is found.
ASKED = "asked"
#: The four marks of the bar.
RECURS, UNDOCUMENTED, UNSEEN, USABLE = "recurs", "undocumented", "unseen", "usable"
#: The footer by which a fact is known as the answer to a proposal, whatever becomes of its text.
LEARNED_KEY = "learned"


class Offer(Record):
    """Something that could be learned."""

    source: str  #: one of `SOURCES`, or `ASKED`
    item: Item  #: what would be recorded, with the words that bear it out
    places: tuple[str, ...]  #: where it was said so, then the others, the newest first: `STEM:LINE`
    weight: int  #: how much speaks for it by itself
    sessions: frozenset[str]  #: the work sessions that said it

    @property
    def key(self) -> str:
        """By which it is known for good: made of its words alone."""
        return key_of(LEARN, plain(self.item.text))

    @property
    def words(self) -> frozenset[str]:
        """The words by which it is found again."""
        return frozenset(index_words(self.item.text))


def offered(
    source: str, item: Item, places: tuple[str, ...], weight: int, sessions: Iterable[str]
) -> list[Offer]:
    """Offer an item as it would be stored; none where it can not be."""
    said = frozenset(sessions)
    return [Offer(source, fit, places, weight, said) for fit in storable([item])]


class Mark(Record):
    """One mark of the bar: whether it is met (None: nobody can tell), and what shows that."""

    name: str
    met: bool | None
    shown: str


class Proposal(Record):
    """What a person is asked."""

    offer: Offer  #: what would be learned
    marks: tuple[Mark, ...]  #: the four marks
    question: Question  #: by which it is asked, answered and remembered, as those of a review are
    diff: tuple[str, ...]  #: what accepting it changes, a line each, as a diff has them

    @property
    def key(self) -> str:
        """By which it is known for good."""
        return self.question.key


class Held(Record):
    """What was not proposed because memory has it, or says otherwise."""

    text: str  #: of the offer
    fact: str  #: the id of the fact
    how: str  #: `says it` or `contradicts it`
    where: str  #: where the offer was said
