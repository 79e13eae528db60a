"""Run `diurna status`: show where the ledger stands and what is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ledger.model.layout import CONTINUITY_FILE, POLICY_FILE
from memory.cache.view_name import elsewhere
from memory.write.draft import NOT_COMMITTED, waiting
from rituals.cli.context import Invocation
from rituals.cli.output import counted, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Who asks the agent where no stop can.
UNASKED = "no stop can ask its agent what it learned; the skill diurna-remember does"
#: How many of those that fade next are named, and of sessions.
_NAMED = 5


def status(call: Invocation) -> None:
    """Show where memory stands: its home, its logs and facts, what is due, and what waits.

    Example:
      diurna status
    """
    from rituals.answers.status_values import overview

    memory = call.memory()
    found = overview(memory)
    captured, away = found["captured"], elsewhere(memory.home)
    loose = Counter(
        away.get(stem, "") for stem in captured["waiting"] if stem not in captured["taken_out"]
    )
    if captured["because"] != NOT_COMMITTED:
        loose = Counter()
    rows = _rows(call, found, loose)
    lines = [((f"{label:<10}", "bold"), value) for label, value in rows if value]
    call.answer(
        found, lines, findings=() if call.json else found["findings"], hints=_hints(found, loose)
    )


def _rows(
    call: Invocation, found: Mapping[str, Any], loose: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield (label, value); what has none is not told."""
    home, review, captured = found["home"], found["review"], found["captured"]
    place = f"{home['repository']}/{home['prefix']}".rstrip("/")
    named = f", named by {home['named']}" if home["named"] else ""
    yield "home", f"{home['kind']} in {place}{named}"
    yield "branch", home["branch"] or "(detached)"
    yield "logs", f"{found['logs']}, of them {counted(found['sessions'], 'work session')}"
    yield "facts", ", ".join([f"{count} {tier}" for tier, count in found["tiers"].items()])
    if fading := found["fading"]:
        yield "fading", f"{few(fading, _NAMED)}, soonest first, unless they are used"
    every = f"due after {review['every']} work sessions" if review["every"] else "never due"
    due = f" — due: {'; '.join(review['reasons'])}" if review["due"] else ""
    yield "review", f"{review['since']} since the last, {every}{due}"
    behind = f"behind the logs: {', '.join(found['drift'])}"
    yield "pages", behind if found["drift"] else _no_drift(found["publish"])
    yield "edited", ", ".join(found["edited"]) or "none"
    if found["silent"]:
        named = ", ".join([one or "every session" for one in found["silent"]])
        yield "private", f"{named} in this work tree: nothing is kept until `diurna private off`"
    if missed := found["starts"]["without_memory"]:
        today = counted(found["starts"]["today"], "session")
        yield "starts", f"{missed} of today's {today} started without memory"
    if told := found["not_told"]:
        yield "not told", f"{counted(len(told), 'session')}: {few(told, _NAMED)}"
    if any(found["helped"]):
        yield "helped", str(found["helped"])
    if found["not_asked"]:
        yield "not asked", f"{', '.join(found['not_asked'])}: {UNASKED}"
    if found["untold"]:
        yield "untold", f"{found['untold']} commits since the last log, and none tells of them"
    for where, many in loose.items():
        yield "new", f"{counted(many, 'log')}, {NOT_COMMITTED}{waiting(where)}"
    if captured["waiting"] and captured["because"] != NOT_COMMITTED:
        many = len(captured["waiting"])
        logs = "1 log waits" if many == 1 else f"{many} logs wait"
        yield "captured", f"{logs}{waiting(captured['because'])}"
    if gone := captured["taken_out"]:
        yield "taken out", f"{', '.join(map(call.out.short, gone))}: not committed, and no file"
    if disputed := [f"{one['id']} ({', '.join(one['kinds'])})" for one in found["disputed"]]:
        yield "disputed", f"{len(disputed)}: {', '.join(disputed)}"
    if confirm := found["confirm"]["due"]:
        yield "confirm", f"{len(confirm)} due: {', '.join(confirm)}"
    if found["upstream"]:
        yield "upstream", f"{found['upstream']}: {found['ahead']} ahead, {found['behind']} behind"
    yield "by itself", _by_itself(found["by_itself"])
    yield "reads", ", ".join([f"{one['name']} ({one['age']})" for one in found["reads"]])


def _hints(found: Mapping[str, Any], loose: Mapping[str, int]) -> Iterator[str]:
    captured, prefix = found["captured"], found["home"]["prefix"]
    if captured["taken_out"]:
        yield (
            f"`diurna check --restore` writes what was taken out again; `diurna undo "
            f"{captured['taken_out'][0]}` takes back what it says"
        )
    if captured["because"] == NOT_COMMITTED:
        if "" in loose:
            yield f"`git add {prefix}` and your own commit share them; every answer has them"
    elif captured["waiting"]:
        when = "once nothing is in the way" if captured["because"] else "after the next session"
        yield f"what was captured is committed {when}, or with the next append; every answer has it"
    if found["not_told"]:
        yield "the next session's start records what others left; `diurna capture` does it now"
    if found["untold"]:
        yield '`diurna note "decision: …"` records what was decided'
    if found["review"]["due"]:
        yield "`diurna review` asks what there is to decide; with --dry-run it only says it"
    if found["disputed"]:
        yield "`diurna conflicts` shows every side, `diurna conflicts ID --choose N` decides"
    if found["confirm"]["due"]:
        yield "`diurna review --confirm ID…` records that a person looked at them and they hold"
    if found["drift"] and not (found["edited"] or found["findings"]):
        yield "`diurna check --publish` writes and commits what is behind"
    if found["publish"]["missing"]:
        yield f"`trunk` in {prefix}{POLICY_FILE} names the branch that has the published files"


def _by_itself(last: Mapping[str, Any]) -> str:
    """Say when what is due was done by itself, and what came of it; or what keeps it from being done."""
    when, doing = last["at"], last["doing"]
    if last["because"] or not when:
        hindered = f"not now: {last['because']}" if last["because"] else ""
        return hindered or (f"{doing} is under way" if doing else "")
    cut = [f"{doing} did not end, or not yet"] if doing else []
    did = [*(last["did"] or ["nothing new"]), *cut, f"{round(last['took_ms'] / 1000)} s"]
    return f"{when[:10]} {when[11:16]}: {', '.join(did)}"


def _no_drift(publish: Mapping[str, Any]) -> str:
    """Say that all are up to date, or that nothing is published on this branch, by design."""
    if publish["here"]:
        return "up to date"
    if not publish["trunk"]:
        return f"none here; {CONTINUITY_FILE} is published on the trunk, and no branch is known to be it"
    gone = ", a branch that is not here" if publish["missing"] else ""
    return f"none here; {CONTINUITY_FILE} is published on {publish['trunk']}{gone}"
