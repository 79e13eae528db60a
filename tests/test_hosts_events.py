"""What each event of a host does: observations, stamps, who folds them, and the session that MCP belongs to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rituals.hosts import hook_answer, payloads, processes
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture import detached
from rituals.hosts.observed.admission import observing
from rituals.hosts.observed.observation_spool import spool_of, spools
from tests.conftest import Repo, Run, laid_once

Call = Callable[..., Any]
PAYLOAD = {"session_id": "s-1", "transcript_path": "/t/s-1.jsonl", "cwd": "."}


@laid_once
def home(repo: Repo, run: Run) -> None:
    run("note", "id=retries decision: A webhook is sent again three times.")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would have been started detached."""
    found: list[list[str]] = []
    monkeypatch.setattr(detached, "run", lambda arguments, folder: found.append(list(arguments)))
    return found


@pytest.fixture
def call(home: Repo, started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call a hook in this process."""
    monkeypatch.setattr(hook_answer, "START_SECONDS", 60)
    monkeypatch.setattr(hook_answer, "OTHER_SECONDS", 60)

    def call(
        event: str, host: str = "claude", env: dict[str, str] | None = None, **said: Any
    ) -> Any:
        data = json.dumps({**PAYLOAD, "cwd": str(home.path), **said}).encode()
        monkeypatch.setattr(hook_answer, "_read", lambda: data)
        one = hook_answer.Call(host, event, {"HOME": str(home.path), **(env or {})})
        answer = one.answer()
        one.was_heard()
        one.follow_up()
        return json.loads(answer) if answer[:1] == b"{" else answer.decode()

    return call


def common(home: Repo) -> str:
    return str(home.path / ".git")


def whats(home: Repo, host: str = "claude", session: str = "s-1") -> list[str]:
    return [one.what for one in spool_of(common(home), host, session).read().observations]


def test_a_tool_leaves_an_observation(home: Repo, call: Call) -> None:
    """Once by its id, with paths from the top, whatever the agent's `cd`; what only looks leaves none."""
    assert call("PostToolUse", tool_name="Read", tool_input={"file_path": "a"}) == {}
    assert call("PostToolUse", tool_name="Bash", tool_input={"command": "git status"}) == {}
    assert spools(common(home)) == []
    path = str(home.path / "src" / "a.py")
    for _ in range(2):
        assert (
            call("PostToolUse", tool_name="Write", tool_input={"file_path": path}, tool_use_id="t1")
            == {}
        )
    call("PostToolBatch", tool_calls=[
        {"tool_name": "Write", "tool_input": {"file_path": path}, "tool_use_id": "t1"},
        {"tool_name": "Bash", "tool_input": {"command": "npm i x"}, "tool_use_id": "t2"},
    ])  # fmt: skip
    call(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "pytest"},
        error="Exit code 2\n",
        tool_use_id="t3",
    )
    assert whats(home) == ["wrote src/a.py", "npm i x", "pytest (exit 2)"]
    (spool,) = spools(common(home))
    assert spool.read().folder == str(home.path)


def test_what_is_said_and_done_is_observed(home: Repo, call: Call) -> None:
    """Decisions of a prompt and of the last message, and a task; a prompt is never kept whole."""
    secret = "please look. " * 50
    call("UserPromptSubmit", prompt=f"{secret}We decided to use SQLite. {secret}")
    call("UserPromptSubmit", prompt="thanks")
    call("Stop", last_assistant_message="All done. I chose SQLite over files.")
    call("TaskCompleted", task_id="1", task_subject="Choose a database")
    assert whats(home) == [
        "We decided to use SQLite.",
        "I chose SQLite over files.",
        "completed: Choose a database",
    ]


def test_a_stop_is_due_at_twenty(home: Repo, call: Call, started: list[list[str]]) -> None:
    """The end and a compaction always are; none of them is answered."""
    for number in range(19):
        call(
            "PostToolUse",
            tool_name="Edit",
            tool_input={"file_path": f"{home.path}/{number}"},
            tool_use_id=f"t{number}",
        )
    assert call("Stop") == {} and started == []
    call(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": f"{home.path}/x"}, tool_use_id="x"
    )
    assert call("Stop") == {}
    assert len(started) == 1 and "--session=s-1" in started[0] and "--why=stop" in started[0]
    assert call("SessionEnd", reason="other") == {} and isinstance(
        call("PreCompact", trigger="auto"), str
    )
    assert [line for one in started for line in one if line.startswith("--why")] == [
        "--why=stop",
        "--why=end",
        "--why=precompact",
    ]


def test_nothing_is_done_where_it_is_switched_off(
    home: Repo, call: Call, started: list[list[str]]
) -> None:
    """By the variable, by the policy, and where there is no home."""
    said = {"tool_name": "Write", "tool_input": {"file_path": f"{home.path}/a"}, "tool_use_id": "t"}
    off = {"DIURNA_HOOKS": "off"}
    for event in HOSTS["claude"].events:
        assert call(event, env=off, **said) == {}
    assert spools(common(home)) == [] and started == []
    assert sorted(os.listdir(home.path / ".git" / "diurna")) == before_any_hook(home)
    (home.path / "diurna.toml").unlink(missing_ok=True)
    note = home.path / ".git" / "diurna" / "observing"
    note.write_text("\noff\n")
    call("PostToolUse", **said)
    assert spools(common(home)) == []
    note.write_text("")
    call("PostToolUse", **said)
    assert len(spools(common(home))) == 1


def before_any_hook(home: Repo) -> list[str]:
    return [
        name
        for name in sorted(os.listdir(home.path / ".git" / "diurna"))
        if name not in ("observed", "captured", "news")
    ]


def test_without_a_home_nothing_is_left(tmp_path: Path, repo: Repo, call: Call) -> None:
    """A repository without a memory is not written to, and neither is a folder without a repository."""
    bare = tmp_path / "plain"
    subprocess.run(["git", "init", "-q", str(bare)], check=True)
    before = sorted(str(path) for path in bare.rglob("*"))
    said = {"tool_name": "Write", "tool_input": {"file_path": f"{bare}/a"}, "tool_use_id": "t"}
    for event in HOSTS["claude"].events:
        assert call(event, cwd=str(bare), **said) == {}
        assert call(event, cwd=str(tmp_path), **said) == {}
    assert sorted(str(path) for path in bare.rglob("*")) == before


def test_copilot_with_hooks_of_its_own_is_observed_once(home: Repo, call: Call, run: Run) -> None:
    """It runs Claude's beside them; without its own, Claude's observe it under its name."""
    said = {
        "tool_name": "Edit",
        "tool_input": {"path": f"{home.path}/a"},
        "timestamp": "2026-11-22T00:30:34.194Z",
    }
    env = {"COPILOT_CLI": "1"}
    call("PostToolUse", env=env, **said)
    call("PostToolUse", env=env, **said)
    assert whats(home, "copilot") == ["edited a"]
    assert run("install", "copilot", "--no-mcp").code == 0
    call("PostToolUse", env=env, **{**said, "tool_input": {"path": f"{home.path}/b"}})
    assert whats(home, "copilot") == ["edited a"]


def test_the_policy_is_noted_at_the_start(home: Repo, call: Call, run: Run) -> None:
    """Where its branch has moved: more words, or nothing at all."""
    from ledger.home import discover

    policy = next(home.path.rglob("diurna.toml"))
    for table, words, off in (
        ('decision_words = ["enades"]', ("enades",), False),
        ('keep = "off"', (), True),
    ):
        text = policy.read_text().split("\n[capture]")[0]
        policy.write_text(f"{text}\n[capture]\n{table}\n")
        home.git("add", "-A")
        home.git("commit", "-qm", "policy")
        assert "additionalContext" in str(call("SessionStart", source="startup"))
        noted = observing(common(home))
        assert (noted.words, noted.off) == (words, off)
        assert noted.tip == discover(str(home.path)).tip()


def test_a_full_disk_costs_the_agent_nothing(
    home: Repo, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is answered, and the fault is noted where doctor reads it."""
    from rituals.hosts.observed import observation_spool as spool

    def full(fd: int, data: bytes, size: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(spool, "_append", full)
        said = {
            "tool_name": "Write",
            "tool_input": {"file_path": f"{home.path}/a"},
            "tool_use_id": "t",
        }
        assert call("PostToolUse", **said) == {}
    (fault,) = payloads.faults(common(home))
    assert fault.said.startswith("hook claude PostToolUse: OSError(28") and fault.at.endswith("Z")
    call("PostToolUse", **said)
    assert whats(home) == ["wrote a"]


def test_the_log_of_faults_stays_small(tmp_path: Path) -> None:
    """Two files of 64 KiB at most, without secrets."""
    (tmp_path / "diurna").mkdir()
    token = "ghp_" + "a8Jd93kLmQ2xWv7Zr4Tn6Yb1Pc5Hs0Ug8EfK"
    for _ in range(700):
        payloads.note_fault(str(tmp_path), f"{token} " + "x" * 400 + "\ny")
    found = payloads.faults(str(tmp_path))
    assert found and token not in found[0].said and len(found[0].said) <= 320
    assert sum(path.stat().st_size for path in tmp_path.rglob("hooks.log*")) < 150_000
    assert payloads.faults(str(tmp_path / "none")) == []


# ---- the session that an MCP connection belongs to -------------------------------------------------


def test_a_server_finds_the_session_of_the_process_above_it(home: Repo) -> None:
    """Both are children of the host, the hook by a shell; a later session follows."""
    root = str(Path(__file__).parent.parent)
    host = (
        "import subprocess, sys\n"
        "note = 'from rituals.hosts.processes import note_session as n; import sys; n(*sys.argv[1:])'\n"
        "ask = 'from rituals.hosts.processes import noted_session as n; import sys; print(n(*sys.argv[1:]))'\n"
        "git, py = sys.argv[1], sys.executable\n"
        "subprocess.run([py, '-c', ask, git])\n"
        "for session in ('one', 'two'):\n"
        "    subprocess.run(['sh', '-c', '\"$@\"; true', 'sh', py, '-c', note, git, 'codex', session])\n"
        "    subprocess.run([py, '-c', ask, git])\n"
    )
    env = {**os.environ, "PYTHONPATH": root}
    command = [sys.executable, "-c", host, common(home)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
    assert done.stdout == "\none\ntwo\n", done.stderr
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
    assert done.stdout == "\none\ntwo\n"  # another process, whatever its number
    assert len(os.listdir(home.path / ".git" / "diurna" / "processes")) == 1  # the first is gone


def test_a_number_that_is_used_again_is_another_process(
    home: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began at another time."""
    processes.note_session(common(home), "codex", "one")
    assert processes.noted_session(common(home)) == "one"
    real = processes._stat

    def later(number: int) -> tuple[bytes, int, int] | None:
        found = real(number)
        return found and (found[0], found[1], found[2] + 1)

    monkeypatch.setattr(processes, "_stat", later)
    assert processes.noted_session(common(home)) == ""
    monkeypatch.setattr(processes, "_stat", lambda number: None)  # no /proc
    processes.note_session(common(home), "codex", "one")
    assert processes.noted_session(common(home)) == ""


def test_a_start_notes_its_session_for_the_server(home: Repo, call: Call) -> None:
    """The hook of the start does, and a log over MCP bears the session then."""
    from rituals.serve.mcp.serve import Setting, noted

    call(
        "SessionStart", "codex", source="startup", session_id="01a2", model="m", permission_mode="x"
    )
    from ledger.home import discover

    setting: Any = Setting(lambda: discover(str(home.path)), "", str, lambda: 0, None, None)  # type: ignore[arg-type]
    assert noted(setting) == "01a2"


# ---- as processes ------------------------------------------------------------------------------------


def test_hooks_beside_each_other_lose_nothing(home: Repo) -> None:
    """Ten at once, each moment twice, one of them killed: every acknowledged one is there once."""
    root = str(Path(__file__).parent.parent)
    before = "import rituals.hosts.hook_answer as hook; hook.OTHER_SECONDS = 60\nimport rituals.hosts.observed.observation_spool as s; s.PATIENCE_SECONDS = 60\n"
    code = before + "import sys; from rituals.cli.entry import main; sys.exit(main())"
    command = [sys.executable, "-P", "-c", code, "hook", "claude", "PostToolUse"]
    children = []
    for number in [*range(5), *range(5)]:
        said = {**PAYLOAD, "cwd": str(home.path), "tool_name": "Write", "tool_use_id": f"t{number}"}
        said["tool_input"] = {"file_path": f"{home.path}/{number}"}  # type: ignore[assignment]
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": root},
        )
        assert child.stdin is not None
        child.stdin.write(json.dumps(said).encode())
        child.stdin.close()
        children.append(child)
    time.sleep(0.05)
    children[9].kill()
    for child in children:
        assert child.stdout is not None
        answered = child.stdout.read()
        child.stdout.close()
        assert child.wait(60) in (0, -9) and answered in (b"{}\n", b"")
    assert sorted(whats(home)) == [f"wrote {number}" for number in range(5)]
