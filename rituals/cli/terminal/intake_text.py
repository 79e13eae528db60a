"""Show what is taken in from elsewhere before it is, ask a person once, and say what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from ledger.secrets.scanner import nameable, without_secrets
from memory.write.draft import NOT_COMMITTED, Receipt
from projection.policy.model import DEFAULT_KIND
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Line, counted, few, some
from rituals.intake.intake_items import ASKED, Draft, IntakePlan, LeftOut
from rituals.intake.proposed_items import Proposals

#: What was left out takes so many lines at most, unless all of it is asked for.
_LEFT_OUT_LINES = 15
_PLACES = 3
_SHOWN, _TEXT_LINES, _CHARS = 20, 4, 300


def wanted(
    call: Invocation, lines: Iterable[Line], news: bool, *, write: bool, dry_run: bool
) -> bool:
    """Show what would be written; tell whether it is to be: an option said so, or a person says so now.

    `news` says that there is something to write; with `dry_run` nothing is, whatever else is said.
    """
    if not call.json:
        call.out.lines(lines)
    if dry_run or not news:
        return False
    asking = not (write or call.json) and call.interactive()
    return write or (asking and click.confirm("take this in?", False, err=True))


def plan_lines(plan: IntakePlan, *, everything: bool) -> Iterator[Line]:
    """Yield what would be new, changed and left out, a group each."""
    most = len(plan.new) if everything else _SHOWN
    if plan.new:
        yield ((f"new ({len(plan.new)})", "bold"),)
    for new in plan.new[:most]:
        yield f"  + {_kind(new)}: {_text(new.event.text or '', everything)}"
        yield ((f"      {new.id}  {new.item.place}", "dim"),)
    if len(plan.new) > most:
        yield f"  and {len(plan.new) - most} more (-v shows them)"
    if plan.changed:
        yield ((f"changed ({len(plan.changed)})", "bold"),)
    for changed in plan.changed:
        yield f"  ~ {changed.id}: {changed.before}"
        yield f"      now: {changed.text}"
        if changed.how == ASKED:
            both = "changed on both sides, a thread asks"
            yield ((f"      {both}  {changed.item.place}", "dim"),)
    yield from [f"  x {id}: settled there" for id in plan.closed]
    yield from _left_out(plan.left_out, everything)
    said = some(
        (plan.same, f"{counted(plan.same, 'item')} known already"),
        (plan.redacted, f"{counted(plan.redacted, 'secret')} taken out"),
        (plan.personal, f"{counted(len(plan.personal), 'personal item')} left out"),
    )
    if said:
        yield said


def _kind(one: Draft) -> str:
    return dict(one.event.meta).get("kind", DEFAULT_KIND)


def _text(text: str, everything: bool) -> str:
    """Write a text below its first line, cut where not all of it is asked for."""
    lines = [line for line in text.split("\n") if line.strip()]
    shown = lines if everything or len(lines) <= _TEXT_LINES else [*lines[: _TEXT_LINES - 1], "…"]
    if not everything:
        shown = [line if len(line) <= _CHARS else line[: _CHARS - 1] + "…" for line in shown]
    return "\n      ".join(shown)


def written_lines(plan: IntakePlan, done: Sequence[Receipt], branch: str) -> Iterator[Line]:
    """Yield what was written, and how it is."""
    facts = counted(len(plan.new), "fact")
    yield f"took in {facts} from {plan.source} in {counted(len(done), 'log')}"
    commits = [one.commit for one in done if one.commit]
    yield from [f"committed in {commit[:7]} on {branch}" for commit in commits]
    if len(commits) < len(done):
        yield f"the rest is {NOT_COMMITTED}" if commits else f"written, {NOT_COMMITTED}"


def intake_object(plan: IntakePlan, done: Sequence[Receipt]) -> dict[str, object]:
    """Describe a plan, and what was written of it."""
    new = [
        {
            **fields_of(one, "id text=event.text place=item.place"),
            "kind": _kind(one),
            "replaces": [nameable(key) for key in one.item.replaces],
            "created": dict(one.event.meta).get("created", ""),
            "by": dict(one.event.meta).get("by", ""),
        }
        for one in plan.new
    ]
    changed = "changed(id before text how place=item.place)"
    return {
        **fields_of(plan, f"source same {changed} closed left_out(place why) redacted"),
        "new": new,
        "personal": len(plan.personal),
        "stems": [one.stem for one in done],
        "commits": [one.commit for one in done if one.commit],
    }


#: What is proposed, to this memory.
NEW, CHANGED, KNOWN, REFUSED = "new", "changed", "known", "refused"


def proposal_answers(proposals: Proposals, plan: IntakePlan) -> list[dict[str, Any]]:
    """Describe each proposal: what it would be, and whether it is known, or why it is refused."""
    events = {one.id: str(one.event.text) for one in plan.new}
    changed = {one.item.key: one.text for one in plan.changed}
    why = {one.key: one.why for one in plan.left_out}
    why |= {
        one.key: "it is personal: `diurna note --personal` keeps it yours" for one in plan.personal
    }
    ids, answers = dict(plan.ids), []
    for one in proposals.all:
        key, refused = one.item.key, one.why or why.get(one.item.key, "")
        id = "" if refused else ids.get(key, "")
        state, text = (REFUSED, "") if refused else (KNOWN, "")
        if not refused and ids.get(key) in events:
            state, text = NEW, events[id]
        elif not refused and key in changed:
            state, text = CHANGED, changed[key]
        said = {name: without_secrets(there) for name, there in (
            ("quote", one.quote), ("place", one.item.place), ("by", one.item.author),
        )}  # fmt: skip
        more = {"kind": one.item.kind or DEFAULT_KIND, "created": one.item.at, "why": refused}
        answers.append(
            {"number": one.number, "state": state, "id": id, "text": text, **said, **more}
        )
    return answers


def proposal_lines(proposals: Proposals, answers: list[dict[str, Any]]) -> Iterator[Line]:
    """Yield all that is proposed, each with its number."""
    yield f"{counted(len(answers), 'item')} proposed, of documents at {proposals.commit[:7]}"
    for one in answers:
        number = f"{one['number']:>3}  "
        if one["state"] in (KNOWN, REFUSED):
            said = f"known as {one['id']}" if one["state"] == KNOWN else f"refused: {one['why']}"
            yield ((f"{number}{said}", "dim"),)
        else:
            yield (number, "bold"), f"{one['kind']}: {_text(one['text'], True)}"
        who = ", ".join(filter(None, (one["by"], one["created"])))
        yield ((f"       {' '.join(filter(None, (one['id'], one['place'], who)))}", "dim"),)
        if one["quote"] and one["quote"] not in one["text"]:
            yield ((f'       "{_text(one["quote"], False)}"', "dim"),)
    yield from [((f"  -  {left.place}: {left.why}", "dim"),) for left in proposals.left_out]


def _left_out(left_out: Sequence[LeftOut], everything: bool) -> Iterator[Line]:
    """Yield what was passed over: by reason, each with some places, the commonest first."""
    reasons: dict[str, list[str]] = {}
    for one in left_out:
        reasons.setdefault(one.why, []).append(one.place)
    if reasons:
        yield ((f"left out ({len(left_out)})", "bold"),)
    ordered = sorted(reasons.items(), key=lambda one: (-len(one[1]), one[0]))
    for why, places in ordered if everything else ordered[:_LEFT_OUT_LINES]:
        yield f"  - {why}: {few(places, len(places) if everything else _PLACES)}"
    rest = len(ordered) - _LEFT_OUT_LINES
    if rest > 0 and not everything:
        yield f"  and {rest} more reasons (-v shows them)"
