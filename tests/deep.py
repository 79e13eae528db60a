"""The tests that are too dear for each commit: `python -m tests.deep`, with any arguments of pytest.

python -m tests.deep -k crash --maxfail 1
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[1])
    sys.exit(pytest.main(["-q", "-n", "auto", "--dist", "worksteal", "-m", "deep", *sys.argv[1:]]))
