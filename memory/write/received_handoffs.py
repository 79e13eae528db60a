"""Close the handoffs that reach their receiver: with the first work that it records (FORMAT.md, W16)."""

from __future__ import annotations

from ledger.model.event import RECEIVED, FactMoved, FactReferenced, ThreadClosed, facts_in
from ledger.model.session import WORKING
from ledger.model.task_states import CLOSING, IN_PROGRESS
from memory.cache.schema import PINNED
from projection.policy.model import HANDOFF_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from ledger.model.session import SessionLog
    from memory.cache.cache_file import Cache
    from memory.write.draft import Case
    from projection.work.handoffs import Handoff

#: Who moves a task there has taken it: nobody else will.
_TAKING = CLOSING | {IN_PROGRESS}


def with_received(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Let a log close the handoffs that its writer receives with it.

    What the draft does to a handoff itself stands.
    """
    draft, cache = case.draft, case.cache
    if draft.type not in WORKING or not _any_open(cache):
        return log, ()
    from memory.cache.cached_tasks import handoffs_in  # most logs do without
    from projection.work.handoffs import open_handoffs

    done = [event for event in log.events if not isinstance(event, FactReferenced)]
    named = {fact for event in done for fact in facts_in(event)}
    agent, session = draft.agent or case.occasion.agent, case.session
    role = dict(draft.header).get("role", "")
    taken = {
        event.id
        for event in done
        if isinstance(event, ThreadClosed)
        or (isinstance(event, FactMoved) and event.state in _TAKING)
    }

    def arrives(handoff: Handoff) -> bool:
        if not handoff.to:
            return any(id in taken or _took(cache, id, agent, handoff) for id in handoff.tasks)
        if not handoff.names(agent, role):
            return False
        left = cache.entry(handoff.standing.fact.origin)
        return not (left and session and (left.agent, left.session) == (agent, session))

    arrived = [
        ThreadClosed(handoff.standing.fact.id, RECEIVED)
        for handoff in open_handoffs(handoffs_in(cache))
        if handoff.standing.fact.id not in named and arrives(handoff)
    ]
    return (log._replace(events=(*log.events, *arrived)) if arrived else log), ()


def _any_open(cache: Cache) -> bool:
    """Tell whether any handoff waits for somebody."""
    question = "SELECT 1 FROM facts WHERE kind = ? AND state = ? LIMIT 1"
    return cache.row(question, (HANDOFF_KIND, PINNED)) is not None


def _took(cache: Cache, task: str, agent: str, handoff: Handoff) -> bool:
    """Tell whether an agent took a task behind a handoff, with a log that could not close it."""
    fact = cache.fact(task)
    return fact is not None and any(
        move.state in _TAKING and move.agent == agent and move.stem > handoff.standing.fact.origin
        for move in fact.moves
    )
