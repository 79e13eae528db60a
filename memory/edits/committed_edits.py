"""Absorb edits of `continuity.md` that people committed, before a merge passes over them.

Who recomputes the projection of two sides looks at logs alone. So what a person wrote into the file and
committed becomes a log first. It is a function of that commit: whoever hears it makes the same log, by the
person, at the time of the commit, and the logs of two clones are one (A7; FORMAT.md, A9).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.codec.log import canonical, decode, encode
from ledger.codec.validate import problems
from ledger.errors import DraftRefused
from ledger.git.committer import clean_name
from ledger.home import Home
from ledger.model.event import ThreadReopened
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, EDITED_KEY
from ledger.model.log_stamps import ended_of, is_stem, next_stamp, seal, stamp_of, stem_in
from ledger.model.session import SessionLog
from memory.replay.read_logs import read_bytes
from memory.replay.state_as_of import cold_state
from memory.replay.tip_snapshot import Snapshot
from memory.worktree.edit_base import CommittedEdit, edited_commits, line_of, published
from memory.worktree.page_authorship import said_edits
from memory.worktree.page_copies import note_checked, read_checked
from memory.write.branch_lock import refuse_unwritable
from projection.document.unlogged_lines import read_edit
from projection.fold.full_replay import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.pages import Pages
    from memory.redaction.withheld_repeats import Withheld


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
    # where nothing is published with each log, only the logs tell who absorbed it
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
