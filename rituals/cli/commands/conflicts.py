"""Run `diurna conflicts`: every side of a contradiction, and which of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.errors import WrongUsage
from ledger.model.verbs import STATES
from rituals.answers.record_fields import all_fields_of, fields_of
from rituals.cli.commands.decisions import decide
from rituals.cli.context import Invocation
from rituals.cli.operation import DECIDER, DRY_RUN, TITLE, modes, option, word
from rituals.cli.output import Line, Output, indented, some
from rituals.decide.open_contradictions import DECLARED, Dispute, contested, disputes


def conflicts(
    call: Invocation, *,
    ids: tuple[str, ...] = word("[ID]..."),
    mode: str = modes(resolve="Ask which side of ID holds, on a terminal."),
    choose: str = option("What holds of ID: a side, its start or number.", "SIDE"),
    text: str | None = option("A new text of ID in place of all sides.", "TEXT", default=None),
    file: str = option("The new text from a file (- for stdin).", "FILE"),
    both: bool = option("Both sides hold: they do not contradict each other."),
    state: str = option(
        "The state of the task ID that was moved on several sides.", "STATE", choices=STATES),
    agent: str = DECIDER, title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """List contradictions: every side, who said it and when, and how to resolve it.

    A contradiction has a form: several texts of one fact, several successors, a circle, moves of a task,
    or a footer `conflicts: ID` that sets facts against each other. To resolve one, choose a side or give
    a new text: a log names every side there was, and one that arrives later is not settled by it.

    Examples:
      diurna conflicts
      diurna conflicts api-timeouts --choose 3fa9c1d2
      diurna conflicts api-timeouts --text "Calls time out after 20 s."
      diurna conflicts friday-no --both
      diurna conflicts wire-the-queue --state in-progress
    """
    if mode or both or choose or text is not None or file or state:
        if len(ids) != 1:
            raise WrongUsage("name one ID to resolve", hint="`diurna conflicts` lists them")
        if text and file:
            raise WrongUsage("--text and --file both give a text", hint="leave one of them out")
        text = call.text(file) if file else text
        if text is not None and not text.strip():
            raise WrongUsage("the new text is empty")
        from rituals.decide.resolution import Verdict, resolution

        verdict = Verdict(choose, text or "", state, both)
        memory = call.memory()
        if verdict.says_nothing and not call.piped() and not call.json:
            verdict = verdict._replace(choose=_asked(call, ids[0]))
        decide(call, resolution(memory, ids[0], verdict), agent, title, dry_run)
        return
    if agent or title or dry_run:
        raise WrongUsage("--agent, --title and --dry-run go with what resolves a contradiction")
    found = disputes(call.memory(), ids)
    call.answer(
        {"contradictions": [_dispute_object(one) for one in found]}, _lines(call.out, found),
        nothing=f"no contradiction{some((ids, ' about ' + ', '.join(ids)))}",
    )  # fmt: skip


def ask_open(call: Invocation) -> bool:
    """Ask of each contradiction which side holds, and record it; what is left stays open.

    Returns:
        Whether more may be asked.
    """
    from rituals.decide.resolution import Verdict, resolution

    for fact, _ in contested(call.memory().state()):
        choose = _asked(call, fact, leave=True)
        if choose == _QUIT:
            return False
        if choose:
            found = resolution(call.memory(), fact, Verdict(choose))
            decide(call, found, agent="", title="", dry_run=False)
    return True


_LATER, _QUIT = "later", "quit"


def _asked(call: Invocation, id: str, *, leave: bool = False) -> str:
    """Show the sides and ask which holds; "" where there is none, or it is left; or `_QUIT`."""
    from rituals.cli.terminal.review_walk_text import chosen
    from rituals.decide.resolution import choices

    found = disputes(call.memory(), (id,))
    if not call.out.lines(_lines(call.out, found)):
        return ""
    sides = [str(number) for number in range(1, len(choices(found)) + 1)]
    letters = {side: (side, "this side holds, the others do not") for side in sides}
    if leave:
        anew = f"leave it open; `diurna conflicts {id} --text TEXT` says it anew"
        letters |= {"l": (_LATER, anew), "q": (_QUIT, "leave all that follow open, too")}
    said = chosen(letters, "l" if leave else None, call.out, ask="which holds?")
    return "" if said == _LATER else said


def _dispute_object(dispute: Dispute) -> dict[str, object]:
    return {
        **fields_of(dispute, "id=fact kind said"),
        "choices": [
            {**all_fields_of(one), "resolve": dispute.keeping(one)} for one in dispute.choices
        ],
        "both": _both(dispute),
    }


def _both(dispute: Dispute) -> str:
    return f"diurna conflicts {dispute.fact} --both" if dispute.kind == DECLARED else ""


def _lines(out: Output, found: Iterable[Dispute]) -> Iterator[Line]:
    """Yield every side; choices of one fact are numbered together, as `--choose` reads them."""
    fact, number = "", 0
    for dispute in found:
        fact, number = dispute.fact, number if dispute.fact == fact else 0
        yield (fact, "bold"), f" — {dispute.said} ({dispute.kind})"
        for choice in dispute.choices:
            number += 1
            closed = ", closed" if choice.closed else ""
            yield f"  {number}  ", (choice.id, "yellow"), f"  {choice.who}, {choice.date}{closed}"
            yield ("     in ", "dim"), out.short(choice.stem)
            yield indented(choice.text, "     ")
            yield ("     keep: ", "dim"), dispute.keeping(choice)
        if both := _both(dispute):
            yield ("  both hold: ", "dim"), both
