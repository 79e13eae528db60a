"""Read what a statement is about: its words by their roots, the names in it, and where it holds.

Two statements in words of their own can only be held against each other where both speak of one subject:
they share its words, and no word beside these says that one means another thing of the kind.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from ledger.model.record import Record
from projection.text import topics
from projection.text.normalize import Statement, Word, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Protocol, TypeVar

    class Written(Protocol):
        """A statement, or what was read of it."""

        @property
        def text(self) -> str:
            """It as it was written."""

    S = TypeVar("S", bound=Written)
    T = TypeVar("T")

#: By so many letters words are compared: renderer and rendering, reserved and reservation.
ROOT_LETTERS = 6
_GENERIC_WEIGHT = 0.4
_FOLD = str.maketrans("áéíóúñçäöü", "aeiouncaou")
#: The most words of a head, and of a name.
_HEAD_WORDS, _NAME_WORDS = 4, 3
#: Behind these stands what is not used any more.
#: The classes of which a name on one side alone makes an exception: environments, tests, platforms.
_EXCEPTIONS = frozenset(range(4))
_WAS = frozenset("was were been we".split())
_DONE = frozenset("is are be being wird werden gets get".split()) | _WAS
_LED = frozenset("in on at from with by for of".split())
_SLOTS = frozenset("in for".split())
_ARTICLES = frozenset("a an the our der die das el la".split())
_LEFT = frozenset(
    "from replace replaces replaced replacing dropped left removed retired von".split()
)


class Subject(Record):
    """What a statement is about."""

    said: Statement  #: the statement
    marks: tuple[str, ...]  #: the root of each of its words, "" where that carries nothing
    roots: frozenset[str]  #: those that are there
    head: frozenset[str]  #: those that it begins with
    #: of those the noun before the first small verb, or all before a preposition
    named: frozenset[str]
    slots: frozenset[tuple[str, str]]  #: those behind "in" and "for"
    scopes: frozenset[tuple[int, int]]  #: what it names of the classes of scopes, as (class, value)
    #: for each negator the places of the words that it denies, and whether they stand behind it
    denials: list[tuple[list[int], bool]]
    denied: frozenset[int]  #: the places of all of these
    #: the alternatives that it names, by family: the value and the places of its words
    names: dict[int, dict[int, range]]
    universal: bool  #: whether it holds everywhere
    past: bool  #: whether it tells of what was, or of one occasion

    @property
    def text(self) -> str:
        """The statement as it was written."""
        return self.said.text

    def joined(self, at: int) -> bool:
        """Tell whether a word stands right behind the one before it."""
        words = self.said.words
        if not 0 < at < len(words) or words[at].clause != words[at - 1].clause:
            return False
        return words[at].before == words[at - 1].raw.lower()

    def beside(self, places: range) -> frozenset[str]:
        """Return the roots that stand elsewhere, too."""
        return frozenset([mark for at, mark in enumerate(self.marks) if at not in places])


_KNOWN_LIMIT = 1 << 13


def read_once(read: Callable[[S], T]) -> Callable[[S], T]:
    """Keep what a function reads of a statement: one stands in dozens of pairs."""
    known: dict[str, T] = {}

    def kept(said: S) -> T:
        if said.text not in known:
            if len(known) >= _KNOWN_LIMIT:
                known.clear()
            known[said.text] = read(said)
        return known[said.text]

    return kept


@read_once
def roots_of(said: Statement) -> frozenset[str]:
    """Return the roots of the words of a statement, without those that carry nothing."""
    return frozenset(map(root_of, said.words)) - {""}


@read_once
def subject(said: Statement) -> Subject:
    """Read what a statement is about."""
    marks = tuple([root_of(word) for word in said.words])
    head: list[str] = []
    named: list[str] = []
    for word, name in zip(said.words, marks, strict=True):
        if head and (word.before in topics.ENDS or word.before.endswith("n't")):
            named = head if word.before in topics.PREPOSITIONS else head[-1:]
            break
        if len(head) == _HEAD_WORDS or (head and word.form[0] == "#"):
            break
        head += [name] if name else []
    led = [
        (word.lead if word.before in _ARTICLES else word.before, name)
        for word, name in zip(said.words, marks, strict=True)
    ]
    slots = [(small, name) for small, name in led if name and small in _SLOTS]
    lows = {word.raw.lower() for word in said.words}
    lows.update(word.form for word in said.words if " " in word.raw)
    lows.update(piece.strip(".,;:") for piece in said.text.lower().split())
    scopes = [one for low in lows for one in _scopes().get(low, ())]
    if ("in", "test") in slots:
        scopes.append((0, -1))
    denials = _denials(said, marks)
    denied = frozenset([at for places, _ in denials for at in places])
    past = any(
        low in topics.PASSED
        or low.startswith("@date")
        or (len(low) == 4 and low.isdigit() and low[:2] in ("19", "20"))
        for low in lows
    )
    return Subject(
        said, marks, roots_of(said), frozenset(head), frozenset(named), frozenset(slots),
        frozenset(scopes), denials, denied, _names(said, denied), not topics.UNIVERSAL.isdisjoint(lows),
        past,
    )  # fmt: skip


@lru_cache(1 << 13)
def root(form: str) -> str:
    """Return what a word in its normal form is compared by; "" where it carries nothing."""
    if form in topics.FILLERS or form[0] in "#@" or not any(map(str.isalnum, form)):
        return ""
    found = form.translate(_FOLD)[:ROOT_LETTERS] if form.isalpha() else form
    return _synonyms().get(found, found)


def root_of(word: Word) -> str:
    """Return what a word is compared by."""
    return "" if word.raw.lower() in topics.FILLERS else root(word.form)


def weight_of(names: Iterable[str]) -> float:
    """Return what roots weigh together: those that are said of many things little."""
    generic = _generic()
    return sum(_GENERIC_WEIGHT if name in generic else 1.0 for name in names)


def is_rare(name: str) -> bool:
    """Tell whether a root is not said of many things."""
    return name not in _generic()


def parted(
    one: Subject, two: Subject, common: Iterable[str], issue: Collection[str], *, slots: bool
) -> bool:
    """Tell whether two statements speak of two things of a kind.

    `common` are the roots of the subject that both have, `issue` those at issue; `slots`: whether in
    what and for what parts them, too.
    """
    mine, theirs = dict(one.scopes), dict(two.scopes)
    for number in mine.keys() & theirs.keys():
        if mine[number] != theirs[number]:
            return True
    if not (one.universal or two.universal) and (mine.keys() ^ theirs.keys()) & _EXCEPTIONS:
        return True
    known, others = one.roots.union(issue), two.roots.union(issue)
    if one.named and two.named and others.isdisjoint(one.named) and known.isdisjoint(two.named):
        return True
    if slots:
        for slot, name in one.slots:
            if name not in others and any(slot == to and it not in known for to, it in two.slots):
                return True
    for name in filter(is_rare, common):
        lefts, rights = _modifiers(one, name, issue), _modifiers(two, name, issue)
        if lefts and rights and not (lefts & two.roots or rights & one.roots):
            return True
    return False


def _modifiers(found: Subject, name: str, issue: Collection[str]) -> frozenset[str]:
    """Return the words right before a word, where each time it stands there is one."""
    before = []
    for at, mark in enumerate(found.marks):
        if mark == name:
            # a third word before these may have the second one for its verb
            alone = name in found.named or not found.joined(at - 1)
            near = found.marks[at - 1] if found.joined(at) and alone else ""
            if not near or near in issue:
                return frozenset()
            before.append(near)
    return frozenset(before)


def _denials(said: Statement, marks: tuple[str, ...]) -> list[tuple[list[int], bool]]:
    """Return for each negator the places of the words that it denies, and whether they stand behind it."""
    words = said.words
    places = [(place, clause, False) for place, clause in said.negated]
    for at, word in enumerate(words):
        if word.form in _DENYING or (word.form in _DENIED_ONCE and word.before in _WAS):
            places.append((at + 1, word.clause, word.before in _DONE))
    clauses = [clause for _, clause, _ in places]
    found = []
    for place, clause, done in places:
        inside = [at for at, word in enumerate(words) if word.clause == clause]
        behind = [at for at in inside if at >= place]
        if clauses.count(clause) % 2 == 0 or any(words[at].form[0] == "#" for at in behind[:3]):
            continue
        behind = [at for at in behind if marks[at] and words[at].form not in _EMPTY]
        if behind:
            word = words[behind[0]]
            done = done or not {word.before, word.lead}.isdisjoint(_LED)
        ahead = [at for at in inside if at < place and marks[at]]
        ahead = [at for at in ahead if words[at].form not in _DENYING | _DENIED_ONCE]
        if len(behind) == 1 and words[behind[0]].raw.endswith(("ed", "en")):
            found.append(([behind[0], *ahead[:-3:-1]], False))
        elif behind and not (done and ahead):
            found.append((behind[:2], True))
        elif ahead:
            found.append((ahead[:-5:-1], False))
    return found


def _names(said: Statement, denied: Collection[int]) -> dict[int, dict[int, range]]:
    """Return the alternatives that a statement chooses."""
    words = said.words
    found: dict[int, dict[int, range]] = {}
    at = 0
    while at < len(words):
        word, size = words[at], 1
        for length in range(_NAME_WORDS, 0, -1):
            part = words[at : at + length]
            if any(b.before != a.raw.lower().split()[-1] for a, b in pairwise(part)):
                continue
            low = "".join([word.raw for word in part]).lower()
            whole = low.replace("-", "").replace(" ", "")
            for key in (low, whole, part[0].form if length == 1 else ""):
                rows = families().get(key, ())
                if rows:
                    break
            for number, value, everyday in rows:
                end = at + len(part)
                if everyday and not (part[0].raw[:1].isupper() and _stands_alone(words, end)):
                    continue
                if word.before in ("a", "an") and not _stands_alone(words, end, generic=True):
                    continue
                if at not in denied and word.before not in _LEFT:
                    found.setdefault(number, {}).setdefault(value, range(at, at + len(part)))
            if rows:
                size = len(part)
                break
        at += size
    return found


def _stands_alone(words: Sequence[Word], end: int, *, generic: bool = False) -> bool:
    """Tell whether a name that ends there tells no other noun from its like: "Go", not "the Go client"."""
    if end == len(words) or words[end].before != words[end - 1].raw.lower():
        return True
    name = root_of(words[end])
    return words[end].raw.endswith("s") or not name or (generic and not is_rare(name))


@lru_cache(1)
def families() -> dict[str, list[tuple[int, int, bool]]]:
    """Return for each name what it is of: the family, the value, whether it is an everyday word."""
    from projection.text.technologies import FAMILIES

    found: dict[str, list[tuple[int, int, bool]]] = {}
    for number, row in enumerate(FAMILIES):
        for value, names in enumerate(row.split()):
            for name in names.split("="):
                key = name.rstrip("!").replace("_", "").replace("-", "")
                found.setdefault(key, []).append((number, value, name.endswith("!")))
    return found


@lru_cache(1)
def _synonyms() -> dict[str, str]:
    rows = [[stem(word)[:ROOT_LETTERS] for word in row.split()] for row in topics.TOPIC_SYNONYMS]
    return {name: row[0] for row in rows for name in row}


@lru_cache(1)
def _generic() -> frozenset[str]:
    return frozenset([root(stem(word)) for word in topics.GENERIC])


@lru_cache(1)
def _scopes() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for number, row in enumerate(topics.SCOPE_CLASSES):
        for value, names in enumerate(row.split()):
            for name in names.split("="):
                found.setdefault(name, []).append((number, value))
    return found


_DENYING, _DENIED_ONCE, _EMPTY = (
    frozenset(map(stem, words)) for words in (topics.DENYING, topics.DENIED_ONCE, topics.EMPTY)
)
