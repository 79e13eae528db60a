"""Find what overturns a statement: an exception to what always holds, or what replaced a thing.

Two classes of contradictions that share fewer words than those of `contradictions`: "orders are never
deleted" against "orders are deleted after a year", "sessions are stored in Postgres" against "Redis
instead of Postgres".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.model.record import Record
from projection.text.normalize import Statement, Word, stem
from projection.text.vocabulary import ANTONYMS, CHOOSING, PLACING, SCOPES

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


#: What denies or claims without exception, and who is nobody.
_NEVER, _NOBODY, _ALWAYS = "never", ("nobody", "nothing"), "always"
#: What "always" does not hold with.
_WEAK = frozenset("sometimes occasionally rarely seldom usually mostly".split())
#: What begins the circumstance in which something happens after all.
_CIRCUMSTANCE = frozenset(
    "after before when whenever once if within for during by with until in on at while unless "
    "except because via through under above since per".split()
)
_CIRCUMSTANCE_FORMS = frozenset(("atmost", "atleast", *map(stem, _WEAK)))
_ARTICLES = ("a", "an", "the", "our", "plain")
#: Verbs by which one thing takes another one's place, and those that go from one to the other.
_REPLACE = frozenset("replace replaces replaced replacing supersedes superseded".split())
_MOVED = frozenset("moved switched migrated changed ported converted went move".split())
_DROPPED = frozenset("dropped abandoned ditched retired removed".split())
#: The most words in the name of a thing.
_NAME_WORDS = 3


class Turn(Record):
    """A replacement that a statement tells of."""

    old: tuple[str, ...]  #: the forms of the thing that is not used any more
    new: tuple[str, ...]  #: those of what is used instead, () where that is not said
    frame: frozenset[str]  #: for what, where: all other words
    said: str  #: how it is said, as it was written


# ---- never, and yet ---------------------------------------------------------------------------------


def exception(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """Find an exception: what never happens does in some case, or what always happens need not."""
    for absolute, other, turned in ((one, two, False), (two, one, True)):
        said = _denied(absolute, other) or _weakened(absolute, other)
        if said is not None:
            return (said[1], said[0]) if turned else said
    return None


def _denied(absolute: Statement, other: Statement) -> tuple[str, str] | None:
    """Hold "never" or "nobody" against what says that it is so."""
    if len(absolute.negated) != 1 or other.negated:
        return None
    tokens = [term.strip(".,;:!?*_`\"'()") for term in absolute.text.lower().split()]
    nobody = any(term in tokens for term in _NOBODY)
    if not nobody and _NEVER not in tokens:
        return None
    _, clause = absolute.negated[0]
    core = [word for word in absolute.words if word.clause == clause]
    place = _stands_in(core, other, free_subject=nobody)
    if place is None:
        return None
    verb = core[min(absolute.negated[0][0], len(core) - 1)] if not nobody else core[0]
    word = "nobody" if nobody else _NEVER
    return f"{word} {verb.raw}", place


def _weakened(absolute: Statement, other: Statement) -> tuple[str, str] | None:
    """Hold "always" against what says that it is not so in some circumstance, or only sometimes."""
    if absolute.negated or f" {_ALWAYS} " not in f" {absolute.text.lower()} ":
        return None
    weak = next((word.raw for word in other.words if word.raw.lower() in _WEAK), "")
    if not weak and not odd(other):
        return None
    place = _stands_in(list(absolute.words), other, free_subject=False)
    return None if place is None else (_ALWAYS, weak or f"not {place}")


def _stands_in(core: Sequence[Word], other: Statement, *, free_subject: bool) -> str | None:
    """Tell whether a statement says all of a core, in one piece, and more only of when, how or for whom.

    `core` are the words that are denied or claimed; `free_subject`: anybody may stand before it. The
    last of its words there is returned, as written.
    """
    wanted = [word.form for word in core]
    words = [word for word in other.words if word.raw.lower() not in _WEAK]
    forms, size = [word.form for word in words], len(wanted)
    runs = range(len(forms) - size + 1)
    first = next((at for at in runs if sorted(forms[at : at + size]) == sorted(wanted)), -1)
    if size < 2 or first < 0:
        return None  # the same is said of something else
    order, last = forms[first : first + size], first + size - 1
    if first and not free_subject and (order == wanted or order[0] == wanted[0]):
        return None  # a narrower subject
    behind = words[last + 1 :]
    if behind and not _is_circumstance(behind[0], words[last].clause):
        return None
    return words[last].raw


def _is_circumstance(word: Word, clause: int) -> bool:
    if word.clause != clause or word.form in _CIRCUMSTANCE_FORMS:
        return True
    near = (word.raw.lower(), word.before, word.lead if word.before in _SMALL_BEFORE else "")
    return not _CIRCUMSTANCE.isdisjoint(near)


_SMALL_BEFORE = frozenset("a an the their its our one each every any some this that".split())

# ---- in the place of --------------------------------------------------------------------------------


def replacement(one: Statement, two: Statement, found: Difference) -> tuple[str, str] | None:
    """Find a replacement: one side uses what the other says was replaced."""
    for turning, other, turned in ((one, two, False), (two, one, True)):
        turn = turn_of(turning)
        used = None if turn is None else _still_used(turn, other)
        if turn is not None and used is not None:
            return (used, turn.said) if turned else (turn.said, used)
    return None


def turn_of(statement: Statement) -> Turn | None:
    """Read the replacement that a statement tells of; None where it tells of none."""
    words = statement.words
    text = f" {statement.text.lower()} "
    if " instead of " in text or " rather than " in text:
        return _instead(statement)
    for at, word in enumerate(words):
        low = word.raw.lower()
        if low in _REPLACE:
            return _replaced(words, at)
        if low in _MOVED and " from " in text and " to " in text:
            return _moved(words, at)
        if low in _DROPPED and (" in favour of " in text or " in favor of " in text):
            return _dropped(words, at)
    return None


def _instead(statement: Statement) -> Turn | None:
    if len(statement.negated) != 1:
        return None
    at, _ = statement.negated[0]
    words = statement.words
    old, rest = _name(words, at)
    if not old or not at:
        return None
    new = words[at - 1]
    frame = [*words[: at - 1], *words[rest:]]
    return _turn(old, (new,), frame, f"{new.raw} instead of {old[-1].raw}")


def _replaced(words: Sequence[Word], at: int) -> Turn | None:
    verb = words[at].raw.lower()
    after, rest = _name(words, at + 1)
    if (after and after[0].before == "by") or (after and after[0].lead == "by"):
        old, new = tuple(words[:at]), after  # Y was replaced by X
        if len(old) > _NAME_WORDS:
            return None
        return _turn(old, new, words[rest:], f"{verb} by {new[-1].raw}")
    if not after:
        return None
    if rest < len(words) and words[rest].before == "with":  # we replaced Y with X
        new, rest = _name(words, rest)
        if not verb.endswith("d") or at:
            return None
        return _turn(after, new, words[rest:], f"replaced with {new[-1].raw}") if new else None
    if not 0 < at <= _NAME_WORDS:
        return None
    return _turn(after, tuple(words[:at]), words[rest:], f"{words[at - 1].raw} {verb}")


def _moved(words: Sequence[Word], at: int) -> Turn | None:
    source = next((n for n in range(at + 1, len(words)) if _led_by(words[n], "from")), -1)
    if source < 0:
        return None
    old, rest = _name(words, source)
    if rest >= len(words) or not _led_by(words[rest], "to"):
        return None
    new, behind = _name(words, rest)
    frame = [*words[:at], *words[at + 1 : source], *words[behind:]]
    return _turn(old, new, frame, f"{words[at].raw} to {new[-1].raw}")


def _dropped(words: Sequence[Word], at: int) -> Turn | None:
    old, rest = _name(words, at + 1)
    favour = next((n for n in range(rest, len(words)) if words[n].raw.lower() in _FAVOUR), -1)
    if not old or favour < 0:
        return None
    new, behind = _name(words, favour + 1)
    if not new:
        return None
    frame = [*words[:at], *words[rest:favour], *words[behind:]]
    return _turn(old, new, frame, f"{words[at].raw} {old[-1].raw}")


_FAVOUR = ("favour", "favor")


def _led_by(word: Word, small: str) -> bool:
    return word.before == small or (word.before in _ARTICLES and word.lead == small)


def _name(words: Sequence[Word], start: int) -> tuple[tuple[Word, ...], int]:
    """Read a name of one word or several in a row; return it and where it ends."""
    found = list(words[start : start + 1])
    end = start + len(found)
    while end < len(words) and words[end].before == found[-1].raw.lower():
        if words[end].clause != found[-1].clause:
            break
        found.append(words[end])
        end += 1
    return (tuple(found), end) if 0 < len(found) <= _NAME_WORDS else ((), start)


def _turn(
    old: Sequence[Word], new: Sequence[Word], frame: Sequence[Word], said: str
) -> Turn | None:
    # neither a value nor a gerund names a thing
    if not old or any(one.form[0] in "#@" or one.raw.lower().endswith("ing") for one in old):
        return None
    forms = [[word.form for word in words] for words in (old, new, frame)]
    return Turn(tuple(forms[0]), tuple(forms[1]), frozenset(forms[2]), said)


def _still_used(turn: Turn, other: Statement) -> str | None:
    """Return the word by which a statement says that it uses what was replaced."""
    forms = set(other.forms)
    if other.negated or not forms.issuperset(turn.old) or not forms.isdisjoint(turn.new):
        return None
    if turn_of(other) is not None:
        return None
    used = next(word for word in other.words if word.form == turn.old[0])
    placed = bool(turn.frame) and used.before in PLACING
    was = used.before == "used" and used.lead in ("", "we")
    if was or not (placed or is_chosen(other, used)):
        return None
    rest = [word for word in other.words if word.form not in turn.old]
    if not turn.frame:
        return None if scoped(rest) else used.raw
    frame = {word.form for word in rest}
    return used.raw if turn.frame <= frame or (frame and frame <= turn.frame) else None
