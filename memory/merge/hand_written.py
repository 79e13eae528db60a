"""Merge around projection files that a person wrote on one of the sides (FORMAT.md, M7, P5)."""

from __future__ import annotations

from ledger.git.git_objects import BLOB, TREE, Objects, write_objects
from ledger.remote.tree_merge import find
from memory.replay.replayed_state import cold_state
from memory.worktree.authorship import left_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.git.cli import Git
    from ledger.remote.tree_merge import Joined
    from memory.replay.ledger_snapshot import Snapshot
    from projection.fold.full_replay import State


class HandWritten:
    """What people wrote into projection files, on either side of a merge.

    Args:
        snapshot: of the home.
        objects: reads both sides.
        tips: the two commits.
        joined: what they come to; its logs are those of both.
    """

    def __init__(
        self, snapshot: Snapshot, objects: Objects, tips: tuple[str, str], joined: Joined
    ) -> None:
        self._snapshot, self._objects = snapshot, objects
        self._tips, self._joined = tips, joined
        self._known: State | None = None
        self._found: dict[str, set[str]] = {}

    def paths(self) -> dict[str, set[str]]:
        """Return, by tip, the projection paths that have to stay as they are there."""
        home = self._snapshot.home
        shown, policy = self._snapshot.ask(lambda cache: (cache.ever_rendered(), cache.policy))
        for tip in self._tips:
            left = left_alone(home, tip, self._state, policy, rendered=shown, tree=self._tree)
            if left:
                self._found[tip] = {one.file for one in left}
        return self._found

    def stands(self, tree: str) -> bool:
        """Tell whether a tree has any of these paths as its tip has it."""
        read, prefix = self._objects.read, self._snapshot.home.prefix
        for tip, paths in self._found.items():
            there = self._objects.header(tip).tree
            if any(find(read, tree, prefix + p) == find(read, there, prefix + p) for p in paths):
                return True
        return False

    def _state(self) -> State:
        if self._known is None:
            self._known = cold_state(self._snapshot, self._tree())
        return self._known

    def _tree(self) -> str:
        return write_joined(self._snapshot.home.repository.git(), self._joined)


def nothing(path: str) -> bool:
    """Call no path recomputed: what both sides changed is for a person to settle."""
    return False


def write_joined(git: Git, joined: Joined) -> str:
    """Store what was joined, for git to list; return the tree."""
    texts = [(BLOB, data) for data in joined.blended.values()]
    write_objects(git, [*texts, *((TREE, raw) for raw in joined.written.values())])
    return joined.tree
