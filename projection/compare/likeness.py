"""Compare pairs of facts: how near two texts are, and whether they say the same.

Near is what may be the same, the opposite or something else of one subject: which, nobody but a reader
knows. Which pairs are worth comparing says an index (`projection.compare.candidates`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ledger.model.record import Record
from projection.compare.candidates import Postings, queries
from projection.fold.fact_history import Fact
from projection.fold.falsity import declared
from projection.graph.fact_links import ENTITY_KEY, entity_names, matches_entity, names_in
from projection.policy.model import CLOSABLE, QUESTION_KIND
from projection.text.normalize import Statement, content_words, plain, statements

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


def _words(said: Sequence[Statement]) -> Counter[str]:
    """Count the words that carry a text; what denies counts as one that is no name."""
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
    read = lru_cache(None)(lambda fact: claim(facts[fact]))
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
