"""Set entries of git's index for files of Diurna's, beside whoever else holds it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from ledger.environment import now_seconds
from ledger.git.git_objects import BLOB, write_objects
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.wal.git_locks import clear_index_lock

INDEX_TRIES = 12
FILE_MODE = "100644"
#: Ends the hint of what a commit brought and a work tree could not be given yet.
LATER = "the next Diurna command tries again"


def store_blob(home: Home, data: bytes) -> None:
    """Put a file's bytes into the object store, as they are, for an index entry to name."""
    write_objects(home.repository, [(BLOB, data)], durable=False)


def entry_line(path: str, blob: str) -> str:
    """Return the entry of a file as `git update-index --index-info` reads it; "" as blob takes it out.

    `path` is from the root of the work tree.
    """
    return f"{FILE_MODE} {blob}\t{path}" if blob else f"0 {'0' * 40}\t{path}"


def index_stamp(home: Home) -> tuple[int, ...]:
    """Return what tells whether somebody wrote the index since."""
    try:
        found = os.stat(f"{home.repository.gitdir}/index")
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def update_index(
    home: Home, lines: list[str], sparse: bool = False, tries: int = 0
) -> list[Finding]:
    """Set index entries.

    The home has a work tree; `lines` are as `entry_line` writes them; `sparse`: it lies outside the
    sparse checkout: mark the entries so. Somebody who holds the index is waited for, `tries` times
    where that is not 0.
    """
    if not lines:
        return []
    findings, said = _set_entries(home, lines, tries or INDEX_TRIES)
    if said:
        because = said.strip().split("\n")[0]
        message = f"what was committed stands, and git's index could not follow: {because}"
        hint = f"{LATER}; until then `git status` shows the file as deleted"
        return [*findings, Finding("index-busy", message, hint=hint)]
    if sparse:
        paths = "".join(line.split("\t", 1)[1] + "\0" for line in lines)
        marks = ("update-index", "--skip-worktree", "-z", "--stdin")
        home.repository.git().run(
            *home.repository.unfiltered(),
            *marks,
            data=paths.encode("utf-8", "surrogateescape"),
            check=False,
        )
    return findings


def blobs_at(home: Home, tip: str, paths: Iterable[str], *, whole: bool = False) -> dict[str, str]:
    """Return the blob ids of files in a commit, by their path from the root; "" for a missing one.

    `tip` is "" for none; `whole`: take no file for missing where the commit, or a tree of the home in
    it, is gone itself.

    Raises:
        ObjectMissing: `whole`, and one of them is gone.
    """
    wanted, git = list(paths), home.repository.git()
    found = git.resolve(*[f"{tip}:{path}" for path in wanted]) if tip else ()
    if whole and tip and not all(found):
        git.tree_files(tip, home.prefix)
    return dict.fromkeys(wanted, "") | dict(zip(wanted, found, strict=False))


def _set_entries(home: Home, lines: list[str], tries: int) -> tuple[list[Finding], str]:
    """Set entries of git's index, waiting a while for others who hold it.

    One who holds it may be about to check out another branch: the entries are then those of that one.
    """
    git, where = home.repository.git(), home.repository
    findings: list[Finding] = []
    said, options = b"", where.unfiltered()
    for attempt in range(tries):
        began, here, wanted = now_seconds(), head(where)[0], lines
        if here != home.reference:  # as the branch has them that is checked out by now
            paths = [line.split("\t", 1)[1] for line in lines]
            there = blobs_at(home, head(where)[1], paths, whole=True)
            wanted = [entry_line(path, blob) for path, blob in there.items()]
        data = "".join(line + "\n" for line in wanted).encode("utf-8", "surrogateescape")
        status, _, said = git.call(*options, "update-index", "--add", "--index-info", data=data)
        if not status:
            if head(where)[0] == here:
                return findings, ""
            continue  # another branch was checked out meanwhile: its entries are wanted
        if status < 0:  # killed, and its lock is in the way of everybody
            cleared = clear_index_lock(where.commondir, where.gitdir, where.top, began)
            if cleared is not None:
                findings.append(cleared)
                continue
        if b"index.lock" not in said:
            break
        time.sleep(0.01 * (attempt + 1))
    return findings, said.decode("utf-8", "replace") or "git said nothing"
