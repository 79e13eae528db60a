"""Find pairs of facts that say the same, and propose one fact for both."""

from __future__ import annotations

from projection.compare.difference import (
    BEGIN_LETTERS,
    Difference,
    antonyms,
    difference,
    is_value,
    odd,
)
from projection.text.normalize import DATE, HASH, Statement, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.compare.difference import Ratio

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
