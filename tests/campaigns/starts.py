"""Sessions that start together on a busy machine: how many are told what memory has, and when.

`python -m tests.campaigns.starts` lets 8 sessions start at once beside busy loops, then each type two
prompts, in several rounds: with a brief kept from before, to which a note came, and with none. The loops
run for less than a minute each time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SESSIONS, PAUSE_SECONDS = 8, 4.0
DIURNA = str(Path(sys.executable).with_name("diurna"))
BUSY = [sys.executable, "-I", "-c", "while True: pass"]


def main() -> int:
    """Run the campaign; return 1 where fewer were told than have to be."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--loops", type=int, default=16)
    options.add_argument("ways", nargs="*", default=["kept", "none"])
    asked = options.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
    every, wrong = SESSIONS * asked.rounds, 0
    for way in asked.ways:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            places = [Path(folder) / str(number) for number in range(asked.rounds)]
            counts = [told(home(place), way, asked.loops) for place in places]
        first, second, third, said = map(sum, zip(*counts, strict=True))
        print(f"{way}: of {every}, {first} were told at their start, {second} by the first prompt,")
        print(f"  {third} by the second; status says that {said} started without memory")
        must = first >= 0.9 * every and second == every if way == "kept" else third == every
        wrong += not must or said != every - first
    return int(wrong > 0)


def home(folder: Path) -> Path:
    """Make a repository of code with a memory of 20 facts."""
    folder.mkdir()
    (folder / "a.py").write_text("pass\n")
    for line in ("init -q", "config user.name Ada", "config user.email ada@example.invalid",
                 "add a.py", "commit -qm code"):  # fmt: skip
        subprocess.run(["git", "-C", str(folder), *line.split()], check=True)
    run(folder, "init", "--branch", "memory")
    run(folder, "note", *[f"id=rule-{n} decision: Part {n} has {n} doors." for n in range(20)])
    return folder


def run(folder: Path, *words: str) -> str:
    """Run a command of Diurna's; return what it prints."""
    return subprocess.check_output([DIURNA, *words], cwd=folder, text=True, stderr=subprocess.PIPE)


def told(folder: Path, way: str, loops: int) -> tuple[int, int, int, int]:
    """Let sessions start at once and ask twice; return how many were told by when, and what status says."""
    if way == "kept":
        hooks(folder, "SessionStart", ["before"])
        time.sleep(PAUSE_SECONDS)
        run(folder, "note", "decision: One came since.")
    names = [f"s-{number}" for number in range(SESSIONS)]
    busy = [subprocess.Popen(BUSY) for _ in range(loops)]
    try:
        counts, heard = [], set[str]()
        for event in ("SessionStart", "UserPromptSubmit", "UserPromptSubmit"):
            heard |= hooks(folder, event, names)
            counts.append(len(heard))
            time.sleep(PAUSE_SECONDS)
        print(f"  {way}: {counts}, load {os.getloadavg()[0]:.0f}", flush=True)
    finally:
        for one in busy:
            one.kill()
            one.wait()
    starts = json.loads(run(folder, "status", "--json"))["starts"]
    return counts[0], counts[1], counts[2], starts["without_memory"]


def hooks(folder: Path, event: str, names: Sequence[str]) -> set[str]:
    """Call the hook of all sessions at once; return those that were told the brief."""

    def told(name: str) -> bool:
        said = {"session_id": name, "cwd": str(folder), "source": "startup", "prompt": "Go on."}
        words = [DIURNA, "hook", "claude", event]
        done = subprocess.run(
            words, input=json.dumps(said).encode(), cwd=folder, capture_output=True
        )
        return b"rule-7" in done.stdout

    with ThreadPoolExecutor(SESSIONS) as at_once:
        return {name for name, heard in zip(names, at_once.map(told, names), strict=True) if heard}


if __name__ == "__main__":
    sys.exit(main())
