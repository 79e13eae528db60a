"""List every session log that history ever modified, deleted or moved, and who did it.

Logs are only ever added (FORMAT.md, L2), so any other change of one is told, however old. Each commit is
compared with each of its parents, so a merge that unites two sides shows nothing and one that drops or
changes a log shows it. Rename detection stays off (fault:E3): a move is the same blob gone
at one path and new at another. Commit times play no part (O1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ledger.git.cli import Git
from ledger.git.repository import cut_commits
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import FILE_MODE, breaks_seal, is_sealed, is_stem
from ledger.model.record import Record

Progress = Callable[[int, int], None]

MODIFIED, DELETED, MOVED = "modified", "deleted", "moved"

#: What is read of each commit that did something.
_HEADER = "%x01%H%x00%P%x00%an%x00%aI"
#: How many commits, and how many blobs, are asked for at once: bounds the memory.
_COMMITS_AT_ONCE = 4000
_BLOBS_AT_ONCE = 2000


class Alteration(Record):
    """One change of a session log that was committed before.

    Paths are relative to the home. `new_path` is set for a moved log; `blob_after` and `mode_after` are
    "" where the log is gone; `merge` tells whether a merge commit did it.
    """

    path: str
    mode_before: str
    blob_before: str
    blob_after: str
    mode_after: str
    commit: str
    author: str
    date: str
    merge: bool
    new_path: str = ""

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


def altered(
    home: Home, tip: str, progress: Progress | None = None
) -> tuple[tuple[Alteration, ...], tuple[Finding, ...]]:
    """Find every change of a committed log in the history of a commit, oldest first.

    `tip` may be "" for none; `progress` is told how many of how many commits are looked at. Findings
    say which part of the history could not be looked at.
    """
    if not tip:
        return (), ()
    commits, findings = _commits(home.repository.git(), tip)
    if cut_commits(home.repository):
        cut = "the history is shallow: what was done to logs before it begins was not checked"
        findings.append(Finding("history-cut", cut, hint="git fetch --unshallow"))
    rows = [
        row
        for row in _changes(home, commits, "MDT", findings, progress)
        if row.mode_before == FILE_MODE and is_stem(stem_of(row.path))
    ]
    losing = list(dict.fromkeys([row.commit for row in rows if not row.blob_after]))
    added: dict[tuple[str, str], list[str]] = {}
    for row in _changes(home, losing, "A", findings):
        if row.mode_after == FILE_MODE:
            added.setdefault((row.commit, row.blob_after), []).append(row.path)
    found: dict[tuple[str, str], Alteration] = {}
    for row in rows:
        targets = [] if row.blob_after else added.get((row.commit, row.blob_before), [])
        # among several new places of the same bytes that of the same name
        same = [target for target in targets if stem_of(target) == stem_of(row.path)]
        moved = min(same or targets, default="")
        found.setdefault((row.commit, row.path), row._replace(new_path=moved) if moved else row)
    ours = {change.path for change in found.values() if not change.merge}
    # a merge that carries on what a commit of one side did is no alteration of its own
    kept = [one for one in reversed(found.values()) if not (one.merge and one.path in ours)]
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
    commits, _ = _commits(home.repository.git(), tip)
    candidates: dict[str, list[str]] = {}
    # what was only ever added has no such row, so that one walk does for any number of logs
    for row in _changes(home, commits, "MDT", []):
        if row.path in standing:
            candidates.setdefault(row.path, []).extend((row.blob_after, row.blob_before))
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


def _changes(
    home: Home,
    commits: Sequence[str],
    letters: str,
    findings: list[Finding],
    progress: Progress | None = None,
) -> Iterator[Alteration]:
    """Compare commits with each of their parents, below the folder of logs.

    `letters` are those by which git calls the kinds of changes that are asked for.
    """
    for start in range(0, len(commits), _COMMITS_AT_ONCE):
        if progress is not None:
            progress(start, len(commits))
        yield from _some_changes(home, commits[start : start + _COMMITS_AT_ONCE], letters, findings)


def _some_changes(
    home: Home, commits: Sequence[str], letters: str, findings: list[Finding]
) -> Iterator[Alteration]:
    status, out, said = home.repository.git().call(
        "--literal-pathspecs", "diff-tree", "--stdin", "-m", "-r", "--root", "-z", "--raw",
        "--no-abbrev", "--no-renames", f"--diff-filter={letters}", f"--format={_HEADER}",
        "--", home.prefix + SESSIONS_DIR, data="".join([f"{one}\n" for one in commits]).encode(),
    )  # fmt: skip
    if status and len(commits) == 1:
        findings.append(unreadable_history(said))
    elif status:
        # an object is missing: all commits but those that need it are read
        middle = len(commits) // 2
        yield from _some_changes(home, commits[:middle], letters, findings)
        yield from _some_changes(home, commits[middle:], letters, findings)
    # `_HEADER` NUL (`:<modes> <blobs> <letter>` NUL `<path>` NUL)*
    fields = iter(() if status else out.split(b"\0"))
    commit = parents = author = date = ""
    for field in fields:
        if field[:1] == b"\x01":
            parents, author, date = [next(fields).decode("utf-8", "replace") for _ in range(3)]
            commit = field[1:].decode("ascii")
        elif colon := field.lstrip(b"\n")[1:]:
            before, mode, blob_before, blob, letter = colon.decode("ascii").split(" ")
            blob, mode = ("", "") if letter[0] == "D" else (blob, mode)
            path = next(fields).decode("utf-8", "surrogateescape")[len(home.prefix) :]
            merge = " " in parents
            yield Alteration(path, before, blob_before, blob, mode, commit, author, date, merge)


def altered_between(home: Home, bases: Sequence[str], tip: str) -> list[Alteration]:
    """Find what one side did since the merge bases to logs that both had, one alteration for each."""
    git, folder = home.repository.git(), home.prefix + SESSIONS_DIR
    paths: set[str] = set()
    for base in bases:
        rows = git.differences(base, tip, folder)
        paths.update([path[len(home.prefix) :] for letter, _, _, path in rows if letter != "A"])
    if not paths:
        return []
    said = git.run("rev-list", "--topo-order", tip, *[f"^{base}" for base in bases])
    found: dict[str, Alteration] = {}
    for row in _changes(home, said.decode("ascii").split(), "MDT", []):
        if row.path in paths and is_stem(stem_of(row.path)):
            found.setdefault(row.path, row)
    return [row for _, row in sorted(found.items())]
