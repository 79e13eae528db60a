"""Start the command line: `main`, and the group that loads a command when it runs."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from ledger.errors import WrongUsage
from rituals.cli import options, registry
from rituals.cli.context import Invocation
from rituals.cli.errors import report

_EPILOG = """\b
Examples:
  diurna init
  diurna note "decision: Webhooks retry three times."
  diurna recall how often are webhooks retried

\b
More:
  diurna COMMAND --help   its options, and examples
  diurna --help --all     the plumbing too

\b
Shell completion: eval "$(diurna completion bash)" in the shell's start file, also zsh, fish.
Exit codes: 0 done, 1 failure, 2 wrong usage, 3 a bug in Diurna, 130 interrupted.
"""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Commands(click.Group):
    """Finds commands by the registry, and loads the module of the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in registry.available()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = registry.find(cmd_name)
        if entry is None:
            return None
        found = import_module(entry.module).command
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        args = [*registry.FORMER.get(name, (name,)), *args[1:]]
        if not name.startswith("-") and self.get_command(ctx, args[0]) is None:
            from rituals.cli.synonyms import proposal

            hint = proposal(name, self.list_commands(ctx))
            raise WrongUsage(f"there is no command {name}", hint=hint)
        call = ctx.ensure_object(Invocation)
        call.command = name
        if args[0] in registry.PAGED:
            call.out.hold()
        found, command, rest = super().resolve_command(ctx, args)
        if command is not None and any(one.startswith("--json") for one in rest):
            from rituals.cli.json_fields import taken

            rest, fields = taken(command, rest)
            call.choose(command, fields)
        return found, command, rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without loading any."""
        from click.shell_completion import CompletionItem

        shown = [entry for entry in registry.ENTRIES if entry.group != registry.PLUMBING]
        found = [
            CompletionItem(entry.name, help=entry.does)
            for entry in shown
            if entry.name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = registry.available()
        everything = "--all" in ctx.ensure_object(Invocation).arguments
        for group in registry.GROUPS:
            rows = [(entry.name, entry.does) for entry in known if entry.group == group]
            if rows and (everything or group != registry.PLUMBING):
                with formatter.section(group):
                    formatter.write_dl(rows)


def _print_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.ensure_object(Invocation).out.text(f"{ctx.get_help()}\n")
        ctx.exit()


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("diurna")
    except PackageNotFoundError:
        found = "(run from its sources, not installed)"
    ctx.ensure_object(Invocation).out.line(f"diurna {found}")
    ctx.exit()


@click.group(
    cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@options.home
@options.no_pager(hidden=False)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.option(
    "--all", is_flag=True, is_eager=True, expose_value=False, callback=_print_help,
    help="With --help: list the plumbing too.",
)  # fmt: skip
def diurna() -> None:
    """Keep the memory of AI coding agents and their teams in git."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments without the program's name; None takes those of the process.

    Returns:
        The exit code.
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
        arguments = [*arguments[1:2], "--help"]
    with diurna.make_context("diurna", arguments, obj=call) as ctx:
        return int(diurna.invoke(ctx) or 0)


def said(problem: BaseException, call: Invocation) -> int:
    """Say what went wrong with a command; return the exit code."""
    try:
        call.out.release()
        code = report(problem, call)
        call.say_noted()
        call.out.flush()
    except BrokenPipeError:
        call.abandon_stdout()
        return 0 if isinstance(problem, BrokenPipeError) else 1
    return code
