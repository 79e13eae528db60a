"""Say what is left of a plan behind answers, before a plan of what stands then is made."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.model.event import Event, FactCreated, FactVerified, ThreadClosed, facts_in
from projection.lifecycle.review_threads import THREAD_PREFIX
from rituals.review.review_plan import Plan
from rituals.review.review_question import INVARIANT_DUE, STALLED, is_raising

#: Rules that ask because all of it is too large: no more, once it is not.
_OF_SIZE = frozenset(("thread-wordy", "size"))


def remaining(plan: Plan, answered: Collection[str], events: Sequence[Event]) -> Plan | None:
    """Return a plan without what was answered; None where only a new plan can tell what is left.

    Not foreseen are answers that move facts which other questions are about, that ask on in a thread, or
    that make smaller what is too large; what a new text raises is asked once a new plan is made.
    `answered` are keys of questions, and ids of settled threads; `events` are of the log.
    """
    #: (rule, id) of questions that an event settles, whatever they are known by
    settled = {(INVARIANT_DUE, one.id) for one in events if isinstance(one, FactVerified)}
    settled |= {(STALLED, one.id) for one in events if isinstance(one, ThreadClosed)}
    named = {name for one in events for name in facts_in(one)}
    moved = {name for name in named if not name.startswith(THREAD_PREFIX)}
    left = [
        one
        for one in plan.questions
        if one.key not in answered and (one.rule, *one.facts[:1]) not in settled
    ]
    open_ones, keys = {one.key for one in plan.unanswered}, {one.key for one in left}
    smaller = any(not isinstance(one, (FactVerified, ThreadClosed, FactCreated)) for one in events)
    if any(is_raising(one) for one in events) or any(
        one.key in open_ones
        and ((smaller and one.rule in _OF_SIZE) or not moved.isdisjoint(one.facts))
        for one in left
    ):
        return None
    return plan._replace(
        questions=tuple(left),
        fresh=tuple([one for one in plan.fresh if one.key in keys]),
        settled=tuple(
            [one for one in plan.settled if one.id not in named and one.id not in answered]
        ),
    )
