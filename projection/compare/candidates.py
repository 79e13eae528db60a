"""Propose the facts that are worth comparing: those that share most words.

Comparing every pair of 10,000 facts takes minutes. An index from words to facts proposes a few for each,
and comparing those takes milliseconds.
"""

from __future__ import annotations

from _collections import _count_elements  # type: ignore[import-not-found]
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from projection.text.normalize import Statement

#: How many candidates a fact gets.
CANDIDATES = 20
#: How many facts are looked up by their rarest words before the best of them are chosen.
SHORTLIST = 64
#: How many entries of the index are read for one query; its rarest words come first.
ENTRIES_LIMIT = 4000
#: Where so many are more than that, the facts that share them all are looked for.
LEAST_WORDS = 2
#: How many statements of one text are looked up one by one, beside the text as a whole.
ASKING = 6


def queries(parts: Sequence[Statement], words: Sequence[str]) -> list[frozenset[str]]:
    """Return the sets of words to ask for: of the whole text, and of each statement of a longer one."""
    known = frozenset(words)
    asked = [known]
    for part in parts[:ASKING] if len(parts) > 1 else ():
        one = known.intersection(part.forms)
        if len(one) > 1 and one not in asked:
            asked.append(one)
    return asked


def looked_up(counts: Iterable[tuple[int, str]], read: Callable[[str], Iterable[int]]) -> list[int]:
    """Look up the rarest words, as many as the limit allows; return the numbers of the shortlist.

    `counts` are (in how many facts, word); `read` gives the numbers of the facts with a word.
    """
    ordered = sorted(one for one in counts if one[0])
    if sum(count for count, _ in ordered[:LEAST_WORDS]) > ENTRIES_LIMIT:
        return _sharing([word for _, word in ordered], read)
    totals = accumulate([count for count, _ in ordered])
    read_all = sum([total <= ENTRIES_LIMIT for total in totals])
    shared: dict[int, int] = {}
    for _, word in ordered[:read_all]:
        _count_elements(shared, read(word))
    return shortlist(shared)


def _sharing(words: Sequence[str], read: Callable[[str], Iterable[int]]) -> list[int]:
    """Return the facts that share ever more of some common words, none where these tell them not apart."""
    found: set[int] = set()
    for word in words:
        found = found.intersection(read(word)) or found if found else set(read(word))
        if len(found) <= SHORTLIST:
            break
    return sorted(found) if len(found) <= ENTRIES_LIMIT else []


def shortlist(shared: Mapping[int, int]) -> list[int]:
    """Return the numbers of the facts that share most of the words looked up.

    All that share as many come along or none, so that the order of the numbers decides nothing; only
    where the first level alone is too long it is returned whole.
    """
    levels: dict[int, int] = {}
    _count_elements(levels, shared.values())
    total, least = 0, 0
    for count in sorted(levels, reverse=True):
        if total and total + levels[count] > SHORTLIST:
            break
        total, least = total + levels[count], count
    return [number for number, count in shared.items() if count >= least]


def best(asked: frozenset[str], known: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the ids of the best candidates for the words of a query, best first.

    `known` is (id, distinct words) of the facts on the shortlist.
    """
    ranked = []
    for fact, words in known:
        shared = len(asked.intersection(words))
        least = min(len(asked), len(words))
        # how much of both is shared, and what share of the shorter one is covered
        if 2 * shared < least:
            continue
        rank = shared / least + 2 * shared / (len(asked) + len(words))
        ranked.append((-rank, fact))
    ranked.sort()
    return [fact for _, fact in ranked[:CANDIDATES]]


class Postings:
    """An index from words to facts, in memory.

    Args:
        words: the distinct words of each fact, by id.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self._ids = sorted(words)
        self._words = [words[fact] for fact in self._ids]
        self._posts: dict[str, list[int]] = {}
        for number, own in enumerate(self._words):
            for word in own:
                self._posts.setdefault(word, []).append(number)
        self._best: dict[frozenset[str], list[str]] = {}

    def candidates(self, asked: Iterable[frozenset[str]], fact: str = "") -> list[str]:
        """Return the ids worth comparing with a text, sorted.

        `asked` are the queries of the text; `fact`, its id, is left out.
        """
        found: set[str] = set()
        for words in asked:
            if words not in self._best:
                known = [(self._ids[n], self._words[n]) for n in self._shortlist(words)]
                self._best[words] = best(words, known)
            found.update(self._best[words])
        found.discard(fact)
        return sorted(found)

    def _shortlist(self, words: Iterable[str]) -> list[int]:
        counts = [(len(self._posts.get(word, ())), word) for word in words]
        return looked_up(counts, self._posts.__getitem__)
