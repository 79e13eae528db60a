"""Change one place of the code at a time: some test must fail.

`python -m tests.campaigns.mutants --since BASE` takes the functions that changed since a commit, at most two
mutations (`tests/campaigns/mutations.py`) of each; `--seed 7` draws 300 of all packages, or of `--folders
rituals/hosts,rituals/cli` alone. Each is given 40 s of the gate's tests that reach its function, the most particular
first, until one fails or takes far longer than it should; which these were stands in its line. Which test
reaches what is measured first, in about the time of the whole test run, and kept with `--reached FILE`: what
was broken off goes on there, and later only files of tests that have changed are measured again. `--tests
test_undo.py,…` takes those files alone; `--without` leaves tests out by their names, such as what takes a
minute and tells nothing more. Prints one line for each mutant and the change of each survivor; a survivor is
a missing test, or a change that changes nothing, which only a reader can tell: such ones are excused by
`--same PATH:LINE`. Ends with 1 when less than 95 % are killed. It needs `coverage` and works on clones of what is
committed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from queue import Queue
from threading import Lock
from typing import Any

from ledger.model.record import Record
from tests.campaigns.mutations import Mutation, compiles, functions, mutations

#: All that the wheel has.
PLACES = ("ledger", "projection", "memory", "rituals")
#: The share of mutants that must be killed.
LEAST = 0.95
_OF_A_FUNCTION = 2
#: The limit of a run is processor time; one that waits for what never comes ends after so many times of it.
_WALL = 12
_OF_A_RUN = 12  # files of tests that are measured by one process
_HUNK = re.compile(r"@@ \S+ \+(\d+)(?:,(\d+))? @@")
_TOP = Path(__file__).resolve().parents[2]


class Reached:
    """Which tests reach a function, and their seconds of processor time; what is measured is kept at once.

    Args:
        kept: a file, which may be there from another time.
    """

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        data = json.loads(kept.read_text()) if kept.exists() else {}
        self._files: dict[str, str] = data.get("files", {})
        self.seconds: dict[str, float] = data.get("seconds", {})
        names = list(self.seconds)  # a test is in many functions: the file has its number
        self._functions: dict[str, dict[str, list[str]]] = {
            path: {function: [names[n] for n in numbers] for function, numbers in here.items()}
            for path, here in data.get("functions", {}).items()
        }

    def lacking(self, names: list[str]) -> list[str]:
        """Return the files of tests whose text is not the one that was measured."""
        return [name for name in names if self._files.get(name) != _digest(name)]

    def take(self, names: list[str], found: Mapping[str, Any]) -> None:
        """Put what a run of some files of tests told in the place of what was known of them."""
        left = {name for name in self.seconds if name.partition("::")[0] in names}
        for here in self._functions.values():
            for function, tests in here.items():
                here[function] = [name for name in tests if name not in left]
        for name in left:
            del self.seconds[name]
        self.seconds |= found["seconds"]
        for path, module in found["functions"].items():
            for function, tests in module.items():
                self._functions.setdefault(path, {}).setdefault(function, []).extend(tests)
        self._files |= {name: _digest(name) for name in names}
        numbers = {name: n for n, name in enumerate(self.seconds)}
        functions = {
            path: {function: [numbers[name] for name in tests] for function, tests in here.items()}
            for path, here in self._functions.items()
        }
        every = {"files": self._files, "seconds": self.seconds, "functions": functions}
        self._kept.write_text(json.dumps(every), encoding="utf-8")

    def tests(self, mutation: Mutation, budget: float) -> list[str]:
        """Return the tests for a mutation, the most particular first, as many as a budget of seconds lets in.

        Behind those that reach its function come those that reach its module: they may run it aside.
        """
        here = self._functions.get(mutation.path, {})
        direct = set(here.get(mutation.function, ()))
        near, breadth = self._near(mutation.path), self._breadth
        names = sorted(
            {name for some in here.values() for name in some},
            key=lambda name: (
                name not in direct,
                breadth[name] * (0.1 + self.seconds[name]) * near[name.partition("::")[0]], name,
            ),
        )  # fmt: skip
        chosen: list[str] = []
        for name in names:
            if budget < self.seconds[name] and chosen:
                continue  # a shorter one may still have room
            budget -= self.seconds[name]
            chosen.append(name)
        return chosen

    def _near(self, path: str) -> dict[str, float]:
        """Return how far each file of tests is from a module: near where it imports it, or has its name."""
        stem, dotted = Path(path).stem, path.removesuffix(".py").replace("/", ".")
        package, _, module = dotted.rpartition(".")
        imports = re.compile(
            rf"{re.escape(dotted)}\b|from {re.escape(package)} import .*\b{module}\b"
        )
        return {
            name: 0.05 if stem in name or imports.search(text) else 1.0
            for name, text in self._texts.items()
        }

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {name: (_TOP / name).read_text("utf-8") for name in self._files}

    @cached_property
    def _breadth(self) -> Counter[str]:
        """Count the functions that each test reaches."""
        return Counter(
            name for module in self._functions.values() for some in module.values() for name in some
        )


def _digest(name: str) -> str:
    """Return the digest of a file of tests with the tables that it names, or whose folder it names."""
    text = (_TOP / name).read_bytes()
    tables = [path for form in ("txt", "md") for path in sorted(_TOP.glob(f"tests/**/*.{form}"))]
    named = [
        path for path in tables
        if path.name.encode() in text or f'"{path.parent.name}"'.encode() in text
    ]  # fmt: skip
    return hashlib.sha256(text + b"".join([path.read_bytes() for path in named])).hexdigest()


class Verdict(Record):
    """What became of a mutant: `killed`, `slow` (it ran on and on), `survived`, or `unreached`."""

    mutation: Mutation
    word: str
    by: str = ""


def measure(clones: list[Path], reached: Reached, without: list[str], names: list[str]) -> None:
    """Run the tests of some files once, a few files at a time in a clone that is free, and keep what each reaches."""
    names = sorted(names, key=lambda name: (_TOP / name).stat().st_size)
    count = max(min(len(names), len(clones)), len(names) // _OF_A_RUN)
    free: Queue[Path] = Queue()
    for clone in clones:
        free.put(clone)

    def run(part: list[str]) -> None:
        clone = free.get()
        into = clone.with_suffix(".reached")
        chosen = ["-k", f"not ({' or '.join(without)})"] if without else []
        command = [*_PYTEST, "-p", "tests.campaigns.reached", *chosen, *part]
        with clone.with_suffix(".measured").open("wb") as told:
            environment = _environment(clone) | {"REACHED": str(into)}
            subprocess.run(command, cwd=clone, env=environment, stdout=told)
        found = json.loads(into.read_text())
        with lock:
            reached.take(part, found)
        free.put(clone)

    lock = Lock()
    with ThreadPoolExecutor(len(clones)) as pool:
        list(pool.map(run, [names[n::count] for n in range(count)]))


_PYTEST = [
    *(sys.executable, "-m", "pytest", "-q", "-m", "not deep"),
    *("-p", "no:cacheprovider", "-p", "no:xdist"),
]


def _environment(clone: Path) -> dict[str, str]:
    """Return an environment whose Python reads a clone, and never a compiled file of an earlier mutant."""
    return os.environ | {
        "PYTHONPATH": str(clone), "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(clone / ".hypothesis"),
    }  # fmt: skip


def make_clone(folder: Path) -> Path:
    """Clone what is committed, compiled in a way that tells a changed source by its hash."""
    subprocess.run(["git", "clone", "-q", str(_TOP), str(folder)], check=True)
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."],
        cwd=folder, check=True,
    )  # fmt: skip
    return folder


def draw(count: int, seed: int, folders: Sequence[str] = PLACES, base: str = "") -> list[Mutation]:
    """Draw mutations of the committed code of some folders, at most two of a function; of what changed since a base, if one is given."""
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=_TOP, capture_output=True, check=True, text=True
    ).stdout.split()
    sources = {path: (_TOP / path).read_bytes() for path in listed if path.endswith(".py")}
    changed = changed_functions(base, sources) if base else None
    every = [
        one
        for path, source in sources.items()
        for one in mutations(path, source)
        if changed is None or (path, one.function) in changed
    ]
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


def changed_functions(base: str, sources: Mapping[str, bytes]) -> set[tuple[str, str]]:
    """Return path and dotted name of the functions with a line that is not as in a commit."""
    diff = subprocess.run(
        ["git", "diff", "-U0", "--no-renames", base, "HEAD", "--", *sources],
        cwd=_TOP, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    found, path, owner = set(), "", dict[int, str]()
    for line in diff.split("\n"):
        if line.startswith("+++ b/"):
            path = line[6:]
            owner = functions(sources[path])
        elif path and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            # where lines are only gone, the function is the one around
            lines = range(first, first + count) if count else (first, first + 1)
            found |= {(path, owner[number]) for number in lines if number in owner}
        elif line.startswith("+++ "):
            path = ""
    return found


class Bench:
    """A clone in which mutants are tried.

    Args:
        clone: its sources are changed and put back.
        reached: the tests of each function, and their seconds.
    """

    def __init__(self, clone: Path, reached: Reached) -> None:
        self._clone, self._reached = clone, reached
        self._passing: dict[str, bool] = {}

    def judge(self, mutation: Mutation, budget: float) -> Verdict:
        """Run the tests of a mutation until one fails, but for those that fail without it, too."""
        tests = self._reached.tests(mutation, budget)
        path = self._clone / mutation.path
        source = path.read_bytes()
        while tests:
            path.write_bytes(mutation.of(source))
            by = self._run(tests)
            path.write_bytes(source)
            if by in tests and not self._passes(by):
                tests.remove(by)
            else:
                word = "slow" if by is None else "killed" if by else "survived"
                return Verdict(mutation, word, by or f"{len(tests)} tests: {' '.join(tests[:8])}")
        return Verdict(mutation, "unreached")

    def _passes(self, test: str) -> bool:
        """Say whether a test passes where nothing is changed."""
        if test not in self._passing:
            self._passing[test] = self._run([test]) == ""
        return self._passing[test]

    def _run(self, tests: list[str]) -> str | None:
        """Run tests; return the first that fails, "" where all pass, None where they take far too long."""
        seconds = round(30 + 4 * sum(self._reached.seconds[name] for name in tests))
        try:
            done = subprocess.run(
                [*_PYTEST, "-x", "--no-header", "--tb=no", *tests],
                cwd=self._clone, env=_environment(self._clone), capture_output=True, text=True,
                timeout=seconds * _WALL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        if done.returncode in (0, -signal.SIGXCPU, -signal.SIGKILL):
            return None if done.returncode else ""
        failed = [line for line in done.stdout.split("\n") if line.startswith(("FAILED", "ERROR"))]
        by = [test for test in tests for line in failed if line.partition(" ")[2].startswith(test)]
        return max(by, key=len) if by else "an error at its start"


def told(verdict: Verdict) -> str:
    """Return a verdict as a line, and for a survivor the change."""
    one = verdict.mutation
    line = f"{verdict.word:9} {one.path}:{one.line} {one.function}  {verdict.by}"
    if verdict.word in ("killed", "slow"):
        return line
    return f"{line}\n    - {_before(one)}\n    + {one.text}"


def _before(mutation: Mutation) -> str:
    source = (_TOP / mutation.path).read_bytes()
    return " ".join(source[mutation.start : mutation.end].decode().split())


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", default=",".join(PLACES), help="FOLDER,… to draw from")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=float, default=40.0, help="seconds of tests for a mutant")
    parser.add_argument(
        "--since", default="", metavar="BASE", help="a commit: what changed after it"
    )
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
    drawn = draw(chosen.count, chosen.seed, chosen.folders.split(","), chosen.since)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "shared").symlink_to(_TOP.parent / "shared")  # what some tests look at beside us
        clones = [make_clone(folder / f"clone{number}") for number in range(chosen.jobs)]
        reached = Reached(chosen.reached or folder / "reached.json")
        measure(clones, reached, chosen.without, reached.lacking(files))
        benches = [Bench(clone, reached) for clone in clones]
        free: Queue[Bench] = Queue()
        for bench in benches:
            free.put(bench)

        def one(mutation: Mutation) -> Verdict:
            bench = free.get()
            try:
                verdict = bench.judge(mutation, chosen.budget)
            finally:
                free.put(bench)
            print(told(verdict), flush=True)
            return verdict

        with ThreadPoolExecutor(chosen.jobs) as pool:
            verdicts = list(pool.map(one, drawn))
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
