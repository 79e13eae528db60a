"""Compare facts: which pairs share most words, how near two texts are, and whether they say the same.

Near is what may be the same, the opposite or something else of one subject: which, nobody but a reader
knows. Comparing every pair of 10,000 facts takes minutes. An index from words to facts proposes a few for
each, and comparing those takes milliseconds.
"""

from __future__ import annotations

from _collections import _count_elements  # type: ignore[import-not-found]
from _collections_abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from ledger.model.record import Record, cached, tally
from projection.fold.fact_history import Fact
from projection.fold.fact_links import ENTITY_KEY, entity_names, matches_entity, names_in
from projection.fold.falsity import declared
from projection.policy.model import CLOSABLE, QUESTION_KIND
from projection.text.normalize import Statement, content_words, plain, statements

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
                counts = [(len(self._posts.get(word, ())), word) for word in words]
                there = looked_up(counts, self._posts.__getitem__)
                known = [(self._ids[number], self._words[number]) for number in there]
                self._best[words] = best(words, known)
            found.update(self._best[words])
        found.discard(fact)
        return sorted(found)


#: From which share of common words two facts say the same, and how alike two are that are near, 0 to 100.
SAME, NEAR = 80, 65
#: How many facts are told to be near a new one.
MOST_NEAR = 3
#: Kinds of what is to be done or asked.
_ASKING = CLOSABLE | {QUESTION_KIND}


class Claim(Record):
    """A fact as a comparison sees it: the fact and the statements of its text."""

    fact: Fact
    statements: tuple[Statement, ...]


class Overlap(Record):
    """Two facts that say the same; `keep` would get the `text`, and supersede `drop`."""

    one: str  #: the lower id
    two: str  #: the higher id
    score: int  #: how much they share, `SAME` to 100
    keep: str
    drop: str
    text: str


def claim(fact: Fact) -> Claim:
    """Read the statements of a fact."""
    return Claim(fact, () if fact.redacted else statements(fact.text))


def comparable(one: Fact, two: Fact) -> bool:
    """Tell whether two facts may be held against each other.

    Not what is false, withheld or done, nor what asks against what claims, nor what the ledger connects
    already: a successor, two that a footer sets against each other, two different entities.
    """
    if one.id == two.id or _silent(one) or _silent(two):
        return False
    if (one.kind in _ASKING) != (two.kind in _ASKING):
        return False
    if one.id in (*two.supersedes, *declared(two)) or two.id in (*one.supersedes, *declared(one)):
        return False
    about = dict(one.meta).get(ENTITY_KEY, ""), dict(two.meta).get(ENTITY_KEY, "")
    if not all(about) or about[0] == about[1]:
        return True
    shared = any(matches_entity(two, name) for name in entity_names(one))
    return shared or not all(names_in(value) for value in about)


def likeness(one: Sequence[Statement], two: Sequence[Statement]) -> int:
    """Return how much two texts say the same: 0, or `SAME` to 100.

    One may have a word more, but no number, name or denial. A word in place of another one makes it
    another statement.
    """
    mine, theirs = _words(one), _words(two)
    left, right = mine - theirs, theirs - mine
    score = round(200 * (mine & theirs).total() / ((mine.total() + theirs.total()) or 1))
    apart = left or right
    if (left and right) or score < SAME or not all(word.isalpha() for word in apart):
        return 0
    return score


def nearness(one: str, two: str) -> float:
    """Return how alike two texts are, 0 to 100, whatever the order of their words."""
    from projection.text.normalize import ratio

    first, second = [" ".join(sorted(content_words(text))) or plain(text) for text in (one, two)]
    return ratio(first, second)


def overlap(one: Claim, two: Claim) -> Overlap | None:
    """Tell whether two facts say the same, and what would make one of them.

    Their order does not matter. The one that is used more stays, then the older one, with the fuller text.
    """
    if not comparable(one.fact, two.fact):
        return None
    score = likeness(one.statements, two.statements)
    if not score:
        return None
    pair = sorted(
        (one, two),
        key=lambda row: (-row.fact.uses, row.fact.created, row.fact.born, row.fact.id),
    )
    (keep, kept), (drop, dropped) = [(row.fact, _words(row.statements).total()) for row in pair]
    text = drop.text if dropped > kept else keep.text
    first, second = sorted((keep.id, drop.id))
    return Overlap(first, second, score, keep.id, drop.id, text)


def same_text(one: Fact, two: Fact) -> bool:
    """Tell whether two texts are one but for case, marks and white space."""
    return not (one.redacted or two.redacted) and plain(one.text) == plain(two.text)


def _words(said: Sequence[Statement]) -> tally[str]:
    """Count the words that carry a text; what denies counts as one that is no name."""
    from collections import Counter

    words = Counter([form for one in said for form in one.forms])
    words["@not"] = sum([len(one.negated) for one in said])
    return +words


def _silent(fact: Fact) -> bool:
    return fact.false or fact.redacted or fact.closed


def compare_facts(
    facts: Mapping[str, Fact],
    words: dict[str, list[str]],
    changed: Iterable[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Overlap, ...]:
    """Return the pairs of facts that say the same, sorted by ids, of those that share their words.

    `words` are their distinct words (`projection.text.normalize.index_words`), by id; `changed`: only
    pairs with one of these ids, None for all pairs; `progress` is told (done, total).
    """
    postings = Postings(words)
    read = cached(None)(lambda fact: claim(facts[fact]))
    wanted = sorted(words if changed is None else words.keys() & set(changed))
    pairs: dict[tuple[str, str], Overlap | None] = {}
    for number, fact in enumerate(wanted):
        if progress is not None:
            progress(number, len(wanted))
        for other in postings.candidates(queries(read(fact).statements, words[fact]), fact):
            pair = (fact, other) if fact < other else (other, fact)
            if pair not in pairs:
                pairs[pair] = overlap(read(fact), read(other))
    if progress is not None:
        progress(len(wanted), len(wanted))
    return tuple(sorted([alike for alike in pairs.values() if alike is not None]))
