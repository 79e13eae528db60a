"""Restore what history took from the ledger: plan, then one commit."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.git.log_history import MOVED
from ledger.wal.atomic_files import replace_file
from memory.api import Memory
from memory.redaction.withheld_texts import held_logs
from memory.worktree.projection_files import refuse_unwritable
from rituals.check.verify.branch_checkpoint import lost_since
from rituals.check.verify.history import damaged, fitting, without_purged
from rituals.check.verify.session_listing import list_sessions
from rituals.check.verify.worktree import same_in_work_tree


def restore_plan(memory: Memory) -> tuple[tuple[str, bytes], ...]:
    """Find the first bytes of sealed logs that were deleted or changed since, by path.

    Looks in the history of the tip and at the tip that was last found whole. A log that stands
    somewhere with the bytes its name proves is left alone, and so are unsealed ones, and those whose seal
    different bytes fit, and redacted ones that were taken out of the ledger.
    """
    home = memory.home
    tip = home.tip()
    standing = list_sessions(home, tip).standing
    held = memory.ask(held_logs, committed=True)
    found = without_purged(damaged(home, tip, standing, None)[0], held)
    wanted = {one.path: one.first for one in found if one.kind != MOVED and one.sound}
    known = {one.path for one in found}
    lost = lost_since(home, tip, standing, held) or {}
    gone = {path: [blob] for path, blob in lost.items() if path not in known}
    # where other bytes that fit the seal stand now, nobody but a person can tell which are right
    proven = fitting(home, gone, standing)
    wanted.update({path: blobs[0] for path, blobs in proven.items() if len(blobs) == 1})
    paths = sorted(wanted)
    contents = home.repository.git().blobs([wanted[path] for path in paths])
    return tuple(
        (path, data) for path, data in zip(paths, contents, strict=True) if data is not None
    )


def restore(memory: Memory) -> tuple[str, ...]:
    """Commit again what `restore_plan` finds; return the paths.

    The work tree follows where its copy is missing or the one that was committed; an edit that nobody
    committed stays.

    Raises:
        NotFound: there is nothing to put back.
        WriteRefused: the repository is in no state to be committed to; nothing changed.
    """
    plan = restore_plan(memory)
    if not plan:
        said = "no session log is missing or changed whose first bytes are known"
        raise NotFound(said, hint="`diurna check` tells what is wrong")
    home = memory.home
    refuse_unwritable(home)
    standing = list_sessions(home, home.tip()).standing
    stale = []
    if home.checked_out:
        stale = [p for p, _ in plan if p in standing and same_in_work_tree(home, p, standing[p])]
    many = "a session log" if len(plan) == 1 else f"{len(plan)} session logs"
    memory.commit_files(plan, f"diurna: put back {many} as first committed")
    for path, data in plan:
        if path in stale:
            replace_file(f"{home.folder}/{path}", data)
    return tuple(path for path, _ in plan)
