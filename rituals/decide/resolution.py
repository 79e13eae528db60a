"""Resolve a contradiction: from what was chosen to the events that name every side that was seen.

What came meanwhile and was not seen is named by nobody, and goes on standing (FORMAT.md, F3 and F8).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model import event as verbs
from ledger.model.ids import version_id
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.task_states import DONE, IN_PROGRESS, TODO, may_follow
from memory.api import Memory
from projection.brief.wording import shortened
from projection.fold.declared_conflicts import CONFLICTS, NO_CONFLICTS, declared, declares
from projection.fold.fact_history import Fact
from projection.fold.falsity import said_against
from rituals.decide.decision import Decision, titled
from rituals.decide.open_contradictions import (
    CIRCLE,
    CLOSED,
    DECLARED,
    MOVED,
    REWORDED,
    SUCCESSOR,
    Choice,
    Dispute,
    disputes,
)

#: What no other text settles.
_UNTEXTUAL = (SUCCESSOR, CIRCLE, REWORDED, MOVED, DECLARED)
#: The most digits of a choice's number in the list; what is longer is the start of a version.
_NUMBER_CHARS = 3
_BRIEF_CHARS = 60
_OTHERWISE = {MOVED: "--state STATE", DECLARED: "--both where both hold"}


class Verdict(Record):
    """What somebody says holds; "" and None for not said."""

    choose: str = ""  #: a version or successor, the start of its id, or its number in the list
    text: str = ""  #: a new text instead
    closed: bool | None = None  #: whether the thread is to be closed
    state: str = ""  #: of the task
    both: bool = False  #: facts that a footer sets against each other hold, all of them

    @property
    def says_nothing(self) -> bool:
        """Whether it leaves everything open."""
        return not (self.choose or self.text or self.state or self.both) and self.closed is None


def resolution(memory: Memory, fact: str, verdict: Verdict) -> Decision:
    """Plan how a contradiction is resolved.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: what was said does not tell which side holds.
        DiurnaError: there is no contradiction, and the fact is not what was chosen.
    """
    standing = memory.standing(fact).fact
    fact = standing.id
    found = disputes(memory, (fact,))
    if not found:
        return _settled(standing, verdict)
    if verdict.says_nothing:
        raise WrongUsage(
            f"which holds of {fact}? {'; '.join(_brief(found))}",
            hint=f"diurna conflicts {fact} --choose N, or "
            + _OTHERWISE.get(found[-1].kind, "--text for a new text"),
        )
    if verdict.choose and verdict.text:
        raise WrongUsage("--choose and a new text exclude each other")
    if verdict.both:
        return _all_of_them(memory, found, verdict)
    if verdict.state:
        return _one_state(standing, verdict)
    if verdict.choose:
        dispute, choice = _chosen(found, verdict.choose)
        if dispute.kind == SUCCESSOR:
            return _one_successor(dispute, choice, verdict)
        if dispute.kind == DECLARED:
            return _one_of_them(memory, dispute, choice, verdict)
        if dispute.kind == CIRCLE:
            return _out_of_circle(memory, dispute, choice, verdict)
        if dispute.kind == REWORDED:
            return _true_or_false(memory, standing, dispute, choice, verdict)
        if dispute.kind == MOVED:
            return _one_move(standing, dispute, choice, verdict)
        return _one_text(standing, dispute, choice.text, choice, verdict)
    if found[-1].kind == REWORDED and verdict.text:
        return _true_or_false(memory, standing, found[-1], tidy(verdict.text), verdict)
    texts = [one for one in found if one.kind not in _UNTEXTUAL]
    if not texts and verdict.closed is not None and found[-1].kind == MOVED:
        return _one_state(standing, Verdict(state=DONE if verdict.closed else TODO))
    if not texts:
        hint = f"diurna conflicts {fact} --choose ID"
        hint += ", or --both where both hold" if found[-1].kind == DECLARED else ""
        raise WrongUsage(f"{fact} is {found[0].said}: {'; '.join(_brief(found))}", hint=hint)
    if verdict.text:
        return _one_text(standing, texts[0], tidy(verdict.text), None, verdict)
    reworded = [one for one in texts[0].choices if not one.closed]
    if texts[0].kind == CLOSED and len(reworded) > 1:
        raise WrongUsage(f"{fact} was reworded more than once", hint="add --choose VERSION")
    return _one_text(standing, texts[0], reworded[0].text, reworded[0], verdict)


def choices(found: tuple[Dispute, ...]) -> tuple[Choice, ...]:
    """Return everything that can be chosen, in the order in which it is numbered."""
    return tuple(choice for dispute in found for choice in dispute.choices)


def _chosen(found: tuple[Dispute, ...], said: str) -> tuple[Dispute, Choice]:
    """Find what an id, the start of one, or a number means."""
    sides = [(dispute, choice) for dispute in found for choice in dispute.choices]
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


def _one_text(
    fact: Fact, dispute: Dispute, text: str, choice: Choice | None, verdict: Verdict
) -> Decision:
    """Let one text replace all that were seen."""
    heads = tuple(version.id for version in fact.heads)
    if fact.redacted:
        text = next((one.text for one in fact.heads if choice and one.id == choice.id), "")
        if not text:
            _refuse_withheld(fact)
    closed = verdict.closed
    if dispute.kind != CLOSED:
        if closed is not None:
            said = f"{fact.id} is {dispute.said}: whether it is closed is not in question"
            raise WrongUsage(said, hint="`diurna append --close ID` or `--reopen ID` says so")
    elif closed is None:
        if choice is None:
            raise WrongUsage(f"is {fact.id} closed, with that text?", hint="add --closed or --open")
        closed = choice.closed  # a side is a text and a state
    mark = "" if closed is None else "x" if closed else " "
    made = version_id(text)
    events: list[verbs.Event] = [verbs.FactUpdated(fact.id, text, heads, mark)]
    if closed is not None:
        events.append(
            verbs.ThreadClosed(fact.id, was=(made,)) if closed else verbs.ThreadReopened(fact.id)
        )
    state = {None: "", True: ", closed", False: ", open"}[closed]
    does = f"{fact.id} says {made}{state}: {_line(choice.text if choice else text)}"
    return Decision(titled("Resolve", (fact.id,)), (does,), tuple(events))


def _refuse_withheld(fact: Fact) -> None:
    if fact.redacted:
        hint = "choose a version by its id, or create a fact of its own"
        raise DiurnaError(f"{fact.id} is redacted; no new text of it is shown", hint=hint)


def _one_successor(dispute: Dispute, choice: Choice, verdict: Verdict) -> Decision:
    """Let one successor replace the others, too."""
    losers = [one.id for one in dispute.choices if one.id != choice.id]
    return _kept(dispute, choice, losers, verdict)


def _one_of_them(memory: Memory, dispute: Dispute, choice: Choice, verdict: Verdict) -> Decision:
    """Let one fact replace those that a footer sets against it."""
    return _kept(dispute, choice, memory.standing(choice.id).fact.opposed, verdict)


def _kept(dispute: Dispute, choice: Choice, losers: Sequence[str], verdict: Verdict) -> Decision:
    _refuse_state(dispute, verdict)
    does = (
        f"Kept {choice.id}; {' and '.join(losers)} {'is' if len(losers) == 1 else 'are'} superseded"
    )
    events = tuple(verbs.FactSuperseded(loser, choice.id) for loser in losers)
    return Decision(titled("Resolve", dispute.about), (does,), events)


def _all_of_them(memory: Memory, found: tuple[Dispute, ...], verdict: Verdict) -> Decision:
    """Take back what sets facts against each other: a footer, or an open thread that asks."""
    dispute = found[-1]
    if dispute.kind != DECLARED or verdict != Verdict(both=True):
        said = "--both is of facts that a footer sets against each other, and stands alone"
        raise WrongUsage(said, where="--both")
    state, sides = memory.state(), set(dispute.about)
    events: list[verbs.Event] = []
    for id, history in sorted(state.histories.items()):
        fact = state.fact(id) if declares(history) else None
        if fact is None or not sides.intersection(declared(fact)):
            continue
        heads = tuple(version.id for version in fact.heads)
        if id not in sides:
            events.append(verbs.ThreadClosed(id, was=heads))
        elif len(heads) > 1:
            raise DiurnaError(f"{id} has several texts", hint=f"diurna conflicts {id} --choose N")
        else:
            events.append(
                verbs.FactUpdated(id, fact.text, heads, meta=((CONFLICTS, NO_CONFLICTS),))
            )
    does = f"{' and '.join(dispute.about)} hold; nothing is set against them any more"
    return Decision(titled("Resolve", dispute.about), (does,), tuple(events))


def _out_of_circle(memory: Memory, dispute: Dispute, choice: Choice, verdict: Verdict) -> Decision:
    """Take back what was said against the one of a circle that holds."""
    _refuse_state(dispute, verdict)
    said = said_against(choice.id, memory.state().histories[choice.id])
    does = f"{choice.id} holds; what {', '.join(said)} said against it is taken back"
    event = verbs.FactReinstated(choice.id, said=said)
    return Decision(titled("Resolve", (dispute.fact,)), (does,), (event,))


def _true_or_false(
    memory: Memory, fact: Fact, dispute: Dispute, choice: Choice | str, verdict: Verdict
) -> Decision:
    """Let a text stand and take back what called the fact false, or say that this text is false, too."""
    _refuse_state(dispute, verdict)
    heads = tuple(version.id for version in fact.heads)
    title = titled("Resolve", (fact.id,))
    if isinstance(choice, Choice) and choice.id not in heads:
        replaced = choice.id in [new for _, new in fact.denied]
        event = (
            verbs.FactSuperseded(fact.id, choice.id, was=heads)
            if replaced
            else verbs.FactInvalidated(fact.id, was=heads)
        )
        by = f"superseded by {choice.id}" if replaced else "false"
        return Decision(title, (f"{fact.id} is {by}, with what it says now",), (event,))
    text = choice if isinstance(choice, str) else choice.text
    said = said_against(fact.id, memory.state().histories[fact.id])
    events: list[verbs.Event] = [verbs.FactReinstated(fact.id, said=said)]
    if isinstance(choice, str) or len(heads) > 1:
        _refuse_withheld(fact)
        events.insert(0, verbs.FactUpdated(fact.id, text, heads, "x" if fact.closed else ""))
    does = f"{fact.id} holds and says: {_line(text)}; what {', '.join(said)} said is taken back"
    return Decision(title, (does,), tuple(events))


def _one_move(fact: Fact, dispute: Dispute, choice: Choice, verdict: Verdict) -> Decision:
    """Let one move hold, and whose it is: who records that is not who works on the task."""
    _refuse_state(dispute, verdict)
    decided = _one_state(fact, Verdict(state=choice.text))
    if choice.text != IN_PROGRESS or not choice.agent or fact.redacted or len(fact.heads) > 1:
        return decided
    heads = tuple(version.id for version in fact.heads)
    owned = verbs.FactUpdated(fact.id, fact.text, heads, meta=(("owner", choice.agent),))
    does = f"{fact.id} is {choice.text} by {choice.agent}"
    return decided._replace(does=(does,), events=(owned, *decided.events))


def _one_state(fact: Fact, verdict: Verdict) -> Decision:
    """Let a task be in one state, in place of all moves that stand."""
    state = verdict.state
    may = (TODO, *may_follow(fact.states)) if fact.states else ()
    if not fact.torn or verdict.choose or verdict.text or state not in may:
        said = f"{fact.id} is not moved on several sides"
        if fact.torn:
            said = (
                "--state stands alone" if state in may else f"{fact.id} can not be {state[:40]!r}"
            )
        hint = f"`diurna conflicts {fact.id} --state STATE`, one of {', '.join(may)}" if may else ""
        raise WrongUsage(said, where="--state", hint=hint)
    seen = tuple(dict.fromkeys([stem_in(move.stem) for move in fact.moves]))
    event: verbs.Event
    if state == TODO:
        event = verbs.ThreadReopened(fact.id)
    elif state == DONE:
        event = verbs.ThreadClosed(fact.id, was=(*[version.id for version in fact.heads], *seen))
    else:
        event = verbs.FactMoved(fact.id, state, was=seen)
    return Decision(titled("Resolve", (fact.id,)), (f"{fact.id} is {state}",), (event,))


def _refuse_state(dispute: Dispute, verdict: Verdict) -> None:
    if verdict.closed is not None:
        raise WrongUsage(f"{dispute.fact} is {dispute.said}: --closed and --open say nothing of it")


def _settled(fact: Fact, verdict: Verdict) -> Decision:
    """Check the choice for a fact without a contradiction: it may hold already."""
    title = titled("Resolve", (fact.id,))
    if verdict.state and verdict.state != fact.state:
        raise DiurnaError(
            f"there is no contradiction about {fact.id} any more: it is {fact.state or 'no task'}",
            hint=f"`diurna append --move {fact.id}=STATE` moves a task",
        )
    same = [fact.heads[0].id.startswith(verdict.choose), verdict.choose in fact.superseded_by]
    same.append(verdict.choose == fact.id and not fact.false)
    if verdict.choose and not any(same):
        now = f"it is superseded by {', '.join(fact.superseded_by)}" if fact.superseded_by else ""
        raise DiurnaError(
            f"there is no contradiction about {fact.id} any more: "
            + (now or f"it says {fact.heads[0].id}"),
            hint=f"`diurna edit {fact.id} --restore VERSION` lets one of `why --versions` stand again",
        )
    if verdict.text and tidy(verdict.text) != fact.heads[0].text:
        hint = f'diurna append --update {fact.id} "…" changes its text'
        raise DiurnaError(f"there is no contradiction about {fact.id} any more", hint=hint)
    if verdict.closed is not None and verdict.closed != fact.closed:
        raise DiurnaError(
            f"there is no contradiction about {fact.id} any more: it is "
            + ("closed" if fact.closed else "not closed"),
            hint=f"diurna append --{'close' if verdict.closed else 'reopen'} {fact.id}",
        )
    return Decision(title, already=f"{fact.id} has no contradiction")


def _brief(found: tuple[Dispute, ...]) -> list[str]:
    """Write each choice in a few words, numbered."""
    return [
        f"({number}) {choice.id}, {choice.who}: {_line(choice.text)}"
        for number, choice in enumerate(choices(found), 1)
    ]


def _line(text: str) -> str:
    return shortened(text.split("\n", 1)[0], _BRIEF_CHARS)
