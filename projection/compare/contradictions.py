"""Find pairs of facts that say different things of the same subject.

Each rule is one function with an id. The framed ones ask for the same frame: apart from what the rule is
about, neither statement may have a word where the other has a different one, because then they speak of
two things ("the HTTP timeout is 30 s", "the database timeout is 60 s"). Those of `rivals` ask for the same
subject. The words that differ are the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.model.record import Record
from projection.compare.overturning import (
    Difference,
    antonyms,
    difference,
    exception,
    has_family,
    is_chosen,
    is_value,
    odd,
    replacement,
    same_family,
    scoped,
)
from projection.compare.rivals import ROOTS_LIMIT, alternative, denial, order, owner, value
from projection.compare.statement_subjects import Subject, read_once, roots_of, subject
from projection.text.normalize import DATE, HASH, Statement, Word, stem
from projection.text.vocabulary import COUNTED, LABELS, MOMENTS, NEGATORS, SLOTS

Rule = Callable[[Statement, Statement, Difference], "tuple[str, str] | None"]

#: Statements of one fact that are compared; a text that makes more is a document.
STATEMENTS_LIMIT = 24
#: A statement of so few words may share only one with its subject.
_SHORT_WORDS = 3
#: What may stand before the first word of a sentence.
_OPENING = "*_`\"'¡¿ "
#: How a statement begins that asks, or plans.
_ASKING = (
    "find out", "decide ", "investigate", "check whether", "if ", "when ", "todo", "consider",
)  # fmt: skip
#: A statement of more words is compared no further: it says too much to say one opposite.
WORDS_LIMIT = 40


class Clash(Record):
    """How two texts disagree."""

    rule: str  #: the rule that says so
    left: str  #: the words of the first that differ
    right: str  #: the words of the second
    one: str  #: the statement of the first that says it
    two: str  #: the statement of the second


def clash(one: Sequence[Statement], two: Sequence[Statement]) -> Clash | None:
    """Find how two texts disagree; None when no rule says that they do."""
    others = [(second, _forms(second)) for second in two[:STATEMENTS_LIMIT]]
    for first in one[:STATEMENTS_LIMIT]:
        forms = _forms(first)
        for second, known in others:
            if _may_clash(forms, known):
                found = _compare(first, second)
                if found is not None:
                    return found
    return _in_own_words(one[:STATEMENTS_LIMIT], two[:STATEMENTS_LIMIT])


def _in_own_words(one: Sequence[Statement], two: Sequence[Statement]) -> Clash | None:
    """Find how two texts disagree in words of their own."""
    ours, theirs = (
        [
            (said, roots_of(said))
            for number, said in enumerate(side)
            if not number or _begins(said.text)
        ]
        for side in (one, two)
    )
    for first, roots in ours:
        for second, others in theirs:
            if roots.isdisjoint(others):
                continue  # as most are, before more is read of them
            mine, other = subject(first), subject(second)
            if not (_claims(mine) and _claims(other)):
                continue
            for name, rule in _OWN_WORDS.items():
                words = rule(mine, other)
                if words is not None:
                    return Clash(name, *words, mine.said.text, other.said.text)
    return None


@read_once
def _forms(said: Statement) -> frozenset[str]:
    return frozenset(said.forms)


def _may_clash(one: frozenset[str], two: frozenset[str]) -> bool:
    """Tell whether two statements share enough words that any rule can apply: most do not."""
    shared = len(one & two)
    if not shared or len(one) > WORDS_LIMIT or len(two) > WORDS_LIMIT:
        return False
    if len(one) + len(two) - 2 * shared <= 2 + max(1, (shared + 2) // 2):
        return True
    # an exception may have many words more, and what replaces a thing may share its name alone
    shorter = min(len(one), len(two))
    return 3 * shared >= 2 * shorter or shorter <= _SHORT_WORDS


def _compare(one: Statement, two: Statement) -> Clash | None:
    found = difference(one.words, two.words)
    apart = (*found.left, *found.right)
    if not found.common or _asks(one) or _asks(two):
        return None
    if any(
        word.form.startswith((DATE, HASH)) for word in apart
    ):  # they tell of two days or commits
        return None
    timed = _moments((*one.words, *two.words))
    rules = _LASTING if timed and not _moments(apart) else _FRAMED
    if timed and rules is _FRAMED:
        return None
    for name, rule in rules.items():
        words = rule(one, two, found)
        if words is not None:
            return Clash(name, *words, one.text, two.text)
    return None


def _asks(statement: Statement) -> bool:
    """Tell whether a statement asks or plans: it does not say how something is."""
    low = statement.text.lower().lstrip("*_`\"' ")
    return statement.text.rstrip("*_` \"')").endswith("?") or low.startswith(_ASKING)


def _begins(text: str) -> bool:
    """Tell whether a statement is no piece of a sentence."""
    first = text.lstrip(_OPENING)[:1]
    return first == first.upper()


@read_once
def _claims(found: Subject) -> bool:
    """Tell whether a statement says how something is, and not too much: no entry of a log."""
    statement = found.said
    text = statement.text.lstrip(_OPENING)
    if found.past or _asks(statement) or text.count("(") != text.count(")"):
        return False
    if len(found.roots) > ROOTS_LIMIT:
        return False
    low = text.lower()
    return not (
        low.split(" ", 1)[0].endswith("ed")
        or low.split(" ", 1)[0].count("-") > 1
        or any(mark in low for mark in ("[x]", "](", "→", " / ", "**"))
        or any(word.form.startswith((DATE, HASH)) for word in statement.words)
    )


def _moments(words: Sequence[Word]) -> bool:
    """Tell whether words tell of a moment or of a release."""
    return any(word.raw.lower() in MOMENTS for word in words)


def negation(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """One says "not", "never", "no longer", "without" of what the other says."""
    if odd(one) == odd(two):
        return None
    if not _same_frame(found, found.left, found.right):
        return None
    negated, other = (one, two) if odd(one) else (two, one)
    place, clause = negated.negated[-1]
    governed = [word.form for word in negated.words[place:] if word.clause == clause]
    if not governed:  # the negator ends its clause
        governed = [word.form for word in negated.words if word.clause <= clause]
    there = set(other.forms)
    if not governed or governed[0] not in there:
        return None
    if 3 * sum(form in there for form in governed) < 2 * len(governed):
        return None
    behind = other.forms[other.forms.index(governed[0]) + 1 :]
    if len(governed) > 1 and behind and behind[0] not in governed:
        return None  # the same is done to something else
    if _other_subject(other, governed[0], set(negated.forms)):
        return None
    said = _phrase(negated)
    return (said, _answer(other, governed)) if negated is one else (_answer(other, governed), said)


def _other_subject(other: Statement, governed: str, shared: set[str]) -> bool:
    """Tell whether a noun of its own ends the subject: not "passwords" but "password resets"."""
    at = other.forms.index(governed)
    pairs = zip(other.words[:at], other.words[1:at], strict=False)
    return any(
        two.form not in shared and one.form in shared and two.before == one.raw.lower()
        for one, two in pairs
    )


def antonym(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """Both use one word of a pair of opposites: always and never, enabled and disabled."""
    pairs = [(a, b) for a in found.left for b in found.right if antonyms(a.form, b.form)]
    if odd(one) != odd(two) or len(pairs) != 1:
        return None
    ((left, right),) = pairs
    if not _same_frame(found, _without(found.left, left), _without(found.right, right)):
        return None
    return left.raw, right.raw


def number(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """The same slot has another number, with or without a unit."""
    return _value(one, two, found, version=False)


def version(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """The same thing is of another version."""
    return _value(one, two, found, version=True)


def choice(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """For one purpose something else of its kind was chosen: PostgreSQL and SQLite, tabs and spaces."""
    pairs = [(a, b) for a in found.left for b in found.right if same_family(a.form, b.form)]
    if odd(one) != odd(two) or len(pairs) != 1:
        return None
    ((left, right),) = pairs
    if not (is_chosen(one, left) and is_chosen(two, right)):
        return None
    rest = _without(found.left, left), _without(found.right, right)
    if not _same_frame(found, *rest, least=1):
        return None
    return left.raw, right.raw


def slot(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """What has one value, "the default branch", "use … for", has another one in each."""
    if odd(one) != odd(two) or len(found.left) != 1 or len(found.right) != 1:
        return None
    left, right = found.left[0], found.right[0]
    if is_value(left.form) or is_value(right.form):
        return None
    if _slot_of(one, left) and _slot_of(two, right) and not scoped(found.left + found.right):
        return left.raw, right.raw
    return None


#: Those that ask for the same frame, by their ids, in the order in which they are asked.
_FRAMED: dict[str, Rule] = {
    "negation": negation, "antonym": antonym, "version": version, "number": number,
    "choice": choice, "slot": slot, "exception": exception, "replacement": replacement,
}  # fmt: skip
#: Those that ask for the same subject.
_OWN_WORDS = {
    "value": value, "alternative": alternative, "denial": denial, "order": order, "owner": owner,
}  # fmt: skip
#: Every rule.
RULES = frozenset((*_FRAMED, *_OWN_WORDS))
#: Those that may be asked where both tell of one moment in the same word: what holds for good says so.
_LASTING: dict[str, Rule] = {"exception": exception, "replacement": replacement}


def _same_frame(
    found: Difference, left: Sequence[Word], right: Sequence[Word], least: int = 2
) -> bool:
    """Tell whether two statements speak of the same thing, whatever the words at issue are.

    `left` are the words of the first that are not at issue and that the second has not, `right` those
    of the second; `least` is how many words they have to share.
    """
    common = [form for form in found.common if form[0] not in "#@"]
    if len(common) < least or (left and right) or scoped((*left, *right)):
        return False
    return len(left) + len(right) <= max(1, (len(common) + 1) // 2)


def _value(
    one: Statement, two: Statement, found: Difference, *, version: bool
) -> tuple[str, str] | None:
    lefts = [word for word in found.left if is_value(word.form)]
    rights = [word for word in found.right if is_value(word.form)]
    if odd(one) != odd(two) or len(lefts) != 1 or len(rights) != 1:
        return None
    left, right = lefts[0], rights[0]
    if _is_label(left) or _is_label(right) or _measure(left) != _measure(right):
        return None
    if _is_count(one, left) or _is_count(two, right):
        return None
    if version != (_is_version(left) or _is_version(right)):
        return None
    rest = _without(found.left, left), _without(found.right, right)
    if not _same_frame(found, *rest, least=1 if version else 2):
        return None
    return left.raw, right.raw


def _measure(word: Word) -> str:
    """Return what a value measures; "" for a bare number."""
    return word.form.lstrip("#.:0123456789")


def _is_label(word: Word) -> bool:
    return word.before in LABELS or stem(word.before) in LABELS or word.raw.startswith("#")


def _is_count(statement: Statement, word: Word) -> bool:
    """Tell whether a value was counted at some time: `146 workspace tests`, `tests 146 / lint 0`."""
    behind = statement.words[statement.words.index(word) + 1 :][:2]
    counted = any(other.raw.lower() in COUNTED for other in behind)
    return counted or statement.text.count(" / ") > 1


def _is_version(word: Word) -> bool:
    """Tell whether a value is a version: `v2`, `1.5.7`, `version 3`, `Node 18`."""
    if _measure(word):
        return False
    bare = word.form[1:]
    return (
        word.raw[:1] in "vV"
        or bare.count(".") > 1
        or word.before in ("version", "jdk", "java")
        or (has_family(stem(word.before)) and bare.count(".") <= 1)
        or word.before in ("node", "jdk", "openjdk", "es", "edition", "release")
    )


def _slot_of(statement: Statement, word: Word) -> bool:
    """Tell whether a word is the one value of something: "the default branch is X", "use X for Y"."""
    if statement.words[-1] == word and word.before in ("is", "the", "a", "an", "called", "named"):
        before = [other.form for other in statement.words[:-1]]
        said = word.lead == "is" or word.before in ("is", "called", "named")
        return said and any(form in _SLOTS for form in before)
    low = statement.text.lower()
    starts = low.lstrip("*_` ").startswith(("use ", "we use ", "prefer "))
    first = statement.words[0] == word and len(statement.words) > 2
    return starts and first and " for " in f" {low} " and word.before in ("use", "prefer")


def _without(words: Sequence[Word], word: Word) -> tuple[Word, ...]:
    return tuple([other for other in words if other != word])


def _phrase(negated: Statement) -> str:
    """Return the first negator and the word behind it, as they were written."""
    pieces = negated.text.split()
    for number, piece in enumerate(pieces):
        low = piece.lower().strip(_MARKS)
        if low in NEGATORS or low.endswith("n't") or low in ("cannot", "instead"):
            more = pieces[number + 1 : number + 2] == ["longer"]
            return " ".join(pieces[number : number + 2 + more]).strip(_MARKS)
    return "not"


def _answer(other: Statement, governed: Sequence[str]) -> str:
    """Return the word of the other statement that the negation is about."""
    if " always " in f" {other.text.lower()} ":
        return "always"
    for word in other.words:
        if word.form == governed[0]:
            return word.raw
    return other.words[0].raw


_MARKS = ".,;:!?*_`\"'()"
_SLOTS = frozenset(stem(word) for word in SLOTS)
