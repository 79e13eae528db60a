"""Absorb a person's edit of `continuity.md`: it becomes a log, and the file is written anew.

The log is durable before the edited bytes count as written over (A5).
"""

from __future__ import annotations

from ledger.errors import DiurnaError, DraftRefused, EditNotUnderstood
from ledger.git.commit_record import identity_findings
from ledger.home import Home
from ledger.model.event import VERB_OF
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import ABSORB_LOCK_FILE, CONTINUITY_FILE, EDITED_KEY, STATE_DIR
from ledger.model.record import Record
from ledger.secrets.scanner import find_secrets
from ledger.wal.atomic_files import Lock, make_folder
from memory.edits.committed import absorb_committed
from memory.edits.detect import Edit, find_edit
from memory.worktree.authorship import OVER_KEY, findings_in
from memory.worktree.index_entries import store_blob
from memory.worktree.page_copies import (
    copy_of,
    note_written,
    read_copy,
    unread,
    write_noted,
)
from memory.worktree.projection_files import refuse_edited, refuse_incomplete, refuse_unwritable
from memory.write.draft import SessionDraft, WriteRequest
from projection.document.page_renderer import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.pages import Pages


class Absorption(Record):
    """What an absorb did, or would do."""

    edits: tuple[Edit, ...] = ()  #: the copy that was edited, with the log that says so
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
        _recorded(pages, Edit(one.file, one.text.encode("utf-8", "surrogateescape"), one.events))
        for one in (() if wrong or dry_run else left)
        if one.events
    ]
    return Absorption(tuple(edits), told)


def _found(pages: Pages) -> Edit | None:
    """Read the edit; refuse one that is not understood, and those beside it that nobody reads."""
    edit = find_edit(pages.snapshot.tip, pages.tip_state)
    if edit and edit.findings:
        raise EditNotUnderstood(edit.findings)
    if edit:
        refuse_edited(unread(pages.edited()))
    return edit


def _absorbed(pages: Pages) -> tuple[Edit, ...]:
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


def _recorded(pages: Pages, edit: Edit) -> Edit:
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


def _remember(home: Home, edit: Edit) -> None:
    """Take the edited bytes for ours: a log says what they say, so they may be written over.

    They are stored, to be the base of the next edit if this one is not written over; not with a secret in
    them, which the log was stored without.
    """
    if not find_secrets(edit.data.decode("utf-8", "replace")):
        store_blob(home, edit.data)
    note_written(home, {edit.file: blob_id(edit.data)})


def _settle(home: Home, edit: Edit, text: str) -> tuple[Finding, ...]:
    """Write the new projection over an edit that was absorbed, where a commit did not do that already."""
    name, path = copy_of(home)
    # it follows already, or was edited again: that is the next edit
    if read_copy(path) != edit.data:
        return ()
    data = text.encode("utf-8", "surrogateescape")
    try:
        store_blob(home, data)
        write_noted(home, name, data)
    except (DiurnaError, OSError) as problem:
        return (Finding("drift", f"{name} was not written: {problem}", name),)
    return ()
