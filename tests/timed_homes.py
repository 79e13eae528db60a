"""Homes whose clock a test sets, on a machine whose environment names somebody else to git."""

from __future__ import annotations

import os
import subprocess
from itertools import count
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.model.event import Event
from ledger.model.findings import Finding
from memory.api import Memory, SessionDraft
from rituals.check.check_registry import verify
from rituals.setup.home_setup import apply_setup, plan_setup

START_MS = 1_795_248_000_000  # 2026-11-21T08:00:00Z


@pytest.fixture(autouse=True)
def mallory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing of this machine be there, and let git believe that somebody else writes."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Mallory")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "mallory@example.org")
        monkeypatch.setenv(f"GIT_{name}_DATE", "2026-11-21T12:00:00Z")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


class TimedHome:
    """A home in a folder, with a clock of its own; every question opens it anew."""

    def __init__(self, folder: Path, clock_ms: int = START_MS) -> None:
        self.folder = folder
        self.set_clock(clock_ms)

    def set_clock(self, clock_ms: int) -> None:
        self._ticks = count(clock_ms, 1000)

    def clock(self) -> int:
        return next(self._ticks)

    def make(self) -> None:
        """Make a home of its own where nothing is."""
        if not self.folder.exists():
            plan = plan_setup(str(self.folder.parent), self.folder.name, "", "p")
            apply_setup(plan, self.clock).close()
        self.git("config", "user.name", "Ada")

    @property
    def memory(self) -> Memory:
        return Memory(discover(str(self.folder)), agent="ada", clock=self.clock)

    def git(self, *arguments: str, data: bytes = b"", ok: bool = True) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        assert done.returncode == 0 or not ok, done.stderr.decode()
        return done.stdout.decode().strip()

    def append(self, title: str, *events: Event) -> str:
        return self.memory.append(SessionDraft(title, "", events)).path

    def commit(self, message: str = "by hand") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def found(self, *codes: str) -> list[Finding]:
        """What verify says, of some codes only if some are given."""
        return [one for one in verify(self.memory) if not codes or one.code in codes]
