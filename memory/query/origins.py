"""Say which commit brought each log, and keep that in a process that is asked often."""

from __future__ import annotations

from ledger.model.layout import SESSIONS_DIR
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.home import Home

#: So many paths are given to git by name.
_MOST_PATHS = 5000


class Origins(Record):
    """Which commits brought the logs of a tip.

    Args:
        tip: the commit.
        commits: by path, the commit, as short as git writes it, and its author.
    """

    tip: str
    commits: Mapping[str, tuple[str, str]]


def origins_of(
    home: Home, paths: Sequence[str], kept: Origins | None = None
) -> Mapping[str, tuple[str, str]]:
    """Return which commit brought each of some logs, by path; git is asked unless that is kept.

    Args:
        home: of the ledger.
        paths: of the logs, relative to the home.
        kept: what a process knows; it may be of an earlier tip, and then counts for nothing.
    """
    tip = home.tip()
    if not tip or not paths:
        return {}
    if kept is not None and kept.tip == tip:
        return kept.commits
    return _walked(home, tip, [home.prefix + path for path in paths[:_MOST_PATHS]])


def all_origins(home: Home, tip: str, kept: Origins | None = None) -> Origins:
    """Walk the whole history of a ledger once; only what is new where a tip before it is kept."""
    if kept is not None and tip and _follows(home, kept.tip, tip):
        news = _walked(home, f"{kept.tip}..{tip}", [home.prefix + SESSIONS_DIR])
        return Origins(tip, {**news, **kept.commits})  # the first commit that brought it counts
    return Origins(tip, _walked(home, tip, [home.prefix + SESSIONS_DIR]) if tip else {})


def _follows(home: Home, before: str, tip: str) -> bool:
    """Tell whether a commit stands on the first-parent line of a tip, close by."""
    git = home.repository.git()
    line = git.run("rev-list", "--first-parent", f"{before}..{tip}", "--parents", check=False)
    last = line.decode("ascii", "replace").strip().rpartition("\n")[2].split()
    return len(last) > 1 and last[1] == before


def _walked(home: Home, commits: str, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Find which commit brought each log, in one walk over the history: path -> (id, author)."""
    listing = home.repository.git().run(
        "log", "--format=%x01%h%x02%an", "--name-only", "--no-renames", "--diff-filter=A", "-z",
        "-m", "--first-parent", commits, "--", *paths,
        check=False,
    )  # fmt: skip
    found: dict[str, tuple[str, str]] = {}
    authors: dict[str, str] = {}
    for block in listing.decode("utf-8", "replace").split("\x01")[1:]:
        head, _, names = block.partition("\0")
        commit, _, author = head.partition("\x02")
        origin = commit, authors.setdefault(author, author)
        for name in names.replace("\n", "\0").split("\0"):
            if name:
                found[name.removeprefix(home.prefix)] = origin
    return found
