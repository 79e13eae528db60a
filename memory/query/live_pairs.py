"""Compare the live facts of a ledger with each other, for a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from projection.compare.candidates import CANDIDATES, Postings, queries
from projection.compare.likeness import Overlap, claim, overlap
from projection.fold.fact_history import Fact
from projection.graph.fact_links import ENTITY_KEY


def compare_facts(
    facts: Mapping[str, Fact],
    words: dict[str, list[str]],
    changed: Iterable[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Overlap, ...]:
    """Return the pairs of facts that say the same, sorted by ids, of those that share their words.

    `words` are their distinct words (`projection.text.normalize.index_words`), by id; `changed`: only
    pairs with one of these ids, None for all pairs; `progress` is told (done, total).
    """
    crowds = _crowds(facts, words)
    alone = {fact: own for fact, own in words.items() if crowds.get(fact, fact) == fact}
    postings = Postings(alone)
    read = lru_cache(None)(lambda fact: claim(facts[fact]))
    wanted = sorted(words if changed is None else words.keys() & set(changed))
    heading = set(wanted)
    wanted += [fact for fact, head in crowds.items() if head in heading and fact not in heading]
    pairs: dict[tuple[str, str], Overlap | None] = {}
    for number, fact in enumerate(wanted):
        if progress is not None:
            progress(number, len(wanted))
        others = [crowds.get(fact, fact)]
        if fact in alone:
            others = postings.candidates(queries(read(fact).statements, words[fact]), fact)
        for other in others:
            pair = (fact, other) if fact < other else (other, fact)
            if pair not in pairs:
                pairs[pair] = overlap(read(fact), read(other))
    if progress is not None:
        progress(len(wanted), len(wanted))
    return tuple(sorted([alike for alike in pairs.values() if alike is not None]))


def _crowds(facts: Mapping[str, Fact], words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return of facts whose words are the same but for numbers, where there are very many, the one to ask.

    Each pair of n equal texts would be a question: n of them ask the same. The others are held against
    the oldest of those with just their words, and these against the oldest of all.
    """
    alike: dict[tuple[object, ...], list[str]] = {}
    for fact, own in words.items():
        named = frozenset([word for word in own if word[0] not in "#@"])
        if named:
            meta = dict(facts[fact].meta)
            of = (meta.get(ENTITY_KEY), facts[fact].opposed, facts[fact].kind)
            alike.setdefault((named, *of), []).append(fact)
    heads: dict[str, str] = {}
    for crowd in alike.values():
        if len(crowd) > CANDIDATES:
            crowd.sort(key=lambda fact: (facts[fact].created, facts[fact].born, fact))
            first: dict[frozenset[str], str] = {}
            for fact in crowd:
                same = first.setdefault(frozenset(words[fact]), fact)
                heads[fact] = crowd[0] if same == fact else same
    return heads
