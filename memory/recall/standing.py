"""Order the facts that answer by where they stand, and tell whether they answer at all."""

from __future__ import annotations

from ledger.model.record import Record
from memory.recall.rules import ABOVE, BEST, ENOUGH_TOLD, HEAVY, NINTH, RULES
from memory.recall.search import Scored, Search
from projection.fold.projection_state import ARCHIVED_TIERS, Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Whether facts answer.
SURE, PERHAPS, SILENT = "", "perhaps", "silent"


class Candidate(Record):
    """A fact that may answer: its text's score, where it stands, and the date of that text."""

    scored: Scored
    standing: Standing
    date: str


def ordered(found: Sequence[Candidate], asked_open: bool) -> list[Candidate]:
    """Order candidates, best first, each fact once; the parts of their scores say why."""
    best: dict[str, Candidate] = {}
    for one in found:
        fact = one.standing.fact
        parts = [("live", 1.0 if one.standing.tier in ARCHIVED_TIERS else RULES.live)]
        if asked_open:
            share = RULES.open if fact.open else 1 / RULES.open if fact.closed else 1.0
            parts.append(("open", share))
        score = one.scored.score
        for _, share in parts:
            score *= share
        if fact.id not in best or best[fact.id].scored.score < score:
            scored = one.scored._replace(score=score, parts=(*one.scored.parts, *parts))
            best[fact.id] = one._replace(scored=scored)
    return sorted(best.values(), key=lambda one: (one.scored.score, one.date, one.scored.row),
                  reverse=True)  # fmt: skip


def verdict(best: Sequence[Scored], found: Search) -> str:
    """Tell whether the best facts answer a question: surely, perhaps, or not.

    They do not where the first ones all lack a word that tells clearly more than any that they have, and
    the best neither scores much of what all words tell nor stands out of what follows.
    """
    if not best:
        return SILENT
    first = best[0]
    weak = all(one.heaviest < HEAVY * one.lacked for one in best[:BEST])
    total = sum(found.weights.values())
    flat = len(best) > NINTH and first.score < ABOVE * best[NINTH].score
    if weak and (flat or first.score < ENOUGH_TOLD * total):
        return SILENT
    return PERHAPS if first.heaviest < first.lacked else SURE
