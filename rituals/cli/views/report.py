"""Print the lifecycle report, and build the object of its `--json`."""

from __future__ import annotations

from rituals.answers.fields import all_fields_of, fields_of
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from projection.lifecycle.life import Life
    from projection.lifecycle.statistics import Ages, Group, Reviews, Spread
    from rituals.cli.output import Output
    from rituals.report.report import Report
    from rituals.report.usage import Attention, Usage

_TOO_FEW = "too few to say"
_NOBODY = "nobody named"
#: The most agents, and facts of a list, that are printed; `--json` has all.
_AUTHORS_LIMIT = 20
_SHOWN_LIMIT = 5
_SCORES_LIMIT = 5
_MET = "shown used helped ignored asked"


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
    _print_attention(report.attention, out)


def _print_attention(found: Attention, out: Output) -> None:
    """Print what there is of how facts were met; nothing of what no log tells."""
    shown = sorted([one for one in found.usage if one.shown], key=lambda one: (-one.shown, one.id))
    if shown:
        out.line("")
        to = counted(found.sessions, "session")
        out.line(("shown", "bold"), f"  {counted(len(shown), 'fact')} to {to}; most often:")
    for one in shown[:_SHOWN_LIMIT]:
        out.line(f"  {one.id}  {_met(one)}")
    if found.unused:
        out.line("")
        out.line(("shown often and never used", "bold"), f"  {counted(len(found.unused), 'fact')}")
    for one in found.unused[:_AUTHORS_LIMIT]:
        out.line(f"  {one.id}  shown {_times(one.shown)}")
    helped = [one for one in found.usage if one.helped or one.ignored]
    if helped:
        out.line("")
        out.line(("helped, ignored", "bold"))
    for one in sorted(helped, key=lambda one: (-one.helped, one.ignored, one.id))[:_AUTHORS_LIMIT]:
        out.line(f"  {one.id}  {_met(one)}")
    if any(count for _, count in found.findings):
        said = ", ".join(f"{count} {state}" for state, count in found.findings if count)
        out.line("")
        out.line(("findings", "bold"), f"  {said}")
    if found.verdicts:
        out.line("")
        out.line(("verdicts", "bold"))
    for role in found.verdicts:
        said = ", ".join(f"{count} {verdict}" for verdict, count in role.counts)
        out.line("  ", (role.role or _NOBODY, "cyan"), f"  {said}; {role.tokens:,} tokens")
    _print_quiz(found, out)
    remarked = [one for one in found.usage if one.remarks]
    if remarked:
        out.line("")
        out.line(("remarks", "bold"))
    for one in remarked[:_AUTHORS_LIMIT]:
        for key, value in one.remarks:
            out.line(f"  {one.id}  {key}: {value}")


def _print_quiz(found: Attention, out: Output) -> None:
    """Print the scores that the newest reviews noted, and what the last of them missed."""
    if not found.quiz:
        return
    last = found.quiz[-1]
    course = ", ".join(f"{one.answered} of {one.asked}" for one in found.quiz[-_SCORES_LIMIT:])
    out.line("")
    out.line(("quiz", "bold"), f"  {course} at the reviews up to {last.stem[:10]}")
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
        "shown": {
            "sessions": report.attention.sessions,
            "unused": [one.id for one in report.attention.unused],
        },
        "findings": dict(report.attention.findings),
        "verdicts": [
            {"role": one.role, "counts": dict(one.counts), "tokens": one.tokens}
            for one in report.attention.verdicts
        ],
        "quiz": [all_fields_of(one) for one in report.attention.quiz],
        "facts": [
            _life_object(life, one)
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


def _life_object(life: Life, met: Usage) -> dict[str, object]:
    return {
        **fields_of(life, "id kind agent"),
        "born": life.born.rstrip("~"),
        "born_session": life.session,
        "uses": life.uses,
        "last_used": life.last,
        **fields_of(life, "tier reason"),
        **fields_of(met, "shown helped ignored asked"),
        "remarks": dict(met.remarks),
        "moments": [all_fields_of(one) for one in life.moments],
    }
