"""Run `diurna status`: show where the ledger stands and what is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.output import counted, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory import Pages

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
pages     behind the logs: {drift}; `diurna sync` and `diurna check --publish` write them
pages     {!drift}{publish.here}up to date
pages     {!publish.here}none here; continuity.md is published on {=where}
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
by itself not now: {by_itself.because}
by itself {!by_itself.because}{=did}
reads     {=reads}
""")


def status(call: Invocation) -> None:
    """Show where memory stands: its home, its logs and facts, what is due, and what waits.

    Example:
      diurna status
    """
    from rituals.answers.status_values import overview

    pages = call.pages()
    found = overview(pages)
    home, review, publish = found["home"], found["review"], found["publish"]
    captured = found["captured"]
    logs, new = _captured(pages, captured) if captured["waiting"] else ("", {})
    said = {
        "=place": f"{home['repository']}/{home['prefix']}".rstrip("/"),
        "=tiers": [f"{count} {tier}" for tier, count in found["tiers"].items()],
        "=fading": few(found["fading"], _NAMED),
        "=every": f"due after {review['every']} work sessions" if review["every"] else "never due",
        "=reasons": "; ".join(review["reasons"]),
        "=where": f"{publish['trunk']}{', a branch that is not here' * publish['missing']}"
        if publish["trunk"]
        else "the trunk, and no branch is known to be it",
        "=unasked": UNASKED,
        "=silent": [one or "every session" for one in found["silent"]],
        "=not_told": few(found["not_told"], _NAMED),
        "=new": [f"{counted(many, 'log')}, {said}" for said, many in new.items()],
        "=captured": logs,
        "=taken_out": list(map(call.out.short, captured["taken_out"])),
        "=disputed": [f"{one['id']} ({', '.join(one['kinds'])})" for one in found["disputed"]],
        "=confirm": len(found["confirm"]["due"]),
        "=did": _did(found["by_itself"]),
        "=reads": [f"{one['name']} ({one['age']})" for one in found["reads"]],
    }
    hint = f"`git add {home['prefix']}` and your own commit share them; every answer has them"
    call.answer(
        {**found, **said},
        _STATUS,
        findings=() if call.json else found["findings"],
        hints=(hint,) if captured["because"] in new else (),
    )


def _captured(pages: Pages, captured: Mapping[str, Any]) -> tuple[str, Mapping[str, int]]:
    """Say what waits to be committed; or, where a person commits it, how much there is by place."""
    from memory import NOT_COMMITTED, stems_elsewhere, waits_for

    stems, because = captured["waiting"], captured["because"]
    if because != NOT_COMMITTED:
        return f"{counted(len(stems), 'log')} not committed yet{waits_for(because)}", {}
    away = stems_elsewhere(pages.home)
    here = [stem for stem in stems if stem not in captured["taken_out"]]
    return "", Counter([f"{because}{waits_for(away.get(stem, ''))}" for stem in here])


def _did(last: Mapping[str, Any]) -> str:
    """Say when what is due was done by itself, and what came of it."""
    when, doing = last["at"], last["doing"]
    if not when:
        return f"{doing} is under way" if doing else ""
    cut = [f"{doing} did not end, or not yet"] if doing else []
    did = [*(last["did"] or ["nothing new"]), *cut, f"{round(last['took_ms'] / 1000)} s"]
    return f"{when[:10]} {when[11:16]}: {', '.join(did)}"
