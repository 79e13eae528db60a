"""Run `diurna check --diff`: say what memory has on a change of the code, before it is merged."""

from __future__ import annotations

import click

from ledger.model.findings import INFO, severe
from rituals.cli import options
from rituals.cli.context import Invocation

_FORMS = ("text", "json", "sarif", "github")


@click.command("impact")
@click.argument("range", metavar="BASE...HEAD")
@click.option("--strict", is_flag=True, help="End with 1 on warnings, too.")
@click.option("--untold", is_flag=True, help="Say, too, if no session log tells of the work.")
@click.option("--format", "form", type=click.Choice(_FORMS), default="text", show_default=True,
              help="How to write it; --json is --format json.")  # fmt: skip
@click.option("--sarif", "form", flag_value="sarif", help="The same as --format sarif.")
@options.listing(findings=options.FINDING)
def command(call: Invocation, range: str, strict: bool, untold: bool, form: str) -> int:
    """Say what memory has on a change of the code, in at most three lines; nothing if it has nothing.

    What facts name and the change takes away comes first, then rules that it breaks, versions that
    facts state otherwise, facts that it ends, and decisions, conventions and invariants that it is
    about: two of their names or a path of their own. Only a secret in its session logs ends it with 1.

    A...B is what B has since it left A, as in a pull request; A..B is what lies between them.

    \b
    Examples:
      diurna check --diff main...HEAD
      diurna check --diff origin/main...HEAD --untold
      diurna check --diff main...feature --strict --format github
    """
    from rituals.answers.json_objects import finding_objects
    from rituals.cli.terminal.sarif_text import FORGES, show_on_forge
    from rituals.review.change.change_lines import said_of

    form = "json" if call.json else form
    call.json = form == "json"
    memory, out = call.memory(), call.out
    found = said_of(memory, range, call.folder(), untold=untold)
    bad = severe(found.findings)
    bad = bad or (strict and any(one.severity != INFO for one in found.findings))
    if form in FORGES:
        show_on_forge(out, form, found.findings, "", f"{memory.home.prefix}diurna.toml")
    elif form == "json":
        said = {
            name: finding_objects(some) for name, some in zip(found._fields, found, strict=True)
        }
        out.answer({**said, "ok": not bad})
    out.findings(found.findings)
    if found.more and not call.json:
        out.hint(f"{len(found.more)} more had no room: --json has them")
    return 1 if bad else 0
