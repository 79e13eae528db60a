"""The benchmark: `python -m tests.bench` prints one table of ratios, medians of several runs.

Generates ledgers of 1,000, 10,000 and 100,000 logs (kept in --folder, so a second run starts at once) and
measures Diurna against git and the bare disk in the same run, in turn, so that a noisy machine disturbs
both sides alike. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import ledgers, syncs
from tests.bench.facts import brought_in

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
DIURNA = str(Path(sys.executable).with_name("diurna"))
ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHONDONTWRITE"))},
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.invalid",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.invalid",
}


class Row:
    """One line of the table: two medians, their ratio and what was aimed at."""

    def __init__(self, what: str, target: str, limit: float, unit: str = "ms") -> None:
        self.what, self.target, self.limit, self.unit = what, target, limit, unit
        self.ours = self.theirs = self.ratio = 0.0
        self.absolute = ""

    def take(self, ours: list[float], theirs: list[float]) -> Row:
        """Fill in from paired runs, in seconds."""
        self.ours = statistics.median(ours)
        self.theirs = statistics.median(theirs)
        self.ratio = statistics.median([a / b for a, b in zip(ours, theirs, strict=True)])
        return self

    def __str__(self) -> str:
        """Return the row in markdown."""
        if self.absolute:
            return f"| {self.what} | {self.absolute} | | | {self.target} |"
        met = "" if self.ratio <= self.limit else " **miss**"
        return (
            f"| {self.what} | {_time(self.ours)} | {_time(self.theirs)} | "
            f"{self.ratio:.2f} ×{met} | {self.target} |"
        )


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"


def spawn(argv: list[str], cwd: Path, stdin: Path | None = None) -> float:
    """Run a command as a whole process and return its wall time in seconds."""
    with open(stdin or os.devnull, "rb") as source, open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        done = subprocess.run(argv, cwd=cwd, stdin=source, stdout=sink, env=ENVIRONMENT)
        taken = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{argv} ended with {done.returncode}")
    return taken


def in_turn(
    runs: int, ours: Callable[[int], float], theirs: Callable[[int], float]
) -> tuple[list[float], list[float]]:
    """Run two measurements in turn, after one of each that does not count."""
    ours(-1), theirs(-1)
    pairs = [(ours(number), theirs(number)) for number in range(runs)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def nothing(cwd: Path) -> Callable[[int], float]:
    """Return a measurement of starting Python for nothing."""
    return lambda _: spawn([PYTHON, "-c", "pass"], cwd)


def log_ids(home: Path) -> Path:
    """Write the blob ids of a generated home's logs to a file."""
    path = home.parent / (home.name + ".ids")
    listing = subprocess.run(
        ["git", "-C", str(home), "ls-tree", "-r", "memory", "sessions"],
        check=True, capture_output=True, env=ENVIRONMENT,
    ).stdout.decode()  # fmt: skip
    path.write_text("".join(line.split()[2] + "\n" for line in listing.split("\n") if line))
    return path


def cold(home: Path, runs: int) -> list[Row]:
    """Replay everything from git alone, against git reading the same blobs."""
    ids = log_ids(home)
    peaks: list[int] = []

    def ours(_: int) -> float:
        start = time.perf_counter()
        out = subprocess.run(
            [PYTHON, "-m", "tests.bench.cold", str(home)],
            check=True, capture_output=True, cwd=ROOT, env=ENVIRONMENT,
        )  # fmt: skip
        taken = time.perf_counter() - start
        peaks.append(json.loads(out.stdout)["peak_kib"])
        return taken

    def theirs(_: int) -> float:
        return spawn(["git", "cat-file", "--batch", "--buffer"], home, ids)

    row = Row(
        f"cold full replay of {count(home):,} packed logs, caches off, whole process / "
        "`git cat-file --batch`",
        "≤ 1.5 × (aim 1.0)",
        1.5,
    ).take(*in_turn(runs, ours, theirs))
    peak = Row("peak memory of that replay, both processes together", "≤ 1 GiB", 0)
    peak.absolute = f"{max(peaks) / 1024:.0f} MiB"
    return [row, peak]


def count(home: Path) -> int:
    """Return how many logs a generated home was made with."""
    return int(home.name.rsplit("-", 1)[1])


def in_process(home: Path, runs: int) -> list[Row]:
    """Measure a running process: one more log, a late log, an append."""
    out = subprocess.run(
        [PYTHON, "-m", "tests.bench.running", str(home), str(runs)],
        check=True, capture_output=True, cwd=ROOT, env=ENVIRONMENT,
    )  # fmt: skip
    found = json.loads(out.stdout)
    rows = []
    for key, what in (("newer", "one more log"), ("late", "one late log")):
        row = Row(
            f"state after {what}, warm, {count(home):,} logs, in a running process", "≤ 10 ms", 0
        )
        median = statistics.median(found[key])
        row.absolute = _time(median) + ("" if median <= 0.010 else " **miss**")
        rows.append(row)
    append = Row(
        f"`Memory.append`, durable, own branch, {count(home):,} logs / bare write + fsync",
        "≤ 2.5 × (aim 1.5)",
        2.5,
    ).take(found["append"], found["bare"])
    size = Row(f"new git objects of one append, {count(home):,} logs, `review`", "≤ 8 KiB", 0)
    size.absolute = f"{found['bytes'] / 1024:.1f} KiB"
    return [*rows, append, size]


def similar(facts: int, runs: int) -> list[Row]:
    """Look for similar and opposite facts: before an append, in a review, and everywhere."""
    out = subprocess.run(
        [PYTHON, "-m", "tests.bench.similar", str(facts), str(runs)],
        check=True, capture_output=True, cwd=ROOT, env=ENVIRONMENT,
    )  # fmt: skip
    found = json.loads(out.stdout)
    rows = []
    for key, what, target, limit in (
        ("alike", "looking first, one new fact among {}", "≤ 5 ms (aim 1.5)", 0.005),
        ("review", "comparing 100 changed facts among {}", "≤ 1 s", 1.0),
        ("all", "comparing all pairs of {}", "≤ 60 s", 60.0),
    ):
        row = Row(what.format(f"{facts:,} facts, in a running process"), target, limit)
        row.absolute = _time(found[key]) + ("" if found[key] <= limit else " **miss**")
        rows.append(row)
    return rows


def recalls(home: Path, runs: int, more: int) -> list[Row]:
    """Build the index of recall from nothing, and bring it to one more log in a running process."""
    out = subprocess.run(
        [PYTHON, "-m", "tests.bench.recalls", str(home), str(log_ids(home)), str(runs), str(more)],
        check=True, capture_output=True, cwd=ROOT, env=ENVIRONMENT,
    )  # fmt: skip
    found = json.loads(out.stdout)
    rows = [
        Row(
            f"index of recall: cold build of {count(home):,} logs / `git cat-file --batch`",
            "≤ 6 × (aim 4)",
            6.0,
        ).take(found["build"], found["read"])
    ]
    for what, absolute in (
        ("memory of that build, all processes together", f"{found['peak_kib'] / 1024:.0f} MiB"),
        ("size of that index on the disk", f"{found['bytes'] / 1e6:.0f} MB"),
    ):
        row = Row(what, "", 0)
        row.absolute = absolute
        rows.append(row)
    for key, what in (("newer", "one more log"), ("late", "one late log")):
        row = Row(
            f"index of recall: {what}, warm, {count(home):,} logs, in a running process",
            "≤ 20 ms",
            0,
        )
        median = statistics.median(found[key])
        row.absolute = _time(median) + ("" if median <= 0.020 else " **miss**")
        rows.append(row)
    return rows


def one_more(home: Path, runs: int, late: bool, command: str = "show") -> Row:
    """Show, as a process, right after another log came."""
    from tests.bench.running import Writer

    writer = Writer(home)

    def ours(_: int) -> float:
        writer.add(late)
        return spawn([DIURNA, command], home)

    what = "one late log" if late else "one more log"
    return Row(
        f"`diurna {command}` after {what}, {count(home):,} logs / `python -c pass`",
        "≤ 4 × (aim 2.5)",
        4.0,
    ).take(*in_turn(runs, ours, nothing(home)))


def show(home: Path, runs: int, command: str = "show") -> Row:
    """Show with nothing new since the last run."""
    return Row(
        f"`diurna {command}`, warm, nothing new, {count(home):,} logs / `python -c pass`",
        "≤ 2.5 × (aim 1.6)",
        2.5,
    ).take(*in_turn(runs, lambda _: spawn([DIURNA, command], home), nothing(home)))


def views(home: Path, runs: int) -> list[Row]:
    """Show views with nothing new since the last run."""
    rows = []
    for name in ("state", "decisions", "daily", "entities"):
        what = f"`diurna view {name}`, warm, nothing new, {count(home):,} logs / `python -c pass`"
        argv = [DIURNA, "view", name]
        rows.append(
            Row(what, "≤ 4 ×", 4.0).take(
                *in_turn(runs, lambda _, argv=argv: spawn(argv, home), nothing(home))  # type: ignore[misc]
            )
        )
    return rows


def recall(home: Path, runs: int) -> list[Row]:
    """Ask a question as a process, by words alone and by what they mean, where the extra is installed."""
    rows = []
    for said, options, limit in (
        ("by words", ["--no-vectors"], "5.5 × (aim 4)"), ("with `vectors`", [], "13.5 × (aim 9)"),
    ):  # fmt: skip
        command = [DIURNA, "recall", *options, "what", "is", "the", "webhook"]
        what = f"`diurna recall`, {said}, warm, {count(home):,} logs / `python -c pass`"
        rows.append(
            Row(what, f"≤ {limit}", float(limit.split()[0])).take(
                *in_turn(runs, lambda _, argv=command: spawn(argv, home), nothing(home))  # type: ignore[misc]
            )
        )
    return rows


DRAFT = """# Measure the append {number}

The queue was measured again; nothing to change.

## Memory References

- Referenced: {fact}
- Created: bench-fact-{number}

## Facts

- {text}.
  <!-- id: bench-fact-{number} -->
"""


def append(home: Path, other: Path, runs: int, limit: float, where: str) -> Row:
    """Append as a process, against `git add` and `git commit` of one file.

    `other` is a work tree of the same size. The runs are pairs; `limit` is the ratio aimed at.
    """
    fact = json.loads(
        subprocess.run(
            [DIURNA, "show", "--json"], cwd=home, check=True, capture_output=True, env=ENVIRONMENT
        ).stdout
    )["facts"][0]["id"]
    base = time.time_ns()

    def ours(number: int) -> float:
        draft = home.parent / "draft.md"
        draft.write_text(
            DRAFT.format(
                number=base + number,
                fact=fact,
                text=ledgers.sentence(random.Random(base + number), 12),
            )
        )
        return spawn([DIURNA, "append", str(draft)], home)

    def theirs(number: int) -> float:
        name = f"note-{base + number}.md"
        (other / name).write_text("x" * 3000 + str(base + number))
        start = time.perf_counter()
        for argv in (["git", "add", name], ["git", "commit", "-q", "-m", "a note"]):
            subprocess.run(argv, cwd=other, check=True, env=ENVIRONMENT)
        return time.perf_counter() - start

    return Row(
        f"`diurna append` as a process, {where} / `git add` + `git commit`", f"≤ {limit} ×", limit
    ).take(*in_turn(runs, ours, theirs))


def learn(ledger: Path, runs: int) -> Row:
    """Propose what a ledger that another tool wrote teaches, imported before, in a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        home = brought_in(ledger, Path(folder))
        spawn([DIURNA, "show"], home)
        taken = [spawn([DIURNA, "review", "--learn", "--json"], home) for _ in range(runs)]
        row = Row(f"`diurna review --learn`, the ledger {ledger.name}", "≤ 3 s", 0)
        row.absolute = _time(statistics.median(taken))
    return row


def sync(folder: Path, runs: int) -> Row:
    """Sync one log each way."""
    team = syncs.Team(folder / "team", 10_000, DIURNA, ENVIRONMENT)
    return Row(
        "`diurna sync`, one log each way, 10,000 logs / `git fetch` + `git push`", "≤ 2 ×", 2.0
    ).take(*in_turn(runs, team.ours, team.theirs))


def prepared(folder: Path, size: int, kind: str) -> Path:
    """Return a generated home, made on the first run; measurements work on a copy of it."""
    home = folder / f"{kind}-{size}"
    if not home.exists():
        print(f"making {home.name} …", file=sys.stderr, flush=True)
        tree = kind == "tree"
        ledgers.generate(home, size, branch="main" if tree else "memory",
                         prefix="memory/" if tree else "",
                         publish="trunk" if tree else "review")  # fmt: skip
    copy = folder / "work" / home.name
    shutil.rmtree(copy, ignore_errors=True)
    copy.parent.mkdir(exist_ok=True)
    shutil.copytree(home, copy, symlinks=True)
    spawn([DIURNA, "show"], copy)
    return copy


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "diurna-bench")
    parser.add_argument("--largest", type=int, default=100_000, help="logs of the largest ledger")
    parser.add_argument("--runs", type=int, default=11, help="pairs of runs of the short ones")
    parser.add_argument("--ledger", type=Path, help="a real one, in the agent-memory layout")
    options = parser.parse_args()
    from tests.bench.hooks import boundary, day, hooks
    from tests.bench.tasks import listing, many
    from tests.bench.web import web

    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    # an editable install has no compiled modules where PYTHONDONTWRITEBYTECODE is set
    for package in ("ledger", "projection", "memory", "rituals", "tests/bench"):
        compileall.compile_dir(str(ROOT / package), quiet=2)
    runs, few = options.runs, max(3, options.runs // 3)
    small = prepared(folder, 1_000, "branch")
    large = prepared(folder, options.largest, "branch")
    tree = prepared(folder, 100, "tree")
    large_tree = prepared(folder, options.largest, "tree")
    print("| what | Diurna | against | ratio | target |\n|---|---|---|---|---|", flush=True)
    steps: list[Callable[[], list[Row]]] = [
        lambda: cold(large, few),
        lambda: in_process(large, 3 * runs),
        lambda: [one_more(large, runs, late=False), one_more(large, runs, late=True)],
        lambda: [append(tree, tree, runs, 1.5, "in-tree, 100 logs")],
        lambda: [append(large, large_tree, runs, 0.5, f"own branch, {options.largest:,} logs")],
        lambda: [show(small, 2 * runs), show(large, 2 * runs)],
        lambda: [show(small, 2 * runs, "brief"), show(large, 2 * runs, "brief")],
        lambda: [one_more(large, runs, late=False, command="brief")],
        lambda: views(prepared(folder, 10_000, "branch"), 2 * runs),
        lambda: [*hooks(large, 2 * runs), boundary(large, few), day(folder)],
        lambda: [listing(prepared(folder, 10_000, "branch"), 2 * runs), *many(folder, few)],
        lambda: recall(small, 2 * runs),
        lambda: similar(10_000, 20 * runs),
        lambda: recalls(large, few, 3 * runs),
        lambda: [sync(folder, runs)],
        lambda: [learn(options.ledger, runs)] if options.ledger else [],
        lambda: web(prepared(folder, 10_000, "tree"), options.ledger, 3 * runs),
    ]
    for step in steps:
        for row in step():
            print(row, flush=True)


if __name__ == "__main__":
    main()
