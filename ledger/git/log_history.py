"""List every session log that history ever modified, deleted or moved, and who did it.

Logs are only ever added (FORMAT.md, L2), so any other change of one is told, however old. Each commit is
compared with each of its parents, so a merge that unites two sides shows nothing and one that drops or
changes a log shows it. Rename detection stays off (fault:E3): a move is the same blob gone
at one path and new at another. Commit times play no part (O1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ledger.git.cli import Git
from ledger.git.repository import is_shallow
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.order import breaks_seal, is_sealed, is_stem
from ledger.model.record import Record

Progress = Callable[[int, int], None]

MODIFIED, DELETED, MOVED = "modified", "deleted", "moved"

_FILE_MODE = "100644"
#: How many commits, and how many blobs, are asked for at once: bounds the memory.
_COMMITS_AT_ONCE = 4000
_BLOBS_AT_ONCE = 2000


class Alteration(Record):
    """One change of a session log that was committed before.

    Paths are relative to the home. `new_path` is set for a moved log; `blob_after` and `mode_after` are
    "" where the log is gone; `merge` tells whether a merge commit did it.
    """

    path: str
    new_path: str
    blob_before: str
    blob_after: str
    mode_after: str
    commit: str
    author: str
    date: str
    merge: bool

    @property
    def did(self) -> str:
        """What one side did to a log that both had."""
        return MODIFIED if self.blob_after else DELETED


class Damage(Record):
    """A log that history altered and that is not whole at the tip.

    `first` is the blob it was first committed with (for a sealed log the one that its name proves);
    `sound` tells whether that one alone is proven. `now` is where those bytes stand now, for a moved log,
    or the path that holds other bytes. `cause` is the newest change that they did not survive, of
    `changes`.
    """

    kind: str
    path: str
    first: str
    sound: bool
    now: str
    cause: Alteration
    changes: int


class _Row(Record):
    commit: str
    letter: str
    mode_before: str
    mode: str
    blob_before: str
    blob: str
    path: str


def altered(
    home: Home, tip: str, progress: Progress | None = None
) -> tuple[tuple[Alteration, ...], tuple[Finding, ...]]:
    """Find every change of a committed log in the history of a commit, oldest first.

    `tip` may be "" for none; `progress` is told how many of how many commits are looked at. Findings
    say which part of the history could not be looked at.
    """
    if not tip:
        return (), ()
    git = home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    commits, findings = _commits(git, tip)
    if is_shallow(home.repository):
        cut = "the history is shallow: what was done to logs before it begins was not checked"
        findings.append(Finding("history-cut", cut, hint="git fetch --unshallow"))
    rows = [
        row
        for row in _rows(git, commits, "MDT", [folder], findings, progress)
        if row.mode_before == _FILE_MODE and is_stem(stem_of(row.path))
    ]
    losing = list(dict.fromkeys(row.commit for row in rows if row.letter == "D"))
    added: dict[tuple[str, str], list[str]] = {}
    for row in _rows(git, losing, "A", [folder], findings):
        if row.mode == _FILE_MODE:
            added.setdefault((row.commit, row.blob), []).append(row.path)
    about = _about(git, list(dict.fromkeys(row.commit for row in rows)))
    start = len(home.prefix)
    found: dict[tuple[str, str], Alteration] = {}
    for row in rows:
        targets = added.get((row.commit, row.blob_before), []) if row.letter == "D" else []
        # among several new places of the same bytes that of the same name
        same = [target for target in targets if stem_of(target) == stem_of(row.path)]
        moved = min(same or targets)[start:] if targets else ""
        found.setdefault((row.commit, row.path), _alteration(row, moved, start, about))
    ours = {change.path for change in found.values() if not change.merge}
    oldest_first = reversed(found.values())
    # a merge that carries on what a commit of one side did is no alteration of its own
    kept = [change for change in oldest_first if not (change.merge and change.path in ours)]
    return tuple(kept), tuple(findings)


def damages(
    alterations: Iterable[Alteration],
    standing: Mapping[str, str],
    proven: Mapping[str, Sequence[str]],
) -> tuple[Damage, ...]:
    """Judge alterations by what stands at the tip: a log whose first bytes are back is whole.

    Args:
        alterations: oldest first.
        standing: path -> blob of the ordinary files below `sessions/` at the tip.
        proven: path -> the blobs that a sealed log's name proves (`sealed_blobs`).
    """
    roots: dict[str, str] = {}
    groups: dict[str, list[Alteration]] = {}
    for change in alterations:
        root = roots.get(change.path, change.path)
        groups.setdefault(root, []).append(change)
        to = change.new_path
        if to and to not in groups:
            roots.setdefault(to, root)
    places: dict[str, list[str]] = {}
    for path, blob in standing.items():
        places.setdefault(blob, []).append(path)
    found: list[Damage] = []
    for root in sorted(groups):
        changes = groups[root]
        fitting = proven.get(root, ())
        first = fitting[0] if fitting else changes[0].blob_before
        if standing.get(root) == first:
            continue
        targets = {change.new_path for change in changes}
        kept = sorted(
            path
            for path in places.get(first, ())
            if path in targets or stem_of(path) == stem_of(root)
        )
        others = sorted(path for path in targets | {root} if path in standing)
        kind = MOVED if kept else MODIFIED if others else DELETED
        causes = [change for change in changes if change.blob_before == first] or changes
        now = kept[0] if kept else others[0] if others else ""
        found.append(Damage(kind, root, first, len(fitting) == 1, now, causes[-1], len(changes)))
    return tuple(found)


def sealed_blobs(home: Home, candidates: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Find, for each path of a sealed log, the blobs that its name proves, in the order given.

    They are several only where somebody made bytes to fit a seal (FORMAT.md, L3). `candidates` is path
    -> blob ids that stood there at some time, those first committed first.
    """
    wanted = [
        (path, blob)
        for path, blobs in candidates.items()
        if is_sealed(stem_of(path))
        for blob in dict.fromkeys(blobs)
        if blob.strip("0")
    ]
    git = home.repository.git()
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(wanted), _BLOBS_AT_ONCE):
        part = wanted[start : start + _BLOBS_AT_ONCE]
        for (path, blob), data in zip(part, git.blobs([b for _, b in part]), strict=True):
            if data is not None and not breaks_seal(stem_of(path), data):
                found[path] = (*found.get(path, ()), blob)
    return found


def sealed_before(home: Home, tip: str, standing: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Find the blobs that the names of some sealed logs prove, in the history of a commit.

    `standing` is path -> blob at the tip, of the logs; paths are relative to the home.

    Returns:
        path -> blobs, those first committed first. Logs that history never altered are left out.
    """
    if not tip or not standing:
        return {}
    git = home.repository.git()
    commits, _ = _commits(git, tip)
    cut = len(home.prefix)
    candidates: dict[str, list[str]] = {}
    # what was only ever added has no such row, so that one walk does for any number of logs
    for row in _rows(git, commits, "MDT", [home.prefix + SESSIONS_DIR], []):
        if row.path[cut:] in standing:
            candidates.setdefault(row.path[cut:], []).extend((row.blob, row.blob_before))
    stood = {path: (*blobs[::-1], standing[path]) for path, blobs in candidates.items()}
    return sealed_blobs(home, stood)


def _commits(git: Git, tip: str) -> tuple[list[str], list[Finding]]:
    """List the commits reachable from one, children first; as many as can be read."""
    status, out, said = git.call("rev-list", "--topo-order", tip)
    if not status:
        return out.decode("ascii").split("\n")[:-1], []
    if not out:
        _, out, _ = git.call("rev-list", tip)
    return out.decode("ascii", "replace").split("\n")[:-1], [unreadable_history(said)]


def unreadable_history(said: bytes) -> Finding:
    """Say that a commit or tree is missing, in git's own words, which name the object."""
    words = said.decode("utf-8", "replace").strip().split("\n")[0]
    hint = "fetch it from a clone that has it; all else is checked"
    return Finding("unreadable", f"a part of the history can not be read: {words}", hint=hint)


def _rows(
    git: Git,
    commits: Sequence[str],
    letters: str,
    paths: Sequence[str],
    findings: list[Finding],
    progress: Progress | None = None,
) -> Iterator[_Row]:
    """Compare commits with each of their parents, below some paths."""
    for start in range(0, len(commits), _COMMITS_AT_ONCE):
        if progress is not None:
            progress(start, len(commits))
        some = commits[start : start + _COMMITS_AT_ONCE]
        yield from _some_rows(git, some, letters, paths, findings)


def _some_rows(
    git: Git, commits: Sequence[str], letters: str, paths: Sequence[str], findings: list[Finding]
) -> Iterator[_Row]:
    status, out, said = git.call(
        "--literal-pathspecs",
        "diff-tree", "--stdin", "-m", "-r", "--root", "-z", "--raw", "--no-abbrev",
        "--no-renames", f"--diff-filter={letters}", "--", *paths,
        data="".join([f"{commit}\n" for commit in commits]).encode(),
    )  # fmt: skip
    if not status:
        yield from _read_rows(out)
        return
    if len(commits) == 1:
        findings.append(unreadable_history(said))
        return
    middle = len(commits) // 2  # an object is missing: all commits but those that need it are read
    yield from _some_rows(git, commits[:middle], letters, paths, findings)
    yield from _some_rows(git, commits[middle:], letters, paths, findings)


def _read_rows(out: bytes) -> Iterator[_Row]:
    """Read `<commit>` NUL (`:<modes> <blobs> <letter>` NUL `<path>` NUL)*."""
    fields = iter(out.decode("utf-8", "surrogateescape").split("\0"))
    commit = ""
    for field in fields:
        if field[:1] != ":":
            commit = field
            continue
        before, mode, blob_before, blob, letter = field[1:].split(" ")
        yield _Row(commit, letter[0], before, mode, blob_before, blob, next(fields))


def _about(git: Git, commits: Sequence[str]) -> dict[str, tuple[str, str, bool]]:
    """Return commit -> (author, date, whether it is a merge)."""
    if not commits:
        return {}
    out = git.run(
        "rev-list", "--no-walk=unsorted", "--stdin",
        "--format=%H%x00%P%x00%an%x00%aI",
        data="".join([f"{commit}\n" for commit in commits]).encode(),
        check=False,
    )  # fmt: skip
    found: dict[str, tuple[str, str, bool]] = {}
    for line in out.decode("utf-8", "replace").split("\n"):
        parts = line.split("\0")
        if len(parts) == 4:
            found[parts[0]] = (parts[2], parts[3], " " in parts[1])
    return found


def altered_between(home: Home, bases: Sequence[str], tip: str) -> list[Alteration]:
    """Find what one side did since the merge bases to logs that both had, one alteration for each."""
    git = home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    paths: set[str] = set()
    for base in bases:
        rows = git.differences(base, tip, folder)
        paths.update(path for letter, _, _, path in rows if letter != "A")
    if not paths:
        return []
    known = [f"^{base}" for base in bases]
    said = git.run("rev-list", "--topo-order", tip, *known)
    commits = said.decode("ascii").split()
    found: dict[str, _Row] = {}
    for row in _rows(git, commits, "MDT", [folder], []):
        if row.path in paths and is_stem(stem_of(row.path)):
            found.setdefault(row.path, row)
    about = _about(git, list({row.commit for row in found.values()}))
    cut = len(home.prefix)
    return [_alteration(row, "", cut, about) for _, row in sorted(found.items())]


def _alteration(
    row: _Row, moved: str, cut: int, about: Mapping[str, tuple[str, str, bool]]
) -> Alteration:
    """Return what a commit did to a log.

    `moved` is the path below the home that the log has since, "" for none; so many characters of a path
    as `cut` lead to the home; `about` is (author, date, whether it merges) by commit.
    """
    author, date, merge = about.get(row.commit, ("", "", False))
    after = ("", "") if row.letter == "D" else (row.blob, row.mode)
    return Alteration(
        row.path[cut:], moved, row.blob_before, *after, row.commit, author, date, merge
    )
