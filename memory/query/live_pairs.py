"""Compare the live facts of a ledger with each other, for a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from projection.compare.candidates import CANDIDATES, Postings, queries
from projection.compare.likeness import Claim, Overlap, claim, overlap
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
    postings = Postings(
        {fact: own for fact, own in words.items() if crowds.get(fact, fact) == fact}
    )
    claims: dict[str, Claim] = {}

    def read(fact: str) -> Claim:
        if fact not in claims:
            claims[fact] = claim(facts[fact])
        return claims[fact]

    pairs: set[tuple[str, str]] = set()
    overlaps: list[Overlap] = []
    wanted = sorted(words if changed is None else words.keys() & set(changed))
    heading = set(wanted)
    wanted += [fact for fact, head in crowds.items() if head in heading and fact not in heading]
    for number, fact in enumerate(wanted):
        if progress is not None:
            progress(number, len(wanted))
        mine = read(fact)
        if crowds.get(fact, fact) != fact:
            others = [crowds[fact]]
        else:
            others = postings.candidates(queries(mine.statements, words[fact]), fact)
        for other in others:
            pair = (fact, other) if fact < other else (other, fact)
            if pair in pairs:
                continue
            pairs.add(pair)
            if (alike := overlap(mine, read(other))) is not None:
                overlaps.append(alike)
    if progress is not None:
        progress(len(wanted), len(wanted))
    return tuple(sorted(overlaps))


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
