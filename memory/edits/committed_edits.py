"""Absorb edits of `continuity.md` that people committed, before a merge passes over them.

Who recomputes the projection of two sides looks at logs alone. So what a person wrote into the file and
committed becomes a log first. It is a function of that commit: whoever hears it makes the same log, by the
person, at the time of the commit, and the logs of two clones are one (A7; FORMAT.md, A9).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ledger.codec.log import canonical, decode, encode
from ledger.codec.validate import problems
from ledger.errors import DraftRefused, ObjectMissing
from ledger.git.commit_record import clean_name
from ledger.git.git_objects import Objects
from ledger.home import Home
from ledger.model.event import Event, ThreadReopened
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, EDITED_KEY
from ledger.model.log_stamps import ended_of, is_stem, next_stamp, seal, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import SessionLog
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.read_logs import read_bytes
from memory.replay.replayed_state import cold_state
from memory.worktree.edit_base import OWN_FORMAT, is_own, line_of, published
from memory.worktree.page_authorship import said_edits
from memory.worktree.page_copies import note_checked, read_checked
from memory.write.branch_lock import refuse_unwritable
from projection.document.unlogged_lines import read_edit
from projection.fold.full_replay import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.pages import Pages
    from memory.redaction.withheld_lines import Telling

#: How many of the newest commits of the file are looked at in a history that never was.
_DEEP = 100
#: So many commits are looked at without asking git.
_FEW = 50
#: The year 2100: a date from then on is a slip or a trick, and counts as none.
_LATEST_SECONDS = 4_102_444_800


class CommittedEdit(Record):
    """A commit of a person's that changed `continuity.md`, and what that says."""

    commit: str  #: its id
    blob: str  #: of the file in it
    author: str  #: who made it
    seconds: int  #: when, since 1970; 0 for a date that can not be
    events: tuple[Event, ...] = ()  #: what it says; none where it is no log
    stem: str = ""  #: of the log that says so
    data: bytes = b""  #: the log
    findings: tuple[Finding, ...] = ()  #: what was not understood


def absorb_committed(
    pages: Pages, theirs: str = "", base: str = "", *, dry_run: bool
) -> tuple[Finding, ...]:
    """Make logs of committed edits, and say what became of them, as `Memory.absorb_committed`."""
    home, committer = pages.home, pages.committer
    tip = home.tip()
    edits = unabsorbed(pages, theirs or tip, (base or tip) if theirs else read_checked(home))
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


def unabsorbed(pages: Pages, tip: str, known: str) -> list[CommittedEdit]:
    """Return the committed edits that no log says yet.

    `tip` is where to look from; `known` is a commit whose history was looked at before, "" for none.
    """
    home, snapshot = pages.home, pages.snapshot.tip
    if not tip or tip == known:
        return []
    edits = _edits(home, tip, known)
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
    from memory.redaction.withheld_lines import Telling

    telling = Telling(home, cache, withheld, frozenset())
    if said_there:  # of facts that came to be there, this branch knows no text
        for ref, data in read_bytes(home, snapshot.list_logs(tip)[0]):
            telling.read(ref.stem, data)
    return [_unwithheld(telling, one) for one in new]


def _unwithheld(telling: Telling, edit: CommittedEdit) -> CommittedEdit:
    """Take an edit that says again what was withheld as one that is not understood (FORMAT.md, F9, A7)."""
    from memory.write.kept_out import repeated

    found = repeated(telling, decode(edit.data, sealed=True)[0]) if edit.stem else ()
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


def _edits(home: Home, tip: str, known: str) -> list[CommittedEdit]:
    """Return people's commits that changed the page, on any side of a merge; none that was built on.

    A later commit that has the edited file as its own base knows it: Diurna absorbs before it writes,
    and of what people wrote on top of each other the last counts. A merge may have passed it over,
    or be an edit itself: it has what none of its sides had. Oldest first.
    """
    if _are_own(home, tip, known):
        return []
    git, path = home.repository.git(), home.prefix + CONTINUITY_FILE
    part = (f"^{known}",) if known and git.resolve(known)[0] else (f"-n{_DEEP}",)
    said = git.run(
        "log", "--no-show-signature", "--encoding=UTF-8", "--full-history", "--topo-order",
        f"--format=%H%x00%P%x00%an%x00%at%x00{OWN_FORMAT}", tip, *part, "--", f":(top,literal){path}",
        check=False,
    )  # fmt: skip
    lines = [line.split("\0", 4) for line in said.decode("utf-8", "replace").split("\n")]
    rows = [(line, line[1].split()) for line in lines if len(line) == 5]
    if all(is_own(line[4]) or not parents for line, parents in rows):
        return []
    commits = [(*parents, line[0]) for line, parents in rows]
    blobs = iter(git.resolve(*[f"{one}:{path}" for some in commits for one in some]))
    sides = [
        [next(blobs) for _ in some] for some in commits
    ]  # the file in the parents, and last here
    built_on = {some[0] for some in sides if len(some) == 2}
    found = []
    for (line, parents), (*before, after) in zip(rows, sides, strict=True):
        commit, _, author, date, own = line
        if parents and after and not is_own(own) and after not in (*built_on, *before):
            seconds = int(date) if date.isdigit() and int(date) < _LATEST_SECONDS else 0
            found.append(CommittedEdit(commit, after, author, seconds))
    return found[::-1]


def _are_own(home: Home, tip: str, known: str) -> bool:
    """Tell whether the commits from a tip back to one are few, and all Diurna's, without git."""
    behind = {known}  # and what is seen to stand behind it
    with Objects.of(home.repository) as objects, suppress(ObjectMissing):  # a history that is cut
        heads = {one: objects.header(one) for one in (tip, known) if one}
        for _ in range(_FEW):
            if heads.keys() <= behind:
                return True
            one = max(heads, key=lambda one: (heads[one].seconds, one in behind))
            head = heads.pop(one)
            if one in behind:
                behind.update(head.parents)
            elif head.parents and not is_own(f"{head.authored} {head.seconds} {head.subject}"):
                break
            heads |= {parent: objects.header(parent) for parent in head.parents}
    return False


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
    from memory.write.amendments import with_seen

    then = cold_state(snapshot, commit)
    read = read_edit(base, text, then)
    if not read.events:
        return edit
    opened = {event.id for event in read.events if isinstance(event, ThreadReopened)}
    events = []
    for event in read.events:
        standing = then.get(event.id)
        events.append(with_seen(event, standing.fact if standing else None, then.histories, opened))
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
