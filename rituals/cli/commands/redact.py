"""Run `diurna redact` and `forget`: let a fact go, or withhold it from all that is shown."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.answers.record_fields import fields_of
from rituals.cli.commands.decisions import decide
from rituals.cli.context import Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.decide.history_purge import Purge


#: The letters of `forget`.
_WAYS = {
    "f": ("false", "it does not hold, and nothing replaces it"),
    "r": ("replaced", "another fact says what holds"),
    "w": ("withhold", "show its text to nobody again: a secret, a name"),
    "a": ("archive", "it holds, but put it out of sight"),
    "q": ("quit", "change nothing"),
}


def redact(
    call: Invocation, /, targets: tuple[str, ...], reason: str, words_only: bool = False,
    purge: bool = False, yes: bool = False, **recorded: Any,
) -> None:  # fmt: skip
    """Run `diurna redact`."""
    from rituals.decide.history_purge import plan_purge
    from rituals.decide.history_purge import purge as write_anew
    from rituals.decide.redaction import held_lines, holding_of, redaction, standing

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a few words why it is withheld")
    memory, dry_run = call.memory(), recorded["dry_run"]
    found = redaction(memory, targets, reason, words_only=words_only)
    plan = plan_purge(memory, found.facts, found.logs) if purge else None
    if plan is not None and not dry_run and not _agreed_purge(call, plan, yes):
        return

    def then() -> dict[str, Any]:
        nonlocal found, plan
        if plan is not None and not dry_run:
            plan = write_anew(memory, plan_purge(memory, found.facts, found.logs))
        if not dry_run:
            found = found._replace(git=holding_of(memory, found.facts, found.logs))
        return {
            "held": [fields_of(one, "path commit author remotes") for one in found.holders],
            "stands": list(standing(memory, found.git)),
            "git": {
                "files": list(found.git.blobs),
                **fields_of(found.git, "commits messages references reflogs packs"),
            },
            "purge": _purge_object(plan, not dry_run) if plan is not None else None,
        }

    said = decide(call, found.decision, **recorded, then=then)
    if call.json:
        return
    if plan is not None:
        _tell_purge(call, plan, not dry_run)
    if plan is None or dry_run:
        for line in held_lines(found, said["stands"]):
            call.out.line(line)
    drift = () if dry_run or not found.decision.events else memory.drift()
    if drift:
        call.out.hint(f"`diurna check --publish` takes it out of {', '.join(drift)}")


def _purge_object(plan: Purge, done: bool) -> dict[str, Any]:
    return {
        **fields_of(plan, "backup stays refused afterwards"),
        "done": done,
        "files": [path for path, _ in plan.files],
        "commits": len(plan.history.commits),
        "messages": list(plan.history.messages),
        "signed": plan.history.signed,
        "references": [fields_of(one, "reference old new") for one in plan.history.moves],
        "trees": [one.top for one in plan.trees],
    }


def forget(
    call: Invocation, /, id: str, how: str | None, replaced_by: str, reason: str, **recorded: Any
) -> None:  # fmt: skip
    """Run `diurna forget`."""
    from rituals.decide.fact_status import archiving, denial, returning

    memory = call.memory()
    fact = memory.standing(id).fact
    id = fact.id
    if how and replaced_by:
        raise WrongUsage(f"--{how} and --replaced-by are two things", hint="say one of them")
    if not (how or replaced_by):
        how, replaced_by = _asked_way(call, id, "" if fact.redacted else fact.text)
        if how == "quit":
            return
        reason = reason or click.prompt("why", "", show_default=False, err=True)
    if how == "back" and not reason.strip():
        raise WrongUsage("the reason is missing", hint="`--reason TEXT` says in a sentence why")
    if how == "withhold":
        redact(call, (id,), reason or "It is to be forgotten.", **recorded)
    elif how in ("archive", "back"):
        plan = archiving if how == "archive" else returning
        decide(call, plan(memory, id, reason), **recorded)
    else:
        decide(call, denial(memory, id, replaced_by, reason), **recorded)


def _agreed_purge(call: Invocation, plan: Purge, yes: bool) -> bool:
    """Tell whether a person lets the history be written anew, who was shown what that is."""
    from rituals.decide.history_purge import refuse

    refuse(plan)
    if yes:
        return True
    if call.json or not call.interactive():
        raise WrongUsage(
            "a history is not written anew unasked",
            hint="--dry-run shows the plan; where a person agreed to it, --yes does it",
        )
    _tell_purge(call, plan, False)
    return click.confirm("write the history anew?", False, err=True)


def _tell_purge(call: Invocation, plan: Purge, done: bool) -> None:
    out, history = call.out, plan.history
    if not history.moves:
        return out.line("no branch or tag leads to it any more")
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


def _asked_way(call: Invocation, id: str, text: str) -> tuple[str, str]:
    """Ask in which way a fact is to be forgotten, and by which it is replaced."""
    from rituals.cli.terminal.review_walk_text import chosen

    if call.json or not call.interactive():
        raise WrongUsage(
            f"there are four ways to forget {id}, and none was named",
            hint="--false, --replaced-by ID, --withhold, or --archive",
        )
    call.out.talk(f"{id}: {text}")
    for letter, (name, does) in _WAYS.items():
        call.out.talk(f"  {letter}  {name}: {does}")
    how = chosen(_WAYS, "q", call.out)
    return how, click.prompt("by which fact", err=True) if how == "replaced" else ""
