"""Run `diurna conflicts`: every side of a contradiction, and which of them holds."""

from __future__ import annotations

from typing import Any

from ledger.errors import WrongUsage
from ledger.model.verbs import STATES
from memory import status_of
from rituals.answers.record_to_dict import all_fields_of, fields_of
from rituals.cli.commands.decisions import decide
from rituals.cli.context import STDIN, Invocation
from rituals.cli.dialog import chosen
from rituals.cli.layout import Layout
from rituals.cli.operation import DECIDER, DRY_RUN, TITLE, option, word
from rituals.decide.open_contradictions import DECLARED, disputes

_LATER, _QUIT = "later", "quit"
#: Choices of one fact are numbered together, as `--choose` reads them.
_SIDES = Layout("""
contradictions|{id:bold} — {said} ({kind})
contradictions|choices|  {=number}  {id:yellow}  {=who}, {date}[, closed{closed}]
contradictions|choices|     in {stem~}
contradictions|choices|{text>5}
contradictions|choices|     keep: {resolve}
contradictions|  both hold: {both}
""")


def conflicts(
    call: Invocation, *,
    ids: tuple[str, ...] = word("[ID]..."),
    choose: str = option("What holds of ID: a side, its start or number.", "SIDE"),
    text: str | None = option("A new text of ID, in place of all; - for stdin.", "TEXT", default=None),
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
    if both or choose or text is not None or state:
        if len(ids) != 1:
            raise WrongUsage("name one ID to resolve", hint="`diurna conflicts` lists them")
        text = call.text(STDIN) if text == STDIN else text
        if text is not None and not text.strip():
            raise WrongUsage("the new text is empty")
        from rituals.decide.resolution import Verdict, resolution

        verdict = Verdict(choose, text or "", state, both)
        decide(call, resolution(call.memory(), ids[0], verdict), agent, title, dry_run)
        return
    if agent or title or dry_run:
        raise WrongUsage("--agent, --title and --dry-run go with what resolves a contradiction")
    about = f" about {', '.join(ids)}" if ids else ""
    call.answer(_sides(call, ids), _SIDES, nothing=f"no contradiction{about}")


def _sides(call: Invocation, ids: tuple[str, ...]) -> dict[str, Any]:
    """Describe contradictions, all or those of some facts."""
    found, numbers = [], dict[str, int]()
    for one in disputes(call.memory(), ids):
        choices = []
        for side in one.choices:
            number = numbers[one.fact] = numbers.get(one.fact, 0) + 1
            said = {"resolve": one.keeping(side), "=number": number, "=who": side.who}
            choices.append({**all_fields_of(side), **said})
        both = f"diurna conflicts {one.fact} --both" if one.kind == DECLARED else ""
        found.append({**fields_of(one, "id=fact kind said"), "choices": choices, "both": both})
    return {"contradictions": found}


def ask_open(call: Invocation) -> bool:
    """Ask of each contradiction which side holds, and record it; what is left stays open.

    Returns:
        Whether more may be asked.
    """
    from rituals.decide.resolution import Verdict, choices, resolution

    for fact in [one.id for one in call.memory().ask(status_of).contradicted]:
        call.show(_sides(call, (fact,)), _SIDES)
        count = len(choices(disputes(call.memory(), (fact,))))
        later = f"leave it open; `diurna conflicts {fact} --text TEXT` says it anew"
        sides = [str(number) for number in range(1, count + 1)]
        letters = {one: (one, "this side holds, the others do not") for one in sides}
        letters |= {"l": (_LATER, later), "q": (_QUIT, "leave all that follow open, too")}
        said = chosen(letters, "l", call.out, ask="which holds?")
        if said == _QUIT:
            return False
        if said != _LATER:
            found = resolution(call.memory(), fact, Verdict(said))
            decide(call, found, agent="", title="", dry_run=False)
    return True
