"""Read ledgers as they fall due: fetch one, let the library fold it, and write the rows that differ.

One process within limits does that; any number of them may run, anywhere.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from ledger.environment import monotonic, now_seconds
from ledger.errors import DiurnaError
from ledger.heavy_work import Uncollected
from ledger.model.layout import CACHE_VERSION
from memory.query.origins import all_origins
from memory.query.reader import Reader
from rituals.org.org_database import Connection, DatabaseFailed, connect_owner, insert, told
from rituals.org.org_ledgers import STALE, Fenced, Job, claim, fail, finish, hold
from rituals.org.org_mirror import fetched, forget
from rituals.org.org_rows import Marks, Stems, rows_of_facts, rows_of_logs

#: The rows are made by the library and by this package: where either differs, all of them are made again.
LIBRARY = f"{CACHE_VERSION}.3"
LOGS_MOST = 100_000
#: Of the process, and of one ledger: who is not done by then is ended, and has counted its try.
_MEMORY_BYTES, _SECONDS = 4 << 30, 300
#: So often an idle process looks.
_LOOK_SECONDS = 2.0
TABLES = ("fact", "log", "word", "log_word")
_LOG = "org.log(ledger, stem, path, commit, author, agent, ended, title, body, mark)"
_FACT = "org.fact(ledger, id, kind, tier, entity, untrue, stem, said, mark, words)"
_GONE = "DELETE FROM org.{0} WHERE ledger = %(ledger)s AND {1} = ANY (%(keys)s)"
#: Numbers are of one text each, so a word of which no fact is left is none of the ledger's.
_FACT_WORDS = (
    "DELETE FROM org.word w WHERE ledger = %(ledger)s"
    " AND NOT EXISTS (SELECT FROM org.fact f WHERE f.number = ANY (w.facts))",
    "INSERT INTO org.word SELECT f.ledger, u.lexeme, array_agg(f.number ORDER BY f.number)"
    " FROM org.fact f, unnest(f.words) u WHERE f.ledger = %(ledger)s GROUP BY 1, 2"
    " ON CONFLICT (ledger, word) DO UPDATE SET facts = excluded.facts"
    " WHERE word.facts <> excluded.facts",
)
#: Of logs alone the words of those that come, and before it of those that go.
_LOG_WORDS = (
    " FROM (SELECT u.lexeme, array_agg(g.number ORDER BY g.number) AS logs FROM org.log g,"
    " unnest(to_tsvector('english', g.title || ' ' || g.body)) u"
    " WHERE g.ledger = %(ledger)s AND g.stem = ANY (%(keys)s) GROUP BY 1) n"
)
_LOGS_GO = (
    "UPDATE org.log_word w SET logs = ARRAY(SELECT unnest(w.logs) EXCEPT SELECT unnest(n.logs))"
    + _LOG_WORDS + " WHERE w.ledger = %(ledger)s AND w.word = n.lexeme",
    "DELETE FROM org.log_word WHERE ledger = %(ledger)s AND logs = '{}'",
)  # fmt: skip
_LOGS_COME = (
    "INSERT INTO org.log_word SELECT %(ledger)s, n.lexeme, n.logs" + _LOG_WORDS
    + " ON CONFLICT (ledger, word) DO UPDATE SET logs = log_word.logs || excluded.logs",
)  # fmt: skip


class TooLarge(DiurnaError):
    """A ledger has more logs than are read."""


class Personal(DiurnaError):
    """A home is a person's own: no row is made of it."""


def carry_out(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> bool:
    """Read a ledger, or make its rows anew; return whether it changed. Where it fails, nothing did."""
    if job.wish == "rebuild":
        forget(mirrors, job.ledger)
    with fetched(mirrors, job.ledger, job.url, job.branch) as (home, branch, tip):
        if (tip, job.library, job.wish) == (job.tip, LIBRARY, "read"):
            with base.transaction():
                finish(base, job, changed=False)
            return False
        follows = ("merge-base", "--is-ancestor", job.tip, tip)
        rewritten = job.tip not in ("", tip) and bool(home.repository.git().call(*follows)[0])
        reader = Reader(home)
        try:
            with Uncollected():
                _read(base, job._replace(branch=branch), tip, reader, stems, rewritten)
        finally:
            reader.close()
        if rewritten:
            forget(mirrors, job.ledger)  # its packs have what was purged
    return True


def _read(
    base: Connection[Any], job: Job, tip: str, reader: Reader, stems: Stems, rewritten: bool
) -> None:
    """Bring the rows of a ledger to the tip that was fetched."""
    refs, _ = reader.snapshot.tip.list_logs(tip)
    if len(refs) > LOGS_MOST:
        raise TooLarge(f"it has {len(refs)} logs, and {LOGS_MOST} are read at most")
    state, cache = reader.state(), reader.cache()
    if state.policy.personal:
        with base.transaction():
            hold(base, job)
            _clear(base, job.ledger)
            emptied = "UPDATE org.ledger SET tip = '', logs = 0, facts = 0 WHERE id = %(ledger)s"
            _run(base, (emptied,), job.ledger)
            base.execute(STALE)
        raise Personal("it is a personal home")
    anew = job.wish == "rebuild" or job.library != LIBRARY
    logs: Marks = {} if anew else _marks(base, "log", "stem", job.ledger)
    facts: Marks = {} if anew else _marks(base, "fact", "id", job.ledger)
    brought = all_origins(reader.home, tip, list(cache.log_refs())).commits
    kept, new = rows_of_logs(reader, cache, logs, brought)
    made = rows_of_facts(cache, state)
    changed = [one for one in made if facts.get(one.key) != one.mark]
    words = stems.words([one.texts for one in changed])
    same = {one.key for one in made} - {one.key for one in changed}
    with base.transaction():
        hold(base, job)
        if anew:
            _clear(base, job.ledger)
        left = [key for key in logs if key not in kept]
        _run(base, _LOGS_GO if left else (), job.ledger, left)
        _run(base, (_GONE.format("log", "stem"),), job.ledger, left)
        insert(base, _LOG, [(job.ledger, *one.values, one.mark) for one in new])
        _run(base, _LOGS_COME, job.ledger, [one.key for one in new])
        gone = [key for key in facts if key not in same]
        _run(base, (_GONE.format("fact", "id"),), job.ledger, gone)
        some = zip(changed, words, strict=True)
        insert(base, _FACT, [(job.ledger, *one.values, one.mark, told) for one, told in some])
        _run(base, _FACT_WORDS, job.ledger)
        base.execute(
            "UPDATE org.ledger SET branch = %s, tip = %s, library = %s, logs = %s,"
            " facts = %s, chars = %s, read_at = now() WHERE id = %s",
            (job.branch, tip, LIBRARY, state.summary.logs, len(state),
             sum([len(one.texts[0]) for one in made]), job.ledger),
        )  # fmt: skip
        hides = any(one.hides and one.key in logs for one in new)
        if rewritten or hides or job.wish == "rebuild":
            base.execute(STALE)
        finish(base, job, changed=True)


def _marks(base: Connection[Any], table: str, key: str, ledger: int) -> Marks:
    asked = f"SELECT {key}, mark FROM org.{table} WHERE ledger = %s"
    return dict(base.execute(asked.encode(), (ledger,)).fetchall())


def _run(
    base: Connection[Any], asked: Iterable[str], ledger: int, keys: Sequence[str] = ()
) -> None:
    for one in asked:
        base.execute(one.encode(), {"ledger": ledger, "keys": list(keys)})


def _clear(base: Connection[Any], ledger: int) -> None:
    """Take all rows of a ledger out."""
    _run(base, [f"DELETE FROM org.{table} WHERE ledger = %(ledger)s" for table in TABLES], ledger)


def rewrite(base: Connection[Any]) -> bool:
    """Write the relations anew where a text went that they may hold; return whether that was due.

    `VACUUM` erases nothing, and an index of words never drops one; only what is written anew is without
    it. Who asks meanwhile waits.
    """
    row = base.execute(
        "SELECT clock_timestamp() FROM org.schema WHERE stale IS NOT NULL AND pg_try_advisory_lock(7875)"
    ).fetchone()
    if row is None:
        return False
    try:
        for table in TABLES:
            base.execute(f"VACUUM (FULL, ANALYZE) org.{table}".encode())
        base.execute("UPDATE org.schema SET stale = NULL WHERE stale < %s", row)
    finally:
        base.execute("SELECT pg_advisory_unlock(7875)")
    return True


def work(where: str, mirrors: str, *, once: bool) -> None:
    """Read what falls due until a signal comes, or with `once` all that is due now.

    `where` is the database, and `mirrors` the folder of the mirrors.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        run(where, mirrors, once=once)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def run(where: str, mirrors: str, *, once: bool) -> None:
    """Do so without a limit of memory."""
    with connect_owner(where) as base:
        row = base.execute("SELECT now()::text").fetchone() if once else None
        before, stems = str(row[0]) if row else "infinity", Stems()
        while True:
            with told():
                job = claim(base, before)
                if job is None and not rewrite(base):
                    if once:
                        return
                    time.sleep(_LOOK_SECONDS)
            if job is not None:
                signal.alarm(_SECONDS)
                do(base, job, mirrors, stems)
                signal.alarm(0)


def do(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> None:
    """Read one ledger, and say what came of it: in its row by a code, and in a line of the log."""
    started, code, changed = monotonic(), "", False
    try:
        with told():
            changed = carry_out(base, job, mirrors, stems)
    except Fenced:
        code = "Fenced"
    except MemoryError:
        code = "MemoryError"
    except DatabaseFailed:
        raise
    except DiurnaError as problem:
        code = type(problem).__name__
    except Exception as problem:  # noqa: BLE001 - a hostile ledger must not end the worker, and its words are not ours
        code = f"{type(problem).__name__} (a bug)"
    if code and code != "Fenced":
        with told():
            fail(base, job, code)
    # ids, numbers and codes, never a text or a URL
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    said = {"at": at, "worker": os.getpid(), "ledger": job.ledger, "code": code, "tries": job.tries}
    said |= {"changed": changed, "seconds": round(monotonic() - started, 3)}
    print(json.dumps(said), file=sys.stderr, flush=True)
