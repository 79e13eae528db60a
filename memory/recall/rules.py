"""The rules of ranking: what each weighs, how facts are ordered by where they stand, whether they answer.

What each is worth: tests/bench/BENCH.md. What a text scores is worked out by `memory.recall.bm25_ranking`.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record
from projection.fold.live_view import ARCHIVED_TIERS, TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.fold.live_view import Standing


class Rules(Record):
    """What the rules weigh; the bench asks without one of them at a time."""

    #: BM25: how soon a word that is said again adds nothing, and how much a longer text loses
    k1: float = 1.2
    b: float = 0.75
    usual: int = 400  #: characters of a text that loses nothing by its length
    everyday: float = 0.5  #: what an everyday word tells, against one as rare
    inside: float = 0.5  #: what a word tells that holds the one that is asked for, or is held by it
    pairs: float = 2.0  #: what two words of the question add that stand side by side
    meaning: float = 2.0  #: what meaning the same as the question adds, against all its words
    #: how much more a fact counts that is not in the archive, and once more one that never decays
    live: float = 1.2
    #: what a fact gains of the score of the text that it took the place of, its own or another's
    before: float = 0.25
    #: how much more a passage counts that begins with a word of the question, as who speaks does; what
    #: the next one adds to it (the one behind half of that), and its whole log, against the best log
    begins: float = 1.5
    beside: float = 0.15
    session: float = 0.4
    #: what a passage counts that lists files and commands, as a machine saw them
    listed: float = 0.5


RULES = Rules()
#: What an answer is judged by (`verdict`): the heaviest word that one of the best
#: three facts has, against the heaviest that it lacks; the score of the best against what all words tell,
#: and against that of the ninth.
HEAVY, BEST, ENOUGH_TOLD, ABOVE, NINTH = 0.75, 3, 0.8, 2.5, 8
#: The part of a score that a model gives.
MEANING = "meaning"
#: A fact that is more alike in meaning than this is looked at, whatever words it has.
SEEN = 0.25
#: Where a model tells that no fact is as alike as this, one whose best word is weak does not answer.
ALIKE = 0.46
#: How common a word is in a ledger is told by so many texts at least.
TELLING = 1000
#: The share of a question that has to be in some passage; below it none answers.
ENOUGH = 0.15


#: Whether facts answer.
SURE, PERHAPS, SILENT = "", "perhaps", "silent"


class Scored(Record):
    """A text with its score and the parts of it."""

    row: int
    score: float
    words: tuple[str, ...] = ()  #: of the question that it has
    parts: tuple[tuple[str, float], ...] = ()
    covered: float = 0.0  #: how much of the question it has, 0 to 1
    heaviest: float = 0.0  #: what the one tells that tells most
    lacked: float = 0.0  #: the same of those that it lacks


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
    row, score, words, parts, covered, heaviest, lacked = best.scored
    score *= not best.before
    for one in before:
        more = RULES.before * (one.score - dict(one.parts).get(MEANING, 0.0))
        score, parts = score + more, (*parts, ("before", more))
        heaviest, lacked = max(heaviest, one.heaviest), min(lacked, one.lacked)
    live = lasting(best.standing)
    parts = (*parts, ("live", live))
    return best._replace(scored=Scored(row, score * live, words, parts, covered, heaviest, lacked))


def lasting(standing: Standing) -> float:
    """Return how much more a fact counts by where it stands, up to `RULES.live` squared."""
    steps = 0 if standing.tier in ARCHIVED_TIERS else 2 if standing.tier == TIERS[0] else 1
    return RULES.live**steps


def verdict(best: Sequence[Scored], total: float, likest: float | None = None) -> str:
    """Tell whether the best facts answer a question: surely, perhaps, or not.

    They do not where the first ones all lack a word that tells clearly more than any that they have, and
    the best neither scores much of what all words tell nor stands out of what follows; where a model
    weighed, none is alike in meaning. `total` is what its words tell, `likest` how alike the likest is.
    """
    if not best:
        return SILENT
    first = best[0]
    weak = all(one.heaviest < HEAVY * one.lacked for one in best[:BEST])
    flat = len(best) > NINTH and first.score < ABOVE * best[NINTH].score
    little = flat or first.score < ENOUGH_TOLD * total
    if weak and (little if likest is None else likest < ALIKE):
        return SILENT
    return PERHAPS if first.heaviest < first.lacked else SURE
