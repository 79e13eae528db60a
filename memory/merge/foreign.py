"""Tell what a sync leaves to git and to people: code beside a home, and entries that are no files."""

from __future__ import annotations

from ledger.errors import SyncRefused
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.layout import MOVED_FILE, POLICY_FILE, SESSIONS_DIR
from memory.worktree.checkout import EMPTY_TREE

_FILE_MODE = "100644"
_PULL_HINT = "join them with `git pull`, then `git push`: git joins ledgers without conflicts"


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
    for letter, mode, _, path in home.repository.git().differences(ours or EMPTY_TREE, tip, "."):
        if letter != "D" and mode != _FILE_MODE and not path.startswith(SESSIONS_DIR + "/"):
            raise SyncRefused(f"{path} is no ordinary file (mode {mode})", hint=_PULL_HINT)
