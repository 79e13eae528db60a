"""Show what is taken in from elsewhere, ask a person once, and write it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ledger.errors import WrongUsage
from ledger.home import personal_folder
from ledger.model.finding_codes import Finding
from ledger.secrets.scanner import without_secrets
from memory import NOT_COMMITTED, Receipt
from projection.policy.model import DEFAULT_KIND
from projection.text.clipping import one_line
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.dialog import agreed
from rituals.cli.layout import Layout
from rituals.cli.output import counted, few
from rituals.intake.checked_proposals import Proposals, picked, read_proposals
from rituals.intake.decision_records import Records
from rituals.intake.intake_items import IntakePlan, Reading
from rituals.intake.intake_plan import apply_intake, plan_intake

#: What an agent runs with what it found in documents.
PROPOSE = "diurna import items -"
_UNWRITTEN = "nothing was written; --write takes it in"
#: What is proposed, to this memory.
NEW, CHANGED, KNOWN, REFUSED = "new", "changed", "known", "refused"
#: So many items, rules files and reasons are shown, unless all are asked for; of a text so much.
_SHOWN, _PLACES, _CHARS = 20, 3, 300


_PLANS = Layout("""
=head|{}
sources|[new ({=new})]
sources|=shown|  + {kind}: {=text}
sources|=shown|      {id}  {place:dim}
sources|[  and {=more} more (-v shows them)]
sources|[changed ({=changed})]
sources|changed|  ~ {id}: {before}
sources|changed|      now: {text}  ({how})  {place:dim}
sources|closed|  x {}: settled there
sources|[left out ({=left})]
sources|=left_out|  - {}
sources|[{same#item} known already]
sources|[{redacted#secret} taken out]
sources|[{personal#personal item} left out]
""")
_TAKEN = Layout("""
=written|took in {=new#fact} from {source} in {stems#log}
=written|commits|committed in {%7} on {=branch}
=written|{=loose}
!=news|nothing new
""")
_PROPOSED = Layout("""
{items#item} proposed, of documents at {commit%7}
items|[  {number}  known as {=known}][  {number}  refused: {why}]
items|  {number:bold}  {=text}
items|       {=under:dim}
items|       "{=quote}"
=left_out|  -  {place}: {why}
""")


def take(
    call: Invocation,
    readings: Sequence[Reading],
    more: Mapping[str, Any],
    one_source: bool,
    verbose: bool,
    **how: bool,
) -> None:
    """Show what readings bring, below `=head`, ask once, write it, and answer, with `more`.

    `how` has `yes`, by which nobody is asked, and `dry_run`. Each is planned again when it is written, so
    that what two of them say becomes one fact. Into the home of what is only the user's comes what is
    personal alone.
    """
    memory = call.memory()
    if os.path.realpath(memory.home.folder) == os.path.realpath(personal_folder()):
        readings = [
            one._replace(items=tuple([item for item in one.items if item.personal]))
            for one in readings
        ]
    told = call.out.progress
    plans = [plan_intake(memory, reading, told) for reading in readings]
    news = any(plan.logs for plan in plans)
    shown = {"=head": more["=head"], "sources": [_described(plan, [], verbose) for plan in plans]}
    done = agreed(call, "take this in?", shown, _PLANS, asks=news, **how)
    findings, objects = list[Finding](), []
    for number, reading in enumerate(readings):
        plan = plan_intake(memory, reading, told) if done and number else plans[number]
        written = _apply(call, plan) if done else []
        findings += [*[found for one in written for found in one.findings], *plan.findings]
        objects.append(_described(plan, written, verbose))
    values = {**objects[0], **more} if one_source else {"sources": objects, **more}
    harvest = f"ask your agent for the skill `diurna-harvest`; it runs `{PROPOSE}`"
    mine = "`diurna import SOURCE --home personal` takes in what is only yours"
    hints = (harvest,) * bool(values.get("propose"))
    hints += (mine,) * any(plan.personal for plan in plans) + (_UNWRITTEN,) * (news and not done)
    call.answer(
        {**values, "dry_run": not done, **_taken(call, objects if done else [], news)},
        _TAKEN,
        findings=tuple(findings),
        hints=hints,
    )


def _apply(call: Invocation, plan: IntakePlan) -> list[Receipt]:
    """Write a plan."""
    done = apply_intake(call.memory(), plan, call.agent, call.out.progress)
    call.landed |= any(one.commit for one in done)
    return done


def _taken(call: Invocation, objects: Sequence[Mapping[str, Any]], news: bool) -> dict[str, Any]:
    """Return what the text of an answer says of what was written."""
    written = [one for one in objects if one["stems"]]
    return {"=written": written, "=branch": call.memory().home.branch, "=news": news}


def _described(plan: IntakePlan, done: Sequence[Receipt], verbose: bool) -> dict[str, Any]:
    """Describe a plan, and what was written of it."""
    commits = [one.commit for one in done if one.commit]
    new = []
    for one in plan.new:
        meta = dict(one.event.meta)
        new.append(
            {
                **fields_of(one, "id text=event.text place=item.place"),
                "kind": meta.get("kind", DEFAULT_KIND),
                "replaces": [without_secrets(key, homes=True) for key in one.item.replaces],
                "created": meta.get("created", ""),
                "by": meta.get("by", ""),
                "=text": _clipped(one.event.text or "", verbose),
            }
        )
    changed = "changed(id before text how place=item.place)"
    reasons: dict[str, list[str]] = {}
    for left in plan.left_out:
        reasons.setdefault(left.why, []).append(left.place)
    most = len(new) + len(plan.left_out) if verbose else _SHOWN
    ordered = sorted(reasons.items(), key=lambda one: (-len(one[1]), one[0]))
    loose = f"the rest is {NOT_COMMITTED}" if commits else f"written, {NOT_COMMITTED}"
    return {
        **fields_of(plan, f"source same {changed} closed left_out(place why) redacted"),
        "new": new,
        "personal": len(plan.personal),
        "stems": [one.stem for one in done],
        "commits": commits,
        "=new": len(new),
        "=shown": new[:most],
        "=more": len(new[most:]),
        "=changed": len(plan.changed),
        "=left": len(plan.left_out),
        "=left_out": [
            f"{why}: {few(places, most if verbose else _PLACES)}" for why, places in ordered[:most]
        ],
        "=loose": loose if len(commits) < len(done) else "",
    }


def _clipped(text: str, whole: bool) -> str:
    return text.replace("\n", "\n      ") if whole else one_line(text, _CHARS)


def records_read(records: Records, verbose: bool) -> list[str]:
    """Say what was looked into, and what an agent can read."""
    head = [f"read {counted(records.read, 'decision record')} at {records.commit[:7]}"]
    if records.readable:
        head.append("no facts by themselves; an agent reads them and proposes some:")
    most = len(records.readable) if verbose else _SHOWN
    head += [f"  {without_secrets(path)}  {size:,} bytes" for path, size in records.readable[:most]]
    if len(records.readable) > most:
        head.append(f"  and {len(records.readable) - most} more (-v shows them)")
    return head


def take_items(
    call: Invocation, file: str, paths: tuple[str, ...], pick: str, *, write: bool, dry_run: bool
) -> None:
    """Check what an agent proposes, show all of it with numbers, and record what is picked."""
    if write and not pick:
        raise WrongUsage("which of them? --pick 1,3-7, or --pick all", where="import items")
    memory, told = call.memory(), call.out.progress
    named = [os.path.join(call.folder(), path) for path in paths]
    proposals = read_proposals(memory.home, file, named)
    items = _proposed(proposals, plan_intake(memory, proposals.reading(), told))
    said = {"commit": proposals.commit, "items": items}
    if not call.json:
        call.show({**said, "=left_out": proposals.left_out}, _PROPOSED)
    numbers = picked(pick, len(items))
    for one in items:
        if one["state"] == REFUSED and one["number"] in numbers and pick.strip() != "all":
            raise WrongUsage(f"{one['number']} is refused: {one['why']}", where="--pick")
    plan = plan_intake(memory, proposals.reading(numbers), told)
    done = [] if dry_run else _apply(call, plan)
    brought = _described(plan, done, False)
    hint = _UNWRITTEN
    if not numbers:
        hint = "nothing was recorded; nothing is new"
        if fresh := [one["number"] for one in items if one["state"] in (NEW, CHANGED)]:
            hint = f"nothing was recorded; `--pick {fresh[0]}` records that one, `--pick all` all"
    call.answer(
        {
            **said,
            **brought,
            "dry_run": not done,
            **_taken(call, [brought] if done else [], bool(plan.logs) or not numbers),
        },
        _TAKEN,
        findings=(*[found for one in done for found in one.findings], *plan.findings),
        hints=(hint,) if not done and (plan.logs or not numbers) else (),
    )


def _proposed(proposals: Proposals, plan: IntakePlan) -> list[dict[str, Any]]:
    """Describe each proposal: what it would be, and whether it is known, or why it is refused."""
    events = {one.id: str(one.event.text) for one in plan.new}
    changed = {one.item.key: one.text for one in plan.changed}
    why = {one.key: one.why for one in plan.left_out}
    mine = "it is personal: `diurna note --personal` keeps it yours"
    why |= {one.key: mine for one in plan.personal}
    ids, found = dict(plan.ids), []
    for one in proposals.all:
        item, refused = one.item, one.why or why.get(one.item.key, "")
        id, state, text = "", REFUSED, ""
        if not refused:
            id = ids.get(item.key, "")
            text = events.get(id, "") or changed.get(item.key, "")
            state = NEW if id in events else CHANGED if text else KNOWN
        quote, place, by = map(without_secrets, (one.quote, item.place, item.author))
        told = {
            "number": one.number,
            "state": state,
            "id": id,
            "text": text,
            "quote": quote,
            "place": place,
            "by": by,
            "kind": item.kind or DEFAULT_KIND,
            "created": item.at,
            "why": refused,
        }
        under = " ".join(filter(None, (id, place, by, item.at)))
        told |= {"=known": id if state == KNOWN else "", "=under": under}
        told["=text"] = f"{told['kind']}: {_clipped(text, True)}" if text else ""
        told["=quote"] = one_line(quote, _CHARS) if quote not in text else ""
        found.append(told)
    return found
