"""Run `diurna review`: look after the memory: what aged, what is due, what became false."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ledger.errors import WrongUsage
from ledger.model.event import VERB_OF, written
from ledger.model.finding_codes import ERROR, INFO, WARNING
from memory import NOT_COMMITTED, text_of
from projection.fold.live_view import TIERS
from projection.lifecycle.review_due import Raised, remarks
from rituals.answers.fact_objects import (
    event_line,
    summary_object,
)
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, modes, option, word
from rituals.cli.output import counted
from rituals.decide.open_contradictions import contested
from rituals.review.questions import INVARIANT_DUE, RULES, Question, is_raising
from rituals.review.review_answers import ACCEPT, LATER, REJECT, Answer
from rituals.review.review_plan import Plan, asked
from rituals.review.review_record import Outcome

#: Codes that a review says in its own words.
_OF_REVIEW = ("review-due", "over-size")
#: What `diurna review` does beside holding one.
CONFIRM, LEARN = "confirm", "learn"
_SHOWN_LINES = 6  #: of a text that a question is about
_QUIT = "quit"
#: letter -> (name, what it does); the name has the letter in it.
_ANSWERS = {
    "a": (ACCEPT, "record what stands behind `accept:`"),
    "r": (REJECT, "the proposal is not right: record what stands behind `reject:`, if anything"),
    "l": (LATER, "leave it open as a thread; the next review asks again"),
    "q": (
        _QUIT,
        "keep what is answered; the rest is not asked, and the review does not count as held",
    ),
}
_QUESTION = Layout("""
# {place} {heading}
{said}
evidence|  {}
before|  │ was: {}
facts|  {id:bold}
facts|lines|  │ {}
{=proposal:cyan} {proposal}
{=accept:cyan} {accept}
{=reject:cyan} {reject}
""")
_HELD = Layout("""
{=head}
=events|{}
=ended|Ended       {}
=raised|Raised      {id}: {text^}
Not asked   {unasked#question}: {=left}
Published   {published}
Checked     {=verified}; `diurna check` names them
""")


def review(
    call: Invocation, *,
    ids: tuple[str, ...] = word("[ID]..."),
    code: str = option("The repository whose code this is about.", "PATH", goes="plain"),
    yes: bool = option("Ask nothing: what needs a person is raised as threads.", goes="plain"),
    mode: str = modes(
        confirm="Record that a person looked at each ID and it holds.",
        learn="Propose facts that sessions taught; nothing is written unasked.",
        report="Tell in numbers what memory cost, and how memories lived.",
    ),
    title: str = option("With --confirm: the log's title.", "TEXT", goes="confirm"),
    ask: bool = option("With --learn: raise the proposals as open threads, each once.", goes="learn"),
    accept: str = option("With --learn: let in the proposal of this key.", "KEY", goes="learn"),
    text: str = option("With --accept: in these words.", "TEXT", goes="learn"),
    agent: str = option("With --confirm and --learn: who decides.", "NAME", goes="confirm learn"),
    dry_run: bool = DRY_RUN._replace(goes="plain confirm learn"),
) -> None:  # fmt: skip
    """Look after the memory: what aged, what nobody confirmed, what the code no longer has.

    It verifies first, and says what is wrong. On a terminal it asks about each question, and `?` explains
    the answers; if you quit, your answers are kept and the review does not count as held. Elsewhere, or
    with --yes, it decides nothing: what needs a person becomes an open thread, once. It appends one log
    of type `review` and publishes the projection; if nothing is new, it writes no log. What is too much
    for one log waits for the next review.

    --confirm is for facts that never fade: `diurna status` names those that nobody confirmed for
    `verify_invariants_every` work sessions. --learn proposes at most seven facts that memory lacks, each
    with its diff; on a terminal it asks about each, and an accepted promotion is written into AGENTS.md
    (or the file for agents that is there), not committed. --report counts what sessions were shown and
    told, when facts faded or became false, who created those, and reviews that were skipped.

    Examples:
      diurna review --dry-run
      diurna review
      diurna review --yes --json
      diurna review --confirm inv-transport-agnostic inv-no-plain-text
      diurna review --learn --json
      diurna review --learn --accept 3f2a9c --text "Retries are the server's."
      diurna review --report
    """
    if bool(ids) != (mode == CONFIRM):
        raise WrongUsage("an ID goes with --confirm, and --confirm with an ID")
    if mode == CONFIRM:
        from rituals.cli.commands.decisions import decide
        from rituals.decide.fact_decisions import confirmation

        decide(call, confirmation(call.memory(), ids), agent, title, dry_run)
    elif mode == LEARN:
        from rituals.cli.commands.learn import learn

        learn(call, ask, accept, text, agent, dry_run)
    elif mode:
        from rituals.cli.commands.report import report

        report(call)
    else:
        _review(call, code, yes, dry_run)


def _review(call: Invocation, code: str, yes: bool, dry_run: bool) -> None:
    from rituals.cli.commands.conflicts import ask_open
    from rituals.review.review_record import review

    memory, out = call.memory(), call.out
    asking = not (yes or dry_run or call.json) and call.interactive()
    more = asking and ask_open(call)
    ask = (lambda plan: walk(call, plan) if more else {}) if asking else None
    outcome = review(memory, code, ask=ask, dry_run=dry_run, progress=out.progress)
    call.landed = call.landed or bool(outcome.commit)
    errors = () if call.json else tuple([one for one in outcome.verified if one.severity == ERROR])
    left = "the review does not count as held; `diurna review` asks what is left"
    call.answer(
        {**_described(outcome, dry_run), **_said(call, outcome, dry_run=dry_run)},
        _HELD,
        findings=(*errors, *outcome.findings),
        hints=(left,) if _cut_short(outcome) else (),
    )


def walk(call: Invocation, plan: Plan) -> dict[str, Answer]:
    """Ask a person about each question; return the answers by key (or id of a settled thread)."""
    from rituals.cli.dialog import chosen

    given: dict[str, Answer] = {}
    steps: list[Question | Raised] = [*plan.questions, *plan.settled]
    if steps:
        number = counted(len(plan.unanswered), "question")
        more = f" and {counted(len(plan.settled), 'thread')} to close" if plan.settled else ""
        call.out.talk(f"{number}{more}; what you leave for later stays open as a thread")
    for at, step in enumerate(steps, 1):
        told = _settled(step) if isinstance(step, Raised) else _asked(plan, step)
        call.show({**told, "place": f"{at}/{len(steps)}"}, _QUESTION, beside=True)
        letters = "a" * bool(told["accept"]) + "r" * isinstance(step, Question) + "lq"
        answer: Answer = chosen({letter: _ANSWERS[letter] for letter in letters}, "l", call.out)
        if answer == _QUIT:
            break
        if isinstance(step, Raised):
            given[step.id] = answer
            continue
        if answer == REJECT and step.rule == INVARIANT_DUE:
            answer = step.thread(f"Does {step.facts[0]} still hold?")
        given[step.key] = answer
    return given


def _settled(thread: Raised) -> dict[str, Any]:
    said = f"{thread.id} stands open, and what it asks does not arise any more."
    close = f"Closed: {thread.id}"
    return {"heading": "Settled", "said": said, "accept": close, "=accept": "accept:"}


def _asked(plan: Plan, question: Question) -> dict[str, Any]:
    """Describe a question with its evidence, the text it is about, and what accepting it says."""
    facts = []
    for name in question.facts:
        fact = plan.state.fact(name)
        if fact is not None:
            lines = fact.text.split("\n")
            shown = [
                *lines[:_SHOWN_LINES],
                *[f"{key}: {said}" for key, said in remarks(fact).items()],
            ]
            shown += ["…"] * (len(lines) > _SHOWN_LINES)
            facts.append({"id": name if len(question.facts) > 1 else "", "lines": shown})
    return {
        **fields_of(question, "said evidence proposal"),
        "heading": RULES[question.rule].heading,
        "before": question.before.split("\n")[:_SHOWN_LINES] if question.before else (),
        "facts": facts,
        "accept": "; ".join(question.does) if question.acceptable else "",
        "reject": "; ".join([f"{VERB_OF[type(one)]}: {written(one)}" for one in question.reject]),
        "=proposal": "proposal:",
        "=accept": "accept:",
        "=reject": "reject:",
    }


def _described(outcome: Outcome, dry_run: bool) -> dict[str, object]:
    plan = outcome.plan
    fresh = {question.key for question in plan.fresh}
    questions = [
        {**fields_of(one, "key rule facts said evidence proposal"), "fresh": one.key in fresh}
        for one in plan.questions
    ]
    return {
        **summary_object(plan.state.summary),
        **fields_of(
            plan, "tip code since=state.summary.last_review sessions_since due nothing_new"
        ),
        **fields_of(plan, "size(facts lines closed_lines)"),
        **fields_of(plan.ageing, "changed(id before after) born faded swept false returned"),
        **fields_of(plan.ageing, "fading(id left days)"),
        "tiers": dict(zip(TIERS, plan.state.view().tiers, strict=True)),
        "questions": questions,
        "disputed": contested(plan.state.view().contradicted, plan.state.histories),
        "asks": asked(plan),
        "settled": [one.id for one in plan.settled],
        **fields_of(outcome, "stem commit raised published ended verified findings"),
        "events": [{"event": VERB_OF[type(one)], "id": one.id} for one in outcome.events],
        "unasked": sum(outcome.unasked.values()),
        "dry_run": dry_run,
    }


def _said(call: Invocation, outcome: Outcome, *, dry_run: bool) -> dict[str, object]:
    """Return what the text alone says of a review."""
    plan, short, left = outcome.plan, call.out.short, _cut_short(outcome)
    since = short(plan.state.summary.last_review) or "the beginning"
    head, shown = "", bool(outcome.stem) or (dry_run and not plan.nothing_new)
    if left and not (outcome.stem or dry_run):
        head, shown = "nothing was answered, so nothing was recorded", False
    elif not shown:
        waiting = len(plan.unanswered)
        still = f"; {counted(waiting, 'question')} still open" if waiting else ""
        head = f"nothing new since {plan.state.summary.last_review or 'the beginning'}{still}"
    elif dry_run:
        head = f"would append a review log:\n{outcome.prose}"
    else:
        place = f"committed in {outcome.commit[:7]} on {call.memory().home.branch}"
        head = f"{short(outcome.stem)}  {place if outcome.commit else f'written, {NOT_COMMITTED}'}"
        if not outcome.unasked:
            head += f"\nReviewed    {counted(plan.sessions_since, 'work session')} since {since}"
    raised = [event for event in outcome.events if is_raising(event)]
    found = Counter([one.severity for one in outcome.verified if one.code not in _OF_REVIEW])
    parts = ((found[ERROR], "error"), (found[WARNING], "warning"), (found[INFO], "remark"))
    return {
        "=head": head,
        "=events": [event_line(one) for one in outcome.events if shown and one not in raised],
        "=ended": outcome.ended if shown else (),
        "=raised": [{"id": one.id, "text": text_of(one)} for one in raised if shown],
        "=left": [f"{count} {rule}" for rule, count in outcome.unasked.items() if left],
        "=verified": [counted(many, noun) for many, noun in parts if many],
    }


def _cut_short(outcome: Outcome) -> bool:
    return bool(outcome.unasked) and bool(outcome.stem or not outcome.plan.nothing_new)
