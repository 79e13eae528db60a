"""The laws with many examples: `python -m tests.campaigns.laws --examples 10000`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Run tests/test_laws.py with the number of examples asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.laws", description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    chosen = parser.parse_args(arguments)
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "tests/test_laws.py"],
        cwd=ROOT,
        env={**os.environ, "DIURNA_LAW_EXAMPLES": str(chosen.examples)},
    )
    held = "all held" if done.returncode == 0 else "one was broken"
    print(f"laws: {chosen.examples} examples each: {held}, {time.monotonic() - begun:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
