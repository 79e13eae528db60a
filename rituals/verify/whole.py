"""Verify: the one survey of the ledger, and all checks on it, in order."""

from __future__ import annotations

from ledger.findings import CODES, ERROR, INFO, WARNING, Finding, severe
from ledger.logset import log_refs
from memory.api import Memory
from memory.edits import edited_findings
from memory.reading import read_all
from memory.states import state_from
from rituals.verify.history import damage_finding, damaged
from rituals.verify.listing import list_sessions
from rituals.verify.logs import (
    clock_findings,
    name_writers,
    placed,
    policy_findings,
    spool_findings,
)
from rituals.verify.published import projection_findings
from rituals.verify.rewritten import Checkpoint, remember, rewritten_findings
from rituals.verify.worktree import work_tree_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]

_RANK = {ERROR: 0, WARNING: 1, INFO: 2}


def verify(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check the whole ledger; return what is wrong, errors first.

    Remembers the tip when no error is found, so that a later rewriting of the history shows.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    home = memory.home
    tip = home.tip()
    listing = list_sessions(home, tip)
    refs, odd = log_refs(listing.rows, home.prefix)
    found = [*listing.findings, *name_writers(home, tip, odd, listing.standing)]
    snapshot = memory.snapshot
    policy_blob = snapshot.policy_blob(tip)
    _, policy, problem = snapshot.read_policy(policy_blob)
    found += policy_findings(home, tip, policy_blob, policy, problem)
    reading = read_all(home, refs, _part(progress, 0))
    state = state_from(reading.refs, reading.entries, policy, reading.findings)
    found += placed(state.findings(), refs)
    found += clock_findings(refs, memory.occasion().now_ms)
    altered, unreadable = damaged(home, tip, listing.standing, _part(progress, 1))
    found += unreadable
    found = _once(found, {one.path for one in altered})
    found += [damage_finding(home, one) for one in altered]
    found += projection_findings(home, tip, state, refs)
    if home.checked_out:
        found += work_tree_findings(home, listing)
        found += edited_findings(memory.edited())
    found += spool_findings(memory.waiting())
    found += rewritten_findings(home, tip, listing.standing, {one.path for one in altered})
    ordered = tuple(sorted(dict.fromkeys(found), key=order))
    if tip and not severe(ordered):
        remember(home, Checkpoint(tip, len(refs), state.summary.digest))
    return ordered


def _once(found: list[Finding], altered: set[str]) -> list[Finding]:
    """Send nobody to `diurna verify` for what the next line of its answer says."""
    return [
        one._replace(hint="") if one.code == "seal-broken" and one.file in altered else one
        for one in found
    ]


def order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort errors first, then by place."""
    severity = CODES[finding.code][0]
    return (_RANK[severity], finding.file, finding.line, finding.code, finding.message)


def _part(progress: Progress | None, half: int) -> Progress | None:
    """Let one half of the work tell how far the whole is."""
    if progress is None:
        return None
    return lambda done, total: progress(half * 500 + done * 500 // max(total, 1), 1000)
