"""Say how far a pattern has come, and choose facts worth promoting into a file that every agent reads.

Five criteria, each 0, 1 or 2 by the one rule that its function states; the sum proposes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ledger.model.record import Record
from ledger.model.session import Entry
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.lifecycle.review_due import is_raised
from projection.policy.model import CLOSABLE, DELIBERATE, PATTERN_KIND, Learning

PROMOTE, KEEP, ARCHIVE = "promote", "keep", "archive"
#: The sum from which a fact is worth promoting, and the sum up to which it may fade.
PROMOTE_FROM, ARCHIVE_UP_TO = 8, 3
#: How many sessions must have used a candidate.
LEAST_USES = 5
#: How many sessions of the archive window are frequent use by one agent.
_OFTEN_SESSIONS = 3
#: Kinds of which no fact is a rule.
_NEVER = CLOSABLE | DELIBERATE | {"reference"}
_RULES = frozenset(("convention", "pattern", "preference"))
_CHOICES = frozenset(("decision", "stack", "invariant"))
_MODAL = re.compile(
    r"\b(?:always|never|must|should|shall|only|use|prefer|avoid|don't|do not|every|each|whenever)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"`[^`\n]+`|\b\d+(?:\.\d+)*\b|(?<![\w-])[\w-]+/[\w./-]+|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*"
)
_WORD = re.compile(
    r"[a-z][a-z0-9]{3,}|(?<![a-z0-9])[a-z0-9]+(?:[_./-][a-z0-9]+)+|(?<!\d)\d+(?:\.\d+)+"
)
_COMMON = frozenset(
    "that this with from have been they them then than when what which while where were will would there "
    "their these those such some also into only over under between after before because does done each "
    "every must should shall never always more most other same very just like uses used using make "
    "made".split()
)
_LONG_CHARS = 800


class Score(Record):
    """A candidate with its five criteria and what they propose."""

    id: str  #: of the fact
    undocumented: int  #: 2 where no document of the repository says it, 1 where one says half of it
    reusable: int  #: 2 for a rule, 1 for a choice
    specific: int  #: 2 where it names several things that can be checked, 1 for one
    used: int  #: 2 where several agents used it lately, 1 where one did often
    unlike: int  #: 2 where no other fact says anything near it, 1 where one shares some words
    proposal: str  #: `promote`, `keep` or `archive`

    @property
    def total(self) -> int:
        """The sum, 0 to 10."""
        return self.undocumented + self.reusable + self.specific + self.used + self.unlike


def candidates(standings: Iterable[Standing]) -> list[Fact]:
    """Return the facts that can be promoted: live, used, single-voiced, and apt to fade."""
    return [
        one.fact
        for one in standings
        if one.live
        and one.tier in ("active", "archive-candidate")
        and one.fact.uses >= LEAST_USES
        and one.fact.kind not in _NEVER
        and not one.fact.redacted
        and len(one.fact.heads) == 1
        and not is_raised(one.fact)
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


def scores(
    standings: Sequence[Standing],
    documents: Iterable[str] | None,
    users: Mapping[str, Mapping[str, int]],
    ever: Mapping[str, Mapping[str, int]],
) -> tuple[Score, ...]:
    """Score all candidates, best first.

    Args:
        standings: all facts.
        documents: texts of the repository's documents; None where it has none that can be asked.
        users: by fact id, how many sessions of the archive window each agent used it in.
        ever: the same, of all sessions.
    """
    chosen = [
        fact for fact in candidates(standings) if sum(ever.get(fact.id, {}).values()) >= LEAST_USES
    ]
    if not chosen:
        return ()
    paragraphs = None if documents is None else paragraphs_of(documents)
    others = {
        one.fact.id: words(one.fact.text)
        for one in standings
        if one.live and not is_raised(one.fact) and not one.fact.redacted
    }
    found = []
    for fact in chosen:
        own = words(fact.text)
        marks = (
            undocumented(own, paragraphs), reusable(fact), specific(fact.text),
            used(users.get(fact.id, {})),
            unlike(own, (some for name, some in others.items() if name != fact.id)),
        )  # fmt: skip
        found.append(Score(fact.id, *marks, _proposal(marks)))
    return tuple(sorted(found, key=lambda one: (-one.total, one.id)))


def undocumented(own: frozenset[str], paragraphs: Sequence[frozenset[str]] | None) -> int:
    """0 where one paragraph of a document has four fifths of its words, 1 where one has half, else 2.

    1 where there are no documents to ask.
    """
    if paragraphs is None:
        return 1
    most = max((len(own & paragraph) for paragraph in paragraphs), default=0)
    return 0 if 5 * most >= 4 * len(own) else 1 if 2 * most >= len(own) else 2


def reusable(fact: Fact) -> int:
    """2 for a convention, pattern or preference; 1 for a choice, or what is said as a rule; else 0."""
    if fact.kind in _RULES:
        return 2
    return int(fact.kind in _CHOICES or bool(_MODAL.search(fact.text)))


def specific(text: str) -> int:
    """2 where it names two things in code, numbers or paths, 1 for one; one less when it is long."""
    named = min(2, len({match[0] for match in _SPECIFIC.finditer(text)}))
    return max(0, named - (len(text) > _LONG_CHARS))


def used(sessions: Mapping[str, int]) -> int:
    """2 where two or more agents used it in the archive window, 1 where one did three times, else 0."""
    named = sum(1 for agent in sessions if agent)  # a log may not say whose it is
    return 2 if named > 1 else int(sum(sessions.values()) >= _OFTEN_SESSIONS)


def unlike(own: frozenset[str], others: Iterable[frozenset[str]]) -> int:
    """2 where it shares under 30 % of its words with any other fact, 1 under 60 %, else 0 (Jaccard)."""
    nearest = 0
    for other in others:
        both = len(own & other)
        if both:
            nearest = max(nearest, 100 * both // len(own | other))
    return 2 if nearest < 30 else 1 if nearest < 60 else 0


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


def _proposal(marks: tuple[int, ...]) -> str:
    """Promote from a sum of 8 on, but nothing that is documented or unused; archive up to 3."""
    total, documented, idle = sum(marks), not marks[0], not marks[3]
    if total >= PROMOTE_FROM and not documented and not idle:
        return PROMOTE
    return ARCHIVE if total <= ARCHIVE_UP_TO or (documented and idle) else KEEP


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
