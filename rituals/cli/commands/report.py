"""Run `diurna review --report`: tell in numbers what memory cost, and how memories lived."""

from __future__ import annotations

from statistics import median_low

from projection.lifecycle.statistics import Group, Spread
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.output import counted
from rituals.report.lifecycle_report import Report

_LIFE = "id kind agent uses tier reason born_session=session last_used=last moments"
#: What happened to facts at some age, as a group has it, and as it is told.
_AGES = {
    "fading": "faded",
    "superseding": "superseded",
    "invalidating": "invalidated",
    "closing": "closed",
}
_AGE = ", at the age of {{all.{0}.age_sessions.median}} sessions, {{all.{0}.age_days.median}} days"
_REPORT = Layout(
    """
{project:bold}: {all.facts#fact}, {sessions#work session}[, {first} to {last}]
{=cost}
[  shown  {=shown#fact} to {shown.sessions#session}]
[  told   {=told#fact} when needed]
  rests  shown often since the last use, and no longer in briefs: {shown.resting}
kinds|# how they lived, with medians
kinds|  {kind:cyan}  {facts#fact}: {=standing}
  uses        {all.uses.median} ({all.uses.lower}–{all.uses.upper})
"""
    + "".join(
        [f"[  {one:<11} {{all.{one}.count#time}}][{_AGE.format(one)}]\n" for one in _AGES.values()]
    )
    + """[  came back   {all.returned.count#time}]
=guilty:20|# who created what is false now
=guilty:20|  {agent|nobody named:cyan}  {false} of {facts#fact}[; {unused} faded without a use]
# reviews
  {reviews.held} held[ ({reviews.early} before one was due)], {reviews.skipped} skipped
[  one is due every {reviews.every#work session}][; one is due now{reviews.due}]
"""
)


def report(call: Invocation) -> None:
    """Tell how memories lived."""
    from rituals.report.lifecycle_report import report

    found = report(call.memory(), call.out.progress)
    call.answer(_report_object(found), _REPORT)
    if not found.lives:
        call.out.talk("no fact yet")


def _report_object(report: Report) -> dict[str, object]:
    course = fields_of(report.course, "sessions dates")
    days: dict[str, int] = {}
    for one in report.costs:
        days[one.date] = days.get(one.date, 0) + one.shown + one.told
    cost = "cost: not known yet"
    if days:
        each = [median_low(getattr(one, key) for one in report.costs) for key in ("shown", "told")]
        cost = f"cost: {each[0]:,} characters shown and {each[1]:,} told a session, "
        cost += f"{median_low(days.values()):,} a day (medians of "
        cost += f"{counted(len(report.costs), 'session')} on {counted(len(days), 'day')})"
    return {
        **fields_of(report, "project sessions first last agents=authors reviews costs"),
        "all": _group_object(report.whole),
        "kinds": [{"kind": one.kind, **_group_object(one)} for one in report.groups],
        "course": {**course, "tiers": dict(report.course.tiers)},
        "shown": {"sessions": report.shown_to, "resting": [one.id for one in report.resting]},
        "facts": [
            {
                **fields_of(life, _LIFE),
                **fields_of(met, "shown told rests"),
                "born": life.born.rstrip("~"),
            }
            for life, met in zip(report.lives, report.usage, strict=True)
        ],
        "=cost": cost,
        "=shown": sum(bool(one.shown) for one in report.usage),
        "=told": sum(bool(one.told) for one in report.usage),
        "=guilty": [one for one in report.authors if one.false or one.unused],
    }


def _group_object(group: Group) -> dict[str, object]:
    standing = fields_of(group, "live faded closed false")
    found = {
        "facts": group.facts,
        "standing": standing,
        "uses": _spread_object(group.uses),
        "returned": {"count": group.returns},
        "=standing": [f"{many} {what}" for what, many in standing.items() if many],
    }
    for field, label in _AGES.items():
        ages = getattr(group, field)
        sessions, days = _spread_object(ages.sessions), _spread_object(ages.days)
        found[label] = {"count": ages.sessions.size, "age_sessions": sessions, "age_days": days}
    return found


def _spread_object(spread: Spread) -> dict[str, object] | None:
    """Describe quartiles; None where the numbers are too few."""
    return fields_of(spread, "lower median upper") if spread.enough else None
