"""`diurna verify`."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from ledger.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.decided import author, decide

_BY_KEY = "a key, the start of one, or a code for all of that code"


@click.command("verify")
@click.argument("findings", nargs=-1, metavar="[FINDING]...")
@click.option("--restore", is_flag=True, help="Commit again what history took from the ledger.")
@click.option("--all", "-v", "everything", is_flag=True,
              help="Name what is accepted, too, and the key of every finding.")  # fmt: skip
@click.option("--accept", is_flag=True, help=f"Accept each FINDING: {_BY_KEY}.")
@click.option("--accept-all", is_flag=True, help="Accept all that stands open now, also for lint.")
@click.option("--unaccept", is_flag=True, help="Let each FINDING stand open again.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it is recorded.")
@author
@options.dry_run
@options.command
def command(
    call: Invocation, /, findings: tuple[str, ...], restore: bool, everything: bool, accept: bool,
    accept_all: bool, unaccept: bool, reason: str, agent: str, title: str, dry_run: bool,
) -> int:  # fmt: skip
    """Check the ledger: names match contents, nothing was changed in history, all can be read.

    Ends with 1 if there is a finding of severity error. --restore adds lost logs again, with the
    bytes that they had first, and changes nothing else.

    --accept records in a log that findings are known, with a reason: from then on verify, lint, status,
    doctor and review count them and name only what is new, in every clone. A finding whose file changes
    is new again. What concerns this clone alone can not be accepted.

    \b
    Examples:
      diurna verify --json
      diurna verify --restore --dry-run
      diurna verify --all
      diurna verify --accept unknown-id:4f2a91c07dab --reason "An id of the old tool."
      diurna verify --accept-all --reason "All that the old tool left." --dry-run
    """
    wanted = _wanted(findings, (accept, accept_all, unaccept, restore), reason)
    memory = call.memory()
    if wanted:
        from rituals.decide.accepting import acceptance, unacceptance

        done = unacceptance if unaccept else acceptance
        found = done(memory, findings, reason)
        keys = [{"key": key, "message": said} for key, said in found.findings]
        decide(call, found.decision, agent, title, dry_run, **{wanted: keys})
        return 0
    from rituals import verify as ritual
    from rituals.checks.making import made
    from rituals.checks.registry import VERIFY
    from rituals.cli.check_answers import made_object, show_all, show_summary

    restored: tuple[str, ...] = ()
    if restore:
        plan = ritual.restore_plan(memory)
        restored = tuple(path for path, _ in plan)
        if not plan:
            call.out.talk("nothing to restore: no log is missing or changed whose bytes are known")
        elif not dry_run:
            ritual.restore(memory)
    result = made(memory, VERIFY, call.out.progress)
    if call.json:
        given = {"restored": list(restored), "dry_run": dry_run} if restore else {}
        call.out.answer({**made_object(result), **given})
    else:
        for path in restored:
            call.out.line(f"{'would restore' if dry_run else 'restored'} {path}")
        show_summary(call.out, result)
        if everything:
            show_all(call.out, result)
    call.out.findings(result.findings)
    call.out.told.update(one for one, _ in result.accepted)
    return 1 if severe(result.findings) else 0


def _wanted(findings: tuple[str, ...], flags: tuple[bool, bool, bool, bool], reason: str) -> str:
    """Return what is to be recorded, under its key in JSON: `accepted`, `unaccepted`, or "" for nothing.

    Raises:
        WrongUsage: the options do not go together.
    """
    accept, accept_all, unaccept, _ = flags
    if sum(flags) > 1:
        raise WrongUsage("--accept, --accept-all, --unaccept and --restore exclude each other")
    if (accept or unaccept) and not findings:
        hint = "`diurna verify --all` shows the key of each; --accept-all means all of them"
        raise WrongUsage("name the findings", hint=hint)
    if findings and not (accept or unaccept):
        raise WrongUsage("FINDING goes with --accept or --unaccept", where=findings[0])
    recorded = accept or accept_all or unaccept
    if recorded and not reason.strip():
        raise WrongUsage("a reason is needed", where="--reason", hint="say in a few words why")
    if reason and not recorded:
        raise WrongUsage("--reason goes with --accept, --accept-all or --unaccept")
    return "unaccepted" if unaccept else "accepted" if recorded else ""
