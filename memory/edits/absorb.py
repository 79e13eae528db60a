"""Absorb a person's edit of `continuity.md`: it becomes a log, and the file is written anew.

The log is durable before the edited bytes count as written over (A5). Or let edits go that no log can say:
nobody asks for this but a person, so what is dropped is said, and kept beside git (A11).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ledger.errors import DiurnaError, DraftRefused, EditNotUnderstood, HandEdited
from ledger.git.committer import identity_findings
from ledger.home import Home
from ledger.model.event import VERB_OF
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import (
    ABSORB_LOCK_FILE,
    CONTINUITY_FILE,
    DROPPED_DIR,
    EDITED_KEY,
    MIRROR_DIR,
    STATE_DIR,
)
from ledger.model.record import TYPE_CHECKING, Record
from ledger.secrets.scanner import find_secrets
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes, replace_file
from memory.edits.page_edits import PageEdit, absorb_committed, find_edit
from memory.worktree.index_entries import entry_line, store_blob, update_index
from memory.worktree.page_authorship import OVER_KEY, findings_in, obstacles, refuse_left
from memory.worktree.page_copies import (
    is_editable,
    name_of,
    note_checked,
    note_written,
    page_copy,
    place_of,
    write_noted,
)
from memory.worktree.rendered_pages import (
    committed_projection,
    projection_files,
    refuse_edited,
    refuse_incomplete,
    standing_files,
)
from memory.write.branch_lock import refuse_unwritable
from memory.write.commit_files import Files
from memory.write.draft import SessionDraft, WriteRequest
from projection.document.page_renderer import STATE_LABELS, render

if TYPE_CHECKING:
    from memory.pages import Pages


class Absorption(Record):
    """What an absorb did, or would do."""

    edits: tuple[PageEdit, ...] = ()  #: the copy that was edited, with the log that says so
    committed: tuple[Finding, ...] = ()  #: which committed edits became logs of their own


def absorbed_findings(found: Absorption, dry_run: bool) -> tuple[Finding, ...]:
    """Say what became of edits, beside the answer of another command."""
    told = list(found.committed)
    for edit in found.edits:
        if edit.events:
            named: dict[str, list[str]] = {}
            for event in edit.events:
                named.setdefault(VERB_OF[type(event)], []).append(event.id)
            said = "; ".join(f"{verb}: {', '.join(ids)}" for verb, ids in named.items())
            log = "would become a log" if dry_run else f"became the log {edit.stem}"
            message = f"the edit of {edit.file} {log}, {said}"
            told.append(Finding("absorbed", message, edit.file))
        told += edit.findings
    return tuple(told)


def absorb(pages: Pages, *, dry_run: bool, first: bool = False) -> Absorption:
    """Make logs of committed edits, and of one in the work tree.

    `Memory.absorb` says what can be in the way; `first` is for a command that does something else then,
    which a committed edit may stand beside.
    """
    edit = _found(pages)
    if edit and not dry_run:
        refuse_unwritable(pages.home)
        refuse_incomplete(pages.ask(lambda cache: cache.unread(), committed=True))
    told = absorb_committed(pages, dry_run=dry_run)
    if edit:
        return Absorption((edit,) if dry_run else _absorbed(pages), told)
    left = (
        pages.left()
    )  # what people committed as what they did not, so that the commits did not tell
    wrong = tuple([one for one in findings_in(left) if one.line])
    if wrong and not first:
        notes = pages.snapshot.tip.notes
        notes += [one for one in told if one not in notes]
        raise EditNotUnderstood(wrong)
    edits = [
        _recorded(
            pages, PageEdit(one.file, one.text.encode("utf-8", "surrogateescape"), one.events)
        )
        for one in (() if wrong or dry_run else left)
        if one.events
    ]
    return Absorption(tuple(edits), told)


def _found(pages: Pages) -> PageEdit | None:
    """Read the edit; refuse one that is not understood, and those beside it that nobody reads."""
    edit = find_edit(pages.snapshot.tip, pages.tip_state)
    if edit and edit.findings:
        raise EditNotUnderstood(edit.findings)
    if edit:
        refuse_edited([path for path in pages.edited() if not is_editable(path)])
    return edit


def _absorbed(pages: Pages) -> tuple[PageEdit, ...]:
    gitdir = pages.home.repository.gitdir
    make_folder(f"{gitdir}/{STATE_DIR}")
    with Lock(f"{gitdir}/{ABSORB_LOCK_FILE}"):
        pages.committer.drain(pages.occasion())
        edit = _found(pages)  # another process, or what waited, may have said it meanwhile
        if edit is None:
            return ()
        edit = _recorded(pages, edit) if edit.events or edit.over else edit
        kept = [said for said in edit.findings if said.file != edit.file]
        more = _settle(pages.home, edit, render(pages.tip_state().view()))
        return (edit._replace(findings=(*kept, *more)),)


def _recorded(pages: Pages, edit: PageEdit) -> PageEdit:
    occasion = pages.occasion()
    who = occasion.identity
    over = [(OVER_KEY, edit.over)] if edit.over else []
    header, title = ((EDITED_KEY, blob_id(edit.data)), *over), f"Edit {CONTINUITY_FILE} by hand"
    draft = SessionDraft(title, "", edit.events, who.name, "edit", header, anyway=True)
    try:
        receipt = pages.recorder().append(
            # the same edit may be right again, a minute later, and the page is written anew
            WriteRequest(draft, occasion, again=True, now=True),
            lambda: _remember(pages.home, edit),
        )
    except DraftRefused as problem:
        refused = [one._replace(file=edit.file) for one in problem.findings]
        raise EditNotUnderstood(tuple(refused)) from problem
    # a fact that becomes a thread in this very log is ticked in it, too
    noticed = [one for one in receipt.findings if one.code != "not-a-thread"]
    findings = (*noticed, *identity_findings(who))
    return edit._replace(stem=receipt.stem, commit=receipt.commit, findings=findings)


def _remember(home: Home, edit: PageEdit) -> None:
    """Take the edited bytes for ours: a log says what they say, so they may be written over.

    They are stored, to be the base of the next edit if this one is not written over; not with a secret in
    them, which the log was stored without.
    """
    if not find_secrets(edit.data.decode("utf-8", "replace")):
        store_blob(home, edit.data)
    note_written(home, edit.file, blob_id(edit.data))


def _settle(home: Home, edit: PageEdit, text: str) -> tuple[Finding, ...]:
    """Write the new projection over an edit that was absorbed, where a commit did not do that already."""
    name = name_of(home)
    # it follows already, or was edited again: that is the next edit
    if page_copy(home) != edit.data:
        return ()
    data = text.encode("utf-8", "surrogateescape")
    try:
        store_blob(home, data)
        write_noted(home, name, data)
    except (DiurnaError, OSError) as problem:
        return (Finding("drift", f"{name} was not written: {problem}", name),)
    return ()


#: Lines that say nothing of a person's: they are computed.
_COMPUTED = re.compile(rf"\s*$|\s*<!--|- (?:{'|'.join(STATE_LABELS)}): ")


class DroppedEdit(Record):
    """A file that a person edited and that is written anew."""

    file: str  #: its name: in the home, or in the mirror
    kept: str  #: where its bytes are kept, from the top of the repository
    lines: tuple[str, ...]  #: what stood in it and does not stand in the new one


class Discarded(Record):
    """What was written over."""

    dropped: tuple[DroppedEdit, ...] = ()  #: the files, as people edited them
    files: tuple[str, ...] = ()  #: the projection files that are committed anew
    commit: str = ""  #: that has them, "" where there is none


def discard_edits(pages: Pages, *, dry_run: bool) -> Discarded:
    """Write anew what people edited and no log says.

    Raises:
        HandEdited: something that is no file stands where one belongs, or a person edits right now.
    """
    home = pages.home
    make_folder(f"{home.repository.gitdir}/{os.path.dirname(ABSORB_LOCK_FILE)}")
    with Lock(f"{home.repository.gitdir}/{ABSORB_LOCK_FILE}"):
        policy = pages.ask(lambda cache: cache.policy, committed=True)
        tip = home.tip()
        rows = standing_files(home, tip, policy.view_files)
        refuse_left(obstacles(home, rows))
        made = projection_files(pages.tip_state())
        new = made.bodies

        def drifted(tip: str) -> Files:
            return made.changes(committed_projection(home, tip, policy))

        edited = {name: plain_bytes(place_of(home, name)) or b"" for name in pages.edited()}
        found = set(edited.items())
        left = {one.file for one in pages.left()}
        blobs = {path: blob for _, blob, path in rows if path in left}
        for path, body in zip(blobs, home.repository.git().blobs(blobs.values()), strict=True):
            if body is not None and body not in edited.values():
                found.add((path, body))
        dropped = tuple([_keep(home, name, data, new, dry_run) for name, data in sorted(found)])
        changed = drifted(tip) if dropped else ()
        files = tuple([path for path, _ in changed])
        if dry_run or not dropped:
            return Discarded(dropped, files)
        _write(home, edited, new)

        said = "diurna: publish the projection"
        commit = pages.committer.commit_files(drifted, said, pages.occasion) if changed else ""
        if home.checked_out:
            rest = [name for name in edited if name not in files and name in new]
            lines = [entry_line(home.prefix + name, blob_id(new[name])) for name in rest]
            pages.snapshot.tip.notes += update_index(home, lines)
        note_checked(home, commit or tip)
        return Discarded(dropped, files, commit)


def _keep(
    home: Home, name: str, data: bytes, new: Mapping[str, bytes], dry_run: bool
) -> DroppedEdit:
    """Keep the bytes of a file under a name that tells which they are."""
    path = name.removeprefix(f"{MIRROR_DIR}/")
    kept = f"{home.state_dir}/{DROPPED_DIR}/{blob_id(data)[:12]}-{path.replace('/', '-')}"
    if not dry_run:
        make_folder(os.path.dirname(kept))
        replace_file(kept, data, 0o600)
    stands = set(new.get(path, b"").decode("utf-8", "surrogateescape").split("\n"))
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    lost = tuple([line for line in lines if line not in stands and not _COMPUTED.match(line)])
    top = home.repository.top
    return DroppedEdit(name, os.path.relpath(kept, top) if top else kept, lost)


def _write(home: Home, edited: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
    """Write the copies that people edited, unless they go on editing them."""
    for name, data in edited.items():
        full, path = place_of(home, name), name.removeprefix(f"{MIRROR_DIR}/")
        if (plain_bytes(full) or b"") != data:
            raise HandEdited(
                f"{name} was edited again meanwhile", where=name, hint="give the same command again"
            )
        if path not in new:
            os.unlink(full)
            continue
        if path == CONTINUITY_FILE:
            store_blob(home, new[path])
        write_noted(home, name, new[path])
