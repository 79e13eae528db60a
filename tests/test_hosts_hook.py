"""`diurna hook HOST EVENT`: one JSON object and exit code 0, whatever a host hands over."""

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

from ledger.environment import now_ms
from rituals.hosts import hook_answer, session_start
from rituals.hosts.adapters import HOSTS
from rituals.hosts.observed.observation_spool import Observation, spool_of
from tests.conftest import Repo, Run, diagonal
from tests.test_packaging import HEAVY

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT.parent / "shared" / "hosts" / "fixtures"
#: How much time a machine that does other things needs.
PATIENT = "import rituals.hosts.hook_answer as hook; hook.START_SECONDS = 60; "
RUN = "import sys; from rituals.cli.entry import main; sys.exit(main())"
STARTED = {
    "session_id": "87bd",
    "transcript_path": "/t",
    "hook_event_name": "SessionStart",
    "source": "startup",
}
TAKING = sorted(name for name, host in HOSTS.items() if host.keys)
Ask = Callable[..., Any]


@pytest.fixture
def ask(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Answer a hook in this process, in a home with a fact."""
    run("note", "id=retries decision: A webhook is sent again three times.")
    monkeypatch.delenv("DIURNA_AGENT")
    monkeypatch.setattr(hook_answer, "START_SECONDS", 60)

    def ask(host: str, event: str, payload: object = STARTED, **environment: str) -> Any:
        said = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        monkeypatch.setattr(hook_answer, "_read", lambda: said)
        answer = hook_answer.Call(host, event, {**os.environ, **environment}).answer()
        assert answer.count(b"\n") == 1 and answer.endswith(b"\n")
        return json.loads(answer)

    return ask


def context(answer: dict[str, Any]) -> str:
    """What the agent is told, wherever it stands."""
    while isinstance(answer, dict):
        answer = {key: value for key, value in answer.items() if key != "hookEventName"}
        (answer,) = answer.values()
    return str(answer)


@pytest.mark.parametrize("name", TAKING)
def test_the_start_of_a_session_is_answered_with_the_brief(ask: Ask, name: str) -> None:
    """In the form that the host takes and with no other key; the same bytes while nothing changed."""
    host = HOSTS[name]
    answer = ask(name, host.start)
    told = context(answer)
    assert "A webhook is sent again three times." in told and told.endswith(session_start.RULE)
    assert f"you are {host.agent}" in told
    expected: object = told
    if host.keys[0] == "hookSpecificOutput":
        expected = {"hookEventName": host.start, "additionalContext": told}
    assert answer == {host.keys[0]: expected}
    assert ask(name, host.start) == answer
    assert "you are me," in context(ask(name, host.start, DIURNA_AGENT="me"))


@pytest.mark.parametrize(
    ("name", "event"),
    diagonal(HOSTS, ["Stop", "PreToolUse", "UserPromptSubmit", "preCompact", "", "x" * 999]),
)
def test_nothing_else_has_anything_to_say(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, name: str, event: str
) -> None:
    """Memory is not even opened."""
    monkeypatch.setattr(session_start, "context", None)
    assert ask(name, event) == {}


def test_who_runs_the_hooks_of_another_host_is_known(ask: Ask) -> None:
    """Copilot and Codex run what was installed for Claude, and want their own form."""
    payload = {
        "session_id": "5",
        "timestamp": "now",
        "cwd": "/repo",
        "source": "new",
        "initial_prompt": "go",
    }
    answer = ask("claude", "SessionStart", payload, COPILOT_CLI="1")
    assert list(answer) == ["additionalContext"] and "you are copilot" in context(answer)
    # Claude, started from a shell of Copilot's
    assert "you are claude-code" in context(ask("claude", "SessionStart", COPILOT_CLI="1"))
    codex = {**STARTED, "model": "m", "permission_mode": "default"}
    answer = ask("claude", "SessionStart", codex)
    assert list(answer) == ["hookSpecificOutput"] and "you are codex" in context(answer)


def test_a_host_with_hooks_of_its_own_is_told_once(
    ask: Ask, run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Copilot runs Claude's hooks beside its own, of the project or of the user: its own answers."""
    payload = {"session_id": "5", "cwd": str(repo.path), "source": "new"}
    monkeypatch.setenv("HOME", str(tmp_path))
    for more in ((), ("--user",)):
        assert "you are copilot" in context(ask("claude", "SessionStart", payload, COPILOT_CLI="1"))
        assert run("install", "copilot", "--no-mcp", *more).code == 0
        assert ask("claude", "SessionStart", payload, COPILOT_CLI="1") == {}
        assert "you are copilot" in context(ask("copilot", "sessionStart", payload))
        assert "you are claude-code" in context(ask("claude", "SessionStart"))
        assert run("install", "--remove", "copilot", *more).code == 0


@pytest.mark.parametrize(
    "payload",
    [b"", b"{", b"[]", b'"x"', b"null", b"\xff\xfe{}", b"\0" * 9, b"[" * 100_000, b'{"cwd": ' + b"9" * 5000],
    ids=range(9),
)  # fmt: skip
def test_what_is_no_object_is_answered_with_nothing(ask: Ask, payload: bytes) -> None:
    """Also where it is too deep, cut off or not text."""
    assert ask("claude", "SessionStart", payload) == {}


def test_a_byte_order_mark_is_skipped(ask: Ask) -> None:
    """And odd values in the payload mean the folder that it runs in."""
    said = b"\xef\xbb\xbf" + json.dumps({**STARTED, "cwd": 7}).encode()
    assert "A webhook" in context(ask("claude", "SessionStart", said))


def test_the_project_is_the_one_that_the_host_names(
    ask: Ask, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent's `cd` does not change it; without a home there is nothing to say."""
    monkeypatch.chdir(tmp_path)
    assert ask("claude", "SessionStart") == {}
    assert ask("claude", "SessionStart", {**STARTED, "cwd": "/nowhere"}) == {}
    assert "A webhook" in context(ask("claude", "SessionStart", {**STARTED, "cwd": str(repo.path)}))
    named = ask(
        "claude", "SessionStart", {**STARTED, "cwd": "/"}, CLAUDE_PROJECT_DIR=str(repo.path)
    )
    assert "A webhook" in context(named)
    assert ask("claude", "SessionStart", DIURNA_HOOKS="off", DIURNA_HOME=str(repo.path)) == {}


def test_what_waits_does_not_silence_it(ask: Ask, repo: Repo, run: Run) -> None:
    """Detached, with a log in the spool: the brief is told all the same."""
    repo.git("checkout", "-q", "--detach")
    assert run("note", "Another fact.").code == 1
    assert "A webhook" in context(ask("claude", "SessionStart"))


@pytest.mark.deep(reason="test_hosts_payloads has one event at a time")
def test_it_fits_what_hosts_take(ask: Ask, run: Run) -> None:
    """In characters and in bytes, also where each character has three of them."""
    text = "每一個網路掛鉤都會重試三次並帶有抖動。" * 12
    run("note", *[f"id=rule-{number} invariant: 第{number}條:{text}" for number in range(40)])
    told = context(ask("codex", "SessionStart"))
    assert 3000 < len(told.encode()) <= session_start.CONTEXT_BYTES
    text = "is long and plain. " * 20
    run("note", *[f"id=more-{number} invariant: Rule {number} {text}" for number in range(40)])
    told = context(ask("codex", "SessionStart"))
    assert (
        len(told) <= session_start.CONTEXT_CHARS
        and len(told.encode()) <= session_start.CONTEXT_BYTES
    )
    assert told.endswith(session_start.RULE)


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded payloads are not here")
def test_recorded_payloads_get_their_form(ask: Ask) -> None:
    """Each start that a real host was seen to announce is answered as that host wants it."""
    met = 0
    for file in sorted(FIXTURES.glob("*/[sS]essionStart*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        name = file.parent.name.split("-")[0]
        installed = "claude" if "claude-project" in file.name else name
        environment = {
            key: value for key, value in found["env"].items() if "PROJECT_DIR" not in key
        }
        answer = ask(installed, file.name.split(".")[0], found["stdin"], **environment)
        assert next(iter(answer)) == HOSTS[name].keys[0], file
        assert f"you are {HOSTS[name].agent}" in context(answer)
        met += 1
    assert met > 15


# ---- as a process ----------------------------------------------------------------------------------


def process(
    *arguments: str, stdin: bytes, before: str = PATIENT, **more: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-P", "-c", before + RUN, "hook", *arguments],
        input=stdin, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **more}, timeout=120,
    )  # fmt: skip


def test_as_a_process_it_never_fails(repo: Repo, run: Run) -> None:
    """One object, 0 and no word on standard error, whatever comes."""
    run("note", "id=retries decision: A webhook is sent again three times.")
    said = json.dumps(STARTED).encode()
    done = process("claude", "SessionStart", stdin=said)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "A webhook" in context(json.loads(done.stdout))
    for event, payload in (
        ("SessionStart", b""), ("SessionStart", b"\xff" * 99), ("SessionStart", b" " * (11 << 20)),
        ("Stop", said), ("Stop", b"x" * (11 << 20)), ("SessionEnd", b""),
    ):  # fmt: skip
        done = process("claude", event, stdin=payload)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b""), event


def test_a_fault_of_ours_is_noted_and_not_seen(repo: Repo) -> None:
    """The agent goes on; the note stands in the repository's own log file."""
    broken = "import rituals.hosts.session_start as starts\ndef context(*_): raise ValueError('odd')\nstarts.context = context; "
    done = process("claude", "SessionStart", stdin=json.dumps(STARTED).encode(), before=broken)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    noted = (repo.path / ".git" / "diurna" / "hooks.log").read_text(encoding="utf-8")
    assert "hook claude SessionStart: ValueError('odd')" in noted


def test_a_brief_that_takes_too_long_is_there_the_next_time(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit holds, and what is left of the process makes it, of the folder that the host named."""
    run("note", "id=retries decision: A webhook is sent again three times.")
    kept = sorted((repo.path / ".git" / "diurna" / "cache").glob("*.briefs"))
    assert kept == []
    slow = (
        "import rituals.hosts.hook_answer as hook, rituals.hosts.session_start as starts, time\n"
        "quick, hook.START_SECONDS = starts._brief, 0.2\n"
        "def slow(*given): time.sleep(0.5); return quick(*given)\n"
        "starts._brief = slow; "
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    started = json.dumps({**STARTED, "cwd": str(repo.path)}).encode()
    done = process("claude", "SessionStart", stdin=started, before=slow)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    until = time.monotonic() + 60
    while not list((repo.path / ".git" / "diurna" / "cache").glob("*.briefs")):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_host_that_never_ends_its_payload_is_not_waited_for(repo: Repo) -> None:
    """Neither at the start of a session nor elsewhere."""
    for event in ("SessionStart", "Stop"):
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "rituals", "hook", "claude", event],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(b'{"session_id": ')
        child.stdin.flush()
        assert child.wait(60) == 0
        assert child.stdout.read() == b"{}\n"
        child.stdin.close()
        child.stdout.close()


def answered_with(event: str, data: bytes) -> tuple[str, set[str]]:
    """Answer a hook of Claude's in a bare interpreter; return the answer and the modules that it loaded."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = ['diurna', 'hook', 'claude', {event!r}]\n"
        "before = set(sys.modules)\nimport os\nfrom rituals.cli.entry import main\n"
        "def leave(code): print(code, *set(sys.modules) - before, flush=True); leave_(code)\n"
        "leave_, os._exit = os._exit, leave\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], input=data, capture_output=True, timeout=60
    )
    answer, loaded = done.stdout.decode().split("\n", 1)
    code_, *names = loaded.split()
    assert code_ == "0"
    return answer, set(names)


def test_what_has_nothing_to_say_loads_nothing(repo: Repo) -> None:
    """No library, and nothing slow of the standard library, for the events that come all day."""
    answer, names = answered_with("Stop", b"{}")
    assert answer == "{}"
    assert {name.split(".")[0] for name in names}.isdisjoint(
        {*HEAVY, "memory", "projection", "signal"}
    )


#: Lets a hook take longer than it has.
SLOW = (
    "import rituals.hosts.hook_answer as hook, time\n"
    "hook.OTHER_SECONDS, find = 0.2, hook.Call._find\n"
    "def slow(*given): time.sleep(0.5); return find(*given)\n"
    "hook.Call._find = slow; "
)


def test_a_session_that_ends_where_the_time_was_up_is_told(repo: Repo) -> None:
    """Its boundary comes all the same: there may be no other start that picks up what is left."""
    spool = spool_of(str(repo.path / ".git"), "claude", "87bd")
    spool.add(Observation(now_ms(), "edit", "Write", "wrote code.py"), str(repo.path))
    said = {"session_id": "87bd", "cwd": str(repo.path), "reason": "other"}
    done = process("claude", "SessionEnd", stdin=json.dumps(said).encode(), before=SLOW)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    until = time.monotonic() + 60
    while not list(repo.path.glob(".git/diurna/captured/*.told")):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_a_session_did_is_kept_also_where_the_time_was_up(repo: Repo) -> None:
    """On a machine that is busy: nobody waits for it, and it is there a moment later."""
    edited = {
        "session_id": "87bd", "cwd": str(repo.path), "tool_name": "Edit", "tool_use_id": "t1",
        "tool_input": {"file_path": str(repo.path / "code.py")}, "tool_response": {},
    }  # fmt: skip
    done = process("claude", "PostToolUse", stdin=json.dumps(edited).encode(), before=SLOW)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    kept = repo.path / ".git" / "diurna" / "observed" / "claude-87bd.jsonl"
    until = time.monotonic() + 60
    while not (kept.exists() and b"edited code.py" in kept.read_bytes()):
        assert time.monotonic() < until
        time.sleep(0.05)
