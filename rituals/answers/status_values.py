"""Gather where a ledger stands, for `diurna status`."""

from __future__ import annotations

from bisect import bisect_right

from ledger.environment import now_seconds
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from memory.query.visible_logs import Helped, helped
from memory.redaction.withheld_texts import held_logs
from memory.repair.seen_tip import lost_findings
from memory.replay.trunk import Publishing, publishing
from memory.replay.upstream_homes import Fetched, upstreams
from projection.fold.projection_state import TIERS
from projection.lifecycle.review_due import Size, reasons, size_of
from projection.lifecycle.transitions import Fading, fading
from projection.policy.model import OFF
from rituals.decide.fact_status import due
from rituals.decide.open_contradictions import contested
from rituals.hosts.background_start import Run, last_run, obstacle
from rituals.hosts.capture.stamps import sessions, unfinished
from rituals.hosts.moments import starts
from rituals.hosts.silence import lasting
from rituals.hosts.stop_request import is_unasked
from rituals.review.code_change import untold_since


class Upstream(Record):
    """The remote-tracking branch, and by how many commits the branch and it differ."""

    name: str
    ahead: int
    behind: int


class Overview(Record):
    """Where a ledger stands."""

    home: Home  #: where it lives
    logs: int  #: how many session logs there are
    sessions: int  #: how many of them are `work` logs
    facts: int  #: how many facts, whatever their tier
    tiers: tuple[tuple[str, int], ...]  #: (tier, count), all six
    fading: tuple[Fading, ...]  #: what goes to the archive next, soonest first
    since_review: int  #: work logs since the last review
    review_every: int  #: after how many a review is due, 0 for never
    due: tuple[str, ...]  #: why a review is due; empty when none is
    size: Size  #: of `continuity.md`
    publish: Publishing  #: when the projection is committed, and where
    #: published projection files that differ from the replay; none where it is not published
    drift: tuple[str, ...]
    edited: tuple[str, ...]  #: projection files that a person edited
    #: what these edits say that no log does, what is not understood of them, and which logs went (L6)
    edits: tuple[Finding, ...]
    waiting: tuple[str, ...]  #: stems of logs that wait in the spool
    held: tuple[str, ...]  #: stems of logs that are not committed yet though nothing failed
    obstacle: str  #: what is in their way
    taken_out: tuple[str, ...]  #: those of them that a person took out of this work tree (W21)
    #: (id, kinds) of facts of which several versions or successors stand
    contradictions: tuple[tuple[str, tuple[str, ...]], ...]
    unconfirmed: tuple[str, ...]  #: ids of lasting facts that a person should confirm by now
    confirm_every: int  #: after how many work logs that is due, 0 for never
    upstream: Upstream | None  #: None when none is configured
    reads: tuple[Fetched, ...]  #: the homes of others that are read beside it
    #: which sessions are silent here: ids of hosts, "" for all of this work tree
    silent: tuple[str, ...]
    #: how many sessions of hosts started here today, and how many of them without memory
    starts: tuple[int, int]
    not_told: tuple[str, ...]  #: the sessions that are over, or rest, and of which no log tells yet
    unasked: tuple[str, ...]  #: the hosts whose newest session could not be asked at a stop
    untold: int  #: commits of people since the newest log, 0 where they are few
    helped: Helped  #: how memory helped in the last week
    by_itself: Run  #: what was done by itself last
    hindered: str  #: what keeps it from being done, "" for nothing
    now: float  #: when that was, in seconds since 1970

    @property
    def disputed(self) -> str:
        """The contradictions, counted and named with their kinds."""
        named = [f"{fact} ({', '.join(kinds)})" for fact, kinds in self.contradictions]
        return f"{len(named)}: {', '.join(named)}"

    @property
    def review_due(self) -> bool:
        """Whether the policy asks for a review now."""
        return bool(self.due)


def overview(memory: Memory) -> Overview:
    """Gather where a ledger stands. Nothing is written."""
    state, commondir = memory.state(), memory.home.repository.commondir
    view, keeps = state.view(), state.policy.capture.keep != OFF
    since = len(state.work) - bisect_right(state.work, state.summary.last_review)
    size = size_of(view)
    edited = memory.edited()
    published = publishing(memory.home, state.policy)
    return Overview(
        memory.home,
        state.summary.logs,
        state.summary.sessions,
        sum(view.tiers),
        tuple(zip(TIERS, view.tiers, strict=True)),
        fading(view.live, state.decay, state.policy),
        since,
        state.policy.review.every,
        reasons(since, size, state.policy.review),
        size,
        published,
        memory.drift() if published.here else (),
        edited,
        _edits(memory),
        tuple(memory.waiting()),
        tuple(memory.held()),
        memory.obstacle(),
        _taken_out(memory),
        contested(state),
        due(state),
        state.policy.review.verify_invariants_every,
        _upstream(memory.home),
        upstreams(memory.home, state.policy),
        tuple([one.session for one in lasting(memory.home)]),
        starts(commondir),
        tuple([f"{one.host} {one.session}" for one in unfinished(commondir) if keeps]),
        _unasked(commondir) if keeps and state.policy.capture.ask else (),
        untold_since(memory.home, state.summary.newest),
        helped(memory.snapshot),
        last_run(memory.home),
        obstacle(memory.home, state.policy),
        now_seconds(),
    )


def _unasked(commondir: str) -> tuple[str, ...]:
    newest = {one.host: one.session for one in reversed(sessions(commondir))}
    return tuple(sorted([host for host in newest if is_unasked(commondir, host, newest[host])]))


def _taken_out(memory: Memory) -> tuple[str, ...]:
    """Return the logs that a person took out of the work tree, and whose facts nobody took back."""
    stems = memory.taken_out()
    if not stems:
        return ()
    from rituals.decide.undo_plan import Past

    undone = Past(memory).undone
    return tuple([stem for stem in stems if stem not in undone])


def _edits(memory: Memory) -> tuple[Finding, ...]:
    from memory.edits.detect import find_edits
    from rituals.check.verify.worktree import undeclared

    home, found = memory.home, list[Finding]()
    if home.seen:  # of a branch with code all history is looked through, which `check` does
        found = lost_findings(home, memory.ask(held_logs, committed=True))
    return (*undeclared(memory, find_edits(memory.snapshot.tip, memory.tip_state)), *found)


def _upstream(home: Home) -> Upstream | None:
    git = home.repository.git()
    name = ""
    if home.reference:
        asked = git.run(
            "rev-parse", "--symbolic-full-name", f"{home.branch}@{{upstream}}", check=False
        )
        name = asked.decode("utf-8", "replace").strip() or home.upstream
    tip = home.tip()
    if not name or not tip:
        return None
    counted = git.run("rev-list", "--left-right", "--count", f"{tip}...{name}", check=False).split()
    if len(counted) != 2:
        return None
    return Upstream(name.removeprefix("refs/remotes/"), int(counted[0]), int(counted[1]))
