"""Propose the facts that are worth comparing: those that share most words, and those that share rare ones.

Comparing every pair of 10,000 facts takes minutes. An index from words to facts proposes a few for each,
and comparing those takes milliseconds.
"""

from __future__ import annotations

from _collections import _count_elements  # type: ignore[import-not-found]
from itertools import accumulate
from math import fsum, log, sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from projection.text.normalize import Statement

    #: The facts with a word, in parts: (what to add to the numbers of a part, these numbers).
    Parts = Iterable[tuple[int, Iterable[int]]]

#: How many candidates a fact gets that share most words, and a statement that share its rarest.
CANDIDATES, RIVALS = 20, 8
#: By so many letters rare words are looked up: reservation, reserved.
STEM_LETTERS = 6
#: Which share of what a statement's words weigh has to be shared.
LEAST_SHARE = 0.15
#: How many facts are looked up by their rarest words before the best of them are chosen.
SHORTLIST = 64
#: How many entries of the index are read for one query; its rarest words come first.
ENTRIES_LIMIT = 4000
#: Where so many are more than that, the facts that share them all are looked for.
LEAST_WORDS = 2
#: How many statements of one text are looked up one by one, beside the text as a whole.
ASKING = 6
#: The bits of a word that so many facts have are kept.
_KEPT = 32
#: What a statement has in it that may say that one thing took another one's place.
_TURNING = ("instead of", "rather than", "eplace", "upersede", " from ", " in favo")


def queries(parts: Sequence[Statement], words: Sequence[str]) -> list[frozenset[str]]:
    """Return the sets of words to ask for: of the whole text, and of each statement of a longer one.

    What took a thing's place is asked for by that thing's name alone, too.
    """
    known = frozenset(words)
    asked = [known]
    if len(parts) > 1:
        for part in parts[:ASKING]:
            one = known.intersection(part.forms)
            if len(one) > 1 and one not in asked:
                asked.append(one)
    for part in parts[:ASKING]:
        if any(mark in part.text for mark in _TURNING):
            from projection.compare.overturning import turn_of

            turn = turn_of(part)
            old = known.intersection(turn.old) if turn is not None else frozenset()
            if old and old not in asked:
                asked.append(old)
    return asked


def subjects(parts: Sequence[Statement]) -> list[frozenset[str]]:
    """Return for each statement how its words begin: what else speaks of its subject shares the rarest."""
    found = [
        frozenset([form[:STEM_LETTERS] for form in part.forms if form[0] not in "#@"])
        for part in parts[:ASKING]
    ]
    return list(dict.fromkeys(filter(None, found)))


def beginnings(words: Iterable[str]) -> frozenset[str]:
    """Return how words begin, each once."""
    return frozenset([word[:STEM_LETTERS] for word in words])


def rivals(
    counts: Mapping[str, int],
    total: int,
    known: Iterable[tuple[str, int, AbstractSet[str]]],
    most: int = RIVALS,
) -> list[str]:
    """Return the ids of the facts that share the rarest words with a statement, best first.

    `counts` tells of how many of the `total` facts each beginning of a word is; `known` is (id, how
    many distinct words, their beginnings) of the facts on the shortlist.
    """
    weights = {word: log(1 + total / count) for word, count in counts.items() if count}
    least = LEAST_SHARE * fsum(weights.values())
    ranked = []
    for fact, words, begun in known:
        weight = fsum([weights[word] for word in weights.keys() & begun])
        if weight >= least:
            ranked.append((-weight / sqrt(words), fact))
    ranked.sort()
    return [fact for _, fact in ranked[:most]]


def looked_up(
    counts: Iterable[tuple[int, str]],
    read: Callable[[str], Parts],
    most: Callable[[list[str]], list[int]] | None = None,
) -> list[int]:
    """Look up the rarest words, as many as the limit allows; return the numbers of the shortlist.

    `counts` are (in how many facts, word); `read` gives the facts with a word, `most` those with most
    of some words, None to count what `read` gives.
    """
    ordered = sorted(one for one in counts if one[0])
    if sum(count for count, _ in ordered[:LEAST_WORDS]) > ENTRIES_LIMIT:
        return _sharing([word for _, word in ordered], read)
    totals = accumulate([count for count, _ in ordered])
    read_all = sum([total <= ENTRIES_LIMIT for total in totals])
    words = [word for _, word in ordered[:read_all]]
    if most is not None:
        return most(words)
    shared: dict[int, int] = {}
    for word in words:
        for first, numbers in read(word):
            _count_elements(shared, map(first.__add__, numbers) if first else numbers)
    return shortlist(shared)


def _sharing(words: Sequence[str], read: Callable[[str], Parts]) -> list[int]:
    """Return the facts that share ever more of some common words, none where these tell them not apart."""
    found: dict[int, set[int]] = {}
    total = 0
    for word in words:
        if found:
            both = ((at, found[at].intersection(here)) for at, here in read(word) if at in found)
            found = {at: same for at, same in both if same} or found
        else:
            found = {at: set(here) for at, here in read(word)}
        total = sum(map(len, found.values()))
        if total <= SHORTLIST:
            break
    if total > ENTRIES_LIMIT:
        return []
    return sorted(at + number for at, numbers in found.items() for number in numbers)


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
        # as `difference.likeness`, and what share of the shorter one is covered
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
        self._begun: dict[str, list[int]] = {}
        for number, own in enumerate(self._words):
            for word in own:
                self._posts.setdefault(word, []).append(number)
        self._begins = [beginnings(own) for own in self._words]
        for number, own_begins in enumerate(self._begins):
            for word in own_begins:
                self._begun.setdefault(word, []).append(number)
        self._kept: dict[tuple[bool, str], int] = {}
        self._best: dict[frozenset[str], list[str]] = {}
        self._rivals: dict[frozenset[str], list[str]] = {}

    def candidates(
        self, asked: Iterable[frozenset[str]], about: Iterable[frozenset[str]] = (), fact: str = ""
    ) -> list[str]:
        """Return the ids worth comparing with a text, sorted.

        `asked` are the queries of the text, `about` the subjects of its statements; `fact`, its id, is
        left out.
        """
        found: set[str] = set()
        for words in asked:
            if words not in self._best:
                numbers = self._shortlist(self._posts, words)[1]
                known = [(self._ids[n], self._words[n]) for n in numbers]
                self._best[words] = best(words, known)
            found.update(self._best[words])
        for words in about:
            if words not in self._rivals:
                counts, numbers = self._shortlist(self._begun, words)
                near = [(self._ids[n], len(self._words[n]), self._begins[n]) for n in numbers]
                # one more than it takes: the fact itself may be among them
                self._rivals[words] = rivals(counts, len(self._ids), near, RIVALS + 1)
            found.update([one for one in self._rivals[words] if one != fact][:RIVALS])
        found.discard(fact)
        return sorted(found)

    def _shortlist(
        self, posts: Mapping[str, list[int]], words: Iterable[str]
    ) -> tuple[dict[str, int], list[int]]:
        counts = {word: len(posts.get(word, ())) for word in words}
        numbers = looked_up(
            [(n, word) for word, n in counts.items()],
            lambda word: ((0, posts[word]),),
            lambda words: most_of([self._bits(posts, word) for word in words]),
        )
        return counts, numbers

    def _bits(self, posts: Mapping[str, list[int]], word: str) -> int:
        """Return the facts with a word as the bits of a number; those of common words are kept."""
        own = posts[word]
        if len(own) < _KEPT:
            return bits_of(own, len(self._ids))
        key = posts is self._begun, word
        if key not in self._kept:
            self._kept[key] = bits_of(own, len(self._ids))
        return self._kept[key]


def bits_of(numbers: Sequence[int], count: int) -> int:
    """Return numbers below `count` as the bits of one number."""
    if len(numbers) < _KEPT:
        return sum([1 << number for number in numbers])
    held = bytearray(count // 8 + 1)
    for number in numbers:
        held[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(held, "little")


def levels_of(words: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield in how many of some sets numbers are, with these, the most first; sets and these are bits.

    All are counted at once: what stands in the n-th slice is the n-th digit of how often each was met.
    """
    slices: list[int] = []
    for carry in words:
        for digit, known in enumerate(slices):
            slices[digit], carry = known ^ carry, known & carry
        if carry:
            slices.append(carry)
    for count in range((1 << len(slices)) - 1, 0, -1):
        level = -1
        for digit, known in enumerate(slices):
            level &= known if count >> digit & 1 else ~known
        yield count, level


def numbers_in(bits: int) -> Iterator[int]:
    """Yield the numbers whose bits are set, the least first."""
    while bits:
        last = bits & -bits
        yield last.bit_length() - 1
        bits ^= last


def most_of(words: Iterable[int]) -> list[int]:
    """Return the numbers of those in most of some sets, each the bits of a number, as `shortlist` does."""
    found, total = 0, 0
    for _, level in levels_of(words):
        if total and total + level.bit_count() > SHORTLIST:
            break
        found, total = found | level, total + level.bit_count()
    return list(numbers_in(found))
