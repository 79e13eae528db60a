"""Ask about what an agent, a machine or a document put in the place of a person's decision (F13 and R3).

Accepting says that a person wants it so, rejecting lets what the person said hold again. Whoever is no
person settles none of these questions: where such a one closed a thread that asks it, it is asked anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.escape import prose
from ledger.model import event as verbs
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import said_against
from projection.fold.full_replay import State
from projection.fold.projection_state import CLOSED, INVALIDATED, SUPERSEDED
from projection.fold.testimony import ARCHIVED, REWORDED, Entries, Overruled, is_person, overruled
from projection.lifecycle.review_threads import Raised, is_raised, key_of
from projection.policy.model import TASK_KIND
from rituals.review.review_question import LIST_LIMIT, OVERRULED, Question, listed

#: how -> (what was done, what accepting says).
_SAID = {
    REWORDED: ("reworded it", "it holds as it stands now"),
    SUPERSEDED: ("let {new} replace it", "{new} holds in its place"),
    INVALIDATED: ("called it false", "it is false"),
    CLOSED: ("closed it", "it is closed"),
    ARCHIVED: ("put it away", "it stays in the archive"),
}


def overruled_questions(
    state: State, facts: Iterable[Fact], entry: Entries, raised: Iterable[Raised]
) -> list[Question]:
    """Ask about each decision of a person that somebody else overruled.

    `entry` gives what a log says, by its key; `raised` is what earlier reviews raised.
    """
    by_nobody = _closed_by_nobody(raised, entry)
    return [_question(state, fact, found, by_nobody) for fact, found in _found(state, facts, entry)]


def _found(state: State, facts: Iterable[Fact], entry: Entries) -> list[tuple[Fact, Overruled]]:
    def histories(ids: Iterable[str]) -> dict[str, History]:
        return {id: state.histories[id] for id in ids if id in state.histories}

    listed = []
    for fact in facts:
        if fact.redacted or is_raised(fact):
            continue
        moved = fact.false or fact.closed or fact.archived_at
        if not (moved or any(version.parents for version in fact.heads)):
            continue  # nobody said anything of it since
        found = overruled(fact, entry, histories)
        if found is not None:
            listed.append((fact, found))
    return listed


def _closed_by_nobody(raised: Iterable[Raised], entry: Entries) -> dict[str, str]:
    """Return the keys of questions whose threads were closed, by nobody who is a person, with the log."""
    found: dict[str, str] = {}
    settled: set[str] = set()
    for one in raised:
        if one.closed and one.rule == OVERRULED:
            log = entry(one.closed_at)
            if log is None or is_person(log):
                settled.update(one.keys)
            else:
                found.update(dict.fromkeys(one.keys, one.closed_at))
    return {key: stem for key, stem in found.items() if key not in settled}


def _question(state: State, fact: Fact, found: Overruled, by_nobody: Mapping[str, str]) -> Question:
    new = listed(fact.superseded_by)
    did, accepting = [said.format(new=prose(new)) for said in _SAID[found.how]]
    who = prose(found.agent) or "somebody"
    key = key_of(OVERRULED, fact.id, found.how, found.stem)
    while key in by_nobody:
        key = key_of(OVERRULED, key, by_nobody[key])
    return Question(
        OVERRULED,
        key,
        (fact.id, *fact.superseded_by[:LIST_LIMIT]),
        f"{fact.id}: {prose(found.person)} decided it, and {who} {did}.",
        (f"decided in {found.said}", f"overruled in {found.stem}"),
        accepting,
        _accepting(state, fact, found),
        reject=_rejecting(state, fact, found),
    )


def _accepting(state: State, fact: Fact, found: Overruled) -> tuple[verbs.Event, ...]:
    """Return what says that a person wants it as it is."""
    heads = tuple([version.id for version in fact.heads])
    match found.how:
        case "superseded":
            others = [state.fact(new) for new in fact.superseded_by]
            return (
                *[verbs.FactSuperseded(fact.id, new, was=heads) for new in fact.superseded_by],
                *[
                    verbs.FactVerified(one.id)
                    for one in others
                    if one and not (one.false or one.redacted)
                ],
            )
        case "invalidated":
            return (verbs.FactInvalidated(fact.id, was=heads),)
        case "closed" if fact.kind != TASK_KIND:
            return (verbs.ThreadClosed(fact.id, was=heads),)
        case "archived":
            return (verbs.FactArchived(fact.id),)
    return (verbs.FactVerified(fact.id),)


def _rejecting(state: State, fact: Fact, found: Overruled) -> tuple[verbs.Event, ...]:
    """Return what lets the words of the person hold again."""
    events: list[verbs.Event] = []
    if found.texts:
        heads = tuple([version.id for version in fact.heads])
        mark = " " if found.how == CLOSED else "x" if fact.closed else ""
        events.append(verbs.FactUpdated(fact.id, found.texts[-1], heads, mark))
    calls = said_against(fact.id, state.histories[fact.id])
    if calls:  # also what does not count as it stands now (F10): it may have known the older text
        events.append(verbs.FactReinstated(fact.id, said=calls))
    if found.how == CLOSED:
        events.append(verbs.ThreadReopened(fact.id))
    if found.how == ARCHIVED:
        events.append(verbs.FactReactivated(fact.id))
    return tuple(events)
