"""Say once, with the append that makes it so, that a review is due.

The counts come from the cache's indexes. What is over a limit already is not said again until the next
threshold; `diurna status` always says it.
"""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.session import WORK
from projection.fold.tiers import never_decaying
from projection.policy.model import QUESTION_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.cache.file import Cache
    from memory.write.draft import Receipt


def due_findings(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
    """Say that a review is due, if it is since the log of a receipt.

    That is at every `review.every` work sessions after the last review, and where the facts born in this
    log brought `continuity.md` over `review.max_facts`.

    Args:
        cache: of the ledger with the log.
        receipt: of the append of a log that tells of work.
    """
    limits, born = cache.policy.review, len(receipt.facts)
    since = cache.sessions_after(cache.summary.last_review)
    counts = receipt.type == WORK  # what continues a session has been told with its first log
    by_count = counts and limits.every > 0 and since > 0 and since % limits.every == 0
    by_size = False
    if born and limits.max_facts:
        facts = cache.fading_count(never_decaying(cache.policy) | {QUESTION_KIND})
        by_size = facts - born <= limits.max_facts < facts
    if not by_count and not by_size:
        return ()
    from projection.lifecycle.review_due import reasons, size_of

    why = reasons(since, size_of(cache.view()), limits)
    if not why:
        return ()
    hint = "run `diurna review`; `diurna review --dry-run` shows what it would do"
    return (Finding("review-due", f"a review is due: {'; '.join(why)}", hint=hint),)
