"""Run `diurna report`: tell how memories lived, in numbers and as a picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ledger.errors import WrongUsage
from ledger.model.evidence import HOWS
from rituals.answers.record_fields import all_fields_of, fields_of
from rituals.cli.context import STDIN as STDOUT
from rituals.cli.context import Invocation
from rituals.cli.output import Output, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.lifecycle.life import Life
    from projection.lifecycle.statistics import Ages, Group, Reviews, Spread
    from rituals.report.lifecycle_report import Report
    from rituals.report.usage import Attention, Cost, Usage

_TOO_FEW = "too few to say"
_NOBODY = "nobody named"
#: The most agents, and facts of a list, that are printed; `--json` has all.
_AUTHORS_LIMIT = 20
_SHOWN_LIMIT = 5
_SCORES_LIMIT = 5
_MET = "shown used helped ignored asked"


def report(call: Invocation, since: str, until: str, kind: str, svg: str) -> None:
    """Run `diurna report`."""
    from rituals.report.lifecycle_report import report

    if svg == STDOUT and call.json:
        raise WrongUsage("standard output can not hold both", where="--json, --svg -",
                         hint="name a file for the picture")  # fmt: skip
    out = call.out
    found = report(call.memory(), since, until, kind, out.progress)
    if svg:
        from rituals.report.chart import picture
        from rituals.report.save import keep

        drawn = picture(found, kind)
        if svg == STDOUT:
            return out.text(drawn)
        keep(os.path.join(call.folder(), svg), drawn)
    if call.json:
        out.answer(
            {"since": since, "until": until, "kind": kind, "svg": svg, **_report_object(found)}
        )
    else:
        _print_report(found, out)
    if not found.lives:
        out.talk("no fact matches" if since or until or kind else "no fact yet")
    if svg:
        out.talk(f"wrote {svg}")


def _print_report(report: Report, out: Output) -> None:
    span = f", {report.first} to {report.last}" if report.first else ""
    facts = counted(report.whole.facts, "fact")
    sessions = counted(report.sessions, "work session")
    out.line((report.project, "bold"), f": {facts}, {sessions}{span}")
    if report.lives:
        _print_cost(report, out)
        out.heading("how they lived", "  ", ("medians, with the quartiles in brackets", "dim"))
    kind_width = max((len(group.kind) for group in report.groups), default=0)
    for group in report.groups if len(report.groups) > 1 else ():
        out.line("  ", (f"{group.kind:<{kind_width}}", "cyan"), f"  {_standing(group)}")
    if report.lives:
        name = report.groups[0].kind if len(report.groups) == 1 else "all"
        out.line("  ", (f"{name:<{kind_width}}", "cyan"), f"  {_standing(report.whole)}")
    for label, said in _lines(report.whole):
        out.line(f"    {label:<11} {said}")
    guilty = [one for one in report.authors if one.false or one.unused]
    if guilty:
        out.heading("who created what is false now")
    width = max((len(one.agent or _NOBODY) for one in guilty[:_AUTHORS_LIMIT]), default=0)
    for one in guilty[:_AUTHORS_LIMIT]:
        unused = f"; {one.unused} faded without a use" if one.unused else ""
        name = f"{one.agent or _NOBODY:<{width}}"
        out.line("  ", (name, "cyan"), f"  {one.false} of {counted(one.facts, 'fact')}{unused}")
    if len(guilty) > _AUTHORS_LIMIT:
        out.line(f"  and {len(guilty) - _AUTHORS_LIMIT} more")
    out.heading("reviews", f"  {_reviews(report.reviews)}")
    _print_attention(report.attention, out)


def _print_cost(report: Report, out: Output) -> None:
    """Print what memory cost, what of it was used, and what happened again although memory had it."""
    found, again = report.attention, report.repeats
    shown = [one for one in found.usage if one.shown]
    told = [one for one in found.usage if one.told]
    if not (shown or told or again.sessions):
        return out.line(("cost and use", "bold"), "  not known yet: no session was captured here")
    out.heading("cost", f"  {_costs(found.costs)}")
    to = counted(found.sessions, "session")
    out.line(f"  shown  {counted(len(shown), 'fact')} to {to}")
    if told:
        times, used = sum(one.told for one in told), sum(one.told_then_used for one in told)
        out.line(
            f"  told   {counted(len(told), 'fact')} when needed, {_times(times)}; {used} used then"
        )
    resting = found.resting
    if resting:
        ids = ", ".join([one.id for one in resting[:_AUTHORS_LIMIT]])
        more = f" and {len(resting) - _AUTHORS_LIMIT} more" if len(resting) > _AUTHORS_LIMIT else ""
        out.line(f"  rests  shown often since the last use, and no longer in briefs: {ids}{more}")
    hows = {how: sum(count for _, by, count in again.used if by == how) for how in HOWS}
    if any(hows.values()):
        out.line("")
        said = ", ".join(f"{count} {how}" for how, count in hows.items() if count)
        out.line(
            ("used", "bold"), f"  {_times(sum(hows.values()))} with evidence: {said}; most often:"
        )
    totals: dict[str, int] = {}
    for id, _, count in again.used:
        totals[id] = totals.get(id, 0) + count
    for id in sorted(totals, key=lambda id: (-totals[id], id))[:_SHOWN_LIMIT]:
        out.line(f"  {id}  {_times(totals[id])}")
    rows = [
        *[("corrected again", id, f"in {counted(count, 'session')}") for id, count in again.corrected],
        *[("tried again", id, f"in {counted(count, 'session')}") for id, count in again.retried],
        *[("broken", id, _broken(before, after)) for id, before, after in again.broken],
    ]  # fmt: skip
    if again.sessions:
        out.line("")
        of = counted(again.sessions, "captured session")
        out.line(
            ("again although memory had it", "bold"),
            f"  of {of}{'' if rows else ': nothing that was seen'}",
        )
    for what, id, said in rows[:_AUTHORS_LIMIT]:
        out.line(f"  {what:<15}  ", (id, "cyan"), f"  {said}")
    if len(rows) > _AUTHORS_LIMIT:
        out.line(f"  and {len(rows) - _AUTHORS_LIMIT} more")


def _costs(costs: tuple[Cost, ...]) -> str:
    """Say how many characters sessions were shown and told, at the median, and a day."""
    if not costs:
        return "not known: no log says how many characters it was"
    days: dict[str, int] = {}
    for one in costs:
        days[one.date] = days.get(one.date, 0) + one.shown + one.told
    a_session = [_median(getattr(one, what) for one in costs) for what in ("shown", "told")]
    shown, told = [f"{number:,}" for number in a_session]
    a_day = f"{_median(days.values()):,} a day"
    many = f"{counted(len(costs), 'session')} on {counted(len(days), 'day')}"
    return f"{shown} characters shown and {told} told a session, {a_day} (medians of {many})"


def _median(numbers: Iterable[int]) -> int:
    ordered = sorted(numbers)
    return ordered[(len(ordered) - 1) // 2]


def _broken(before: int, after: int) -> str:
    """Say how often commands broke a rule."""
    return f"{_times(before)} before the session had it" + (
        f", {_times(after)} after" if after else ""
    )


def _print_attention(found: Attention, out: Output) -> None:
    """Print what there is of how facts were met; nothing of what no log tells."""
    helped = [one for one in found.usage if one.helped or one.ignored]
    if helped:
        out.heading("helped, ignored")
    for one in sorted(helped, key=lambda one: (-one.helped, one.ignored, one.id))[:_AUTHORS_LIMIT]:
        out.line(f"  {one.id}  {_met(one)}")
    if any(count for _, count in found.findings):
        said = ", ".join(f"{count} {state}" for state, count in found.findings if count)
        out.heading("findings", f"  {said}")
    if found.verdicts:
        out.heading("verdicts")
    for role in found.verdicts:
        said = ", ".join(f"{count} {verdict}" for verdict, count in role.counts)
        out.line("  ", (role.role or _NOBODY, "cyan"), f"  {said}; {role.tokens:,} tokens")
    _print_quiz(found, out)
    remarked = [one for one in found.usage if one.remarks]
    if remarked:
        out.heading("remarks")
    for one in remarked[:_AUTHORS_LIMIT]:
        for key, value in one.remarks:
            out.line(f"  {one.id}  {key}: {value}")


def _print_quiz(found: Attention, out: Output) -> None:
    """Print the scores that the newest reviews noted, and what the last of them missed."""
    if not found.quiz:
        return
    last = found.quiz[-1]
    course = ", ".join(f"{one.answered} of {one.asked}" for one in found.quiz[-_SCORES_LIMIT:])
    out.heading("quiz", f"  {course} at the reviews up to {last.stem[:10]}")
    if last.unanswered:
        out.line(f"  missed: {', '.join(last.unanswered)}")


def _met(one: Usage) -> str:
    """Say how a fact was met, in numbers."""
    return ", ".join(f"{name} {getattr(one, name)}" for name in _MET.split())


def _standing(group: Group) -> str:
    counts = (
        (group.live, "live"), (group.faded, "faded"), (group.closed, "closed"),
        (group.false, "false"),
    )  # fmt: skip
    parts = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{counted(group.facts, 'fact')}: {parts}" if parts else counted(group.facts, "fact")


def _lines(group: Group) -> Iterator[tuple[str, str]]:
    if group.uses.enough:
        yield "uses", _spread(group.uses)
    came_back = f"; came back {_times(group.returns)}" if group.returns else ""
    for label, ages, more in (
        ("faded", group.fading, came_back),
        ("superseded", group.superseding, ""),
        ("invalidated", group.invalidating, ""),
        ("closed", group.closing, ""),
    ):
        number = ages.sessions.size
        if number and (ages.sessions.enough or more):
            yield label, f"{_times(number)}, {_age(ages)}{more}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _spread(spread: Spread) -> str:
    if not spread.enough:
        return _TOO_FEW
    return f"{spread.median} ({spread.lower}–{spread.upper})"


def _age(ages: Ages) -> str:
    if not ages.sessions.enough:
        return f"{_TOO_FEW} at what age"
    days = ages.days
    inner = f"{days.median} ({days.lower}–{days.upper})"
    return f"at the age of {_spread(ages.sessions)} sessions, {inner} days"


def _reviews(reviews: Reviews) -> str:
    held = f"{reviews.held} held"
    if reviews.early:
        held += f" ({reviews.early} before one was due)"
    if not reviews.every:
        return f"{held}; the policy asks for none"
    due = "; one is due now" if reviews.due else ""
    every = counted(reviews.every, "work session")
    return f"{held}, {reviews.skipped} skipped; one is due every {every}{due}"


def _report_object(report: Report) -> dict[str, object]:
    course, again = report.course, report.repeats
    used: dict[str, dict[str, int]] = {}
    for id, how, count in again.used:
        used.setdefault(id, {})[how] = count
    return {
        **fields_of(report, "project sessions first last"),
        "all": _group_object(report.whole),
        "kinds": [{"kind": one.kind, **_group_object(one)} for one in report.groups],
        "agents": [all_fields_of(one) for one in report.authors],
        "reviews": all_fields_of(report.reviews),
        "course": {
            **fields_of(course, "sessions dates"),
            "tiers": {tier: list(row) for tier, row in course.tiers},
        },
        "shown": {
            "sessions": report.attention.sessions,
            "resting": [one.id for one in report.attention.resting],
        },
        "costs": [all_fields_of(one) for one in report.attention.costs],
        "again": {
            "sessions": again.sessions,
            "corrected": dict(again.corrected),
            "retried": dict(again.retried),
            "broken": [
                {"id": id, "before": before, "after": after} for id, before, after in again.broken
            ],
        },
        "findings": dict(report.attention.findings),
        "verdicts": [
            {"role": one.role, "counts": dict(one.counts), "tokens": one.tokens}
            for one in report.attention.verdicts
        ],
        "quiz": [all_fields_of(one) for one in report.attention.quiz],
        "facts": [
            _life_object(life, one, used.get(life.id, {}))
            for life, one in zip(report.lives, report.attention.usage, strict=True)
        ],
    }


def _group_object(group: Group) -> dict[str, object]:
    return {
        "facts": group.facts,
        "standing": fields_of(group, "live faded closed false"),
        "uses": _spread_object(group.uses),
        "faded": _ages_object(group.fading),
        "returned": {"count": group.returns},
        "superseded": _ages_object(group.superseding),
        "invalidated": _ages_object(group.invalidating),
        "closed": _ages_object(group.closing),
    }


def _ages_object(ages: Ages) -> dict[str, object]:
    return {
        "count": ages.sessions.size,
        "age_sessions": _spread_object(ages.sessions),
        "age_days": _spread_object(ages.days),
    }


def _spread_object(spread: Spread) -> dict[str, object] | None:
    """Describe quartiles; None where the numbers are too few."""
    if not spread.enough:
        return None
    return fields_of(spread, "lower median upper")


def _life_object(life: Life, met: Usage, used_by: dict[str, int]) -> dict[str, object]:
    return {
        **fields_of(life, "id kind agent"),
        "born": life.born.rstrip("~"),
        "born_session": life.session,
        "uses": life.uses,
        "last_used": life.last,
        **fields_of(life, "tier reason"),
        **fields_of(met, "shown told told_then_used helped ignored asked rests"),
        "used_by": used_by,
        "remarks": dict(met.remarks),
        "moments": [all_fields_of(one) for one in life.moments],
    }
