"""One cold replay in a process of its own: `python -m tests.bench.cold HOME` prints what it took."""

from __future__ import annotations

import gc
import json
import resource
import sys
import time

from ledger.home import discover
from memory.api import Memory
from projection.document.page_renderer import render


def main(path: str) -> None:
    """Replay a home from git alone and render its projection."""
    gc.disable()  # as `diurna` does
    start = time.perf_counter()
    state = Memory(discover(path)).cold_state()
    text = render(state.view())
    taken = time.perf_counter() - start
    peak = sum(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(json.dumps({"seconds": taken, "peak_kib": peak, "bytes": len(text)}))


if __name__ == "__main__":
    main(sys.argv[1])
