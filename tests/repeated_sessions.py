"""Play the sessions of `repeated_sessions.txt` through hooks and capture, and score what the report finds again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from memory.api import Memory
from rituals.cli.app import main
from rituals.report.lifecycle_report import report
from tests.captured_sessions import say, tell
from tests.told_sessions import ToldSession

TEXT = Path(__file__).with_name("repeated_sessions.txt")


class Scene(NamedTuple):
    """A session: its half, what is to be found in it as (what, id), and (sign, text) of each step."""

    half: str
    wanted: frozenset[tuple[str, str]]
    steps: tuple[tuple[str, str], ...]


class Score(NamedTuple):
    """How many of what was planted, and what was found in a session that has no such thing."""

    planted: int
    missed: list[tuple[str, str, str]]
    wrong: list[tuple[str, str, str]]
    sessions: int


def scenes() -> tuple[list[str], list[Scene]]:
    """Return the facts, as `note` takes them, and the sessions."""
    facts, found = [], []
    for block in TEXT.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.split("\n") if line and line[0] != "#"]
        facts += [f"id={line[5:]}" for line in lines if line[:5] == "fact "]
        if lines and lines[0][:8] == "session ":
            wanted = [tuple(line[6:].split(" ")) for line in lines if line[:6] == "found "]
            steps = [(line[0], line[2:]) for line in lines if line[0] in "><$"]
            found.append(Scene(lines[0].split(" ")[1], frozenset(wanted), tuple(steps)))  # type: ignore[arg-type]
    return facts, found


def played(folder: Path, patch: pytest.MonkeyPatch, half: str) -> Score:
    """Note the facts in a home, play the sessions of a half, and compare what each is said to repeat.

    The half is "tune" or "held".
    """
    facts, found = scenes()
    assert main(["note", *facts]) == 0
    planted, missed, wrong, before = 0, [], [], set[tuple[str, str, int]]()
    chosen = [one for one in found if one.half == half]
    for number, scene in enumerate(chosen):
        name = f"{half}-{number:02d}"
        session = ToldSession(str(folder), patch, session=name)
        transcript = folder.parent / f"{name}.jsonl"
        _play(session, scene, transcript)
        memory = Memory.open(str(folder))
        tell(memory, transcript, session=name)
        again = report(memory).repeats
        memory.close()
        now = {
            *[("corrected", id, count) for id, count in again.corrected],
            *[("retried", id, count) for id, count in again.retried],
            *[("broken", id, first + more) for id, first, more in again.broken],
        }
        new = {(what, id) for what, id, _ in now - before}
        planted += len(scene.wanted)
        missed += [(name, *one) for one in sorted(scene.wanted - new)]
        wrong += [(name, *one) for one in sorted(new - scene.wanted)]
        before = now
    return Score(planted, missed, wrong, len(chosen))


def _play(session: ToldSession, scene: Scene, transcript: Path) -> None:
    session.start()
    for sign, text in scene.steps:
        if sign == ">":
            session.prompt(text)
            say(transcript, text, role="user")
        elif sign == "<":
            say(transcript, text)
        else:
            session.run(text)
            use = {
                "type": "tool_use",
                "id": f"t{len(text)}",
                "name": "Bash",
                "input": {"command": text},
            }
            message = {"role": "assistant", "content": [use]}
            with open(transcript, "a", encoding="utf-8") as file:
                file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
    session.call("Stop", stop_hook_active=False)
