"""Find the facts that sentences say again, in whatever words: that is a use of a fact, and no copy of it.

Words count by how rare they are among the facts. A question restates nothing, nor does what has other
numbers, or denies more or less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import fsum, log

from ledger.model.record import Record
from projection.likeness import ENTRIES_LIMIT, looked_up
from projection.text.normalize import Statement, content_words, sentences, statement, statements

#: The share of a fact's words that is said again; or this, where so much of what is said is its.
_COVER, _PART, _OWN = 0.62, 0.40, 0.65
#: So many words in common, or so few where the share is that, or the numbers are the same.
_COMMON, _FEW, _MOST = 4, 3, 0.75
#: How much of what is said has to be the fact's in any case: a pasted page says everything.
_LEAST_OWN = 0.2
#: Among fewer facts than these no word is rare.
_LEAST_FACTS = 20
#: So many of the rarest words of a sentence are looked up.
_RARE = 8
_ASKS = ("?", "\uff1f")
_MARKS = "*_`\"'”’)] "


class Restated(Record):
    """A fact that a text says again."""

    id: str  #: of the fact
    words: str  #: the sentences that do


class _Unit(Record):
    """What can be said again of a fact: its text, or the first sentence of a long one."""

    id: str
    text: str
    words: frozenset[str]


class Restatements:
    """Tells which of some facts are said again.

    Args:
        facts: ids and texts of those that may be.
    """

    def __init__(self, facts: Iterable[tuple[str, str]]) -> None:
        self._units: list[_Unit] = []
        posts: dict[str, list[int]] = {}
        self._statements = lru_cache(maxsize=None)(statements)
        known = tuple(facts)
        for id, text in known:
            for one in dict.fromkeys((text, *sentences(text)[:1])):
                words = frozenset(content_words(one))
                for word in words if len(words) >= _FEW else ():
                    posts.setdefault(word, []).append(len(self._units))
                self._units += [_Unit(id, one, words)] * (len(words) >= _FEW)
        many = {one: frozenset(units) for one, units in posts.items() if len(units) > ENTRIES_LIMIT}
        self._posts = posts | many  # these are only met with others, which sets are quick at
        total = max(len(known), _LEAST_FACTS)
        self._weights: Mapping[str, float] = {
            word: log(1 + total / len(units)) for word, units in self._posts.items()
        }
        self._unknown = log(1 + total)

    def said_in(self, text: str) -> tuple[Restated, ...]:
        """Return the facts that a text says again, each once, as it does.

        `text` is what somebody said at once.
        """
        found: dict[str, Restated] = {}
        before: str | None = None
        for sentence in sentences(text) if self._posts else ():
            if sentence.rstrip(_MARKS).endswith(_ASKS):
                before = None
                continue
            for said in (sentence, f"{before} {sentence}") if before else (sentence,):
                words = frozenset(content_words(said))
                known = [(len(self._posts[word]), word) for word in words if word in self._posts]
                if len(known) < _FEW:
                    continue
                rare = sorted(known)[:_RARE]
                for unit in map(self._units.__getitem__, looked_up(rare, self._posts.__getitem__)):
                    if unit.id not in found and self._says(said, words, unit):
                        found[unit.id] = Restated(unit.id, said)
            before = sentence
        return tuple(found.values())

    def _says(self, said: str, words: frozenset[str], unit: _Unit) -> bool:
        common = words & unit.words
        if len(common) < _FEW or (len(words) < _COMMON and common != unit.words):
            return False
        cover = self._weight(common) / self._weight(unit.words)
        own = self._weight(common) / self._weight(words)
        if own < _LEAST_OWN or not (cover >= _COVER or (cover >= _PART and own >= _OWN)):
            return False
        numbers, others = _numbers(unit.words), _numbers(words)
        if len(common) < _COMMON and not (cover >= _MOST or (numbers and numbers == others)):
            return False
        if others and numbers and not numbers & others:
            return False
        mine, facts = statement(said), self._statements(unit.text)
        known = {word for one in facts for word, _ in _counted(one)}
        numbers = _numbers(form for one in facts for form in one.forms)
        if any(word in known and number not in numbers for word, number in _counted(mine)):
            return False  # a word that the fact gives a number has another one
        denied = {word for one in facts for word in _denied(one)}
        return denied & words == set(_denied(mine)) & unit.words

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
