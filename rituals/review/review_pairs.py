"""Find pairs of live facts that say the same, or disagree, and that are new since the last review.

A pair that an earlier review asked about is compared again while its thread stands open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ledger.model.event import Event, FactSuperseded, FactUpdated
from memory.query.live_pairs import compare_facts
from projection.compare.pair_comparison import CONTRADICTION, Opposition, Overlap
from projection.fold.fact_history import Fact
from projection.fold.tiers import never_decaying
from projection.lifecycle.review_threads import is_raised
from projection.text.normalize import index_words
from rituals.review.ledger_questions import Ground
from rituals.review.review_question import Question, question

_RULES = (CONTRADICTION, "overlap")


def pair_questions(
    ground: Ground, returned: Iterable[str], progress: Callable[[int, int], None] | None = None
) -> list[Question]:
    """Ask about pairs of facts that disagree or say the same.

    `returned` has the ids of the facts that came back from the archive since the last review; `progress`
    is told how far the comparing is.
    """
    facts = {
        one.fact.id: one.fact
        for one in ground.standings
        if one.live and not one.fact.redacted and not is_raised(one.fact)
    }
    last = ground.state.summary.last_review
    changed: set[str] | None = None
    if last:
        changed = {
            name for name, fact in facts.items() if any(head.stem > last for head in fact.heads)
        }
        changed.update(returned)
        for thread in ground.raised:
            if thread.rule in _RULES and not thread.closed:
                changed.update(thread.about)
    if changed is not None and not changed & facts.keys():
        return []
    words = {name: list(index_words(fact.text)) for name, fact in facts.items()}
    found = compare_facts(facts, words, changed, progress)
    lasting = never_decaying(ground.policy)
    return [
        *[_contradiction(one, facts, lasting, ground.decided) for one in found.oppositions],
        *[_overlap(one, facts, ground.decided) for one in found.overlaps],
    ]


def _contradiction(
    found: Opposition,
    facts: dict[str, Fact],
    lasting: frozenset[str],
    decided: Callable[[Fact], bool],
) -> Question:
    key = found.key
    if decided(facts[found.two]) and not decided(facts[found.one]):  # a person's side comes first
        found = found._replace(one=found.two, two=found.one, left=found.right, right=found.left)
    one, two = facts[found.one], facts[found.two]
    older, newer = sorted(
        (one, two), key=lambda fact: (decided(fact), max(one.stem for one in fact.heads), fact.id)
    )
    firm = older.promoted or older.kind in lasting
    accept = () if firm else (FactSuperseded(older.id, newer.id),)
    why = "was decided by a person" if decided(newer) > decided(older) else "is the newer one"
    proposal = f"{newer.id} {why}: let it supersede {older.id}"
    if firm:
        proposal = f"{older.id} never decays: change {newer.id}, unless that was decided"
    evidence = (f"by the rule {found.rule}",)
    return Question(CONTRADICTION, key, (one.id, two.id), found.asked, evidence, proposal, accept)


def _overlap(found: Overlap, facts: dict[str, Fact], decided: Callable[[Fact], bool]) -> Question:
    merge = found.proposal
    first, second = sorted((merge.keep, merge.drop), key=lambda id: not decided(facts[id]))
    if decided(facts[first]) > decided(facts[second]):  # the words of a person stay as they are
        merge = merge._replace(keep=first, drop=second, text=facts[first].text)
    accept: tuple[Event, ...] = (FactSuperseded(merge.drop, merge.keep),)
    said = f"keep {merge.keep} and let it supersede {merge.drop}"
    kept = facts[merge.keep]
    if merge.text != kept.text and len(kept.heads) == 1:
        accept = (FactUpdated(merge.keep, merge.text), *accept)
        said = f"give {merge.keep} the fuller text of {merge.drop}, and let it supersede that"
    both = found.one, found.two
    return question(
        "overlap", *both, facts=both, said=f"{found.one} and {found.two} say nearly the same.",
        evidence=(f"they share {found.score} of 100",), proposal=said, accept=accept,
    )  # fmt: skip
