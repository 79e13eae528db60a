"""Run `diurna export`: write a memory in a form that other programs read."""

from __future__ import annotations

import os

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.command_words import words_of
from rituals.cli.context import Invocation

_FORMS = ("events", "vault", "site", *words_of("export"))


@click.command("export")
@click.argument("what", type=click.Choice(_FORMS), metavar="|".join(_FORMS))
@click.argument("dir", default="", metavar="[DIR]")
@click.option("--base", metavar="URL", default="", help="With site: where it will be found.")
@options.dry_run
@options.command
def command(call: Invocation, what: str, dir: str, base: str, dry_run: bool) -> int:
    """Print all events as lines of JSON, or write linked notes or a site into a folder.

    `events` loses nothing: header, title, prose, every field of every event, and the text of logs
    written by hand. `diurna import events` makes the same logs of them, byte for byte. Like git,
    it carries the words of what was redacted, with the log that withholds them.

    `vault` is for Obsidian and the like: MEMORY.md, a note for each fact with its links, days and
    entities, and nothing that is withheld. A file in DIR that Diurna did not write, or that was
    changed since, stays as it is and is named, and the exit code is 1.

    `site` is what `diurna web` shows, as files; `snapshot` a page for a second opinion.

    \b
    Examples:
      diurna export events > memory.ndjson
      diurna export vault ../notes --dry-run
      diurna export site ../site
    """
    if base and what != "site":
        raise WrongUsage("--base goes with `site`", hint="diurna export site DIR --base https://…")
    if what == "events":
        if dir or dry_run:
            raise WrongUsage("events are printed", hint="diurna export events > FILE")
        from rituals.report.export.events_out import event_lines

        for line in event_lines(call.memory(), call.out.progress):
            call.out.text(line)
        return 0
    if not dir:
        raise WrongUsage("no folder is named", hint=f"diurna export {what} DIR")
    folder = os.path.normpath(os.path.join(call.folder(), dir))
    if what == "vault":
        from rituals.cli.terminal.vault_text import write_vault

        return write_vault(call, folder, dry_run)
    from rituals.cli.terminal.web_text import write_site

    write_site(call, folder, base, dry_run)
    return 0
