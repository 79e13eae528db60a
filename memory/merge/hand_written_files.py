"""Merge around what a sync leaves to git and to people.

That is projection files that a person wrote on one of the sides (FORMAT.md, M7, P5), and entries that are
no files.
"""

from __future__ import annotations

from functools import cache

from ledger.errors import SyncRefused
from ledger.git.git_objects import BLOB, TREE, write_objects
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


def hand_written(snapshot: Snapshot, tips: tuple[str, str], joined: Joined) -> dict[str, set[str]]:
    """Return, by tip, the projection paths that people wrote there, which have to stay (P5).

    `joined` is what both commits come to; its logs are those of both.
    """
    home = snapshot.home
    policy = snapshot.ask(lambda cache: cache.policy)

    @cache
    def tree() -> str:
        return write_joined(home.repository, joined)

    @cache
    def state() -> State:
        return cold_state(snapshot, tree())

    left = {tip: left_alone(home, tip, state, policy, tree=tree) for tip in tips}
    return {tip: {one.file for one in found} for tip, found in left.items() if found}


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
