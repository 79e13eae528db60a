"""Ask about branches that are gone, and of whose work nothing landed: was it abandoned?

Accepting says so: facts that only that branch told of are false, with the reason, and texts that it
replaced hold again. Rejecting says that the work is still open. Nothing is asked before two weeks went by,
nor before something was fetched since: the forge may have merged it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ledger.git.landing.work_commits import Written
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.event import (
    Event,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    WorkDropped,
)
from ledger.model.order import milliseconds_of
from memory.cache.cache_file import Cache
from memory.cache.head_store import read
from memory.replay.head_view import here_of
from memory.replay.work_places import Works, works_of
from projection.document.branch_remarks import BORN, FALSE, NO, REPLACED, REWORDED, Elsewhere
from projection.lifecycle.review_threads import key_of
from rituals.review.review_question import Question, listed

DROPPED = "branch-dropped"
#: How much later than a branch's last log something was recorded, or committed, before it is asked about.
_REST_MS = 14 * 86_400_000


def dropped_questions(home: Home, cache: Cache) -> list[Question]:
    """Return a question for each branch that is gone without a trace, oldest first.

    No clock is asked: time goes by the newest log, the commit of HEAD, and what was fetched last.
    """
    here = here_of(home, cache)
    works = works_of(home, cache) if here.outside else None
    if works is None:
        return []
    there = {one.branch for one in works.seen}
    ended = {stem for stem, *_ in cache.landed()}
    settled = {point for point, one in read(home).settled.items() if one.commit}
    points = read(home).points
    gone: dict[str, list[Written]] = {}
    for log in works.logs:
        if log.stem in here.outside and log.branch not in there:
            gone.setdefault(log.branch, []).append(log)
    now, fetched = _now(home, works), _fetched(home)
    found = []
    for branch, logs in gone.items():
        last = max(log.ended for log in logs)
        left = not any(
            log.stem in ended or points.get(log.stem, log.commit) in settled for log in logs
        )
        if left and now - last >= _REST_MS and (fetched is None or fetched > last):
            rows = [one for one in here.rows.values() if one.branch == branch and one.here == NO]
            if rows:
                found.append(_question(branch, logs, sorted(rows), cache))
    return found[::-1]


def _question(branch: str, logs: list[Written], rows: list[Elsewhere], cache: Cache) -> Question:
    stems = sorted(log.stem for log in logs)
    back = [event for row in rows for event in _undone(row, stems, cache)]
    return Question(
        DROPPED,
        key_of(DROPPED, branch, *stems),
        tuple(row.fact for row in rows),
        f"{branch} is gone, and nothing of its work landed: {listed(row.fact for row in rows)}.",
        evidence=(
            f"last worked on {stems[-1][:10]}, told by {listed(stems)}",
            f"where it did land: `Landed: {stems[-1]} → COMMIT` in a log says so, with the whole id",
        ),
        proposal="it was abandoned; reject it where the work is still open",
        accept=(*[WorkDropped(stem, branch) for stem in stems], *back),
    )


def _undone(row: Elsewhere, stems: Iterable[str], cache: Cache) -> Iterator[Event]:
    """Yield what says that a fact is as it was without a branch."""
    fact = cache.fact(row.fact)
    if fact is None:
        return
    heads = tuple(one.id for one in fact.heads)
    if row.change == BORN:
        yield FactInvalidated(row.fact, f"abandoned: {row.branch} is gone", heads)
    elif row.change == REWORDED:
        yield FactUpdated(row.fact, row.text, heads, meta=())
    elif row.change in (REPLACED, FALSE):
        acts = cache.some_histories([row.fact])[row.fact].acts
        said = {act.stem for act in acts if isinstance(act.event, FactSuperseded | FactInvalidated)}
        yield FactReinstated(row.fact, said=tuple(sorted(said & set(stems))))


def _now(home: Home, works: Works) -> int:
    """Return the time of the newest of all that was recorded or committed, in milliseconds since 1970."""
    said = home.repository.git().run(
        "log", "-1", "--format=%ct", head(home.repository)[1], check=False
    )
    committed = int(said or b"0") * 1000
    return max(committed, *[milliseconds_of(log.stem) for log in works.logs])


def _fetched(home: Home) -> int | None:
    """Return when something was fetched last, in milliseconds; None where there is no remote to ask."""
    if not os.path.isdir(f"{home.repository.commondir}/refs/remotes"):
        return None
    try:
        return os.stat(f"{home.repository.gitdir}/FETCH_HEAD").st_mtime_ns // 1_000_000
    except OSError:
        return 0
