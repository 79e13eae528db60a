"""Print what became of a pull request that asks what a review asks, and of one that was merged."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.layout import REVIEW_BRANCH, REVIEW_FILE
from rituals.answers.json_objects import event_line, finding_objects
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import counted
from rituals.review.pull_request import Request, Taken, request, take_in
from rituals.review.ticks import Refused


def ask_by_pull_request(call: Invocation, code: str, *, dry_run: bool) -> None:
    """Take in what was merged, then put what is to be asked onto a branch."""
    memory, out = call.memory(), call.out
    refused: tuple[Finding, ...] = ()
    taken = None
    try:
        taken = take_in(memory, dry_run=dry_run)
    except Refused as problem:  # it is asked anew, in a file of the same name
        refused = (Finding("answer-void", str(problem), hint=problem.hint),)
    found = request(memory, code, dry_run=dry_run)
    how = memory.policy.ask
    call.landed = bool(taken and taken.commit)
    findings = (*refused, *void_findings(taken))
    if call.json:
        out.answer(
            {
                "ask": how,
                "base": memory.home.branch,
                "taken": taken_object(taken),
                **fields_of(found.asks, "plan branch left"),
                "many": found.asks.questions,
                **fields_of(found, "commit waits expired"),
                "findings": finding_objects(findings),
                "dry_run": dry_run,
            }
        )
    else:
        tell_taken(call, taken, dry_run=dry_run)
        _tell(call, found, dry_run=dry_run)
    out.findings(findings)


def _tell(call: Invocation, found: Request, *, dry_run: bool) -> None:
    out, asks = call.out, found.asks
    many = counted(asks.questions, "question")
    if found.waits:
        out.line(f"{found.waits} waits for its answers")
    elif not asks.questions:
        out.line("there is nothing to ask")
    elif dry_run:
        out.line(f"would ask {many} on {asks.branch}:")
        out.text(asks.text)
    else:
        out.line((asks.branch, "yellow"), f"  {many}, in {REVIEW_FILE}")
        out.hint(f"push it and open a pull request: git push origin {asks.branch}")
    if asks.left:
        out.line(f"left  {counted(asks.left, 'more question')} for the next")


def tell_taken(call: Invocation, taken: Taken | None, *, dry_run: bool) -> None:
    """Say what became of a merged file of answers."""
    if taken is None:
        return
    out, would = call.out, "would take in" if dry_run else "took in"
    by = f", by {', '.join(taken.by)}" if taken.by else ", and nobody answered"
    out.line(f"{would} the answers of {REVIEW_BRANCH}{taken.plan}{by}")
    if taken.stem:
        place = f"committed in {taken.commit[:7]}" if taken.commit else "waits to be committed"
        out.line((out.short(taken.stem), "yellow"), f"  {place}")
    for event in taken.events:
        out.line(event_line(event))


def taken_object(taken: Taken | None) -> dict[str, object] | None:
    """Describe what became of a merged file of answers, None where there was none."""
    if taken is None:
        return None
    return {
        **fields_of(taken, "plan stem commit by"),
        "events": [event_line(event) for event in taken.events],
        "void": [{"key": key, "why": why} for key, why in taken.void],
    }


def void_findings(taken: Taken | None) -> tuple[Finding, ...]:
    """Say which answers are not recorded, and why."""
    if taken is None:
        return ()
    void = [
        Finding("answer-void", f"question {key}: {why}", REVIEW_FILE, hint="it is asked again")
        for key, why in taken.void
    ]
    return (*taken.findings, *void)
