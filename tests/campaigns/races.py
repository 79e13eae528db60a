"""Many processes append to one home at once; whatever was acknowledged must be in the ledger.

`python -m tests.campaigns.races` = 8 processes × 200 appends, both writers, two kinds of home. Prints one
line for each; ends with 1 on any loss.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from ledger.home import Home, discover
from ledger.model.record import Record
from tests.campaigns.forks import ROOT, Forked
from tests.campaigns.homes import KINDS, WRITERS, fsck, git, logs_in, make_home, sealed_environment


class Outcome(Record):
    """What a race left behind."""

    acknowledged: int
    waiting: int
    refused: int
    in_ledger: int
    lost: int
    faults: tuple[str, ...]
    seconds: float
    slowest: str = ""

    @property
    def clean(self) -> bool:
        """Whether everything is where it should be."""
        return not (self.lost or self.faults or self.refused or self.waiting)


def start_worker(folder: Path, writer: str, name: str, count: int, home: str, *more: str) -> Forked:
    """Start a process that appends, and with `sync` syncs."""
    worker = ["-m", "tests.campaigns.worker", str(folder), writer, name, str(count), *more]
    return Forked(worker, ROOT, sealed_environment(home), start_new_session=True)


def race(folder: Path, writer: str, processes: int, appends: int) -> Outcome:
    """Let processes append to a home that is there; `writer` may be `mixed`."""
    begun = time.monotonic()
    children = [
        start_worker(
            folder,
            WRITERS[number % 2] if writer == "mixed" else writer,
            f"w{number}",
            appends,
            str(folder.parent),
        )
        for number in range(processes)
    ]
    acknowledged: list[str] = []
    waiting = refused = 0
    for child in children:
        out, _ = child.communicate()
        for line in out.decode().split("\n"):
            word, _, rest = line.partition(" ")
            if word == "ok":
                acknowledged.append(rest)
            elif word == "waits":
                waiting += 1
                print(line, file=sys.stderr)
            elif word == "refused":
                refused += 1
                print(line, file=sys.stderr)
        if child.returncode:
            refused += 1
    seconds = time.monotonic() - begun
    home = discover(str(folder))
    logs = logs_in(home)
    lost = len([stem for stem in acknowledged if stem not in logs])
    faults = (*fsck(home), *_untidy(home))
    if len(set(acknowledged)) != len(acknowledged):
        faults += ("one stem was acknowledged twice",)
    if len(logs) != len(set(acknowledged)):
        faults += (f"{len(logs)} logs for {len(acknowledged)} acknowledgements",)
    return Outcome(len(acknowledged), waiting, refused, len(logs), lost, faults, seconds)


def _untidy(home: Home) -> tuple[str, ...]:
    """Return what the user would see as changed, and what was left behind in the spool."""
    found = []
    if home.repository.top:
        said = git(home.repository.top, "status", "--porcelain")
        found += [f"status: {line}" for line in said.split("\n") if line]
    state = Path(home.state_dir)
    found += [f"spool: {path.name}" for path in state.glob("spool*/2*")]
    return tuple(found)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.races", description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--appends", type=int, default=200)
    parser.add_argument("--writer", choices=(*WRITERS, "mixed", "both"), default="both")
    parser.add_argument("--kind", choices=(*KINDS, "both"), default="both")
    chosen = parser.parse_args(arguments)
    writers = WRITERS if chosen.writer == "both" else (chosen.writer,)
    kinds = KINDS[:2] if chosen.kind == "both" else (chosen.kind,)
    failed = False
    for kind in kinds:
        for writer in writers:
            with tempfile.TemporaryDirectory() as temporary:
                os.environ.update(sealed_environment(temporary))
                folder = Path(temporary) / "home"
                make_home(folder, kind)
                found = race(folder, writer, chosen.processes, chosen.appends)
            failed |= not found.clean
            print(
                f"races: {kind}, {writer}: {chosen.processes} processes × {chosen.appends}: "
                f"{found.acknowledged} acknowledged, {found.in_ledger} in the ledger, "
                f"{found.lost} lost, {found.waiting} waiting, {found.refused} refused, "
                f"{found.seconds:.1f} s" + "".join(f"\n  {fault}" for fault in found.faults),
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
