"""The tests that are too dear for each commit, and the laws of Hypothesis with more examples.

`python -m tests.deep -k crash`: with any arguments of pytest. `DIURNA_LAW_EXAMPLES=100 pytest FILE`: more seeds.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[1])
    os.environ.setdefault("DIURNA_LAW_EXAMPLES", "100")
    chosen = ["-q", "-n", "auto", "--dist", "worksteal", "-m", "deep or law"]
    sys.exit(pytest.main([*chosen, *sys.argv[1:]]))
