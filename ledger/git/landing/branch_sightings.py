"""Tell where branches are and were: by references, by git's own notes of them, and by ours.

Ours are in `diurna/tips`, a line each: milliseconds, commit, branch. They are what is left of a deleted
branch where git's reflogs are gone, or off. They are a cache: without them less is found, and no more.
"""

from __future__ import annotations

import os

from ledger.git.landing.work_commits import Seen
from ledger.model.ids import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.git.repository import Repository

#: Under the common git directory.
TIPS_FILE = "diurna/tips"
#: Of more notes the older half goes.
_NOTES = 4000
#: How much of a reflog is read, from its end.
_REFLOG_BYTES = 1 << 20
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_CHECKOUT, _ASIDE = "checkout: moving from ", ("rebase", "pull --rebase")


def now(repository: Repository, ms: int) -> list[Seen]:
    """Return where branches are, here and at remotes, under the names that logs know them by."""
    form = "--format=%(objectname) %(refname) %(symref)"
    found = []
    for line in (
        repository.git().text("for-each-ref", form, _HEADS, _REMOTES, check=False).split("\n")
    ):
        commit, _, rest = line.partition(" ")
        name, _, symbolic = rest.partition(" ")
        if name and not symbolic:
            branch = name.removeprefix(_HEADS)
            if branch == name:
                branch = name.removeprefix(_REMOTES).partition("/")[2]
            found.append(Seen(branch, commit, ms))
    return found


def noted(repository: Repository) -> list[Seen]:
    """Return where branches were noted."""
    found = []
    for line in _lines(f"{repository.commondir}/{TIPS_FILE}"):
        when, _, rest = line.partition(" ")
        commit, _, branch = rest.partition(" ")
        if when.isdigit() and is_object(commit) and branch:
            found.append(Seen(branch, commit, int(when)))
    return found


def tips_text(known: Iterable[Seen], more: Iterable[Seen]) -> str | None:
    """Return the notes with those of branches that moved since; None where none did."""
    known = list(known)
    pairs = {(one.branch, one.commit) for one in known}
    fresh = [one for one in more if (one.branch, one.commit) not in pairs]
    if not fresh:
        return None
    kept = [*known, *fresh]
    kept = kept[-_NOTES // 2 :] if len(kept) > _NOTES else kept
    return "".join(f"{one.when} {one.commit} {one.branch}\n" for one in kept)


def recalled(repository: Repository) -> list[Seen]:
    """Return where git noted that branches were, those too that are deleted, as far as it notes it."""
    found: list[Seen] = []
    folder = f"{repository.commondir}/logs/{_HEADS}"
    for where, _, names in os.walk(folder):
        for name in names:
            path = f"{where}/{name}"
            branch = os.path.relpath(path, folder)
            found += [Seen(branch, commit, when) for _, commit, when, _ in _reflog(path)]
    worktrees = f"{repository.commondir}/worktrees"
    places = os.listdir(worktrees) if os.path.isdir(worktrees) else []
    for gitdir in (repository.commondir, *[f"{worktrees}/{one}" for one in sorted(places)]):
        found += _of_head(f"{gitdir}/logs/HEAD")
    return found


def _of_head(path: str) -> Iterator[Seen]:
    """Read where branches were while they were checked out."""
    branch = ""
    for old, new, when, what in _reflog(path):
        if what.startswith(_CHECKOUT):
            left, _, branch = what[len(_CHECKOUT) :].rpartition(" to ")
            yield Seen(left, old, when)
        elif what.startswith(_ASIDE):
            continue  # HEAD is detached meanwhile
        if branch:
            yield Seen(branch, new, when)


def _reflog(path: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield (old, new, milliseconds, what was done) of a reflog, oldest first."""
    for line in _lines(path):
        head, _, what = line.partition("\t")
        words = head.split(" ")
        if len(words) > 4 and all(map(is_object, words[:2])) and words[-2].isdigit():
            yield words[0], words[1], int(words[-2]) * 1000, what


def _lines(path: str) -> list[str]:
    """Read the last lines of a file that may be missing, or in the making."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _REFLOG_BYTES))
            data = file.read()
    except OSError:
        return []
    return data.decode("utf-8", "surrogateescape").split("\n")
