"""`diurna capture --past`: sessions from before the hooks, from where each host keeps its transcripts."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import NOW_MS, Repo, Run
from tests.host_door import TALK, Door, say
from tests.host_door import door as door
from tests.world import git

WORK = f"The work of NAME is done as it was asked for, and well so. {TALK}"
Lines = list[dict[str, object]]


def keep(user: Path, path: str, lines: Lines, hours: int = 1) -> Path:
    """Let a host have written a transcript some hours ago."""
    file = user / path
    file.parent.mkdir(parents=True, exist_ok=True)
    name = file.parent.name if file.stem == "events" else file.stem[-1]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_text(text.replace("NAME", name))
    then = NOW_MS / 1000 - 3600 * hours
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


@pytest.fixture
def user(door: Door, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user."""
    monkeypatch.setenv("HOME", str(door.repo.path.parent / "user"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return door.repo.path.parent / "user"


def past(run: Run) -> list[tuple[str, str]]:
    """The sessions that are shown, in that order: of which host, and whose work it says it is."""
    lines = run("capture", "--past", "--show").out
    return re.findall(r"(?ms)^2026-\d\d-\d\d  (\w+)  Session.*?^The work of (\w) ", lines)


def test_each_host_is_read_where_it_keeps_them(
    user: Path, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest comes first; what worked in a folder below is ours, what worked beside it is not.

    A variable moves the folder of a host, as it does for the programs themselves.
    """
    top = repo.path
    (top / "api").mkdir()
    name = spelled(top)
    said: dict[str, object] = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": WORK}]},
    }

    def keeps(path: str, lines: Lines, hours: int = 1, said: dict[str, object] = said) -> None:
        keep(user, path, [*lines, said], hours)

    keeps(f".claude/projects/{name}/a.jsonl", claude(str(top)), 5)
    keeps(f".claude/projects/{name}-api/b.jsonl", claude(str(top / "api")), 4)
    keeps(f".claude/projects/{name}-2/c.jsonl", claude(f"{top}-2"))
    keeps(f".claude/projects/{name}/d.jsonl", claude(str(top), isSidechain=True))
    text = [{"type": "output_text", "text": WORK}]
    item: dict[str, object] = {"type": "message", "role": "assistant", "content": text}
    told: dict[str, object] = {"type": "response_item", "payload": item}
    keeps(".codex/sessions/2026/11/01/rollout-1-e.jsonl", codex(str(top), "e"), 3, told)
    keeps(".codex/archived_sessions/rollout-1-f.jsonl", codex(str(top), "f"), 6, told)
    keeps(
        ".codex/sessions/2026/11/01/rollout-1-g.jsonl",
        codex(str(top), "g", {"subagent": 1}),
        1,
        told,
    )
    keeps(".codex/sessions/2026/11/01/rollout-1-h.jsonl", codex(str(user), "h"), 1, told)
    start: dict[str, object] = {"data": {"sessionId": "i", "context": {"cwd": str(top)}}}
    answer: dict[str, object] = {"type": "assistant.message", "id": "1", "data": {"content": WORK}}
    keeps(".copilot/session-state/i/events.jsonl", [start], 2, answer)
    chat: Lines = [{"sessionId": "j", "projectHash": sha256(str(top).encode()).hexdigest()}]
    gemini: dict[str, object] = {"id": "1", "type": "gemini", "content": WORK}
    keeps(".gemini/tmp/my-work/chats/session-1.jsonl", chat, 7, gemini)
    qwen: dict[str, object] = {
        "type": "assistant",
        "message": {"role": "model", "parts": [{"text": WORK}]},
    }
    keeps(f".qwen/projects/{name}/chats/k.jsonl", claude(str(top)), 8, qwen)
    keeps("elsewhere/sessions/2026/01/02/rollout-1-m.jsonl", codex(str(top), "m"), 9, told)
    found = past(run)
    assert found == [
        ("qwen", "k"), ("gemini", "1"), ("codex", "f"), ("claude", "a"), ("claude", "b"),
        ("codex", "e"), ("copilot", "i"),
    ]  # fmt: skip
    monkeypatch.setenv("CODEX_HOME", str(user / "elsewhere"))
    assert past(run) == [("codex", "m"), *[one for one in found if one[0] != "codex"]]


@pytest.mark.parametrize("lines", [[], [{}], [{"type": "user", "cwd": 3}], [{"payload": []}]])
def test_what_says_nothing_is_nobodys(user: Path, repo: Repo, run: Run, lines: Lines) -> None:
    """Nor is what is being written, a link, or a folder of that name."""
    folder = f".claude/projects/{spelled(repo.path)}"
    keep(user, f"{folder}/a.jsonl", lines)
    keep(user, f"{folder}/alive.jsonl", claude(str(repo.path)), 0)
    real = keep(user, "real.jsonl", claude(str(repo.path)))
    for file in ("a.jsonl", "alive.jsonl"):
        say(user / folder / file, TALK)
    say(real, TALK)
    for file, hours in (("a.jsonl", 1), ("alive.jsonl", 0)):
        os.utime(user / folder / file, (NOW_MS / 1000 - 3600 * hours,) * 2)
    (user / folder / "link.jsonl").symlink_to(real)
    (user / folder / "folder.jsonl").mkdir()
    assert run("capture", "--past").out == "no past session of this folder is found\n"


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


def test_the_past_is_shown_then_told_once_at_its_own_time(user: Path, door: Door, run: Run) -> None:
    """Nothing is written before somebody said so; no session is counted, and a hook goes on behind it."""
    home = door.repo.path
    file = keep(user, f".claude/projects/{spelled(home)}/s1.jsonl", claude(str(home)))
    say(file, "Why do the retries hang?", "Remember: parcels go by rail.", role="user")
    say(file, TALK)
    size, then = file.stat().st_size, NOW_MS / 1000 - 40 * 86_400
    os.utime(file, (then, then))
    shown = run("capture", "--past")
    assert shown.out.splitlines()[-1] == "1 past session of this folder; 1 would be told"
    assert shown.out.startswith("2026-10-12  claude  ") and "--write" in shown.err
    assert run("capture", "--past", "--since", "2026-11-01").out.startswith("no past session")
    assert run("log", "--json").json["sessions"] == []
    assert run("capture", "--past", "--write").out.endswith("told in 2 logs\n")
    assert run("capture", "--past", "--write").out.endswith("none would be told\n")
    log, _ = run("log", "--json").json["sessions"]
    assert (log["type"], log["ended"][:10]) == ("import", "2026-10-12")
    assert "retries hang" not in door.session("codex", "x").start()  # it was asked long ago
    assert "0 work sessions" in run("status").out
    assert run("check", "--ci").code == 0
    say(file, TALK.replace("broker", "server"))
    session = door.session(session="s1", transcript_path=str(file))
    session.start()
    session.hook("end", reason="other")
    spans = [
        re.findall(r"^transcript: \S+ (\d+)-(\d+)$", one.read_text(), re.MULTILINE)
        for one in sorted((home / "memory/sessions").rglob("*.md"))
    ]
    assert spans == [[], [("0", str(size))], [(str(size), str(file.stat().st_size))]]
