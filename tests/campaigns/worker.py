"""A process that appends to a home and says on standard output what was acknowledged.

`python -m tests.campaigns.worker FOLDER WRITER NAME COUNT [sync]`; a line is `ok STEM` or `waits STEM`. With `sync` it
syncs after each append, too, and says `synced`.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from ledger.errors import DiurnaError, WaitsInSpool
from ledger.home import discover
from memory.api import Memory
from tests.campaigns.forks import ROOT, Forked
from tests.campaigns.homes import draft, sealed_environment


def start_worker(folder: Path, writer: str, name: str, count: int, home: str, *more: str) -> Forked:
    """Start a process that appends, and with `sync` syncs."""
    worker = ["-m", "tests.campaigns.worker", str(folder), writer, name, str(count), *more]
    return Forked(worker, ROOT, sealed_environment(home), start_new_session=True)


def work(folder: str, writer: str, name: str, count: int, syncs: bool = False) -> int:
    """Append `count` logs, 0 for as many as possible; return how many acts were refused."""
    memory = Memory(
        discover(folder),
        agent=name,
        clock=lambda: time.time_ns() // 1_000_000,
        in_process=writer == "pygit2",
    )
    refused = 0
    say("ready")
    number = 0
    while not count or number < count:
        number += 1
        try:
            receipt = memory.append(draft(f"{name}-{number}"))
        except WaitsInSpool as problem:
            say(f"waits {problem.stem} {problem}")
        except DiurnaError as problem:
            refused += 1
            say(f"refused {type(problem).__name__} {problem}")
        else:
            say(f"ok {receipt.stem}")
        if syncs:
            refused += not exchange(memory)
    return refused


def exchange(memory: Memory) -> bool:
    """Sync, and say how it went."""
    from rituals.sync.sync_rounds import sync

    try:
        sync(memory)
    except DiurnaError as problem:
        say(f"unsynced {type(problem).__name__} {problem}")
        return False
    say("synced")
    return True


def say(line: str) -> None:
    """Write a line in one piece, past every buffer."""
    os.write(1, line.replace("\n", " ").encode() + b"\n")


if __name__ == "__main__":
    _, place, writer, name, count, *more = sys.argv
    sys.exit(1 if work(place, writer, name, int(count), more == ["sync"]) else 0)
