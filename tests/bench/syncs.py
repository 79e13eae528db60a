"""A sync of one new log each way, against `git fetch` and `git push` of the very same objects."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.bench import ledgers

BRANCH = "memory"
#: Of its own: git's network commands run in one too when Diurna starts them, and weigh the same then.
_SESSION = ("setsid", "--wait") if shutil.which("setsid") else ()


class Team:
    """Two clones with an own-branch home that publishes with every log, their remote, and room for copies.

    Args:
        folder: where they are made, anew.
        logs: how many the ledger begins with.
        diurna: the command.
        environment: of every command.
    """

    def __init__(self, folder: Path, logs: int, diurna: str, environment: dict[str, str]) -> None:
        self._folder, self._diurna, self._environment = folder, diurna, environment
        made = folder.with_name(f"{folder.name}-{logs}")
        if not made.exists():
            print(f"making {made.name} …", file=sys.stderr, flush=True)
            self._make(made, logs)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder, symlinks=True)
        for name in ("one", "two"):
            self._git(name, "remote", "set-url", "origin", str(folder / "hub.git"))
            self._run(name, diurna, "sync")
        self._number = 0

    def _make(self, folder: Path, logs: int) -> None:
        ledgers.generate(folder / "one", logs, branch=BRANCH, publish="append")
        self._run(folder / "one", self._diurna, "check", "--publish")
        self._run(folder, "git", "init", "-q", "--bare", str(folder / "hub.git"))
        self._run(folder / "one", "git", "remote", "add", "origin", str(folder / "hub.git"))
        self._run(folder / "one", "git", "push", "-q", "origin", BRANCH)
        for name in ("one", "hub.git"):
            self._run(folder / name, "git", "gc", "-q")
        shutil.copytree(folder / "one", folder / "two", symlinks=True)

    def _run(self, where: str | Path, *argv: str) -> float:
        start = time.perf_counter()
        subprocess.run(
            argv, cwd=self._folder / where, env=self._environment, check=True, capture_output=True
        )
        return time.perf_counter() - start

    def _git(self, name: str, *arguments: str) -> float:
        return self._run(name, *_SESSION, "git", *arguments)

    def prepare(self) -> None:
        """Let both clones append a log, one of them push it, and copy what the other will work on."""
        self._number += 1
        stamp = f"{os.getpid()}-{self._number}"
        for name in ("one", "two"):
            text = ledgers.sentence(random.Random(stamp + name), 12)
            self._run(name, self._diurna, "append", "--title", f"Measure {stamp} in {name}",
                      "--new", f"id=sync-{name}-{stamp} decision: {text}.")  # fmt: skip
        self._run("one", self._diurna, "sync")
        for name, copy in (("two", "three"), ("hub.git", "copy.git")):
            shutil.rmtree(self._folder / copy, ignore_errors=True)
            shutil.copytree(self._folder / name, self._folder / copy, symlinks=True)
        self._git("three", "remote", "set-url", "origin", str(self._folder / "copy.git"))

    def ours(self, _: int) -> float:
        """Time `diurna sync`."""
        self.prepare()
        return self._run("two", self._diurna, "sync")

    def theirs(self, _: int) -> float:
        """Time git: the same log comes, and the same log goes, to another branch, for it was not joined."""
        fetched = self._git("three", "fetch", "-q", "origin", BRANCH)
        return fetched + self._git("three", "push", "-q", "origin", f"{BRANCH}:refs/heads/side")
