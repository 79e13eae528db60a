"""Show a history that is to be written anew without what is withheld, and ask whether it may."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation
    from rituals.decide.history_purge import Purge


def agreed_purge(call: Invocation, plan: Purge, yes: bool) -> bool:
    """Tell whether a person lets the history be written anew, who was shown what that is.

    Raises:
        WriteRefused: it can not be done now.
        WrongUsage: nobody is there to be asked.
    """
    from rituals.decide.history_purge import refuse

    refuse(plan)
    if yes:
        return True
    if call.json or not call.interactive():
        raise WrongUsage(
            "a history is not written anew unasked",
            hint="--dry-run shows the plan; where a person agreed to it, --yes does it",
        )
    tell_purge(call, plan, False)
    return click.confirm("write the history anew?", False, err=True)


def tell_purge(call: Invocation, plan: Purge, done: bool) -> None:
    """Show a history that is to be written anew, or was, and what people have to do then."""
    out, history = call.out, plan.history
    if not history.moves:
        out.line("no branch or tag leads to it any more")
        return
    were = "written anew" if done else "to be written anew"
    out.line(f"{counted(len(history.commits), 'commit')} {were}:")
    for path, blob in plan.files:
        out.line(f"  {path} ({blob[:12]}) without it")
    for commit in history.messages:
        out.line(f"  the message of {commit[:12]} without it")
    for one in history.moves:
        out.line(f"  {one.reference}: {one.old[:12]} → {one.new[:12]}")
    for tree in plan.trees:
        out.line(f"  the work tree {tree.top} follows")
    if history.signed:
        out.line(f"  {counted(history.signed, 'signature')} of them no longer fit what was signed")
    for path in plan.stays:
        out.line(f"  {path} still says it, in text that is not redacted")
    out.line(f"the history as it was {'is' if done else 'is kept first'} in {plan.backup}")
    out.line("afterwards, once everybody who has a clone agreed:")
    for line in plan.afterwards:
        out.line(f"  {line}")
    out.line("  the forge keeps it in pull requests and caches: ask its support to delete it there")
    out.line(
        "  every other clone pushes what it has first, and is cloned again afterwards; syncing an"
    )
    out.line("  old clone is refused")
    out.line("  this clone's reflogs and the backup have it until they expire or you delete them")
    for why in () if done else plan.refused:
        out.line(f"not now: {why}")
