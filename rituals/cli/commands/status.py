"""Run `diurna status`: show where the ledger stands and what is due."""

from __future__ import annotations

from collections import Counter

from ledger.model.layout import CONTINUITY_FILE, POLICY_FILE
from ledger.model.order import ended_of, stamp_of
from memory.cache.view_name import elsewhere
from memory.write.draft import NOT_COMMITTED, waiting
from rituals.cli.context import Invocation
from rituals.cli.output import Output, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.replay.trunk import Publishing
    from rituals.answers.status_values import Overview

#: Who asks the agent where no stop can.
UNASKED = "no stop can ask its agent what it learned; the skill diurna-remember does"
#: How many of those that fade next are named, and of sessions.
_NAMED = 5


def status(call: Invocation) -> None:
    """Show where memory stands: its home, its logs and facts, what is due, and what waits.

    Example:
      diurna status
    """
    from rituals.answers.json_objects import status_object
    from rituals.answers.status_values import overview

    found = overview(call.memory())
    if call.json:
        call.out.answer(status_object(found))
    else:
        _show_status(call.out, found)


def _show_status(out: Output, found: Overview) -> None:
    for label, value in (*_ledger_rows(found, out), *_due_rows(found)):
        out.line((f"{label:<10}", "bold"), value)
    out.findings(found.edits)
    for hint in _hints(found):
        out.hint(hint)


def _ledger_rows(found: Overview, out: Output) -> Iterator[tuple[str, str]]:
    home = found.home
    place = f"{home.repository.where}/{home.prefix}".rstrip("/")
    yield "home", f"{home.kind} in {place}{f', named by {home.named}' if home.named else ''}"
    yield "branch", home.branch or "(detached)"
    yield "logs", f"{found.logs}, of them {counted(found.sessions, 'work session')}"
    yield "facts", ", ".join(f"{count} {tier}" for tier, count in found.tiers)
    if found.fading:
        named = ", ".join([one.id for one in found.fading[:_NAMED]])
        more = f" and {len(found.fading) - _NAMED} more" if len(found.fading) > _NAMED else ""
        yield "fading", f"{named}{more}, soonest first, unless they are used"
    review = f"due after {found.review_every} work sessions" if found.review_every else "never due"
    due = f" — due: {'; '.join(found.due)}" if found.due else ""
    yield "review", f"{found.since_review} since the last, {review}{due}"
    behind = f"behind the logs: {', '.join(found.drift)}"
    yield "pages", behind if found.drift else _no_drift(found.publish)
    yield "edited", ", ".join(found.edited) or "none"
    if found.silent:
        named = ", ".join([one or "every session" for one in found.silent])
        yield "private", f"{named} in this work tree: nothing is kept until `diurna private off`"
    today, missed = found.starts
    if missed:
        yield "starts", f"{missed} of today's {counted(today, 'session')} started without memory"
    if found.not_told:
        named = ", ".join(found.not_told[:_NAMED]) + ", …" * (len(found.not_told) > _NAMED)
        yield "not told", f"{counted(len(found.not_told), 'session')}: {named}"
    if any(found.helped):
        yield "helped", str(found.helped)
    if found.unasked:
        yield "not asked", f"{', '.join(found.unasked)}: {UNASKED}"
    if found.untold:
        yield "untold", f"{found.untold} commits since the last log, and none tells of them"
    if found.obstacle == NOT_COMMITTED:
        for where, many in _loose(found).items():
            yield "new", f"{counted(many, 'log')}, {NOT_COMMITTED}{waiting(where)}"
    elif found.held:
        logs = "1 log waits" if len(found.held) == 1 else f"{len(found.held)} logs wait"
        yield "captured", f"{logs}{waiting(found.obstacle)}"
    if found.taken_out:
        yield (
            "taken out",
            f"{', '.join(map(out.short, found.taken_out))}: not committed, and no file",
        )


def _due_rows(found: Overview) -> Iterator[tuple[str, str]]:
    """Yield what a person should decide, and what is beside, each only where there is something."""
    if found.contradictions:
        yield "disputed", found.disputed
    if found.unconfirmed:
        yield "confirm", f"{len(found.unconfirmed)} due: {', '.join(found.unconfirmed)}"
    if found.upstream:
        apart = f"{found.upstream.ahead} ahead, {found.upstream.behind} behind"
        yield "upstream", f"{found.upstream.name}: {apart}"
    if found.hindered or found.by_itself.at or found.by_itself.doing:
        yield "by itself", _by_itself(found)
    if found.reads:
        yield "reads", ", ".join([f"{one.name} ({one.age(found.now)})" for one in found.reads])


def _loose(found: Overview) -> Counter[str]:
    """Count the logs that nobody committed by where they are, "" for here."""
    away = elsewhere(found.home)
    return Counter(away.get(stem, "") for stem in found.held if stem not in found.taken_out)


def _hints(found: Overview) -> Iterator[str]:
    if found.taken_out:
        yield (
            f"`diurna check --restore` writes what was taken out again; `diurna undo "
            f"{found.taken_out[0]}` takes back what it says"
        )
    if found.obstacle == NOT_COMMITTED:
        if "" in _loose(found):
            yield f"`git add {found.home.prefix}` and your own commit share them; every answer has them"
    elif found.held:
        when = "once nothing is in the way" if found.obstacle else "after the next session"
        yield f"what was captured is committed {when}, or with the next append; every answer has it"
    if found.not_told:
        yield "the next session's start records what others left; `diurna capture` does it now"
    if found.untold:
        yield '`diurna note "decision: …"` records what was decided'
    if found.review_due:
        yield "`diurna review` asks what there is to decide; with --dry-run it only says it"
    if found.contradictions:
        yield "`diurna conflicts` shows every side, `diurna conflicts ID --choose N` decides"
    if found.unconfirmed:
        yield "`diurna review --confirm ID…` records that a person looked at them and they hold"
    if found.drift and not (found.edited or found.edits):
        yield "`diurna check --publish` writes and commits what is behind"
    if found.publish.missing:
        yield f"`trunk` in {found.home.prefix}{POLICY_FILE} names the branch that has the published files"


def _by_itself(found: Overview) -> str:
    """Say when what is due was done by itself, and what came of it; or what keeps it from being done."""
    last = found.by_itself
    if found.hindered or not last.at:
        return f"not now: {found.hindered}" if found.hindered else f"{last.doing} is under way"
    when = ended_of(stamp_of(last.at))
    took = f"{round(last.took_ms / 1000)} s"
    cut = [f"{last.doing} did not end, or not yet"] if last.doing else []
    return f"{when[:10]} {when[11:16]}: {', '.join([*(last.did or ('nothing new',)), *cut, took])}"


def _no_drift(publish: Publishing) -> str:
    """Say that all are up to date, or that nothing is published on this branch, by design."""
    if publish.here:
        return "up to date"
    if not publish.trunk:
        return f"none here; {CONTINUITY_FILE} is published on the trunk, and no branch is known to be it"
    gone = ", a branch that is not here" if publish.missing else ""
    return f"none here; {CONTINUITY_FILE} is published on {publish.trunk}{gone}"
