"""Hand out the reading of ledgers: each to one worker at a time, whatever becomes of workers.

A claim is committed before the work begins, so a worker that dies has counted its try; who holds it is
told by a lease, which is looked at again in the transaction that writes.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from uuid import UUID

    from rituals.org.org_database import Connection

LEASE = "10 min"
#: So many tries that nobody came back from, and it is tried once a day.
_DEATHS = 3
KILLED = "killed the worker"
#: What is no failure: no memory, or that of another ledger. They are looked at once a day.
QUIET = ("NoMemory", "Copy")
#: The bell that tells idle workers that something is due; the rows are the truth.
BELL = "org_due"


class Fenced(Exception):
    """Another worker has the job by now."""


class Job(Record):
    """A ledger to be read, and by which claim."""

    ledger: int
    lease: UUID
    wish: str
    wished: int
    tries: int
    url: str
    branch: str
    shelf: int
    tip: str
    library: str
    lost: bool  #: whoever had it before did not come back


_CLAIM = f"""
UPDATE org.job j SET lease = gen_random_uuid(), leased_until = now() + '{LEASE}', worker = %s,
  tries = tries + 1,
  problem = CASE WHEN tries >= {_DEATHS} AND lease IS NOT NULL THEN '{KILLED}' ELSE problem END,
  problem_at = CASE WHEN tries >= {_DEATHS} AND lease IS NOT NULL THEN now() ELSE problem_at END,
  due = CASE WHEN tries >= {_DEATHS} THEN now() + '1 day' ELSE due END
FROM org.ledger l, (
  SELECT ledger, lease IS NOT NULL AS lost FROM org.job WHERE due <= least(now(), %s::timestamptz)
    AND (leased_until IS NULL OR leased_until < now())
  ORDER BY tries > 0, due LIMIT 1 FOR UPDATE SKIP LOCKED) AS next
WHERE l.id = j.ledger AND j.ledger = next.ledger
RETURNING j.ledger, j.lease, j.wish, j.wished, j.tries, l.url, l.branch, l.shelf, l.tip, l.library,
  next.lost
"""


def claim(base: Connection[Any], worker: str, before: str = "infinity") -> Job | None:
    """Take the next job that is due, or was `before` a time, those that failed last; None for none."""
    row = base.execute(_CLAIM.encode(), (worker, before)).fetchone()
    return None if row is None else Job(*row)


def finish(base: Connection[Any], job: Job, *, changed: bool) -> None:
    """Say that a job is done, where it is still ours; the next look is the later the less happens.

    Raises:
        Fenced: another worker has it by now.
    """
    done = base.execute(
        "UPDATE org.job SET lease = NULL, leased_until = NULL, tries = 0, problem = '', problem_at = NULL,"
        " wish = CASE WHEN wished = %(wished)s THEN 'read' ELSE wish END,"
        " pause = CASE WHEN %(changed)s THEN '1 min' ELSE least(pause * 2, '1 h') END,"
        " due = CASE WHEN wished = %(wished)s THEN now() + pause ELSE now() END,"
        " lag = greatest(0, extract(epoch FROM clock_timestamp() - due))"
        " WHERE ledger = %(ledger)s AND lease = %(lease)s",
        {"changed": changed, "wished": job.wished, "ledger": job.ledger, "lease": job.lease},
    )
    if not done.rowcount:
        raise Fenced


def fail(base: Connection[Any], job: Job, code: str) -> None:
    """Say that a job failed, by a code; the pause before the next try doubles, up to a day."""
    base.execute(
        "UPDATE org.job SET lease = NULL, leased_until = NULL, problem = %s, problem_at = now(),"
        " due = CASE WHEN wished <> %s THEN now() WHEN %s THEN now() + '1 day'"
        " ELSE now() + least(interval '1 min' * 2 ^ least(tries, 12), '1 day') END"
        " WHERE ledger = %s AND lease = %s",
        (code, job.wished, code in QUIET, job.ledger, job.lease),
    )


def wish(base: Connection[Any], ledgers: list[int], what: str = "read") -> None:
    """Let ledgers be read now, rebuilt or forgotten, and ring for it."""
    base.execute(
        "UPDATE org.job SET due = now(), wish = CASE WHEN wish = 'forget' THEN wish ELSE %s END,"
        " wished = wished + 1, tries = 0 WHERE ledger = ANY (%s)",
        (what, ledgers),
    )
    base.execute(f"NOTIFY {BELL}".encode())
