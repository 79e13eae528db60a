"""Export every event of a ledger: a first line about the whole, then a line for each log, in ledger order.

As a `git clone` or `diurna sync` does, it carries the logs whole: also the words of what was redacted,
together with the log that says so, until the logs themselves are taken out of the history.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from memory.api import Memory
from memory.replay.log_bytes import read_bytes
from rituals.report.export.event_lines import KIND, VERSION, log_line

#: How many logs are read from git at once.
_PART = 500


def event_lines(memory: Memory, progress: Callable[[int, int], None]) -> Iterator[str]:
    """Yield the lines of what is committed, each with its line end.

    Progress is told how many of how many logs are written.
    """
    snapshot = memory.snapshot.tip
    policy, summary, refs, redacted = snapshot.ask(
        lambda cache: (cache.policy, cache.summary, cache.log_refs(), len(cache.redacted))
    )
    head = {
        "kind": KIND,
        "version": VERSION,
        "project": policy.project,
        "logs": len(refs),
        "newest": summary.newest,
        "digest": summary.digest,
        "redacted": redacted,
    }
    yield json.dumps(head) + "\n"
    done = 0
    for start in range(0, len(refs), _PART):
        part = refs[start : start + _PART]
        found = dict(read_bytes(memory.home, part))
        for ref in part:
            if ref in found:
                yield log_line(ref.path, found[ref]) + "\n"
        done += len(part)
        progress(done, len(refs))
