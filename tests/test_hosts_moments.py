"""What hosts say of an event is read as one `Moment`: claims about every payload that was recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.adapters import HOSTS, OTHER, caller, meaning
from rituals.hosts.moments import Moment, calls, moment
from tests.conftest import each_row

FIXTURES = Path(__file__).parent.parent.parent / "shared" / "hosts" / "fixtures"
RECORDED = sorted(FIXTURES.glob("*/*.json"))
#: What each file must be read as: event, and fields that are not "".
READ: dict[str, dict[str, object]] = {
    "SessionStart.startup": {"event": "start", "source": "startup"},
    "SessionStart.new": {"event": "start", "source": "startup"},
    "sessionStart.new": {"event": "start", "source": "startup"},
    "sessionStart.resume": {"event": "start", "source": "resume"},
    "SessionStart.resume": {"event": "start", "source": "resume"},
    "SessionStart.clear": {"event": "start", "source": "clear"},
    "SessionStart.compact": {"event": "start", "source": "compact"},
    "SessionStart.fork": {"event": "start", "source": "fork"},
    "UserPromptSubmit": {"event": "prompt", "prompt": ("go", "Write hello")},
    "userPromptSubmitted": {"event": "prompt", "prompt": "Write hello"},
    "BeforeAgent": {"event": "prompt", "prompt": "Write hello"},
    "PostToolUse.Write": {"event": "tool", "tool": "Write", "once": "toolu_0010f87fd202"},
    "PostToolUse.Bash": {"event": "tool", "tool": "Bash"},
    "PostToolUse.Agent": {"event": "tool", "tool": "Agent"},
    "PostToolUse.spawn_agent": {"event": "tool", "tool": "spawn_agent", "once": "call_0010a58f87"},
    "postToolUse.bash": {"event": "tool", "tool": "bash", "once": ""},
    "postToolUse.task": {"event": "tool", "tool": "task"},
    "PostToolUse.run_shell_command": {
        "event": "tool", "tool": "run_shell_command", "once": "call_00108a71f9",
    },
    "AfterTool.run_shell_command": {"event": "tool", "tool": "run_shell_command", "once": ""},
    "PostToolUseFailure.Bash": {
        "event": "failure", "answer": "Exit code 1\nhello", "once": "toolu_00203665ca87",
    },
    "PostToolBatch": {"event": "batch"},
    "PreCompact.auto": {"event": "precompact", "reason": "auto"},
    "preCompact.auto": {"event": "precompact", "reason": "auto"},
    "PreCompact.manual": {"event": "precompact", "reason": "manual"},
    "Stop": {"event": "stop"},
    "agentStop": {"event": "stop"},
    "AfterAgent": {"event": "stop", "message": "I run a command.\nAll done."},
    "SessionEnd.other": {"event": "end", "reason": "other"},
    "SessionEnd.clear": {"event": "end", "reason": "clear"},
    "SessionEnd.exit": {"event": "end", "reason": "exit"},
    "SessionEnd.prompt_input_exit": {"event": "end", "reason": "prompt_input_exit"},
    "SessionEnd.complete": {"event": "end", "reason": "complete"},
    "sessionEnd.complete": {"event": "end", "reason": "complete"},
    "SubagentStart": {"event": "subagent_start", "role": ("general-purpose", "default")},
    "subagentStart": {"event": "subagent_start", "role": "explore"},
    "SubagentStop": {"event": "subagent_stop"},
    "subagentStop": {"event": "subagent_stop", "message": "Sub report: nothing found."},
}  # fmt: skip


def read(file: Path, folder: Path) -> Moment:
    found = json.loads(file.read_text(encoding="utf-8"))
    name = file.parent.name.split("-")[0]
    installed = "claude" if "claude-project" in file.name else name
    variables = {**found["env"], "DIURNA_HOME": str(folder)}
    event = file.name.split(".json")[0].split(".")[0].split("_")[0]
    return moment(installed, event, found["stdin"], variables)


@pytest.mark.skipif(not RECORDED, reason="the recorded payloads are not here")
@each_row("file", [one for one in RECORDED if not one.parent.name.startswith("opencode")],
)  # fmt: skip
def test_every_recorded_payload_is_read(file: Path, tmp_path: Path) -> None:
    """Session, transcript, caller and what the event is about; what means nothing here is `other`."""
    found = read(file, tmp_path)
    said = json.loads(file.read_text(encoding="utf-8"))["stdin"]
    stem = file.stem.replace("_claude-project", "")
    # Claude's hooks give Copilot's tools Claude's names
    assert found.host == file.parent.name.split("-")[0]
    assert found.session == (said.get("session_id") or said.get("sessionId"))
    assert found.folder == str(tmp_path) and found.cwd == said["cwd"]
    wanted = READ.get(stem, {"event": OTHER})
    for field, value in wanted.items():
        assert getattr(found, field) in (value if isinstance(value, tuple) else (value,)), field
    if found.event in ("tool", "failure"):
        assert found.given and found.answer is not None
    if found.event == "subagent_stop":
        own = said.get("agent_transcript_path") or said.get("transcriptPath")
        assert found.transcript == own and found.agent and found.message
    if found.event == "stop" and found.host not in ("copilot",):
        assert found.message and found.transcript


@pytest.mark.skipif(not RECORDED, reason="the recorded payloads are not here")
def test_a_batch_is_its_calls(tmp_path: Path) -> None:
    """Each with the id that its own event has, so that it counts once."""
    for host, other in (("claude", "PostToolUse.Write"), ("qwen", "PostToolUse.run_shell_command")):
        (folder,) = FIXTURES.glob(f"{host}-*")
        (one,) = calls(read(folder / "PostToolBatch.json", tmp_path))
        alone = read(folder / f"{other}.json", tmp_path)
        assert (one.event, one.tool, one.once, one.given) == (
            alone.event, alone.tool, alone.once, alone.given,
        )  # fmt: skip


def test_the_plugin_of_opencode_speaks_claudes_words(tmp_path: Path) -> None:
    """With opencode's names of events and tools."""
    said = {
        "session_id": "ses_1", "cwd": str(tmp_path), "tool_name": "bash",
        "tool_input": {"command": "ls"}, "tool_response": {"output": "", "metadata": {"exit": 0}},
        "tool_use_id": "call_1",
    }  # fmt: skip
    found = moment("opencode", "tool.execute.after", said, {})
    assert (found.event, found.tool, found.once, found.session) == (
        "tool",
        "bash",
        "call_1",
        "ses_1",
    )
    assert found.given == {"command": "ls"} and found.folder == str(tmp_path)
    assert moment("opencode", "session.idle", said, {}).event == "stop"
    start = moment("opencode", HOSTS["opencode"].start, {**said, "source": "compact"}, {})
    assert (start.event, start.source) == ("start", "compact")


def test_who_calls_is_known_by_what_it_says() -> None:
    """Codex and Copilot run Claude's hooks; a Claude in a shell of Copilot's is Claude all the same."""
    claude = {"session_id": "1", "transcript_path": "/t/1.jsonl", "cwd": "/"}
    assert caller("claude", {"COPILOT_CLI": "1"}, claude).name == "claude"
    assert caller("claude", {"COPILOT_CLI": "1"}, {"sessionId": "1"}).name == "copilot"
    assert caller("claude", {}, {**claude, "turn_id": "1", "model": "m"}).name == "codex"
    ended = {**claude, "transcript_path": "/h/.codex/sessions/2026/rollout-2026-1.jsonl"}
    assert caller("claude", {}, ended).name == "codex"
    assert caller("copilot", {}, claude).name == "copilot"


@pytest.mark.parametrize("said", ["toolArgs", "tool_input"])
def test_a_patch_is_given_as_a_text(said: str) -> None:
    """Copilot hands over what `apply_patch` takes as it is; other tools' arguments may be JSON in a text."""
    patch = "*** Begin Patch\n*** Add File: /repo/src/pay.py\n+PAY = 1\n*** End Patch"
    payload = {"sessionId": "s", "cwd": "/repo", "toolName": "apply_patch", said: patch}
    found = moment("copilot", "postToolUse", payload, {})
    assert (found.tool, found.given) == ("apply_patch", {"input": patch})
    payload |= {"toolName": "bash", said: '{"command": "make"}'}
    assert moment("copilot", "postToolUse", payload, {}).given == {"command": "make"}


def test_every_host_names_its_start_and_means_something_by_each_event() -> None:
    """The table that `diurna install` enters."""
    for name, host in HOSTS.items():
        assert host.name == name and host.events[host.start] == "start"
        assert OTHER not in host.events.values() and "batch" not in host.events.values()
        assert "stop" in host.events.values()
        assert meaning(name, "Notification") == OTHER and meaning(name, "") == OTHER


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["session_id", "sessionId", "cwd", "tool_name", "toolArgs", "tool_input", "tool_calls", "prompt", "timestamp",
     "agent_id", "tool_use_id", "source", "transcript_path", "turn_id", "model", "permission_mode", "status"]
)  # fmt: skip


@given(st.dictionaries(KEYS, ANY), st.sampled_from(sorted(HOSTS)), st.data())
def test_no_payload_is_too_odd(payload: Mapping[str, Any], host: str, data: st.DataObject) -> None:
    """Every field has the type that it should have, whatever a host says."""
    event = data.draw(st.sampled_from([*HOSTS[host].events, "PostToolBatch", "x"]))
    found = moment(host, event, payload, {})
    blank = Moment("claude", "other")
    for field in Moment._fields:
        if field not in ("given", "answer"):
            assert type(getattr(found, field)) is type(getattr(blank, field)), field
    assert isinstance(found.given, dict) and found.host in HOSTS
    if found.event == "batch":
        assert all(one.event in ("tool", "failure") for one in calls(found))
