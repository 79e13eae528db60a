"""Run `diurna sync`: share memory through a git remote: fetch, join, push."""

from __future__ import annotations

from projection.text.clipping import one_line
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import counted

_LINE_CHARS = 72  #: of a fact that came
_SYNCED = Layout("""
!remote|nothing was shared: {offline}
?remote|offline: {offline}
[in step with {remote}{=step}][ ({branch}){=step}]
?came|{=receive}  {came#log} from {agents#agent}
?came|memory  {=changed}
?came|named:12|  {what}  {id:yellow}  {=line}
{=send}  {=went} to {remote}
=beside|{}
upstreams|[read  {name}: {logs#log}, {=new}]
""")


def sync(
    call: Invocation, *,
    remote: str = word("[REMOTE]"),
    adopt: bool = option("Join a ledger that began apart, too; all logs stay."),
    push: bool = option("Send a personal home, too; otherwise it is only fetched."),
    dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Share memory through a git remote: fetch, join both sides' logs, push.

    Without REMOTE: the branch's upstream, else origin, else the only remote. Nothing is dropped: the logs
    of both sides stay. Offline is fine; the next sync takes along what was recorded meanwhile. Commits of
    code are never sent, or fetched into the work tree; it says what to do with git then. Homes that
    `[upstream]` in diurna.toml names are fetched to be read, and nothing is sent to them.

    Examples:
      diurna sync
      diurna sync --dry-run
      diurna sync backup --json
    """
    from ledger.git.git_objects import Objects
    from rituals.sync.sync_rounds import sync as run

    memory, shown = call.memory(), call.out.transfer()
    with Objects(memory.home.repository):  # what is read once is kept
        report = run(memory, remote, dry_run=dry_run, adopt=adopt, push=push, progress=shown)
    hints = []
    if report.remote and report.offline and report.ahead:
        ahead = counted(report.ahead, "commit")
        hints.append(f"{ahead} will go with the next sync that reaches it")
    if report.kept:
        stay = counted(report.kept, "log")
        hints.append(f"{stay}, only yours, not sent; `diurna sync --home personal --push` sends it")
    if memory.home.plain and (held := memory.held()):
        from memory import NOT_COMMITTED

        logs = counted(len(held), "log")
        hints.append(f"{logs}, {NOT_COMMITTED}: not shared before your own commit")
    there = bool(report.remote) and not report.offline
    sends = there and (report.went or report.tries)
    counts = report.counts
    counts["contradictions"] = counts.pop("contradiction")
    head = "remote branch commit came agents went tries offline ahead kept left ended upstreams"
    named = [
        {"what": what, "id": id, "line": line, "=line": one_line(line, _LINE_CHARS)}
        for what, id, line in report.learned
    ]
    values = {
        **fields_of(report, f"{head} findings dry_run"),
        "facts": counts,
        "named": named,
        "=step": there and not (report.came or report.went or report.tries or report.left),
        "=receive": "would receive" if dry_run else "received",
        "=changed": report.changed,
        "=send": ("would send" if dry_run else "sent") if sends else "",
        "=went": counted(report.went, "log") if report.went else "no log, but changed files,",
        "=beside": report.beside,
    }
    for one, told in zip(report.upstreams, values["upstreams"], strict=True):
        told["=new"] = "" if one.problem else f"{one.new} new" if one.new else "nothing new"
    call.answer(values, _SYNCED, findings=report.findings, hints=hints)
