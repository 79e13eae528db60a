"""Print where a fact comes from: every event of it, with session, commit and text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.provenance import Provenance
    from rituals.cli.output import Output


def print_provenance(found: Provenance, out: Output) -> None:
    """Print where a fact comes from."""
    said = [one for one in (found.mark.said, found.known.said, found.mark.behind.strip()) if one]
    out.line((found.id, "bold"), "".join([f"  {one}" for one in said]))
    for step in found.steps:
        out.line("")
        out.line(f"{step.date}  ", (step.event, "bold"), f"  by {step.agent or 'nobody named'}")
        made = "waiting to be committed" if step.waiting else step.origin.said
        out.line(("  in ", "dim"), out.short(step.stem), f", {made}" if made else "")
        if step.source or step.by:
            wrote = f", written {step.created}" if step.created else ""
            out.line(
                f"  from {step.source or 'elsewhere'}{wrote}{f' by {step.by}' if step.by else ''}"
            )
        if step.remark:
            out.line(f"  {'evidence' if step.proof else 'remark'}: {step.remark}")
        if step.version:
            replaces = f", replaces {', '.join(step.was)}" if step.was else ""
            out.line(f"  version {step.version}{replaces}:")
            for line in step.text.split("\n"):
                out.line(f"    {line}".rstrip())
    if found.chain:
        out.line("")
        out.line(("supersessions", "bold"))
    for link in found.chain:
        left = "" if link.counts else "  (does not count)"
        out.line(f"  {link.old} → {link.new}{left}  ", (out.short(link.stem), "dim"))
    if found.further:
        out.line("  … and more, further away: --json has all")
