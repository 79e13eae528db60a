"""Say which commit brought the bytes of each log, and who wrote them, where that can be known.

The answer depends on the tip alone. Where the history here is cut, it is that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ledger.codec.log import read_header
from ledger.git.commit_record import FALLBACK_EMAIL
from ledger.git.repository import cut_commits
from ledger.home import Home
from ledger.model.layout import COMMIT_SUBJECT, SESSIONS_DIR, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import ahead_by_a_day, is_sealed, milliseconds_of, stamp_in, stamp_of
from ledger.model.record import Record

#: How a log came, where not by a commit of whoever wrote it: a squash, or a commit by hand; what an older
#: ledger's own history says; and that the history here does not go back so far.
SQUASH, ADOPTION, CUT = "squash", "adoption", "cut"
_REMARKS = {
    SQUASH: "author unknown (squashed or hand-made commit)",
    ADOPTION: "taken over",
    CUT: "the history is cut here, so nobody knows the commit",
}
#: So many paths are given to git by name; for more, it looks at all logs.
_MOST_PATHS = 50
#: How often a home may have moved.
_MOST_MOVES = 20
_FIELDS = "%x00%H%x00%an%x00%ae%x00%at%x00%ct%x00%s%x00%b"
_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: Diurna says in a subject how many logs its commit brings, where they are several.
_COUNTED = re.compile(r"(\d+) ")
#: A log may be so much younger than the time that its commit bears, and is committed so soon.
_CLOCK_SECONDS, _WRITE_MS = 60, 2000
#: What forges put behind the subject of a squash, and git before its message.
_OF_FORGE = re.compile(r"\(#\d+\)$|\(![0-9]+\)$")
_OF_GIT = "Squashed commit"


class Origin(Record):
    """Which commit brought a log, and who wrote that log; `author` is "" where nobody can tell.

    `via` says how it came: "" with a commit of its author's, else `SQUASH`, `ADOPTION` or `CUT`. Of a cut
    history `commit` is the oldest one here that has the log. `path` is where it lay in a repository then,
    "" where it lies there now. `at` is when its author made the commit, in seconds since 1970, 0 where
    nobody knows.
    """

    commit: str = ""
    author: str = ""
    via: str = ""
    path: str = ""
    at: int = 0

    @property
    def named(self) -> str:
        """The commit, as people read it; "" where the history is cut before it."""
        return "" if self.via == CUT else self.commit[:7]

    @property
    def remark(self) -> str:
        """What people have to know of the commit, "" for nothing."""
        return _REMARKS.get(self.via, "")

    @property
    def said(self) -> str:
        """What people read behind the name of a log; "" of one that no commit has."""
        by = f" by {self.author}" if self.author else ""
        commit = f"commit {self.named}{by}" if self.named else ""
        return ", ".join(filter(None, (commit, self.remark)))


class Origins(Record):
    """Which commits brought the logs of a tip, by path; `cut` are the commits where the history ends."""

    tip: str
    commits: Mapping[str, Origin]
    cut: frozenset[str] = frozenset()


def seen_at(stamp: str, brought: Origin, now: int) -> str:
    """Return when something was written, as a stamp, never later than this machine's clock, `now`.

    What is more than a day ahead was told by a clock that is wrong: the commit's date stands for it, ""
    where that is ahead, too. `now` is in milliseconds since 1970.
    """
    at = milliseconds_of(stamp)
    if at > now and ahead_by_a_day(stamp, now):
        at = brought.at * 1000
        return stamp_of(at) if 0 < at <= now else ""
    return stamp_of(now) if at > now else stamp


class _Commit(Record):
    """A commit as git lists it, with how many logs it brought."""

    author: str
    mail: str
    at: int
    made: int
    subject: str
    body: str
    brought: int


class _Walk:
    """What a walk over the history found: by path and blob, the commits that put it there."""

    def __init__(self) -> None:
        self.commits: dict[str, _Commit] = {}
        self.put: dict[tuple[str, str], list[str]] = {}
        self.moved: dict[tuple[str, str, str], str] = {}
        self.merged: set[str] = set()


def origins_of(
    home: Home, refs: Collection[LogRef], kept: Origins | None = None
) -> Mapping[str, Origin]:
    """Return which commit brought each of some logs, by path; git is asked unless that is kept.

    Logs that no commit has yet are left out. `kept` is what a process knows; of an earlier tip, or of
    one cut elsewhere, it counts for nothing.
    """
    tip = home.tip()
    if not tip or not refs:
        return {}
    cut = cut_commits(home.repository)
    if kept is not None and (kept.tip, kept.cut) == (tip, cut):
        return kept.commits
    walk = None
    if few := len(refs) <= _MOST_PATHS:
        walk = _walked(home, tip, [home.prefix + ref.path for ref in refs])
    if not few or (walk is not None and walk.merged):  # a merge itself put one in its place
        walk = _walked(home, tip, [home.prefix + SESSIONS_DIR])
    return _settled(home, refs, cut, walk)


def all_origins(
    home: Home, tip: str, refs: Collection[LogRef], kept: Origins | None = None
) -> Origins:
    """Walk the whole history of a ledger once; only what is new where a tip before it is kept."""
    cut, everywhere = cut_commits(home.repository), [home.prefix + SESSIONS_DIR]
    if not (tip and refs):
        return Origins(tip, {}, cut)
    if kept is not None and kept.cut == cut and _follows(home, kept.tip, tip):
        walk = _walked(home, f"{kept.tip}..{tip}", everywhere)
        known = {home.prefix + path for path in kept.commits}
        if walk is not None and known.isdisjoint([path for path, _ in walk.put]):
            fresh = [ref for ref in refs if ref.path not in kept.commits]
            commits = {**kept.commits, **_settled(home, fresh, cut, walk)}
            return Origins(tip, commits, cut)
    return Origins(tip, _settled(home, refs, cut, _walked(home, tip, everywhere)), cut)


def _follows(home: Home, before: str, tip: str) -> bool:
    """Tell whether a tip descends from a commit."""
    return home.repository.git().holds(tip, before)


def _settled(
    home: Home, refs: Iterable[LogRef], cut: frozenset[str], walk: _Walk | None
) -> dict[str, Origin]:
    """Choose for each log the commit that put its bytes there first, wherever they lay then."""
    if walk is None:  # git has not all that it would take
        return {ref.path: Origin(via=CUT) for ref in refs}
    blobs: dict[str, list[tuple[str, str]]] = {}
    paths: dict[str, list[tuple[str, str]]] = {}
    for place in walk.put:
        blobs.setdefault(place[1], []).append(place)
        paths.setdefault(place[0], []).append(place)
    order = {commit: at for at, commit in enumerate(walk.commits)}
    found: dict[str, Origin] = {}
    for ref in refs:
        path = home.prefix + ref.path
        places = [(path, ref.blob)] if (path, ref.blob) in walk.put else paths.get(path, [])
        commits = _candidates(walk, places, blobs)
        if not commits:
            continue
        here = sorted(commits & cut)
        # none of the others leads to the one that is listed last
        first = here[0] if here else max(commits, key=order.__getitem__)
        commit = walk.commits[first]
        author = _author(commit, stem_of(ref.path))
        if author and _younger(home, ref, commit):
            author = ""
        then = [one[0] for one in blobs.get(ref.blob, ()) if first in walk.put[one]]
        if any(first in walk.put[place] for place in paths.get(path, ())):
            then = []
        origin = Origin(first, author, "" if author else SQUASH, min(then, default=""), commit.at)
        if here or (cut and not author):  # what a squash was made of may lie behind the cut
            origin = Origin(first, via=CUT, path=origin.path)
        found[ref.path] = origin
    return found


def _candidates(
    walk: _Walk, places: Iterable[tuple[str, str]], blobs: Mapping[str, list[tuple[str, str]]]
) -> set[str]:
    """Return the commits that put some bytes somewhere, but for those that only moved them."""
    found: set[str] = set()
    todo, seen = list(places), set[tuple[str, str]]()
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        for commit in walk.put.get(place, ()):
            before = walk.moved.get((*place, commit))
            if before is not None and (before, place[1]) in walk.put:
                todo.append((before, place[1]))
                continue
            if commit in walk.merged:  # a join keeps twins under another name
                todo += blobs.get(place[1], ())
            found.add(commit)
    return found


def _author(commit: _Commit, stem: str) -> str:
    """Return who wrote a log that a commit brought: its author, unless others' work was melded into it.

    A sealed log was first committed by Diurna, on the machine of whoever wrote it, under a subject that
    outlives rebases and cherry-picks. Under any other message it was brought by a squash, or by hand; and
    what is younger than the time that the commit bears came into it later (`_younger`).
    """
    sealed = is_sealed(stem)
    if commit.mail == FALLBACK_EMAIL or _OF_FORGE.search(commit.subject):
        return ""
    if not commit.subject.startswith(COMMIT_SUBJECT) or commit.body.strip():
        return "" if sealed or _OF_GIT in commit.subject else commit.author
    counted = _COUNTED.match(commit.subject, len(COMMIT_SUBJECT))
    said = int(counted[1][:9]) if counted else 1
    # as Diurna makes it, a commit bears one time twice; melded since, it brings more than it says
    whole = commit.brought <= 1 or commit.brought == said or commit.at == commit.made
    return commit.author if whole else ""


def _younger(home: Home, ref: LogRef, commit: _Commit) -> bool:
    """Tell whether a log is younger than its commit: by its own clock, for a name may be pushed on (O2).

    A date that the environment gave is no evidence: such a commit was made as its log was.
    """
    stem, latest = stem_of(ref.path), (commit.at + _CLOCK_SECONDS) * 1000
    if not is_sealed(stem) or milliseconds_of(stem) <= latest or commit.at == commit.made:
        return False
    (data,) = home.repository.git().blobs([ref.blob])
    ended = milliseconds_of(stamp_in(dict(read_header(data or b"")).get("ended", "")) or stem)
    return ended > latest and abs(ended - commit.made * 1000) > _WRITE_MS


def _walked(home: Home, commits: str, paths: Sequence[str]) -> _Walk | None:
    """List what every commit put at some paths, and follow what lay elsewhere; None where git can not."""
    walk, asked = _Walk(), set[str]()
    for _ in range(_MOST_MOVES):
        asked.update(paths)
        if not _listed(home, commits, paths, walk):
            return None
        paths = sorted({_folder(one) for one in walk.moved.values()} - asked)
        if not paths:
            break
    return walk


def _folder(path: str) -> str:
    """Return the folder of logs that a path is in, else the path."""
    head, found, _ = f"/{path}".partition(f"/{SESSIONS_DIR}/")
    return f"{head}/{SESSIONS_DIR}"[1:] if found else path


def _listed(home: Home, commits: str, paths: Sequence[str], walk: _Walk) -> bool:
    """Add to a walk what git lists of some paths: children come before parents."""
    # all of both sides of a merge; of the merge itself what none of its parents has
    status, listing, _ = home.repository.git().call(
        "--no-replace-objects", "--literal-pathspecs", "log", f"--format={_FIELDS}", "-z",
        "--topo-order", "--full-history", "--full-diff", "-c", "--raw", "--no-abbrev", "--no-renames",
        "--diff-filter=AMD", commits, "--", *paths,
    )  # fmt: skip
    if status:
        return False
    wanted = tuple([f"{path}/" for path in paths])
    named = frozenset(paths)
    for commit, fields, rows in _blocks(listing.decode("utf-8", "replace")):
        # a row has a colon, a mode and a blob for each parent
        gone = {row.split(" ")[row.count(":") + 1]: path for row, path in rows if row.endswith("D")}
        brought = 0
        for row, path in rows:
            if row.endswith("D") or not (path in named or path.startswith(wanted)):
                brought += f"/{SESSIONS_DIR}/" in f"/{path}" and row.endswith("A")
                continue
            brought += row.endswith("A")
            blob = row.split(" ")[-2]
            if row.startswith("::"):
                walk.merged.add(commit)
            came = walk.put.setdefault((path, blob), [])
            if commit not in came:
                came.append(commit)
            if blob in gone:
                walk.moved[path, blob, commit] = gone[blob]
        author, mail, at, made, subject, body = fields
        walk.commits.setdefault(
            commit, _Commit(author, mail, int(at or 0), int(made or 0), subject, body, brought)
        )
    return True


def _blocks(listing: str) -> list[tuple[str, list[str], list[tuple[str, str]]]]:
    """Take a listing of git apart: each commit, its fields, and its (row, path)."""
    tokens = listing.split("\0")
    commits: list[tuple[str, list[str], list[tuple[str, str]]]] = []
    rows: list[tuple[str, str]] = []
    place = 0
    while place < len(tokens):
        token = tokens[place].lstrip("\n")
        if token.startswith(":") and place + 1 < len(tokens):
            rows.append((token, tokens[place + 1]))
            place += 2
        elif _HEX.fullmatch(token):
            rows = []  # what follows is of this commit
            commits.append((token, tokens[place + 1 : place + 7], rows))
            place += 7
        else:
            place += 1
    return commits
