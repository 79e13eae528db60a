"""Find the facts that sentences say again, in whatever words: that is a use of a fact, and no copy of it.

Words count by how rare they are among the facts. A question restates nothing, nor does what has other
numbers, or denies more or less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from math import fsum, log

from ledger.model.record import Record
from projection.compare.candidates import bits_of, levels_of, numbers_in
from projection.text.normalize import Statement, content_words, sentences, statement, statements

#: The share of a fact's words that is said again; or this, where so much of what is said is its.
_COVER, _PART, _OWN = 0.62, 0.40, 0.65
#: So many words in common, or so few where the share is that, or the numbers are the same.
_COMMON, _FEW, _MOST = 4, 3, 0.75
#: How much of what is said has to be the fact's in any case: a pasted page says everything.
_LEAST_OWN = 0.2
#: Among fewer facts than these no word is rare.
_LEAST_FACTS = 20
#: A sentence of so many facts is looked at for those that share its rarest words.
_CANDIDATES, _RARE = 12, 8
_ASKS = ("?", "\uff1f")
_MARKS = "*_`\"'”’)] "


class Restated(Record):
    """A fact that a text says again."""

    id: str  #: of the fact
    words: str  #: the sentences that do


class _Unit:
    """What can be said again of a fact: its text, or the first sentence of a long one."""

    __slots__ = ("id", "statements", "text", "weight", "words")

    def __init__(self, id: str, text: str) -> None:
        self.id, self.text = id, text
        self.words = frozenset(content_words(text))
        self.weight = 0.0
        self.statements: tuple[Statement, ...] | None = None

    def read(self) -> tuple[Statement, ...]:
        if self.statements is None:
            self.statements = statements(self.text)
        return self.statements


class _Said:
    """What somebody said, read once however many facts it is compared with."""

    def __init__(self, text: str, weight: Callable[[Iterable[str]], float]) -> None:
        self.text = text
        self.words = frozenset(content_words(text))
        self.numbers = _numbers(self.words)
        self._weight = weight

    @cached_property
    def weight(self) -> float:
        return self._weight(self.words)

    @cached_property
    def statement(self) -> Statement:
        return statement(self.text)


class Restatements:
    """Tells which of some facts are said again.

    Args:
        facts: ids and texts of those that may be.
    """

    def __init__(self, facts: Iterable[tuple[str, str]]) -> None:
        self._units: list[_Unit] = []
        self._posts: dict[str, list[int]] = {}
        count = 0
        for id, text in facts:
            count += 1
            parts = sentences(text)
            for one in dict.fromkeys((text, *parts[:1])):
                unit = _Unit(id, one)
                if len(unit.words) >= _FEW:
                    for word in unit.words:
                        self._posts.setdefault(word, []).append(len(self._units))
                    self._units.append(unit)
        total = max(count, _LEAST_FACTS)
        self._weights: Mapping[str, float] = {
            word: log(1 + total / len(units)) for word, units in self._posts.items()
        }
        self._unknown = log(1 + total)
        self._bits: dict[str, int] = {}
        for unit in self._units:
            unit.weight = self._weight(unit.words)

    def said_in(self, text: str) -> tuple[Restated, ...]:
        """Return the facts that a text says again, each once, as it does.

        `text` is what somebody said at once.
        """
        found: dict[str, Restated] = {}
        before: str | None = None
        for sentence in sentences(text):
            if sentence.rstrip(_MARKS).endswith(_ASKS):
                before = None
                continue
            for words in (sentence, f"{before} {sentence}") if before else (sentence,):
                said = _Said(words, self._weight)
                for unit in self._candidates(said.words):
                    if unit.id not in found and self._says(said, unit):
                        found[unit.id] = Restated(unit.id, words)
            before = sentence
        return tuple(found.values())

    def _candidates(self, words: Iterable[str]) -> Iterator[_Unit]:
        """Yield what shares enough rare words with a sentence."""
        known = sorted([(len(self._posts[word]), word) for word in words if word in self._posts])
        left = _CANDIDATES if len(known) >= _FEW else 0
        for count, level in levels_of([self._having(word) for _, word in known[:_RARE]]):
            if count < _FEW or not left:
                return
            for place in islice(numbers_in(level), left):
                left -= 1
                yield self._units[place]

    def _having(self, word: str) -> int:
        """Return the places of what has a word, as the bits of a number."""
        if word not in self._bits:
            self._bits[word] = bits_of(self._posts[word], len(self._units))
        return self._bits[word]

    def _says(self, said: _Said, unit: _Unit) -> bool:
        common = said.words & unit.words
        if len(common) < _FEW:
            return False
        if len(said.words) < _COMMON and common != unit.words:
            return False
        cover, own = self._weight(common) / unit.weight, self._own(said, unit)
        if own < _LEAST_OWN or not (cover >= _COVER or (cover >= _PART and own >= _OWN)):
            return False
        numbers, others = _numbers(unit.words), said.numbers
        same = bool(numbers) and numbers == others
        if len(common) < _COMMON and not (cover >= _MOST or same):
            return False
        if others and numbers and not numbers & others:
            return False
        mine, facts = said.statement, unit.read()
        known = {word for one in facts for word, _ in _counted(one)}
        numbers = _numbers(form for one in facts for form in one.forms)
        if any(word in known and number not in numbers for word, number in _counted(mine)):
            return False  # a word that the fact gives a number has another one
        denied = {word for one in facts for word in _denied(one)}
        return denied & said.words == set(_denied(mine)) & unit.words

    def _own(self, said: _Said, unit: _Unit) -> float:
        """Return how much of what is said is a fact's."""
        return self._weight(unit.words & said.words) / said.weight

    def _weight(self, words: Iterable[str]) -> float:
        return fsum([self._weights.get(word, self._unknown) for word in words])


def _numbers(words: Iterable[str]) -> frozenset[str]:
    return frozenset([word for word in words if word[0] == "#"])


def _denied(one: Statement) -> list[str]:
    """Return the words that a statement says no of."""
    return [one.forms[before] for before, _ in one.negated if before < len(one.forms)]


def _counted(one: Statement) -> Iterator[tuple[str, str]]:
    """Yield the words beside numbers, with these."""
    for place, form in enumerate(one.forms):
        if form[0] == "#":
            for beside in (place - 1, place + 1):
                if 0 <= beside < len(one.forms) and one.forms[beside][0] not in "#@":
                    yield one.forms[beside], form
