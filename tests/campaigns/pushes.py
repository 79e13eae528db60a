"""Many clones append and sync at once against one bare remote; every sync must land.

`python -m tests.campaigns.pushes --clones 8 --syncs 25` does so for each kind of home and prints one line
for each, with how many tries the syncs took; ends with 1 when one did not land, or a log is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ledger.errors import DiurnaError
from ledger.home import discover
from ledger.model.record import Record
from memory.api import Memory
from rituals.sync.sync_rounds import TRIES, sync
from tests.campaigns.forks import ROOT, Forked
from tests.campaigns.homes import (
    EMAIL,
    IN_TREE,
    KINDS,
    NAME,
    OWN_BRANCH,
    OWN_REPOSITORY,
    draft,
    fsck,
    git,
    logs_in,
    make_home,
    sealed_environment,
)
from tests.campaigns.worker import say

#: The branch that holds the home.
BRANCH: Mapping[str, str] = {OWN_REPOSITORY: "main", IN_TREE: "main", OWN_BRANCH: "memory"}


class Outcome(Record):
    """What the clones left behind."""

    landed: int  #: how many syncs landed
    tries: Mapping[int, int]  #: how many syncs took how many pushes
    faults: tuple[str, ...]  #: what is not as it should be
    seconds: float  #: for all of it


def make_team(folder: Path, kind: str, clones: int) -> list[Path]:
    """Make a bare remote and clones of it, the first of which made the home."""
    folder.mkdir(parents=True, exist_ok=True)
    hub = folder / "hub.git"
    git(folder, "init", "-q", "--bare", "-b", "main", str(hub))
    first = folder / "clone-0"
    make_home(first, kind)
    git(first, "remote", "add", "origin", str(hub))
    if kind != OWN_REPOSITORY:
        git(first, "push", "-q", "-u", "origin", "main")
    if kind != IN_TREE:
        git(first, "push", "-q", "origin", BRANCH[kind])
    made = [first]
    for number in range(1, clones):
        made.append(folder / f"clone-{number}")
        git(folder, "clone", "-q", str(hub), str(made[-1]))
        git(made[-1], "config", "user.name", NAME)
        git(made[-1], "config", "user.email", EMAIL)
    return made


def contend(folder: Path, kind: str, clones: int, syncs: int) -> Outcome:
    """Let clones append and sync in processes of their own, all at once."""
    folders = make_team(folder, kind, clones)
    begun = time.monotonic()
    children = [
        Forked(
            ["-m", "tests.campaigns.pushes", "--work", str(one), str(syncs)],
            ROOT,
            sealed_environment(str(folder)),
        )
        for one in folders
    ]
    stems: list[str] = []
    tries: Counter[int] = Counter()
    faults: list[str] = []
    for child in children:
        out, _ = child.communicate()
        for line in out.decode().split("\n"):
            word, _, rest = line.partition(" ")
            if word == "appended":
                stems.append(rest)
            elif word == "landed":
                tries[int(rest)] += 1
            elif word == "failed":
                faults.append(rest)
        if child.returncode:
            faults.append(f"a process ended with {child.returncode}")
    seconds = time.monotonic() - begun
    faults += _faults(folder, kind, folders, stems)
    if max(tries, default=0) > TRIES:
        faults.append(f"a sync took {max(tries)} tries")
    return Outcome(tries.total(), dict(sorted(tries.items())), tuple(faults), seconds)


def _faults(folder: Path, kind: str, folders: list[Path], stems: list[str]) -> list[str]:
    """Say what the remote lacks, and where clones differ once each synced twice more."""
    hub = folder / "hub.git"
    there = git(hub, "ls-tree", "-r", "--name-only", BRANCH[kind])
    faults = [f"{stem} is not on the remote" for stem in stems if f"/{stem}.md\n" not in there]
    for one in (*folders, *folders):
        sync(Memory(discover(str(one)), in_process=False))
    tips = {git(one, "rev-parse", BRANCH[kind]).strip() for one in folders}
    tips.add(git(hub, "rev-parse", BRANCH[kind]).strip())
    if len(tips) > 1:
        faults.append(f"there are {len(tips)} tips after all have synced")
    for one in folders:
        home = discover(str(one))
        if set(logs_in(home)) != set(stems):
            faults.append(f"{one.name} holds {len(logs_in(home))} logs of {len(stems)}")
        faults += [f"{one.name}: {said}" for said in fsck(home)]
        faults += [
            f"{one.name}: {said}" for said in git(one, "status", "--porcelain").split("\n") if said
        ]
    return faults


def work(folder: str, count: int) -> int:
    """Append and sync so many times; say what became of each."""
    failed = 0
    for number in range(count):
        memory = Memory(discover(folder), agent=Path(folder).name, in_process=False)
        say(f"appended {memory.append(draft(f'{Path(folder).name}-{number}')).stem}")
        began = time.monotonic()
        try:
            report = sync(memory)
        except DiurnaError as problem:
            failed += 1
            say(f"failed {type(problem).__name__} {problem} {time.monotonic() - began:.1f} s")
        else:
            if report.offline:
                failed += 1
                say(f"failed offline {report.offline}")
            else:
                say(f"landed {report.tries}")
        memory.close()
    return failed


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.pushes", description=__doc__)
    parser.add_argument("--clones", type=int, default=8)
    parser.add_argument("--syncs", type=int, default=25)
    parser.add_argument("--kind", choices=(*KINDS, "all"), default="all")
    parser.add_argument("--work", nargs=2, metavar=("FOLDER", "COUNT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.work:
        return int(bool(work(chosen.work[0], int(chosen.work[1]))))
    failed = False
    for kind in KINDS if chosen.kind == "all" else (chosen.kind,):
        with tempfile.TemporaryDirectory() as temporary:
            os.environ.update(sealed_environment(temporary))
            found = contend(Path(temporary) / "team", kind, chosen.clones, chosen.syncs)
        wanted = chosen.clones * chosen.syncs
        failed |= bool(found.faults) or found.landed != wanted
        spread = ", ".join(f"{count} in {tries}" for tries, count in found.tries.items())
        print(
            f"pushes: {kind}: {found.landed} of {wanted} syncs landed ({spread}), "
            f"{found.seconds:.1f} s" + "".join(f"\n  {fault}" for fault in found.faults),
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
