"""Define what commands have in common: options, and the invocation itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

import click

from rituals.cli.context import Invocation

P = ParamSpec("P")


def _keep_home(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        ctx.ensure_object(Invocation).home = value


def _keep_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Invocation).json = True


home: Callable[[Any], Any] = click.option(
    "--home",
    metavar="PATH",
    expose_value=False,
    callback=_keep_home,
    help="The home, or a folder in it; else $DIURNA_HOME, else the working directory.",
)
json: Callable[[Any], Any] = click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    callback=_keep_json,
    help="Answer with one JSON object.",
)
dry_run: Callable[[Any], Any] = click.option(
    "--dry-run", is_flag=True, help="Change nothing; say what would be done."
)
since: Callable[[Any], Any] = click.option(
    "--since", default="", metavar="WHEN", help="From this time or stem on."
)
until: Callable[[Any], Any] = click.option(
    "--until", default="", metavar="WHEN", help="Up to this time (a day is all of it) or stem."
)
as_of: Callable[[Any], Any] = click.option(
    "--as-of", default="", metavar="POINT", help="As of a time, a stem or a commit."
)


def command(
    function: Callable[Concatenate[Invocation, P], int | None],
) -> Callable[P, int | None]:
    """Give a command `--home` and `--json`, and the invocation as its first argument."""
    given: Callable[P, int | None] = json(home(click.pass_obj(function)))
    return given
