"""Find which projection files people edited, and what an edit of `continuity.md` says.

The base is found by the machine line that the edited copy still bears: it names the very set of logs that
the file was made from (FORMAT.md, A2).

Who recomputes the projection of two sides looks at logs alone. So what a person wrote into the file and
committed becomes a log first. It is a function of that commit: whoever hears it makes the same log, by the
person, at the time of the commit, and the logs of two clones are one (A7; FORMAT.md, A9).
"""

from __future__ import annotations

import os

from ledger.codec.canonical_draft import problems
from ledger.codec.log import canonical, decode, encode
from ledger.codec.outline import NO_TEXT, document_text
from ledger.errors import DraftRefused
from ledger.git.committer import clean_name
from ledger.home import Home
from ledger.model.event import VERB_OF, ThreadReopened
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE, EDITED_KEY
from ledger.model.log_names import ended_of, is_stem, next_stamp, seal, stamp_of, stem_in
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import SessionLog
from memory.replay.read_logs import read_bytes
from memory.replay.state_as_of import cold_state, point_in_time, state_at
from memory.replay.tip_snapshot import Snapshot
from memory.worktree.edit_base import (
    CommittedEdit,
    edited_commits,
    ever_committed,
    is_own,
    line_of,
    made_line,
    published,
)
from memory.worktree.page_authorship import said_edits
from memory.worktree.page_copies import (
    edited_finding,
    is_edited,
    name_of,
    note_checked,
    page_copy,
    place_of,
    read_checked,
    read_written,
)
from memory.write.branch_lock import refuse_unwritable
from projection.document.page_renderer import render
from projection.document.unlogged_lines import read_edit
from projection.fold.full_replay import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.model.event import Event
    from memory.pages import Pages
    from memory.redaction.withheld_repeats import Withheld
    from projection.document.page_parser import MachineLine


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
    if not blob or ever_committed(home, tip, {CONTINUITY_FILE: blob}, is_own):
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


def absorb_committed(
    pages: Pages, theirs: str = "", base: str = "", *, dry_run: bool
) -> tuple[Finding, ...]:
    """Make logs of committed edits, and say what became of them, as `Memory.absorb_committed`."""
    home, committer = pages.home, pages.committer
    tip = home.tip()
    commits = edited_commits(home, theirs or tip, (base or tip) if theirs else read_checked(home))
    edits = unabsorbed(pages, theirs or tip, commits)
    if not dry_run:
        if any(one.stem for one in edits):
            refuse_unwritable(home)
        for one in edits:
            if one.stem:
                committer.spool.put(one.stem, one.data)
        if not theirs:
            if committer.spool.waiting():
                committer.drain(pages.occasion())
            # it may be understood yet
            doubted = [one.blob for one in edits if one.findings and not one.stem]
            if not doubted or not any(blob in doubted for blob in _standing(home, tip)):
                note_checked(home, tip)
    return _findings(home, edits, dry_run)


def unabsorbed(pages: Pages, tip: str, edits: list[CommittedEdit]) -> list[CommittedEdit]:
    """Return those of some committed edits, in the history of a tip, that no log says yet."""
    home, snapshot = pages.home, pages.snapshot.tip
    if not edits:
        return []
    # the pages may be behind the logs, and these alone tell who absorbed it
    nows = [pages.tip_state()]
    if tip != home.tip():
        nows.append(cold_state(snapshot, tip))
    found = [_read_edit(snapshot, nows, one) for one in edits]
    cache = snapshot.cache()
    new = [one for one in found if one is not None and not (one.stem and cache.known([one.stem]))]
    said_there = {one.fact.id for now in nows[1:] for one in now.standings() if one.fact.redacted}
    withheld = cache.redacted | said_there
    if not withheld or not any(one.stem for one in new):
        return new
    from memory.redaction.withheld_repeats import Withheld

    telling = Withheld(home, cache, withheld, frozenset())
    if said_there:  # of facts that came to be there, this branch knows no text
        for ref, data in read_bytes(home, snapshot.list_logs(tip)[0]):
            telling.read(ref.stem, data)
    return [_unwithheld(telling, one) for one in new]


def _unwithheld(telling: Withheld, edit: CommittedEdit) -> CommittedEdit:
    """Take an edit that says again what was withheld as one that is not understood (FORMAT.md, F9, A7)."""
    from memory.redaction.withheld_repeats import repeated_places

    found = repeated_places(telling, decode(edit.data, sealed=True)[0]) if edit.stem else ()
    if not found:
        return edit
    said = tuple([one._replace(file=CONTINUITY_FILE) for one in found])
    return edit._replace(events=(), stem="", data=b"", findings=(*edit.findings, *said))


def _findings(home: Home, edits: list[CommittedEdit], dry_run: bool) -> tuple[Finding, ...]:
    """Say what became of committed edits; what still stands in the file is told of by the file."""
    said: list[Finding] = []
    standing = _standing(home, home.tip()) if edits else ()
    for one in edits:
        where = f"{CONTINUITY_FILE} in commit {one.commit[:12]} by {one.author}"
        if one.stem:
            log = "would become a log" if dry_run else f"became the log {one.stem}"
            said.append(Finding("absorbed", f"the edit of {where} {log}", CONTINUITY_FILE))
        if one.blob in standing:
            continue
        said += [
            finding._replace(
                message=f"{finding.message} (edit of {where}, which has it)",
                hint=finding.hint
                if finding.code == "withheld-text"
                else "record what it says with `diurna note TEXT`",
            )
            for finding in one.findings
        ]
    return tuple(said)


def _standing(home: Home, tip: str) -> Sequence[str]:
    """Return the blob id of the committed page."""
    return home.repository.git().resolve(f"{tip}:{home.prefix}{CONTINUITY_FILE}")


def _read_edit(snapshot: Snapshot, nows: list[State], edit: CommittedEdit) -> CommittedEdit | None:
    """Read what a commit says, as of that commit; None for nothing, or what a state says already."""
    home, commit = snapshot.home, edit.commit
    (body,) = home.repository.git().blobs([edit.blob])
    text = (body or b"").decode("utf-8", "surrogateescape")
    line = line_of(home, commit, text)
    if line is None:
        return None
    # what it was written on top of may be a person's too, and be said by then
    base = published(home, commit, line, said_edits(home, commit, line.newest)[0])
    if base is None or base == text:
        return None
    lefts = [read_edit(base, text, now) for now in nows]
    if not all(left.events or left.findings for left in lefts):
        return None
    edit = edit._replace(findings=lefts[0].findings)
    # the commit was made again, by a rebase, or the person edited on
    if not all(left.events for left in lefts) or any(
        edit.blob in blobs for blobs in said_edits(home, home.tip(), line.newest)
    ):
        return edit
    from ledger.secrets.log_redaction import guard
    from memory.write.amendments import event_with_seen

    then = cold_state(snapshot, commit)
    read = read_edit(base, text, then)
    if not read.events:
        return edit
    opened = {event.id for event in read.events if isinstance(event, ThreadReopened)}
    events = []
    for event in read.events:
        standing = then.get(event.id)
        events.append(
            event_with_seen(event, standing.fact if standing else None, then.histories, opened)
        )
    newest = line.newest if is_stem(stem_in(line.newest)) else ""
    header = [
        ("agent", clean_name(edit.author)),
        ("ended", ended_of(stamp_of(edit.seconds * 1000))),
        *([("after", stem_in(newest))] if newest else []),
        ("type", "edit"),
        ("commit", commit),
        (EDITED_KEY, edit.blob),
    ]
    log = canonical(SessionLog(tuple(header), f"Edit {CONTINUITY_FILE} by hand", "", tuple(events)))
    privacy = then.policy.privacy
    try:
        log, noticed = guard(log, personal=privacy.personal, strict=privacy.secrets == "refuse")
    except DraftRefused as refused:
        return edit._replace(findings=(*edit.findings, *refused.findings))
    if refusals := problems(log):
        return edit._replace(findings=(*edit.findings, *refusals))
    data = encode(log)
    stem = seal(next_stamp(edit.seconds * 1000, newest), data)
    findings = (*noticed, *edit.findings)
    return edit._replace(events=log.events, stem=stem, data=data, findings=findings)
