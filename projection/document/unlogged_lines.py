"""Find what a projection file says and no log does, and tell whether Diurna rendered the file.

Both look at nothing but the text and the facts, so they hold for files whose history nobody knows: a
squashed commit, a cherry-pick, a file that stood there before Diurna did (FORMAT.md, P5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ledger.codec.fact_blocks import tidy
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.finding_codes import Finding
from ledger.model.layout import ARCHIVE_INDEX, CONTINUITY_FILE, VIEW_FILES
from projection.document.edit_events import Absorbed, absorb
from projection.document.page_parser import (
    TWO_MACHINES,
    Block,
    Parsed,
    has_rendered_form,
    indexed,
    parse,
)
from projection.document.page_renderer import NOTE
from projection.fold.fact_history import REDACTED_TEXT, Fact, History
from projection.fold.full_replay import State

#: What says nothing of its own: where a text that both sides have stands twice.
_REPEATED = ("duplicate-block", "conflict-in-projection")
_HINT = "record what it says with `diurna note TEXT`, or move it to a file of your own"
_STAYS = "it stands here until a person's lines are out of the way and the page is written again"
#: What a person can always do about a page that Diurna does not understand.
WAY_OUT = (
    "or `diurna check --publish --discard-edits` writes the page anew and keeps this one beside git"
)
#: What a merge leaves around two sides.
_MARKER = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.M)
#: What stands before the text of a fact in a view, and a line of a view that is computed whole.
_LEAD = re.compile(r"(?:\s|- |\[[ xX]\] |Decision: |\\)*")
_COMPUTED = re.compile(
    r"#{1,3} .*|> .*|<!-- .* -->|\*\*Contradiction\*\*: .*|.*\((?:redacted|no text)\)"
    r"|None( yet)?\.|Never\.|Not recorded\.|\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?|.* \(`[a-z0-9.-]+`\)"
    r"|(Date|Decided by|Rationale|Status|Reworded|Superseded by .*|Marked as false|Holds again): .*"
    r"|DEC-\d{3,}: .* `[a-z0-9.-]+`"
)
_FOOTER_ID = re.compile(r"\s*<!-- id: ([a-z0-9.-]+)[ |]")


def unsaid(path: str, text: str, histories: Mapping[str, History]) -> tuple[Finding, ...]:
    """Name what stands in a projection file and in no log, by line."""
    if path == ARCHIVE_INDEX:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        said = [(n, indexed(line)) for n, line in lines if not line.startswith("# ")]
        return tuple([unsaid_line(path, n) for n, id in said if id not in histories])
    if path in VIEW_FILES:
        return _unsaid_in_view(path, text, histories)
    parsed, noticed = parse(text, file=path)
    found = [one for one in noticed if one.code not in _REPEATED and one.message != TWO_MACHINES]
    texts: set[str] | None = None
    for block in parsed.blocks:
        if block.id in histories and _says(histories[block.id], block):
            continue
        if texts is None:
            texts = texts_in(histories)
        if tidy(block.text) not in texts:
            found.append(unsaid_line(path, block.line))
    found += [unsaid_line(path, 1) for _ in _head(parsed)][:1]
    return tuple(sorted(found, key=lambda one: one.line))


def _bare_lines(text: str) -> list[str]:
    return [_LEAD.sub("", line, count=1).strip() for line in text.split("\n")]


def _unsaid_in_view(path: str, text: str, histories: Mapping[str, History]) -> tuple[Finding, ...]:
    """Name the lines of a view that are neither computed nor of a text of a log."""
    if not has_rendered_form(path, text):
        return (unsaid_line(path, 1),)
    known = {line for said in texts_in(histories) for line in _bare_lines(said)} | {""}
    lines = _bare_lines(text.removeprefix("\ufeff"))
    strange = [n for n, line in enumerate(lines, 1) if line not in known]
    return tuple([unsaid_line(path, n) for n in strange if not _COMPUTED.fullmatch(lines[n - 1])])


def withheld(path: str, text: str, fact_of: Callable[[str], Fact | None]) -> list[Finding]:
    """Name what a projection file shows and was redacted since, by the line of its footer (F9)."""
    found = []
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        footer = _FOOTER_ID.match(line)
        fact = fact_of(footer[1]) if footer and not before.endswith(REDACTED_TEXT) else None
        if fact is not None and fact.redacted:
            message = f"the text of {fact.id} was redacted since"
            found.append(Finding("hand-edited", message, path, number, _STAYS))
        before = line
    return found


def texts_in(histories: Mapping[str, History]) -> set[str]:
    """Return every text that logs ever brought."""
    return {said for fact in histories for said in _texts(histories[fact])}


def unsaid_line(path: str, line: int) -> Finding:
    """Say that what stands on a line is in no log."""
    return Finding("hand-edited", "this text is in no log", path, line, _HINT)


def _head(parsed: Parsed) -> list[str]:
    """Return the lines of the note that are not Diurna's, and state lines where nothing is computed."""
    ours = " ".join(NOTE.split())
    said = [line for line in parsed.note.split("\n") if " ".join(line.split()) not in ours]
    return said if parsed.machine else [*said, *(label for label, _ in parsed.state)]


def _says(history: History, block: Block) -> bool:
    """Tell whether logs brought every text of a block, or its texts are withheld."""
    known = _texts(history)
    if block.versions:
        return all(tidy(version.text) in known for version in block.versions)
    return tidy(block.text) in known or block.text == REDACTED_TEXT


def _texts(history: History) -> set[str]:
    """Return every text that logs ever brought of a fact."""
    return {
        tidy(act.event.text)
        for act in history.acts
        if isinstance(act.event, FactCreated | FactUpdated) and act.event.text is not None
    }


def read_edit(base: str | None, edited: str, now: State, *, file: str = "") -> Absorbed:
    """Read what a person's edit of `continuity.md` says, wherever the file stands (A7).

    `base` is the file as it was rendered, None where nobody knows; `file` is its name in findings, ""
    for its path.
    """
    path = CONTINUITY_FILE
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
        found = absorb(base, edited, now.policy, now.get, file=file or path)
    if not found.findings:
        return found
    first, *others = found.findings  # the first names the command that is always a way out
    first = first._replace(hint=f"{first.hint}; {WAY_OUT}" if first.hint else WAY_OUT)
    return found._replace(findings=(first, *others))
