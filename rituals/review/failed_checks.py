"""Ask about facts whose check fails: a file, a text or a version is not what it was (FORMAT.md, U5)."""

from __future__ import annotations

from ledger.home import Home
from memory.cache.cache_file import Cache
from memory.replay.reader_marks import marks_at
from projection.document.fact_remarks import FAILS
from projection.lifecycle.review_threads import key_of
from rituals.decide.decision import over
from rituals.review.review_question import Question

CHECK_FAILS = "check-fails"


def check_questions(home: Home, cache: Cache) -> list[Question]:
    """Return a question for each fact that HEAD does not bear out any more."""
    found = []
    for gone in marks_at(home, cache).gone(FAILS):
        fact = cache.fact(gone.fact)
        if fact is None or fact.false or fact.closed or fact.redacted:
            continue
        why = f"since {gone.gone.commit}, {gone.gone.date}"
        found.append(
            Question(
                CHECK_FAILS,
                key_of(CHECK_FAILS, fact.id, gone.version, gone.gone.commit),
                (fact.id,),
                f"The check of {fact.id} fails {why}.",
                (f"looked for: {gone.gone.subject}",),
                proposal="it does not hold any more; else reword it, or confirm it",
                accept=(over(fact, f"its check fails {why}"),),
            )
        )
    return found
