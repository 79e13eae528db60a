"""Say how far patterns and findings have come: by use, and by what came back."""

from __future__ import annotations

from projection.lifecycle.pattern_standing import DEPRECATED, pattern_standing
from projection.policy.model import FINDING_KIND, PATTERN_KIND
from projection.work.findings import REGRESSED, finding_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.cache.file import Cache
    from projection.fold.fact import Fact


def states_of(cache: Cache, facts: Iterable[Fact]) -> tuple[dict[str, str], frozenset[str]]:
    """Return what there is to say of some facts, by id, and the patterns that did not hold up.

    Args:
        cache: of the commit.
        facts: of any kind.
    """
    learning = cache.policy.learning
    found: dict[str, str] = {}
    over = []
    bugs = []
    for fact in facts:
        if fact.kind == PATTERN_KIND:
            standing = pattern_standing(fact, learning)
            found[fact.id] = f"standing {standing}"
            if standing == DEPRECATED:
                over.append(fact.id)
        elif fact.kind == FINDING_KIND and not fact.closed:
            bugs.append(fact)
    histories = cache.some_histories([fact.id for fact in bugs])
    for fact in bugs:
        finding = finding_of(fact, histories[fact.id])
        if finding is not None and finding.state == REGRESSED:
            found[fact.id] = REGRESSED
    return found, frozenset(over)
