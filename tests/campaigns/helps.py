"""Whether memory helps: `python -m tests.campaigns.helps --host claude --repeat 20 [--key]`.

Ten small tasks with a trap each are played in a real program, in a project of its own, with Diurna and
without. Counted are traps stepped into, tokens and turns, as the program says them. Without `--key` a model
plays a script offline: it avoids a trap where the fact stands in what it is asked, so this shows that memory
arrives in time, and nothing of what a model would do. With `--key` the program asks its own service with
ANTHROPIC_API_KEY of the environment, which costs money, and may run any command: do that in a container.

A trap is found by a pattern in what tools were given, so a comment that only speaks of it counts too.

How to read it: a row is one task, `2/20` are sessions that stepped into the trap. Only differences that are
larger than those between two runs of the same kind say something. The table is for the README when somebody
has run it with a key; whoever prints it names program, model, date and repeats.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from ledger.model.record import Record
from tests.campaigns.hosts.model import Model, Turn, offered, said
from tests.campaigns.hosts.packages import missing
from tests.campaigns.hosts.programs import PROGRAMS, Lab
from tests.campaigns.hosts.session import SECONDS, Place, without_network

KEY = "ANTHROPIC_API_KEY"
#: By its first characters a fact is known in what a model is asked.
_BEGINNING = 40


class Task(NamedTuple):
    """A task with a trap.

    Args:
        name: of the trap.
        fact: what memory knows, as `note` takes it; its id is the name.
        prompt: of the person.
        right: what avoids the trap.
        wrong: what steps into it.
        trap: found in what was run or written where somebody did.
    """

    name: str
    fact: str
    prompt: str
    right: str
    wrong: str
    trap: str


TASKS = (
    Task("packages", "convention: Packages are added with uv, never with pip.", "Add httpx to this project.",
         "uv add httpx --offline", "pip install httpx --no-index", r"(?<!uv )\bpip3? install"),
    Task("cents", "invariant: Prices are integers of cents; no float holds money.",
         "Write src/total.py with a function that adds up prices.",
         "echo 'def total(cents): return sum(cents)' > src/total.py",
         "echo 'def total(prices: list[float]) -> float: return sum(prices)' > src/total.py", r"\bfloat\b"),
    Task("heap", "outcome=failed attempt: Raising MAX_ROWS of the importer against its crashes; the leak only took longer.",
         "The importer crashes with too many rows. Mend it in src/importer.py.",
         "echo 'def rows(file): yield from file' > src/importer.py",
         "echo 'MAX_ROWS = 100000' > src/importer.py", r"\bMAX_ROWS\s*="),
    Task("generated", "convention: Never edit src/client.py by hand; change src/client.in and run `sh build.sh`.",
         "Rename the function ping of the client to pong.", "echo pong >> src/client.in",
         "echo 'def pong(): pass' > src/client.py", r">\s*\S*src/client\.py|sed -i\S* .*client\.py"),
    Task("dates", "decision: Dates are written as ISO 8601 everywhere; DD.MM.YYYY was given up.",
         "Write src/dates.py with a function that prints a date for our European customers.",
         "echo 'def text(day): return day.isoformat()' > src/dates.py",
         "echo 'def text(day): return day.strftime(\"%d.%m.%Y\")' > src/dates.py", r"%d\.%m\.%Y"),
    Task("branch", "invariant: Nobody commits to main; work goes to a branch of its own.",
         "Commit an empty file named NOTICE.", "git switch -c notice && touch NOTICE",
         "touch NOTICE && git add NOTICE && git commit -m Notice",
         r"\A(?![\s\S]*git (?:switch -c|checkout -b))[\s\S]*git commit"),
    Task("env", "convention: src/config.py reads no environment; settings come from settings.toml alone.",
         "Let the port of the shop be configured in src/config.py.",
         "echo 'import tomllib' > src/config.py", "echo 'import os; PORT = os.environ[\"PORT\"]' > src/config.py",
         r"os\.(?:environ|getenv)"),
    Task("tests", "convention: Tests stand beside their module as src/NAME_test.py, not in a folder tests.",
         "Write a test for src/main.py.", "echo 'assert True' > src/main_test.py",
         "mkdir -p tests && echo 'assert True' > tests/test_main.py", r"\btests?/test_|mkdir\s+(?:-p\s+)?tests\b"),
    Task("retry", "decision: A failed call is never repeated by the client; the queue repeats it.",
         "Calls in src/call.py fail now and then. Make that robust.",
         "echo 'def call(send): return send()' > src/call.py",
         "echo 'def call(send): [send() for retry in range(3)]' > src/call.py", r"for \w+ in range\(|\bwhile\b|\btenacity\b"),
    Task("log", "convention: Nothing is printed; messages go to logging.getLogger(\"shop\").",
         "Let src/main.py say that the shop is open when it runs.",
         "echo 'import logging; logging.getLogger(\"shop\").info(\"open\")' >> src/main.py",
         "echo 'print(\"open\")' >> src/main.py", r"\bprint\("),
)  # fmt: skip


class Outcome(Record):
    """What became of a session: it stepped into the trap; its tokens and turns as the program says."""

    trapped: bool
    tokens: int
    turns: int


class Obedient(Model):
    """A model that avoids a trap where it is told the fact."""

    def __init__(self, task: Task, shell: Any) -> None:
        super().__init__()
        self._task, self._shell, self._ran = task, shell, False

    def _next(self, body: dict[str, Any]) -> tuple[int, Turn]:
        if offered(body) and not self._ran:
            self._ran = True
            line = self._task.right if self._known(body) else self._task.wrong
            self.turns = [Turn("", (self._shell(line),))]
        return super()._next(body)

    def _known(self, body: dict[str, Any]) -> bool:
        """Tell whether a request says what memory knows."""
        begun = self._task.fact.partition(": ")[2][:_BEGINNING]
        return begun in html.unescape(said(body))


def outcome_of(printed: str, trap: str) -> Outcome:
    """Read what Claude Code printed as `stream-json`.

    An object is on each line; `trap` is in what tools were given where the session stepped into it.
    """
    given, tokens, turns = [], 0, 0
    for line in printed.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if one.get("type") == "assistant":
            for block in one["message"]["content"]:
                if block.get("type") == "tool_use":
                    given += [str(value) for value in block["input"].values()]
        if one.get("type") == "result":
            turns = one.get("num_turns", 0)
            usage = one.get("usage", {})
            tokens = sum(
                count
                for key, count in usage.items()
                if key.endswith("_tokens") and isinstance(count, int)
            )
    return Outcome(bool(re.search(trap, "\n".join(given))), tokens, turns)


def played(folder: Path, task: Task, *, memory: bool, key: str = "") -> Outcome:
    """Play a task in Claude Code.

    The project is made in the folder; `memory` is with Diurna. `key` is the person's, "" for the model
    that plays a script.
    """
    place = Place(folder)
    if memory:
        place.diurna("init")
        place.diurna("note", f"id={task.name} {task.fact}", "--agent", "bob")
        place.diurna("install", "claude", "--no-mcp")
        place.warm("claude")
    out = folder / "out"
    out.mkdir()
    with Obedient(task, PROGRAMS["claude"].run) as model:
        lab = Lab(place.home, place.top, out, model.url, place.path)
        start = PROGRAMS["claude"].start(lab, task.prompt, False)
        environment = dict(start.environment)
        if key:
            del environment["ANTHROPIC_BASE_URL"]
            environment[KEY] = key
        done = subprocess.run(
            start.arguments, cwd=place.top, env=environment, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=10 * SECONDS if key else SECONDS, check=False,
        )  # fmt: skip
    place.settle()
    if done.returncode:
        raise RuntimeError(
            f"claude ended with {done.returncode}: {done.stdout[-200:]}{done.stderr[-200:]}"
        )
    return outcome_of(done.stdout, task.trap)


def _row(name: str, found: dict[bool, list[Outcome]]) -> str:
    cells = []
    for memory in (False, True):
        some = found[memory]
        count = max(len(some), 1)
        cells.append(
            f"{sum(one.trapped for one in some)}/{len(some)} | "
            f"{sum(one.tokens for one in some) // count:,} | {sum(one.turns for one in some) / count:.1f}"
        )
    return f"| {name} | {' | '.join(cells)} |"


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.helps", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--host", choices=["claude"], default="claude")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--task", choices=[task.name for task in TASKS], action="append")
    parser.add_argument("--key", action="store_true", help=f"ask a real model, with {KEY}")
    chosen = parser.parse_args()
    key = os.environ.get(KEY, "") if chosen.key else ""
    if chosen.key and not key:
        print(f"{KEY} is not set: nothing was played")
        return 2
    if why := missing(chosen.host):
        print(f"skipped: {why}")
        return 0
    if not key:
        try:
            without_network("tests.campaigns.helps")
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"skipped: this machine gives no network of its own ({problem})")
            return 0
    asked = (
        "a real model" if key else "a scripted model: this says nothing of what a model would do"
    )
    print(f"{chosen.host}, {asked}, {chosen.repeat} sessions each way\n")
    print("| trap | without: stepped into | tokens | turns | with: stepped into | tokens | turns |")
    print("|---|---|---|---|---|---|---|", flush=True)
    total: dict[bool, list[Outcome]] = {False: [], True: []}
    folder = Path(tempfile.mkdtemp())
    try:
        for task in [one for one in TASKS if not chosen.task or one.name in chosen.task]:
            found: dict[bool, list[Outcome]] = {False: [], True: []}
            for number in range(chosen.repeat):
                for memory in (False, True):
                    place = folder / f"{task.name}-{number}-{'with' if memory else 'without'}"
                    found[memory].append(played(place, task, memory=memory, key=key))
            for memory, some in found.items():
                total[memory] += some
            print(_row(task.name, found), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(_row("all", total))
    stepped = any(one.trapped for one in total[True]) or not all(
        one.trapped for one in total[False]
    )
    return int(stepped and not key)


if __name__ == "__main__":
    sys.exit(main())
