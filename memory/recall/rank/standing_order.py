"""Order the facts that answer by where they stand: what holds now before what is put away.

The words of a question decide first (`memory.recall.rank.fact_ranking`); what it says of a state
(`state_words`) decides among facts that the words leave near each other. Rules with round numbers, told
by `--explain`.
"""

from __future__ import annotations

import re

from ledger.model.record import Record
from projection.fold.projection_state import ARCHIVED_TIERS, Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.recall.query.stopwords import StateWords
    from memory.recall.rank.rank_types import Scored

#: How much more a fact counts that is not in the archive.
LIVE = 1.25
#: How much more a thread counts that is open, and what is closed, where that or what is current is asked.
UNDONE, DONE = 1.5, 0.5
#: How much more the newest of all that answer counts, where the newest is asked for; the oldest nothing.
NEWEST = 2.0
#: How much more one of a series of versions counts, where a version is asked for.
NUMBERED = 1.5
#: How much of a question the fact that comes first must say, for an answer:
#: in which words it does decides the order alone.
ENOUGH = 0.35
#: How alike in meaning it must be where it covers less.
ALIKE = 0.45
_VERSION = re.compile(r"\d+(?:[.-]\d+)+")


class Candidate(Record):
    """A fact that may answer: its text's score, where it stands, and the date of that text."""

    scored: Scored
    standing: Standing
    date: str


def ordered(found: Sequence[Candidate], state: StateWords) -> list[Candidate]:
    """Order candidates, best first, each fact once; the parts of their scores say why."""
    shares = _newness(found, state) if state.latest else {}
    best: dict[str, Candidate] = {}
    for one in found:
        fact = one.standing.fact
        parts = [("live", LIVE if one.standing.tier not in ARCHIVED_TIERS else 1.0)]
        if state.open:
            parts.append(("open", UNDONE if fact.open else DONE if fact.closed else 1.0))
        if state.latest:
            parts.append(("newest", 1 + NEWEST * shares[one.scored.row]))
            if fact.closed and not state.version:  # a release that is out is closed, and stands
                parts.append(("done", DONE))
            if state.version and _VERSION.search(fact.id):
                parts.append(("version", NUMBERED))
        score = one.scored.score
        for _, share in parts:
            score *= share
        scored = one.scored._replace(score=score, parts=(*one.scored.parts, *parts))
        if fact.id not in best or best[fact.id].scored.score < score:
            best[fact.id] = one._replace(scored=scored)
    if state.latest:
        best.update(_newest_of_series(list(best.values()), state))
    newest_first = sorted(best.values(), key=lambda one: _age(one, state), reverse=True)
    return sorted(newest_first, key=lambda one: -one.scored.score)


def _newest_of_series(found: Sequence[Candidate], state: StateWords) -> dict[str, Candidate]:
    """Let the newest of each series of versions stand where the best of them would, by id."""
    series: dict[str, list[Candidate]] = {}
    for one in found:
        number = _VERSION.search(one.standing.fact.id)
        if number:
            series.setdefault(one.standing.fact.id[: number.start()], []).append(one)
    lifted = {}
    for members in series.values():
        newest = max(members, key=lambda one: _age(one, state))
        best = max(members, key=lambda one: one.scored.score).scored
        own = newest.scored
        if best.score > own.score:
            parts = (*own.parts, ("newest of its series", best.score / own.score))
            covered, said = max(own.covered, best.covered), max(own.said, best.said)
            scored = own._replace(score=best.score, parts=parts, covered=covered, said=said)
            lifted[newest.standing.fact.id] = newest._replace(scored=scored)
    return lifted


def answers(found: Sequence[Candidate]) -> bool:
    """Tell whether what comes first says enough of a question, in any words, or means nearly the same."""
    first = found[0].scored if found else None
    return first is not None and (first.said >= ENOUGH or (first.alike or 0.0) >= ALIKE)


def _newness(found: Sequence[Candidate], state: StateWords) -> dict[int, float]:
    """Return 1 for the newest text, down to nearly 0 for the oldest, by row."""
    rows = [one.scored.row for one in sorted(found, key=lambda one: _age(one, state))]
    return {row: (place + 1) / len(rows) for place, row in enumerate(rows)}


def _age(one: Candidate, state: StateWords) -> tuple[str, tuple[int, ...], int]:
    """Return what sorts a text behind all that are older."""
    number = _VERSION.search(one.standing.fact.id) if state.version else None
    parts = re.split("[.-]", number[0]) if number else []
    return one.date, tuple([int(part) for part in parts]), one.scored.row
