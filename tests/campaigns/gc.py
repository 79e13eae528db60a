"""Collect garbage beside writers: nothing acknowledged may be lost, and git must find no fault afterwards.

`python -m tests.campaigns.gc` lets 8 processes append while `git gc`, `git pack-refs --all` or `git gc --prune=now`
runs in a loop, in two kinds of home with both writers mixed; after the last of these `diurna check --fix` mends what
was taken. Prints one line for each; ends with 1 on any loss.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from ledger.home import discover
from ledger.model.record import Record
from tests.campaigns.forks import ROOT, Forked
from tests.campaigns.homes import (
    KINDS,
    WRITERS,
    fsck,
    git,
    logs_in,
    make_home,
    sealed_environment,
)
from tests.campaigns.races import start_worker

GC, PACK_REFS, PRUNE = LOOPS = ("gc", "pack-refs", "prune")
_COMMANDS = {
    GC: ("gc", "-q"),
    PACK_REFS: ("pack-refs", "--all"),
    PRUNE: ("gc", "-q", "--prune=now"),
}


class Collected(Record):
    """What a campaign left behind; `lost` and `faults` are of the time after `diurna check --fix`."""

    rounds: int
    acknowledged: int
    waiting: int
    refused: int
    in_ledger: int
    lost: int
    mended: int
    faults: tuple[str, ...]
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether everything is where it should be."""
        return not (self.lost or self.faults or self.refused)


def collect(folder: Path, loop: str, processes: int, appends: int, seconds: float) -> Collected:
    """Run one kind of collection in a loop beside writers, until they are done.

    The loop is one of `LOOPS`. Each writer appends so many logs, 0 for as many as the time allows; after
    `seconds` they are ended.
    """
    begun = time.monotonic()
    children = [
        start_worker(folder, WRITERS[n % 2], f"w{n}", appends, str(folder.parent))
        for n in range(processes)
    ]
    said: list[str] = []

    def listen(child: Forked) -> None:
        said.extend(line.decode().rstrip("\n") for line in child.stdout)
        child.wait()

    ears = [threading.Thread(target=listen, args=(child,)) for child in children]
    for ear in ears:
        ear.start()
    rounds = 0
    while any(ear.is_alive() for ear in ears):
        git(folder, *_COMMANDS[loop], check=False)
        rounds += 1
        if time.monotonic() - begun > seconds:
            for child in children:
                child.terminate()
    for ear in ears:
        ear.join()
    words = [line.partition(" ") for line in said]
    for word, _, rest in words:
        if word not in ("ok", "ready"):
            print(word, rest, file=sys.stderr)
    acknowledged = [rest for word, _, rest in words if word == "ok"]
    done = doctor(folder)
    home = discover(str(folder))
    logs = logs_in(home)
    faults = [*fsck(home)]
    faults += [f"doctor: {one['message']}" for one in done["failed"]]
    faults += [f"{one['code']}: {one['message']}" for one in done["findings"]]
    if home.repository.top:
        status = git(folder, "status", "--porcelain")
        faults += [f"status: {line}" for line in status.split("\n") if line]
    return Collected(
        rounds,
        len(acknowledged),
        sum(word == "waits" for word, _, _ in words),
        sum(word == "refused" for word, _, _ in words),
        len(logs),
        len([stem for stem in acknowledged if stem not in logs]),
        len(done["done"]),
        tuple(faults),
        time.monotonic() - begun,
    )


def doctor(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Run `diurna check --fix` until it has nothing more to do; return its last answer and all it did."""
    mended: list[dict[str, str]] = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rituals", "check", "--fix", "--json"],
            cwd=folder,
            capture_output=True,
            # nothing but git is on the way: what else this machine has installed is no fault
            env={
                **sealed_environment(str(folder.parent)),
                "PYTHONPATH": str(ROOT),
                "PATH": os.path.dirname(shutil.which("git") or ""),
            },
        )
        answer: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
        mended += answer["done"]
        if not answer["done"]:
            break
    return {**answer, "done": mended}


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.gc", description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--appends", type=int, default=60, help="of each process; 0 for no limit")
    parser.add_argument("--seconds", type=float, default=120.0, help="the limit for each part")
    parser.add_argument("--loop", choices=(*LOOPS, "all"), default="all")
    parser.add_argument("--kind", choices=(*KINDS, "both"), default="both")
    chosen = parser.parse_args(arguments)
    failed = False
    for kind in KINDS[:2] if chosen.kind == "both" else (chosen.kind,):
        for loop in LOOPS if chosen.loop == "all" else (chosen.loop,):
            with tempfile.TemporaryDirectory() as temporary:
                os.environ.update(sealed_environment(temporary))
                folder = Path(temporary) / "home"
                make_home(folder, kind)
                found = collect(folder, loop, chosen.processes, chosen.appends, chosen.seconds)
            failed |= not found.clean
            print(
                f"gc: {kind}, {loop}: {found.rounds} rounds beside {chosen.processes} writers: "
                f"{found.acknowledged} acknowledged, {found.in_ledger} in the ledger, "
                f"{found.lost} lost, {found.waiting} had to wait, {found.refused} refused, "
                f"{found.mended} mended by doctor, {len(found.faults)} faults, {found.seconds:.0f} s"
                + "".join(f"\n  {fault}" for fault in found.faults[:20]),
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
