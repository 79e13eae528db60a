"""Write a view as the file that stands beside `continuity.md`, and tell such files from others.

Its last line is that of `continuity.md`: by it drift shows, and an edit finds what it began from
(FORMAT.md, P7).
"""

from __future__ import annotations

import re

from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, VIEW_FILES
from projection.document import unsaid as page_files
from projection.document.edit_events import Absorbed, absorb
from projection.document.render import machine
from projection.views.edits import absorb_view
from projection.views.page import write
from projection.views.parse import NOTE, parse_view
from projection.views.views import page_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from projection.fold.fact import Fact, History
    from projection.fold.state import Standing
    from projection.policy.model import Policy
    from projection.views.parse import ViewText
    from projection.views.source import ViewSource

#: What of a view is computed, line by line.
_COMPUTED = re.compile(
    r"#{2,3} .*|None( yet)?\.|Never\.|Not recorded\.|\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?|.* \(`[a-z0-9.-]+`\)"
    r"|- (Date|Decided by|Rationale|Status): .*|- DEC-\d{3,}: .* `[a-z0-9.-]+`"
)


def published(name: str, source: ViewSource) -> str:
    """Write a view as its file."""
    summary = source.summary
    last = machine(FORMAT_VERSION, summary.logs, summary.newest, summary.digest)
    return f"{write(page_of(name, source)._replace(note=NOTE))}\n{last}\n"


def has_rendered_form(path: str, text: str) -> bool:
    """Tell whether a projection file is one that rendering may have written: nothing else stands in it."""
    if path not in VIEW_FILES:
        return page_files.has_rendered_form(path, text)
    found = parse_view(path, text)
    ours = found.title.startswith(VIEW_FILES[path].capitalize()) and found.machine is not None
    return ours and found.note == NOTE and not found.noticed and not _strange(found)


def unsaid(path: str, text: str, histories: Mapping[str, History]) -> tuple[Finding, ...]:
    """Name what stands in a projection file and in no log, by line."""
    if path not in VIEW_FILES:
        return page_files.unsaid(path, text, histories)
    found = parse_view(path, text)
    said = [*found.noticed, *page_files.unsaid_blocks(path, found.blocks, histories)]
    said += [page_files.unsaid_line(path, line) for line in _strange(found)]
    if found.note not in ("", NOTE) or not found.title:
        said.append(page_files.unsaid_line(path, 1))
    return tuple(sorted(said, key=lambda one: one.line))


def withheld(path: str, text: str, fact_of: Callable[[str], Fact | None]) -> list[Finding]:
    """Name what a projection file shows and was redacted since, by line."""
    if path not in VIEW_FILES:
        return page_files.withheld(path, text, fact_of)
    return page_files.withheld_blocks(path, parse_view(path, text).blocks, fact_of)


def _strange(found: ViewText) -> list[int]:
    """Return the numbers of the lines that stand there and are neither computed nor of a fact."""
    lines = [*found.frame]
    for one in found.loose:
        lines += [(one.block.line + number, line) for number, line in enumerate(one.lines)]
    return [number for number, line in lines if line and not _COMPUTED.fullmatch(line)]


def absorb_file(
    path: str,
    base: str,
    edited: str,
    policy: Policy,
    known: Callable[[str], Standing | None],
    *,
    file: str = "",
) -> Absorbed:
    """Read what a person's edit of a projection file says.

    Args:
        path: of the file in the home: `continuity.md` or that of a view.
        base: the file as it was rendered.
        edited: the file as it stands.
        policy: names the kinds.
        known: gives the facts as they stand in the ledger now.
        file: its name in findings, "" for its path.
    """
    read = absorb_view if path in VIEW_FILES else None
    if read is None:
        return absorb(base, edited, policy, known, file=file or path)
    return read(path, base, edited, policy, known, file=file or path)
