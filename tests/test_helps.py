"""The harness that counts traps: what it reads of a program's words, and what its own sessions step into."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.campaigns.helps import TASKS, Obedient, Outcome, Task, outcome_of, played
from tests.campaigns.hosts.packages import program
from tests.campaigns.hosts.programs import PROGRAMS
from tests.conftest import each_row


@each_row("task", TASKS)
def test_a_trap_is_stepped_into_by_what_is_wrong_alone(task: Task) -> None:
    """Each task's own two ways are told apart."""
    assert re.search(task.trap, task.wrong) and not re.search(task.trap, task.right)


def test_an_outcome_is_read_of_what_the_program_prints() -> None:
    """What tools were given, tokens of all kinds, turns; a line that is no object is passed over."""
    use = {"type": "tool_use", "name": "Bash", "input": {"command": "pip install x"}}
    lines = [
        "warning: x",
        json.dumps(
            {"type": "assistant", "message": {"content": [{"type": "text", "text": "jest"}, use]}}
        ),
        json.dumps(
            {"type": "result", "num_turns": 3, "usage": {"input_tokens": 5, "output_tokens": 2}}
        ),
    ]
    assert outcome_of("\n".join(lines), r"\bpip install") == Outcome(True, 7, 3)
    assert not outcome_of("\n".join(lines), "jest").trapped


def test_the_scripted_model_obeys_what_it_is_told() -> None:
    """By the fact's text in the request, not by a word of it."""
    task = TASKS[0]
    fact = task.fact.partition(": ")[2]
    for text, line in (("packages", task.wrong), (f"- packages: {fact}", task.right)):
        with Obedient(task, PROGRAMS["claude"].run) as model:
            _, turn = model._next({"system": text, "tools": [{"name": "Bash"}]})
        assert turn.calls[0].given["command"] == line  # type: ignore[index]


@pytest.mark.skipif(not program("claude").exists(), reason="Claude Code is not in the cache")
def test_memory_reaches_a_real_program_in_time(tmp_path: Path) -> None:
    """One task, with Diurna and without."""
    assert played(tmp_path / "without", TASKS[0], memory=False).trapped
    assert not played(tmp_path / "with", TASKS[0], memory=True).trapped
