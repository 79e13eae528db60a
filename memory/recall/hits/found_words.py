"""Say by which words hits were found, and which facts have such words, whether or not they hold."""

from __future__ import annotations

import re

from memory.recall.index.rows import PLACE_BITS, PLACES
from memory.recall.rank.standing_order import ENOUGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.recall.hits.fact_hits import Facts
    from memory.recall.passage_search import Search
    from memory.recall.query.postings import Lookups
    from memory.recall.recall_values import Answer, Hit

_WORD = re.compile(r"[^\W_]+")
#: How many false facts are given beside what holds.
_FALSE = 10


def explained(
    made: Answer, lookups: Lookups, found: Search, every: Facts | None, level: str
) -> Answer:
    """Add to an answer which facts have words of the question, and what of them is false.

    `every` looks up facts, false ones too; None where false ones are among the hits, or not wanted.
    """
    said = worded(lookups, found)
    false = every.false_hits(said, level, _FALSE) if every is not None else ()
    words = found_by(lookups, found, [*made.hits, *false])
    return made._replace(worded=said, false=false, found_by=words)


def worded(lookups: Lookups, found: Search) -> tuple[tuple[str, bool], ...]:
    """Return the facts with words of a question, best first, each with whether it says enough of it."""
    said: dict[str, bool] = {}
    for scored in found.worded:
        turns = lookups.turns(scored.row >> PLACE_BITS)
        piece = None if turns is None else turns.log.at(scored.row & PLACES)
        if piece is not None:
            said[piece.fact] = said.get(piece.fact, False) or scored.said >= ENOUGH
    return tuple(said.items())


def found_by(lookups: Lookups, found: Search, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the words of hits that are words of a question, in any form that the index takes for one."""
    words = dict.fromkeys(
        [word for hit in hits for word in _WORD.findall(f"{hit.line} {hit.text}".lower())]
    )
    plain = [word for word in words if word.isascii()]
    stems = dict(zip(plain, lookups.stems(" ".join(plain)), strict=True))
    for word in words.keys() - stems.keys():
        stems[word] = " ".join(lookups.stems(word))
    return (*found.typed, *[word for word in words if stems[word] in found.stems])
