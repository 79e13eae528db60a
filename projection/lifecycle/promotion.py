"""Say how far a pattern has come, and which facts are worth a place in a file that every agent reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ledger.model.record import Record
from ledger.model.session import Entry
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.policy.model import PATTERN_KIND, Learning

#: How many sessions must have used what is promoted, and how many lately, where one agent alone did.
LEAST_USES, _OFTEN_SESSIONS = 5, 3
#: The kinds of facts that say how work is done.
_KINDS = frozenset((PATTERN_KIND, "convention", "preference", "decision", "stack"))
_WORD = re.compile(
    r"[a-z][a-z0-9]{3,}|(?<![a-z0-9])[a-z0-9]+(?:[_./-][a-z0-9]+)+|(?<!\d)\d+(?:\.\d+)+"
)
_COMMON = frozenset(
    "that this with from have been they them then than when what which while where were will would there "
    "their these those such some also into only over under between after before because does done each "
    "every must should shall never always more most other same very just like uses used using make "
    "made".split()
)


class Worth(Record):
    """A fact that is worth promoting, and how it was used in the archive window."""

    id: str  #: of the fact
    sessions: int
    agents: int


def candidates(standings: Iterable[Standing]) -> list[Fact]:
    """Return the facts that can be promoted: live, used, single-voiced, and apt to fade."""
    return [
        one.fact
        for one in standings
        if one.live
        and one.tier in ("active", "archive-candidate")
        and one.fact.uses >= LEAST_USES
        and one.fact.kind in _KINDS
        and not one.fact.redacted
        and len(one.fact.heads) == 1
        and not one.fact.raised
    ]


def sessions_using(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """Count, by fact and agent, the work sessions in which some logs use it.

    What continues a session adds it to the facts that its first log does not use, once.
    """
    found: dict[str, dict[str, int]] = {}
    begun: set[tuple[str, str, str]] = set()
    later: set[tuple[str, str, str]] = set()
    for entry in entries:
        if not entry.uses:
            continue
        told = {(fact, entry.agent, entry.session) for fact in entry.named}
        if not entry.work:
            later |= told
            continue
        begun |= told
        for fact in entry.named:
            counts = found.setdefault(fact, {})
            counts[entry.agent] = counts.get(entry.agent, 0) + 1
    for fact, agent, _ in later - begun:
        counts = found.setdefault(fact, {})
        counts[agent] = counts.get(agent, 0) + 1
    return found


def worth_promoting(
    standings: Iterable[Standing],
    paragraphs: Sequence[frozenset[str]],
    users: Mapping[str, Mapping[str, int]],
    ever: Mapping[str, Mapping[str, int]],
) -> tuple[Worth, ...]:
    """Return the facts that several agents, or one often, used lately and that no document has.

    Args:
        standings: all facts.
        paragraphs: the words of each paragraph of the repository's documents (`paragraphs_of`).
        users: by fact id, how many sessions of the archive window each agent used it in.
        ever: the same, of all sessions.
    """
    found = []
    for fact in candidates(standings):
        used = users.get(fact.id, {})
        sessions, agents = sum(used.values()), len([agent for agent in used if agent])
        often = agents > 1 or sessions >= _OFTEN_SESSIONS
        if often and sum(ever.get(fact.id, {}).values()) >= LEAST_USES:
            if not is_documented(fact.text, paragraphs):
                found.append(Worth(fact.id, sessions, agents))
    return tuple(sorted(found, key=lambda one: (-one.agents, -one.sessions, one.id)))


def is_documented(text: str, paragraphs: Iterable[frozenset[str]]) -> bool:
    """Tell whether one paragraph of some documents has four fifths of the words of a text."""
    own = words(text)
    return any(5 * len(own & paragraph) >= 4 * len(own) for paragraph in paragraphs)


def words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


def paragraphs_of(documents: Iterable[str]) -> list[frozenset[str]]:
    """Return the words of each paragraph of some documents."""
    return [
        found
        for text in documents
        for paragraph in re.split(r"\n\s*\n", text)
        if (found := words(paragraph))
    ]


OBSERVED, CANDIDATE, VERIFIED = "observed", "candidate", "verified"
ACTIVE, DEPRECATED = "active", "deprecated"


def pattern_standing(fact: Fact, learning: Learning) -> str:
    """Return how far a pattern has come by the thresholds of the policy."""
    helps, contexts = len(fact.helps), len({one.context for one in fact.helps})
    weight = dict.fromkeys(learning.validators, learning.validator_weight)
    ignores = sum([weight.get(role, 1) for _, role in fact.ignores])  # who validates weighs more
    if ignores - helps >= learning.deprecated_by:
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
