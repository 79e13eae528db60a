"""Kill writers at random moments; nothing acknowledged may be lost and the next append must just work.

`python -m tests.campaigns.kills --runs 200` kills 200 writers of each kind, in a new home after every 250; `--sync` kills
processes that append and sync one of two clones of a bare remote, and the next sync must just work. Prints one line
for each home; ends with 1 on any loss. A writer of appends is forked from here, so that it is at work at once.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from ledger.errors import DiurnaError, WaitsInSpool
from ledger.home import discover
from ledger.model.order import is_sealed
from ledger.model.record import Record
from memory.api import Memory
from rituals.sync.sync_rounds import sync
from tests.campaigns.forks import ROOT
from tests.campaigns.homes import (
    EMAIL,
    IN_TREE,
    KINDS,
    NAME,
    OWN_BRANCH,
    WRITERS,
    draft,
    fsck,
    git,
    logs_in,
    make_home,
    sealed_environment,
)
from tests.campaigns.races import start_worker
from tests.campaigns.worker import work

#: How long the append after a kill may take: a lock of a dead process counts as left behind after a second.
LIMIT_SECONDS = 10.0


#: How many kills one home sees: looking through it after each takes longer and longer.
OF_A_HOME = 250
#: After how many kills git looks through the whole repository; twice, if it complains: git may be packing just then.
_BETWEEN_FSCKS = 10

#: What an append says that is no fault.
_TOLD = ("stale-lock", "review-due")


class Toll(Record):
    """What a series of kills left behind."""

    runs: int
    acknowledged: int
    lost: int
    unacknowledged: int
    stale_locks: int
    slowest: float
    faults: tuple[str, ...]
    seconds: float


def kill_writers(folder: Path, writer: str, runs: int, seed: int) -> Toll:
    """Kill `runs` writers of one home, each at a random moment, alone or with the git it started."""
    begun = time.monotonic()
    rng = random.Random(seed)
    acknowledged: set[str] = set()
    faults: list[str] = []
    slowest = 0.0
    stale = 0
    for run in range(runs):
        out = _killed(folder, writer, f"k{seed}-{run}", rng.uniform(0.0, 0.12), rng.random() < 0.5)
        for line in out.decode().split("\n"):
            word, _, rest = line.partition(" ")
            if word == "ok" and is_sealed(rest):
                acknowledged.add(rest)
            elif word in ("waits", "refused"):
                faults.append(line)
        at = time.monotonic()
        memory = Memory(discover(str(folder)), agent="next", in_process=writer == "pygit2")
        try:
            receipt = memory.append(draft(f"next-{seed}-{run}"))
            acknowledged.add(receipt.stem)
            stale += sum(found.code == "stale-lock" for found in receipt.findings)
            faults += [str(f) for f in receipt.findings if f.code not in _TOLD]
        except WaitsInSpool as problem:
            faults.append(f"the next append had to wait: {problem}")
        memory.close()
        slowest = max(slowest, time.monotonic() - at)
        logs = logs_in(memory.home)
        gone = [stem for stem in acknowledged if stem not in logs]
        if gone:
            return Toll(
                run + 1, len(acknowledged), len(gone), 0, stale, slowest, (*faults, *gone),
                time.monotonic() - begun,
            )  # fmt: skip
        if run % _BETWEEN_FSCKS == 0 or run == runs - 1:
            faults += [f"run {run}: {line}" for line in fsck(memory.home)]
        if memory.home.repository.top:
            status = git(folder, "status", "--porcelain")
            faults += [f"run {run}: status: {line}" for line in status.split("\n") if line]
    if slowest > LIMIT_SECONDS:
        faults.append(f"an append after a kill took {slowest:.1f} s")
    return Toll(
        runs, len(acknowledged), 0, len(logs) - len(acknowledged), stale, slowest, tuple(faults),
        time.monotonic() - begun,
    )  # fmt: skip


def _killed(folder: Path, writer: str, name: str, seconds: float, with_git: bool) -> bytes:
    """Start a writer, kill it some seconds after it is ready, alone or with the git it started; return what it said."""
    ready, said = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setsid()
            os.dup2(said, 1)
            os.close(ready)
            os.chdir(ROOT)
            work(str(folder), writer, name, 0)
        finally:
            os._exit(70)  # nothing of the parent's is tidied up here
    os.close(said)
    out = os.read(ready, 6)
    time.sleep(seconds)
    (os.killpg if with_git else os.kill)(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(ready, 65_536):
        out += more
    os.close(ready)
    return out


def kill_syncs(folder: Path, kind: str, runs: int, seed: int) -> Toll:
    """Kill `runs` processes that append to a clone and sync it, in turns one clone's and the other's."""
    begun = time.monotonic()
    rng = random.Random(seed)
    hub, clones = make_pair(folder, kind)
    acknowledged: set[str] = set()
    faults: list[str] = []
    slowest, stale, servers = 0.0, 0, 0
    for run in range(runs):
        place, other = clones[run % 2], clones[1 - run % 2]
        child = start_worker(place, "fast-import", f"k{seed}-{run}", 0, str(folder), "sync")
        child.stdout.readline()  # ready
        time.sleep(rng.uniform(0.0, 0.6))
        started = descendants(child.pid) if rng.random() < 0.5 else []
        for process in (child.pid, *started):  # git goes on in a session of its own, or dies too
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        out, _ = child.communicate()
        for line in out.decode().split("\n"):
            word, _, rest = line.partition(" ")
            if word == "ok" and is_sealed(rest):
                acknowledged.add(rest)
            elif word in ("waits", "refused", "unsynced"):
                faults.append(f"run {run}: {line}")
        servers += clear_servers_locks(hub) if started else 0
        at = time.monotonic()
        for number, where in enumerate((place, other, place)):
            memory = Memory(discover(str(where)), agent="next", in_process=False)
            try:
                if number < 2:
                    receipt = memory.append(draft(f"next-{seed}-{run}-{number}"))
                    acknowledged.add(receipt.stem)
                    stale += sum(found.code == "stale-lock" for found in receipt.findings)
                report = sync(memory)
                if report.offline:
                    faults.append(f"run {run}: the remote was not reached: {report.offline}")
            except DiurnaError as problem:
                faults.append(f"run {run}: the next sync: {type(problem).__name__} {problem}")
            memory.close()
        slowest = max(slowest, time.monotonic() - at)
        homes = [discover(str(where)) for where in clones]
        found = [logs_in(home) for home in homes]
        gone = [stem for stem in acknowledged if any(stem not in logs for logs in found)]
        if gone:
            return Toll(
                run + 1, len(acknowledged), len(gone), 0, stale, slowest, (*faults, *gone),
                time.monotonic() - begun,
            )  # fmt: skip
        for home, where in zip(homes, clones, strict=True):
            faults += [f"run {run}: {line}" for line in fsck(home)]
            status = git(where, "status", "--porcelain")
            faults += [f"run {run}: status: {line}" for line in status.split("\n") if line]
    if servers:
        print(f"kills: {servers} locks that died on the remote were its keeper's to clear")
    return Toll(
        runs, len(acknowledged), 0, len(found[0]) - len(acknowledged), stale, slowest,
        tuple(faults), time.monotonic() - begun,
    )  # fmt: skip


def make_pair(folder: Path, kind: str) -> tuple[Path, tuple[Path, Path]]:
    """Make a bare remote and two clones of it, with homes of a kind; return all three."""
    hub, one, two = folder / "hub.git", folder / "one", folder / "two"
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "--bare", "-b", "main", str(hub))
    make_home(one, kind)
    git(one, "remote", "add", "origin", str(hub))
    branches = ["main", "memory"] if kind == OWN_BRANCH else ["main"]
    git(one, "push", "-q", "-u", "origin", *branches)
    git(folder, "clone", "-q", str(hub), str(two))
    git(two, "config", "user.name", NAME)
    git(two, "config", "user.email", EMAIL)
    return hub, (one, two)


def descendants(process: int) -> list[int]:
    """Return the processes that a process started, and those that these started (where /proc tells)."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    children = [int(word) for word in text.split()]
    return [*children, *(below for child in children for below in descendants(child))]


def clear_servers_locks(hub: Path) -> int:
    """Move locks of a remote aside that a killed git left there; return how many."""
    locks = sorted(hub.rglob("*.lock"))
    for number, path in enumerate(locks):
        path.rename(hub.parent / f"{path.name}.{time.time_ns()}.{number}")
    return len(locks)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="0 takes the time")
    parser.add_argument("--writer", choices=(*WRITERS, "both"), default="both")
    parser.add_argument("--kind", choices=KINDS, default=IN_TREE)
    parser.add_argument("--sync", action="store_true", help="kill syncs")
    chosen = parser.parse_args(arguments)
    seed = chosen.seed or time.time_ns() % 1_000_000
    failed = False
    writers = WRITERS if chosen.writer == "both" else (chosen.writer,)
    sizes = [OF_A_HOME] * (chosen.runs // OF_A_HOME) + [chosen.runs % OF_A_HOME]
    for writer, number, runs in [
        (writer, number, runs)
        for writer in (("sync",) if chosen.sync else writers)
        for number, runs in enumerate(sizes, seed)
        if runs
    ]:
        with tempfile.TemporaryDirectory() as temporary:
            os.environ.update(sealed_environment(temporary))
            folder = Path(temporary) / "home"
            if chosen.sync:
                toll = kill_syncs(folder, chosen.kind, runs, number)
            else:
                make_home(folder, chosen.kind)
                toll = kill_writers(folder, writer, runs, number)
        failed |= bool(toll.lost or toll.faults)
        print(
            f"kills: {chosen.kind}, {writer}, seed {number}: {toll.runs} kills, "
            f"{toll.acknowledged} acknowledged, {toll.lost} lost, "
            f"{toll.unacknowledged} landed unacknowledged, {toll.stale_locks} stale locks cleared, "
            f"slowest next command {toll.slowest:.1f} s, {len(toll.faults)} faults, "
            f"{toll.seconds:.1f} s" + "".join(f"\n  {fault}" for fault in toll.faults[:20]),
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
