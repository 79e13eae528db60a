"""Ask about what an agent, a machine or a document put in the place of a person's decision (F13 and R3).

Accepting says that a person wants it so, rejecting lets what the person said hold again. Whoever is no
person settles none of these questions: where such a one closed a thread that asks it, it is asked anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.escape import prose
from ledger.model import event as verbs
from projection.fold.fact_history import Fact
from projection.fold.falsity import said_against
from projection.fold.full_replay import State
from projection.fold.projection_state import CLOSED, INVALIDATED, SUPERSEDED
from projection.fold.testimony import ARCHIVED, REWORDED, Overruled, is_person, overruled
from projection.lifecycle.review_due import is_raised, key_of
from projection.policy.model import TASK_KIND
from rituals.review.ledger_questions import Ground
from rituals.review.questions import LIST_LIMIT, OVERRULED, Question, listed

#: how -> (what was done, what accepting says).
_SAID = {
    REWORDED: ("reworded it", "it holds as it stands now"),
    SUPERSEDED: ("let {new} replace it", "{new} holds in its place"),
    INVALIDATED: ("called it false", "it is false"),
    CLOSED: ("closed it", "it is closed"),
    ARCHIVED: ("put it away", "it stays in the archive"),
}


def overruled_questions(ground: Ground) -> Iterator[Question]:
    """Ask about each decision of a person that somebody else overruled."""
    entry, by_nobody = ground.entries.get, _closed_by_nobody(ground)
    for fact in ground.facts:
        moved = fact.false or fact.closed or fact.archived_at
        said_since = moved or any(version.parents for version in fact.heads)
        if not said_since or fact.redacted or is_raised(fact):
            continue
        act = overruled(fact, entry, ground.histories)
        if act is None:
            continue
        new, who = listed(fact.superseded_by), prose(act.agent) or "somebody"
        did, accepting = [said.format(new=prose(new)) for said in _SAID[act.how]]
        key = key_of(OVERRULED, fact.id, act.how, act.stem)
        while key in by_nobody:
            key = key_of(OVERRULED, key, by_nobody[key])
        yield Question(
            OVERRULED, key, (fact.id, *fact.superseded_by[:LIST_LIMIT]),
            f"{fact.id}: {prose(act.person)} decided it, and {who} {did}.",
            (f"decided in {act.said}", f"overruled in {act.stem}"), accepting,
            _accepting(ground.state, fact, act), reject=_rejecting(ground.state, fact, act),
        )  # fmt: skip


def _closed_by_nobody(ground: Ground) -> dict[str, str]:
    """Return the keys of questions whose threads were closed, by nobody who is a person, with the log."""
    by_nobody: dict[str, str] = {}
    settled: set[str] = set()
    for thread in ground.raised:
        if thread.closed and thread.rule == OVERRULED:
            log = ground.entries.get(thread.closed_at)
            if log is None or is_person(log):
                settled.update(thread.keys)
            else:
                by_nobody.update(dict.fromkeys(thread.keys, thread.closed_at))
    return {key: stem for key, stem in by_nobody.items() if key not in settled}


def _accepting(state: State, fact: Fact, act: Overruled) -> tuple[verbs.Event, ...]:
    """Return what says that a person wants it as it is."""
    heads = tuple([version.id for version in fact.heads])
    if act.how == SUPERSEDED:
        others = [state.fact(new) for new in fact.superseded_by]
        hold = [one for one in others if one and not (one.false or one.redacted)]
        return (
            *[verbs.FactSuperseded(fact.id, new, was=heads) for new in fact.superseded_by],
            *[verbs.FactVerified(one.id) for one in hold],
        )
    if act.how == INVALIDATED:
        return (verbs.FactInvalidated(fact.id, was=heads),)
    if act.how == CLOSED and fact.kind != TASK_KIND:
        return (verbs.ThreadClosed(fact.id, was=heads),)
    return ((verbs.FactArchived if act.how == ARCHIVED else verbs.FactVerified)(fact.id),)


def _rejecting(state: State, fact: Fact, act: Overruled) -> tuple[verbs.Event, ...]:
    """Return what lets the words of the person hold again."""
    events: list[verbs.Event] = []
    if act.texts:
        heads = tuple([version.id for version in fact.heads])
        mark = " " if act.how == CLOSED else "x" if fact.closed else ""
        events.append(verbs.FactUpdated(fact.id, act.texts[-1], heads, mark))
    calls = said_against(fact.id, state.histories[fact.id])
    if calls:  # also what does not count as it stands now (F10): it may have known the older text
        events.append(verbs.FactReinstated(fact.id, said=calls))
    if act.how == CLOSED:
        events.append(verbs.ThreadReopened(fact.id))
    if act.how == ARCHIVED:
        events.append(verbs.FactReactivated(fact.id))
    return tuple(events)
