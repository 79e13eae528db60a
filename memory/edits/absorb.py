"""Absorb a person's edit of `continuity.md` or of a view: it becomes a log, and the file is written anew.

The log is durable before the edited bytes count as written over (A5).
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.errors import DiurnaError, DraftRefused, EditNotUnderstood
from ledger.git.commit_record import identity_findings
from ledger.home import Home
from ledger.model.event import VERB_OF, Event
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import ABSORB_LOCK_FILE, EDITED_KEY, STATE_DIR, VIEW_FILES
from ledger.model.record import Record
from ledger.secrets.scanner import find_secrets
from ledger.wal.atomic_files import Lock, make_folder
from memory.edits.committed import absorb_committed, committed_edit_findings
from memory.edits.detect import Edit, committed_edit, edited_files, find_edit, find_edits, title_of
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.view_source import source_of_cache
from memory.worktree.authorship import NO_LOG, OVER_KEY, left_alone
from memory.worktree.checkout import note_written, store_blob, write_noted
from memory.worktree.edited_copy import copy_of, edited_paths, read_copy, unread
from memory.worktree.projection_files import refuse_edited, refuse_incomplete, refuse_unwritable
from memory.write.append import Recorder
from memory.write.draft import Occasion, SessionDraft, WriteRequest
from memory.write.spool_commits import Committer
from projection.document.page_renderer import render
from projection.fold.full_replay import State
from projection.views.view_files import published


class Absorption(Record):
    """What an absorb did, or would do."""

    file: str = ""  #: the edited copy, "" when there is none
    events: tuple[Event, ...] = ()  #: what the edit says
    stem: str = ""  #: of the log that says it, "" when nothing was or is to be written
    commit: str = ""  #: that has it
    findings: tuple[Finding, ...] = ()  #: what was noticed
    committed: tuple[Finding, ...] = ()  #: which committed edits became logs of their own
    others: tuple[Absorption, ...] = ()  #: the same of each other file that was edited


def absorbed_findings(found: Absorption, dry_run: bool) -> tuple[Finding, ...]:
    """Say what became of edits, beside the answer of another command."""
    others = tuple([said for one in found.others for said in absorbed_findings(one, dry_run)])
    if not found.events:
        return (*found.committed, *found.findings, *others)
    named: dict[str, list[str]] = {}
    for event in found.events:
        named.setdefault(VERB_OF[type(event)], []).append(event.id)
    said = "; ".join(f"{verb}: {', '.join(ids)}" for verb, ids in named.items())
    log = "would become a log" if dry_run else f"became the log {found.stem}"
    message = f"the edit of {found.file} {log}, {said}"
    said_of = Finding("absorbed", message, found.file)
    return (*found.committed, said_of, *found.findings, *others)


class Absorber:
    """Absorbs edits in one home.

    Args:
        snapshot: of the home.
        committer: commits to it.
        recorder: makes logs of it.
        state: gives the ledger as it stands.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        committer: Committer,
        recorder: Recorder,
        state: Callable[[], State],
    ) -> None:
        self._snapshot, self._committer, self._recorder = snapshot, committer, recorder
        self._state = state

    def absorb(
        self, when: Callable[[], Occasion], *, dry_run: bool, first: bool = False
    ) -> Absorption:
        """Make logs of committed edits, and of one in the work tree.

        `Memory.absorb` says what can be in the way. `when` and by whom is asked for only if there is an
        edit; `first` is for a command that does something else then, which a committed edit may stand
        beside.
        """
        home = self._snapshot.home
        edits = self._understood(find_edits(self._snapshot, self._state))
        found = edits[0]._replace(others=edits[1:]) if edits else Absorption()
        if found.file and not dry_run:
            refuse_unwritable(home)
            refuse_incomplete(self._snapshot.ask(lambda cache: cache.unread()))
        said = absorb_committed(self._snapshot, self._committer, self._state, when, dry_run=dry_run)
        told = committed_edit_findings(home, said, dry_run)
        if found.file and not dry_run:
            found = self._absorb(when)
        elif not found.file:
            wrong, found = self._standing(when, dry_run)
            if wrong and not first:
                self._snapshot.notes += [one for one in told if one not in self._snapshot.notes]
                raise EditNotUnderstood(wrong)
        return found._replace(committed=told)

    def _standing(
        self, when: Callable[[], Occasion], dry_run: bool
    ) -> tuple[tuple[Finding, ...], Absorption]:
        """Read what people committed as what they did not, where its own commits did not tell."""
        home, tip = self._snapshot.home, self._snapshot.home.tip()
        policy, shown = self._snapshot.ask(lambda cache: (cache.policy, cache.ever_rendered()))
        left = left_alone(home, tip, self._state, policy, rendered=shown)
        wrong = tuple([one for one in left if one.line])
        if wrong or dry_run:
            return wrong, Absorption()
        found = []
        for path in [one.file for one in left if one.message.endswith(NO_LOG)]:
            edit = committed_edit(self._snapshot, self._state, path)
            if edit is not None and edit.events:
                found.append(self._record(Absorption(path, edit.events), edit, when()))
        return (), found[0]._replace(others=tuple(found[1:])) if found else Absorption()

    def _absorb(self, when: Callable[[], Occasion]) -> Absorption:
        home = self._snapshot.home
        make_folder(f"{home.repository.gitdir}/{STATE_DIR}")
        with Lock(f"{home.repository.gitdir}/{ABSORB_LOCK_FILE}"):
            self._committer.drain(when())
            found: list[Absorption] = []
            settled: list[Edit] = []
            policy = self._snapshot.ask(lambda cache: cache.policy)
            for path in edited_paths(self._snapshot.home, policy):
                # another process, or what waited, may have said it meanwhile
                edit = find_edit(self._snapshot, self._state, path)
                if edit is None:
                    continue
                (one,) = self._understood((edit,))
                says = edit.events or edit.over
                found.append(self._record(one, edit, when()) if says else one)
                settled.append(edit)
            names = {edit.file for edit in settled}
            for number, edit in enumerate(settled):
                # what one log left alone, the next one knew
                kept = [said for said in found[number].findings if said.file not in names]
                more = settle(home, edit, self._rendered(edit.path))
                found[number] = found[number]._replace(findings=(*kept, *more))
            return found[0]._replace(others=tuple(found[1:])) if found else Absorption()

    def _rendered(self, path: str) -> str:
        """Return a projection file as it is rendered now."""
        if path in VIEW_FILES:
            name = VIEW_FILES[path]
            return self._snapshot.ask(
                lambda cache: published(name, source_of_cache(cache, (name,)))
            )
        return render(self._snapshot.ask(lambda cache: cache.view()))

    def _understood(self, edits: tuple[Edit, ...]) -> tuple[Absorption, ...]:
        """Say what edits come to."""
        wrong = [one for edit in edits for one in edit.findings]
        if wrong:
            raise EditNotUnderstood(tuple(wrong))
        if not edits:
            return ()
        home, policy = self._snapshot.home, self._snapshot.ask(lambda cache: cache.policy)
        refuse_edited(unread(home, edited_files(home, policy)))
        return tuple([Absorption(edit.file, edit.events) for edit in edits])

    def _record(self, found: Absorption, edit: Edit, occasion: Occasion) -> Absorption:
        home, who = self._snapshot.home, occasion.identity
        over = [(OVER_KEY, edit.over)] if edit.over else []
        header, title = ((EDITED_KEY, blob_id(edit.data)), *over), title_of(edit.path)
        draft = SessionDraft(title, "", edit.events, who.name, "edit", header, anyway=True)
        try:
            receipt = self._recorder.append(
                # the same edit may be right again, a minute later, and the page is written anew
                WriteRequest(draft, occasion, again=True, now=True),
                lambda: remember(home, edit),
            )
        except DraftRefused as problem:
            refused = [one._replace(file=edit.file) for one in problem.findings]
            raise EditNotUnderstood(tuple(refused)) from problem
        # a fact that becomes a thread in this very log is ticked in it, too
        noticed = [one for one in receipt.findings if one.code != "not-a-thread"]
        return found._replace(
            stem=receipt.stem, commit=receipt.commit, findings=(*noticed, *identity_findings(who))
        )


def remember(home: Home, edit: Edit) -> None:
    """Take the edited bytes for ours: a log says what they say, so they may be written over.

    They are stored, to be the base of the next edit if this one is not written over; not with a secret in
    them, which the log was stored without.
    """
    if not find_secrets(edit.data.decode("utf-8", "replace")):
        store_blob(home, edit.data)
    note_written(home, {edit.file: blob_id(edit.data)})


def settle(home: Home, edit: Edit, text: str) -> tuple[Finding, ...]:
    """Write the new projection over an edit that was absorbed, where a commit did not do that already."""
    name, path = copy_of(home, edit.path)
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
