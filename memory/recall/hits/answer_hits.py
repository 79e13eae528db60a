"""Put hits together into an answer: what holds before what was said, with what they cost."""

from __future__ import annotations

from memory.recall.recall_values import PASSAGE_KINDS, Answer, Hit, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.rank.rank_types import Scored


def mixed(facts: list[Hit], passages: list[Hit], limit: int) -> list[Hit]:
    """Return facts and behind them passages, half of the places each, or all where the other has less.

    The best passage of the log that a fact's text comes from is named with the fact, not told once more.
    """
    shown = facts[: max(limit - len(passages), (limit + 1) // 2)]
    of_log: dict[str, str] = {}
    for hit in passages:
        of_log.setdefault(hit.stem, hit.id)
    shown = [hit._replace(passage=of_log.get(hit.stem, "")) for hit in shown]
    named = {hit.passage for hit in shown}
    return [*shown, *[hit for hit in passages if hit.id not in named][: limit - len(shown)]]


def holding_first(hits: list[Hit]) -> list[Hit]:
    """Return facts and then passages, of each what holds before what ended or is false."""
    return sorted(hits, key=lambda hit: (hit.kind in PASSAGE_KINDS, hit.mark.false, hit.mark.ended))


def with_score(hit: Hit, scored: Scored, explain: bool, weight: float = 1.0) -> Hit:
    """Return a hit with its score and, where an explanation is asked for, the parts of it."""
    parts = [
        Part(name, round(value, 4), ", ".join(scored.words) if name == "words" else "")
        for name, value in (scored.parts if explain else ())
    ]
    return hit._replace(score=round(scored.score * weight, 4), parts=tuple(parts))


def answer_of(hits: list[Hit], notes: tuple[str, ...]) -> Answer:
    """Return the answer that hits come to."""
    return Answer(
        tuple(hits),
        sum([hit.tokens for hit in hits]),
        sum([hit.whole for hit in hits]),
        notes,
    )
