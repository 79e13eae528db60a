"""Make what parses a command line of the rows of a command, its help, and the function that runs it."""

from __future__ import annotations

import os
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeGuard

import click

from ledger.errors import WrongUsage
from ledger.home import named_folder
from rituals.cli.command_registry import find, function_of
from rituals.cli.command_table import TAKES
from rituals.cli.context import Invocation
from rituals.cli.option_table import Argument, Option, astray

HOME = Option("--home", "The home, or a folder in it; else $DIURNA_HOME, else the working directory.",
              "PATH", keeps="home")  # fmt: skip
NO_PAGER = Option("--no-pager", "Show long output as it is, without $DIURNA_PAGER, $PAGER or less.",
                  keeps="no_pager")  # fmt: skip
_JSON = Option("--json", "Answer with one JSON object.", keeps="json")
#: What stands below the options of a command.
_EPILOGS = {"import": "rituals.cli.commands.import_:LISTED"}


class _Command(click.Command):
    """Reads its help when it is asked for it, and does one thing at a time."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.name == "note":  # an item of a list is no option
            args = [f" {one}" if one[:2] == "- " else one for one in args]
        modes = {f"--{one.sets}" for one in TAKES.get(self.name or "", ()) if _chooses(one)}
        both = sorted(modes.intersection(args[: args.index("--")] if "--" in args else args))
        if len(both) > 1:
            raise WrongUsage(
                f"{both[0]} and {both[1]} are two things", hint="leave one of them out"
            )
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help, self.epilog = help_of(self.name or "")
        super().format_help(ctx, formatter)


def _chooses(row: Option | Argument) -> TypeGuard[Option]:
    """Tell whether a row chooses the mode of its command."""
    return isinstance(row, Option) and row.key == "mode"


@cache
def command_of(name: str) -> click.Command:
    """Return what parses the command line of a command, and runs it."""
    entry = find(name)
    assert entry is not None, name

    def run(call: Invocation, /, **values: Any) -> Any:
        if stray := astray(TAKES.get(name, ()), values):
            raise WrongUsage(stray, hint=f"see `diurna {name} --help`")
        return function_of(name)(call, **values)

    common = (_JSON, HOME, NO_PAGER._replace(hidden=True))
    rows = (*TAKES.get(name, ()), *common)
    return _Command(
        name,
        callback=click.pass_obj(run),
        params=[parameter_of(row) for row in rows],
        context_settings={"ignore_unknown_options": True} if name == "hook" else None,
    )


def help_of(name: str) -> tuple[str, str | None]:
    """Return what the help of a command says above its options, and below them."""
    return _helps()[name], _looked_up(_EPILOGS.get(name))


def parameter_of(row: Option | Argument) -> click.Parameter:
    """Return what parses an option or an argument."""
    if isinstance(row, Argument):
        return _argument_of(row)
    row = row._replace(
        choices=_looked_up(row.choices), least=_looked_up(row.least), default=_looked_up(row.default)
    )  # fmt: skip
    kind: Any = click.Choice(row.choices) if row.choices else None
    if row.most:
        kind = click.IntRange(row.least, row.most if row.most > 0 else None)  # type: ignore[arg-type]
    more: dict[str, Any] = {"is_flag": True} if row.is_flag else {}
    if row.sets:
        more = {"is_flag": row.is_flag, "flag_value": row.sets}
    if row.keeps:
        more |= {"expose_value": False, "callback": partial(_keep, row.keeps)}
    if row.absent is not None or "/" in row.name:
        more["default"] = row.absent
    return click.Option(
        [*row.name.split(), row.key],
        help=row.help.format(choices=", ".join(row.choices), least=row.least),
        metavar=row.metavar or None,
        type=kind,
        multiple=row.many,
        nargs=row.words,
        show_default=row.shows or None,
        hidden=row.hidden,
        required=row.required,
        **more,
    )


def _argument_of(row: Argument) -> click.Argument:
    choices = _looked_up(row.choices)
    kind = click.Choice(tuple(choices)) if choices else _looked_up(row.type) or None
    more: dict[str, Any] = {} if row.default is None else {"default": row.default}
    if row.offers:
        more["shell_complete"] = partial(_offered, row.offers)
    return click.Argument(
        [row.to],
        metavar=row.metavar or None,
        nargs=-1 if row.many else 1,
        required=row.required and row.default is None,
        type=kind,
        **more,
    )


def _offered(where: str, _: click.Context, __: click.Parameter, begin: str) -> list[str]:
    return [name for name in _looked_up(where) if name.startswith(begin)]


def _keep(name: str, ctx: click.Context, _: click.Parameter, value: Any) -> None:
    """Keep what is of the invocation, and not of the command."""
    call = ctx.ensure_object(Invocation)
    if not value:
        return
    if name in ("json", "no_pager"):
        call.out.release()
    setattr(call, name, named_folder(value) if name == "home" else value)


def _looked_up(where: Any) -> Any:
    """Return what stands at `module:NAME`; anything else as it is."""
    if not (isinstance(where, str) and ":" in where):
        return where
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


@cache
def _helps() -> dict[str, str]:
    """Read the help of all commands; paragraphs with lines that are set in stay as they are."""
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        sections = [part.partition("\n") for part in file.read()[2:].split("\n# ")]
    return {name: "\n\n".join(map(_kept, said.split("\n\n"))) for name, _, said in sections}


def _kept(paragraph: str) -> str:
    return f"\b\n{paragraph}" if "\n  " in f"\n{paragraph}" else paragraph
