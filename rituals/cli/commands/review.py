"""Run `diurna review`: look after the memory: what aged, what is due, what became false."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("review")
@click.option("--code", metavar="PATH", default="", help="The repository whose code this is about.")
@click.option("--yes", is_flag=True, help="Ask nothing: what needs a person is raised as threads.")
@click.option("--pull-request", "on_branch", is_flag=True,
              help="Ask in REVIEW.md, on a branch for a pull request.")  # fmt: skip
@options.dry_run
@options.listing(questions="evidence facts fresh key proposal rule said")
def command(call: Invocation, code: str, yes: bool, on_branch: bool, dry_run: bool) -> None:
    """Look after the memory: what aged, what nobody confirmed, what the code no longer has.

    It verifies first, and says what is wrong. On a terminal it asks about each question, and `?`
    explains the answers; if you quit, your answers are kept and the review does not count as held.
    Elsewhere, or with --yes, it decides nothing: what needs a person becomes an open thread, once.
    It appends one log of type `review` and publishes the projection; if nothing is new, it writes
    no log. What is too much for one log waits for the next review.

    --pull-request puts the questions on a branch `diurna-review/…`, with a tick for each answer;
    pushing it is left to you. The ticks are recorded behind its merge, by `diurna absorb` or the
    next --pull-request.

    \b
    Examples:
      diurna review --dry-run
      diurna review
      diurna review --yes --json
    """
    if on_branch:
        from rituals.cli.terminal.review_request_text import ask_by_pull_request

        return ask_by_pull_request(call, code, dry_run=dry_run)
    from rituals.cli.terminal.review_text import review_object, show_review
    from rituals.cli.terminal.review_walk_text import walk
    from rituals.review.review_record import review

    memory, out = call.memory(), call.out
    asking = not (yes or dry_run or call.json) and call.interactive()
    ask = (lambda plan: walk(plan, out)) if asking else None
    outcome = review(memory, code, ask=ask, dry_run=dry_run, progress=out.progress)
    call.landed = bool(outcome.commit)
    if call.json:
        out.answer(review_object(outcome, dry_run))
        return out.findings(outcome.findings)
    show_review(call, outcome, dry_run=dry_run)
