"""Record what a person answers: to a question of the review, a proposal to learn, a contradiction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import VERB_OF, Event, FactCreated, FactVerified, written
from memory.api import Memory
from projection.lifecycle.review_threads import THREAD_PREFIX
from rituals.decide.confirmation import confirmation
from rituals.decide.decision import Author, Decision, record
from rituals.decide.decision import record as append
from rituals.decide.fact_corrections import closing
from rituals.decide.log_undo import step_back_from
from rituals.decide.open_contradictions import disputes
from rituals.decide.resolution import Verdict, choices, resolution
from rituals.review.learning_plan import Answer as Word
from rituals.review.learning_plan import Plan as LearnPlan
from rituals.review.learning_plan import plan_learning, record_answers
from rituals.review.review_answers import NotAsked, answer_of
from rituals.review.review_plan import Plan
from rituals.review.review_record import ACCEPT, REJECT, Answer, review
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.actions.form_fields import Fields, Recorded

#: Gives the plan of a memory as it stands, None where it has to be made.
Kept = Callable[[Memory], Plan | None]
Learnable = Callable[[Memory], LearnPlan | None]


def answer(memory: Memory, fields: Fields, kept: Kept = lambda memory: None) -> Recorded:
    """Record the same answer to questions of the review, as whoever leaves the review behind them.

    `kept` gives a plan that stands for what a review asks now, None where it has to be made.

    Raises:
        WrongUsage: one can not be answered so, or none is named.
        NotAsked: none of several is asked any more.
        DiurnaError: as `diurna review`.
    """
    keys = fields.ticked("key")
    given: dict[str, Answer] = {}

    def ask(plan: Plan) -> dict[str, Answer]:
        if not given:  # else another writer was faster, and it is answered
            said = fields.one("say"), tidy(fields.one("text")), fields.one("id")
            for key in keys:
                with suppress(NotAsked):
                    given[key] = answer_of(plan, key, *said)
            if not given:
                raise NotAsked("this question" if len(keys) == 1 else "each of these questions")
        return given

    try:
        outcome = review(memory, ask=ask, kept=kept(memory))
    except NotAsked as known:
        return Recorded(already=known.message)
    if not outcome.stem:
        return Recorded(already="it is known, and there is nothing to record")
    events = outcome.events
    title = f"Answer to {len(given)} questions" if len(given) > 1 else "Answer to a question"
    return Recorded(
        (outcome.stem,), (outcome.commit,), _said(events), "", title, twin_commands.REVIEW,
        outcome.findings, not any(isinstance(event, FactVerified) for event in events),
        bool(outcome.unasked),
    )  # fmt: skip


def shut(memory: Memory, fields: Fields) -> Recorded:
    """Close the threads that are ticked: one log for all of them.

    Raises:
        WrongUsage: none is named, or more than one log takes.
        DiurnaError: as `diurna close`.
    """
    ids = fields.ticked("id") and fields.facts()
    decision = closing(memory, ids, "")
    receipt = record(memory, decision, Author())
    if receipt is None:
        return Recorded(already=decision.already)
    return Recorded(
        (receipt.stem,), (receipt.commit,), decision.does, "", decision.title, twin_commands.shut(ids),
        receipt.findings,
    )  # fmt: skip


def learn(memory: Memory, fields: Fields, kept: Learnable = lambda memory: None) -> Recorded:
    """Record that what `review --learn` proposes is accepted, in its words or one's own, or rejected.

    `kept` gives a plan of what could be learned now, None where it has to be made.

    Raises:
        WrongUsage: it can not be answered so.
        DiurnaError: as `diurna review --learn`.
    """
    key, word, text = fields.one("key"), fields.one("say"), tidy(fields.one("text"))
    if word not in (ACCEPT, REJECT):
        raise WrongUsage(f"a proposal is accepted or rejected, and not {word[:20]!r}")
    plan = kept(memory)
    if plan is None or plan.tip != memory.home.tip():
        plan = plan_learning(memory)
    keys = {*[one.key for one in plan.proposals], *[one.key for one in plan.promotions]}
    if key not in keys:
        return Recorded(already=NotAsked("this proposal").message)
    outcome = record_answers(memory, plan, {key: Word(word, text if word == ACCEPT else "")})
    if outcome.receipt is None:
        return Recorded(already=NotAsked("this proposal").message)
    done = outcome.receipt
    does = tuple([f"{verb}: {', '.join(ids)}" for verb, ids in done.did])
    files = tuple([f"{path} is written, and not committed" for path in outcome.written])
    return Recorded(
        (done.stem,), (done.commit,), (*does, *files), "", "Answer to a proposal", twin_commands.LEARN,
        outcome.findings,
    )  # fmt: skip


def _said(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Say what a log records: of a thread by which a question is known, what it says."""
    lines = []
    for event in events:
        if isinstance(event, FactCreated) and event.id.startswith(THREAD_PREFIX):
            first = (event.text or "").partition("\n")[0]
            lines.append(f"{first} (known as {event.id})")
        else:
            lines.append(f"{VERB_OF[type(event)]}: {written(event)}")
    return tuple(lines)


_CLOSED = {"": None, "open": False, "closed": True}


def confirm(memory: Memory, fields: Fields) -> Recorded:
    """Record that somebody looked at facts and they hold: one log for all of them.

    Raises:
        WrongUsage: none is named.
        DiurnaError: as `diurna review --confirm`.
    """
    ids = fields.facts()
    if not ids:
        raise WrongUsage("nothing is ticked", hint="tick what still holds, and confirm it then")
    decision = confirmation(memory, ids)
    return _recorded(memory, decision, twin_commands.confirm(ids), reversible=False)


def resolve(memory: Memory, fields: Fields) -> Recorded:
    """Resolve a contradiction: by a side, by a new text, or by a state.

    Where the form says which sides it showed, another side that came meanwhile is a reason to refuse:
    a side that nobody saw is decided by nobody.

    Raises:
        DiurnaError: as `diurna conflicts`; or other sides stand than were shown.
    """
    fact, choose, text = fields.fact(), fields.one("choose"), fields.one("text").strip()
    stands, state = fields.one("stands"), fields.one("state")
    if stands not in _CLOSED:
        raise WrongUsage(f"a thread is open or closed, and not {stands[:20]!r}")
    if "text" in dict(fields.pairs) and not (text or choose or state):
        raise WrongUsage("the new text is empty", hint="write what holds, or choose a side")
    found = choices(disputes(memory, (fact,)))
    seen, now = fields.many("side"), tuple(dict.fromkeys([one.id for one in found]))
    if now and ((seen and set(seen) != set(now)) or (choose and choose not in now)):
        said = f"other sides of {fact} stand than the page showed: {', '.join(now)}"
        hint = "the page of the review shows them as they stand now; choose there"
        raise DiurnaError(said, hint=hint)
    decision = resolution(memory, fact, Verdict(choose, text, _CLOSED[stands], state))
    command = twin_commands.resolve(fact, choose, text, stands, state)
    return _recorded(memory, decision, command, reversible=False)


def undo(memory: Memory, fields: Fields) -> Recorded:
    """Take back what a log did that was recorded a moment ago; of an undo that is to do it again.

    Raises:
        DiurnaError: as `diurna undo`; or another log of the same agent came behind it.
    """
    memory.drain()
    found = step_back_from(memory, fields.one("stem"))
    return _recorded(
        memory, found.decision, twin_commands.REDO if found.undo else twin_commands.UNDO
    )


def _recorded(
    memory: Memory, decision: Decision, command: str, *, reversible: bool = True
) -> Recorded:
    """Append the log of a decision."""
    receipt = append(memory, decision, Author())
    if receipt is None:
        return Recorded(already=decision.already)
    return Recorded(
        (receipt.stem,), (receipt.commit,), decision.does, "", decision.title, command,
        receipt.findings, reversible,
    )  # fmt: skip
