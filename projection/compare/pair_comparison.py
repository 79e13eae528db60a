"""Compare pairs of facts: which pairs may be compared, whether they say the same, and what comes of it.

A review and an append compare facts by these functions alone; which pairs are worth it says an index
(`projection.compare.candidates`, `memory.cache.word_index`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.escape import prose
from ledger.model.record import Record
from projection.compare.contradictions import clash
from projection.compare.overturning import (
    BEGIN_LETTERS,
    Difference,
    Ratio,
    antonyms,
    difference,
    is_value,
    odd,
)
from projection.fold.fact_history import Fact
from projection.graph.fact_links import ENTITY_KEY
from projection.graph.graph_neighbours import entity_names, matches_entity, names_in
from projection.lifecycle.review_threads import key_of
from projection.policy.model import CLOSABLE, QUESTION_KIND
from projection.text.normalize import DATE, HASH, Statement, Word, plain, statements

#: The share of common words from which two facts say the same.
SAME = 0.8
#: The number of common words from which a few may differ on both sides.
_LONG_WORDS = 12
_LONG_SAME = 0.85


def likeness(one: Sequence[Statement], two: Sequence[Statement], ratio: Ratio | None = None) -> int:
    """Return how much two texts say the same: 0, or `100 * SAME` to 100.

    A word in place of another one makes it another statement, and so does another value; a word more
    does not, as long as most are shared. `ratio` tells how alike two words are spelled.
    """
    first = [word for statement in one for word in statement.words]
    second = [word for statement in two for word in statement.words]
    shorter, longer = sorted((len(first), len(second)))
    if not shorter or 2 * shorter < SAME * (shorter + longer):
        return 0
    begun = {word.form[:BEGIN_LETTERS] for word in second}
    most = sum([word.form[:BEGIN_LETTERS] in begun for word in first])
    if 2 * most < SAME * (shorter + longer):  # what begins otherwise is not spelled alike either
        return 0
    if sum(map(odd, one)) % 2 != sum(map(odd, two)) % 2:
        return 0
    found = difference(first, second, ratio)
    share = found.likeness
    if share < SAME or _conflict(found):
        return 0
    if found.left and found.right:
        few = max(len(found.left), len(found.right)) <= len(found.common) // 6
        if len(found.common) < _LONG_WORDS or share < _LONG_SAME or not few:
            return 0
    return round(100 * share)


def _conflict(found: Difference) -> bool:
    """Tell whether the words that differ are values, dates, opposites, or a name that one leaves out."""
    if any(_name(word) for word in (*found.left, *found.right)):
        return True
    if any(_fixed(word) for word in found.left) and any(_fixed(word) for word in found.right):
        return True
    return any(antonyms(a.form, b.form) for a in found.left for b in found.right)


def _fixed(word: Word) -> bool:
    return is_value(word.form) or word.form.startswith((DATE, HASH))


def _name(word: Word) -> bool:
    return word.form[0] not in "#@" and not word.form.replace("/", "").isalpha()


#: Kinds of what is to be done or asked.
_ASKING = CLOSABLE | {QUESTION_KIND}


#: The rule of the question whether two facts contradict each other.
CONTRADICTION = "contradiction"


class Claim(Record):
    """A fact as a comparison sees it: the fact and the statements of its text."""

    fact: Fact
    statements: tuple[Statement, ...]


class Merge(Record):
    """How one fact would be made of two: `keep` gets the text, `drop` is superseded by it."""

    keep: str
    drop: str
    text: str


class Overlap(Record):
    """Two facts that say the same."""

    one: str  #: the lower id
    two: str  #: the higher id
    score: int  #: how much they share, 80 to 100
    proposal: Merge  #: the merge that is proposed


class Opposition(Record):
    """Two facts that disagree about one thing."""

    one: str  #: the lower id
    two: str  #: the higher id
    rule: str  #: that says so (`projection.compare.contradictions.RULES`)
    left: str  #: the words of the first that differ
    right: str  #: the words of the second
    said: str  #: the sentence of the first
    answer: str  #: the sentence of the second

    @property
    def key(self) -> str:
        """The key of the question that they raise (FORMAT.md, R2)."""
        return key_of(CONTRADICTION, self.one, self.two, self.rule, self.left, self.right)

    @property
    def asked(self) -> str:
        """That question."""
        return (
            f"{self.one} and {self.two} may contradict each other: "
            f'"{prose(self.left)}" against "{prose(self.right)}".'
        )


def claim(fact: Fact) -> Claim:
    """Read the statements of a fact."""
    return Claim(fact, () if fact.redacted else statements(fact.text))


def comparable(one: Fact, two: Fact) -> bool:
    """Tell whether two facts may be held against each other.

    Not what is false, withheld or done, and not what the ledger connects already: a successor, a
    conflict that a footer declares, two different entities.
    """
    if one.id == two.id or _silent(one) or _silent(two):
        return False
    if one.id in two.supersedes or two.id in one.supersedes:
        return False
    mine, theirs = dict(one.meta), dict(two.meta)
    for meta, other in ((mine, two), (theirs, one)):
        if other.id in meta.get("conflicts", "").replace(",", " ").split():
            return False
    about = mine.get(ENTITY_KEY, ""), theirs.get(ENTITY_KEY, "")
    if not all(about) or about[0] == about[1]:
        return True
    shared = any(matches_entity(two, name) for name in entity_names(one))
    return shared or not all(names_in(value) for value in about)


def overlap(one: Claim, two: Claim, ratio: Ratio | None = None) -> Overlap | None:
    """Tell whether two facts say the same, and which merge would make one of them.

    Their order does not matter; `ratio` tells how alike two words are spelled, 0 to 100.
    """
    if (one.fact.kind in _ASKING) != (two.fact.kind in _ASKING):
        return None
    if not comparable(one.fact, two.fact):
        return None
    one, two = _ordered(one, two)
    score = likeness(one.statements, two.statements, ratio)
    return Overlap(one.fact.id, two.fact.id, score, _merge(one, two)) if score else None


def opposition(one: Claim, two: Claim) -> Opposition | None:
    """Tell whether two facts disagree; what is to be done or asked claims nothing."""
    if one.fact.kind in _ASKING or two.fact.kind in _ASKING or not comparable(one.fact, two.fact):
        return None
    one, two = _ordered(one, two)
    found = clash(one.statements, two.statements)
    if found is None:
        return None
    return Opposition(
        one.fact.id, two.fact.id, found.rule, found.left, found.right, found.one, found.two
    )


def same_text(one: Fact, two: Fact) -> bool:
    """Tell whether two texts are one but for case, marks and white space."""
    return not (one.redacted or two.redacted) and plain(one.text) == plain(two.text)


def _merge(one: Claim, two: Claim) -> Merge:
    """Propose a merge: the fact that is used more stays, then the older one; the fuller text stays."""
    pair = [(one.fact, one.statements), (two.fact, two.statements)]
    pair.sort(key=lambda row: (-row[0].uses, row[0].created, row[0].born, row[0].id))
    (keep, _), (drop, _) = pair
    kept, dropped = (sum(len(said.words) for said in row[1]) for row in pair)
    return Merge(keep.id, drop.id, drop.text if dropped > kept else keep.text)


def _ordered(one: Claim, two: Claim) -> tuple[Claim, Claim]:
    return (one, two) if one.fact.id <= two.fact.id else (two, one)


def _silent(fact: Fact) -> bool:
    return fact.false or fact.redacted or fact.closed
