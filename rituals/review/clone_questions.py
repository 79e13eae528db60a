"""Ask what only a clone can tell: which branches are gone, and which facts HEAD does not bear out.

Was the work of a branch of which nothing landed abandoned? Accepting says so: facts that only that branch
told of are false, with the reason, and texts that it replaced hold again. Rejecting says that the work is
still open. Nothing is asked before two weeks went by, nor before something was fetched since: the forge
may have merged it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ledger.git.branch_reflogs import Written
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
from ledger.model.log_names import milliseconds_of
from memory import Cache, Works, here_of, marks_at, read_heads, works_of
from projection.document.fact_remarks import BORN, FAILS, FALSE, NO, REPLACED, REWORDED, Elsewhere
from rituals.decide.decision import over
from rituals.review.questions import DROPPED, Question, listed, question

#: How much later than a branch's last log something was recorded, or committed, before it is asked about.
_REST_MS = 14 * 86_400_000


def clone_questions(home: Home, cache: Cache) -> list[Question]:
    """Return what only a clone can ask: of branches that are gone, and of what HEAD does not bear out."""
    return [*dropped_questions(home, cache), *check_questions(home, cache)]


def check_questions(home: Home, cache: Cache) -> Iterator[Question]:
    """Ask about facts whose check fails: a file, text or version is not what it was (U5)."""
    for mark in marks_at(home, cache).gone(FAILS):
        fact, gone = cache.fact(mark.fact), mark.gone
        if fact is None or fact.false or fact.closed or fact.redacted:
            continue
        why = f"since {gone.commit}, {gone.date}"
        yield question(
            "check-fails", fact.id, mark.version, gone.commit,
            said=f"The check of {fact.id} fails {why}.", evidence=(f"looked for: {gone.subject}",),
            proposal="it does not hold any more; else reword it, or confirm it",
            accept=(over(fact, f"its check fails {why}"),),
        )  # fmt: skip


def dropped_questions(home: Home, cache: Cache) -> list[Question]:
    """Return a question for each branch that is gone without a trace, oldest first.

    No clock is asked: time goes by the newest log, the commit of HEAD, and what was fetched last.
    """
    here = here_of(home, cache)
    works = works_of(home, cache) if here.outside else None
    if works is None:
        return []
    standing = {one.branch for one in works.seen}
    kept, ended = read_heads(home), {stem for stem, *_ in cache.landed()}
    settled = {point for point, one in kept.settled.items() if one.commit}
    gone: dict[str, list[Written]] = {}
    for log in works.logs:
        if log.stem in here.outside and log.branch not in standing:
            gone.setdefault(log.branch, []).append(log)
    now, fetched = _now(home, works), _fetched(home)
    questions = []
    for branch, logs in gone.items():
        last = max(log.ended for log in logs)
        landed = any(
            log.stem in ended or kept.points.get(log.stem, log.commit) in settled for log in logs
        )
        if not landed and now - last >= _REST_MS and (fetched is None or fetched > last):
            rows = [one for one in here.rows.values() if one.branch == branch and one.here == NO]
            if rows:
                questions.append(_question(branch, logs, sorted(rows), cache))
    return questions[::-1]


def _question(branch: str, logs: list[Written], rows: list[Elsewhere], cache: Cache) -> Question:
    stems = sorted(log.stem for log in logs)
    back = [event for row in rows for event in _undone(row, stems, cache)]
    facts = tuple(row.fact for row in rows)
    return question(
        DROPPED, branch, *stems, facts=facts,
        said=f"{branch} is gone, and nothing of its work landed: {listed(facts)}.",
        evidence=(
            f"last worked on {stems[-1][:10]}, told by {listed(stems)}",
            f"where it did land: `Landed: {stems[-1]} → COMMIT` in a log says so, with the whole id",
        ),
        proposal="it was abandoned; reject it where the work is still open",
        accept=(*[WorkDropped(stem, branch) for stem in stems], *back),
    )  # fmt: skip


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
    commit = head(home.repository)[1]
    seconds = home.repository.git().run("log", "-1", "--format=%ct", commit, check=False)
    return max(int(seconds or b"0") * 1000, *[milliseconds_of(log.stem) for log in works.logs])


def _fetched(home: Home) -> int | None:
    """Return when something was fetched last, in milliseconds; None where there is no remote to ask."""
    if not os.path.isdir(f"{home.repository.commondir}/refs/remotes"):
        return None
    try:
        return os.stat(f"{home.repository.gitdir}/FETCH_HEAD").st_mtime_ns // 1_000_000
    except OSError:
        return 0
