"""Split two statements into the words they share and those in which they differ, in any order."""

from __future__ import annotations

from ledger.model.record import Record
from projection.text.normalize import Statement, Word, stem
from projection.text.vocabulary import ANTONYMS, CHOOSING, PLACING, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: How alike two words are spelled, 0 to 100.
    Ratio = Callable[[str, str], float]

#: The likeness from which two words are one word, spelled or inflected differently.
ALIKE = 76
#: By so many letters all forms begin that are one word.
BEGIN_LETTERS = 3


#: Built with the first question, which most appends never come to.
_antonyms: set[tuple[str, str]] = set()
_families: dict[str, set[int]] = {}
_NOTHING: frozenset[int] = frozenset()
_OPPOSING_HEADS = ("un", "in", "im", "dis", "non", "a", "de", "ir")


def _load_tables() -> None:
    for left, right in ANTONYMS:
        for one in left.split():
            for two in right.split():
                _antonyms.add((stem(one), stem(two)))
                _antonyms.add((stem(two), stem(one)))
    from projection.compare.statement_subjects import families

    for name, rows in families().items():
        _families.setdefault(stem(name), set()).update([number for number, _, _ in rows])


class Difference(Record):
    """Two lists of words, compared."""

    common: tuple[str, ...]  #: forms that both have, those of the first in order
    left: tuple[Word, ...]  #: words that only the first has
    right: tuple[Word, ...]  #: words that only the second has

    @property
    def likeness(self) -> float:
        """How much of both is shared, 0 to 1 (Dice 1945: 2 |A ∩ B| / (|A| + |B|))."""
        total = 2 * len(self.common) + len(self.left) + len(self.right)
        return 2 * len(self.common) / total if total else 0.0


def difference(one: Sequence[Word], two: Sequence[Word], ratio: Ratio | None = None) -> Difference:
    """Compare two lists of words.

    `ratio` tells how alike two words are spelled, where near misses are to count as the same.
    """
    rest = list(two)
    forms = [word.form for word in two]
    common: list[str] = []
    left: list[Word] = []
    for word in one:
        if word.form in forms:
            place = forms.index(word.form)
            del forms[place], rest[place]
            common.append(word.form)
        else:
            left.append(word)
    if ratio is not None and left and rest:
        begun = {other.form[:BEGIN_LETTERS] for other in rest}
        for word in [word for word in left if word.form[:BEGIN_LETTERS] in begun]:
            for other in rest:
                if spelled_alike(word.form, other.form, ratio):
                    left.remove(word)
                    rest.remove(other)
                    common.append(word.form)
                    break
    return Difference(tuple(common), tuple(left), tuple(rest))


def spelled_alike(one: str, two: str, ratio: Ratio) -> bool:
    """Tell whether two forms are one word, misspelled or inflected; names and values never are."""
    if one[:BEGIN_LETTERS] != two[:BEGIN_LETTERS] or min(len(one), len(two)) < 4:
        return False
    if not (one.isalpha() and two.isalpha()) or antonyms(one, two) or same_family(one, two):
        return False
    return ratio(one, two) >= ALIKE


def antonyms(one: str, two: str) -> bool:
    """Tell whether two forms can not both hold of one thing."""
    if not _antonyms:
        _load_tables()
    if (one, two) in _antonyms:
        return True
    if len(one) < len(two):
        one, two = two, one
    return len(two) > 4 and one.endswith(two) and one[: -len(two)] in _OPPOSING_HEADS


def same_family(one: str, two: str) -> bool:
    """Tell whether a project has one or the other of two things."""
    if not _families:
        _load_tables()
    return one != two and not _families.get(one, _NOTHING).isdisjoint(_families.get(two, _NOTHING))


def has_family(form: str) -> bool:
    """Tell whether a form is something that a project chooses."""
    if not _families:
        _load_tables()
    return form in _families


def is_value(form: str) -> bool:
    """Tell whether a form is a number, with or without a unit."""
    return form[0] == "#"


def odd(statement: Statement) -> bool:
    """Tell whether a statement is negated, all in all."""
    return len(statement.negated) % 2 == 1


def is_chosen(statement: Statement, word: Word) -> bool:
    """Tell whether a word stands where a choice stands: "use X", "written in X", "X is used for"."""
    before, lead = word.before, word.lead
    if before in ("a", "an", "the", "only", "plain", "always", "our"):
        before, lead = lead, ""
    if before in CHOOSING:
        return True
    if before in PLACING:
        if not lead:
            return len(statement.words) > 1 and statement.words[-1] == word
        led = ("is", "are", "built", "kept", "held", "go", "live")
        return lead in led or lead.endswith(("ed", "s", "en"))
    return statement.words[0] == word and " used " in f" {statement.text.lower()} "


def scoped(words: Sequence[Word]) -> bool:
    """Tell whether a word says where or for what something holds."""
    return any(word.form in _SCOPES or "/" in word.form for word in words)


_SCOPES = frozenset(stem(word) for word in SCOPES)
