"""Print contradictions, and write them as JSON."""

from __future__ import annotations

from rituals.answers.record_fields import fields_of
from rituals.decide.open_contradictions import OVERRULED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.output import Output
    from rituals.decide.open_contradictions import Dispute


def dispute_object(dispute: Dispute) -> dict[str, object]:
    """Describe a contradiction."""
    return {
        "id": dispute.fact,
        **fields_of(dispute, "kind said"),
        "choices": [fields_of(one, "id text stem agent date closed") for one in dispute.choices],
        "resolve": resolve_command(dispute),
    }


def resolve_command(dispute: Dispute) -> str:
    """Return the command that resolves a contradiction."""
    if dispute.kind == OVERRULED:
        return "diurna review"
    return f"diurna conflicts {dispute.fact} --choose {dispute.choices[0].id}"


def show_dispute(out: Output, dispute: Dispute, number: int = 1) -> int:
    """Print a contradiction and its sides, numbered from `number` on; return the number after the last."""
    out.line((dispute.fact, "bold"), f" — {dispute.said} ({dispute.kind})")
    for choice in dispute.choices:
        shown = (
            "·" if dispute.kind == OVERRULED else str(number)
        )  # `resolve` takes none of its sides
        closed = ", closed" if choice.closed else ""
        who = choice.agent or "nobody named"
        out.line(f"  {shown}  ", (choice.id, "yellow"), f"  by {who}, {choice.date}{closed}")
        out.line(("     in ", "dim"), out.short(choice.stem))
        for line in choice.text.split("\n"):
            out.line(f"     {line}".rstrip())
        number += 1
    out.line(("  resolve: ", "dim"), resolve_command(dispute))
    return number
