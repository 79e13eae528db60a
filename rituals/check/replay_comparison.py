"""Replay everything from git, and compare it with the published projection and the cache."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from memory.worktree.projection_files import (
    changes,
    committed_projection,
    drift_findings,
    projection_files,
)
from projection.fold.full_replay import State


class Recheck(Record):
    """What a full replay showed."""

    state: State  #: as replayed from git
    drift: tuple[str, ...]  #: committed projection files that differ from it, sorted
    #: projection files that the cache would give otherwise, sorted: a bug or damage
    stale: tuple[str, ...]

    @property
    def in_step(self) -> bool:
        """Whether all three say the same."""
        return not (self.drift or self.stale)

    def findings(self) -> tuple[Finding, ...]:
        """Say what differs."""
        found = drift_findings(list(self.drift))
        hint = "the ledger is right: move the cache folder under .git/diurna aside and report this"
        for path in self.stale:
            message = f"the cache gives another {path} than the ledger"
            found.append(Finding("drift", message, path, hint=hint))
        return tuple(found)


def recheck(memory: Memory) -> Recheck:
    """Replay everything from git and compare."""
    cold = memory.cold_state()
    files = projection_files(cold)
    cached = projection_files(memory.tip_state())
    drift = changes(files, committed_projection(memory.home, memory.home.tip(), cold.policy))
    stale = sorted(
        path for path in files.keys() | cached.keys() if files.get(path) != cached.get(path)
    )
    return Recheck(cold, tuple(path for path, _ in drift), tuple(stale))
