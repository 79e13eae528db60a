"""Find committed logs that a commit of the user's left out, because it began beside their append.

`git commit` writes its tree from the index. One that read the index before our entry was there, and HEAD
after our commit, has our commit for its parent and our log not in its tree. The work tree has the log by
then, and the spool a copy (FORMAT.md, W11).
"""

from __future__ import annotations

import os

from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.wal.spool import Spool
from memory.cache.view_name import rides
from memory.worktree.checkout import work_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.cache.cache_file import Cache

#: How the reflog tells of the revert of a commit.
_REVERTS = ("revert: ", 'commit: Revert "')
#: How many places where the branch stood are looked at.
_TIPS = 50


def dropped(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the stems of kept logs that the branch had, and has lost though the user still has them.

    What a person took out of the work tree was meant to go; of the index that can not be said, for git
    reads it before it locks it, and may write it without our entry. Mostly this costs a look into
    one folder and one question to the cache.
    """
    if not home.checked_out or not cache.commit:
        return []
    kept = spool.kept()
    known = cache.known(kept) if kept else {}
    paths = {stem: log_path(stem) for stem in kept if stem not in known}
    if paths and cache.redacted:
        from memory.redaction.withheld_texts import held_logs

        redacted = {stem for stem, _ in held_logs(cache)}  # it may have been meant to go (fault:E7)
        paths = {stem: path for stem, path in paths.items() if stem not in redacted}
    there = [stem for stem, path in paths.items() if os.path.isfile(f"{home.folder}/{path}")]
    if not there:
        return []
    found = [
        stem
        for stem in there
        if (data := spool.read_kept(stem)) is not None and work_file(home, paths[stem]) == data
    ]
    if not rides(home, cache.policy):  # there a commit that is reset leaves them to the next one
        found = [stem for stem in found if _stood(home, cache.commit, paths[stem])]
    if not found:
        return []
    wanted = [home.prefix + paths[stem] for stem in found]
    rows = home.repository.git().tree_files(cache.commit, *wanted)
    at_tip = {path for _, _, path in rows}  # one that only can not be read was not dropped
    return [stem for stem in found if home.prefix + paths[stem] not in at_tip]


def reverted(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the stems of kept logs that a revert took out: it undoes code, and not what was learned.

    The home's logs went with a person's own commits.
    """
    kept = spool.kept()
    known = cache.known(kept) if kept else {}
    paths = {home.prefix + log_path(stem): stem for stem in kept if stem not in known}
    if not paths:
        return []
    listed = home.repository.git().run(
        "log", "-g", f"-n{_TIPS}", "--diff-filter=D", "--name-only", "--no-renames", "--format=%x00%gs",
        "HEAD", "--", *[f":(top,literal){path}" for path in paths], check=False,
    )  # fmt: skip
    found: dict[str, None] = {}
    for block in listed.decode("utf-8", "replace").split("\0"):
        said, _, names = block.partition("\n")
        if said.startswith(_REVERTS):
            found.update(dict.fromkeys(paths[name] for name in names.split("\n") if name in paths))
    return list(found)


def dropped_finding(home: Home, stem: str, then: str, hint: str = "") -> Finding:
    """Say that a commit left a log out, what became of it (`then`), and what to do."""
    beside = "a commit that was begun beside that left it out"
    said = f"{stem} was committed on {home.branch}, and {beside}; {then}"
    return Finding("log-dropped", said, hint=hint)


def _stood(home: Home, tip: str, path: str) -> bool:
    """Tell whether the branch had a file, and a commit took it out of there.

    It is in the tip's history; or the branch stood where it was, and an amended commit replaced that. A
    reset is the user's own way of setting a commit back.
    """
    git, full = home.repository.git(), home.prefix + path
    said = git.run("log", "-1", "--format=%H", tip, "--", f":(top,literal){full}", check=False)
    if said.strip():
        return True
    listed = git.run(
        "log", "-g", f"-n{_TIPS}", "--format=%H %gs", home.reference, "--", check=False
    )
    moves = [line for line in listed.decode("utf-8", "replace").split("\n") if line]
    there = git.resolve(*[f"{move[:40]}:{full}" for move in moves]) if moves else []
    last = next((number for number, blob in enumerate(there) if blob), 0)
    return last > 0 and moves[last - 1][41:].startswith("commit")
