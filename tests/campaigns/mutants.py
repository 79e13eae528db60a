"""Change one place of the code at a time: some test must fail.

`python -m tests.campaigns.mutants --seed 7` draws 300 mutations (`tests/campaigns/mutations.py`) of all packages, or of `--folders
rituals/hosts,rituals/cli` alone, at most two of a function, and runs for each the tests that reach its function, the
most particular first, until one fails or takes far longer than it should; which these were stands in the line of each.
Which test reaches what is measured first, in about the time of the whole test run, and kept with `--reached FILE`, which
`--tests test_web_links.py,…` does with those files alone; `--without` leaves tests out by their names, such as what takes
a minute and tells nothing more.
Prints one line for each mutant and the change of each survivor; a survivor is a missing test,
or a change that changes nothing, which only a reader can tell: such ones are excused by `--same PATH:LINE`.
Ends with 1 when less than 95 % are killed. It needs `coverage` and works on clones of what is committed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Listener
from pathlib import Path
from queue import Queue

from ledger.model.record import Record
from tests.campaigns.mutations import Mutation, compiles, mutations
from tests.campaigns.warm_tests import COLD, SLOW, WALL

#: All that the wheel has.
PLACES = ("ledger", "projection", "memory", "rituals")
#: The share of mutants that must be killed.
LEAST = 0.95
_OF_A_FUNCTION = 2
_TOP = Path(__file__).resolve().parents[2]


class Reached(Record):
    """Which tests reach a function, and the seconds that each test takes."""

    seconds: dict[str, float]
    functions: dict[str, dict[str, list[str]]]

    def tests(self, mutation: Mutation, budget: float) -> list[str]:
        """Return the tests for a mutation, the most particular first, as many as a budget of seconds lets in."""
        here = self.functions.get(mutation.path, {})
        names = here.get(mutation.function) or sorted(
            {name for some in here.values() for name in some}
        )
        breadth = self._breadth()
        names = sorted(names, key=lambda name: (breadth[name] * (0.1 + self.seconds[name]), name))
        chosen: list[str] = []
        for name in names:
            if budget < self.seconds[name] and chosen:
                continue  # a shorter one may still have room
            budget -= self.seconds[name]
            chosen.append(name)
        return chosen

    def _breadth(self) -> Counter[str]:
        """Count the functions that each test reaches."""
        return Counter(
            name for module in self.functions.values() for some in module.values() for name in some
        )


class Verdict(Record):
    """What became of a mutant: `killed`, `slow` (it ran on and on), `survived`, or `unreached` by any test."""

    mutation: Mutation
    word: str
    by: str = ""


def measure(clones: list[Path], into: Path, without: list[str], names: list[str]) -> Reached:
    """Run the tests of some files once, each clone a part of them, and note what each reaches."""
    names = sorted(names, key=lambda name: (_TOP / name).stat().st_size)
    parts = [names[n :: len(clones)] for n in range(len(clones))]
    running = []
    for number, (clone, part) in enumerate(zip(clones, parts, strict=True)):
        environment = _environment(clone) | {"REACHED": str(into.with_suffix(f".{number}"))}
        chosen = ["-k", f"not ({' or '.join(without)})"] if without else []
        command = [*_PYTEST, "-p", "tests.campaigns.reached", *chosen, *part]
        with (clone.parent / f"measured.{number}").open("wb") as told:
            running.append(subprocess.Popen(command, cwd=clone, env=environment, stdout=told))
    seconds: dict[str, float] = {}
    functions: dict[str, dict[str, list[str]]] = {}
    for number, process in enumerate(running):
        process.wait()
        part_file = into.with_suffix(f".{number}")
        found = json.loads(part_file.read_text())
        part_file.unlink()
        seconds |= found["seconds"]
        for path, here in found["functions"].items():
            for function, names in here.items():
                functions.setdefault(path, {}).setdefault(function, []).extend(names)
    into.write_text(json.dumps({"seconds": seconds, "functions": functions}), encoding="utf-8")
    return Reached(seconds, functions)


_PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]


def _environment(clone: Path) -> dict[str, str]:
    """Return an environment whose Python reads a clone, and never a compiled file of an earlier mutant."""
    return os.environ | {
        "PYTHONPATH": str(clone), "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(clone / ".hypothesis"),
    }  # fmt: skip


def make_clone(folder: Path) -> Path:
    """Clone what is committed, compiled in a way that tells a changed source by its hash."""
    subprocess.run(["git", "clone", "-q", str(_TOP), str(folder)], check=True)
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."],
        cwd=folder, check=True,
    )  # fmt: skip
    return folder


def draw(count: int, seed: int, folders: Sequence[str] = PLACES) -> list[Mutation]:
    """Draw mutations of the committed code of some folders, at most two of a function."""
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=_TOP, capture_output=True, check=True, text=True
    ).stdout.split()
    sources = {path: (_TOP / path).read_bytes() for path in listed if path.endswith(".py")}
    every = [one for path, source in sources.items() for one in mutations(path, source)]
    random.Random(seed).shuffle(every)
    chosen: list[Mutation] = []
    taken: Counter[tuple[str, str]] = Counter()
    for one in every:
        place = (one.path, one.function)
        if taken[place] < _OF_A_FUNCTION and compiles(one.of(sources[one.path])):
            taken[place] += 1
            chosen.append(one)
            if len(chosen) == count:
                break
    return chosen


class Bench:
    """A clone in which mutants are tried, by a process that has collected the tests already.

    Args:
        clone: its sources are changed and put back.
        names: of the files of tests.
    """

    def __init__(self, clone: Path, names: list[str]) -> None:
        self._clone = clone
        self._passing: dict[str, bool] = {}
        address = f"{clone}.socket"
        with Listener(address, "AF_UNIX") as listener, Path(f"{clone}.tests").open("wb") as said:
            environment = _environment(clone) | {"WARM": address}
            self._process = subprocess.Popen(
                [*_PYTEST, "-p", "tests.campaigns.warm_tests", *names],
                cwd=clone, env=environment, stdout=said,
            )  # fmt: skip
            self._wire = listener.accept()
        self._wire.recv()

    def close(self) -> None:
        """End the process."""
        self._wire.send(None)
        self._process.wait()

    def judge(self, mutation: Mutation, reached: Reached, budget: float) -> Verdict:
        """Run the tests of a mutation; those that would have it survive run once more in a process of their own."""
        tests = reached.tests(mutation, budget)
        while tests:
            by = self._tried(mutation, tests, reached)
            test = by.partition("[")[0]
            if test in tests and not self._passes(test, reached):
                tests.remove(test)  # it fails anyway
            elif by == SLOW:
                return Verdict(mutation, "slow")
            else:
                word = "killed" if by else "survived"
                return Verdict(mutation, word, by or f"{len(tests)} tests: {' '.join(tests[:8])}")
        return Verdict(mutation, "unreached")

    def _tried(self, mutation: Mutation, tests: list[str], reached: Reached) -> str:
        path = self._clone / mutation.path
        source = path.read_bytes()
        changed = mutation.of(source)
        limit = _limit(tests, reached)
        path.write_bytes(changed)
        try:
            by = self._asked(mutation.path, source, changed, tests, limit)
            return self._afresh(tests, limit) if by in (COLD, "") else by
        finally:
            path.write_bytes(source)

    def _passes(self, test: str, reached: Reached) -> bool:
        """Say whether a test passes where nothing is changed."""
        if test not in self._passing:
            said = self._asked("tests/__init__.py", b"", b"", [test], _limit([test], reached))
            self._passing[test] = not said
        return self._passing[test]

    def _asked(self, path: str, before: bytes, now: bytes, tests: list[str], limit: float) -> str:
        self._wire.send((path, before, now, tests, limit))
        return str(self._wire.recv())

    def _afresh(self, tests: list[str], limit: float) -> str:
        try:
            done = subprocess.run(
                [*_PYTEST, "-x", "--no-header", "--tb=no", *tests],
                cwd=self._clone, env=_environment(self._clone), capture_output=True, text=True,
                timeout=limit * WALL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return SLOW
        if done.returncode == 0:
            return ""
        failed = [line for line in done.stdout.split("\n") if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" ")[1] if failed else "an error at its start"


def _limit(tests: list[str], reached: Reached) -> float:
    return 30 + 4 * sum(reached.seconds[name] for name in tests)


def told(verdict: Verdict) -> str:
    """Return a verdict as a line, and for a survivor the change."""
    one = verdict.mutation
    line = f"{verdict.word:9} {one.path}:{one.line} {one.function}  {verdict.by}"
    if verdict.word in ("killed", "slow"):
        return line
    source = (_TOP / one.path).read_bytes()
    before = " ".join(source[one.start : one.end].decode().split())
    return f"{line}\n    - {before}\n    + {one.text}"


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", default=",".join(PLACES), help="FOLDER,… to draw from")
    parser.add_argument("--after", type=int, default=0, help="how many of them were tried before")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests for a mutant")
    parser.add_argument("--reached", type=Path, help="where the measured reach of tests is kept")
    parser.add_argument("--tests", default="", help="FILE,… below tests/: no others are run")
    parser.add_argument(
        "--without", action="append", default=[], help="a word in the names of tests to leave out"
    )
    parser.add_argument(
        "--same", action="append", default=[], help="PATH:LINE of one that changes nothing"
    )
    chosen = parser.parse_args(arguments)
    begun = time.monotonic()
    files = sorted(str(path.relative_to(_TOP)) for path in (_TOP / "tests").rglob("test_*.py"))
    if chosen.tests:
        files = [f"tests/{name}" for name in chosen.tests.split(",")]
    # of the commit that is cloned: this checkout may go on while the tests are measured
    drawn = draw(chosen.count, chosen.seed, chosen.folders.split(","))[chosen.after :]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        clones = [make_clone(folder / f"clone{number}") for number in range(chosen.jobs)]
        kept = chosen.reached or folder / "reached.json"
        if kept.exists():
            reached = Reached(**json.loads(kept.read_text()))
        else:
            reached = measure(clones, kept, chosen.without, files)
        benches = [Bench(clone, files) for clone in clones]
        free: Queue[Bench] = Queue()
        for bench in benches:
            free.put(bench)

        def one(mutation: Mutation) -> Verdict:
            bench = free.get()
            try:
                verdict = bench.judge(mutation, reached, chosen.budget)
            finally:
                free.put(bench)
            print(told(verdict), flush=True)
            return verdict

        with ThreadPoolExecutor(chosen.jobs) as pool:
            verdicts = list(pool.map(one, drawn))
        for bench in benches:
            bench.close()
    counted = [v for v in verdicts if f"{v.mutation.path}:{v.mutation.line}" not in chosen.same]
    killed = sum(verdict.word in ("killed", "slow") for verdict in counted)
    print(
        f"mutants: seed {chosen.seed}: {len(verdicts)} drawn, {len(verdicts) - len(counted)} change nothing, "
        f"{killed} of {len(counted)} killed ({killed / max(1, len(counted)):.1%}), "
        f"{time.monotonic() - begun:.0f} s"
    )
    return int(killed < LEAST * len(counted))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
