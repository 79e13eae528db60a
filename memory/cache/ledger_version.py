"""Name what a home shows: its branch's tip, the logs that wait, where (W14, W21), and who asks there."""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.git.config_files import plain_user_name
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.layout import CACHE_DIR, HIDDEN_FILE
from ledger.wal.atomic_files import died, make_folder, plain_bytes, replace_file
from ledger.wal.user_key import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.wal.spool import Mark

#: Stands between the tip and what tells the logs that wait.
AND = "+"
#: Ends the names of the files in which the last briefs are kept.
BRIEFS = ".briefs"
#: How many changed files are looked at.
_FILES = 100


def beside(home: Home) -> str:
    """Return what the name of the view has behind that of the tip: "" where nothing waits.

    Ask before looking where the branch stands: what is gone from here meanwhile is on a branch by then. A
    log that is being written has another size when it is whole.
    """
    try:
        with os.scandir(home.held_folder) as files:
            waiting = sorted([(file.name, file.stat().st_size) for file in files if file.is_file()])
    except OSError:
        return ""
    said = [f"{name} {size}".encode("utf-8", "surrogateescape") for name, size in waiting]
    return f"{AND}{digest(*said)}" if said else ""


def seen(home: Home) -> str:
    """Name what a home shows at this moment."""
    waits = beside(home)
    return home.tip() + waits


def tip_of(name: str) -> str:
    """Return the commit that a view is of."""
    return name.partition(AND)[0]


def waiting_stems(home: Home) -> tuple[str, ...]:
    """Return the stems of the logs that wait for the branch."""
    if not (has_files(home.spool_folder) or has_files(home.held_folder)):
        return ()
    return (*home.spool.waiting(), *home.spool.held())


def is_disturbed(home: Home) -> bool:
    """Tell whether logs wait that were asked for, a process died at its work, or the branch was moved."""
    astray = died(home.repository.commondir) or home.is_astray()
    return astray or has_files(home.spool_folder)


def has_files(folder: str) -> bool:
    """Tell whether there is a file in a folder, and the folder."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.is_file() for entry in entries)
    except OSError:
        return False


def hidden(home: Home) -> bytes:
    """Return what changes in a clone whenever something is hidden there."""
    return plain_bytes(f"{home.repository.commondir}/{HIDDEN_FILE}") or b""


def drop_briefs(home: Home) -> None:
    """Let go of the briefs that are kept or being made for starts: something is hidden.

    Raises:
        StorageFailed: the disk refused.
    """
    make_folder(home.state_dir)
    replace_file(f"{home.repository.commondir}/{HIDDEN_FILE}", os.urandom(16), 0o600)
    folder = f"{home.repository.commondir}/{CACHE_DIR}"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(BRIEFS):
            os.unlink(f"{folder}/{name}")


def mark_here(home: Home, *, owed: bool = False) -> Mark:
    """Return the mark of what is written in a work tree now; `owed`: it is about to be."""
    from ledger.wal.spool import Mark

    where = home.repository
    return Mark(os.path.relpath(where.gitdir, where.commondir), where.top, home.branch, owed)


def mark_of(home: Home, stem: str) -> Mark:
    """Return where a log belongs that waits: here, where nothing says so."""
    return home.spool.mark(stem) or mark_here(home, owed=True)


def is_here(home: Home, mark: Mark) -> bool:
    """Tell whether a log belongs into this work tree as it is now."""
    here = mark_here(home)
    gone = not os.path.isdir(f"{home.repository.commondir}/{mark.tree}")
    return (gone or mark.tree == here.tree) and mark.branch in ("", here.branch)


def marks_elsewhere(home: Home) -> dict[str, Mark]:
    """Return the logs that wait and belong into another work tree, or on another branch."""
    marks = {stem: mark_of(home, stem) for stem in home.spool.held()}
    return {stem: mark for stem, mark in marks.items() if not is_here(home, mark)}


def stems_elsewhere(home: Home) -> dict[str, str]:
    """Return the same, each with the place in words: `in ../wt, branch x`."""
    return {stem: _place(home, mark) for stem, mark in marks_elsewhere(home).items()}


def landed(home: Home, commits: Mapping[str, str]) -> dict[str, str]:
    """Return those of some logs, each with a commit, that the commit has."""
    from ledger.model.log_names import log_path

    paths = [f"{commit}:{home.prefix}{log_path(stem)}" for stem, commit in commits.items()]
    there = home.repository.git().resolve(*paths) if paths else ()
    return {stem: commits[stem] for stem, blob in zip(commits, there, strict=True) if blob}


def _place(home: Home, mark: Mark) -> str:
    gone = not os.path.isdir(f"{home.repository.commondir}/{mark.tree}")
    there = mark.tree != mark_here(home).tree and not gone
    tree = f"in {os.path.relpath(mark.top, home.repository.top)}" if there else ""
    return ", ".join(filter(None, (tree, mark.branch and f"branch {mark.branch}")))


def agent_of(home: Home) -> str:
    """Return the name under which git commits here, which is that of logs that name no agent."""
    name = plain_user_name(home.repository.commondir)
    if name is None:
        from ledger.git.committer import identity_in

        name = identity_in(home.repository).name
    return name


def branch_of(home: Home) -> str:
    """Return the branch that is checked out where the work is done, "" for none."""
    return head(home.repository)[0].removeprefix("refs/heads/")


def changed_files(home: Home) -> tuple[str, ...]:
    """Return which files of the work tree differ from what is committed, sorted, without the home's."""
    if not home.repository.top:
        return ()
    try:
        said = home.repository.git().status("--no-renames", "--ignore-submodules=all")
    except DiurnaError:
        return ()  # a brief says what it can
    paths = [row[3:] for row in said]
    ours = home.prefix or "sessions/"
    return tuple(sorted(path for path in paths if not path.startswith(ours))[:_FILES])
