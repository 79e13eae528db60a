"""Run `diurna install`: let the programs that run agents read this memory by themselves."""

from __future__ import annotations

import click

from ledger.environment import user_folder
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.hosts_text import export_plugin, list_found
from rituals.hosts.install.host_files import LAYOUTS


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
    """Let agents' programs use this memory: their hooks, their MCP server, a rule in AGENTS.md.

    HOST is claude, codex, copilot, gemini, qwen, opencode, cursor or antigravity. Without one, it
    asks for each that is found here on a terminal, and lists them elsewhere. The rest of each file
    keeps its bytes; a file that cannot be read is named and left alone. `--remove` takes
    everything out again.

    \b
    Examples:
      diurna install claude codex
      diurna install claude --user
      diurna install --dry-run gemini
      diurna install --export plugin
    """
    from rituals.cli.terminal.home_choice_text import ask_branch, make_home
    from rituals.cli.terminal.host_questions_text import ask_hosts, hook_up
    from rituals.hosts.install.host_files import found_hosts
    from rituals.hosts.install.install_plan import base_folder

    if export:
        return export_plugin(call, export, alone=not (hosts or user), dry_run=dry_run)
    base = base_folder(call.home or call.folder(), user=user)
    asking = call.interactive() and not (call.json or dry_run)
    if not hosts:
        found = found_hosts("" if user else base, user_folder(), call.search_path)
        if not call.interactive() or call.json:
            return list_found(call, base, found, user=user)
        hosts = ask_hosts(found)
        if not hosts:
            call.out.line("nothing is installed")
            return 0
    if asking and not user and not call.state_dir():
        make_home(call, ask_branch(call))
    hosts = tuple(dict.fromkeys(hosts))
    code = hook_up(call, base, hosts, user=user, mcp=mcp, dry_run=dry_run)
    if not (dry_run or user or call.state_dir()):
        call.out.hint("there is no memory here yet: `diurna init` makes a home for it")
    return code
