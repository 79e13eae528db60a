"""Run `diurna sync`: share memory through a git remote: fetch, join, push."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("sync")
@click.argument("remote", required=False, default="")
@click.option("--adopt", is_flag=True, help="Join a ledger that began apart, too; all logs stay.")
@click.option(
    "--push", is_flag=True, help="Send a personal home, too; otherwise it is only fetched."
)
@options.dry_run
@options.command
def command(call: Invocation, remote: str, adopt: bool, push: bool, dry_run: bool) -> None:
    """Share memory through a git remote: fetch, join both sides' logs, push.

    Without REMOTE: the branch's upstream, else origin, else the only remote. Nothing is dropped: the
    logs of both sides stay. Offline is fine; the next sync takes along what was recorded meanwhile.
    Commits of code are never sent, or fetched into the work tree; it says what to do with git then.
    Homes that `[upstream]` in diurna.toml names are fetched to be read, and nothing is sent to them.
    Requests of other projects are taken where `[inbox] accept` says so, and answers sent back.

    \b
    Examples:
      diurna sync
      diurna sync --dry-run
      diurna sync backup --json
    """
    from rituals.answers.json_objects import sync_object
    from rituals.cli.terminal.learned_text import print_learned
    from rituals.cli.terminal.requests_text import print_exchange
    from rituals.hosts.background_start import look_after
    from rituals.sync.upstream_fetch import sync_all

    memory, out = call.memory(), call.out
    how = {"dry_run": dry_run, "adopt": adopt, "push": push}
    report = sync_all(memory, remote, **how, progress=out.transfer())
    look_after(memory.home, memory.policy)
    if call.json:
        out.answer(sync_object(report))
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
            out.line(f"{would}{'come' if dry_run else 'came'}  {came}")
            if report.changed:
                out.line(f"memory  {report.changed}")
                print_learned(report.learned, out)
        if report.went or report.tries:
            verb = "go" if dry_run else "went"
            what = counted(report.went, "log") if report.went else "no log, other changes"
            out.line(f"{would}{verb}  {what} to {report.remote}")
    for line in report.beside:
        out.line(line)
    if report.kept:
        stay = counted(report.kept, "log")
        out.hint(f"{stay}, only yours, not sent; `diurna sync --home personal --push` sends it")
    for one in report.upstreams:
        if not one.problem:
            new = f"{one.new} new" if one.new else "nothing new"
            out.line(f"read  {one.name}: {counted(one.logs, 'log')}, {new}")
    print_exchange(report.inbox, out)
    out.findings(report.findings)
