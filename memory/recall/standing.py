"""Order the facts that answer by where they stand, and tell whether they answer at all."""

from __future__ import annotations

from ledger.model.record import Record
from memory.recall.rules import ABOVE, ALIKE, BEST, ENOUGH_TOLD, HEAVY, NINTH, RULES
from memory.recall.search import MEANING, Scored, Search
from projection.fold.projection_state import ARCHIVED_TIERS, TIERS, Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Whether facts answer.
SURE, PERHAPS, SILENT = "", "perhaps", "silent"


class Candidate(Record):
    """A fact that may answer: a text's score, where the fact stands, and the date of that text."""

    scored: Scored
    standing: Standing
    date: str
    before: bool = False  #: the text is none that stands: the fact took its place


def ordered(found: Sequence[Candidate]) -> list[Candidate]:
    """Order candidates, best first, each fact once; the parts of their scores say why."""
    texts: dict[str, list[Candidate]] = {}
    for one in found:
        texts.setdefault(one.standing.fact.id, []).append(one)
    best = [_as_one(some) for some in texts.values()]
    return sorted(best, key=lambda one: (one.scored.score, one.date, one.scored.row),
                  reverse=True)  # fmt: skip


def _as_one(texts: list[Candidate]) -> Candidate:
    """Return a fact as the best of its texts answers, and the best of those whose place it took."""
    texts.sort(key=lambda one: (one.before, -one.scored.score))
    best, before = texts[0], [one.scored for one in texts if one.before][:1]
    scored, tier = best.scored, best.standing.tier
    words = [one.score - dict(one.parts).get(MEANING, 0.0) for one in before]
    more = [("before", RULES.before * said) for said in words]
    steps = 0 if tier in ARCHIVED_TIERS else 2 if tier == TIERS[0] else 1
    live = RULES.live**steps
    score = (0.0 if best.before else scored.score) + sum([value for _, value in more])
    scored = scored._replace(
        score=score * live,
        parts=(*scored.parts, *more, ("live", live)),
        heaviest=max([one.heaviest for one in (scored, *before)]),
        lacked=min([one.lacked for one in (scored, *before)]),
    )
    return best._replace(scored=scored)


def verdict(best: Sequence[Scored], found: Search) -> str:
    """Tell whether the best facts answer a question: surely, perhaps, or not.

    They do not where the first ones all lack a word that tells clearly more than any that they have, and
    the best neither scores much of what all words tell nor stands out of what follows; where a model
    weighed, none is alike in meaning.
    """
    if not best:
        return SILENT
    first = best[0]
    weak = all(one.heaviest < HEAVY * one.lacked for one in best[:BEST])
    total = sum(found.weights.values())
    flat = len(best) > NINTH and first.score < ABOVE * best[NINTH].score
    little = flat or first.score < ENOUGH_TOLD * total
    if weak and (little if found.likest is None else found.likest < ALIKE):
        return SILENT
    return PERHAPS if first.heaviest < first.lacked else SURE
