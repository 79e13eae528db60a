"""The laws with many examples: `python -m tests.campaigns.laws --examples 10000`.

Those of replay and of merging: `tests/test_laws.py`, `tests/test_second_fold.py` and the union of trees in
`tests/test_remote_tree_merge.py`; and those of recall, of links and of the brief. All together take hours on a busy machine; `--law WORDS` runs those whose names hold these words.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

LAWS = [
    "tests/test_remote_tree_merge.py",
    "tests/test_laws.py",
    "tests/test_second_fold.py",
    "tests/test_recall_index.py",
    "tests/test_query_graph.py",
    "tests/test_brief.py",
    "tests/test_recall_passages.py",
    "tests/test_recall_answers.py",
]
ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Run the laws with the number of examples asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.laws", description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--law", default="", help="words of their names, as pytest's -k takes them")
    chosen = parser.parse_args(arguments)
    only = ["-k", chosen.law] if chosen.law else []
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "--durations=0", *only, *LAWS],
        cwd=ROOT,
        env={**os.environ, "DIURNA_LAW_EXAMPLES": str(chosen.examples)},
    )
    held = "all held" if done.returncode == 0 else "one was broken"
    print(f"laws: {chosen.examples} examples each: {held}, {time.monotonic() - begun:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
