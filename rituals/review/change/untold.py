"""Find work that no session log tells of: neither one in the change nor one that came since."""

from __future__ import annotations

from ledger.codec.log import read_header
from ledger.home import IN_TREE
from ledger.model.findings import Finding
from ledger.model.order import stamp_of
from memory.replay.log_bytes import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from rituals.review.change.change import Change

#: Less work than this needs no log.
_LEAST_COMMITS, _LEAST_LINES = 5, 100
_ABBREVIATED = 7
_HINT = '`diurna note "decision: …"` records it'


def untold_work(memory: Memory, change: Change) -> list[Finding]:
    """Say once that people worked and no log tells of it; a log does by its branch or its commit."""
    if change.logs or sum(max(one.size, 0) for one in change.files) < _LEAST_LINES:
        return []
    git, home = change.git, memory.home
    out = git.run("log", "--no-merges", "--format=%H %ae %an", change.head, f"^{change.base}")
    rows = [row.split(" ", 1) for row in out.decode("utf-8", "replace").split("\n") if row]
    people = [row for row in rows if "[bot]" not in row[1]]
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
