"""Run `diurna sync`: share memory through a git remote: fetch, join, push."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memory.merge.sync_plan import CHANGES, Learned
from memory.write.draft import NOT_COMMITTED
from projection.text.clipping import one_line
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import Line, counted

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

    memory = call.memory()
    how = {"dry_run": dry_run, "adopt": adopt, "push": push}
    report = sync_all(memory, remote, **how, progress=call.out.transfer())
    hints = []
    if report.remote and report.offline and report.ahead:
        ahead = counted(report.ahead, "commit")
        hints.append(f"{ahead} will go with the next sync that reaches it")
    if report.kept:
        stay = counted(report.kept, "log")
        hints.append(f"{stay}, only yours, not sent; `diurna sync --home personal --push` sends it")
    if memory.home.plain and (held := memory.held()):
        hints.append(
            f"{counted(len(held), 'log')}, {NOT_COMMITTED}: not shared before your own commit"
        )
    call.answer(_sync_object(report), _lines(report), findings=report.findings, hints=hints)


def _lines(report: Report) -> Iterator[Line]:
    would = "would " if report.dry_run else ""
    if not report.remote:
        yield f"nothing was shared: {report.offline}"
    elif report.offline:
        yield f"offline: {report.offline}"
    elif not (report.came or report.went or report.tries or report.left):
        yield f"in step with {report.remote} ({report.branch})"
    elif report.came:
        came = f"{counted(len(report.came), 'log')} from {counted(report.agents, 'agent')}"
        yield f"{would}{'receive' if would else 'received'}  {came}"
        if report.changed:
            yield f"memory  {report.changed}"
            yield from _learned(report.learned)
    if report.remote and not report.offline and (report.went or report.tries):
        what = counted(report.went, "log") if report.went else "no log, but changed files,"
        yield f"{would}{'send' if would else 'sent'}  {what} to {report.remote}"
    yield from report.beside
    for one in report.upstreams:
        if not one.problem:
            new = f"{one.new} new" if one.new else "nothing new"
            yield f"read  {one.name}: {counted(one.logs, 'log')}, {new}"


def _learned(learned: Learned) -> Iterator[Line]:
    for what, id, line in learned.named[:_NAMED]:
        yield f"  {', '.join(what)}  ", (id, "yellow"), f"  {one_line(line, _LINE_CHARS)}"
    if len(learned.named) > _NAMED:
        more = len(learned.named) - _NAMED
        yield f"  and {more} more; `diurna log` lists the logs that came"


def _sync_object(report: Report) -> dict[str, Any]:
    head = "remote branch commit came agents went tries offline ahead kept left ended upstreams"
    counts = {one: report.learned.count(one) for one in CHANGES}
    counts["contradictions"] = counts.pop("contradiction")
    named = [{"what": what, "id": id, "line": line} for what, id, line in report.learned.named]
    return {**fields_of(report, f"{head} findings dry_run"), "facts": counts, "named": named}
