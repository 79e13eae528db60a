"""Read the amounts in a statement, each in the smallest unit of what it measures."""

from __future__ import annotations

from functools import lru_cache

from ledger.model.record import Record
from projection.compare.subjects import VERBS, Subject, Token, subject
from projection.text.topics import (
    ADVERBS,
    AMOUNTS,
    ASPECTS,
    BOUNDS,
    MEASURES,
    PLACES_OF_NUMBERS,
    RULING,
    TIMES_OF_TEN,
)
from projection.text.vocabulary import COUNTED, LABELS

_EVERY = frozenset("every each alle cada toutes tous".split())
_PER = frozenset("per a an each every pro je por par".split())
_ONCE = {"once": 1, "twice": 2, "einmal": 1, "zweimal": 2}
_TIMES = frozenset("times mal veces fois time".split())
_ASPECTS = {word: name for name, words in ASPECTS.items() for word in words.split()}
_BOUNDS = frozenset(BOUNDS)
#: How many words behind a number may name what is counted.
_COUNTED_WORDS = 3


class Quantity(Record):
    """An amount.

    Args:
        what: what it measures; `count` for a number of things.
        amount: in the smallest unit.
        things: the roots of what is counted, or of what it is a rate of.
        aspects: what a duration is the duration of.
        raw: as it was written.
    """

    what: str
    amount: float
    things: frozenset[str]
    aspects: frozenset[str]
    raw: str


@lru_cache(1 << 11)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Read the amounts of a statement."""
    found = subject(text)
    tokens = found.tokens
    quants: list[Quantity] = []
    at = 0
    while at < len(tokens):
        quantity, size = _read(tokens, at, found)
        if quantity is not None:
            quants.append(quantity)
        at += max(1, size)
    return tuple(quants)


@lru_cache(1)
def measuring() -> frozenset[str]:
    """Return the roots of words that say how something is measured, and nothing of what."""
    from projection.compare.lexicon import root

    words = (*_ASPECTS, *_BOUNDS, *MEASURES, *(f"{unit}s" for unit in MEASURES), *ADVERBS, *AMOUNTS)
    return frozenset([found for word in words if (found := root(word))])


def _read(tokens: tuple[Token, ...], at: int, found: Subject) -> tuple[Quantity | None, int]:
    """Read the amount that begins at a word; return it and how many words it takes."""
    token = tokens[at]
    ahead = tokens[at + 1 : at + 6]
    if token.low in ADVERBS and not (ahead and ahead[0].before == token.root and ahead[0].root):
        return _made("every", ADVERBS[token.low], tokens, at, token.raw), 1
    if token.low in _ONCE and len(ahead) > 1 and ahead[0].low in _PER:
        unit = _unit(ahead[1].low)
        if unit and unit[0] == "time":
            return _made("every", unit[1] / _ONCE[token.low], tokens, at, _raw(tokens, at, 3)), 3
    amount, unit, size = _number(tokens, at)
    if amount is None:
        if token.low in _EVERY and ahead and (one := _unit(ahead[0].low)) and one[0] == "time":
            if token.low == "every":
                return _made("every", one[1], tokens, at, _raw(tokens, at, 2)), 2
        return None, 1
    raw = _raw(tokens, at, size)
    rest = tokens[at + size : at + size + 5]
    before = tokens[at - 1].low if at else ""
    if unit is not None:
        what, factor = unit
        if what == "rate":
            return _made("every", 1000 / (amount * factor) if amount else 0, tokens, at, raw), size
        if what == "time" and before in _EVERY:
            return _made("every", amount * factor, tokens, at, raw), size
        if (
            len(rest) > 1
            and rest[0].low in ("per", "a")
            and (one := _unit(rest[1].low))
            and one[0] == "time"
        ):
            return _made(f"{what} rate", amount * factor / one[1], tokens, at, raw), size
        return _made(what, amount * factor, tokens, at, raw), size
    if (
        len(rest) > 2
        and rest[0].low in _TIMES
        and rest[1].low in _PER
        and (one := _unit(rest[2].low))
    ):
        return (
            (_made("every", one[1] / amount, tokens, at, raw), size)
            if amount and one[0] == "time"
            else (None, size)
        )
    if any(one.low in PLACES_OF_NUMBERS for one in tokens[max(0, at - 3) : at]):
        return _made("port", amount, tokens, at, raw), size
    if before in LABELS or _is_name(tokens, at) or tokens[at].raw[:1] == "#":
        return None, size
    return _count(tokens, at, size, amount, raw), size


def _count(
    tokens: tuple[Token, ...], at: int, size: int, amount: float, raw: str
) -> Quantity | None:
    """Read how many there are of a thing, or how many of it in a time."""
    things: list[str] = []
    end = at + size
    for token in tokens[end : end + _COUNTED_WORDS]:
        if not token.root or token.clause != tokens[at].clause or token.low in COUNTED:
            break
        things.append(token.root)
        end += 1
    if not things or not amount:
        return None
    behind = tokens[end : end + 2]
    words = _raw(tokens, at, size + 1)
    if len(behind) == 2 and behind[0].low in _PER and (one := _unit(behind[1].low)):
        if one[0] == "time":
            return Quantity("rate", amount / one[1], frozenset(things), frozenset(), words)
    if not any(token.low in RULING or token.low in VERBS for token in tokens):
        return None
    return Quantity("count", amount, frozenset(things), frozenset(), words)


def _number(
    tokens: tuple[Token, ...], at: int
) -> tuple[float | None, tuple[str, float] | None, int]:
    """Read a number and its unit; return both and how many words they take."""
    low = tokens[at].low
    size, unit = 1, None
    amount: float | None = AMOUNTS.get(low)
    if amount is None:
        bare = low.lstrip("~€$").replace(",", "")
        end = len(bare)
        while end and not bare[end - 1].isdigit():
            end -= 1
        digits, behind = bare[:end], bare[end:]
        if (
            not digits
            or digits.count(".") > 1
            or not digits.replace(".", "").isdigit()
            or not digits.isascii()
        ):
            return None, None, 1
        if len(digits) == 4 and digits[:2] in ("19", "20") and not behind:
            return None, None, 1  # a year
        amount = float(digits)
        if behind:
            unit = _unit(behind)
            if unit is None and behind not in TIMES_OF_TEN:
                return None, None, 1
            amount *= TIMES_OF_TEN.get(behind, 1) if unit is None else 1
    if at + size < len(tokens) and (more := TIMES_OF_TEN.get(tokens[at + size].low)):
        amount, size = amount * more, size + 1
    if unit is None and at + size < len(tokens) and tokens[at + size].clause == tokens[at].clause:
        unit = _unit(tokens[at + size].low)
        size += unit is not None
    return amount, unit, size


def _unit(low: str) -> tuple[str, float] | None:
    found = MEASURES.get(low)
    if found is None and len(low) > 3:
        for ending in ("s", "n", "en", "es", "e"):
            if low.endswith(ending) and (found := MEASURES.get(low[: -len(ending)])):
                break
    return found


def _is_name(tokens: tuple[Token, ...], at: int) -> bool:
    """Tell whether a number belongs to a name before it: `Python 3`, `level 2`, `NDCG at 10`."""
    if not at or not tokens[at].low[0].isdigit():
        return False
    before = tokens[at - 1]
    return (before.raw[:1].isupper() and at > 1) or before.low in ("version", "v")


def _made(what: str, amount: float, tokens: tuple[Token, ...], at: int, raw: str) -> Quantity:
    """Return an amount with what its clause says that it is of."""
    clause = tokens[at].clause
    near = [token.low for token in tokens if abs(token.clause - clause) <= 1]
    aspects = [_ASPECTS[low] for low in near if low in _ASPECTS]
    if "läuft" in near and "ab" in near:
        aspects.append("expiry")
    return Quantity(what, amount, frozenset(), frozenset(aspects if what == "time" else ()), raw)


def _raw(tokens: tuple[Token, ...], at: int, size: int) -> str:
    return " ".join([token.raw for token in tokens[at : at + size]])
