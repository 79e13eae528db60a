"""Show what is taken in from elsewhere before it is, ask a person once, and say what was written.

Sessions of the past are taken in so, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ledger.environment import user_folder, variables
from ledger.model.order import stamp_of
from ledger.secrets.scanner import nameable, without_secrets
from ledger.wal.kept_asks import shown_title
from memory.write.draft import NOT_COMMITTED
from projection.policy.model import DEFAULT_KIND
from rituals.answers.json_objects import capture_object
from rituals.cli.context import Invocation
from rituals.cli.output import Output, counted
from rituals.hosts.capture.boundary import Outcome
from rituals.hosts.capture.session_choice import capture_past, past_sessions
from rituals.hosts.capture.stamps import Seen
from rituals.intake.intake_items import ASKED, Applied, IntakePlan, LeftOut, Planned
from rituals.intake.proposed_items import Proposals

#: What was left out takes so many lines at most, unless all of it is asked for.
_LEFT_OUT_LINES = 15
_PLACES = 3
_SHOWN, _TEXT_LINES, _CHARS = 20, 4, 300


def wanted(call: Invocation, news: bool, *, write: bool, dry_run: bool) -> bool:
    """Tell whether a plan is to be written: an option said so, or a person who saw it says so now.

    `news` says that there is something to write; with `dry_run` nothing is, whatever else is said.
    """
    if dry_run or not news:
        return False
    asking = not (write or call.json) and call.interactive()
    return write or (asking and click.confirm("take this in?", False, err=True))


def show_plan(plan: IntakePlan, out: Output, *, everything: bool) -> None:
    """Print what would be new, changed and left out, a group each."""
    _show_new(plan.new, out, everything)
    _show_changes(plan, out)
    _show_left_out(plan.left_out, out, everything)
    said = [counted(plan.same, "item") + " known already" if plan.same else ""]
    said.append(f"{counted(plan.redacted, 'secret')} taken out" if plan.redacted else "")
    if plan.personal:
        said.append(f"{counted(len(plan.personal), 'personal item')} left out")
    if any(said):
        out.line(", ".join([one for one in said if one]))
    if plan.personal:
        out.hint("`diurna init --personal` makes a home for what is only yours")


def _show_new(new: Sequence[Planned], out: Output, everything: bool) -> None:
    """Print what becomes a fact."""
    most = len(new) if everything else _SHOWN
    if new:
        out.line((f"new ({len(new)})", "bold"))
    for one in new[:most]:
        out.line(f"  + {_kind(one)}: {_text(one.event.text or '', everything)}")
        out.line((f"      {one.id}  {one.item.place}", "dim"))
    if len(new) > most:
        out.line(f"  and {len(new) - most} more (-v shows them)")


def _kind(one: Planned) -> str:
    return dict(one.event.meta).get("kind", DEFAULT_KIND)


def _text(text: str, everything: bool) -> str:
    """Write a text below its first line, cut where not all of it is asked for."""
    lines = [line for line in text.split("\n") if line.strip()]
    shown = lines if everything or len(lines) <= _TEXT_LINES else [*lines[: _TEXT_LINES - 1], "…"]
    if not everything:
        shown = [line if len(line) <= _CHARS else line[: _CHARS - 1] + "…" for line in shown]
    return "\n      ".join(shown)


def _show_changes(plan: IntakePlan, out: Output) -> None:
    """Print what the source changed, and what is settled."""
    if plan.changed:
        out.line((f"changed ({len(plan.changed)})", "bold"))
    for changed in plan.changed:
        out.line(f"  ~ {changed.id}: {changed.before}")
        out.line(f"      now: {changed.text}")
        if changed.how == ASKED:
            both = "changed on both sides, a thread asks"
            out.line((f"      {both}  {changed.item.place}", "dim"))
    for id in plan.closed:
        out.line(f"  x {id}: settled there")


def show_written(plan: IntakePlan, done: Applied | None, out: Output, branch: str) -> None:
    """Say what was written, or how it is."""
    if done is None:
        if plan.logs:
            out.hint("nothing was written; --write takes it in")
        else:
            out.line("nothing new")
        return
    out.findings(done.findings)
    facts = counted(len(plan.new), "fact")
    out.line(f"took in {facts} from {plan.source} in {counted(len(done.stems), 'log')}")
    for commit in done.commits:
        out.line(f"committed in {commit[:7]} on {branch}")
    if len(done.commits) < len(done.stems):
        out.line(f"the rest is {NOT_COMMITTED}" if done.commits else f"written, {NOT_COMMITTED}")


def intake_object(plan: IntakePlan, done: Applied | None) -> dict[str, object]:
    """Describe a plan, and what was written of it."""
    return {
        "source": plan.source,
        "new": [
            {
                "id": one.id,
                "kind": _kind(one),
                "text": one.event.text,
                "place": one.item.place,
                "replaces": [nameable(key) for key in one.item.replaces],
                "created": dict(one.event.meta).get("created", ""),
                "by": dict(one.event.meta).get("by", ""),
            }
            for one in plan.new
        ],
        "same": plan.same,
        "changed": [
            {"id": one.id, "before": one.before, "text": one.text, "how": one.how,
             "place": one.item.place}
            for one in plan.changed
        ],
        "closed": list(plan.closed),
        "left_out": [{"place": one.place, "why": one.why} for one in plan.left_out],
        "personal": len(plan.personal),
        "redacted": plan.redacted,
        "stems": list(done.stems) if done else [],
        "commits": list(done.commits) if done else [],
    }  # fmt: skip


#: What is proposed, to this memory.
NEW, CHANGED, KNOWN, REFUSED = "new", "changed", "known", "refused"


def proposal_answers(proposals: Proposals, plan: IntakePlan) -> list[dict[str, Any]]:
    """Describe each proposal: what it would be, and whether it is known, or why it is refused."""
    events = {one.id: one.event for one in plan.new}
    changed = {one.item.key: one for one in plan.changed}
    why = {one.key: one.why for one in plan.left_out}
    why |= {
        one.key: "it is personal: `diurna note --personal` keeps it yours" for one in plan.personal
    }
    ids, answers = dict(plan.ids), []
    for one in proposals.all:
        key, said, state = one.item.key, one.why or why.get(one.item.key, ""), KNOWN
        if said:
            state = REFUSED
        elif ids.get(key) in events:
            state = NEW
        elif key in changed:
            state = CHANGED
        text = (
            str(events[ids[key]].text)
            if state == NEW
            else changed[key].text
            if state == CHANGED
            else ""
        )
        answers.append(
            {"number": one.number, "state": state, "id": "" if said else ids.get(key, ""),
             "kind": one.item.kind or DEFAULT_KIND, "text": text, "quote": without_secrets(one.quote),
             "place": without_secrets(one.item.place), "created": one.item.at,
             "by": without_secrets(one.item.author), "why": said}
        )  # fmt: skip
    return answers


def show_proposals(proposals: Proposals, answers: list[dict[str, Any]], out: Output) -> None:
    """Print all that is proposed, each with its number."""
    out.line(f"{counted(len(answers), 'item')} proposed, of documents at {proposals.commit[:7]}")
    for one in answers:
        number = f"{one['number']:>3}  "
        if one["state"] in (KNOWN, REFUSED):
            said = f"known as {one['id']}" if one["state"] == KNOWN else f"refused: {one['why']}"
            out.line((f"{number}{said}", "dim"))
        else:
            out.line((number, "bold"), f"{one['kind']}: {_text(one['text'], True)}")
        who = ", ".join(filter(None, (one["by"], one["created"])))
        out.line((f"       {' '.join(filter(None, (one['id'], one['place'], who)))}", "dim"))
        if one["quote"] and one["quote"] not in one["text"]:
            out.line((f'       "{_text(one["quote"], False)}"', "dim"))
    for left in proposals.left_out:
        out.line((f"  -  {left.place}: {left.why}", "dim"))


def _show_left_out(left_out: Sequence[LeftOut], out: Output, everything: bool) -> None:
    """Print what was passed over: by reason, each with some places, the commonest first."""
    reasons: dict[str, list[str]] = {}
    for one in left_out:
        reasons.setdefault(one.why, []).append(one.place)
    if reasons:
        out.line((f"left out ({len(left_out)})", "bold"))
    ordered = sorted(reasons.items(), key=lambda one: (-len(one[1]), one[0]))
    for why, places in ordered if everything else ordered[:_LEFT_OUT_LINES]:
        some = places if everything else places[:_PLACES]
        more = f", and {len(places) - len(some)} more" if len(places) > len(some) else ""
        out.line(f"  - {why}: {', '.join(some)}{more}")
    rest = len(ordered) - _LEFT_OUT_LINES
    if rest > 0 and not everything:
        out.line(f"  and {rest} more reasons (-v shows them)")


_DAY = len("2026-01-01")


def tell_past(
    call: Invocation, host: str, since: str, *, show: bool, write: bool, dry_run: bool
) -> int:
    """Show which past sessions of this folder would leave logs, ask, and tell them; return the exit code.

    `host` and `since` limit them to that one, and to those that ended from that time or stem on; "" is for
    all. `show` prints the logs whole and writes nothing; `write` does not ask.

    Raises:
        NotFound: `since` is no time.
    """
    memory = call.memory()
    found = _found(call, host, since)
    news = _told(call, found, dry_run=True)
    if not call.json:
        _show(call, found, news, whole=show)
    written = wanted(call, bool(news), write=write, dry_run=show or dry_run)
    if written:
        news = _told(call, found, dry_run=False)
        call.landed = True
    if call.json:
        call.out.answer(capture_object(news, memory.held(), dry_run=not written))
    elif written:
        call.out.line(f"told in {counted(sum(len(one.logs) for one in news), 'log')}")
    elif news:
        call.out.hint("nothing was written; --write writes it, --show prints the logs in full")
    return 0


def _found(call: Invocation, host: str, since: str) -> list[Seen]:
    """Return the past sessions of this folder, of a host and from a time on."""
    begin = call.memory().bounds(since, "")[0]
    past = past_sessions(call.project(), user_folder(), variables())
    return [one for one in past if host in (one.host, "") and stamp_of(one.at) >= begin]


def _told(call: Invocation, found: list[Seen], *, dry_run: bool) -> list[Outcome]:
    """Tell sessions; return what became of those that were news."""
    outcomes = []
    past = capture_past(call.memory(), found, variables(), dry_run=dry_run)
    for number, outcome in enumerate(past, 1):
        call.out.progress(number, len(found))
        outcomes.append(outcome)
    return [one for one in outcomes if one.logs]


def _show(call: Invocation, found: list[Seen], news: list[Outcome], *, whole: bool) -> None:
    """List the sessions that would leave a log: of when and whose, and what the log is called."""
    for outcome in news:
        for stem, data in outcome.logs:
            text = data.decode()
            title = text.partition("\n# ")[2].partition("\n")[0]
            title = shown_title(title, outcome.asked.session, outcome.asks)
            call.out.line((stem[:_DAY], "yellow"), f"  {outcome.asked.host}  {title}")
            if whole:
                call.out.text(text)
    if not found:
        return call.out.line("no past session of this folder is found")
    sessions = f"{counted(len(found), 'past session')} of this folder"
    call.out.line(f"{sessions}; {len(news) or 'none'} would be told")
