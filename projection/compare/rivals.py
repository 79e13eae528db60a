"""Find contradictions of statements that were written independently of each other, in words of their own.

What a rule of `contradictions` asks of the frame, these ask of the subject (`subjects`): enough words of
it are shared, and none of the others says that it is another thing. What is said of it is an amount,
a choice, what the other one denies, an order or an owner.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ledger.model.record import Record
from projection.compare.statement_subjects import (
    Subject,
    is_rare,
    parted,
    read_once,
    root,
    subject,
    weight_of,
)
from projection.text.normalize import statement, stem, value_with_unit
from projection.text.topics import AFTER, ASPECTS, BEFORE, FIRST, OFTEN, OWNING, THEN
from projection.text.vocabulary import COUNTED, LABELS, UNITS

Said = tuple[str, str]


_ASPECTS = {word: name for name, words in ASPECTS.items() for word in words.split()}
#: As they stand in a statement.
_FORMS = frozenset(map(stem, UNITS))
_TENS = {"thousand": 1000, "million": 10**6, "k": 1000, "tausend": 1000, "mil": 1000}
_TIMES = frozenset("times mal veces".split())
_EVERY = frozenset("every once cada alle".split())
#: Words by which an amount is told to be a bound.
_BOUNDS = (
    "limit maximum cap capped exceed budget minimum threshold quota interval rate allow".split()
)


class Quantity(Record):
    """An amount."""

    what: str  #: what it measures; `count` for a number of things
    amount: float  #: in the smallest unit
    things: frozenset[str]  #: the roots of what is counted
    aspects: frozenset[str]  #: what a duration is the duration of
    raw: str  #: as it was written

    def comparable(self, other: Quantity) -> bool:
        """Tell whether two amounts may be of one thing."""
        if self.what != other.what or (self.things and not self.things & other.things):
            return False
        return not (self.aspects and other.aspects) or bool(self.aspects & other.aspects)

    def equals(self, other: Quantity) -> bool:
        """Tell whether two amounts are one."""
        return self.what == other.what and self.amount == other.amount


@lru_cache(1)
def measuring() -> frozenset[str]:
    """Return the roots of words that say how something is measured, and nothing of what."""
    words = (*_ASPECTS, *_BOUNDS, *UNITS, *OFTEN)
    return frozenset([found for word in words if (found := root(stem(word)))])


@read_once
def quantities(found: Subject) -> list[Quantity]:
    """Read the amounts of a statement."""
    words = found.said.words
    aspects = frozenset([_ASPECTS[low] for word in words if (low := word.raw.lower()) in _ASPECTS])
    quants: list[Quantity] = []
    for at, word in enumerate(words):
        low, form = word.raw.lower(), word.form
        every = not _EVERY.isdisjoint((word.before, word.lead)) or low in OFTEN
        if low in OFTEN or (form in _FORMS and every):
            form = value_with_unit("#1", stem(OFTEN.get(low, form)))
        elif low == "single":
            form = "#1"
        amount, what = _read(form)
        if amount is None or word.before in LABELS or stem(word.before) in LABELS:
            continue
        if what:
            of = frozenset(["period"]) if every else aspects
            of = of if what == "time" else frozenset()
            quants.append(Quantity(what, amount, frozenset(), of, word.raw))
            continue
        behind = words[at + 1 : at + 3]
        if behind and behind[0].form in _TENS and behind[0].before == low:
            amount *= _TENS[behind[0].form]
            at, behind = at + 1, words[at + 2 : at + 4]
        if behind and behind[0].raw.lower() in _TIMES:
            quants.append(Quantity("times", amount, frozenset(), frozenset(), word.raw))
            continue
        things = _things(found, at, 1)
        if (amount == 1 and low != "single" and "most" not in word.before) or any(
            one.raw.lower() in COUNTED for one in behind
        ):
            continue
        if things:
            quants.append(Quantity("count", amount, things, frozenset(), word.raw))
        elif things := _things(found, at, -1):
            named = words[at - 1].raw[:1].isupper() and words[at - 1].raw.lower() == word.before
            what = "version" if named else "count"
            quants.append(Quantity(what, amount, things, frozenset(), word.raw))
    return quants


def _things(found: Subject, at: int, step: int) -> frozenset[str]:
    """Return the roots of the one or two words next to a number in its clause."""
    words = found.said.words
    things: list[str] = []
    for place in (at + step, at + 2 * step):
        if not 0 <= place < len(words) or words[place].clause != words[at].clause:
            break
        if step > 0 and words[place].before != words[place - 1].raw.lower():
            break
        if found.marks[place]:
            things.append(found.marks[place])
    return frozenset(things)


def _read(form: str) -> tuple[float | None, str]:
    """Read a number and what it measures."""
    bare = form.removeprefix("#").rstrip("abcdefghijklmnopqrstuvwxyz%")
    try:
        if form[0] == "#":
            return float(bare), form[1 + len(bare) :]
        if form[-1] == "k" and form[:-1].isdigit():
            return 1000.0 * int(form[:-1]), ""
        if form[0].isdigit() and "e-" in form:
            return float(form), ""
    except ValueError:
        pass
    return None, ""


#: What begins a clause that tells which one is meant, and what is done with what need not be there.
_RELATIVE = frozenset(("that", "which", "who", "whose"))
_CHECKING = frozenset(
    "check checks checked scan scans search searches tests guards watches".split()
)
#: What goes out and what comes in are two jobs.
_OUT = frozenset("send sends sent outgoing outbound".split())
_IN = frozenset("receive receives received incoming inbound".split())
#: A statement with more words that carry something says too much.
ROOTS_LIMIT = 18
#: How much the shared words of a subject have to weigh, and which share of the shorter one.
ENOUGH, COVERED, LEAST, AT_HEAD = 2.0, 0.5, 0.3, 0.2


def value(one: Subject, two: Subject) -> Said | None:
    """Find another amount of the same: "waits 30 seconds", "times out after 8 s"."""
    lefts, rights = quantities(one), quantities(two)
    if not lefts or not rights:
        return None
    pairs = [
        (mine, theirs)
        for mine in lefts
        for theirs in rights
        if mine.comparable(theirs)
        and not any(mine.equals(other) for other in rights)
        and not any(theirs.equals(other) for other in lefts)
    ]
    if len({(mine.what, mine.things & theirs.things) for mine, theirs in pairs}) != 1:
        return None  # where two differ, one is the condition of the other
    mine, theirs = pairs[0]
    issue = measuring() | (frozenset() if mine.what == "version" else mine.things & theirs.things)
    sure = bool(mine.aspects & theirs.aspects) or mine.what != "time"
    return (mine.raw, theirs.raw) if _same(one, two, issue, sure=sure, slots=True) else None


def alternative(one: Subject, two: Subject) -> Said | None:
    """Find two alternatives for one job."""
    families = one.names.keys() & two.names.keys()
    if not families:
        return None  # as of nearly all pairs
    lows = [{word.raw.lower() for word in side.said.words} for side in (one, two)]
    out, into = ([not way.isdisjoint(words) for words in lows] for way in (_OUT, _IN))
    if (out[0] and into[1]) or (out[1] and into[0]):
        return None
    for family in families:
        mine, theirs = one.names[family], two.names[family]
        if len(mine) > 1 or len(theirs) > 1 or mine.keys() == theirs.keys():
            continue  # a list is no choice
        (left,), (right,) = mine.values(), theirs.values()
        if "per" in (one.said.words[left[0]].before, two.said.words[right[0]].before):
            continue  # 60 an hour and 30 a minute are two amounts, of two limits as a rule
        named = [one.marks[at] for at in left] + [two.marks[at] for at in right]
        beside = one.beside(left) & two.beside(right)
        issue = frozenset(named) - beside
        if _same(one, two, issue, sure=True):
            return _raw(one, left), _raw(two, right)
    return None


def denial(one: Subject, two: Subject) -> Said | None:
    """Find what one statement denies and the other one says."""
    said = _denial(one, two)
    turned = _denial(two, one) if said is None else None
    return said if turned is None else (turned[1], turned[0])


def _denial(one: Subject, two: Subject) -> Said | None:
    if not one.denied or weight_of(one.roots) < ENOUGH or weight_of(two.roots) < ENOUGH:
        return None
    claimed = {
        mark: at
        for at, mark in enumerate(two.marks[: _said_of(two)])
        if mark and at not in two.denied
    }
    for focus, behind in one.denials:
        names = [one.marks[at] for at in focus]
        known = claimed.keys() & names
        done = one.said.words[focus[0]].raw.endswith("ed")
        first = names[0] if done else next(filter(is_rare, names), "")
        if first not in known or 2 * weight_of(known) <= weight_of(set(names)):
            continue
        whole = len(known) == len(set(names))
        behind_it = claimed[names[-1]] + 1 if whole else 0
        if whole and two.joined(behind_it) and two.marks[behind_it] not in one.roots:
            continue
        sides = ((one, two), (two, one))[: 2 - whole]
        if any(side.named and other.roots.isdisjoint(side.named) for side, other in sides):
            continue
        if behind and len(set(names)) == 1 and weight_of(one.roots & two.roots) < ENOUGH:
            continue
        if _same(one, two, (), sure=whole and not behind, slots=True):
            at = focus[names.index(first)]
            return f"not {one.said.words[at].raw}", two.said.words[claimed[first]].raw
    return None


def _said_of(found: Subject) -> int:
    """Return the place from which a statement claims nothing: a clause of a noun, what is looked for."""
    words = found.said.words
    for at, word in enumerate(words):
        if word.before in _RELATIVE or (
            word.before == "for" and any(one.raw.lower() in _CHECKING for one in words[:at])
        ):
            return at
    return len(words)


def order(one: Subject, two: Subject) -> Said | None:
    """Find two steps that come in the other order."""
    lefts, rights = _steps(one), _steps(two)
    if lefts is None or rights is None:
        return None
    crossed = min(weight_of(lefts[0] & rights[1]), weight_of(lefts[1] & rights[0]))
    straight = min(weight_of(lefts[0] & rights[0]), weight_of(lefts[1] & rights[1]))
    if crossed < 1 or straight >= crossed:
        return None
    return _first(one, lefts[0]), _first(two, rights[0])


def owner(one: Subject, two: Subject) -> Said | None:
    """Find another owner of the same thing."""
    lefts, rights = _owners(one), _owners(two)
    if not lefts or not rights:
        return None
    own = frozenset(map(stem, OWNING))
    others = [side.roots - other.roots - own for side, other in ((one, two), (two, one))]
    if not all(map(weight_of, others)):
        return None
    return (lefts[0], rights[0]) if _same(one, two, own, sure=True) else None


@read_once
def _owners(found: Subject) -> list[str]:
    return [word.raw for word in found.said.words if word.raw.lower() in OWNING]


def _same(
    one: Subject, two: Subject, issue: Collection[str], *, sure: bool, slots: bool = False
) -> bool:
    """Tell whether two statements speak of one thing.

    `issue` are the roots at issue; `sure`: whether what is said of it is of one kind for certain;
    `slots`: whether it has to be in or for the same, too.
    """
    common = (one.roots & two.roots).difference(issue)
    weight = weight_of(common)
    if weight < 1 or not common & (one.head | two.head):
        return False
    if parted(one, two, common, issue, slots=slots):
        return False
    mine, theirs = one.roots.difference(issue), two.roots.difference(issue)
    cover = weight / min(weight_of(mine), weight_of(theirs))
    if sure and weight_of(common & one.head & two.head) >= 1:
        return cover >= AT_HEAD
    return cover >= (LEAST if sure or weight >= ENOUGH else COVERED)


@read_once
def _steps(found: Subject) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the roots of what comes first and of what comes second; None where no order is told."""
    low = f" {found.said.text.lower().replace(',', ' ,')} "
    first = any(f" {word} " in low for word in FIRST)
    for phrases, turned in ((THEN, False),) if first else ((BEFORE, False), (AFTER, True)):
        for phrase in phrases:
            ahead, mark, behind = low.partition(f" {phrase} ")
            if mark and ahead.strip():
                if not first:
                    behind = behind.partition(",")[0]
                sides = subject(statement(ahead)).roots, subject(statement(behind)).roots
                return (sides[1], sides[0]) if turned else sides
    return None


def _first(found: Subject, step: frozenset[str]) -> str:
    pairs = zip(found.said.words, found.marks, strict=True)
    return next((word.raw for word, mark in pairs if mark in step), "") + " first"


def _raw(found: Subject, places: range) -> str:
    return " ".join([found.said.words[at].raw for at in places])
