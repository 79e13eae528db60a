"""What a session is told when it is needed, on a real ledger: `python -m tests.campaigns.moments SHARED [--show]`.

Questions and orders are put as prompts to an imported ledger, with prompts and commands of other projects; rules
stand in a home of their own with commands that break them and commands that look near. All go the way of a hook
(`needed_at`). Then a hook is timed as a process against starting Python for nothing, in turn. Exits with 1 where a
figure misses its mark, and with 0 where SHARED is not there.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ledger.home import discover
from memory.query.open_snapshot import open_snapshot
from projection.text.command_rules import ANY, EDITS, stated
from rituals.cli.app import main as diurna
from rituals.hosts.adapters import PROMPT, TOOL
from rituals.hosts.context.broken_rules import programs_of
from rituals.hosts.context.moment_answer import needed_at
from rituals.hosts.context.moment_contents import make
from rituals.hosts.moments import Moment
from rituals.hosts.observed.shell import read
from tests.bench.__main__ import DIURNA, ENVIRONMENT, in_turn, nothing, spawn
from tests.bench.ledgers import brought_in

RUNS = 31


class Place:
    """A folder with a home, and what sessions in it are told.

    Args:
        folder: its top.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.commondir = discover(self.folder).repository.commondir
        make(self.commondir, self.folder, os.environ)
        snapshot = open_snapshot(discover(self.folder))
        #: the ids of its facts: importing leaves some without one, and their questions have no answer here
        self.facts = snapshot.ask(lambda cache: frozenset(cache.fact_ids()))

    def prompted(self, text: str) -> list[str]:
        """Return the ids of what a prompt is told."""
        return self._ids(Moment("claude", PROMPT, "s", self.folder, prompt=text))

    def ran(self, line: str) -> list[str]:
        """Return the ids of the rules that a line of shell is told, also those that have no room."""
        said = Moment("claude", TOOL, "s", self.folder, tool="Bash", given={"command": line})
        return self._ids(said, 99)

    def _ids(self, said: Moment, most: int = 0) -> list[str]:
        needed, outdated = needed_at(said, self.commondir, self.folder)
        assert not outdated
        if needed is None:
            return []
        room = needed._replace(most=most or needed.most, characters=99_999 if most else 600)
        return room.lines(())[1]


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Read a file with an object on each line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def prompts(place: Place, shared: Path, show: bool) -> list[tuple[str, float, float]]:
    """Ask what the ledger can answer, what it can not, and what other projects typed."""
    rows = []
    for name, file in (("questions", "facts/questions"), ("orders", "moment/imperative")):
        asked = [
            one
            for one in lines_of(shared / f"bench/{file}.jsonl")
            if one["kind"] == "none" or not place.facts.isdisjoint(one["gold"])
        ]
        told = [(one, place.prompted(one["question"])) for one in asked]
        wanted = [(one, ids) for one, ids in told if one["kind"] != "none"]
        right = [one for one, ids in wanted if set(ids) & set(one["gold"])]
        rows.append(
            (f"{name}: told the right fact of {len(wanted)}", len(right) / len(wanted), 0.70)
        )
        others = [one for one, ids in told if one["kind"] == "none" and ids]
        if len(wanted) < len(told):
            count = len(told) - len(wanted)
            rows.append((f"{name} without an answer: told of {count}", len(others) / count, -0.15))
        if show:
            for one, ids in wanted:
                if one not in right:
                    print(f"not told: {one['question']}  {ids}")
    foreign = [one["prompt"] for one in lines_of(shared / "bench/sessions/prompts.jsonl")]
    wrong = [(text, ids) for text in foreign if (ids := place.prompted(text))]
    if show:
        for text, ids in wrong:
            print(f"told: {text[:90]!r}  {ids}")
    rows.append(
        (f"prompts of other projects: told of {len(foreign)}", len(wrong) / len(foreign), -0.06)
    )
    return rows


def commands(folder: Path, shared: Path, show: bool) -> list[tuple[str, float, float]]:
    """Break rules, nearly break them, and run what others ran."""
    rules = lines_of(shared / "bench/moment/rules.jsonl")
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    texts = [f"id=rule-{rule['id']} convention: {rule['text']}" for rule in rules]
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        assert diurna(["init"]) == 0 and diurna(["note", *texts]) == 0
    place = Place(folder)
    met = [
        (f"rule-{rule['id']}" in place.ran(line), line) for rule in rules for line in rule["breaks"]
    ]
    near = [
        (line, rule)
        for rule in rules
        for line in rule["near"]
        if f"rule-{rule['id']}" in place.ran(line)
    ]
    ran = [one["command"] for one in lines_of(shared / "bench/sessions/commands.jsonl")]
    told = [(line, ids) for line in ran if (ids := place.ran(line))]
    # a rule of a program is told rightly where that program runs; whether it was worth a word, people judge
    against = {
        f"rule-{rule['id']}": {one.program for one in stated(rule["text"])} for rule in rules
    }
    wrong = [
        line
        for line, ids in told
        for names in [{ANY, EDITS, *[name for one in read(line) for name, _ in programs_of(one)]}]
        if any(names.isdisjoint(against[id]) for id in ids)
    ]
    if show:
        for line in [line for found, line in met if not found]:
            print(f"not told: {line}")
        for line, ids in told:
            print(f"told: {ids} {line[:120]!r}")
    return [
        (f"commands that break a rule: told of {len(met)}", sum(found for found, _ in met) / len(met), 0.85),
        (f"commands that look near: told of {sum(len(rule['near']) for rule in rules)}", float(len(near)), -0.0),
        (f"commands of other projects: told of {len(ran)} ({len(told)} in all), where no such program runs",
         len(wrong) / len(ran), -0.01),
    ]  # fmt: skip


def times(place: Place, asked: str) -> list[tuple[str, float, float]]:
    """Time a hook at a prompt as a process, with nothing and with something to say, against bare Python."""
    folder, rows = Path(place.folder), []
    begun = {"session_id": "timed", "cwd": place.folder}
    path = folder.parent / "payload.json"
    path.write_text(json.dumps({**begun, "source": "startup"}))
    spawn([DIURNA, "hook", "claude", "SessionStart"], folder, path)
    for name, text, mark in (
        ("nothing", "Commit this and push it, please.", 1.8),
        ("something", asked, 5.0),
    ):

        def ours(number: int, text: str = text) -> float:
            session = {**begun, "session_id": f"timed-{number}" if text == asked else "timed"}
            if text == asked:
                path.write_text(json.dumps({**session, "source": "startup"}))
                spawn([DIURNA, "hook", "claude", "SessionStart"], folder, path)
            path.write_text(json.dumps({**session, "prompt": text}))
            return spawn([DIURNA, "hook", "claude", "UserPromptSubmit"], folder, path)

        took, bare = in_turn(RUNS, ours, nothing(folder))
        pairs = sorted(a / b for a, b in zip(took, bare, strict=True))
        rows.append((f"hook with {name} to say / `python -c pass`", pairs[len(pairs) // 2], -mark))
    return rows


def main() -> int:
    """Ask, break, time, and compare with the marks: at least, or at most where they are negative."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.moments", description=__doc__)
    parser.add_argument("shared", type=Path, help="the folder of ledgers and sets")
    parser.add_argument(
        "--show", action="store_true", help="print what was missed, and what was told"
    )
    parser.add_argument("--times", action="store_true", help="time the hook, too")
    chosen = parser.parse_args()
    if not (chosen.shared / "bench" / "moment").is_dir():
        print(f"{chosen.shared} is not here: nothing was asked")
        return 0
    os.environ |= {name: ENVIRONMENT[name] for name in ENVIRONMENT if name.startswith("GIT_")}
    with tempfile.TemporaryDirectory() as temporary:
        place = Place(brought_in(chosen.shared / "ledgers" / "mercury", Path(temporary)))
        rows = [
            *prompts(place, chosen.shared, chosen.show),
            *commands(Path(temporary) / "rules", chosen.shared, chosen.show),
        ]
        if chosen.times:
            rows += times(place, "why was the v4.11.0 tag re-created?")
    lost = 0
    for what, found, mark in rows:
        missed = found > -mark if mark <= 0 else found < mark
        lost += missed
        print(
            f"{what}: {found:.2f}, {'at most' if mark <= 0 else 'at least'} {abs(mark):.2f}{' MISS' if missed else ''}"
        )
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
