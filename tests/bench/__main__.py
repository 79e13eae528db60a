"""The benchmark: `python -m tests.bench [PART…]` prints a table of ratios, medians of several runs.

Generates ledgers of 1,000, 10,000 and 100,000 logs (kept in --folder, so a second run starts at once) and
measures Diurna against git and the bare disk in the same run, in turn, so that a noisy machine disturbs both
sides alike. Nothing here is a test. What runs in one process stands in `tests.bench.within`.
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
from typing import Any

from memory.api import Memory
from tests.bench import ledgers, within

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
DIURNA = str(Path(sys.executable).with_name("diurna"))
_BENCH = {"NAME": "Bench", "EMAIL": "bench@example.invalid"}
ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHONDONTWRITE"))},
    **{f"GIT_{who}_{key}": _BENCH[key] for who in ("AUTHOR", "COMMITTER") for key in _BENCH},
}
SPOOLS, OBSERVED = 100, 57
Once = Callable[[int], float]


def ratio(what: str, limit: float, ours: list[float], theirs: list[float], aim: str = "") -> str:
    """Return a row of paired runs, in seconds."""
    found = statistics.median([a / b for a, b in zip(ours, theirs, strict=True)])
    both = " | ".join(_time(statistics.median(one)) for one in (ours, theirs))
    missed = "" if found <= limit else " **miss**"
    return f"| {what} | {both} | {found:.2f} ×{missed} | ≤ {limit:g} ×{aim} |"


def figure(what: str, taken: list[float], limit: float, aim: str = "", more: str = "") -> str:
    """Return a row of seconds that are compared with nothing; a limit of 0 is none."""
    median = statistics.median(taken)
    missed = " **miss**" if 0 < limit < median else ""
    return size(what, f"{_time(median)}{missed}{more}", f"≤ {_time(limit)}{aim}" if limit else "")


def size(what: str, said: str, target: str = "") -> str:
    """Return a row of bytes."""
    return f"| {what} | {said} | | | {target} |"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"


# ---- the timer -----------------------------------------------------------------------------------------


def spawn(argv: list[str], cwd: Path, stdin: Path | None = None) -> float:
    """Run a command as a whole process and return its wall time in seconds."""
    with open(stdin or os.devnull, "rb") as source, open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        done = subprocess.run(argv, cwd=cwd, stdin=source, stdout=sink, env=ENVIRONMENT)
        taken = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{argv} ended with {done.returncode}")
    return taken


def processor_time(argv: list[str], cwd: Path) -> float:
    """Run a command, and return what it took of the processor."""
    before = os.times()
    spawn(argv, cwd)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def in_turn(runs: int, ours: Once, theirs: Once) -> tuple[list[float], list[float]]:
    """Run two measurements in turn, after one of each that does not count."""
    ours(-1), theirs(-1)
    pairs = [(ours(number), theirs(number)) for number in range(runs)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def nothing(cwd: Path) -> Once:
    """Return a measurement of starting Python for nothing."""
    return lambda _: spawn([PYTHON, "-c", "pass"], cwd)


def git_reads(home: Path) -> Once:
    """Return a measurement of git reading the blobs of a generated home's logs."""
    ids = home.parent / f"{home.name}.ids"
    listing = output(["git", "ls-tree", "-r", "HEAD" if count(home, "tree") else "memory"], home)
    ids.write_text("".join(f"{line.split()[2]}\n" for line in listing.splitlines()))
    return lambda _: spawn(["git", "cat-file", "--batch", "--buffer"], home, ids)


def output(argv: list[str], cwd: Path) -> str:
    """Run a command and return what it prints."""
    return subprocess.run(
        argv, cwd=cwd, check=True, capture_output=True, env=ENVIRONMENT
    ).stdout.decode()


def count(home: Path, kind: str = "") -> int:
    """Return how many logs a generated home was made with; 0 where it is of another kind."""
    name, _, number = home.name.rpartition("-")
    return int(number) if kind in ("", name) else 0


def inside(name: str, home: Path, runs: int) -> Any:
    """Measure in a process of its own."""
    return json.loads(
        output([PYTHON, "-m", "tests.bench.within", name, str(home), str(runs)], ROOT)
    )


# ---- the table -----------------------------------------------------------------------------------------


class Bench:
    """All rows.

    Args:
        folder: where generated ledgers are kept.
        largest: how many logs the largest has.
        runs: pairs of runs of the short ones.
    """

    def __init__(self, folder: Path, largest: int, runs: int) -> None:
        self.folder, self.largest, self.runs = folder, largest, runs
        self.few = max(3, runs // 3)

    def prepared(self, size: int, kind: str = "branch") -> Path:
        """Return a generated home, made on the first run; measurements work on a copy of it."""
        home = self.folder / f"{kind}-{size}"
        if not home.exists():
            print(f"making {home.name} …", file=sys.stderr, flush=True)
            if kind == "tree":
                ledgers.generate(home, size, branch="main", prefix="memory/", publish="trunk")
            else:
                ledgers.generate(home, size)
        copy = self.folder / "work" / home.name
        shutil.rmtree(copy, ignore_errors=True)
        copy.parent.mkdir(exist_ok=True)
        shutil.copytree(home, copy, symlinks=True)
        spawn([DIURNA, "show"], copy)
        return copy

    def behind(self) -> list[str]:
        """Run what an agent or a person types, behind a log that another writer added."""
        home, rows = self.prepared(self.largest), []
        memory = Memory.open(str(home))
        for words, late in (("show", False), ("show", True), ("brief", False)):

            def ours(_: int, words: str = words, late: bool = late) -> float:
                within.add(memory, late)
                return spawn([DIURNA, words], home)

            what = f"`diurna {words}` after one {'late' if late else 'more'} log, {self.largest:,} logs"
            runs = in_turn(self.runs, ours, nothing(home))
            rows.append(ratio(f"{what} / `python -c pass`", 4.0, *runs, " (aim 2.5)"))
        memory.close()
        return rows

    def processes(self) -> list[str]:
        """Measure what a running process takes."""
        large = self.prepared(self.largest)
        logs = f"{self.largest:,} logs"
        peaks: list[int] = []

        def replay(_: int) -> float:
            start = time.perf_counter()
            peaks.append(inside("cold", large, 0)["peak_kib"])
            return time.perf_counter() - start

        what = f"cold full replay of {self.largest:,} packed logs, caches off, whole process / `git cat-file --batch`"
        rows = [ratio(what, 1.5, *in_turn(self.few, replay, git_reads(large)), " (aim 1.0)")]
        said = f"{max(peaks) / 1024:.0f} MiB"
        rows.append(size("peak memory of that replay, both processes together", said, "≤ 1 GiB"))
        found = inside("state", large, 3 * self.runs)
        for key, what in (("newer", "one more log"), ("late", "one late log")):
            what = f"state after {what}, warm, {logs}, in a running process"
            rows.append(figure(what, found[key], 0.010))
        found = inside("index", large, 3 * self.runs)
        read = [git_reads(large)(0) for _ in found["build"]]
        what = f"recall with its index built anew, {logs} / `git cat-file --batch`"
        rows.append(ratio(what, 5.0, found["build"], read, " (aim 3)"))
        for what, said in (
            ("memory of that build, all processes together", f"{found['peak_kib'] / 1024:.0f} MiB"),
            ("size of that index on the disk", f"{found['bytes'] / 1e6:.0f} MB"),
        ):
            rows.append(size(what, said))
        for key, what in (("newer", "one more log"), ("late", "one late log")):
            what = f"recall after {what}, warm, {logs}, in a running process"
            rows.append(figure(what, found[key], 0.020))
        return rows

    def hooks(self) -> list[str]:
        """Start a session behind ten new logs, and tell one at its end."""
        home = self.prepared(self.largest)
        memory = Memory.open(str(home))

        def hook(event: str, session: str = "bench-session", **more: object) -> float:
            payload = home.parent / f"{event}.json"
            said = {"session_id": session, "transcript_path": f"{home}/none.jsonl"}
            said |= {"cwd": str(home), "hook_event_name": event}
            payload.write_text(json.dumps({**said, **more}))
            return spawn([DIURNA, "hook", "claude", event], home, payload)

        def write(session: str, path: str) -> float:
            given = {"file_path": path, "content": "x"}
            return hook("PostToolUse", session, tool_name="Write", tool_input=given)

        def after_ten(_: int) -> float:
            for _ in range(10):
                within.add(memory, late=False)
            return hook("SessionStart", source="startup")

        for number in range(SPOOLS):
            write(f"other-{number}", "src/a.py")
        hook("SessionStart", source="startup")
        what = f"hook `SessionStart`, 10 new logs since, {self.largest:,} logs, {SPOOLS} spools"
        runs = in_turn(2 * self.runs, after_ten, nothing(home))
        rows = [ratio(f"{what} / `python -c pass`", 5.0, *runs, " (aim 4)")]
        memory.close()
        rng, words, transcript = random.Random(7), ledgers.WORDS, home.parent / "talk.jsonl"
        with transcript.open("w") as out:
            while out.tell() < (1 << 20) - 4000:
                text = ". ".join(ledgers.sentence(rng, 12).capitalize() for _ in range(8))
                role = rng.choice(("assistant", "assistant", "user"))
                text = f"{text}. We decided to use the {rng.choice(words)}."
                content = [{"type": "text", "text": text}]
                said = {"type": role, "message": {"role": role, "content": content}}
                out.write(json.dumps(said) + "\n")
        told = []
        for run in range(self.few):
            for line in range(OBSERVED):
                write(f"told-{run}", f"src/{run}/{line}.py")
            named = [f"--session=told-{run}", f"--transcript={transcript}", "--why=end"]
            told.append(spawn([DIURNA, "capture", "--host=claude", *named], home))
        what = f"boundary without a model, 1 MiB of transcript, whole, {self.largest:,} logs"
        rows.append(figure(what, told, 1.5, " (aim 0.7)"))
        return rows

    def tasks(self) -> list[str]:
        """List 10,000 tasks, each of which waits for the next one, and pick the last."""
        home, many, each = self.folder / "many-tasks", 10_000, 1_000
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        for argv in (["git", "init", "-q"], [DIURNA, "init"]):
            spawn(argv, home)
        for start in range(0, many, each):
            new = [
                {"id": f"t-{number}", "kind": "task", "text": f"Do the {number}th thing.",
                 "footers": {"depends": f"t-{number + 1}"} if number + 1 < many else {}}
                for number in range(start, start + each)
            ]  # fmt: skip
            draft = home.parent / "tasks.json"
            draft.write_text(json.dumps({"title": f"Add tasks from {start} on", "new": new}))
            spawn([DIURNA, "append", "--from-json", str(draft)], home)
        rows = []
        for action in ("list", "pick"):
            argv = [DIURNA, "task", action]
            taken = [processor_time(argv, home) for _ in range(self.few + 1)][1:]
            what = f"`diurna task {action}` among {many:,} tasks in a chain, processor time"
            rows.append(figure(what, taken, 1.0))
        return rows

    def sync(self) -> list[str]:
        """Sync one log each way, against `git fetch` and `git push` of the very same objects."""
        logs, top = 10_000, self.folder / "team"
        # git's network commands run in a session of their own when Diurna starts them, and weigh the
        # same then
        git = ["setsid", "--wait", "git"] if shutil.which("setsid") else ["git"]
        made = self.folder / f"team-{logs}"
        if not made.exists():
            print(f"making {made.name} …", file=sys.stderr, flush=True)
            ledgers.generate(made / "one", logs, publish="append")
            spawn([DIURNA, "check", "--publish"], made / "one")
            spawn(["git", "init", "-q", "--bare", str(made / "hub.git")], made)
            spawn(["git", "remote", "add", "origin", str(made / "hub.git")], made / "one")
            spawn(["git", "push", "-q", "origin", "memory"], made / "one")
            shutil.copytree(made / "one", made / "two", symlinks=True)
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(made, top, symlinks=True)
        for name in ("one", "two"):
            spawn(["git", "remote", "set-url", "origin", str(top / "hub.git")], top / name)
            spawn([DIURNA, "sync"], top / name)

        def ours(number: int) -> float:
            for name in ("one", "two"):
                text = ledgers.sentence(random.Random(f"{os.getpid()}-{number}{name}"), 12)
                new = ["--new", f"id=sync-{name}-{time.time_ns()} decision: {text}."]
                spawn(
                    [DIURNA, "append", "--title", f"Measure {number} in {name}", *new], top / name
                )
            spawn([DIURNA, "sync"], top / "one")
            for name, copy in (("two", "three"), ("hub.git", "copy.git")):
                shutil.rmtree(top / copy, ignore_errors=True)
                shutil.copytree(top / name, top / copy, symlinks=True)
            spawn(["git", "remote", "set-url", "origin", str(top / "copy.git")], top / "three")
            return spawn([DIURNA, "sync"], top / "two")

        def theirs(_: int) -> float:  # to another branch, for it was not joined
            ways = (["fetch", "-q", "origin", "memory"], ["push", "-q", "origin", "memory:side"])
            return sum(spawn([*git, *way], top / "three") for way in ways)

        what = "`diurna sync`, one log each way, 10,000 logs / `git fetch` + `git push`"
        return [ratio(what, 2.0, *in_turn(self.runs, ours, theirs))]

    def web(self) -> list[str]:
        """Ask a server for its pages."""
        from tests.bench.web import web

        return web(self.prepared(10_000, "tree"), 3 * self.runs)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("wanted", nargs="*", help="only these parts")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "diurna-bench")
    parser.add_argument("--largest", type=int, default=100_000, help="logs of the largest ledger")
    parser.add_argument("--runs", type=int, default=11, help="pairs of runs of the short ones")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    # an editable install has no compiled modules where PYTHONDONTWRITEBYTECODE is set
    for package in ("ledger", "projection", "memory", "rituals", "tests/bench"):
        compileall.compile_dir(str(ROOT / package), quiet=2)
    bench = Bench(options.folder, options.largest, options.runs)
    words = options.wanted
    print("| what | Diurna | against | ratio | target |\n|---|---|---|---|---|", flush=True)
    for part in ("behind", "processes", "hooks", "tasks", "sync", "web"):
        if not words or part in words:
            for row in getattr(bench, part)():
                print(row, flush=True)


if __name__ == "__main__":
    main()
