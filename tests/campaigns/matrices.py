"""Every case of the matrices that the gate samples: `python -m tests.campaigns.matrices`.

A test whose cases are a product (shapes of text × readers, codes × forms …) takes each third, fifth … of them in the gate, always
the same ones (`tests.conftest.sampled`, `diagonal`, `in_turn`); here it takes all. So do the tests in a browser with pages, widths and schemes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import WHOLE

#: What takes fewer cases in the gate.
SAMPLED = ("sampled(", "diagonal(", "in_turn(", "WHOLE")
TESTS = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Run the tests whose cases are sampled, with all of their cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.matrices", description=__doc__)
    parser.add_argument("--test", default="", help="words of names, as pytest's -k takes them")
    chosen = parser.parse_args(arguments)
    texts = {str(file): file.read_text("utf-8") for file in TESTS.rglob("test_*.py")}
    files = sorted(file for file, text in texts.items() if any(word in text for word in SAMPLED))
    only = ["-k", chosen.test] if chosen.test else []
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "auto", *only, *files],
        cwd=TESTS.parent,
        env={**os.environ, WHOLE: "1"},
    )
    held = "all held" if done.returncode == 0 else "one was broken"
    print(f"matrices: {len(files)} files: {held}, {time.monotonic() - begun:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
