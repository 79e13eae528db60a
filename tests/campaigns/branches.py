"""How surely it is told by which commit the work of a branch came into the trunk, and that it has not yet.

`python -m tests.campaigns.branches --seeds 9` scripts each end of a branch (`tests.branch_histories`) with so
many seeds, and asks in the clone of who worked there, also without what was noted of the branch; then of a
colleague who never had it, without and with what the author recorded. `--repository PATH` draws runs of commits of a real
history, lets the commits that follow them go on without them, brings them in by squash, rebase or pick over the
conflicts that there are, and asks one commit before that and at it. Prints a table; ends with 1 where the
author's clone says anything false.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ledger.git.cli import Git
from ledger.git.landing.messages import history
from ledger.git.landing.points import Points, Seen, Written
from ledger.git.landing.search import Landing, Work, search
from ledger.model.record import Record
from tests.branch_histories import ENDS, LANDED, OPEN, PLACES, REVERTED, Asked, Story

#: Who asks: the author; without reflogs and notes; a colleague who has the trunk alone; and that one with the record.
AUTHOR, FORGETFUL, COLLEAGUE, TOLD = "author", "notes gone", "colleague", "colleague, recorded"


def becomes(landing: Landing | None) -> str:
    """Say in a word what a search found."""
    if landing is None or not landing.commit:
        return OPEN
    return REVERTED if landing.reverted else LANDED


def asked_in(folder: Path, seen: list[Seen], log: Written, known: list[str]) -> Landing | None:
    """Return what is found at HEAD of a repository for the work of a log."""
    git = Git(str(folder))
    work = Points(git, seen, "main").work(log, known)
    return search(git, work, history(git, "HEAD"[:0] or head_of(folder))) if work else None


def head_of(folder: Path) -> str:
    """Return the commit of HEAD."""
    said = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    return said.stdout.strip()
