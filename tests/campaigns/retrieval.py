"""How well recall finds, against what it must reach: `python -m tests.campaigns.retrieval SHARED [FOLDER]`.

The sets are other people's conversations (`tests.bench.retrieval`), too large for a test. Exits with 1 when
a figure is more than `MARGIN` below its mark. The marks are what was reached, rounded down: where it is
less than what was aimed at, the table of `tests.bench.retrieval` says so.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.retrieval import SETS, judged, ledgers_of, read_lines, results

MARGIN = 1.0
MARKS = {
    ("locomo", "turns", "recall@5"): 73.0,
    ("locomo", "turns", "recall@10"): 79.5,
    ("locomo", "turns", "recall@20"): 84.0,
    ("locomo", "turns", "MRR"): 64.0,
    ("locomo", "sessions", "recall@1"): 69.0,
    ("locomo", "sessions", "recall@5"): 87.0,
    ("locomo", "sessions", "recall@10"): 92.0,
    ("realtalk", "turns", "recall@10"): 58.0,
    ("realtalk", "sessions", "recall@5"): 77.5,
    ("beam", "turns", "recall@10"): 57.5,
    ("beam", "sessions", "recall@5"): 57.0,
}


def main() -> int:
    """Run all sets and compare."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.retrieval", description=__doc__
    )
    parser.add_argument("shared", type=Path, help="the folder of all sets")
    parser.add_argument("folder", type=Path, nargs="?", help="where the ledgers are kept")
    chosen = parser.parse_args()
    shared, folder = chosen.shared, chosen.folder or Path(tempfile.mkdtemp())
    lost = 0
    for name in SETS:
        directory = shared / name
        found = {
            one["question_id"]: one for one in results(directory, ledgers_of(directory, folder))
        }
        ours = judged(read_lines(directory / "questions.jsonl"), found)
        for (which, sort, what), mark in MARKS.items():
            if which == name:
                low = ours[sort, what] < mark - MARGIN
                lost += low
                print(
                    f"{name} {sort} {what}: {ours[sort, what]:.1f} of {mark}{' LOW' if low else ''}"
                )
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
