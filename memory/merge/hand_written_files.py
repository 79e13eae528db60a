"""Merge around what a sync leaves to git and to people.

That is projection files that a person wrote on one of the sides (FORMAT.md, M7, P5), and entries that are
no files.
"""

from __future__ import annotations

from ledger.errors import SyncRefused
from ledger.git.git_objects import BLOB, TREE, Objects, find, write_objects
from ledger.git.repository import Repository
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.layout import SESSIONS_DIR
from ledger.model.log_names import FILE_MODE
from ledger.remote.tree_merge import Joined
from memory.replay.state_as_of import cold_state
from memory.replay.tip_snapshot import Snapshot
from memory.worktree.page_authorship import left_alone
from projection.fold.full_replay import State

_PULL_HINT = "join them with `git pull`, then `git push`: git joins ledgers without conflicts"


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
        policy = self._snapshot.ask(lambda cache: cache.policy)
        for tip in self._tips:
            left = left_alone(home, tip, self._state, policy, tree=self._tree)
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
        return write_joined(self._snapshot.home.repository, self._joined)


def write_joined(where: Repository, joined: Joined) -> str:
    """Store what was joined, for git to list; return the tree."""
    texts = [(BLOB, data) for data in joined.blended.values()]
    write_objects(where, [*texts, *((TREE, raw) for raw in joined.written.values())])
    return joined.tree


def refuse_modes(home: Home, ours: str, tip: str) -> None:
    """Leave links, executables and submodules in a work tree to git.

    Raises:
        SyncRefused: there is one among the changes.
    """
    if home.kind in (IN_TREE, OWN_BRANCH) or not home.checked_out:
        return
    for letter, mode, _, path in home.repository.git().differences(ours, tip, "."):
        if letter != "D" and mode != FILE_MODE and not path.startswith(SESSIONS_DIR + "/"):
            raise SyncRefused(f"{path} is no ordinary file (mode {mode})", hint=_PULL_HINT)
