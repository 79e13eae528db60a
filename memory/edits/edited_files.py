"""Find which projection files a person edited, and what an edit of `continuity.md` says.

The base is found by the machine line that the edited copy still bears: it names the very set of logs that
the file was made from (FORMAT.md, A2).
"""

from __future__ import annotations

import os

from ledger.codec.outline import NO_TEXT, document_text
from ledger.home import Home
from ledger.model.event import VERB_OF
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.log_stamps import is_stem, stem_in
from ledger.model.record import Record
from memory.worktree.edit_base import (
    CommittedEdit,
    line_of,
    made_by_diurna,
    made_line,
    published,
)
from memory.worktree.page_copies import (
    edited_finding,
    is_edited,
    name_of,
    page_copy,
    place_of,
    read_written,
)
from projection.document.page_renderer import render
from projection.document.unlogged_lines import read_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.model.event import Event
    from memory.replay.tip_snapshot import Snapshot
    from projection.document.page_parser import MachineLine
    from projection.fold.full_replay import State


class PageEdit(Record):
    """A copy of `continuity.md` that a person edited, and what the edit says."""

    file: str  #: the copy, as findings name it
    data: bytes  #: its bytes
    events: tuple[Event, ...] = ()  #: what it says; none where the ledger says it all
    findings: tuple[Finding, ...] = ()  #: what was not understood
    #: the blob id of the committed file that it was made on top of, where a person wrote that, too,
    #: and no log says it; "" for none
    over: str = ""
    stem: str = ""  #: of the log that says it, "" while there is none
    commit: str = ""  #: that has it


def find_edit(snapshot: Snapshot, state: Callable[[], State]) -> PageEdit | None:
    """Read what the edit of the page says; None where there is none, or it is committed as it stands."""
    home = snapshot.home
    name, data = name_of(home), page_copy(home) if is_edited(home) else None
    if data is None:
        return None
    git, here, tip = home.repository.git(), blob_id(data), home.tip()
    committed = git.resolve(f"{tip}:{home.prefix}{CONTINUITY_FILE}") if tip else []
    if here in committed:
        return None
    if os.path.islink(place_of(home, name)):
        hint = (
            "put a plain file in its place; what the edit says can be recorded with `diurna append`"
        )
        said = Finding("hand-edited", f"{name} is a link, and was not read", name, hint=hint)
        return PageEdit(name, data, (), (said,))
    text = document_text(data)
    if text is None:
        said = Finding(
            "hand-edited", f"{name} was not read: {NO_TEXT}", name, hint="save it as UTF-8"
        )
        return PageEdit(name, data, (), (said,))
    blob = next(iter(committed), "")
    start, over = _on_top_of(home, tip, blob)
    made_from = made_line(text)
    if made_line(start) != made_from and made_from:
        start = ""
    written = [*reversed(read_written(home).get(name, ())), blob]
    base = start or _base(snapshot, made_from, written)
    found = read_edit(base, text, state(), file=name)
    return PageEdit(name, data, found.events, found.findings, over)


_HINT = "`diurna check --absorb` makes a log of it; `diurna check --absorb --dry-run` shows which"


def undeclared(
    edit: PageEdit | None,
    unabsorbed: Iterable[CommittedEdit],
    left_alone: Iterable[Finding],
    edited: Iterable[str],
) -> list[Finding]:
    """Name what people edited and no log says, in the work tree and in commits (see `Pages`)."""
    unabsorbed = [one for one in unabsorbed if one.stem]
    edits = [("the edit", edit.file, edit.data, edit.events)] if edit else []
    for one in unabsorbed:
        where = f"the edit of commit {one.commit[:12]} by {one.author}"
        edits.append((where, CONTINUITY_FILE, b"", one.events))
    found = [*edit.findings] if edit else []
    for where, file, data, events in edits:
        lines = data.decode("utf-8", "replace").split("\n")
        for event in events:
            footer = f"id: {event.id} "  # which a fact may not have (any more)
            line = next((number for number, line in enumerate(lines, 1) if footer in line), 0)
            said = f"{where} says `{VERB_OF[type(event)]}: {event.id}`, and no log does"
            found.append(Finding("undeclared-edit", said, file, line, _HINT))
    found += [one for one in left_alone if one.line or not unabsorbed]
    declared = {one.file for one in found}
    return found + [edited_finding(path) for path in edited if path not in declared]


def _on_top_of(home: Home, tip: str, blob: str) -> tuple[str, str]:
    """Return what the committed file holds, where a person wrote it and a log says so; else its blob id.

    Both are "" where Diurna wrote it.
    """
    from memory.worktree.page_authorship import said_edits

    if not blob or made_by_diurna(home, tip, {CONTINUITY_FILE: blob}):
        return "", ""
    text = _text_of(home, blob)
    line = line_of(home, tip, text)
    said = line is not None and blob in said_edits(home, tip, line.newest)[0]
    return (text, "") if said else ("", blob)


def _base(snapshot: Snapshot, made_from: MachineLine | None, blobs: list[str]) -> str | None:
    """Return what Diurna wrote before the person edited it, None where that is not known.

    `made_from` is the machine line of the edited copy; without one it is what was written last. `blobs`
    are what was written in this work tree, the last first, and what is committed.
    """
    home = snapshot.home
    texts = [_text_of(home, blob) for blob in blobs]
    if made_from is None:
        return next(filter(None, texts), None)
    for text in texts[:-1]:
        if made_line(text) == made_from:
            return text
    found = published(home, home.tip(), made_from)
    if found is not None:
        return found
    if not is_stem(stem_in(made_from.newest)):
        return None
    from memory.replay.state_as_of import point_in_time, state_at

    point = point_in_time(snapshot, made_from.newest)
    then = state_at(snapshot, point)  # the same set of logs gives the same bytes
    if then.summary.digest != made_from.digest:
        return None
    return render(then.view())


def _text_of(home: Home, blob: str) -> str:
    """Return the text of a blob, "" where there is none."""
    for body in home.repository.git().blobs([blob] if blob else []):
        body = body or b""
        return document_text(body) or body.decode("utf-8", "surrogateescape")
    return ""
