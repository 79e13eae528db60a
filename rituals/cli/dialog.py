"""Ask a person on a terminal: for one of some letters, or whether a plan is to be done."""

from __future__ import annotations

from collections.abc import Mapping

import click

from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.output import Output


def chosen(
    choices: Mapping[str, tuple[str, str]], default: str | None, out: Output, ask: str = ""
) -> str:
    """Ask for one of some letters and return its name; `?` explains them and asks again.

    It is asked with the names, or with `ask`.
    """
    shown = [name.replace(letter, f"[{letter}]", 1) for letter, (name, _) in choices.items()]
    kind = click.Choice([*choices, "?"], case_sensitive=False)
    asked = ask or ", ".join([*shown, "[?]"])
    while True:
        out.flush()
        letter = click.prompt(asked, default, type=kind, show_choices=False, err=True).lower()
        if letter in choices:
            return choices[letter][0]
        for one, (name, does) in choices.items():
            out.talk((f"  {one}  {name}", "bold"), f": {does}")


def agreed(
    call: Invocation,
    question: str,
    values: Mapping[str, object],
    layout: Layout,
    *,
    yes: bool = False,
    dry_run: bool = False,
    asks: bool = True,
) -> bool:
    """Show a plan, and tell whether it is to be done: with `yes`, or as a person says.

    A person is asked once, on a terminal, where there is something to do (`asks`).
    """
    if not call.json:
        call.show(values, layout)
    if yes or dry_run or call.json or not (asks and call.interactive()):
        return asks and yes and not dry_run
    call.out.flush()
    return click.confirm(question, default=False, err=True)
