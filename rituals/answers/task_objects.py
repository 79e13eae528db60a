"""Gather the tasks of a ledger with what only this clone knows of them: whether a claim is stale.

A claim is stale when nothing was seen of it for a while: no log of its host session, or of its agent where
the session is not known, and nothing that the session's spool observed here. It is shown, and never taken
away.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ledger.model.log_names import floor_of, milliseconds_of
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.verbs import IN_PROGRESS
from memory import Cache, Reader, handoffs_in, tasks_in
from projection.work.tracked_tasks import Task, open_handoffs
from rituals.answers.record_to_dict import fields_of

if TYPE_CHECKING:
    from typing import Any


#: After how long without a sign of its claimant a claim is stale.
STALE_MS = 30 * 60_000


class Listed(Record):
    """A task as it is listed."""

    task: Task  #: as it stands
    stale: bool = False  #: somebody has claimed it, and nothing was seen of them for a while
    left: bool = False  #: its claimant or owner wrote no log for as long as a fact lives unused
    #: of a stale claim: when the last sign of any claimant was, milliseconds since 1970; 0 for not known
    sign_ms: int = 0


def listed(
    reader: Reader, now_ms: int, claimant: str = "", *, closed: bool = False
) -> tuple[Listed, ...]:
    """Return tasks by priority, then age: the open ones, or all; of one agent its own, and handed ones."""
    commondir = reader.home.repository.commondir

    def ask(cache: Cache) -> tuple[Listed, ...]:
        found = [task for task in tasks_in(cache, closed=closed) if closed or task.open]
        if claimant:
            handed = [one for one in open_handoffs(handoffs_in(cache)) if one.names(claimant, "")]
            theirs = {task for one in handed for task in one.tasks}
            found = [
                task
                for task in found
                if claimant in task.claimant.split(" or ") or task.id in theirs
            ]
        return with_claims(cache, found, commondir, now_ms)

    return reader.ask(ask)


def with_claims(
    cache: Cache, tasks: Sequence[Task], commondir: str, now_ms: int
) -> tuple[Listed, ...]:
    """Say of tasks, in their order, whether their claims are stale, and whether those who have them left.

    The spools of sessions are in `commondir`, the common git directory.
    """
    archive = cache.clock().archive
    newest_of = lru_cache(cache.newest_of)

    def told(task: Task) -> Listed:
        sign = _sign_ms(cache, task, commondir, now_ms - STALE_MS)
        who = task.claimant if task.since < archive else ""
        left = bool(who) and newest_of(who) < archive
        return Listed(task, sign is not None, left, sign or 0)

    return tuple([told(task) for task in tasks])


def task_object(one: Listed) -> dict[str, Any]:
    """Describe a task: what it is, whose, and what it waits for."""
    from projection.document.archive_pages import summary_of

    task = one.task
    return {
        "id": task.id,
        **fields_of(task, "state priority owner goal workstream depends waits claimant since=when"),
        **fields_of(one, "stale left contradiction=task.contradicted"),
        "line": summary_of(task.standing.fact),
    }


def _sign_ms(cache: Cache, task: Task, commondir: str, since_ms: int) -> int | None:
    """Return when there was the last sign of whoever has claimed a task: a log, or an observation here.

    0 is for not known; None where nobody has claimed it, or the sign is newer than `since_ms`.
    """
    from rituals.hosts.observation_spool import spools

    claims = [move for move in task.standing.fact.moves if move.state == IN_PROGRESS]
    stems, since = [move.stem for move in claims], floor_of(since_ms)
    if not claims or max(stems) >= since:
        return None
    sessions = {move.session for move in claims if move.session}
    stems += [cache.newest_of(move.agent) for move in claims if move.agent and not move.session]
    if sessions:
        later = cache.entries_since(min(stems))
        stems += [entry.stem for _, entry in later if entry.session in sessions]
    signs = [milliseconds_of(stem) for stem in stems if stem]
    signs += [one.changed_ms for one in spools(commondir) if one.session in sessions]
    newest = max(signs, default=0)
    return None if newest >= since_ms else newest
