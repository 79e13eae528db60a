"""Choose what a brief shows of another home: what weighs most there, as a brief of that home would."""

from __future__ import annotations

from projection.brief.weight import weights
from projection.policy.model import (
    ATTEMPT_KIND,
    FINDING_KIND,
    HANDOFF_KIND,
    PATTERN_KIND,
    QUESTION_KIND,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.fold.projection_state import Standing

#: How many facts of the user's own home, and how many invariants of one upstream.
YOURS_FACTS, UPSTREAM_FACTS = 5, 10
_INVARIANT = "invariant"
#: What is about work in that home, and what a brief says nowhere.
_PASSED_OVER = (ATTEMPT_KIND, FINDING_KIND, HANDOFF_KIND, PATTERN_KIND, QUESTION_KIND)


def yours(live: Sequence[Standing], days: Sequence[str]) -> tuple[Standing, ...]:
    """Return the facts of the user's own home that are shown, most important first.

    `days` are its newest work days, oldest first.
    """
    found = [one for one in live if _is_plain(one) and one.fact.kind not in _PASSED_OVER]
    weight = weights([one.fact for one in found], days, {})
    found.sort(key=lambda one: one.fact.id)
    found.sort(key=lambda one: (one.tier != "core", -weight[one.fact.id]))
    return tuple(found[:YOURS_FACTS])


def invariants(live: Sequence[Standing]) -> tuple[Standing, ...]:
    """Return the invariants of a home upstream that are shown, the newest first."""
    found = [one for one in live if _is_plain(one) and one.fact.kind == _INVARIANT]
    found.sort(key=lambda one: one.fact.id)
    found.sort(key=lambda one: one.fact.anchor, reverse=True)
    return tuple(found[:UPSTREAM_FACTS])


def _is_plain(one: Standing) -> bool:
    fact = one.fact
    return not (fact.redacted or fact.contradicted or fact.closed or fact.false)
