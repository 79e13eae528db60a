"""Run `diurna status`: show where the ledger stands and what is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ledger.model.layout import CONTINUITY_FILE
from memory.cache.view_name import elsewhere
from memory.write.draft import NOT_COMMITTED, waiting
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.output import counted, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Who asks the agent where no stop can.
UNASKED = "no stop can ask its agent what it learned; the skill diurna-remember does"
#: How many of those that fade next are named, and of sessions.
_NAMED = 5
_STATUS = Layout("""
home      {home.kind} in {=place}[, named by {home.named}]
branch    {home.branch|(detached)}
logs      {logs}, of them {sessions#work session}
facts     {=tiers}
fading    {=fading}, soonest first, unless they are used
review    {review.since} since the last, {=every}[ — due: {=reasons}]
pages     {=pages}
edited    {edited|none}
private   {=silent} in this work tree: nothing is kept until `diurna private off`
[starts    {starts.without_memory} of today's {starts.today#session} started without memory]
not told  {not_told#session}: {=not_told}; the next start records them, or `diurna capture`
not asked {not_asked}: {=unasked}
=new|new       {}
captured  {=captured}
taken out {=taken_out}: not committed, and no file; `check --restore` or `undo` of each
disputed  {=disputed}; `diurna conflicts` shows every side
[confirm   {=confirm} due: {confirm.due}; `diurna review --confirm ID…`]
upstream  {upstream}: {ahead} ahead, {behind} behind
by itself {=by_itself}
reads     {=reads}
""")


def status(call: Invocation) -> None:
    """Show where memory stands: its home, its logs and facts, what is due, and what waits.

    Example:
      diurna status
    """
    from rituals.answers.status_values import overview

    memory = call.memory()
    found = overview(memory)
    captured, away = found["captured"], elsewhere(memory.home)
    plain = captured["because"] == NOT_COMMITTED
    kept = [one for one in captured["waiting"] if one not in captured["taken_out"]] if plain else []
    loose = Counter([away.get(stem, "") for stem in kept])
    home, review = found["home"], found["review"]
    logs = f"{counted(len(captured['waiting']), 'log')} not committed yet{waiting(captured['because'])}"
    said = {
        "=place": f"{home['repository']}/{home['prefix']}".rstrip("/"),
        "=tiers": [f"{count} {tier}" for tier, count in found["tiers"].items()],
        "=fading": few(found["fading"], _NAMED),
        "=every": f"due after {review['every']} work sessions" if review["every"] else "never due",
        "=reasons": "; ".join(review["reasons"]),
        "=pages": _pages(found),
        "=silent": [one or "every session" for one in found["silent"]],
        "=not_told": few(found["not_told"], _NAMED),
        "=unasked": UNASKED,
        "=new": [
            f"{counted(many, 'log')}, {NOT_COMMITTED}{waiting(where)}"
            for where, many in loose.items()
        ],
        "=captured": logs if captured["waiting"] and not plain else "",
        "=taken_out": list(map(call.out.short, captured["taken_out"])),
        "=disputed": [f"{one['id']} ({', '.join(one['kinds'])})" for one in found["disputed"]],
        "=confirm": len(found["confirm"]["due"]),
        "=by_itself": _by_itself(found["by_itself"]),
        "=reads": [f"{one['name']} ({one['age']})" for one in found["reads"]],
    }
    hint = f"`git add {home['prefix']}` and your own commit share them; every answer has them"
    call.answer(
        {**found, **said},
        _STATUS,
        findings=() if call.json else found["findings"],
        hints=(hint,) if "" in loose else (),
    )


def _by_itself(last: Mapping[str, Any]) -> str:
    """Say when what is due was done by itself, and what came of it; or what keeps it from being done."""
    when, doing = last["at"], last["doing"]
    if last["because"]:
        return f"not now: {last['because']}"
    if not when:
        return f"{doing} is under way" if doing else ""
    cut = [f"{doing} did not end, or not yet"] if doing else []
    did = [*(last["did"] or ["nothing new"]), *cut, f"{round(last['took_ms'] / 1000)} s"]
    return f"{when[:10]} {when[11:16]}: {', '.join(did)}"


def _pages(found: Mapping[str, Any]) -> str:
    """Say which pages are behind, or that nothing is published on this branch, by design."""
    publish, where = found["publish"], "on the trunk, and no branch is known to be it"
    if found["drift"]:
        then = "`diurna sync` and `diurna check --publish` write them"
        return f"behind the logs: {', '.join(found['drift'])}; {then}"
    if publish["here"]:
        return "up to date"
    if publish["trunk"]:
        where = f"on {publish['trunk']}{', a branch that is not here' * publish['missing']}"
    return f"none here; {CONTINUITY_FILE} is published {where}"
