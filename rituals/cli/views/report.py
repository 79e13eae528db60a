"""Print the lifecycle report, and build the object of its `--json`."""

from __future__ import annotations

from rituals.answers.fields import all_fields_of, fields_of
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from projection.lifecycle.lives import Life
    from projection.lifecycle.statistics import Ages, Group, Reviews, Spread
    from rituals.cli.output import Output
    from rituals.report.report import Report

_TOO_FEW = "too few to say"
_NOBODY = "nobody named"
#: The most agents that are printed; `--json` has all.
_AUTHORS_LIMIT = 20


def print_report(report: Report, out: Output) -> None:
    """Print a report as text."""
    span = f", {report.first} to {report.last}" if report.first else ""
    facts = counted(report.whole.facts, "fact")
    sessions = counted(report.sessions, "work session")
    out.line((report.project, "bold"), f": {facts}, {sessions}{span}")
    if report.lives:
        out.line(("medians, with the quartiles in brackets", "dim"))
    for group in (*report.groups, *((report.whole,) if len(report.groups) > 1 else ())):
        out.line("")
        out.line((group.kind or "all kinds", "bold"), f"  {_standing(group)}")
        for label, said in _lines(group):
            out.line(f"  {label:<11} {said}")
    if report.authors:
        out.line("")
        out.line(("who created what is false now", "bold"))
    width = max((len(one.agent or _NOBODY) for one in report.authors[:_AUTHORS_LIMIT]), default=0)
    for one in report.authors[:_AUTHORS_LIMIT]:
        unused = f"; {one.unused} faded without a use" if one.unused else ""
        name = f"{one.agent or _NOBODY:<{width}}"
        out.line("  ", (name, "cyan"), f"  {one.false} of {counted(one.facts, 'fact')}{unused}")
    if len(report.authors) > _AUTHORS_LIMIT:
        out.line(f"  and {len(report.authors) - _AUTHORS_LIMIT} more")
    out.line("")
    out.line(("reviews", "bold"), f"  {_reviews(report.reviews)}")


def _standing(group: Group) -> str:
    counts = (
        (group.live, "live"), (group.faded, "faded"), (group.closed, "closed"),
        (group.false, "false"),
    )  # fmt: skip
    parts = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{counted(group.facts, 'fact')}: {parts}" if parts else counted(group.facts, "fact")


def _lines(group: Group) -> Iterator[tuple[str, str]]:
    yield "uses", _spread(group.uses)
    came_back = f"; came back {_times(group.returns)}" if group.returns else ""
    for label, ages, more in (
        ("faded", group.fading, came_back),
        ("superseded", group.superseding, ""),
        ("invalidated", group.invalidating, ""),
        ("closed", group.closing, ""),
    ):
        number = ages.sessions.size
        if number or more:
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


def report_object(report: Report) -> dict[str, object]:
    """Describe a report."""
    course = report.course
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
        "facts": [_life_object(life) for life in report.lives],
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


def _life_object(life: Life) -> dict[str, object]:
    return {
        **fields_of(life, "id kind agent"),
        "born": life.born.rstrip("~"),
        "born_session": life.session,
        "uses": life.uses,
        "last_used": life.last,
        **fields_of(life, "tier reason"),
        "moments": [all_fields_of(one) for one in life.moments],
    }
