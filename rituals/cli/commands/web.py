"""Run `diurna web`: show this memory as pages in a browser."""

from __future__ import annotations

import os
from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation

#: Where it listens unless a port is named.
_PORT = 7874


@click.command("web")
@click.option("--port", default=_PORT, show_default=True, type=click.IntRange(0, 65535),
              help="Listen there, on 127.0.0.1; 0 for a free port.")  # fmt: skip
@click.option("--write", is_flag=True, help="With forms: confirm, resolve, archive and the like.")
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.option("--agent", default="", metavar="NAME",
              help="Who writes; else $DIURNA_AGENT, else whom git names.")  # fmt: skip
@click.option(
    "--export", metavar="DIR", default="", help="Write the same pages as a site into a folder."
)
@click.option(
    "--base", metavar="URL", default="", help="With --export: where the site will be found."
)
@options.dry_run
@options.command
def command(
    call: Invocation, /, port: int, write: bool, no_open: bool, agent: str, **site: Any
) -> None:
    """Show this memory as pages in a browser: what holds, why, and what is to be decided.

    The address that it prints opens the memory to whoever has it, on this machine alone, until the
    server ends. A site needs no server: `--export` writes it for a forge's pages or for your disk,
    without what is withheld or only yours. Both need the extra `web`: `pip install '.[web]'` in a
    clone of Diurna's repository.

    \b
    Examples:
      diurna web
      diurna web --write --port 0
      diurna web --export ../site
    """
    from rituals.cli.terminal.web_text import serve, write_site

    export, base, dry_run = site["export"], site["base"], site["dry_run"]
    if export and (write or no_open or agent or port != _PORT):
        raise WrongUsage(
            "--port, --write, --no-open and --agent are of the server, and --export starts none",
            hint="diurna web --export DIR",
        )
    if base and not (export and base.startswith(("https://", "http://"))):
        raise WrongUsage(
            "--base is the address of a site that is exported",
            hint="diurna web --export DIR --base https://…",
        )
    if dry_run and not export:
        raise WrongUsage("--dry-run goes with --export", hint="diurna web --export DIR --dry-run")
    if export:
        write_site(call, os.path.normpath(os.path.join(call.folder(), export)), base, dry_run)
    else:
        serve(call, port, write, agent or call.agent, opens=not no_open)
