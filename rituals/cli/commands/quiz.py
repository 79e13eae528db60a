"""Run `diurna quiz`: ask memory what the project has to know, and say what it does not answer."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("quiz")
@click.option(
    "--suggest", is_flag=True, help="Propose questions from facts that no question reaches."
)
@options.listing(
    questions="answered expect general given kinds lacks name place text",
    suggestions="answered expect line text",
)
def command(call: Invocation, suggest: bool) -> None:
    """Ask memory what the project needs to know, and say what it does not answer.

    The questions are facts of kind `question`, whose footer `expect` names the facts that answer
    them, and eight general ones that any project should answer. One is answered if a fact that it
    expects, or one that replaced it, is live and among the first three facts that `diurna recall`
    finds by words; a general one, if one of the first three of the expected kinds is live. `diurna
    review` notes the score, and `diurna check --ci --quiz` ends with 1 if memory does not answer
    one of the ledger.

    \b
    Examples:
      diurna review --quiz
      diurna review --quiz --suggest
      diurna note "question: expect=webhook-retries How often are webhooks retried?"
    """
    from rituals.cli.terminal.quiz_text import (
        print_score,
        print_suggestions,
        score_object,
        suggestion_object,
    )
    from rituals.report.quiz.score import score
    from rituals.report.quiz.suggest import suggestions

    memory, out = call.memory(), call.out
    found = score(memory, out.progress)
    proposed = suggestions(memory, found) if suggest else ()
    if call.json:
        said = {"suggestions": [suggestion_object(one) for one in proposed]} if suggest else {}
        return out.answer({**score_object(found), **said})
    if suggest:
        return print_suggestions(proposed, out)
    print_score(found, out)
