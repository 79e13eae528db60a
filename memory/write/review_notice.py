"""Say once, with the append that makes it so, that a review is due, and what fades soon.

The counts come from the cache's indexes. What is over a limit already is not said again until the next
threshold; `diurna status` always says it.
"""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.session import WORK
from memory.cache.cache_file import Cache
from memory.write.draft import Receipt
from projection.fold.tiers import never_decaying
from projection.policy.model import BY_BRIEF, QUESTION_KIND

#: How many of those that fade soon are named.
_NAMED = 5


def fading_findings(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
    """Say what fades within a week's work, with the first work log of a day that there is.

    The cache has the log of the receipt, which tells of work.
    """
    policy = cache.policy
    if receipt.type != WORK or not policy.windows.archive_days:
        return ()
    *earlier, _ = cache.work_stems(2) or [""]
    if earlier and earlier[0][:10] == receipt.stem[:10]:
        return ()
    from projection.fold.decay import Decay
    from projection.lifecycle.transitions import WEEK_DAYS, fading

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


def due_findings(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
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
