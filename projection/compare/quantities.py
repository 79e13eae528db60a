"""Read the amounts in a statement: of a time, a size, a share, or how many there are of a thing."""

from __future__ import annotations

from functools import lru_cache

from ledger.model.record import Record
from projection.compare.statement_subjects import read_once, root
from projection.text.normalize import stem, value_with_unit
from projection.text.topics import ASPECTS, OFTEN
from projection.text.vocabulary import COUNTED, LABELS, UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.compare.statement_subjects import Subject

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
