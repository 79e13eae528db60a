"""Say by which words hits were found, and which facts have such words, whether or not they hold."""

from __future__ import annotations

import re

from memory.recall.rank.standing_order import ENOUGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.recall.hits.fact_hits import Facts
    from memory.recall.passage_search import Search
    from memory.recall.query.postings import Lookups
    from memory.recall.recall_values import Hit

_WORD = re.compile(r"[^\W_]+")


def worded(facts: Facts, found: Search) -> tuple[tuple[str, bool], ...]:
    """Return the facts with words of a question, best first, each with whether it says enough of it."""
    said: dict[str, bool] = {}
    for scored in found.worded:
        fact, _ = facts.brought(scored.row)
        said[fact] = said.get(fact, False) or scored.said >= ENOUGH
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
