"""Run `diurna tour`: see the whole story on a throw-away ledger, in a minute."""

from __future__ import annotations

import shutil
import tempfile

import click

from ledger.environment import variables
from rituals.cli.context import Invocation
from rituals.setup.tour import run


@click.command()
@click.option("--keep", is_flag=True, help="Keep the folder, and say where it is.")
@click.pass_obj
def command(call: Invocation, keep: bool) -> None:
    """See the whole story on a throw-away ledger: append, supersede, fade, merge.

    Everything happens in a temporary folder, with its own git configuration; the commands are run
    as they are printed.

    \b
    Example:
      diurna tour
    """
    folder = tempfile.mkdtemp(prefix="diurna-tour-")

    def say(line: str) -> None:
        call.out.line(line)
        call.out.flush()

    try:
        run(say, folder, variables())
    finally:
        if keep:
            call.out.talk(f"kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
