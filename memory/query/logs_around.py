"""Find the session logs that have to do with a commit of the code, each with how.

A log is of a commit that brought it, or that has its work. That HEAD stood there while it was written is
no link. The commits of a fact are asked for here as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.codec.log import decode
from ledger.git.blame import CodeCommit
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.event import VERB_OF, WorkLanded
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed, key_of, stem_in
from ledger.model.session import EDIT, WORKING, Entry
from memory.cache.cache_file import Cache
from memory.cache.head_store import read as read_here
from memory.cache.name_lookup import logs_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.log_bytes import read_bytes
from memory.replay.outdated_lines import brought_by
from projection.text.claims import commits_in

#: The header key of the commit that a log was written at.
COMMIT_KEY = "commit"
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


def commits_of(cache: Cache, home: Home, facts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the commits of facts by id, those of texts first; a beginning counts as the whole."""
    histories = cache.some_histories(facts)
    stems = sorted({act.stem for history in histories.values() for act in history.acts})
    refs = [cache.log_ref(stem) for stem in stems]
    headers = {
        ref.key: log.get(COMMIT_KEY)
        for ref, data in read_bytes(home, [ref for ref in refs if ref is not None])
        if (log := decode(data, sealed=is_sealed(ref.stem), file=ref.path)[0]).type in WORKING
    }
    named: dict[str, tuple[str, ...]] = {}
    for id, history in histories.items():
        fact = cache.fact(id)
        if fact is not None:
            texts = [] if fact.redacted else [head.text for head in fact.heads]
            commits = [commit for text in texts for commit in commits_in(text)]
            commits += [commit for act in history.acts if (commit := headers.get(act.stem))]
            named[id] = _once(commits)
    return named


def _once(named: list[str]) -> tuple[str, ...]:
    """Return commits, each once, by the longest of its names."""
    longest: dict[str, str] = {}  # by the name that was met first
    for commit in dict.fromkeys(named):
        size = len(commit)
        alike = (key for key, one in longest.items() if one[:size] == commit[: len(one)])
        key = next(alike, commit)
        longest[key] = max(longest.get(key, ""), commit, key=len)
    return tuple(longest.values())
