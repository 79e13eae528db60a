"""What tasks cost: listing those of a large ledger, and 10,000 of them at once.

`python -m tests.bench.tasks HOME` prints the rows of one generated home alone.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from ledger.model.event import FactCreated
from memory.api import Memory, SessionDraft
from tests.bench.__main__ import DIURNA, ENVIRONMENT, Row, count, in_turn, nothing, spawn

MANY, LOG = 10_000, 1_000


def listing(home: Path, runs: int) -> Row:
    """List ten open tasks of a ledger whose other facts are none, beside a claim that is stale."""
    memory = Memory.open(str(home), agent="bench")
    memory.append(_added("bench-task", range(10)))
    memory.close()
    spawn([DIURNA, "task", "start", "bench-task-9"], home)
    list_ = [DIURNA, "task", "list"]
    return Row(
        f"`diurna task list`, warm, {count(home):,} logs / `python -c pass`", "≤ 4 × (aim 3)", 4.0
    ).take(*in_turn(runs, lambda _: spawn(list_, home), nothing(home)))


def many(folder: Path, runs: int) -> list[Row]:
    """List 10,000 tasks, each of which waits for the next one, and pick the last."""
    home = folder / "many-tasks"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for words in (["git", "init", "-q"], [DIURNA, "init"]):
        subprocess.run(words, cwd=home, env=ENVIRONMENT, check=True, capture_output=True)
    memory = Memory.open(str(home), agent="bench")
    for start in range(0, MANY, LOG):
        memory.append(_added("t", range(start, start + LOG), chain=True))
    memory.close()
    rows = []
    for action in ("list", "pick"):
        taken = [processor_time(["task", action], home) for _ in range(runs + 1)][1:]
        what = f"`diurna task {action}` among {MANY:,} tasks in a chain, processor time"
        row = Row(what, "≤ 1 s", 0.0)
        median = statistics.median(taken)
        row.absolute = f"{median:.2f} s" + ("" if median <= 1 else " **miss**")
        rows.append(row)
    return rows


def processor_time(arguments: list[str], home: Path) -> float:
    """Run a command, and return what it took of the processor: others use the machine, too."""
    before = os.times()
    spawn([DIURNA, *arguments], home)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def _added(name: str, numbers: range, *, chain: bool = False) -> SessionDraft:
    events = []
    for number in numbers:
        after = (("depends", f"{name}-{number + 1}"),) if chain and number + 1 < MANY else ()
        meta = (("kind", "task"), *after)
        events.append(FactCreated(f"{name}-{number}", f"Do the {number}th thing.", " ", meta))
    return SessionDraft(f"Add tasks from {numbers.start} on", "", tuple(events))


def main() -> None:
    """Measure one home and print."""
    home = Path(sys.argv[1])
    subprocess.run([DIURNA, "show"], cwd=home, check=True, stdout=subprocess.DEVNULL)
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    for row in (listing(home, runs), *many(home.parent, runs // 3)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
