"""Find the session logs that have to do with a commit of the code, each with how.

A log is of a commit that brought it, or that has its work. That HEAD stood there while it was written is
no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.git.blame import CodeCommit
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.event import VERB_OF, WorkLanded
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import key_of, stem_in
from ledger.model.session import EDIT, Entry
from memory.cache.cache_file import Cache
from memory.cache.head_store import read as read_here
from memory.cache.name_lookup import logs_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.outdated_lines import brought_by

HERE, EDITED, NAMED, TOLD, WITH, LANDED = (
    "at the commit", "edited the file", "names it", "tells of the commit", "came with the commit",
    "landed with the commit",
)  # fmt: skip
#: By which a log is of the commit itself.
FIRM = (WITH, NAMED, TOLD, LANDED)


def logs_around(
    home: Home, cache: Cache, commit: CodeCommit, git: Git
) -> list[tuple[LogRef, Entry, str]]:
    """Return the logs that have to do with a commit, in ledger order, each with how.

    That is "" where HEAD only stood there. An edit that says nothing new, as of what landed, has no
    reason to tell. `git` runs in the code's repository.
    """
    how = dict.fromkeys(_came_with(home, git, commit.id), WITH) | _landed(home, cache, commit.id)
    stood, hidden = _places(cache, [commit.id]), redacted_logs(cache)
    return [
        (ref, entry, how.get(ref.stem, ""))
        for ref, entry in logs_of(cache, sorted({key_of(stem) for stem in {*how, *stood}}))
        if ref.stem not in hidden and (entry.type != EDIT or brought_by(entry.acts))
    ]


def names(text: str, name: str) -> bool:
    """Tell whether a text has a name that goes on neither before nor behind."""
    return name in text and bool(re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text))


def _landed(home: Home, cache: Cache, commit: str) -> dict[str, str]:
    """Return the logs of which it is recorded that a commit has their work; however old."""
    asked = 'SELECT stem FROM landings WHERE "commit" = ? AND verb = ?'
    recorded = cache.column(asked, (commit, VERB_OF[WorkLanded]))
    points = [point for point, one in read_here(home).settled.items() if one.commit == commit]
    return dict.fromkeys([*recorded, *_places(cache, points)], LANDED)


def _places(cache: Cache, commits: Iterable[str]) -> list[str]:
    """Return the stems of the logs that were written where HEAD stood at some commits."""
    rows = cache.rows_among('SELECT stem FROM places WHERE "commit" IN (?)', list(commits))
    return [stem_in(key) for (key,) in rows]


def _came_with(home: Home, git: Git, commit: str) -> list[str]:
    """Return the stems of the logs that a commit of the code itself brought."""
    if not home.prefix:
        return []
    out = git.run(
        "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--name-only", "--diff-filter=A",
        commit, "--", f":(top,literal){home.prefix}{SESSIONS_DIR}", check=False,
    )  # fmt: skip
    return [stem_of(path) for path in out.decode("utf-8", "replace").split("\0") if path]
