"""Define what commands have in common: options, and the invocation itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

import click

from ledger.home import named_folder
from rituals.cli.context import Invocation
from rituals.cli.option_table import AS_OF, SINCE, UNTIL, Option

P = ParamSpec("P")

#: The fields of a fact in JSON (`rituals.answers.json_objects.fact_object`), and of a finding.
FACT = (
    "branch circle closed contradiction created denied false here how id instead invalidated "
    "kind landed last_used marks meta moves origin point quarter reason redacted rivals "
    "state superseded_by supersedes tags text text_here tier uses verified versions"
)
FINDING = "code file hint line message severity"


def _keep_home(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        ctx.ensure_object(Invocation).home = named_folder(value)


def _keep_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        call = ctx.ensure_object(Invocation)
        call.json = True
        call.out.release()


def _keep_no_pager(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Invocation).out.release()


def no_pager(*, hidden: bool) -> Callable[[Any], Any]:
    """Return the option `--no-pager`: of Diurna, and said of none but taken by each command."""
    return click.option(
        "--no-pager", is_flag=True, expose_value=False, callback=_keep_no_pager, hidden=hidden,
        help="Show long output as it is, without $DIURNA_PAGER, $PAGER or less.",
    )  # fmt: skip


home: Callable[[Any], Any] = click.option(
    "--home",
    metavar="PATH",
    expose_value=False,
    callback=_keep_home,
    help="The home, or a folder in it; else $DIURNA_HOME, else the working directory.",
)


def _json(help: str) -> Callable[[Any], Any]:
    return click.option("--json", is_flag=True, expose_value=False, callback=_keep_json, help=help)


dry_run: Callable[[Any], Any] = click.option(
    "--dry-run", is_flag=True, help="Change nothing; say what would be done."
)


def of_table(*table: Option) -> Callable[[Any], Any]:
    """Give a command the options of a table."""

    def given(function: Any) -> Any:
        for option in reversed(table):
            kind = click.IntRange(1, option.most) if option.most else None
            function = click.option(
                option.name,
                option.to,
                type=click.Choice(option.choices) if option.choices else kind,
                is_flag=not option.metavar,
                multiple=option.many,
                default=option.absent,
                metavar=option.metavar or None,
                help=option.help,
            )(function)
        return function

    return given


#: Read by `Invocation.find_home`: answers do not go by what HEAD holds.
everywhere = click.option(
    "--everywhere", is_flag=True, expose_value=False,
    help="As all branches have it, whatever the one that is checked out holds.",
)  # fmt: skip
since, until, as_of = of_table(SINCE), of_table(UNTIL), of_table(AS_OF)


def command(
    function: Callable[Concatenate[Invocation, P], int | None],
) -> Callable[P, int | None]:
    """Give a command `--home` and `--json`, and the invocation as its first argument."""
    return _given(function, "Answer with one JSON object.")


def listing(
    **lists: str,
) -> Callable[[Callable[Concatenate[Invocation, P], int | None]], Callable[P, int | None]]:
    """Give a command what `command` gives, and `--json=FIELD,…` (`rituals.cli.json_fields`).

    Args:
        lists: the main list of its answer, or of each of its answers, with the fields of its objects.
    """

    def decorate(
        function: Callable[Concatenate[Invocation, P], int | None],
    ) -> Callable[P, int | None]:
        given = _given(function, "Answer with one JSON object; --json=FIELD,… chooses fields.")
        given.lists = {key: names.split() for key, names in lists.items()}  # type: ignore[attr-defined]
        return given

    return decorate


def _given(
    function: Callable[Concatenate[Invocation, P], int | None], help: str
) -> Callable[P, int | None]:
    given: Callable[P, int | None] = _json(help)(
        home(no_pager(hidden=True)(click.pass_obj(function)))
    )
    return given
