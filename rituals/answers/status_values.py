"""Gather where a ledger stands, for `diurna status`."""

from __future__ import annotations

from bisect import bisect_right

from ledger.environment import now_seconds
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.log_stamps import ended_of, stamp_of
from memory.api import Memory
from memory.redaction.withheld_texts import held_logs
from memory.repair.lost_logs import lost_findings
from memory.replay.page_publishing import publishing
from memory.replay.upstream_homes import upstreams
from memory.worktree.projection_files import is_published
from memory.worktree.uncommitted_logs import taken_out
from projection.fold.projection_state import TIERS
from projection.lifecycle.ageing import fading
from projection.lifecycle.review_due import due, reasons, size_of
from projection.policy.model import OFF
from rituals.answers.json_objects import disputed_objects, home_object
from rituals.answers.record_fields import all_fields_of, fields_of
from rituals.decide.open_contradictions import contested
from rituals.hosts.background_start import last_run, obstacle
from rituals.hosts.capture.session_marks import sessions, unfinished
from rituals.hosts.host_events import starts
from rituals.hosts.silence import lasting
from rituals.hosts.stop_request import is_unasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def overview(memory: Memory) -> dict[str, Any]:
    """Describe where a ledger stands. Nothing is written.

    The findings are of what edits of pages say that no log does, and of logs that went (L6).
    """
    home, state = memory.home, memory.state()
    commondir, view, policy = home.repository.commondir, state.view(), state.policy
    keeps = policy.capture.keep != OFF
    since = len(state.work) - bisect_right(state.work, state.summary.last_review)
    size, published, run = size_of(view), publishing(home, policy), last_run(home)
    due_for = reasons(since, size, policy.review)
    disputed, ahead_behind = contested(state), _upstream(home)
    today, missed = starts(commondir)
    return {
        "home": home_object(home),
        **fields_of(state.summary, "logs sessions"),
        "facts": sum(view.tiers),
        "fading": [one.id for one in fading(view.live, state.decay, policy)],
        "tiers": dict(zip(TIERS, view.tiers, strict=True)),
        "review": {
            "due": bool(due_for),
            "since": since,
            "every": policy.review.every,
            "reasons": due_for,
            **fields_of(size, "facts lines closed_lines"),
        },
        "publish": all_fields_of(published),
        "drift": _behind(memory) if published.here else (),
        "edited": memory.edited(),
        "waiting": memory.waiting(),
        "silent": [one.session for one in lasting(home)],
        "starts": {"today": today, "without_memory": missed},
        "not_told": [f"{one.host} {one.session}" for one in unfinished(commondir) if keeps],
        "not_asked": _unasked(commondir) if keeps and policy.capture.ask else (),
        "captured": {
            "waiting": memory.held(),
            "because": memory.obstacle(),
            "taken_out": _taken_out(memory),
        },
        "by_itself": {
            "at": ended_of(stamp_of(run.at)) if run.at else "",
            **fields_of(run, "took_ms did doing"),
            "because": obstacle(home, policy),
        },
        "findings": _edits(memory),
        "contradictions": [fact for fact, _ in disputed],
        "disputed": disputed_objects(disputed),
        "confirm": {"due": due(state), "every": policy.review.verify_invariants_every},
        **dict(zip(("upstream", "ahead", "behind"), ahead_behind, strict=True)),
        "reads": [
            {"name": one.name, "fetched_at": int(one.fetched_at), "age": one.age(now_seconds())}
            for one in upstreams(home, policy)
        ],
    }


def _behind(memory: Memory) -> tuple[str, ...]:
    summary = memory.ask(lambda cache: cache.summary, committed=True)
    home = memory.home
    return () if is_published(home, home.tip(), summary) else (CONTINUITY_FILE,)


def _unasked(commondir: str) -> tuple[str, ...]:
    newest = {one.host: one.session for one in reversed(sessions(commondir))}
    return tuple(sorted([host for host in newest if is_unasked(commondir, host, newest[host])]))


def _taken_out(memory: Memory) -> tuple[str, ...]:
    """Return the logs that a person took out of the work tree, and whose facts nobody took back."""
    stems = taken_out(memory.home)
    if not stems:
        return ()
    from rituals.decide.undo_plan import Past

    undone = Past(memory).undone
    return tuple([stem for stem in stems if stem not in undone])


def _edits(memory: Memory) -> tuple[Finding, ...]:
    from memory.edits.edited_files import find_edit
    from rituals.check.sessions_listing import undeclared

    home, found = memory.home, list[Finding]()
    if home.seen:  # of a branch with code all history is looked through, which `check` does
        found = lost_findings(home, memory.ask(held_logs, committed=True))
    return (*undeclared(memory, find_edit(memory.snapshot.tip, memory.tip_state)), *found)


def _upstream(home: Home) -> tuple[str, int, int]:
    """Return the remote-tracking branch, and by how many commits the branch and it differ; "" for none."""
    git = home.repository.git()
    name = ""
    if home.reference:
        asked = git.run(
            "rev-parse", "--symbolic-full-name", f"{home.branch}@{{upstream}}", check=False
        )
        name = asked.decode("utf-8", "replace").strip() or home.upstream
    tip = home.tip()
    counted: list[bytes] = []
    if name and tip:
        asked = git.run("rev-list", "--left-right", "--count", f"{tip}...{name}", check=False)
        counted = asked.split()
    if len(counted) != 2:
        return "", 0, 0
    return name.removeprefix("refs/remotes/"), int(counted[0]), int(counted[1])
