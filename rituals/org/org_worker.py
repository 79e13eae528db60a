"""Read ledgers as they fall due, within limits: one process, of which any number may run anywhere."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time

from ledger.environment import monotonic, now_seconds
from ledger.errors import DiurnaError
from rituals.org.org_database import DatabaseFailed, connect_owner, told
from rituals.org.org_ledgers import Fenced, Job, claim, fail
from rituals.org.org_reading import carry_out, rewrite
from rituals.org.org_rows import Stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rituals.org.org_database import Connection

#: Of the process, and of one ledger: who is not done by then is ended, and has counted its try.
_MEMORY_BYTES, _SECONDS = 4 << 30, 300
#: So often an idle process looks.
_LOOK_SECONDS = 2.0


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
