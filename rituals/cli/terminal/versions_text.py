"""Print what `diurna why --versions` answers: every version of a fact, and which stands."""

from __future__ import annotations

from rituals.answers.record_fields import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.output import Output
    from rituals.decide.version_list import Telling


def versions_object(fact: str, found: tuple[Telling, ...]) -> dict[str, object]:
    """Describe the versions of a fact."""
    step = "version text event was stem agent date title commit"
    return {
        "id": fact,
        "versions": [
            {**fields_of(one, "number stands"), **fields_of(one.step, step)} for one in found
        ],
    }


def print_versions(fact: str, found: tuple[Telling, ...], out: Output) -> None:
    """Print the versions of a fact, oldest first."""
    out.line((fact, "bold"))
    for one in found:
        step = one.step
        stands = "  stands" if one.stands else ""
        replaces = f"  replaces {', '.join(step.was)}" if step.was else ""
        out.line("")
        out.line(f"{one.number:>3}  ", (step.version, "yellow"), (stands, "green"), replaces)
        out.line(f"     {step.date}  {step.event} by {step.agent or 'nobody named'}: {step.title}")
        out.line(("     in ", "dim"), out.short(step.stem))
        for line in step.text.split("\n"):
            out.line(f"     {line}".rstrip())
