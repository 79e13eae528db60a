"""Run `diurna review --report`: tell in numbers what memory cost, and how memories lived."""

from __future__ import annotations

from collections.abc import Iterator

from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Line, counted, few, heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.lifecycle.statistics import Ages, Group, Reviews, Spread
    from rituals.report.lifecycle_report import Report

_LIFE = "id kind agent uses tier reason born_session=session last_used=last moments"
_TOO_FEW = "too few to say"
_NOBODY = "nobody named"
#: The most agents and resting facts that are printed; `--json` has all.
_LIMIT = 20
#: What happened to facts at some age, as a group has it, and as it is told.
_AGES = {
    "fading": "faded", "superseding": "superseded", "invalidating": "invalidated",
    "closing": "closed",
}  # fmt: skip


def report(call: Invocation) -> None:
    """Tell how memories lived."""
    from rituals.report.lifecycle_report import report

    found = report(call.memory(), call.out.progress)
    call.answer(lambda: _report_object(found), _report_lines(found))
    if not found.lives:
        call.out.talk("no fact yet")


def _report_lines(report: Report) -> Iterator[Line]:
    span = f", {report.first} to {report.last}" if report.first else ""
    facts = counted(report.whole.facts, "fact")
    yield (report.project, "bold"), f": {facts}, {counted(report.sessions, 'work session')}{span}"
    if report.lives:
        yield from _cost(report)
        yield heading("how they lived", "  ", ("medians, with the quartiles in brackets", "dim"))
    several = len(report.groups) != 1
    rows = [(one.kind, one) for one in report.groups if several]
    rows += [("all" if several else report.groups[0].kind, report.whole)] * bool(report.lives)
    width = max((len(group.kind) for group in report.groups), default=0)
    yield from [("  ", (f"{name:<{width}}", "cyan"), f"  {_standing(one)}") for name, one in rows]
    yield from [f"    {label:<11} {said}" for label, said in _lines(report.whole)]
    guilty = [one for one in report.authors if one.false or one.unused]
    if guilty:
        yield heading("who created what is false now")
    width = max((len(one.agent or _NOBODY) for one in guilty[:_LIMIT]), default=0)
    for one in guilty[:_LIMIT]:
        unused = f"; {one.unused} faded without a use" if one.unused else ""
        said = f"  {one.false} of {counted(one.facts, 'fact')}{unused}"
        yield "  ", (f"{one.agent or _NOBODY:<{width}}", "cyan"), said
    if len(guilty) > _LIMIT:
        yield f"  and {len(guilty) - _LIMIT} more"
    yield heading("reviews", f"  {_reviews(report.reviews)}")


def _cost(found: Report) -> Iterator[Line]:
    """Yield how many characters sessions were shown and told, at the median, and which facts."""
    from statistics import median_low

    shown, told = [sum(bool(getattr(one, key)) for one in found.usage) for key in ("shown", "told")]
    if not (shown or told or found.costs):
        yield ("cost", "bold"), "  not known yet: no session was captured here"
        return
    days: dict[str, int] = {}
    for one in found.costs:
        days[one.date] = days.get(one.date, 0) + one.shown + one.told
    said = "not known: no log says how many characters it was"
    if days:
        many = f"{counted(len(found.costs), 'session')} on {counted(len(days), 'day')}"
        each = [median_low(getattr(one, key) for one in found.costs) for key in ("shown", "told")]
        said = f"{each[0]:,} characters shown and {each[1]:,} told a session, "
        said += f"{median_low(days.values()):,} a day (medians of {many})"
    yield heading("cost", f"  {said}")
    yield f"  shown  {counted(shown, 'fact')} to {counted(found.shown_to, 'session')}"
    if told:
        yield f"  told   {counted(told, 'fact')} when needed"
    if found.resting:
        ids = few([one.id for one in found.resting], _LIMIT)
        yield f"  rests  shown often since the last use, and no longer in briefs: {ids}"


def _standing(group: Group) -> str:
    counts = [(getattr(group, what), what) for what in ("live", "faded", "closed", "false")]
    parts = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{counted(group.facts, 'fact')}: {parts}" if parts else counted(group.facts, "fact")


def _lines(group: Group) -> Iterator[tuple[str, str]]:
    if group.uses.enough:
        yield "uses", _spread(group.uses)
    came_back = f"; came back {_times(group.returns)}" if group.returns else ""
    for field, label in _AGES.items():
        ages, more = getattr(group, field), came_back if field == "fading" else ""
        number = ages.sessions.size
        if number and (ages.sessions.enough or more):
            yield label, f"{_times(number)}, {_age(ages)}{more}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _spread(spread: Spread) -> str:
    return f"{spread.median} ({spread.lower}–{spread.upper})" if spread.enough else _TOO_FEW


def _age(ages: Ages) -> str:
    if not ages.sessions.enough:
        return f"{_TOO_FEW} at what age"
    return f"at the age of {_spread(ages.sessions)} sessions, {_spread(ages.days)} days"


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
    course = fields_of(report.course, "sessions dates")
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
    }


def _group_object(group: Group) -> dict[str, object]:
    found = {
        "facts": group.facts,
        "standing": fields_of(group, "live faded closed false"),
        "uses": _spread_object(group.uses),
        "returned": {"count": group.returns},
    }
    for field, label in _AGES.items():
        ages: Ages = getattr(group, field)
        sessions, days = _spread_object(ages.sessions), _spread_object(ages.days)
        found[label] = {"count": ages.sessions.size, "age_sessions": sessions, "age_days": days}
    return found


def _spread_object(spread: Spread) -> dict[str, object] | None:
    """Describe quartiles; None where the numbers are too few."""
    return fields_of(spread, "lower median upper") if spread.enough else None
