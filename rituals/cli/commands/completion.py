"""Run `diurna completion`: print the script by which a shell completes commands and names."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="bash|zsh|fish")
@options.command
def command(call: Invocation, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, ids, kinds, tiers and agents.

    Add the line for your shell to its start file.

    \b
      bash  eval "$(diurna completion bash)"
      zsh   eval "$(diurna completion zsh)"
      fish  diurna completion fish | source

    \b
    Example:
      diurna completion bash
    """
    from rituals.cli.completion import script

    said = script(shell)
    if call.json:
        call.out.answer({"shell": shell, "script": said})
    else:
        call.out.text(said)
