"""Read what logs tell that lasts, and in how many work sessions something near to it was said.

Only sentences are offered that stand alone and say what somebody can go by. What is withheld is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ledger.home import Home
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import named_in, redacted_logs, shown
from memory.replay.log_bytes import read_bytes
from projection.text.normalize import index_words
from projection.text.passage_cues import ACTIONS, CHECKS, LEANING
from projection.text.salience import Weighed, decision_weight, weigh
from projection.text.session_digest import reading_of
from rituals.hosts.quoted_items import Item
from rituals.review.learning import learning_cues
from rituals.review.learning.offer import (
    CORRECTION,
    DECISION,
    LESSON,
    PREFERENCE,
    REPEATED,
    Offer,
    offered,
)

#: At least and at most so many words has what can be a fact.
_LEAST_WORDS, _MOST_WORDS, _MANY_WORDS = 6, 60, 40
#: What a sentence has to weigh to be offered although it was said once, and because it is repeated.
_ENOUGH, _ENOUGH_REPEATED = 4, 2
#: So many work sessions repeat what is offered for that alone.
REPEATS = 3
#: A word that more sentences have tells nothing; those near to each other share so many, or all but one.
_COMMON, _SHARED = 300, 4
#: How much of the shorter and of the longer of two sentences is the same, of 100.
_OF_SHORTER, _OF_LONGER = 55, 40
#: A header is no longer.
_HEADER_BYTES = 8_000
#: Of so many logs a running process keeps what was read.
_KEPT = 600
_KINDS = {CORRECTION: "decision", DECISION: "decision", PREFERENCE: "preference",
          LESSON: "pattern", REPEATED: "convention"}  # fmt: skip


class Told(Record):
    """A sentence of a log."""

    stem: str  #: of the log
    session: str  #: that the log tells of; several logs may tell of one
    line: int  #: of the log
    text: str  #: as it stands there
    words: frozenset[str]  #: by which it is found again
    source: str  #: what it would be offered as, "" for nothing
    weight: int  #: how much speaks for it


def told_in(
    home: Home, cache: Cache, logs: Sequence[tuple[LogRef, Entry]]
) -> tuple[list[Told], list[str]]:
    """Return the sentences of logs, in ledger order, and the stems of those with a verdict."""
    withheld = redacted_logs(cache)
    entries = {ref: entry for ref, entry in logs if ref.stem not in withheld}
    texts = dict(read_bytes(home, list(entries)))
    found: list[Told] = []
    judging: list[str] = []
    for ref, entry in entries.items():
        data = texts.get(ref)
        if data is not None:
            if b"\nverdict:" in data[:_HEADER_BYTES]:
                judging.append(ref.key)
            text = shown(home, cache, data.decode("utf-8", "replace"), named_in(entry))
            said = _sentences(ref.stem, entry.session or ref.stem, text)
            # of what a host told candidates are offered; here it counts as a repetition
            found += [one._replace(source="") for one in said] if entry.reach else said
    return found, judging


@lru_cache(_KEPT)
def _sentences(stem: str, session: str, text: str) -> tuple[Told, ...]:
    """Read the sentences of a log, which a running process does once."""
    return tuple(_read(stem, session, text))


def _read(stem: str, session: str, text: str) -> Iterator[Told]:
    lessons = _below_lessons(text)
    for one in weigh(reading_of(text)):
        sentence = one.sentence
        below = lessons[sentence.line - 1 : sentence.line] == [True]
        tells_little = sentence.about in (ACTIONS, CHECKS) or "[redacted: " in sentence.text
        source, weight = ("", 0) if tells_little else _judged(one, below)
        words = frozenset(index_words(sentence.text))
        yield Told(stem, session, sentence.line, sentence.text, words, source, weight)


def _below_lessons(text: str) -> list[bool]:
    """Tell for each line of a log whether it stands below a heading of lessons."""
    found: list[bool] = []
    below = False
    for line in text.split("\n"):
        if line.startswith("#"):
            below = learning_cues.lessons_heading(line) is not None
        found.append(below)
    return found


def _judged(one: Weighed, below: bool) -> tuple[str, int]:
    """Tell what a sentence would be offered as, and weigh what speaks for and against that.

    `below`: it stands below a heading of lessons.
    """
    text, count = one.sentence.text, len(one.words)
    first = text[:1]
    stands = first.isupper() or first in "`\"'“" or not first.isascii()
    if not _LEAST_WORDS <= count <= _MOST_WORDS or one.words[0] in LEANING or not stands:
        return "", 0
    lesson = learning_cues.lesson(text) is not None or (below and one.sentence.first)
    corrects = learning_cues.corrects(text) is not None
    rules, prefers = learning_cues.rules(text) is not None, learning_cues.prefers(text) is not None
    modals = {found[0].lower() for found in learning_cues.modal.finditer(text)}
    weight = 5 * lesson + 4 * corrects + 3 * rules + 3 * prefers + 2 * min(len(modals), 2)
    decides = decision_weight(one)
    weight += (learning_cues.reason(text) is not None) + min(decides, 4)
    if not (lesson or corrects or rules or prefers or modals or decides > 1):
        return "", 0
    weight -= min(6, 2 * len({found[0].lower() for found in learning_cues.tells.finditer(text)}))
    weight -= min(6, 2 * len(learning_cues.passing(text))) + (learning_cues.past(text) is not None)
    weight -= 2 * (count > _MANY_WORDS) + 3 * (
        2 * sum(map(len, learning_cues.quoted(text))) > len(text)
    )
    if corrects:
        return CORRECTION, weight
    if lesson:
        return LESSON, weight
    if rules or decides > 1:
        return DECISION, weight
    return (PREFERENCE if prefers else REPEATED), weight


class Recurrence:
    """Knows in which work sessions something near to a text was said.

    Args:
        told: the sentences of logs.
    """

    def __init__(self, told: Sequence[Told]) -> None:
        self._told = told
        self._places: dict[str, list[int]] = {}
        for place, one in enumerate(told):
            for word in one.words:
                self._places.setdefault(word, []).append(place)
        self._rarity: dict[str, int] = {}
        self._rarest = (len(told) + 1).bit_length()
        for word, places in self._places.items():
            self._rarity[word] = ((len(told) + 1) // (len(places) + 1)).bit_length()

    def near(self, words: frozenset[str]) -> list[Told]:
        """Return the sentences near to some words, in ledger order; rare words weigh more."""
        shared: dict[int, int] = {}
        for word in words:
            places = self._places.get(word, ())
            if len(places) <= _COMMON:
                for place in places:
                    shared[place] = shared.get(place, 0) + 1
        mine = self.weight(words)
        found = []
        for place in sorted(place for place, count in shared.items() if count > 2):
            theirs = self._told[place].words
            both = words & theirs
            if len(both) < max(3, min(_SHARED, max(len(words), len(theirs)) - 1)):
                continue
            weight = self.weight(both)
            shorter, longer = sorted((mine, self.weight(theirs)))
            if 100 * weight >= max(_OF_SHORTER * shorter, _OF_LONGER * longer):
                found.append(self._told[place])
        return found

    def weight(self, words: frozenset[str]) -> int:
        """Weigh words by how rare they are, in whole numbers."""
        return sum([self._rarity.get(word, self._rarest) for word in words])


def offers_of_logs(told: Sequence[Told], recurrence: Recurrence, since: str) -> list[Offer]:
    """Offer what logs tell that lasts; of what several say alike, the sentence that weighs most.

    Only what was said from the stem `since` on is offered; what was said before counts as a repetition.
    """
    ranked = [one for one in told if one.source and one.weight >= _ENOUGH_REPEATED]
    ranked.sort(key=lambda one: (-one.weight, one.stem, one.line))
    found: list[Offer] = []
    covered: set[tuple[str, int]] = set()
    for one in ranked:
        if one.stem < since or (one.stem, one.line) in covered:
            continue
        near = [one, *[other for other in recurrence.near(one.words) if other != one]]
        sessions = frozenset([other.session for other in near])
        if one.weight < _ENOUGH and len(sessions) < REPEATS:
            continue
        if one.source == REPEATED and len(sessions) < REPEATS and one.weight <= _ENOUGH:
            continue
        covered.update([(other.stem, other.line) for other in near])
        label = learning_cues.lesson_label if one.source == LESSON else learning_cues.told_label
        text = label.sub("", one.text)
        item = Item(_KINDS[one.source], text[:1].upper() + text[1:], one.text, one.weight)
        others = sorted({f"{other.stem}:{other.line}" for other in near[1:]}, reverse=True)
        places = (f"{one.stem}:{one.line}", *others)
        found += offered(one.source, item, places, one.weight, sessions)
    return found
