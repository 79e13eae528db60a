"""Run `diurna install`: let the programs that run agents read this memory by themselves."""

from __future__ import annotations

import os
from importlib.util import find_spec

import click

from ledger.environment import user_folder
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.views.hosts import carry_out, list_found
from rituals.hosts.install.layout import LAYOUTS


@click.command("install")
@click.argument("hosts", metavar="[HOST]...", nargs=-1, type=click.Choice(tuple(LAYOUTS)))
@click.option("--user", is_flag=True, help="For all projects of yours, instead of this one.")
@click.option(
    "--mcp/--no-mcp", default=None, help="Also the MCP server; by default where its extra is there."
)
@click.option(
    "--export", default="", metavar="DIR", help="Write a plugin for marketplaces there, instead."
)
@options.dry_run
@options.command
def command(
    call: Invocation, /, hosts: tuple[str, ...], user: bool, mcp: bool | None, export: str,
    dry_run: bool,
) -> int:  # fmt: skip
    """Let agents' programs read this memory: their hooks, their MCP server, a rule in AGENTS.md.

    HOST is claude, codex, copilot, gemini, qwen, opencode, cursor or antigravity. Without one, those
    that are found here are asked for on a terminal, and listed elsewhere. The rest of each file keeps its
    bytes; a file that can not be read is named and left alone. `diurna uninstall` takes all out again.

    \b
    Examples:
      diurna install claude codex
      diurna install claude --user
      diurna install --dry-run gemini
      diurna install --export plugin
    """
    from rituals.hosts.install.layout import found_hosts
    from rituals.hosts.install.plan import base_folder, plan_install

    if export:
        return _export(call, export, alone=not (hosts or user), dry_run=dry_run)
    base = base_folder(call.home or call.folder(), user=user)
    if not hosts:
        found = found_hosts("" if user else base, user_folder(), call.search_path)
        if not call.interactive() or call.json:
            return list_found(call, base, found, user=user)
        hosts = tuple(one for one in found if click.confirm(f"install for {one}?", err=True))
        if not hosts:
            call.out.line("nothing is installed")
            return 0
    servers = find_spec("mcp") is not None if mcp is None else mcp
    hosts = tuple(dict.fromkeys(hosts))
    plan = plan_install(base, hosts, user=user, servers=servers)
    code = carry_out(call, plan, hosts, user=user, dry_run=dry_run)
    if plan.changes and not dry_run:
        for host in hosts:
            call.out.hint(_THEN.get(host, ""))
        if not user and not call.state_dir():
            call.out.hint("there is no memory here yet: `diurna init` makes a home for it")
    return code


def _export(call: Invocation, folder: str, *, alone: bool, dry_run: bool) -> int:
    from ledger.errors import WrongUsage
    from rituals.hosts.install.export import LOADING, plan_export

    if not alone:
        raise WrongUsage(
            "a plugin is the same for all hosts", hint=f"diurna install --export {folder}"
        )
    plan = plan_export(os.path.join(call.folder(), folder))
    code = carry_out(call, plan, LOADING, user=False, dry_run=dry_run)
    if not code:
        call.out.hint(f"claude --plugin-dir {folder} tries it; HOSTS.md has the other hosts")
    return code


#: What a person has to do once, by the host.
_THEN = {
    "codex": "Codex asks once whether it may run the hook, in an interactive session; until then it "
    "runs none",
    "opencode": "opencode installs a package for its plugins at the next start, which needs the network",
}
