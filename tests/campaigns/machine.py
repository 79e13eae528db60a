"""The machine of `tests/machine.py` by a number of examples, over all kinds of homes and one to three clones.

`python -m tests.campaigns.machine --examples 2000 --seed 1 --processes 2` prints what was done and what did
not hold. Ends with 1 if anything did not. `--steps` is the length of an example, `--looking` looks at a clone
behind each command, and `--only KIND:CLONES` takes one machine. A seed repeats its examples. `--race 200`
lets 8 processes append at once, in two kinds of home.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import run_state_machine_as_test

from tests.machine import COUNTS, KINDS, Wrong, machine_of
from tests.world import IN_TREE, OWN_BRANCH, Place, World

#: Examples of one machine before the next has its turn.
_A_TURN = 10


def run(
    kind: str,
    clones: int,
    number: int,
    examples: int,
    steps: int,
    looking: bool = False,
    shrink: bool = False,
) -> tuple[Counter[str], str]:
    """Run examples of a machine from a seed; return what was done, and what did not hold."""
    COUNTS.clear()
    machine = seed(number)(machine_of(kind, clones, looking))
    phases = [Phase.generate, *[Phase.shrink] * shrink]
    # the first example that is generated is the simplest one
    chosen = settings(
        max_examples=examples + 1, stateful_step_count=steps, phases=phases, database=None, deadline=None,
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip
    said = io.StringIO()
    try:
        with (
            tempfile.TemporaryDirectory() as folder, World(Path(folder)),
            contextlib.redirect_stdout(said), contextlib.redirect_stderr(said),
        ):  # fmt: skip
            run_state_machine_as_test(machine, settings=chosen)
    except Exception as raised:  # noqa: BLE001 - whatever it is, it is told
        # what a race did may not happen again when Hypothesis asks for it
        problem = raised.exceptions[0] if isinstance(raised, FlakyFailure) else raised
        name = type(problem).__name__
        COUNTS[_NAMES.get(name, "faults of the machine")] += 1
        steps_told = "\n".join(getattr(problem, "__notes__", []))
        found = str(problem) if isinstance(problem, Wrong) else traceback.format_exc()
        return Counter(COUNTS), f"{name}: {found[:3000]}\n{steps_told}"
    return Counter(COUNTS), ""


_NAMES = {
    "Lost": "LOST", "Differs": "DIFFERENT", "Touched": "TOUCHED", "Shown": "SHOWN", "Apart": "APART",
    "Wrong": "WRONG",
}  # fmt: skip


def race(home: Place, processes: int, appends: int) -> dict[str, int]:
    """Let processes append to a home at once, each one after another; count what came of it."""
    counts, told = Counter[str](), list[str]()

    def write(name: int) -> None:
        for number in range(appends):
            answer = home.process(
                "note", f"id=f{name}-{number} fact: Of {name}, number {number}.", code=None
            )
            if answer.code:
                counts[f"{answer.said}"] += 1
            else:
                told.append(answer.json["stem"])

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(write, range(processes)))
    logs = home.logs()
    counts["logs acknowledged"], counts["logs in the ledger"] = len(told), len(logs)
    counts["LOST"] = len(set(told) - set(logs)) + len(told) - len(set(told))
    counts["faults of git"] = len(home.fsck())
    counts["changes of files"] = len(home.git("status", "--porcelain"))
    return dict(+counts)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.machine", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", default="", help="KIND:CLONES")
    parser.add_argument("--looking", action="store_true")
    parser.add_argument(
        "--shrink", action="store_true", help="look for a short example of what fails"
    )
    parser.add_argument(
        "--race",
        type=int,
        default=0,
        metavar="APPENDS",
        help="8 processes append so often, and nothing else",
    )
    chosen = parser.parse_args(arguments)
    if chosen.race:
        lost = 0
        for kind in (IN_TREE, OWN_BRANCH):
            with tempfile.TemporaryDirectory() as folder, World(Path(folder)) as world:
                came = race(world.home(kind), 8, chosen.race)
            lost += came.get("LOST", 0) + came.get("faults of git", 0)
            print(
                f"race, {kind}: {', '.join(f'{count} {name}' for name, count in came.items())}, {came.get('LOST', 0)} lost"
            )
        return int(lost > 0)
    machines = [(kind, clones) for clones in (1, 2, 3) for kind in KINDS]
    if chosen.only:
        kind, _, clones = chosen.only.partition(":")
        machines = [(kind, int(clones or 1))]
    begun, counts, wrong = time.monotonic(), Counter[str](), 0
    with ProcessPoolExecutor(chosen.processes, get_context("spawn")) as pool:
        turns = [
            pool.submit(run, *machines[turn % len(machines)], chosen.seed * 1_000_000 + turn,
                        min(_A_TURN, chosen.examples - turn * _A_TURN), chosen.steps, chosen.looking,
                        chosen.shrink)
            for turn in range(-(-chosen.examples // _A_TURN))
        ]  # fmt: skip
        for turn, found in enumerate(turns):
            done, problem = found.result()
            counts += done
            if problem:
                wrong += 1
                kind, clones = machines[turn % len(machines)]
                print(
                    f"{kind}:{clones}, turn {turn} of seed {chosen.seed}: {problem}\n", flush=True
                )
    told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    none = ", ".join(f"0 {name.lower()}" for name in _NAMES.values() if name not in counts)
    print(f"machine: {told}; {none}; {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
