"""Choose what weighs most in a session log, what was decided in it, and what is left to do.

By the tables of `cues`, by place, and by the words that the log repeats. Whole numbers only, and every
order ends in the line, so the same text gives the same choice everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.record import Record
from projection.policy.model import CLOSABLE
from projection.text import passage_cues as cues
from projection.text.clipping import clipped
from projection.text.sentence_cutter import Reading, Sentence, plain_type, says_little
from projection.text.vocabulary import SMALL

#: What is said of one line.
LINE_CHARS = 200
_MARKS = ".,;:!?()[]{}*_`'\"—–→"
#: In a sentence of more words a turn of phrase may be about anything.
_LONG_WORDS, _SHORT_WORDS = 40, 25


class Quote(Record):
    """A line of a digest, and the line of the log on which it stands."""

    line: int
    text: str


class Weighed(Record):
    """A sentence with its words, and what it weighs as a point of a digest.

    `padded` is its text in lower case with a blank on both sides, so that phrases are found as words.
    """

    sentence: Sentence
    padded: str
    words: list[str]
    distinct: set[str]
    weight: int


def weigh(reading: Reading) -> list[Weighed]:
    """Weigh each sentence: by what the log talks about, where it stands, and how it begins."""
    read: list[tuple[Sentence, str, list[str], set[str]]] = []
    counts: dict[str, int] = {}
    for sentence in reading.sentences:
        low = sentence.text.lower()
        words = [word.strip(_MARKS) for word in low.split()]
        distinct = set(words) - SMALL
        read.append((sentence, f" {low} ", words, distinct))
        for word in distinct:
            counts[word] = counts.get(word, 0) + 1
    told = {
        word: min(count, 6) - 1 for word, count in counts.items() if count > 1 and len(word) > 2
    }
    weighed = []
    for sentence, padded, words, distinct in read:
        shared = sum([told[word] for word in distinct if word in told])
        weight = 60 * shared // (len(distinct) + 8) + _standing_weight(sentence, words, distinct)
        weighed.append(Weighed(sentence, padded, words, distinct, weight))
    return weighed


def _standing_weight(sentence: Sentence, words: list[str], distinct: set[str]) -> int:
    """Weigh a sentence by its place and its beginning."""
    weight = {cues.SUMMARY: 25, cues.DONE: 20, cues.DECISIONS: 10, cues.CHECKS: -60}.get(
        sentence.about, 0
    )
    if not distinct.isdisjoint(cues.TELLING):
        weight += 25
    if sentence.first:
        weight += 40
    if sentence.item:
        weight += 10
    if sentence.part <= 2:
        weight += 15
    if says_little(sentence.text):
        weight -= 20 if sentence.item and len(words) > 2 else 80
    if words[0] in cues.LEANING:
        weight -= 40
    return weight


def decisions(reading: Reading, weighed: Sequence[Weighed], limit: int) -> tuple[Quote, ...]:
    """Return what was decided: facts of that kind, what stands under such a heading, and what says so."""
    found = [
        Quote(block.line, said(block.text))
        for block in reading.facts
        if dict(block.meta).get("kind") == "decision"
    ]
    ranked = [
        (-strength, place, Quote(one.sentence.line, said(one.sentence.text)))
        for place, one in enumerate(weighed)
        if (strength := decision_weight(one)) > 1 and len(one.words) > 3
    ]
    return best(found, ranked, limit)


def decision_weight(one: Weighed) -> int:
    """Weigh how surely a sentence tells of a decision; from 2 on it does."""
    if one.sentence.about == cues.DECISIONS:
        return 8 if one.sentence.first else 1
    if one.sentence.about in (cues.ACTIONS, cues.CHECKS) or len(one.words) > _LONG_WORDS:
        return 0
    strength = 2 * len(one.distinct & cues.DECIDING) + len(one.distinct & cues.WEIGHING_WORDS)
    return strength + sum([phrase in one.padded for phrase in cues.WEIGHING_PHRASES])


def actions(reading: Reading, weighed: Sequence[Weighed], limit: int) -> tuple[Quote, ...]:
    """Return what is still to be done: open boxes and threads, what such a heading or label announces."""
    found = [
        Quote(block.line, said(block.text))
        for block in reading.facts
        if block.mark == " " or (dict(block.meta).get("kind") in CLOSABLE and not block.mark)
    ]
    ranked: list[tuple[int, int, Quote]] = []
    for place, one in enumerate(weighed):
        sentence = one.sentence
        if sentence.mark == "x" or not one.words:
            continue
        padded, head = one.padded, one.words[0]
        behind = padded.lstrip(" *").removeprefix(head).lstrip(" *")[:1]
        if sentence.mark == " ":
            strength = 9 if sentence.first else 0
        elif sentence.about == cues.ACTIONS:
            strength = 6 if sentence.first else 2
        elif head in cues.ACTION_LABELS and behind in (":", "—", "–"):
            strength = 6  # `Next: …`, `TODO — …`
        elif len(one.words) > _LONG_WORDS or sentence.about in (cues.DECISIONS, cues.CHECKS):
            continue
        else:
            strength = 2 * sum([phrase in padded for phrase in cues.ACTION_PHRASES])
            if not strength and len(one.words) <= _SHORT_WORDS:
                strength = 2 * any(phrase in padded for phrase in cues.MAYBE_ACTION)
        if strength > 1 and len(one.words) > 1 and not _taken_back(one):
            ranked.append((-strength, place, Quote(sentence.line, said(sentence.text))))
    return best(found, ranked, limit)


def _taken_back(one: Weighed) -> bool:
    """Tell whether a sentence about what is to be done says that it is done, or that there is nothing."""
    if one.sentence.mark == " ":
        return False
    if one.words[0] in cues.FINISHED or one.padded.startswith((" ~~", " ✅", " ✔")):
        return True
    return any(phrase in one.padded for phrase in cues.NO_ACTION)


def best(facts: list[Quote], ranked: list[tuple[int, int, Quote]], limit: int) -> tuple[Quote, ...]:
    """Return texts of facts and then the best quotes, in the order of the log, none twice.

    `facts` go before all others; `ranked` is (what sorts before is better, place in the log, quote).
    """
    chosen = [(quote.line, -1, quote) for quote in facts[:limit]]
    known = {quote.text for quote in facts}
    for _, place, quote in sorted(ranked):
        if len(chosen) == limit:
            break
        if quote.text not in known:
            known.add(quote.text)
            chosen.append((quote.line, place, quote))
    return tuple([quote for _, _, quote in sorted(chosen)])


def said(text: str) -> str:
    """Return a text as a line of a digest."""
    return clipped(plain_type(text), LINE_CHARS)
