"""Run `diurna uninstall`: take out of the files of hosts what `diurna install` put there."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.hosts_text import carry_out
from rituals.hosts.install.host_files import LAYOUTS


@click.command("uninstall")
@click.argument("hosts", metavar="[HOST]...", nargs=-1, type=click.Choice(tuple(LAYOUTS)))
@click.option("--user", is_flag=True, help="From your own files, instead of this project's.")
@options.dry_run
@options.command
def command(call: Invocation, hosts: tuple[str, ...], user: bool, dry_run: bool) -> int:
    """Take out of agents' programs what `diurna install` put there; without HOST, of all of them.

    What was there before is back, byte for byte, and what was written since stays. The rule in
    AGENTS.md stays as long as another host here reads it. The memory itself is not touched.

    \b
    Examples:
      diurna install --remove claude
      diurna install --remove --dry-run
    """
    from rituals.hosts.install.install_plan import base_folder, plan_removal

    base = base_folder(call.home or call.folder(), user=user)
    hosts = tuple(dict.fromkeys(hosts))
    plan = plan_removal(base, hosts or LAYOUTS, user=user)
    return carry_out(call, plan, hosts, user=user, dry_run=dry_run)
