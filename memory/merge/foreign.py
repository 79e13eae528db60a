"""Refuse what a sync leaves to git and to people: code beside a home, and entries that are no files."""

from __future__ import annotations

from ledger.errors import SyncRefused
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.layout import SESSIONS_DIR
from memory.worktree.checkout import EMPTY_TREE

_FILE_MODE = "100644"
_PULL_HINT = "join them with `git pull`, then `git push`: git joins ledgers without conflicts"


def refuse_code(home: Home, bases: list[str], ours: str, theirs: str) -> None:
    """Keep out of commits that hold more than memory: those are for git and their author.

    Raises:
        SyncRefused: one side changed files outside the home.
    """
    if home.kind != IN_TREE:
        return
    git = home.repository.git()
    rest = f":(top,exclude,literal){home.prefix.rstrip('/')}"
    for tip, where in ((theirs, "the remote"), (ours, "this branch")):
        for base in bases or [EMPTY_TREE]:
            said = git.run("diff-tree", "-r", "-z", "--name-only", base, tip, "--", ":(top)", rest)
            names = said.decode("utf-8", "replace").split("\0")
            if names[0]:
                raise SyncRefused(
                    f"{where} has commits on {home.branch} that change files outside "
                    f"{home.prefix}, such as {names[0]}; sync moves memory alone",
                    hint=_PULL_HINT,
                )


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
