"""What is measured in one process: `python -m tests.bench.within NAME HOME RUNS` prints JSON of seconds."""

from __future__ import annotations

import gc
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ledger.model.log_names import ended_of, log_path, seal, stamp_of
from memory.api import Memory
from memory.replay.state_as_of import cold_state

PROSE = "The queue was measured again and the figures were written down. " * 40


def add(memory: Memory, late: bool) -> None:
    """Let another writer add a log behind Diurna's back: the newest, or one that sorts into the middle."""
    now = time.time_ns() // 1_000_000 - late * random.randint(200, 600) * 86_400_000
    name = f"other-fact-{time.time_ns()}"
    data = (
        f"---\nagent: other\nended: {ended_of(stamp_of(now))}\n---\n# Other\n\n{PROSE}\n\n## Memory References\n\n"
        f"- Created: {name}\n\n## Facts\n\n- Another fact.\n  <!-- id: {name} -->\n"
    ).encode()
    home = memory.home
    path = home.prefix + log_path(seal(stamp_of(now), data))
    stream = (
        f"commit {home.reference}\ncommitter Bench <bench@example.invalid> {time.time_ns() // 10**9} +0000\n"
        f"data 5\nother\nfrom {home.reference}^0\nM 100644 inline {path}\ndata {len(data)}\n"
    ).encode()
    subprocess.run(
        ["git", f"--git-dir={home.repository.commondir}", "fast-import", "--quiet"],
        input=stream + data + b"\n", check=True,
    )  # fmt: skip


def taken(once: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    once()
    return time.perf_counter() - start


def behind(memory: Memory, runs: int, once: Callable[[], object]) -> dict[str, list[float]]:
    """Time a call behind each of some new logs, and of some late ones; the first of each does not count."""
    times: dict[str, list[float]] = {}
    for key, late in (("newer", False), ("late", True)):
        times[key] = []
        for _ in range(runs + 1):
            add(memory, late)
            times[key].append(taken(once))
    return {key: found[1:] for key, found in times.items()}


def peak_kib() -> int:
    """Return the most memory that this process and its largest child held."""
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(resource.getrusage(who).ru_maxrss for who in both)


def cold(memory: Memory, _: int) -> object:
    """Replay a home from git alone."""
    return {
        "seconds": taken(lambda: cold_state(memory.snapshot.tip, memory.home.tip()).view()),
        "peak_kib": peak_kib(),
    }


def state(memory: Memory, runs: int) -> object:
    """Follow one more log, and a late one."""

    def once() -> None:
        if memory.state().summary.digest not in memory.continuity():
            raise SystemExit("the state and the text differ")

    once()
    return behind(memory, runs, once)


def index(memory: Memory, runs: int) -> object:
    """Answer with the index of recall made anew, and then behind one more log."""
    folder = Path(memory.home.repository.commondir) / "diurna" / "cache"
    question = "which queue is used"
    memory.recall(question)
    builds = []
    for _ in range(max(3, runs // 9)):
        for path in folder.glob("*.recall*"):
            path.unlink()
        memory.close()
        memory = Memory.open(memory.home.folder)
        memory.state()
        builds.append(taken(partial(memory.recall, question)))
    size = sum(path.stat().st_size for path in folder.glob("*.recall*"))
    more = behind(memory, runs, partial(memory.recall, question))
    return {"build": builds, "peak_kib": peak_kib(), "bytes": size, **more}


if __name__ == "__main__":
    gc.disable()  # as `diurna` does
    do = {"cold": cold, "state": state, "index": index}[sys.argv[1]]
    print(json.dumps(do(Memory.open(sys.argv[2], agent="bench"), int(sys.argv[3]))))
