"""Read ledgers as they fall due: some processes within limits, and one that replaces those that die."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time

from ledger.environment import monotonic, now_seconds
from ledger.errors import DiurnaError
from ledger.model.record import Record
from rituals.org.org_database import DatabaseFailed, connect_owner, told
from rituals.org.org_ledgers import Fenced, Job, claim, fail
from rituals.org.org_reading import carry_out, rewrite
from rituals.org.org_rows import Stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rituals.org.org_database import Connection

#: Of one process, and of one ledger; after so many ledgers another process begins.
_MEMORY_BYTES, _SECONDS, _JOBS = 4 << 30, 300, 500
#: So often an idle process looks; before one that died is replaced.
_LOOK_SECONDS, _PAUSE_SECONDS = 2.0, 0.2


class Setting(Record):
    """How workers work."""

    where: str  #: the database
    mirrors: str  #: the folder of the mirrors
    jobs: int = 1  #: how many processes
    #: they end when nothing is left that was due then, "" for never
    before: str = ""


def work(setting: Setting, *, once: bool) -> None:
    """Read what falls due until a signal comes, or with `once` until nothing is due.

    A process that dies, or is not done with a ledger in time, is replaced; the ledger has counted the try.
    """
    with connect_owner(setting.where) as base:  # what is wrong from the start is said once
        if once:
            row = base.execute("SELECT now()::text").fetchone()
            setting = setting._replace(before=str(row[0]) if row else "")
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.default_int_handler)
    children: set[int] = set()
    idle = 0  #: with `once` so many found nothing that is due
    try:
        while idle < setting.jobs:
            while len(children) + idle < setting.jobs:
                children.add(_started(setting))
            child, status = os.wait()
            children.discard(child)
            if status:
                log(event="worker-died", status=status)
                time.sleep(_PAUSE_SECONDS)  # a database that is away is not asked a thousand times
            else:
                idle += once
    except KeyboardInterrupt:
        return
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)


def _started(setting: Setting) -> int:
    """Start a process that reads ledgers."""
    if child := os.fork():
        return child
    status = 1
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        run(setting)
        status = 0
    except Exception as problem:  # noqa: BLE001 - what it was is said, and another one begins
        log(event="worker", code=getattr(problem, "code", type(problem).__name__))
    finally:
        os._exit(status)


def run(setting: Setting) -> None:
    """Read ledgers in this process: all that was due before a time, or some hundreds as they fall due."""
    done, parent = 0, os.getppid()
    base, stems = connect_owner(setting.where), Stems()
    while (done < _JOBS or setting.before) and os.getppid() == parent:
        with told():
            job = claim(base, setting.before or "infinity")
            if job is None and not rewrite(base):
                if setting.before:
                    break
                time.sleep(_LOOK_SECONDS)
        if job is not None:
            done += 1
            signal.alarm(_SECONDS)  # which ends the process
            do(base, job, setting.mirrors, stems)
            signal.alarm(0)
    base.close()


def do(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> None:
    """Read one ledger, and say what came of it: in its row by a code, and in a line of the log."""
    started, code = monotonic(), ""
    changed = False
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
    log(
        event="read", ledger=job.ledger, code=code, tries=job.tries, changed=changed,
        seconds=round(monotonic() - started, 3),
    )  # fmt: skip


def log(**said: object) -> None:
    """Write a line of the log: ids, numbers and codes, never a text or a URL."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    print(json.dumps({"at": stamp, **said}), file=sys.stderr, flush=True)
