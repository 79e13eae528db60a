"""Run `diurna lint`: check a home for CI: integrity, secrets, what is due."""

from __future__ import annotations

import click

from ledger.errors import HomeNotFound, WrongUsage
from ledger.model.findings import ERROR, INFO
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("lint")
@click.argument("files", nargs=-1)
@click.option("--strict", is_flag=True, help="End with 1 on warnings, too.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "sarif", "github")), default="text",
    show_default=True, help="How to write the findings; --json is --format json.",
)  # fmt: skip
@click.option("--quiz", is_flag=True, help="Put the quiz, too: does memory answer?")
@options.listing(findings=f"{options.FINDING} key")
def command(call: Invocation, files: tuple[str, ...], strict: bool, form: str, quiz: bool) -> int:
    """Check a home for CI: all that verify finds, secrets, personal data, what is due or too big.

    With FILES only these are checked, before they are committed. Ends with 1 if there is an error,
    with --quiz also if memory does not answer a question of `diurna quiz`. The value of a secret is
    never printed. What `diurna check --accept` accepted is only counted.

    \b
    Examples:
      diurna check --ci
      diurna check --ci --strict --format sarif > diurna.sarif
      diurna check --ci --quiz
      diurna check --ci session.md
    """
    from projection.policy.model import Privacy
    from rituals.check.check_registry import LINT, Made
    from rituals.check.check_runner import made
    from rituals.check.lint.linted_files import lint_files
    from rituals.cli.terminal.findings_text import hint_baseline, made_object, summary
    from rituals.cli.terminal.sarif_text import FORGES, show_on_forge

    if files and quiz:
        raise WrongUsage("the quiz is about the ledger", where="--quiz", hint="leave out FILES")
    form = "json" if call.json else form
    call.json = form == "json"
    prefix, fallback = "", files[0] if files else "diurna.toml"
    if files:
        try:
            personal = call.memory().policy.privacy.personal
        except HomeNotFound:
            personal = Privacy().personal
        alone = lint_files([(file, call.read(file)) for file in files], personal)
        result = Made(alone, {}, ())
    else:
        prefix = call.memory().home.prefix
        result = made(call.memory(), LINT, call.out.progress, quiz=quiz)
    findings, accepted = result.findings, [one for one, _ in result.accepted]
    errors = sum(finding.severity == ERROR for finding in findings)
    infos = sum(finding.severity == INFO for finding in findings)
    bad = errors or (strict and len(findings) > errors + infos)
    out = call.out
    if form in FORGES:
        show_on_forge(out, form, findings, prefix, fallback)
    elif form == "json":
        out.answer({**made_object(result), "ok": not bad})
    else:
        out.line(summary(findings, accepted))
    out.findings(findings)
    if form == "text":
        hint_baseline(out, result)
    out.told.update(accepted)
    return 1 if bad else 0
