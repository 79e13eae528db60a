"""Start the command line: `main`, and the group that makes a command of its function when it runs."""

from __future__ import annotations

import inspect
import sys
from functools import cache, partial
from typing import Any

import click

from ledger.environment import VERSION
from ledger.errors import WrongUsage
from ledger.home import named_folder
from rituals.cli.context import Invocation
from rituals.cli.exit_codes import said
from rituals.cli.operation import (
    BY_NAME,
    DOES,
    ENTRIES,
    OF_THE_CALL,
    PAGED,
    Parameter,
    astray,
    function_of,
    overview,
    parameters,
)

_LISTED = "`diurna --help` lists all"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Command(click.Command):
    """Does one thing at a time."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.name == "note":  # an item of a list is no option
            args = [f" {one}" if one[:2] == "- " else one for one in args]
        modes = {one.opts[0] for one in self.params if one.name == "mode"}
        both = sorted(modes.intersection(args[: args.index("--")] if "--" in args else args))
        if len(both) > 1:
            raise WrongUsage(
                f"{both[0]} and {both[1]} are two things", hint="leave one of them out"
            )
        return super().parse_args(ctx, args)


@cache
def command_of(name: str) -> click.Command:
    """Return what parses the command line of a command, and runs it."""
    does = function_of(name)
    rows = parameters(does)

    def run(call: Invocation, /, **values: Any) -> Any:
        absent = {row.key: row.absent for row in rows if values.get(row.key, "") is None}
        if stray := astray(name, rows, values | absent):
            raise WrongUsage(stray, hint=f"see `diurna {name} --help`")
        return does(call, **values | absent)

    paragraphs = inspect.cleandoc(does.__doc__ or "").split("\n\n")
    marked = [f"\b\n{one}" if "\n  " in f"\n{one}" else one for one in paragraphs]
    return _Command(
        name,
        callback=click.pass_obj(run),
        params=[_parsed(row._replace(help="") if row.key == "no_pager" else row) for row in rows],
        help="\n\n".join(marked),
        context_settings={"ignore_unknown_options": True} if name == "hook" else None,
    )


def _parsed(row: Parameter) -> click.Parameter:
    """Return what parses a word or an option."""
    kind: Any = click.Choice(tuple(row.choices)) if row.choices else None
    if row.word:
        return click.Argument(
            [row.key], metavar=row.metavar, nargs=-1 if row.many else 1, required=row.required, type=kind,
            shell_complete=None if kind else partial(_offered, row),
        )  # fmt: skip
    if row.most:
        kind = click.IntRange(row.least, row.most if row.most > 0 else None)
    more: dict[str, Any] = {"is_flag": row.is_flag} if row.is_flag or row.sets else {}
    if row.sets:
        more["flag_value"] = row.sets
    elif row.is_flag or row.shows:
        more["default"] = row.absent
    if row.keeps:
        more |= {"expose_value": False, "callback": _keep}
    return click.Option(
        [*row.spelled.split(), row.key],
        help=row.help.format(choices=", ".join(row.choices), least=row.least),
        metavar=row.metavar or None, type=kind, multiple=row.many, nargs=row.size,
        show_default=row.shows or None, hidden=not row.help, required=row.required,
        shell_complete=None if kind else partial(_offered, row), **more,
    )  # fmt: skip


def _offered(
    row: Parameter, ctx: click.Context, _: click.Parameter, begin: str
) -> list[CompletionItem]:
    from rituals.cli.completion import offered

    return offered(ctx.ensure_object(Invocation), row, begin)


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep what is of the invocation, and not of the command."""
    call = ctx.ensure_object(Invocation)
    if not value:
        return
    if param.name in ("json", "no_pager"):
        call.out.release()
    setattr(call, param.name or "", named_folder(value) if param.name == "home" else value)


#: What people type that is no command, by what to type instead.
_INSTEAD = """
check: doctor lint verify
close ID: done
conflicts ID: resolve
edit ID TEXT: update
edit ID --restore: restore
forget ID: rm
forget ID --archive --reason TEXT: archive
install --remove: uninstall
log --changes A..B: diff
note TEXT: add remember
recall WORDS: search
review --report: report
show ID: open
show --list: get list ls
sync: push
task add "TEXT": todo
undo --redo: redo
why ID --versions: history
"""
GONE = {
    word: f"`diurna {line.rpartition(': ')[0]}`"
    for line in _INSTEAD.strip().split("\n")
    for word in line.rpartition(": ")[2].split()
}


def _proposal(name: str) -> str:
    """Say what a word that is no command may mean, as a hint."""
    from projection.text.normalize import nearest

    word = name.lower().lstrip("-")
    near = nearest(word, [*BY_NAME, *GONE], 1)
    like = "".join(near)
    return GONE.get(word) or GONE.get(like, f"did you mean {like}?" if near else _LISTED)


class _Commands(click.Group):
    """Finds commands by the registry, and loads the module of the one that runs."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(cmd_name) if cmd_name in BY_NAME else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise WrongUsage(f"there is no command {name}", hint=_proposal(name))
        call = ctx.ensure_object(Invocation)
        call.command = name
        if name in PAGED:
            call.out.hold()
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without loading any."""
        from click.shell_completion import CompletionItem

        fits = [one for one in ENTRIES if one.name.startswith(incomplete)]
        shown = [one for one in fits if not one.hidden] or fits
        found = [CompletionItem(entry.name, help=entry.does) for entry in shown]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_help(self, ctx: click.Context) -> str:
        """Return the list of commands, as the short way prints it."""
        return overview(everything="--all" in ctx.ensure_object(Invocation).arguments)


def _print(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        said = f"diurna {VERSION}" if param.name == "version" else ctx.get_help()
        ctx.ensure_object(Invocation).out.text(f"{said}\n")
        ctx.exit()


diurna = _Commands(
    "diurna",
    params=[
        *[_parsed(row) for row in OF_THE_CALL if row.key in ("home", "no_pager")],
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False,
                     callback=_print, help="Print the version."),
        click.Option(["--all"], is_flag=True, is_eager=True, expose_value=False, callback=_print,
                     help="With --help: list the commands for programs, too."),
    ],
    help=DOES,
    options_metavar="",
    subcommand_metavar="COMMAND [ARGUMENT]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code.

    The arguments are without the program's name; None takes those of the process.
    """
    call = Invocation(sys.argv[1:] if argv is None else list(argv))
    try:
        code = _run(call)
        call.close()
        call.out.flush()
    except BaseException as problem:  # noqa: BLE001 - translated, each of them, in one place
        code = said(problem, call)
    return code


def _run(call: Invocation) -> int:
    if call.completion:
        from rituals.cli.completion import answer

        return answer(diurna, call)
    arguments = [*call.arguments] or ["--help"]  # click takes out of the list what it has read
    if arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    with diurna.make_context("diurna", arguments, obj=call) as ctx:
        return int(diurna.invoke(ctx) or 0)
