"""Read ledgers as their jobs fall due: some processes within limits, and one that looks after them."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
import time

from ledger.environment import monotonic, now_seconds
from ledger.errors import DiurnaError
from ledger.model.record import Record
from rituals.org.org_database import WORKER, DatabaseFailed, connect, told
from rituals.org.org_jobs import BELL, Fenced, Job, claim, fail
from rituals.org.org_reading import Done, carry_out
from rituals.org.org_rows import Stems
from rituals.org.org_status import add_figures
from rituals.org.org_watch import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rituals.org.org_database import Connection

#: Of one process, and of one job.
_MEMORY_BYTES, _SECONDS = 4 << 30, 300.0
#: After so many jobs a process ends, and another one begins.
_JOBS = 500
#: Idle workers look by themselves so often: a bell may be missed.
_LOOK_SECONDS = 2.0
#: Before one that died is replaced.
_PAUSE_SECONDS = 0.2
_BUSY, _IDLE = b"b", b"i"


class Setting(Record):
    """How workers work."""

    where: str  #: the database
    mirrors: str  #: the folder of the mirrors
    jobs: int = 1  #: how many processes
    #: they end when nothing is left that was due then, "" for never
    before: str = ""
    listen: str = ""  #: HOST:PORT of webhooks and figures, "" for none


def now(base: Connection[Any]) -> str:
    """Return the database's time."""
    row = base.execute("SELECT now()::text").fetchone()
    assert row is not None
    return str(row[0])


def work(setting: Setting, *, once: bool) -> int:
    """Read what falls due until a signal comes, or with `once` until nothing is due; return 0.

    A process that dies, or is not done in time, is replaced; its job has counted the try.
    """
    with connect(setting.where, WORKER) as base:  # what is wrong from the start is said once
        if once:
            setting = setting._replace(before=now(base))
    listener = _listener(setting)
    children: dict[int, tuple[int, float]] = {}
    ended: list[int] = []

    def end(*_: object) -> None:
        ended.append(1)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)
    idle = 0  #: with `once` so many found nothing that is due
    try:
        while not ended and idle < setting.jobs:
            while len(children) + idle < setting.jobs:
                child, pipe = _started(lambda says: run(setting, says))
                children[pipe] = (child, 0.0)
            idle += _heard(children, once)
            for child, since in children.values():
                if since and monotonic() - since > _SECONDS:
                    os.kill(child, signal.SIGKILL)
    finally:
        for child in [*[child for child, _ in children.values()], *listener]:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
    return 0


def _listener(setting: Setting) -> list[int]:
    """Start what hears of pushes; return its process, or none."""
    if not setting.listen:
        return []
    from rituals.org.org_listener import place_in, serve

    place_in(setting.listen)
    return [_started(lambda _: serve(setting.where, setting.listen))[0]]


def _heard(children: dict[int, tuple[int, float]], once: bool) -> int:
    """Hear what processes say for a moment; return how many ended because nothing is due."""
    idle = 0
    for pipe in select.select(list(children), [], [], 1.0)[0]:
        said = os.read(pipe, 4096)
        child, _ = children[pipe]
        if said:
            children[pipe] = (child, monotonic() if said[-1:] == _BUSY else 0.0)
            continue
        os.close(pipe)
        del children[pipe]
        _, status = os.waitpid(child, 0)
        if status:
            log(event="worker-died", status=status)
            time.sleep(_PAUSE_SECONDS)  # a database that is away is not asked a thousand times
        else:
            idle += once
    return idle


def _started(does: Callable[[int], None]) -> tuple[int, int]:
    """Start a process that does something; return it, and the pipe by which it says whether it is busy."""
    out, into = os.pipe()
    child = os.fork()
    if child:
        os.close(into)
        return child, out
    status = 1
    try:
        os.close(out)
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        does(into)
        status = 0
    except DatabaseFailed as problem:
        log(event="database", code=problem.code)
    finally:
        os._exit(status)


def run(setting: Setting, says: int = -1) -> None:
    """Do jobs in this process: all that was due before a time, or some hundreds as they fall due."""
    name, stems = f"{socket.gethostname()}.{os.getpid()}", Stems()
    base = connect(setting.where, WORKER)
    base.execute(f"LISTEN {BELL}".encode())
    done, parent = 0, os.getppid()
    while (done < _JOBS or setting.before) and os.getppid() == parent:
        with told():
            heard = look(base)
            job = claim(base, name, setting.before or "infinity")
        if heard:
            log(event="readers", **heard._asdict())
        if job is None and heard:
            continue
        if job is None:
            settle(base)
            if setting.before:
                break
            for _ in base.notifies(timeout=_LOOK_SECONDS, stop_after=1):
                pass
            continue
        done += 1
        _say(says, _BUSY)
        do(base, job, setting.mirrors, stems)
        _say(says, _IDLE)


def _say(pipe: int, what: bytes) -> None:
    if pipe >= 0:
        os.write(pipe, what)


def do(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> Done | None:
    """Do one job, and say what came of it: in the job's row by a code, and in a line of the log."""
    started = monotonic()
    code, done = "", None
    try:
        with told():
            done = carry_out(base, job, mirrors, stems)
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
    with told():
        if code and code != "Fenced":
            fail(base, job, code)
        add_figures(base, job, code, done)
    log(
        event="read", ledger=job.ledger, code=code, tries=job.tries,
        seconds=round(monotonic() - started, 3),
        **(dict(zip(done._fields, [round(one, 3) for one in done], strict=True)) if done else {}),
    )  # fmt: skip
    return done


def settle(base: Connection[Any]) -> None:
    """When nothing is left to be read for the first time: index new shelves, count words that changed."""
    with told():
        if base.execute(
            "SELECT 1 FROM org.ledger l JOIN org.job j ON j.ledger = l.id"
            " WHERE l.tip = '' AND j.tries = 0 OR j.leased_until > now() AND l.tip = '' LIMIT 1"
        ).fetchone():
            return
        rows = base.execute(
            "SELECT s.id, to_regclass('org.log_words_' || s.id) IS NULL FROM org.shelf s"
            " JOIN (SELECT shelf, sum(facts) AS facts FROM org.ledger GROUP BY shelf) l ON l.shelf = s.id"
            " WHERE to_regclass('org.log_words_' || s.id) IS NULL"
            " OR abs(l.facts - s.counted) > s.counted / 20"
        ).fetchall()
        for shelf, bare in rows:
            with base.transaction():
                row = base.execute(
                    "SELECT pg_try_advisory_xact_lock(7875, %s)", (shelf,)
                ).fetchone()
                if not (row and row[0]):
                    continue
                if bare:
                    base.execute("SELECT org.index_shelf(%s), org.index_lists(%s)", (shelf, shelf))
                base.execute("SELECT org.count_words(%s)", (shelf,))


def log(**said: object) -> None:
    """Write a line of the log: ids, numbers and codes, never a text or a URL."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    print(json.dumps({"at": stamp, **said}), file=sys.stderr, flush=True)
