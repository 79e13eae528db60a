"""Find the session logs that have to do with a commit of the code, each with how, and how surely.

Ids of commits tell it first: a log says at which commit of the code it was written. Where that commit is
unknown here, only its words and its time speak, and to be near in time is no link. The commits of a fact
are asked for here as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ledger.codec.log import decode, read_header
from ledger.codec.plain_text import text_of
from ledger.git.blame import CodeCommit, distances
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.event import VERB_OF, FactCreated, FactUpdated, WorkLanded
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import floor_of, is_sealed, key_of, milliseconds_of, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, WORKING, Entry
from memory.cache.cache_file import Cache
from memory.cache.head_store import read as read_here
from memory.cache.name_lookup import keys_within, logs_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.log_bytes import read_bytes
from projection.text.claims import commits_in

#: The header key of the commit that a log was written at.
COMMIT_KEY = "commit"
HERE, BESIDE, EDITED, NAMED, TOLD, WITH, LANDED = (
    "at the commit", "around the commit", "edited the file", "names it", "tells of the commit",
    "came with the commit", "landed with the commit",
)  # fmt: skip
#: By which a log is of the commit itself.
FIRM = (HERE, WITH, NAMED, LANDED)
#: So many steps behind a commit a log's commit halves what it tells; before it, it tells less at once.
_BEHIND, _BEFORE, _BEFORE_SHARE = 8, 3, 0.6
#: What is told by the path of a file in a log's words, and by that long before or after.
_EDITED, EDITED_FAR = 0.5, 0.17
#: Of the logs behind a commit, and before it, so many count.
_CLOSEST = 3
_HOUR_MS = 3_600_000
#: How far from a commit its logs are looked for, at most so many of them, and what is far.
_WINDOW_MS, _MOST_LOGS, _FAR_MS = 96 * _HOUR_MS, 240, 48 * _HOUR_MS
#: So many logs are near in time, within so much of it; so much of it halves what that tells.
_NEAR_LOGS, _NEAR_MS, _HALF_MS = 4, 36 * _HOUR_MS, 6 * _HOUR_MS
_ID = re.compile(r"[0-9a-f]{7,64}")


class LogBytes:
    """The bytes of logs, each read once.

    Args:
        home: of the logs.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._read: dict[LogRef, bytes] = {}

    def of(self, refs: Iterable[LogRef]) -> dict[LogRef, bytes]:
        """Return the bytes of logs; those whose object is missing are left out."""
        wanted = list(refs)
        news = [ref for ref in wanted if ref not in self._read]
        self._read.update(read_bytes(self._home, news))
        return {ref: self._read[ref] for ref in wanted if ref in self._read}


class LogAround(Record):
    """A log, and what it has to do with a commit."""

    ref: LogRef
    entry: Entry
    by: tuple[tuple[str, float], ...] = ()  #: (how, up to 1), the strongest first
    near: float = 0.0  #: how near in time, up to 1; 0 where others are nearer


def logs_around(
    home: Home,
    cache: Cache,
    commit: CodeCommit,
    git: Git,
    path: str = "",
    read: LogBytes | None = None,
) -> list[LogAround]:
    """Return the logs around a commit, in ledger order.

    Args:
        home: of the ledger.
        cache: of it.
        commit: of the code.
        git: runs in the code's repository.
        path: of a file that is asked about, "" for none.
        read: has what was read of logs before.
    """
    times = sorted({commit.written * 1000, commit.made * 1000})
    recorded = _recorded(home, cache, commit.id)
    logs = _within(cache, times, recorded)
    texts = (read or LogBytes(home)).of(ref for ref, _ in logs)
    said = {
        ref.key: said
        for ref, _ in logs
        if ref in texts and (said := dict(read_header(texts[ref])).get(COMMIT_KEY, ""))
    }
    ids = _whole(git, said.values())
    others = {key: ids[one] for key, one in said.items() if one in ids}
    behind, before = map(_first, distances(git, commit.id, others) if others else ({}, {}))
    came = _came_with(home, git, commit.id)
    nearest = sorted(logs, key=lambda one: (_apart(one[0].key, times), one[0].key))[:_NEAR_LOGS]
    found = []
    for ref, entry in logs:
        far, by = _apart(ref.key, times), dict[str, float]()
        if ref.stem in recorded:
            by[recorded[ref.stem]] = 1.0
        if ref.stem in came:
            by[WITH] = 1.0
        if ref.key in behind:
            steps = behind[ref.key]
            by[BESIDE if steps else HERE] = 1 / (1 + steps / _BEHIND)
        elif ref.key in before:
            by[BESIDE] = _BEFORE_SHARE / (1 + (before[ref.key] - 1) / _BEFORE)
        if path and ref in texts and names(text_of(texts[ref]), path):
            by[EDITED] = _EDITED if far < _FAR_MS else EDITED_FAR
        near = 1 / (1 + far / _HALF_MS) if (ref, entry) in nearest and far <= _NEAR_MS else 0.0
        if by or near:
            ordered = sorted(by.items(), key=lambda one: (-one[1], one[0]))
            found.append(LogAround(ref, entry, tuple(ordered), near))
    return found


def _first(steps: dict[str, int]) -> dict[str, int]:
    """Return the logs that are fewest steps away: those further tell of other commits."""
    last = sorted(steps.values())[:_CLOSEST][-1:]
    return {key: far for key, far in steps.items() if [far] <= last}


def names(text: str, name: str) -> bool:
    """Tell whether a text has a name that goes on neither before nor behind."""
    return name in text and bool(re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text))


def _recorded(home: Home, cache: Cache, commit: str) -> dict[str, str]:
    """Return the logs of which it is recorded that a commit has their work, each with how; however old."""
    landed = 'SELECT stem FROM landings WHERE "commit" = ? AND verb = ?'
    found = dict.fromkeys(
        [stem for (stem,) in cache.rows(landed, (commit, VERB_OF[WorkLanded]))], LANDED
    )
    points = [point for point, one in read_here(home).settled.items() if one.commit == commit]
    for how, ids in ((LANDED, points), (HERE, [commit])):
        rows = cache.rows_among('SELECT stem FROM places WHERE "commit" IN (?)', ids)
        found |= dict.fromkeys([stem_in(stem) for (stem,) in rows], how)
    return found


def _within(cache: Cache, times: Sequence[int], more: Iterable[str]) -> list[tuple[LogRef, Entry]]:
    """Return the logs near in time, the nearest of many, and `more`, without withheld ones."""
    keys = {
        key
        for at in times
        for key in keys_within(
            cache, floor_of(max(0, at - _WINDOW_MS)), stamp_of(max(0, at + _WINDOW_MS))
        )
    }
    nearest = sorted(keys, key=lambda key: (_apart(key, times), key))[:_MOST_LOGS]
    nearest += {key_of(stem) for stem in more}.difference(nearest)
    hidden = redacted_logs(cache)
    return [
        (ref, entry)
        for ref, entry in logs_of(cache, nearest)
        if ref.stem not in hidden and _tells(entry)
    ]


def _tells(entry: Entry) -> bool:
    """Tell whether a log can hold a reason: an edit that says nothing new, as of what landed, has none."""
    return entry.type != EDIT or any(
        isinstance(act, (FactCreated, FactUpdated)) for act in entry.acts
    )


def _whole(git: Git, said: Iterable[str]) -> dict[str, str]:
    """Return the whole ids of commits; of one that is ambiguous, or not here, nothing is known."""
    wanted = sorted({one for one in said if _ID.fullmatch(one)})
    found = git.resolve(*[f"{one}^{{commit}}" for one in wanted]) if wanted else ()
    return {one: whole for one, whole in zip(wanted, found, strict=True) if whole}


def _came_with(home: Home, git: Git, commit: str) -> frozenset[str]:
    """Return the stems of the logs that a commit of the code itself brought."""
    if not home.prefix:
        return frozenset()
    out = git.run(
        "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--name-only", "--diff-filter=A",
        commit, "--", f":(top,literal){home.prefix}{SESSIONS_DIR}", check=False,
    )  # fmt: skip
    return frozenset([stem_of(path) for path in out.decode("utf-8", "replace").split("\0") if path])


def _apart(key: str, times: Sequence[int]) -> int:
    """Return how far a log is from a commit, in milliseconds."""
    return min([abs(milliseconds_of(key) - at) for at in times])


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
