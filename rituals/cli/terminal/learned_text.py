"""Print which facts came with a sync, and what became of others."""

from __future__ import annotations

from memory.recall.hits.snippets import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.merge.summary import Learned
    from rituals.cli.output import Output

#: How many facts are named, and how much of each.
_NAMED, _LINE_CHARS = 12, 72


def print_learned(learned: Learned, out: Output) -> None:
    """Name the facts that came or changed, a line each."""
    for what, id, line in learned.named[:_NAMED]:
        out.line(f"  {', '.join(what)}  ", (id, "yellow"), f"  {one_line(line, _LINE_CHARS)}")
    if len(learned.named) > _NAMED:
        more = len(learned.named) - _NAMED
        out.line(f"  and {more} more; `diurna log` lists the logs that came")
