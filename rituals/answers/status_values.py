"""Gather where a ledger stands, for `diurna status`: a line or two of each room."""

from __future__ import annotations

from ledger.environment import now_seconds
from ledger.git.repository import read_reference, tracking_branch
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.log_names import ended_of, stamp_of
from memory import is_published, publishing, status_of
from projection.fold.live_view import TIERS
from projection.policy.model import OFF
from rituals.answers.record_to_dict import all_fields_of, fields_of, home_object
from rituals.hosts.capture.session_marks import sessions, unfinished
from rituals.hosts.due_steps import last_run, obstacle
from rituals.hosts.host_events import starts
from rituals.hosts.silence import lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory import LedgerStatus, Pages
    from projection.policy.model import Policy


def overview(memory: Pages) -> dict[str, Any]:
    """Describe where a ledger stands. Nothing is written.

    The findings are of what edits of pages say that no log does, and of logs that went (L6).
    """
    home, status = memory.home, memory.ask(status_of)
    commondir, policy = home.repository.commondir, status.policy
    keeps, run = policy.capture.keep != OFF, last_run(home)
    published, edited = publishing(home, policy), memory.edited()
    today, missed = starts(commondir)
    disputed = _disputed(status)
    drifts = published.here and not is_published(
        home, home.tip(), memory.ask(lambda cache: cache.summary, committed=True)
    )
    upstream, ahead, behind = _upstream(home)
    return {
        "home": home_object(home),
        **fields_of(status.summary, "logs sessions"),
        "facts": sum(status.tiers),
        "fading": status.fading,
        "tiers": dict(zip(TIERS, status.tiers, strict=True)),
        "review": {
            "due": bool(status.due),
            "since": status.since,
            "every": policy.review.every,
            "reasons": status.due,
            **fields_of(status.size, "facts lines closed_lines"),
        },
        "publish": all_fields_of(published),
        "drift": (CONTINUITY_FILE,) * drifts,
        "edited": edited,
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
            "because": obstacle(home, policy.background.run),
        },
        "findings": _findings(memory, edited),
        "contradictions": [one["id"] for one in disputed],
        "disputed": disputed,
        "confirm": {"due": status.unconfirmed, "every": policy.review.verify_invariants_every},
        "upstream": upstream,
        "ahead": ahead,
        "behind": behind,
        "reads": _reads(home, policy) if policy.upstream else (),
    }


def _disputed(status: LedgerStatus) -> list[dict[str, Any]]:
    if not status.contradicted:
        return []
    from rituals.decide.open_contradictions import contested

    return contested(status.contradicted, status.histories)


def _unasked(commondir: str) -> tuple[str, ...]:
    newest = {one.host: one.session for one in reversed(sessions(commondir))}
    if not newest:
        return ()
    from rituals.hosts.stop_request import is_unasked

    return tuple(sorted([host for host in newest if is_unasked(commondir, host, newest[host])]))


def _taken_out(memory: Pages) -> list[str]:
    """Return the logs that a person took out of the work tree, and whose facts nobody took back."""
    if not memory.home.plain:
        return []
    from memory import taken_out

    stems = taken_out(memory.home)
    if not stems:
        return []
    from projection.fold.reversal import effect

    undone = effect([entry for _, entry in memory.cache().logs("ORDER BY stem")]).undone
    return [stem for stem in stems if stem not in undone]


def _findings(memory: Pages, edited: tuple[str, ...]) -> list[Finding]:
    home, found = memory.home, memory.undeclared(edited)
    # of a branch with code all history is looked through, which `check` does
    if home.seen and (home.is_astray() or read_reference(home.repository, home.lost)):
        from memory import held_logs, lost_findings

        found += lost_findings(home, memory.ask(held_logs, committed=True))
    return found


def _upstream(home: Home) -> tuple[str, int, int]:
    """Return the remote-tracking branch, and by how many commits the branch and it differ; "" for none."""
    tip, git = home.tip(), home.repository.git()
    name = tracking_branch(home.repository, home.branch) if home.reference and tip else ""
    asked = ("rev-list", "--left-right", "--count", f"{tip}...{name}")
    counted = git.run(*asked, check=False).split() if name else []
    if len(counted) != 2:
        return "", 0, 0
    return name.removeprefix("refs/remotes/"), int(counted[0]), int(counted[1])


def _reads(home: Home, policy: Policy) -> list[dict[str, Any]]:
    from memory import upstreams

    return [
        {"name": one.name, "fetched_at": int(one.fetched_at), "age": one.age(now_seconds())}
        for one in upstreams(home, policy)
    ]
