"""Define what may be learned, before and after the bar: offers, their marks, proposals and their keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ledger.git.code_history import Code
from ledger.model.record import Record
from projection.lifecycle.promotion import paragraphs_of, specific, undocumented, words
from projection.lifecycle.review_threads import key_of
from projection.text.normalize import index_words, plain
from rituals.hosts.capture.composition import storable
from rituals.hosts.quoted_items import Item
from rituals.review.learning import learning_cues
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
#: In so many work sessions something recurs.
_RECURS = 2
_SHOWN_PLACES = 3
_NAME = re.compile(r"`([A-Za-z_][\w.:/-]{2,80})`")
#: Why one can act on what these sources offer, whatever its words.
_USABLE = {
    CORRECTION: "somebody was corrected",
    PREFERENCE: "a person wants it so",
    FINDING: "it is there to be looked for",
    DROPPED: "work that was dropped had learned it",
}
#: A kind of fact that says how it is to be.
_RULES = frozenset(("convention", "preference", "decision", "invariant", "pattern"))


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


class Bar:
    """The bar of one ledger and its code.

    Args:
        documents: texts of the code's documents by path, None where there is no code to ask.
        code: None for none.
    """

    def __init__(self, documents: Mapping[str, str] | None, code: Code | None) -> None:
        self._code = code
        self._present: dict[str, bool] = {}
        self._paragraphs: list[tuple[str, frozenset[str]]] | None = None
        if documents is not None:
            self._paragraphs = [
                (path, paragraph)
                for path, text in documents.items()
                for paragraph in paragraphs_of([text])
            ]

    def look_up(self, offers: Sequence[Offer]) -> None:
        """Ask the code, all at once, for the names that offers tell of."""
        wanted = {
            name for offer in offers for name in _names(offer.item.text)
        } - self._present.keys()
        if self._code is not None and wanted:
            found = self._code.present(wanted)
            self._present.update((name, name in found) for name in wanted)

    def marks(self, offer: Offer) -> tuple[Mark, ...]:
        """Return the four marks of an offer."""
        return (_recurs(offer), self._undocumented(offer), self._unseen(offer), _usable(offer))

    def _undocumented(self, offer: Offer) -> Mark:
        if self._paragraphs is None:
            return Mark(UNDOCUMENTED, None, "there are no documents to ask")
        own = words(offer.item.text)
        degree = undocumented(own, [paragraph for _, paragraph in self._paragraphs])
        if degree == 2 or not self._paragraphs:
            return Mark(UNDOCUMENTED, True, "none of the repository's documents says it")
        path = max(self._paragraphs, key=lambda one: len(own & one[1]))[0]
        how = "half of it stands" if degree else "it stands"
        return Mark(UNDOCUMENTED, bool(degree), f"{how} in {path}")

    def _unseen(self, offer: Offer) -> Mark:
        text = offer.item.text
        if self._code is None:
            return Mark(UNSEEN, None, "there is no code to ask")
        if _says_why(offer):
            return Mark(UNSEEN, True, "it says how it has to be, or why; code shows how it is")
        names = _names(text)
        shown = [name for name in names if self._present.get(name)]
        if not names:
            return Mark(
                UNSEEN, True, "code can not show it: it names no file and no part of the code"
            )
        if len(shown) < len(names):
            missing = next(name for name in names if name not in shown)
            return Mark(UNSEEN, True, f"code does not show it: there is no `{missing}` in it")
        return Mark(UNSEEN, False, f"the code has {', '.join(f'`{name}`' for name in shown)}")


def passes(marks: Collection[Mark]) -> bool:
    """Tell whether marks are enough to ask a person."""
    met = {mark.name: mark.met for mark in marks}
    if met[UNDOCUMENTED] is False or met[USABLE] is False:
        return False
    return sum(one is False for one in met.values()) <= 1


def _recurs(offer: Offer) -> Mark:
    shown = ", ".join(offer.places[:_SHOWN_PLACES])
    more = len(offer.places) - _SHOWN_PLACES
    where = f"{shown} and {more} more places" if more > 0 else shown
    count = len(offer.sessions)
    if offer.source == FINDING:
        return Mark(RECURS, True, f"found again and again: {where}")
    said = f"said in {count} work sessions" if count > 1 else "said in one work session"
    return Mark(RECURS, count >= _RECURS, f"{said}: {where}")


def _usable(offer: Offer) -> Mark:
    text = offer.item.text
    if offer.source in _USABLE:
        return Mark(USABLE, True, _USABLE[offer.source])
    if learning_cues.modal.search(text):
        return Mark(USABLE, True, "it says what to do, or not to do")
    named = specific(text)
    if offer.item.kind in _RULES and (named or offer.source in (CANDIDATE, DECISION)):
        return Mark(USABLE, True, "it is a rule or a choice, and says of what")
    return Mark(
        USABLE,
        named == 2,
        "it names what it is about" if named == 2 else "it says nothing to go by",
    )


def _says_why(offer: Offer) -> bool:
    text = offer.item.text
    willed = offer.source in (CORRECTION, PREFERENCE, REPEATED)
    return willed or bool(
        learning_cues.modal.search(text) or learning_cues.reason(text) or learning_cues.rules(text)
    )


def _names(text: str) -> list[str]:
    """Return what a text puts between back-ticks, the last part of each name, in order."""
    found = [
        name.rstrip(".:/-()").replace("::", ".").rpartition(".")[2] for name in _NAME.findall(text)
    ]
    return list(dict.fromkeys([name for name in found if len(name) > 2]))
