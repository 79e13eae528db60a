"""Read which place of the code is asked about, which commits made it, and which session logs those have.

A log is of a commit that brought it, or that has its work. That HEAD stood there while it was written is
no link.
"""

from __future__ import annotations

import os
import re
from itertools import product
from unicodedata import normalize

from ledger.errors import NotFound, WrongUsage
from ledger.git.ancestry import CodeCommit, blame, commits_of
from ledger.git.cli import Git
from ledger.git.repository import Repository, cut_commits
from ledger.home import Home
from ledger.model.event import VERB_OF, WorkLanded
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import LogRef, key_of, stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, Entry
from memory.cache.cache_file import Cache
from memory.cache.landed_work import read_heads
from memory.cache.name_lookup import logs_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.reader_marks import brought_by

#: What may name a commit: the beginning of its id, `HEAD~2`, a tag or a branch.
REVISION = re.compile(r"[0-9a-f]{7,64}|(?!-)(?=.*[^0-9a-f])[\w./+-]{1,200}(?:[~^]\d{0,4}){0,8}")
#: A place as editors and compilers write it; what a line begins at counts for nothing.
_PLACE = re.compile(r"(.+?):(\d{1,7})(?::\d{1,5})?:?")
#: Of a file so many commits are asked about, those of most lines.
_MOST_COMMITS = 6
PATHS_HINT = "paths begin here or at {}"
#: What a clone can not know.
CUT_HISTORY = "this clone's history is cut at {}: an earlier commit may have written it"
UNCOMMITTED = "not committed yet"


class TouchingCommit(Record):
    """A commit that is asked about, and what of the place it wrote."""

    commit: CodeCommit
    #: of the file, as it is now; () where a commit itself is asked about
    lines: tuple[int, ...] = ()
    cut: bool = False  #: history ends there: perhaps an earlier one did


class CodeAsked(Record):
    """A place of the code, and the commits that made it."""

    repository: Repository
    asked: str  #: as it was said
    path: str = ""  #: from the top of the repository, "" where a commit is asked about
    line: int = 0  #: 0 for all of them
    text: str = ""  #: the line as it is now
    touched: tuple[TouchingCommit, ...] = ()  #: those of most lines first
    more: int = 0  #: so many other commits wrote some of the file
    uncommitted: tuple[int, ...] = ()  #: the lines that no commit has yet


def code_asked(repository: Repository, asked: str, folder: str) -> CodeAsked | None:
    """Read `FILE:LINE`, `FILE` or what names a commit; None for what is none of these.

    Args:
        repository: of the code.
        asked: as it was typed.
        folder: that a path is relative to, or else to the top.

    Raises:
        WrongUsage: the path is outside of the repository, or the file has no such line.
        NotFound: there is no such file, and it is written as none but a place can be.
    """
    place = _PLACE.fullmatch(asked)
    name, line = (place[1], int(place[2])) if place else (asked, 0)
    path = _inside(repository, name, folder)
    if path:
        return _of_file(CodeAsked(repository, asked, path, line), one=place is not None)
    if place is not None:
        raise NotFound(f"there is no file {name}", hint=PATHS_HINT.format(repository.top))
    git = repository.git()
    commit = git.resolve(f"{asked}^{{commit}}")[0] if REVISION.fullmatch(asked) else ""
    return _with_commits(CodeAsked(repository, asked), git, {commit: ()}) if commit else None


def _inside(repository: Repository, name: str, folder: str) -> str:
    """Return a file of the work tree, or of HEAD, by its path from the top; "" where there is none."""
    top = repository.top
    if not top or "\0" in name or "\n" in name:
        return ""
    outside = False
    forms = dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name)))
    for base, form in product(dict.fromkeys((folder, top)), forms):
        whole = os.path.normpath(os.path.join(base, form))
        whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inside = whole.startswith(top + os.sep) and not whole.startswith(f"{top}/.git/")
        if inside and (os.path.isfile(whole) or _committed(repository, whole[len(top) + 1 :])):
            return whole[len(top) + 1 :]
        outside = outside or not inside
    named = name.startswith((os.sep, "..")) or os.path.exists(os.path.join(folder, name))
    if outside and named and "/.git/" not in f"/{name}/":
        hint = "run it in the repository that has the file"
        raise WrongUsage(f"{name} is outside of {top}", hint=hint)
    return ""


def _committed(repository: Repository, path: str) -> bool:
    """Tell whether HEAD has a file."""
    _, said, _ = repository.git().call("ls-tree", "-z", "--full-tree", "HEAD", "--", path)
    return said[7:12] == b"blob "


def _of_file(found: CodeAsked, *, one: bool) -> CodeAsked:
    """Find who wrote a file, or `one` line of it, as it is in the work tree, or else in HEAD."""
    git, path, line = found.repository.git(), found.path, found.line
    at = "" if os.path.isfile(f"{found.repository.top}/{path}") else "HEAD"
    written = blame(git, path, line, at) if line or not one else None
    if written is None:
        lines = "no such line" if one else "nothing that git can tell of"
        raise WrongUsage(f"{path} has {lines}", where=found.asked, hint="lines count from 1")
    text = written[0].first.decode("utf-8", "replace").strip() if one and written else ""
    lines_of = {some.commit: some.lines for some in written}
    found = found._replace(text=text, uncommitted=lines_of.pop("", ()))
    return _with_commits(found, git, lines_of)


def _with_commits(found: CodeAsked, git: Git, lines_of: dict[str, tuple[int, ...]]) -> CodeAsked:
    ids = list(lines_of)[:_MOST_COMMITS]
    commits, cut = commits_of(git, ids), cut_commits(found.repository)
    touched = [
        TouchingCommit(commits[one], lines_of[one], one in cut) for one in ids if one in commits
    ]
    return found._replace(touched=tuple(touched), more=len(lines_of) - len(ids))


EDITED, NAMED, TOLD = "edited the file", "names it", "tells of the commit"
WITH, LANDED = "came with the commit", "landed with the commit"
#: By which a log is of the commit itself.
FIRM = (WITH, NAMED, TOLD, LANDED)


def logs_around(
    home: Home, cache: Cache, commit: CodeCommit, git: Git
) -> list[tuple[LogRef, Entry, str]]:
    """Return the logs that have to do with a commit, in ledger order, each with how.

    An edit that says nothing new, as of what landed, has no reason to tell. `git` runs in the code's
    repository.
    """
    how = dict.fromkeys(_came_with(home, git, commit.id), WITH) | _landed(home, cache, commit.id)
    hidden = redacted_logs(cache)
    return [
        (ref, entry, how[ref.stem])
        for ref, entry in logs_of(cache, sorted(map(key_of, how)))
        if ref.stem not in hidden and (entry.type != EDIT or brought_by(entry.acts))
    ]


def names(text: str, name: str) -> bool:
    """Tell whether a text has a name that goes on neither before nor behind."""
    return name in text and bool(re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text))


def _landed(home: Home, cache: Cache, commit: str) -> dict[str, str]:
    """Return the logs of which it is recorded that a commit has their work; however old."""
    asked = 'SELECT stem FROM landings WHERE "commit" = ? AND verb = ?'
    recorded = cache.column(asked, (commit, VERB_OF[WorkLanded]))
    points = [point for point, one in read_heads(home).settled.items() if one.commit == commit]
    # those that were written where HEAD stood at them
    rows = cache.rows_among('SELECT stem FROM places WHERE "commit" IN (?)', points)
    return dict.fromkeys([*recorded, *[stem_in(key) for (key,) in rows]], LANDED)


def _came_with(home: Home, git: Git, commit: str) -> list[str]:
    """Return the stems of the logs that a commit of the code itself brought."""
    if not home.prefix:
        return []
    out = git.run(
        "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--name-only", "--diff-filter=A",
        commit, "--", f":(top,literal){home.prefix}{SESSIONS_DIR}", check=False,
    )  # fmt: skip
    return [stem_of(path) for path in out.decode("utf-8", "replace").split("\0") if path]
