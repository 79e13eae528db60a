"""Every case of the matrices that the gate samples: `python -m tests.campaigns.matrices`.

A test whose cases are a product (shapes of text × readers, kinds of homes × writers …) takes each third,
fifth … of them in the gate, always the same ones (`tests.conftest.sampled`, `diagonal`, `in_turn`); here it
takes all, or `--size` of each matrix that `--seed` draws. So do the tests in a browser with pages, widths and
schemes, which are taken whole. `--test` chooses by names.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TypeVar

#: What takes fewer cases in the gate.
SAMPLED = ("sampled(", "diagonal(", "in_turn(", "WHOLE", "kinds_and_writers")
TESTS = Path(__file__).resolve().parents[1]
#: No matrix is sampled: "0 0" takes all cases, "SEED SIZE" so many that the seed draws.
WHOLE = "DIURNA_WHOLE_MATRICES"
Case = TypeVar("Case")


def drawn(cases: list[Case], told: str) -> list[Case]:
    """Return the cases of a matrix that a campaign takes, in their order."""
    seed, size = (int(word) for word in told.split())
    if not 0 < size < len(cases):
        return cases
    return [cases[at] for at in sorted(random.Random(seed).sample(range(len(cases)), size))]


def main(arguments: list[str]) -> int:
    """Run the tests whose cases are sampled, with all of their cases or those that are drawn."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.matrices", description=__doc__)
    parser.add_argument("--test", default="", help="words of names, as pytest's -k takes them")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--size", type=int, default=0, help="cases of each matrix, 0 for all")
    parser.add_argument("--jobs", default="auto", help="processes, as pytest's -n takes them")
    chosen = parser.parse_args(arguments)
    texts = {str(file): file.read_text("utf-8") for file in TESTS.rglob("test_*.py")}
    files = sorted(file for file, text in texts.items() if any(word in text for word in SAMPLED))
    only = ["-k", chosen.test] if chosen.test else []
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", chosen.jobs, *only, *files],
        cwd=TESTS.parent,
        env={**os.environ, WHOLE: f"{chosen.seed} {chosen.size}"},
    )
    held = "all held" if done.returncode == 0 else "one was broken"
    print(f"matrices: {len(files)} files: {held}, {time.monotonic() - begun:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
