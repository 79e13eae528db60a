"""What the index of recall takes: `python -m tests.bench.recalls HOME RUNS` prints seconds as JSON.

`build` RUNS times anew, with the cache warm, against git reading the same blobs, in turn; then `more`: the
index brought to one more log in a running process, the cache with it, by what a question waits for.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from memory.api import Memory
from memory.recall.index.index_catch_up import IndexFollower, index_file
from tests.bench.running import Writer


def read(home: str, ids: Path) -> float:
    """Time git reading the same blobs."""
    with open(ids, "rb") as source, open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        argv = ["git", "cat-file", "--batch", "--buffer"]
        subprocess.run(argv, cwd=home, stdin=source, stdout=sink, check=True)
        return time.perf_counter() - start


def build(memory: Memory) -> float:
    """Time the index from nothing."""
    file = index_file(memory.home)
    if os.path.exists(file):
        os.unlink(file)
    following = IndexFollower(memory.snapshot)
    start = time.perf_counter()
    following.ask(lambda cache, index: index.totals)
    taken = time.perf_counter() - start
    following.close()
    return taken


def main(path: str, ids: str, runs: int, more: int) -> None:
    """Measure and print."""
    memory = Memory.open(path)
    memory.snapshot.cache()
    found: dict[str, object] = {}
    pairs = [(build(memory), read(path, Path(ids))) for _ in range(runs)]
    found["build"], found["read"] = zip(*pairs, strict=True)
    found["peak_kib"] = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        + 2 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    )
    found["bytes"] = os.path.getsize(index_file(memory.home))
    following = IndexFollower(memory.snapshot)
    totals = following.ask(lambda cache, index: index.totals)
    writer = Writer(Path(path))
    for key, late in (("newer", False), ("late", True)):
        taken = []
        for _ in range(more):
            writer.add(late)
            start = time.perf_counter()
            now = following.ask(lambda cache, index: index.totals)
            taken.append(time.perf_counter() - start)
            if now.logs != totals.logs + 1:
                raise SystemExit("the index did not follow")
            totals = now
        found[key] = taken[1:]
    print(json.dumps(found))


if __name__ == "__main__":
    gc.disable()  # as `diurna` does
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
