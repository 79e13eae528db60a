"""Find work that no session log tells of: of a change, and of what was committed since the last log."""

from __future__ import annotations

from ledger.codec.log import read_header
from ledger.git.code_history import PLAIN
from ledger.git.repository import head
from ledger.home import IN_TREE
from ledger.model.findings import Finding
from ledger.model.order import milliseconds_of, stamp_of
from memory.cache.broken_truth_file import has_code
from memory.replay.log_bytes import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.git.cli import Git
    from ledger.home import Home
    from memory.api import Memory
    from rituals.review.change.change_facts import Change

#: Less work than this needs no log.
_LEAST_COMMITS, _LEAST_LINES = 5, 100
_ABBREVIATED = 7
#: So many commits since the last log are counted, and of so many the lines.
_MOST_COMMITS, _READ_COMMITS = 200, 20
_HINT = '`diurna note "decision: …"` records it'


def untold_work(memory: Memory, change: Change) -> list[Finding]:
    """Say once that people worked and no log tells of it; a log does by its branch or its commit."""
    if change.logs or sum(max(one.size, 0) for one in change.files) < _LEAST_LINES:
        return []
    git, home = change.git, memory.home
    rows = _commits(git, change.head, f"^{change.base}")
    people = _of_people(rows)
    if len(people) < _LEAST_COMMITS:
        return []
    names = git.run("for-each-ref", "--points-at", change.head, "--format=%(refname)").decode()
    refs = [name.split("/") for name in names.split()]
    branches = {"/".join(parts[3 if parts[1] == "remotes" else 2 :]) for parts in refs} | {
        change.branch
    }
    began = git.run("show", "-s", "--format=%ct", change.base).decode()
    since = stamp_of(int(began) * 1000)  # a branch of that name may have been there before
    tip = change.trunk if home.kind == IN_TREE else home.tip()
    listed = [ref for ref in memory.snapshot.tip.list_logs(tip)[0] if ref.stem >= since]
    commits = {row[0] for row in rows} | {change.head}
    for _, data in read_bytes(home, listed):
        header = dict(read_header(data))
        commit = header.get("commit", "")
        if header.get("branch") in branches or (
            len(commit) >= _ABBREVIATED and any(one.startswith(commit) for one in commits)
        ):
            return []
    said = f"{len(people)} commits, and no session log tells of them: record what was decided?"
    return [Finding("change-untold", said, hint=_HINT)]


def untold_since(home: Home, newest: str) -> int:
    """Return how many commits of people HEAD has behind the newest log, 0 where none is missing.

    Lines are counted only where there are enough commits. `newest` is the log's stem, "" for none.
    """
    repository = home.repository
    commit = head(repository)[1] if newest and has_code(home) and not repository.promisor else ""
    if not commit:
        return 0
    git, since = repository.git(), f"--since={milliseconds_of(newest) // 1000 + 1}"
    outside = [f":(exclude,literal){home.prefix.rstrip('/')}"] if home.prefix else []
    places = ("--", ".", *outside)
    people = _of_people(_commits(git, f"--max-count={_MOST_COMMITS}", since, commit, *places))
    if len(people) < _LEAST_COMMITS:
        return 0
    out = git.run("show", "--format=", "--numstat", *PLAIN, *people[:_READ_COMMITS], *places)
    sizes = [row.split("\t")[:2] for row in out.decode("utf-8", "replace").split("\n")]
    lines = sum(int(size) for row in sizes for size in row if size.isdigit())
    return len(people) if lines >= _LEAST_LINES else 0


def _commits(git: Git, *arguments: str) -> list[list[str]]:
    out = git.run("log", "--no-merges", "--format=%H %ae %an", *arguments)
    return [row.split(" ", 1) for row in out.decode("utf-8", "replace").split("\n") if row]


def _of_people(rows: list[list[str]]) -> list[str]:
    return [commit for commit, author in rows if "[bot]" not in author]
