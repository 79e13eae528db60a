"""Run `diurna redact` and `forget`: let a fact go, or withhold it from all that is shown."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.answers.record_to_dict import fields_of
from rituals.cli.commands.decisions import answer_decision, decide
from rituals.cli.context import Invocation
from rituals.cli.dialog import agreed, chosen
from rituals.cli.layout import Layout
from rituals.cli.operation import DECIDER, DRY_RUN, REASON, TITLE, modes, option, word
from rituals.decide.history_purge import Purge

_PURGE = (
    "backup stays refused afterwards messages=history.messages signed=history.signed "
    "references=history.moves(reference old new)"
)
_PURGED = Layout("""
!references|no branch or tag leads to it any more
?references|{commits#commit} {=were}:
files|  {} without it
messages|  the message of {%12} without it
references|  {reference}: {old%12} → {new%12}
trees|  the work tree {} follows
[  {signed#signature} of them no longer fit what was signed]
stays|  {} still says it, in text that is not redacted
?references|the history as it was {=kept} in {backup}
?references|afterwards, once everybody who has a clone agreed:
?references|afterwards|  {}
?references|  the forge keeps it in pull requests and caches: ask its support to delete it there
?references|  every other clone pushes first, and is cloned anew; syncing an old one is refused
?references|  this clone's reflogs and the backup have it until they expire or you delete them
=refused|not now: {}
""")
#: The letters of `forget`.
_WAYS = {
    "f": ("false", "it does not hold, and nothing replaces it"),
    "r": ("replaced", "another fact says what holds"),
    "w": ("withhold", "show its text to nobody again: a secret, a name"),
    "a": ("archive", "it holds, but put it out of sight"),
    "q": ("quit", "change nothing"),
}


def redact(
    call: Invocation, *,
    targets: tuple[str, ...] = word("ID|STEM..."),
    reason: str = option(
        "Why; it is recorded, so do not repeat what is to be withheld.", "TEXT", required=True),
    words_only: bool = option("Only a log's title, prose and remarks; the facts that it brought stay."),
    purge: bool = option("Rewrite git's history without it, after a backup; shows the plan."),
    yes: bool = option("Do not ask whether to purge."),
    agent: str = DECIDER, title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Hide the text of facts, or all that a session log says, from every answer. For good.

    It is removed from all that Diurna keeps beside git. Files and history still hold it, and the answer
    says where. --purge removes it from this clone's history too, and says what every other clone has to
    do; it sends nothing. If it was a secret, change the secret.

    Examples:
      diurna redact staging-login --reason "It holds a password."
      diurna redact staging-login --reason "It holds a password." --purge --dry-run
      diurna redact 2026-11-21-083012417-tq5n2xk7vb3wmd4zh6cyfugae2 --reason "It quotes a token." --dry-run
    """
    from rituals.decide.decision import record
    from rituals.decide.history_purge import plan_purge, refuse
    from rituals.decide.history_purge import purge as write_anew
    from rituals.decide.redaction import held_lines, holding_of, redaction, standing

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a few words why it is withheld")
    memory = call.memory()
    found = redaction(memory, targets, reason, words_only=words_only)
    plan = plan_purge(memory, found.facts, found.logs) if purge else None
    if plan is not None and not dry_run:
        refuse(plan)
        if not yes and (call.json or not call.interactive()):
            raise WrongUsage(
                "a history is not written anew unasked",
                hint="--dry-run shows the plan; where a person agreed to it, --yes does it",
            )
        if not yes and not agreed(
            call, "write the history anew?", _purge_object(plan, False), _PURGED
        ):
            return
    receipt = record(memory, found.decision, agent, title, dry_run=dry_run)
    if not dry_run:
        if plan is not None:
            plan = write_anew(memory, found.facts, found.logs)
        found = found._replace(git=holding_of(memory, found.facts, found.logs))
    stands = list(standing(memory, found.git))
    purged = None if plan is None else _purge_object(plan, not dry_run)
    also = [] if purged is None else [*call.written(purged, _PURGED)]
    if plan is None or dry_run:
        also += held_lines(found.git, stands)
    answer_decision(
        call, found.decision, receipt, dry_run, also, stands=stands,
        held=fields_of(found.git, "holders(path commit author remotes)")["holders"],
        git=fields_of(found.git, "files=blobs commits messages references"),
        purge=purged,
    )  # fmt: skip
    drift = () if dry_run or call.json or not found.decision.events else memory.drift()
    if drift:
        call.out.hint(f"`diurna check --publish` takes it out of {', '.join(drift)}")


def forget(
    call: Invocation, *,
    id: str = word("ID"),
    mode: str = modes(
        false="It does not hold; nothing replaces it.",
        withhold="Show its text to nobody again.",
        archive="It holds; put it out of sight.",
        back="Take it out of the archive again.",
    ),
    replaced_by: str = option("It does not hold; that one does.", "ID"),
    reason: str = REASON, agent: str = DECIDER, title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Let a fact go, in one of four ways. On a terminal it asks which; nothing is ever deleted.

    A fact that is false or replaced goes to the archive, with who said so. --withhold hides its text for
    good, as `diurna redact` does. --archive puts one that holds out of sight, with a reason: it keeps its
    text and can be found there, like one that faded; --back takes it out again, and so does the next work
    log that names it.

    Examples:
      diurna forget webhook-once --replaced-by webhook-retries
      diurna forget staging-login --withhold --reason "It holds a password."
      diurna forget legacy-importer --archive --reason "The importer is frozen until 2027."
    """
    from rituals.decide.fact_decisions import archiving, denial, returning

    memory = call.memory()
    fact = memory.standing(id).fact
    id = fact.id
    if mode and replaced_by:
        raise WrongUsage(f"--{mode} and --replaced-by are two things", hint="say one of them")
    if not (mode or replaced_by):
        if call.json or not call.interactive():
            raise WrongUsage(
                f"there are four ways to forget {id}, and none was named",
                hint="--false, --replaced-by ID, --withhold, or --archive",
            )
        call.out.talk(f"{id}: {'' if fact.redacted else fact.text}")
        mode = chosen(_WAYS, "q", call.out)
        if mode == "quit":
            return
        if mode == "replaced":
            replaced_by = click.prompt("by which fact", err=True)
        reason = reason or click.prompt("why", "", show_default=False, err=True)
    if mode == "back" and not reason.strip():
        raise WrongUsage("the reason is missing", hint="`--reason TEXT` says in a sentence why")
    if mode == "withhold":
        return redact(
            call, targets=(id,), reason=reason or "It is to be forgotten.", words_only=False, purge=False,
            yes=False, agent=agent, title=title, dry_run=dry_run,
        )  # fmt: skip
    if mode in ("archive", "back"):
        decision = (archiving if mode == "archive" else returning)(memory, id, reason)
    else:
        decision = denial(memory, id, replaced_by, reason)
    decide(call, decision, agent, title, dry_run)


def _purge_object(plan: Purge, done: bool) -> dict[str, Any]:
    return {
        **fields_of(plan, _PURGE),
        "done": done,
        "commits": len(plan.history.commits),
        "files": [path for path, _ in plan.files],
        "trees": [one.top for one in plan.trees],
        "=were": "written anew" if done else "to be written anew",
        "=kept": "is" if done else "is kept first",
        "=refused": () if done else plan.refused,
    }
