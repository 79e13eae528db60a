"""Say in words what the quiz found: ids and numbers, no fact's text, so that a log may hold it."""

from __future__ import annotations

from rituals.report.quiz.score import (
    ABSENT,
    ARCHIVED,
    FALSE,
    LATE,
    NOTHING,
    RANKED,
    UNKNOWN,
    WITHHELD,
    Lack,
    Result,
    Score,
)

_WHY = {
    UNKNOWN: "is unknown: no log brings a text for it",
    WITHHELD: "is withheld: it was redacted",
    FALSE: "is false, and nothing stands instead",
    ARCHIVED: "is in the archive",
}


def tallied(found: Score) -> str:
    """Say how many questions are answered: `7 of 8 general questions, 3 of 4 of this ledger`."""
    general, own = found.general, found.own
    more = f", {own.answered} of {own.asked} of this ledger" if own.asked else ""
    return f"{general.answered} of {general.asked} general questions{more}"


def missing(result: Result) -> list[str]:
    """Say what is missing for an answer to a question, a line for each fact that it expects."""
    return [_lacking(result, lack) for lack in result.lacks]


def _lacking(result: Result, lack: Lack) -> str:
    kinds = result.asked.kinds
    if kinds:
        return _of_kinds(lack, kinds)
    if lack.why == NOTHING:
        first = f"; recall gives {_listed(result.given)}" if result.given else ""
        return f"expects no fact: say `expect: ID` in its footer{first}"
    name = f"{lack.instead}, which stands for {lack.id}," if lack.instead else lack.id
    if lack.why in _WHY:
        comes = f", and comes {_ordinal(lack.place)}" if lack.place else ""
        return f"{name} {_WHY[lack.why]}{comes}"
    if not result.given:
        return f"{name} does not come: recall gives no fact"
    if lack.why == LATE:
        return (
            f"{name} comes {_ordinal(lack.place)}, behind {_listed(result.given[: lack.place - 1])}"
        )
    return f"{name} is not among the first {RANKED}, behind {_listed(result.given)}"


def _of_kinds(lack: Lack, kinds: tuple[str, ...]) -> str:
    wanted = " or ".join(kinds)
    if lack.why == ABSENT:
        said = f"recall finds no fact of kind {wanted} by its words"
        return f'{said}: `diurna note "{kinds[0]}: TEXT"` says one'
    if lack.why == ARCHIVED:
        return f"all that answers of kind {wanted} is in the archive, first {lack.id}"
    return f"{lack.id} comes {_ordinal(lack.place)}, behind facts of the archive"


def _listed(ids: tuple[str, ...]) -> str:
    shown = ", ".join(ids[:3])
    return f"{shown} and {len(ids) - 3} more" if len(ids) > 3 else shown


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
    return f"{number}{ending}"
