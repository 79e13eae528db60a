"""Resolve a contradiction: from what was chosen to the events that name every side that was seen.

What came meanwhile and was not seen is named by nobody, and goes on standing (FORMAT.md, F3 and F8).
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model import event as verbs
from ledger.model.ids import version_id
from ledger.model.log_names import stem_in
from ledger.model.record import Record
from ledger.model.verbs import DONE, IN_PROGRESS, TODO, may_follow
from memory import Memory
from projection.brief.inert_text import shortened
from projection.fold.fact_history import Fact
from projection.fold.falsity import CONFLICTS, NO_CONFLICTS, declared, declares, said_against
from rituals.decide.decision import Decision, decided
from rituals.decide.open_contradictions import (
    BIRTH,
    CIRCLE,
    CLOSED,
    DECLARED,
    MOVED,
    REWORDED,
    SUCCESSOR,
    TEXT,
    Choice,
    Dispute,
    disputes,
)

#: The most digits of a choice's number in the list; what is longer is the start of a version.
_NUMBER_CHARS = 3
_BRIEF_CHARS = 60
_OTHERWISE = dict.fromkeys((TEXT, BIRTH, CLOSED, REWORDED), ", or --text for a new text")
_OTHERWISE |= {MOVED: ", or --state STATE", DECLARED: ", or --both where both hold"}


class Verdict(Record):
    """What somebody says holds; "" for not said."""

    choose: str = ""  #: a version or successor, the start of its id, or its number in the list
    text: str = ""  #: a new text instead
    state: str = ""  #: of the task
    both: bool = False  #: facts that a footer sets against each other hold, all of them


def resolution(memory: Memory, fact: str, verdict: Verdict) -> Decision:
    """Plan how a contradiction is resolved.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: what was said does not tell which side holds.
        DiurnaError: there is no contradiction, and the fact is not what was chosen.
    """
    standing = memory.standing(fact).fact
    fact = standing.id
    open_now = disputes(memory, (fact,))
    if not open_now:
        return _settled(standing, verdict)
    if sum(map(bool, verdict)) > 1:
        raise WrongUsage("--choose, --text, --state and --both exclude each other")
    last = open_now[-1]
    texts = next((one for one in open_now if one.kind not in _BY_CHOICE), None)
    if verdict.state:
        return _one_state(standing, verdict.state)
    if verdict.both:
        return _all_of_them(memory, last)
    if verdict.choose:
        dispute, choice = _chosen(open_now, verdict.choose)
        by_choice = _BY_CHOICE.get(dispute.kind)
        if by_choice:
            return by_choice(memory, standing, dispute, choice)
        return _one_text(standing, dispute, choice.text, choice)
    if verdict.text and last.kind == REWORDED:
        return _true_again(memory, standing, tidy(verdict.text), new=True)
    if verdict.text and texts:
        return _one_text(standing, texts, tidy(verdict.text))
    sides = [
        f"({number}) {choice.id}, {choice.who}: {_line(choice.text)}"
        for number, choice in enumerate(choices(open_now), 1)
    ]
    hint = f"diurna conflicts {fact} --choose N{_OTHERWISE.get(last.kind, '')}"
    raise WrongUsage(f"which holds of {fact}? {'; '.join(sides)}", hint=hint)


def choices(disputes: tuple[Dispute, ...]) -> tuple[Choice, ...]:
    """Return everything that can be chosen, in the order in which it is numbered."""
    return tuple(choice for dispute in disputes for choice in dispute.choices)


def _chosen(disputes: tuple[Dispute, ...], said: str) -> tuple[Dispute, Choice]:
    """Find what an id, the start of one, or a number means."""
    sides = [(dispute, choice) for dispute in disputes for choice in dispute.choices]
    exact = [side for side in sides if side[1].id == said]
    if exact:
        return exact[0]
    if said.isascii() and said.isdigit() and len(said) <= _NUMBER_CHARS:
        if 1 <= int(said) <= len(sides):
            return sides[int(said) - 1]
        raise WrongUsage(f"there is no choice {said}", hint=f"one of 1 to {len(sides)}")
    begun = [side for side in sides if side[1].id.startswith(said)]
    if len(begun) == 1:
        return begun[0]
    what = "means several" if begun else "is none"
    names = ", ".join(choice.id for _, choice in (begun or sides))
    raise WrongUsage(f"{said!r} {what} of what stands", where="--choose", hint=f"one of {names}")


def _resolved(about: tuple[str, ...], does: str, *events: verbs.Event) -> Decision:
    return decided("Resolve", about, [does], events)


def _heads(fact: Fact) -> tuple[str, ...]:
    return tuple([version.id for version in fact.heads])


def _one_text(fact: Fact, dispute: Dispute, text: str, choice: Choice | None = None) -> Decision:
    """Let one text replace all that were seen; a side of a thread is a text and a state."""
    if fact.redacted:
        text = next((one.text for one in fact.heads if choice and one.id == choice.id), "")
        if not text:
            _refuse_withheld(fact)
    made, mark, state = version_id(text), "", ""
    more: tuple[verbs.Event, ...] = ()
    if dispute.kind == CLOSED and choice and choice.closed:
        mark, state, more = "x", ", closed", (verbs.ThreadClosed(fact.id, was=(made,)),)
    elif dispute.kind == CLOSED:
        mark, state, more = " ", ", open", (verbs.ThreadReopened(fact.id),)
    does = f"{fact.id} says {made}{state}: {_line(choice.text if choice else text)}"
    return _resolved((fact.id,), does, verbs.FactUpdated(fact.id, text, _heads(fact), mark), *more)


def _refuse_withheld(fact: Fact) -> None:
    if fact.redacted:
        hint = "choose a version by its id, or create a fact of its own"
        raise DiurnaError(f"{fact.id} is redacted; no new text of it is shown", hint=hint)


def _one_fact(memory: Memory, fact: Fact, dispute: Dispute, choice: Choice) -> Decision:
    """Let one successor, or one of those that a footer sets against each other, replace the others."""
    losers = [one.id for one in dispute.choices if one.id != choice.id]
    if dispute.kind == DECLARED:
        losers = list(memory.standing(choice.id).fact.opposed)
    are = "is" if len(losers) == 1 else "are"
    does = f"Kept {choice.id}; {' and '.join(losers)} {are} superseded"
    events = [verbs.FactSuperseded(loser, choice.id) for loser in losers]
    return _resolved(dispute.about, does, *events)


def _all_of_them(memory: Memory, dispute: Dispute) -> Decision:
    """Take back what sets facts against each other: a footer, or an open thread that asks."""
    if dispute.kind != DECLARED:
        said = "--both is of facts that a footer sets against each other"
        raise WrongUsage(said, where="--both")
    state, sides = memory.state(), set(dispute.about)
    events: list[verbs.Event] = []
    for id, history in sorted(state.histories.items()):
        fact = state.fact(id) if declares(history) else None
        if fact is None or not sides.intersection(declared(fact)):
            continue
        heads = _heads(fact)
        if id not in sides:
            events.append(verbs.ThreadClosed(id, was=heads))
        elif len(heads) > 1:
            raise DiurnaError(f"{id} has several texts", hint=f"diurna conflicts {id} --choose N")
        else:
            none = ((CONFLICTS, NO_CONFLICTS),)
            events.append(verbs.FactUpdated(id, fact.text, heads, meta=none))
    does = f"{' and '.join(dispute.about)} hold; nothing is set against them any more"
    return _resolved(dispute.about, does, *events)


def _out_of_circle(memory: Memory, fact: Fact, dispute: Dispute, choice: Choice) -> Decision:
    """Take back what was said against the one of a circle that holds."""
    said = said_against(choice.id, memory.state().histories[choice.id])
    does = f"{choice.id} holds; what {', '.join(said)} said against it is taken back"
    return _resolved((dispute.fact,), does, verbs.FactReinstated(choice.id, said=said))


def _true_or_false(memory: Memory, fact: Fact, dispute: Dispute, choice: Choice) -> Decision:
    """Let a text stand and take back what called the fact false, or say that this text is false, too."""
    heads = _heads(fact)
    if choice.id in heads:
        return _true_again(memory, fact, choice.text, new=False)
    event: verbs.Event = verbs.FactInvalidated(fact.id, was=heads)
    by = "false"
    if choice.id in [new for _, new in fact.denied]:
        by = f"superseded by {choice.id}"
        event = verbs.FactSuperseded(fact.id, choice.id, was=heads)
    return _resolved((fact.id,), f"{fact.id} is {by}, with what it says now", event)


def _true_again(memory: Memory, fact: Fact, text: str, *, new: bool) -> Decision:
    said = said_against(fact.id, memory.state().histories[fact.id])
    events: list[verbs.Event] = [verbs.FactReinstated(fact.id, said=said)]
    if new or len(fact.heads) > 1:
        _refuse_withheld(fact)
        mark = "x" if fact.closed else ""
        events.insert(0, verbs.FactUpdated(fact.id, text, _heads(fact), mark))
    does = f"{fact.id} holds and says: {_line(text)}; what {', '.join(said)} said is taken back"
    return _resolved((fact.id,), does, *events)


def _one_move(memory: Memory, fact: Fact, dispute: Dispute, choice: Choice) -> Decision:
    """Let one move hold, and whose it is: who records that is not who works on the task."""
    moved = _one_state(fact, choice.text)
    if choice.text != IN_PROGRESS or not choice.agent or fact.redacted or len(fact.heads) > 1:
        return moved
    owner = (("owner", choice.agent),)
    owned = verbs.FactUpdated(fact.id, fact.text, _heads(fact), meta=owner)
    return _resolved((fact.id,), f"{moved.does[0]} by {choice.agent}", owned, *moved.events)


#: What choosing a side says, where a side is more than a text.
_BY_CHOICE: dict[str, Callable[[Memory, Fact, Dispute, Choice], Decision]] = {
    SUCCESSOR: _one_fact,
    DECLARED: _one_fact,
    CIRCLE: _out_of_circle,
    REWORDED: _true_or_false,
    MOVED: _one_move,
}


def _one_state(fact: Fact, state: str) -> Decision:
    """Let a task be in one state, in place of all moves that stand."""
    may = (TODO, *may_follow(fact.states)) if fact.states else ()
    if not fact.torn or state not in may:
        wrong = f"can not be {state[:40]!r}" if fact.torn else "is not moved on several sides"
        hint = f"`diurna conflicts {fact.id} --state STATE`, one of {', '.join(may)}" if may else ""
        raise WrongUsage(f"{fact.id} {wrong}", where="--state", hint=hint)
    seen = tuple(dict.fromkeys([stem_in(move.stem) for move in fact.moves]))
    event: verbs.Event = verbs.FactMoved(fact.id, state, was=seen)
    if state == TODO:
        event = verbs.ThreadReopened(fact.id)
    elif state == DONE:
        event = verbs.ThreadClosed(fact.id, was=(*_heads(fact), *seen))
    return _resolved((fact.id,), f"{fact.id} is {state}", event)


def _settled(fact: Fact, verdict: Verdict) -> Decision:
    """Check the choice for a fact without a contradiction: it may hold already."""
    now, chosen = fact.heads[0], verdict.choose
    stands = now.id.startswith(chosen) or chosen in fact.superseded_by
    if not (
        (stands or (chosen == fact.id and not fact.false))
        and tidy(verdict.text) in ("", now.text)
        and verdict.state in ("", fact.state)
    ):
        by = f"is superseded by {', '.join(fact.superseded_by)}" if fact.superseded_by else ""
        said = f"there is no contradiction about {fact.id} any more: it {by or f'says {now.id}'}"
        hint = "`diurna edit`, `diurna close` and `diurna task` change what is not contradicted"
        raise DiurnaError(said, hint=f"`diurna show {fact.id}` shows where it stands; {hint}")
    return Decision(already=f"{fact.id} has no contradiction")


def _line(text: str) -> str:
    return shortened(text.split("\n", 1)[0], _BRIEF_CHARS)
