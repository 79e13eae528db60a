"""Kill those who tell what sessions left, repeat them and let them race; every observation is told once.

`python -m tests.campaigns.capture --kills 1000` plays three kinds of home, 25 kills in each home, and prints a line
for each. Sessions of two hosts go on meanwhile, a person commits and switches branches, caches and notes go, torn lines
stand in spools, spools are removed and begin anew. Ends with 1 where anything was lost, told twice, or damaged.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ledger.environment import now_ms
from ledger.home import discover
from ledger.model.record import Record
from ledger.wal.spool import Spool as LogSpool
from memory.api import Memory
from rituals.hosts.capture.untold_session import SPOOL_MS
from rituals.hosts.observed.observation_spool import spool_of
from tests.campaigns.forks import Forked
from tests.campaigns.homes import IN_TREE, KINDS, fsck, git, make_home, sealed_environment
from tests.captured_sessions import TALK, marks_in, observe, say

KILLS_OF_A_HOME = 25
HOSTS = ("claude", "codex")
#: A child does its work within this time once it is forked.
_SECONDS = 0.25


class Toll(Record):
    """What a play left behind."""

    kills: int  #: how many children were killed, at work or behind it
    runs: int  #: how many children there were
    observed: int  #: observations that sessions left
    lost: int  #: those that no log tells of
    doubled: int  #: those that more than one log, or one log twice, tells of
    faults: tuple[str, ...]  #: what else was wrong
    seconds: float  #: that it took


class Session:
    """A session of a host, and how many observations it left.

    Args:
        host: its host.
        name: the host's id of it.
        transcript: its file.
        at: when its observations were made; long ago lets its spool be removed as soon as all is told.
    """

    def __init__(self, host: str, name: str, transcript: Path, at: int) -> None:
        self.host, self.name, self.transcript, self.at = host, name, transcript, at
        self.count = 0

    def mark(self, number: int) -> str:
        """Return what tells an observation apart from all others."""
        return f"{self.host}-{self.name}-{number}"


class Play:
    """One home, its sessions, and who tells them.

    Args:
        folder: an empty one.
        kind: of home.
        seed: of all that is random.
    """

    def __init__(self, folder: Path, kind: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.home, self.kind = folder / "home", kind
        make_home(self.home, kind)
        old = now_ms() - 2 * SPOOL_MS
        self.sessions = [
            Session(host, name, folder / f"{host}-{name}.jsonl", at)
            for host in HOSTS
            for name, at in (("one", now_ms()), ("two", old))
        ]
        self.kills = self.runs = 0
        self.faults: list[str] = []
        self.environment = {**sealed_environment(str(folder)), "DIURNA_HOOKS": "off"}

    def work(self, one: Session) -> None:
        """Let a session do and say something; now and then a writer is killed in the middle of a line."""
        more = self.rng.choice((1, 2, 5, 30))
        observe(
            self.home,
            more,
            session=one.name,
            host=one.host,
            first=one.count,
            at=one.at,
            mark=one.mark,
        )
        one.count += more
        if self.rng.random() < 0.5:
            say(one.transcript, TALK + str(self.rng.random()))
        path = spool_of(str(self.home / ".git"), one.host, one.name).path
        if self.rng.random() < 0.1 and os.path.exists(path):
            with open(path, "ab") as file:
                file.write(b'{"at": 17, "kind": "ed')

    def child(self, one: Session) -> Forked:
        """Start who tells a session, or all of them."""
        self.runs += 1
        named: tuple[str, ...] = (
            "--host",
            one.host,
            f"--session={one.name}",
            f"--transcript={one.transcript}",
        )
        if self.rng.random() < 0.15:
            named = ()
        command = ("-m", "rituals", "capture", *named, "--why=stop")
        return Forked(command, self.home, self.environment, start_new_session=True)

    def kill(self, child: Forked) -> None:
        """Kill a child at a random moment, with the git that it started."""
        time.sleep(self.rng.uniform(0.0, _SECONDS))
        self.kills += 1
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it was faster
        child.communicate()

    def end(self, child: Forked) -> None:
        """Wait for a child; it must have nothing to complain of."""
        _, said = child.communicate()
        if child.wait():
            self.faults.append(f"exit code {child.wait()}: {said.decode()[-300:]}")

    def step(self) -> None:
        """Do one thing at random, and kill a child or two."""
        rng, one = self.rng, self.rng.choice(self.sessions)
        self.work(one)
        self.disturb()
        first = self.child(one)
        second = (
            self.child(rng.choice((one, rng.choice(self.sessions)))) if rng.random() < 0.3 else None
        )
        self.kill(first)
        if second is not None:
            (self.kill if rng.random() < 0.5 else self.end)(second)
        if rng.random() < 0.2:
            self.end(self.child(one))

    def disturb(self) -> None:
        """Let a person work, or take away what can be made again."""
        what = self.rng.choice(("commit", "switch", "cache", "note", "append", "", "", ""))
        if what == "commit":
            name = f"code{self.runs}.py"
            (self.home / name).write_text("pass\n")
            try:
                git(self.home, "add", name)
                git(self.home, "commit", "-q", "-m", "work", "--", name)
            except AssertionError as problem:  # a git that was killed left its lock
                if ".lock" not in str(problem):
                    raise
        elif what == "switch" and self.kind == IN_TREE:
            other = (
                "other" if git(self.home, "branch", "--show-current").strip() == "main" else "main"
            )
            git(self.home, "checkout", "-q", *(() if self.has(other) else ("-b",)), other)
        elif what == "cache" or (what == "note" and not self.has("other")):
            for file in (self.home / ".git/diurna").rglob("*"):
                if file.is_file() and (
                    file.suffix == ".told" if what == "note" else "cache" in file.parts
                ):
                    file.unlink(missing_ok=True)
        elif what == "append":
            self.end(Forked(("-m", "rituals", "note", f"Fact {self.runs} of {self.rng.random()}."),
                            self.home, self.environment))  # fmt: skip

    def has(self, branch: str) -> bool:
        """Tell whether a branch is there."""
        return f"refs/heads/{branch}\n" in git(self.home, "for-each-ref", "--format=%(refname)")

    def told(self) -> Counter[str]:
        """Count the marks in all captured logs, of every branch and of what waits, each log once."""
        logs: dict[str, str] = {}
        for branch in git(self.home, "for-each-ref", "--format=%(refname)", "refs/heads").split():
            listed = git(self.home, "ls-tree", "-r", "--name-only", branch).split()
            for path in listed:
                if "sessions/" in path and path.rpartition("/")[2] not in logs:
                    logs[path.rpartition("/")[2]] = git(self.home, "show", f"{branch}:{path}")
        spool = LogSpool(discover(str(self.home)).spool_folder)
        for stem in (*spool.waiting(), *spool.held()):
            logs.setdefault(f"{stem}.md", (spool.read(stem) or b"").decode())
        return Counter(marks_in("\n".join(logs.values())))

    def finish(self) -> None:
        """Let everything be told, and look whether the home is well."""
        for one in self.sessions:
            if one.count:
                self.end(self.child(one))
        self.end(Forked(("-m", "rituals", "capture"), self.home, self.environment))
        memory = Memory(discover(str(self.home)))
        memory.drain()
        memory.close()
        self.faults += fsck(discover(str(self.home)))
        verified = Forked(("-m", "rituals", "check", "--ci"), self.home, self.environment)
        said, _ = verified.communicate()
        if verified.wait():
            self.faults.append(said.decode()[-300:])


def play(folder: Path, kind: str, kills: int, seed: int) -> Toll:
    """Play until so many children were killed, then let everything be told, and count."""
    begun = time.monotonic()
    one = Play(folder, kind, seed)
    while one.kills < kills:
        one.step()
    one.finish()
    told = one.told()
    wanted = {f"mark-{s.mark(number)}" for s in one.sessions for number in range(s.count)}
    return Toll(
        one.kills, one.runs, len(wanted), len(wanted - told.keys()),
        sum(count > 1 for count in told.values()),
        (*one.faults, *sorted(told.keys() - wanted)), time.monotonic() - begun,
    )  # fmt: skip


def main() -> int:
    """Play, print a line for each home, and return 1 where anything was lost or told twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tolls: list[Toll] = []
    while sum(toll.kills for toll in tolls) < given.kills:
        kind = KINDS[len(tolls) % len(KINDS)]
        with tempfile.TemporaryDirectory() as folder:
            tolls.append(play(Path(folder), kind, KILLS_OF_A_HOME, given.seed + len(tolls)))
        print(kind, tolls[-1], flush=True)
    for name in ("kills", "runs", "observed", "lost", "doubled"):
        print(name, sum([getattr(toll, name) for toll in tolls]))
    return int(any(toll.lost or toll.doubled or toll.faults for toll in tolls))


if __name__ == "__main__":
    sys.exit(main())
