"""Run `diurna sync`: share memory through a git remote: fetch, join, push."""

from __future__ import annotations

from typing import Any

from memory.merge.summary import CHANGES, Learned
from memory.write.draft import NOT_COMMITTED
from projection.text.clipping import one_line
from rituals.answers.json_objects import finding_objects
from rituals.answers.record_fields import all_fields_of, fields_of
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import Output, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.sync.sync_report import Report

#: How many facts are named, and how much of each.
_NAMED, _LINE_CHARS = 12, 72


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
    from rituals.sync.upstream_fetch import sync_all

    memory, out = call.memory(), call.out
    how = {"dry_run": dry_run, "adopt": adopt, "push": push}
    report = sync_all(memory, remote, **how, progress=out.transfer())
    if call.json:
        out.answer(_sync_object(report))
        return out.findings(report.findings)
    if not report.remote:
        out.line(f"nothing was shared: {report.offline}")
    elif report.offline:
        out.line(f"offline: {report.offline}")
        if report.ahead:
            ahead = counted(report.ahead, "commit")
            out.hint(f"{ahead} will go with the next sync that reaches it")
    elif not (report.came or report.went or report.tries or report.left):
        out.line(f"in step with {report.remote} ({report.branch})")
    else:
        would = "would " if dry_run else ""
        if report.came:
            came = f"{counted(len(report.came), 'log')} from {counted(report.agents, 'agent')}"
            out.line(f"{would}{'receive' if dry_run else 'received'}  {came}")
            if report.changed:
                out.line(f"memory  {report.changed}")
                _print_learned(report.learned, out)
        if report.went or report.tries:
            verb = "send" if dry_run else "sent"
            what = counted(report.went, "log") if report.went else "no log, but changed files,"
            out.line(f"{would}{verb}  {what} to {report.remote}")
    for line in report.beside:
        out.line(line)
    if report.kept:
        stay = counted(report.kept, "log")
        out.hint(f"{stay}, only yours, not sent; `diurna sync --home personal --push` sends it")
    if memory.home.plain and (held := memory.held()):
        out.hint(f"{counted(len(held), 'log')}, {NOT_COMMITTED}: not shared before your own commit")
    for one in report.upstreams:
        if not one.problem:
            new = f"{one.new} new" if one.new else "nothing new"
            out.line(f"read  {one.name}: {counted(one.logs, 'log')}, {new}")
    out.findings(report.findings)


def _print_learned(learned: Learned, out: Output) -> None:
    for what, id, line in learned.named[:_NAMED]:
        out.line(f"  {', '.join(what)}  ", (id, "yellow"), f"  {one_line(line, _LINE_CHARS)}")
    if len(learned.named) > _NAMED:
        more = len(learned.named) - _NAMED
        out.line(f"  and {more} more; `diurna log` lists the logs that came")


def _sync_object(report: Report) -> dict[str, Any]:
    return {
        **fields_of(report, "remote branch commit came agents went"),
        "facts": {
            "contradictions" if one == "contradiction" else one: report.learned.count(one)
            for one in CHANGES
        },
        "named": [
            {"what": list(what), "id": id, "line": line} for what, id, line in report.learned.named
        ],
        **fields_of(report, "tries offline ahead kept left"),
        "ended": list(report.ended),
        "upstreams": [all_fields_of(one) for one in report.upstreams],
        "findings": finding_objects(report.findings),
        "dry_run": report.dry_run,
    }
