"""Say how far a learned pattern has come: by what it helped, in how many contexts, and who ignored it."""

from __future__ import annotations

from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact
from projection.policy.model import PATTERN_KIND, Learning

OBSERVED, CANDIDATE, VERIFIED = "observed", "candidate", "verified"
ACTIVE, DEPRECATED = "active", "deprecated"


def pattern_standing(fact: Fact, learning: Learning) -> str:
    """Return how far a pattern has come by the thresholds of the policy."""
    helps, contexts = len(fact.helps), len({one.context for one in fact.helps})
    if weighted_ignores(fact, learning) - helps >= learning.deprecated_by:
        return DEPRECATED
    if helps >= learning.active and contexts >= learning.active_contexts:
        return ACTIVE
    if helps >= learning.verified and contexts >= learning.verified_contexts:
        return VERIFIED
    return CANDIDATE if helps >= learning.candidate else OBSERVED


def marked_as(fact: Fact, mark: Mark, learning: Learning) -> Mark:
    """Return the mark of a fact, which says of a pattern that did not hold up that it did not."""
    if mark.said or fact.kind != PATTERN_KIND or pattern_standing(fact, learning) != DEPRECATED:
        return mark
    return mark._replace(said=DEPRECATED)


def weighted_ignores(fact: Fact, learning: Learning) -> int:
    """Count the roles that had no use for a fact; who validates weighs more."""
    weight = dict.fromkeys(learning.validators, learning.validator_weight)
    return sum([weight.get(role, 1) for _, role in fact.ignores])
