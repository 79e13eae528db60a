"""Gather where in the code the logs of a ledger were written, and what knows the commits of their work."""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.git.ancestry import whole_ids
from ledger.git.landing.branch_sightings import noted, now, recalled
from ledger.git.landing.landing_search import Work
from ledger.git.landing.work_commits import Points, Seen, Written
from ledger.git.repository import is_shallow
from ledger.home import OWN_BRANCH, Home
from ledger.model.ids import is_object
from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from memory.cache.broken_truth_file import has_code
from memory.cache.cache_file import Cache
from memory.cache.head_store import read
from memory.replay.unlanded_work import trunk_of


class Works(Record):
    """The logs of a ledger that tell of work on branches of the code beside it."""

    logs: tuple[Written, ...]  #: newest first
    points: Points
    known: frozenset[str]  #: the commits that logs name
    seen: tuple[Seen, ...]  #: where branches are
    trunk: str  #: the branch that work comes together on, "" where nobody can say

    def of(self, log: Written) -> Work | None:
        """Return where the work of a log is; None where no commit has it yet."""
        return self.points.work(log, self.known)


def works_of(home: Home, cache: Cache) -> Works | None:
    """Gather them; None where nothing can be told: in-tree, without code, or of a history that is cut."""
    if home.kind != OWN_BRANCH or not has_code(home) or is_shallow(home.repository):
        return None
    repository, rows = home.repository, sorted(cache.places(), key=lambda row: row[1], reverse=True)
    git, trunk = repository.git(), trunk_of(home, cache.policy.trunk)
    current = now(repository, now_ms())
    seen = [*noted(repository), *recalled(repository), *current]
    whole = whole_ids(git, {row[2] for row in rows})
    logs = [
        Written(stem, whole[commit] or commit, branch, milliseconds_of(stem), bool(dirty))
        for _, stem, commit, dirty, branch in rows
        if whole[commit] or (whole[commit] == "" and is_object(commit))
    ]
    known = frozenset([*[log.commit for log in logs], *read(home).points.values()])
    return Works(tuple(logs), Points(git, seen, trunk), known, tuple(current), trunk)
