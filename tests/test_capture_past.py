"""`diurna capture --past`: sessions from before the hooks, from where each host keeps its transcripts."""

from __future__ import annotations

import json
import os
import re
import time
from hashlib import sha256
from pathlib import Path

import pytest

from ledger.environment import now_ms
from rituals.hosts.capture.session_choice import past_sessions
from rituals.hosts.capture.stamps import QUIET_MS
from tests.campaigns.homes import git, open_memory
from tests.captured_sessions import TALK, captured_texts, say, spans_of, tell
from tests.conftest import NOW_MS, Repo, Run

Lines = list[dict[str, object]]


def keep(user: Path, path: str, lines: Lines, hours: int = 1) -> Path:
    """Let a host have written a transcript some hours ago."""
    file = user / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    then = time.time() - 3600 * hours
    os.utime(file, (then, then))
    return file


def spelled(folder: Path) -> str:
    """Return what Claude calls a folder."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def claude(folder: str, **more: object) -> Lines:
    """Return the first lines of a transcript of Claude's."""
    return [{"type": "summary"}, {"type": "user", "cwd": folder, "sessionId": "x", **more}]


def codex(folder: str, session: str, source: object = "cli") -> Lines:
    """Return the first line of a transcript of Codex's."""
    return [{"type": "session_meta", "payload": {"id": session, "cwd": folder, "source": source}}]


def test_each_host_is_read_where_it_keeps_them(tmp_path: Path) -> None:
    """The oldest comes first; what worked in a folder below is ours, what worked beside it is not."""
    user, top = tmp_path / "user", tmp_path / "my work"
    (top / "api").mkdir(parents=True)
    name = spelled(top)
    keep(user, f".claude/projects/{name}/a.jsonl", claude(str(top)), 5)
    keep(user, f".claude/projects/{name}-api/b.jsonl", claude(str(top / "api")), 4)
    keep(user, f".claude/projects/{name}-2/c.jsonl", claude(f"{top}-2"))
    keep(user, f".claude/projects/{name}/d.jsonl", claude(str(top), isSidechain=True))
    keep(user, ".codex/sessions/2026/11/01/rollout-1-e.jsonl", codex(str(top), "e"), 3)
    keep(user, ".codex/archived_sessions/rollout-1-f.jsonl", codex(str(top), "f"), 6)
    keep(
        user, ".codex/sessions/2026/11/01/rollout-1-g.jsonl", codex(str(top), "g", {"subagent": 1})
    )
    keep(user, ".codex/sessions/2026/11/01/rollout-1-h.jsonl", codex(str(tmp_path), "h"))
    start: dict[str, object] = {"data": {"sessionId": "i", "context": {"cwd": str(top)}}}
    keep(user, ".copilot/session-state/i/events.jsonl", [start], 2)
    digest = sha256(str(top).encode()).hexdigest()
    chat: Lines = [{"sessionId": "j", "projectHash": digest}]
    keep(user, ".gemini/tmp/my-work/chats/session-1.jsonl", chat, 7)
    keep(user, f".qwen/projects/{name}/chats/k.jsonl", claude(str(top)), 8)
    found = past_sessions(str(top), str(user), {})
    assert [(one.host, one.session) for one in found] == [
        ("qwen", "k"), ("gemini", "j"), ("codex", "f"), ("claude", "a"), ("claude", "b"),
        ("codex", "e"), ("copilot", "i"),
    ]  # fmt: skip
    assert all(one.folder == str(top) and one.at < now_ms() - QUIET_MS for one in found)


def test_a_variable_moves_the_folder_of_a_host(tmp_path: Path) -> None:
    """As the programs themselves do; without one there it is empty."""
    keep(tmp_path, "elsewhere/sessions/2026/01/02/rollout-1-a.jsonl", codex(str(tmp_path), "a"))
    moved = past_sessions(str(tmp_path), "/nowhere", {"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert [one.session for one in moved] == ["a"]
    assert past_sessions(str(tmp_path), "/nowhere", {}) == []


@pytest.mark.parametrize("lines", [[], [{}], [{"type": "user", "cwd": 3}], [{"payload": []}]])
def test_what_says_nothing_is_nobodys(tmp_path: Path, lines: Lines) -> None:
    """Nor is what is being written, a link, or a folder of that name."""
    name = spelled(tmp_path)
    keep(tmp_path, f".claude/projects/{name}/a.jsonl", lines)
    keep(tmp_path, f".claude/projects/{name}/alive.jsonl", claude(str(tmp_path)), 0)
    real = keep(tmp_path, "real.jsonl", claude(str(tmp_path)))
    (tmp_path / f".claude/projects/{name}/link.jsonl").symlink_to(real)
    (tmp_path / f".claude/projects/{name}/folder.jsonl").mkdir()
    assert past_sessions(str(tmp_path), str(tmp_path), {}) == []


def test_the_folder_is_that_of_the_command_and_not_the_homes(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its commits are told with their bodies, by the session's repository; imports look there too."""
    user, quay = tmp_path / "user", tmp_path / "quay"
    quay.mkdir()
    git(quay, "init", "-q")
    git(quay, "config", "user.name", "Ada")
    git(quay, "config", "user.email", "ada@example.org")
    body = "The broker answers late under load, so a fixed delay piles requests up behind it."
    git(quay, "commit", "-q", "--allow-empty", "-m", f"queue: retries back off\n\n{body}")
    made = git(quay, "rev-parse", "--short", "HEAD").strip()
    monkeypatch.setenv("HOME", str(user))
    file = keep(user, f".claude/projects/{spelled(quay)}/s1.jsonl", claude(str(quay)))
    say(file, "Why do the retries hang?", role="user")
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git commit -F m"}}
    done = {"type": "tool_result", "tool_use_id": "t1", "content": f"[main {made}] queue: x\n"}
    with file.open("a") as lines:
        for role, content in (("assistant", call), ("user", done)):
            message = {"role": role, "content": [content]}
            lines.write(json.dumps({"type": role, "message": message}) + "\n")
    say(file, TALK)
    os.utime(file, (NOW_MS / 1000 - 86_400,) * 2)
    rules = keep(user, f".claude/projects/{spelled(quay)}/memory/MEMORY.md", [])
    rules.write_text("- Run the tests before a commit.\n")
    (quay / "api").mkdir()
    for folder in (quay, quay / "api"):
        monkeypatch.chdir(folder)
        shown = run("capture", "--past", "--show", "--home", str(repo.path))
        assert "1 past session" in shown.out and body in shown.out
        assert (
            f"{spelled(quay)}/memory\n"
            in run("import", "claude", "--home", str(repo.path), "--dry-run").out
        )
    monkeypatch.chdir(tmp_path)
    above = run("capture", "--past", "--home", str(repo.path)).out
    assert "1 past session" in above  # this folder is in no repository
    monkeypatch.chdir(repo.path)
    assert run("capture", "--past").out == "no past session of this folder is found\n"


def test_the_past_is_shown_then_told_once_at_its_own_time(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written before somebody said so; no session is counted, and a hook goes on behind it."""
    home = repo.path
    user = home.parent / "user"
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.chdir(home)
    file = keep(user, f".claude/projects/{spelled(home)}/s1.jsonl", claude(str(home)))
    say(file, "Why do the retries hang?", role="user")
    say(file, TALK)
    then = NOW_MS / 1000 - 40 * 86_400
    os.utime(file, (then, then))
    shown = run("capture", "--past")
    assert shown.out.splitlines()[-1] == "1 past session of this folder; 1 would be told"
    assert shown.out.startswith("2026-10-12  claude  ") and "--write" in shown.err
    assert run("capture", "--past", "--since", "2026-11-01").out.startswith("no past session")
    assert captured_texts(open_memory(home)) == []
    assert run("capture", "--past", "--write").out.endswith("told in 1 log\n")
    assert run("capture", "--past", "--write").out.endswith("none would be told\n")
    [log] = json.loads(run("log", "--json").out)["sessions"]
    assert (log["type"], log["ended"][:10]) == ("import", "2026-10-12")
    assert "0 work sessions" in run("status").out
    assert run("check", "--ci").code == 0
    say(file, TALK.replace("broker", "server"))
    memory = open_memory(home)
    tell(memory, file, session="s1")
    assert len(captured_texts(memory)) == 2
    assert spans_of(memory, "transcript")[1][1:] == (
        spans_of(memory, "transcript")[0][2],
        file.stat().st_size,
    )
