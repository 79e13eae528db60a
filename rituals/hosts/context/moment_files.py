"""Find which facts constrain which files of a repository, so that it pays to tell them at the file.

Few do: what names a file mostly narrates. Left out are files that many facts name, and those that every
other commit touches.
"""

from __future__ import annotations

import re
from collections import Counter

from ledger.errors import DiurnaError
from projection.policy.model import FINDING_KIND, THREAD_KIND
from projection.text.claims import FOLDER, PATH, claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledger.git.cli import Git
    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing

_RULES = frozenset(("invariant", "convention", "preference"))
_STATED = frozenset(("decision", "stack", "fact"))
_BINDING = re.compile(
    r"\b(?:must|never|always|only|keep|unchanged|not|in step|before)\b", re.IGNORECASE
)
#: The path stands near the front; few facts name it so; and it is no file of each commit.
_FRONT_CHARS, _MOST_FACTS, _FOLDER_FILES = 300, 2, 25
_COMMITS, _CHURN, _LEAST_TOUCHES = 300, 0.04, 5


def constrained(
    found: Sequence[Standing], git: Git, commit: str = "HEAD", files: Iterable[str] = ()
) -> dict[str, list[int]]:
    """Return the numbers of the facts that constrain a path of a commit, by path from the top.

    `files` are those of the commit, where they are known.
    """
    named: dict[str, list[int]] = {}
    wanted = [(row, one.fact) for row, one in enumerate(found) if one.live and not one.fact.closed]
    claimed = [(row, path) for row, fact in wanted for path in _claimed(fact)]
    if not claimed:
        return {}
    try:
        files = files or [path for _, _, path in git.tree_files(commit, "")]
        log = git.run(
            "log", f"-{_COMMITS}", "--no-merges", "--name-only", "--format=%x01", "-z", commit
        )
    except DiurnaError:
        return {}  # nothing is committed yet
    places = _Places(of_names(files, [path for _, path in claimed]))
    for row, path in claimed:
        for place in places.of(path):
            if row not in named.setdefault(place, []):
                named[place].append(row)
    churning = _churning(log.decode("utf-8", "surrogateescape"))
    return {
        path: rows
        for path, rows in named.items()
        if len(rows) <= _MOST_FACTS and path not in churning and "\n" not in path
    }


def _claimed(fact: Fact) -> list[str]:
    """Return the paths that a fact constrains, as it writes them."""
    binding = fact.kind in _RULES or (fact.open and fact.kind in (THREAD_KIND, FINDING_KIND))
    if not (binding or (fact.kind in _STATED and _BINDING.search(fact.text))):
        return []
    return [
        claim.subject
        for claim in claims(fact.text[: 2 * _FRONT_CHARS])
        if claim.kind in (PATH, FOLDER)
        and 0 <= fact.text.find(claim.subject) < _FRONT_CHARS
        and (binding or _binds(fact.text, claim.subject))
    ]


def _binds(text: str, path: str) -> bool:
    """Tell whether the sentence that names a path says what must be."""
    at = text.find(path)
    start = max(text.rfind(". ", 0, at), text.rfind("\n\n", 0, at)) + 1
    end = text.find(". ", at + len(path))
    return _BINDING.search(text, start, len(text) if end < 0 else end) is not None


def of_names(files: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Return the files that have, or are below, what is named as the last part of one of some paths."""
    names = frozenset([path.rpartition("/")[2] for path in paths])
    return [file for file in files if not names.isdisjoint(file.split("/"))]


class _Places:
    """The files and folders of a tree, by their names.

    Args:
        files: from the top.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self._counts = Counter(
            [path[:at] for path in files for at, char in enumerate(path) if char == "/"]
        )
        self._by_end: dict[str, list[str]] = {}
        for path in (*files, *self._counts):
            self._by_end.setdefault(path.rpartition("/")[2], []).append(path)

    def of(self, claimed: str) -> list[str]:
        """Return what a path means: what stands there, or the one thing that ends so."""
        found = [
            path
            for path in self._by_end.get(claimed.rpartition("/")[2], ())
            if path == claimed or path.endswith(f"/{claimed}")
        ]
        exact = [path for path in found if path == claimed] or (found if len(found) == 1 else [])
        return [path for path in exact if self._counts[path] <= _FOLDER_FILES]


def _churning(log: str) -> set[str]:
    """Return the paths that many of the last commits touch."""
    commits = log.split("\1")[1:]
    touched = Counter(
        [path for one in commits for path in one.replace("\n", "").split("\0") if path]
    )
    least = max(_LEAST_TOUCHES, _CHURN * len(commits))
    return {path for path, count in touched.items() if count > least}
