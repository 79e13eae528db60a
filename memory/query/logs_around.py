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
from ledger.model.event import VERB_OF, FactCreated, FactUpdated, WorkLanded
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed, key_of, stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, WORKING, Entry
from memory.cache.cache_file import Cache
from memory.cache.head_store import read as read_here
from memory.cache.name_lookup import logs_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.log_bytes import read_bytes
from projection.text.claims import commits_in

#: The header key of the commit that a log was written at.
COMMIT_KEY = "commit"
HERE, EDITED, NAMED, TOLD, WITH, LANDED = (
    "at the commit", "edited the file", "names it", "tells of the commit", "came with the commit",
    "landed with the commit",
)  # fmt: skip
#: By which a log is of the commit itself.
FIRM = (WITH, NAMED, TOLD, LANDED)


class LogAround(Record):
    """A log, and what it has to do with a commit; `how` is "" where HEAD only stood there."""

    ref: LogRef
    entry: Entry
    how: str = ""


def logs_around(home: Home, cache: Cache, commit: CodeCommit, git: Git) -> list[LogAround]:
    """Return the logs that have to do with a commit, in ledger order.

    Args:
        home: of the ledger.
        cache: of it.
        commit: of the code.
        git: runs in the code's repository.
    """
    how = dict.fromkeys(_came_with(home, git, commit.id), WITH) | _landed(home, cache, commit.id)
    stood = {stem_in(stem) for stem in _places(cache, [commit.id])}
    hidden = redacted_logs(cache)
    return [
        LogAround(ref, entry, how.get(ref.stem, ""))
        for ref, entry in logs_of(cache, sorted({key_of(stem) for stem in {*how, *stood}}))
        if ref.stem not in hidden and _tells(entry)
    ]


def names(text: str, name: str) -> bool:
    """Tell whether a text has a name that goes on neither before nor behind."""
    return name in text and bool(re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text))


def _landed(home: Home, cache: Cache, commit: str) -> dict[str, str]:
    """Return the logs of which it is recorded that a commit has their work; however old."""
    landed = 'SELECT stem FROM landings WHERE "commit" = ? AND verb = ?'
    found = [stem for (stem,) in cache.rows(landed, (commit, VERB_OF[WorkLanded]))]
    points = [point for point, one in read_here(home).settled.items() if one.commit == commit]
    return dict.fromkeys([*found, *[stem_in(stem) for stem in _places(cache, points)]], LANDED)


def _places(cache: Cache, commits: Iterable[str]) -> list[str]:
    """Return the keys of the logs that were written where HEAD stood at some commits."""
    rows = cache.rows_among('SELECT stem FROM places WHERE "commit" IN (?)', list(commits))
    return [stem for (stem,) in rows]


def _tells(entry: Entry) -> bool:
    """Tell whether a log can hold a reason: an edit that says nothing new, as of what landed, has none."""
    return entry.type != EDIT or any(
        isinstance(act, (FactCreated, FactUpdated)) for act in entry.acts
    )


def _came_with(home: Home, git: Git, commit: str) -> frozenset[str]:
    """Return the stems of the logs that a commit of the code itself brought."""
    if not home.prefix:
        return frozenset()
    out = git.run(
        "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--name-only", "--diff-filter=A",
        commit, "--", f":(top,literal){home.prefix}{SESSIONS_DIR}", check=False,
    )  # fmt: skip
    return frozenset([stem_of(path) for path in out.decode("utf-8", "replace").split("\0") if path])


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
    found: dict[str, tuple[str, ...]] = {}
    for id, history in histories.items():
        fact = cache.fact(id)
        if fact is None:
            continue
        texts = [] if fact.redacted else [head.text for head in fact.heads]
        named = [commit for text in texts for commit in commits_in(text)]
        named += [commit for act in history.acts if (commit := headers.get(act.stem))]
        found[id] = _once(named)
    return found


def _once(named: list[str]) -> tuple[str, ...]:
    """Return commits, each once, by the longest of its names."""
    found: list[str] = []
    for commit in dict.fromkeys(named):
        alike = [
            n for n, one in enumerate(found) if one.startswith(commit) or commit.startswith(one)
        ]
        if alike:
            found[alike[0]] = max(found[alike[0]], commit, key=len)
        else:
            found.append(commit)
    return tuple(found)
