"""Run `diurna review`: look after the memory: what aged, what is due, what became false."""

from __future__ import annotations

import click

from ledger.model.findings import ERROR
from memory.write.draft import NEXT_COMMIT
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


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
        from rituals.cli.views.review_request import ask_by_pull_request

        return ask_by_pull_request(call, code, dry_run=dry_run)
    from rituals.cli.views.review import answer_lines, review_object, verified_line
    from rituals.cli.views.review_walk import walk
    from rituals.review.apply import review
    from rituals.review.tally import asked, said, total

    memory, out = call.memory(), call.out
    asking = not (yes or dry_run or call.json) and call.interactive()
    ask = (lambda plan: walk(plan, out)) if asking else None
    outcome = review(memory, code, ask=ask, dry_run=dry_run, progress=out.progress)
    plan = outcome.plan
    call.landed = bool(outcome.commit)
    if call.json:
        out.answer(review_object(outcome, dry_run))
        return out.findings(outcome.findings)
    cut_short = outcome.unasked and (outcome.stem or not plan.nothing_new)
    if cut_short and not (outcome.stem or dry_run):
        out.line("nothing was answered, so nothing was recorded")
    elif not outcome.stem and not (dry_run and not plan.nothing_new):
        waiting = total(asked(plan))
        left = f"; {counted(waiting, 'question')} still open" if waiting else ""
        out.line(f"nothing new since {plan.summary.last_review or 'the beginning'}{left}")
    else:
        if dry_run:
            out.line("would append a review log:")
            out.text(outcome.prose + "\n")
        else:
            place = f"committed in {outcome.commit[:7]} on {memory.home.branch}"
            place = place if outcome.commit else f"waits {NEXT_COMMIT}"
            out.line((out.short(outcome.stem), "yellow"), f"  {place}")
            since = out.short(plan.summary.last_review) or "the beginning"
            if not outcome.unasked:
                sessions = counted(plan.sessions_since, "work session")
                out.line(f"Reviewed    {sessions} since {since}")
        for line in answer_lines(outcome):
            out.line(line)
    if cut_short:
        questions = counted(total(outcome.unasked), "question")
        out.line(f"Not asked   {questions}: {said(outcome.unasked)}")
        out.hint("the review does not count as held; `diurna review` asks what is left")
    if outcome.published:
        out.line(f"Published   {', '.join(outcome.published)}")
    if verified := verified_line(outcome):
        out.line(verified)
    out.findings(tuple(one for one in outcome.verified if one.severity == ERROR))
    out.findings(outcome.findings)
