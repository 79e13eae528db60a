"""Say where a ledger stands and what is due, by the columns of the cache.

The histories of few facts are read: of those that are open or may be closed, of what never fades where
a confirmation may be due, and of what is contradicted.
"""

from __future__ import annotations

from collections import Counter

from ledger.model.finding_codes import Finding
from ledger.model.record import TYPE_CHECKING, Record
from memory.cache.cache_file import Cache
from projection.fold.fact_history import Fact, History
from projection.fold.live_view import (
    ARCHIVED_TIERS,
    TIERS,
    Decay,
    Standing,
    Summary,
    never_decaying,
    stand,
)
from projection.lifecycle.review_due import Size, measured, part_of, reasons, unconfirmed
from projection.lifecycle.tier_changes import horizon, left_from, left_of, soonest
from projection.policy.model import CLOSABLE, QUESTION_KIND, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from projection.lifecycle.review_due import Part

#: Counts ordinary facts that fade by kind and tier, the place of that in `TIERS`.
_GROUPED = """
SELECT kind, CASE WHEN young != '' AND young >= ? THEN 1 WHEN anchor >= ? THEN 2 WHEN anchor >= ? THEN 3
ELSE 4 END, count(*), sum(lines), sum(chars) FROM facts WHERE state = 1 GROUP BY 1, 2
"""
#: Tells which of them are not faded, by the cuts of the archive and of what is young.
_UNFADED = "(anchor >= ? OR (young != '' AND young >= ?))"
#: Those of them that nobody used since a stem.
_AGED = f"SELECT id, anchor, kind FROM facts WHERE state = 1 AND anchor < ? AND {_UNFADED}"  # noqa: S608


class LedgerStatus(Record):
    """Where a ledger stands."""

    summary: Summary  #: of all its logs
    policy: Policy  #: that is in force
    since: int  #: how many work sessions there were since the last review
    tiers: tuple[int, ...]  #: how many facts are in each, in the order of `TIERS`
    size: Size  #: of `continuity.md`
    due: tuple[str, ...]  #: why a review is due, most pressing first
    fading: tuple[str, ...]  #: ids of the facts that fade next, soonest first
    unconfirmed: tuple[str, ...]  #: ids of those that somebody has to confirm
    contradicted: tuple[Fact, ...]  #: of which something stands against something, by id
    histories: Mapping[str, History]  #: of these

    def due_findings(self) -> tuple[Finding, ...]:
        """Say that a review is due, where it is."""
        hint = "run `diurna review`; `diurna review --dry-run` shows what it would do"
        said = Finding("review-due", f"a review is due: {'; '.join(self.due)}", hint=hint)
        return (said,) if self.due else ()


def status_of(cache: Cache) -> LedgerStatus:
    """Return where the ledger of a cache stands."""
    policy, clock, summary = cache.policy, cache.clock(), cache.summary
    lasting, unfaded = never_decaying(policy), (clock.archive, clock.working)
    whole = lasting | CLOSABLE
    facts = cache.facts("WHERE state = 2")
    for kind in sorted(lasting):
        facts += cache.facts("WHERE state = 1 AND kind = ?", (kind,))
    for kind in sorted(CLOSABLE - lasting):
        facts += cache.facts(f"WHERE state = 1 AND kind = ? AND {_UNFADED}", (kind, *unfaded))
    standings = [stand(fact, clock, lasting) for fact in facts]
    tiers = Counter([one.tier for one in standings])
    parts: list[Part] = [part_of(one) for one in standings if one.live]
    for kind, place, many, lines, chars in cache.rows(_GROUPED, (clock.working, *clock[2:])):
        if kind not in whole and TIERS[place] not in ARCHIVED_TIERS:
            tiers[TIERS[place]] += many
            parts.append((kind, many, many * (kind != QUESTION_KIND), lines, chars, 0))
    total, false = cache.head.counts
    shown = [tiers[tier] for tier in TIERS if tier not in ARCHIVED_TIERS]
    contradicted = tuple(cache.contested())
    size = measured(policy, parts, contradicted)
    since = cache.sessions_after(summary.last_review)
    work = cache.work_stems()
    live = sorted([one.fact for one in standings if one.live], key=lambda fact: fact.id)
    return LedgerStatus(
        summary=summary,
        policy=policy,
        since=since,
        tiers=(*shown, total - false - sum(shown), false),
        size=size,
        due=reasons(since, size, policy.review),
        fading=_fading(cache, work, standings, unfaded),
        unconfirmed=tuple([fact.id for fact, *_ in unconfirmed(policy, work, live)]),
        contradicted=contradicted,
        histories=cache.some_histories([fact.id for fact in contradicted]),
    )


def _fading(
    cache: Cache, work: list[str], standings: list[Standing], unfaded: tuple[str, str]
) -> tuple[str, ...]:
    """Return the ids of the facts that fade next; `standings` are of those that were read whole."""
    policy, decay = cache.policy, Decay(work, cache.policy.windows)
    newer = policy.windows.archive + 1 - horizon(policy)  # so many work logs at the least
    before = "~" if newer <= 0 else work[-newer] if newer <= len(work) else ""
    found = [left_of(one, decay, policy) for one in standings]
    for id, anchor, kind in cache.rows(_AGED, (before, *unfaded)):
        if kind not in CLOSABLE and policy.kind(kind).decays:
            found.append(left_from(id, anchor, decay, policy))
    return tuple([one.id for one in soonest(found, policy)])
