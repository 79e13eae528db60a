"""Say what an append brought about: tiers that changed, contradictions, a review that is due, what fades.

The counts come from the cache's indexes. That a review is due is said once, with the append that makes it
so, and not again until the next threshold; `diurna status` always says it.
"""

from __future__ import annotations

from ledger.codec.log import decode
from ledger.errors import CorruptRepository
from ledger.model.findings import Finding
from ledger.model.order import is_sealed
from ledger.model.session import WORK, WORKING
from memory.cache.cache_file import Cache
from memory.replay.ledger_snapshot import Snapshot
from memory.write.branch_lock import Branch
from memory.write.draft import NOT_COMMITTED, Receipt, named_ids
from projection.fold.checks import contradictions
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.projection_state import DecayClock
from projection.fold.tiers import never_decaying, tier
from projection.policy.model import BY_BRIEF, QUESTION_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: How many of those that fade soon are named.
_NAMED = 5


def tiers_of(cache: Cache, histories: Mapping[str, History], clock: DecayClock) -> dict[str, str]:
    """Return the tiers of facts at a clock; ids without a text are left out."""
    lasting = never_decaying(cache.policy)
    facts = [resolve(fact, history, cache.cut) for fact, history in histories.items()]
    return {fact.id: tier(fact, clock, lasting) for fact in facts if fact is not None}


def moves(cache: Cache, before: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    """Return (id, tier before, tier after) of the facts that a log named and that changed tier.

    The cache has the new log; `before` has the tier before it of each id that it names, "" for none.
    """
    after = tiers_of(cache, cache.some_histories(list(before)), cache.clock())
    return tuple((id, before[id], now) for id, now in after.items() if before[id] != now)


def noticed_behind(snapshot: Snapshot, branch: Branch, receipt: Receipt) -> tuple[Finding, ...]:
    """Return what is contradicted of what a log names, what is unread, and what is due since."""
    recorded = receipt.commit or receipt.waits == NOT_COMMITTED
    new_work = recorded and not receipt.already and receipt.type in WORKING

    def asked(cache: Cache) -> tuple[Finding, ...]:
        due = (*_due(cache, receipt), *_fading(cache, receipt)) if new_work else ()
        return (*_contradicted(cache, receipt), *cache.unread(), *due)

    if not receipt.commit:
        return snapshot.ask(asked)
    try:
        return branch.despite_pruning(lambda: snapshot.ask(asked))
    except CorruptRepository as problem:  # the log is committed: it must not look refused
        return (Finding("unreadable", problem.message, hint=problem.hint),)


def _contradicted(cache: Cache, receipt: Receipt) -> Iterator[Finding]:
    """Say what stands against what of the facts that a log names."""
    log, _ = decode(receipt.data, sealed=is_sealed(receipt.stem))
    for id in () if receipt.already else named_ids(log.events):
        fact = cache.fact(id)
        if fact is not None and fact.contradicted:
            yield from contradictions(fact)


def _fading(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
    """Say what fades within a week's work, with the first work log of a day that there is.

    The cache has the log of the receipt, which tells of work.
    """
    policy = cache.policy
    if receipt.type != WORK or not policy.windows.archive_days:
        return ()
    *earlier, _ = cache.work_stems(2) or [""]
    if earlier and earlier[0][:10] == receipt.stem[:10]:
        return ()
    from projection.fold.tiers import Decay
    from projection.lifecycle.life import WEEK_DAYS, fading

    soon = fading(cache.view().live, Decay(cache.work_stems(), policy.windows), policy)
    if not soon:
        return ()
    named = ", ".join([one.id for one in soon[:_NAMED]])
    many = f"{len(soon)} facts fade" if len(soon) > 1 else "1 fact fades"
    said = (
        f"{many} within {WEEK_DAYS} work days, unless used: {named}{', …' * (len(soon) > _NAMED)}"
    )
    return (
        Finding(
            "fades-soon", said, hint="`diurna status` names them; a log that uses one keeps it"
        ),
    )


def _due(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
    """Say that a review is due, if it is since the log of a receipt.

    That is at every `review.every` work sessions after the last review, and where the facts born in this
    log brought `continuity.md` over `review.max_facts`. The cache has the log of the receipt, which
    tells of work.
    """
    limits, born = cache.policy.review, len(receipt.facts)
    since = cache.sessions_after(cache.summary.last_review)
    counts = receipt.type == WORK  # what continues a session has been told with its first log
    by_count = counts and limits.every > 0 and since % limits.every == 0
    by_size = False
    if born and limits.max_facts:
        facts = cache.fading_count(never_decaying(cache.policy) | {QUESTION_KIND})
        by_size = facts - born <= _most(cache, facts) < facts
    if not by_count and not by_size:
        return ()
    from projection.lifecycle.review_due import reasons, size_of

    why = reasons(since, size_of(cache.view()), limits)
    if not why:
        return ()
    hint = "run `diurna review`; `diurna review --dry-run` shows what it would do"
    return (Finding("review-due", f"a review is due: {'; '.join(why)}", hint=hint),)


def _most(cache: Cache, facts: int) -> int:
    """Return how many facts may be there; they are measured only where their number may be too many."""
    from projection.lifecycle.review_due import ROOM, room_for

    if cache.policy.review.max_facts != BY_BRIEF:
        return cache.policy.review.max_facts
    return room_for([one.fact for one in cache.view().live]) if facts in ROOM else 0
