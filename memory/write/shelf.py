"""Say what becomes of the logs of a home that wait though nothing failed (FORMAT.md, W14, W20)."""

from __future__ import annotations

from ledger.wal.spool import Spool
from memory.cache.view_name import rides
from memory.replay.ledger_snapshot import Snapshot
from memory.write.landing import obstacle
from memory.write.log_branches import for_here, on_their_branches


class Shelf:
    """Where they wait.

    Args:
        snapshot: of the home, at its tip.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._home = snapshot.home
        self._snapshot = snapshot
        self.spool = Spool(self._home.spool_folder)

    def rides(self) -> bool:
        """Tell whether they wait for a person's own next commit (W20)."""
        return rides(self._home, self._snapshot.cache().policy)

    def obstacle(self, tip: str | None = None) -> str:
        """Return what is in the way of committing them now, "" where nothing is."""
        policy = self._snapshot.cache(tip).policy
        return obstacle(self._home, policy, self.spool.held_since(), tip)

    def for_here(self) -> list[str]:
        """Return the stems of those that may be committed on this branch, oldest first."""
        held = self.spool.held()
        return for_here(self._home, self._read(held)) if held and self.rides() else held

    def taken_along(self) -> list[str]:
        """Return the stems of those that the branch has by now, or the branch that they are of."""
        held = self.spool.held()
        known = self._snapshot.cache().known(held) if held else {}
        elsewhere: list[str] = []
        if len(known) < len(held) and self.rides():
            elsewhere = on_their_branches(self._home, self._read(held))
        return [stem for stem in held if stem in known or stem in elsewhere]

    def _read(self, stems: list[str]) -> dict[str, bytes]:
        return {stem: data for stem in stems if (data := self.spool.read(stem)) is not None}
