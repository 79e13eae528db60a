"""Merge around what a sync leaves to git and to people.

That is projection files that a person wrote on one of the sides (FORMAT.md, M7, P5), code beside a home,
and entries that are no files.
"""

from __future__ import annotations

from ledger.errors import SyncRefused
from ledger.git.cli import EMPTY_TREE
from ledger.git.git_objects import BLOB, TREE, Objects, write_objects
from ledger.git.repository import Repository, branch_tips, config_value
from ledger.home import IN_TREE, OWN_BRANCH, Home, pointed
from ledger.model.layout import MOVED_FILE, POLICY_FILE, SESSIONS_DIR, TREE_POINTER, TREE_PREFIX
from ledger.remote.tree_merge import Joined, find
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.replayed_state import cold_state
from memory.worktree.page_authorship import left_alone
from projection.fold.full_replay import State

_FILE_MODE = "100644"
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


def code_beside(home: Home, bases: list[str], tip: str) -> str:
    """Return a file outside of the home that commits of one side change, "" where none is.

    Such commits are for git and their author: a sync neither sends them nor brings them into a work tree.
    `bases` are the merge bases of both sides; `tip` is the side's, "" for none.
    """
    if home.kind != IN_TREE or not tip:
        return ""
    git = home.repository.git()
    rest = f":(top,exclude,literal){home.prefix.rstrip('/')}"
    for base in bases or [EMPTY_TREE]:
        said = git.run("diff-tree", "-r", "-z", "--name-only", base, tip, "--", ":(top)", rest)
        names = said.decode("utf-8", "replace").split("\0")
        if names[0]:
            return names[0]
    return ""


def former_places(home: Home) -> tuple[str, ...]:
    """Return the prefixes at which the memory stood before, where a branch here says so; mostly none.

    It may have stood in the usual folder, where this clone notes it, and where HEAD has a pointer to.
    """
    if home.kind != OWN_BRANCH:
        return ()
    git, where = home.repository.git(), home.repository
    places = [TREE_PREFIX, config_value(where, "diurna", "moved")]
    tips = ["HEAD", *branch_tips(where)]
    asked = [f"{tip}:{place}{MOVED_FILE}" for tip in tips for place in filter(None, places)]
    pointer, *moved = git.resolve(f"HEAD:{TREE_POINTER}", *asked)
    if pointer:
        (text,) = git.blobs([pointer])
        places.append(pointed((text or b"").decode("utf-8", "replace")))
        moved += git.resolve(*[f"{tip}:{places[-1]}{MOVED_FILE}" for tip in tips])
    return tuple(dict.fromkeys(filter(None, places))) if any(moved) else ()


def moved_away(home: Home, tip: str) -> str:
    """Return the file by which a side says that memory is elsewhere, "" where it is still here."""
    if home.kind != IN_TREE or not tip:
        return ""
    names = [f"{tip}:{home.prefix}{name}" for name in (MOVED_FILE, POLICY_FILE)]
    said, stays = home.repository.git().resolve(*names)
    return home.prefix + MOVED_FILE if said and not stays else ""


def refuse_modes(home: Home, ours: str, tip: str) -> None:
    """Leave links, executables and submodules in a work tree to git.

    Raises:
        SyncRefused: there is one among the changes.
    """
    if home.kind in (IN_TREE, OWN_BRANCH) or not home.checked_out:
        return
    for letter, mode, _, path in home.repository.git().differences(ours, tip, "."):
        if letter != "D" and mode != _FILE_MODE and not path.startswith(SESSIONS_DIR + "/"):
            raise SyncRefused(f"{path} is no ordinary file (mode {mode})", hint=_PULL_HINT)
