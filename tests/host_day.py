"""Play a scripted day: one session of 60 prompts with tools, beside two other sessions that are as busy.

All goes through the hook, in this process, at the times of the script. What the first session was told is
counted, by what brought it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from rituals.cli.app import main
from rituals.hosts import hook_answer, session_start
from rituals.hosts.adapters import HOSTS
from rituals.hosts.context import compaction_checkpoint, session_news
from rituals.hosts.observed import admission, observation_spool

MINUTE = 60_000
PROMPTS, EVERY = 60, 8
#: Minute of the day, who records it, and what.
RECORDED = (
    (
        37,
        "codex",
        "decision: The importer reads files in parts of one megabyte, because larger ones were cut.",
    ),
    (
        75,
        "claude",
        "decision: Prices are integers of cents everywhere; the export alone writes a comma.",
    ),
    (130, "gemini", "thread: The certificate of the staging host ends in March."),
    (190, "codex", "convention: Tests of the importer use the recorded files under tests/data."),
    (260, "gemini", "fact: The nightly job takes twelve minutes since the index was added."),
    (
        330,
        "claude",
        "decision: A failed export is tried again three times, then it waits for a person.",
    ),
    (400, "codex", "decision: The old importer goes away with release 4."),
)
#: Minute of the day, who, and a line of shell.
RAN = (
    (100, "codex", "git commit -am 'importer: files are read in parts'"),
    (150, "gemini", "npm install chart.js"),
    (210, "gemini", "git commit -am 'charts: one for each month'"),
    (270, "codex", "git stash"),
    (290, "codex", "git commit -am 'importer: tests use recorded files'"),
    (380, "gemini", "git push origin main"),
    (440, "codex", "git commit -am 'importer: the old one is gone'"),
)
#: Minute of the day at which another session edits a file that the first one works on.
TOUCHED = ((90, "codex"), (200, "gemini"), (350, "codex"))
EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"),
    "codex": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"),
}


class Told(NamedTuple):
    """What the first session was told at once."""

    minute: int
    event: str
    text: str


class Day:
    """A day in a repository.

    Args:
        folder: its top; it has a home.
        patch: of the clocks.
        began: milliseconds since 1970.
    """

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, began: int) -> None:
        self.folder, self._patch, self._began = folder, patch, began
        self.told: list[Told] = []
        self._calls = 0

    def play(self) -> None:
        """Let it pass."""
        script: list[tuple[int, int, Callable[[int], None]]] = []

        def at(minute: int, act: Callable[[int], None]) -> None:
            script.append((minute, len(script), act))

        for host in EVENTS:
            at(0, partial(self._hook, host, 0, source="startup"))
        for number in range(PROMPTS):
            at(1 + number * EVERY, partial(self._turn, "claude", number))
        for number in range(PROMPTS * EVERY // 12):
            at(4 + number * 12, partial(self._turn, "codex", number))
            at(9 + number * 12, partial(self._turn, "gemini", number))
        for minute, host, text in RECORDED:
            at(minute, partial(self._record, host, text))
        for minute, host, line in RAN:
            at(minute, partial(self._tool, host, tool="Bash", command=line))
        for minute, host in TOUCHED:
            at(minute, partial(self._edit, host, f"src/orders/part_{(minute // EVERY) % 9}.py"))
        for minute, _, act in sorted(script, key=lambda one: one[:2]):
            self._at(minute)
            act(minute)

    def _turn(self, host: str, number: int, minute: int) -> None:
        """A prompt, the tools that it takes, and the end of the turn."""
        area = {"claude": "orders", "codex": "importer", "gemini": "charts"}[host]
        self._hook(host, 1, minute, prompt=f"Go on with step {number} of the {area}.")
        self._tool(host, minute, tool="Read", file_path=str(self.folder / "code.py"))
        for part in range(2):
            self._edit(host, f"src/{area}/part_{(number + part) % 9}.py", minute)
        self._tool(host, minute, tool="Bash", command=f"pytest -q tests/{area}")
        self._tool(host, minute, tool="Bash", command="ls src")
        self._hook(host, 3, minute, last_assistant_message=f"Step {number} is done.")

    def _edit(self, host: str, path: str, minute: int) -> None:
        self._tool(host, minute, tool="Edit", file_path=str(self.folder / path), new_string="x")

    def _tool(self, host: str, minute: int, *, tool: str, **given: str) -> None:
        self._calls += 1
        answer = {"stdout": "", "stderr": "", "interrupted": False}
        more = {"tool_use_id": f"call{self._calls}", "tool_response": answer}
        self._hook(host, 2, minute, tool_name=tool, tool_input=given, **more)

    def _record(self, host: str, text: str, minute: int) -> None:
        self._patch.setenv("DIURNA_AGENT", HOSTS[host].agent)
        assert main(["note", text, "--session", f"other-{host}"]) == 0
        self._patch.delenv("DIURNA_AGENT")

    def _hook(self, host: str, event: int, minute: int, **said: object) -> None:
        name = EVENTS[host][event]
        payload = {
            "session_id": f"{host}-1",
            "cwd": str(self.folder),
            "hook_event_name": name,
            **said,
        }
        payload["transcript_path"] = "/nowhere.jsonl"
        self._patch.setattr(hook_answer, "_read", lambda: json.dumps(payload).encode())
        call = hook_answer.Call(host, name, {**os.environ, "DIURNA_HOOKS": ""})
        answer = json.loads(call.answer())
        call.was_heard()
        if host == "claude" and answer:
            text = answer["hookSpecificOutput"]["additionalContext"]
            self.told.append(Told(minute, name, text))

    def _at(self, minute: int) -> None:
        now = self._began + minute * MINUTE
        for module in (
            session_news,
            session_start,
            compaction_checkpoint,
            observation_spool,
            admission,
        ):
            self._patch.setattr(module, "now_ms", lambda: now)
        self._patch.setenv("DIURNA_NOW", str(now))
