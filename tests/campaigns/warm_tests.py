"""A pytest plugin: tests that are collected once and then run again and again, each time on other code.

With `-p tests.campaigns.warm_tests` and the environment variable `WARM` naming a socket, a run of the tests
collects them and then takes jobs from the socket: a path, its source before and now, the names of tests and a
limit of seconds. Each is run by a fork in which the functions that differ have their new code; the answer is
the name of the first test that failed, `""` if all passed, `SLOW`, or `COLD` where the change is none of a
function's body, so that a fresh process has to try it.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import shutil
import signal
import sys
import time
from collections import defaultdict
from inspect import CO_OPTIMIZED
from multiprocessing.connection import Client
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from ledger.model.record import Record

COLD, SLOW = "COLD", "SLOW"
_ADDRESS = "WARM"
#: The limit is one of processor time; a test that waits for what never comes ends after so many times of it.
WALL = 12
_top = Path(__file__).resolve().parents[2]
_failed: list[int] = []  # in a fork: where the name of a test that failed is written


class Job(Record):
    """Tests to run on a changed source; the file holds the change already."""

    path: str
    before: bytes
    now: bytes
    tests: list[str]
    seconds: float


def pytest_configure() -> None:
    """Keep the compiled tests, for processes that read them afresh; nothing is changed yet."""
    sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Take jobs until there is none."""
    sys.dont_write_bytecode = True
    items = {item.nodeid: item for item in session.items}
    _load_all()
    known = _functions()
    with Client(os.environ[_ADDRESS], "AF_UNIX") as wire:
        wire.send("ready")
        while (told := wire.recv()) is not None:
            job = Job(*told)
            chosen = [items[name] for name in job.tests if name in items]
            wire.send(_tried(session, job, chosen, known))
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """End a fork with its first test that fails."""
    if report.failed and _failed:
        os.write(_failed[0], report.nodeid.encode())
        os._exit(1)


def _load_all() -> None:
    """Load every module, as the forks would each for itself."""
    for package in ("ledger", "projection", "memory", "rituals"):
        for path in sorted((_top / package).rglob("*.py")):
            name = ".".join(path.relative_to(_top).with_suffix("").parts)
            if path.stem not in ("__init__", "__main__"):
                try:
                    importlib.import_module(name)
                except ImportError:  # of an extra that is not installed
                    continue


def _functions() -> dict[tuple[str, CodeType], list[FunctionType]]:
    """Return all functions there are by their file and code."""
    found: dict[tuple[str, CodeType], list[FunctionType]] = defaultdict(list)
    gc.unfreeze()  # what is frozen is not listed
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename.startswith(str(_top)):
            found[one.__code__.co_filename, one.__code__].append(one)
    gc.freeze()
    return found


def _tried(
    session: pytest.Session, job: Job, items: list[pytest.Item],
    known: dict[tuple[str, CodeType], list[FunctionType]],
) -> str:  # fmt: skip
    """Run tests in a fork; return what its first line says."""
    file = str(_top / job.path)
    changes = _changes(compile(job.before, file, "exec"), compile(job.now, file, "exec"))
    if changes is None or any(not known.get((file, old)) for old, _ in changes):
        return COLD
    ready, said = os.pipe()
    scratch = _top.parent / f"{_top.name}.scratch"
    child = os.fork()
    if not child:
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (round(job.seconds), round(job.seconds) + 1))
            for old, new in changes:
                for function in known[file, old]:
                    function.__code__ = new
            _failed.append(said)
            session.config._tmp_path_factory._given_basetemp = scratch  # type: ignore[attr-defined]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            os._exit(0)
        finally:
            os._exit(2)  # a body that closes over other names, or a run that was broken off
    os.close(said)
    code = _ended(child, job.seconds * WALL)
    try:
        os.killpg(child, signal.SIGKILL)  # servers of a test that was left
    except ProcessLookupError:
        pass
    with open(ready, "rb") as lines:
        name = lines.read().decode() if code == 1 else ""
    shutil.rmtree(scratch, ignore_errors=True)
    if code in (None, -signal.SIGXCPU, -signal.SIGKILL):
        return SLOW
    return COLD if code == 2 else "" if code == 0 else name or "a test that ended its process"


def _ended(child: int, seconds: float) -> int | None:
    """Wait for a child; return how it ended, None where it takes longer and was killed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _changes(before: CodeType, now: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Return the codes of functions that differ, old and new; None where anything else does."""
    if before == now:
        return []
    if before.co_flags & CO_OPTIMIZED:
        return [(before, now)]
    if before.co_code != now.co_code or len(before.co_consts) != len(now.co_consts):
        return None
    found: list[tuple[CodeType, CodeType]] = []
    for old, new in zip(before.co_consts, now.co_consts, strict=True):
        if isinstance(old, CodeType) and isinstance(new, CodeType):
            inside = _changes(old, new)
            if inside is None:
                return None
            found += inside
        elif old != new or type(old) is not type(new):
            return None
    return found
