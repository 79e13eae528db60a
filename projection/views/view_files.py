"""Write a view as the file that stands beside `continuity.md`, and tell such files from others.

Its last line is that of `continuity.md`: by it drift shows, and an edit finds what it began from
(FORMAT.md, P7).
"""

from __future__ import annotations

import re

from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, VIEW_FILES
from projection.document import unlogged_lines as page_files
from projection.document.edit_events import NOTHING as NOTHING
from projection.document.edit_events import Absorbed, absorb
from projection.document.page_parser import AFTER_FOOTER, NO_BULLET, parse
from projection.document.page_renderer import machine, section_title
from projection.views.view_edits import absorb_view
from projection.views.view_page import write
from projection.views.view_parser import NOTE, parse_view
from projection.views.view_table import page_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from projection.fold.fact_history import Fact, History
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from projection.policy.model import Policy
    from projection.views.view_parser import ViewText
    from projection.views.view_source import ViewSource

#: What a person can always do about a page that Diurna does not understand.
WAY_OUT = (
    "or `diurna check --publish --discard-edits` writes the page anew and keeps this one beside git"
)
#: What a merge leaves around two sides.
_MARKER = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.M)
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

    `path` is in the home, `continuity.md` or that of a view; `base` is the file as it was rendered;
    `known` gives the facts as they stand in the ledger now. `file` is its name in findings, "" for its
    path.
    """
    if path in VIEW_FILES:
        return absorb_view(path, base, edited, policy, known, file=file or path)
    return absorb(base, edited, policy, known, file=file or path)


def read_edit(path: str, base: str | None, edited: str, now: State, *, file: str = "") -> Absorbed:
    """Read what a person's edit of a projection file says, wherever the file stands (A7).

    `base` is the file as it was rendered, None where nobody knows; `file` is its name in findings, ""
    for its path.
    """
    marker = _MARKER.search(edited)
    if base is None or marker is not None:  # of two sides what is new in either counts
        left = unsaid(path, edited, now.histories)
        if left and marker is not None and file:  # of a committed one, `check` names each
            line = edited.count("\n", 0, marker.start()) + 1
            hint = "keep the lines that hold, and take those with the markers away"
            what = "a merge conflict marker"
            left = (Finding("conflict-in-projection", what, path, line, hint), *left)
        found = Absorbed((), tuple([one._replace(file=file or path) for one in left]))
    else:
        found = absorb_file(path, base, edited, now.policy, now.get, file=file)
    return found._replace(findings=with_way_out(found.findings))


def left_said(path: str, text: str, policy: Policy) -> Absorbed:
    """Name what stands around the facts of a file of which a log says what events can say."""
    if path in VIEW_FILES:
        found = parse_view(path, text)
        lines = _strange(found)
    else:
        parsed, noticed = parse(text, file=path)
        titles = {section_title(policy, kind.name) for kind in policy.kinds}
        said = [one for one in noticed if one.message not in (AFTER_FOOTER, NO_BULLET)]
        lines = [one.line for one in said]
        lines += [one.line for one in parsed.blocks if not one.id and one.section not in titles]
    left = tuple([page_files.unsaid_line(path, line) for line in sorted(lines)])
    return Absorbed((), with_way_out(left))


def with_way_out(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Let the first of some findings name the command that is always a way out."""
    if not findings:
        return ()
    first, *others = findings
    return (first._replace(hint=f"{first.hint}; {WAY_OUT}" if first.hint else WAY_OUT), *others)
