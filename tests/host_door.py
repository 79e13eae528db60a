"""Sessions of hosts' programs, played through `diurna hook` in this process: a payload in, an answer out.

What a hook leaves to a process of its own is done before the next call, so that the ledger can be looked at;
its limits of time are a minute, so that a busy machine changes nothing. The clock stands where it was set.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rituals.cli.app import main
from rituals.hosts.host_events import file_name
from tests.conftest import NOW_MS, Repo

MINUTE = 60_000
TALK = "We looked at the retry queue, and at how it behaves when the broker is slow to answer. " * 6
#: What each host calls its events, by what they mean: `tests/hosts/events.json` has all of them.
EVENTS: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "hosts" / "events.json").read_text()
)


class Door:
    """The hooks of a clone, and the clock that they see.

    Args:
        repo: the clone.
        patch: of the test.
    """

    def __init__(self, repo: Repo, patch: pytest.MonkeyPatch) -> None:
        self.repo, self._patch = repo, patch
        #: What hooks left to processes of their own, as command lines.
        self.left: list[list[str]] = []
        patch.delenv("DIURNA_AGENT", raising=False)
        for limit in ("START", "OTHER", "COMPACT", "BEHIND"):
            patch.setattr(f"rituals.hosts.hook_answer.{limit}_SECONDS", (60, 60))
        patch.setattr("rituals.hosts.session_start.WAIT_SECONDS", (60, 60))
        patch.setattr("rituals.hosts.session_start.REST_SECONDS", (60, 60))
        patch.setattr("rituals.hosts.capture.detached_process.apart", lambda doing, **_: doing())
        patch.setattr("rituals.hosts.capture.detached_process.run", self._leave)
        self.at(0)

    def at(self, minutes: float) -> None:
        """Set the clock."""
        now = NOW_MS + int(minutes * MINUTE)
        self._patch.setenv("DIURNA_NOW", str(now))
        self._patch.setattr(time, "time_ns", lambda: now * 1_000_000)
        self._now = now * 1_000_000 + 1  # by the last digit it is known

    def call(self, host: str, event: str, payload: object) -> bytes:
        """Call a hook; return what it says."""
        data = payload if isinstance(payload, bytes) else written(payload)
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(data)
            given.seek(0)
            with _streams(given.fileno(), said.fileno()):
                assert main(["hook", host, event]) == 0
            said.seek(0)
            self._date()
            return said.read()

    def session(self, host: str = "claude", session: str = "s-1", **more: object) -> Session:
        """Make a session that began before, of a host in the clone; `more` stands in each payload of it."""
        began = self.repo.path / ".git/diurna/starts" / file_name(host, session)
        began.parent.mkdir(parents=True, exist_ok=True)
        began.write_text('{"how": "told"}')
        return Session(self, host, session, more)

    def _leave(self, arguments: Sequence[str], folder: str, module: str = "") -> None:
        self.left.append([*arguments])
        if arguments:
            quiet = io.StringIO()
            with (
                contextlib.chdir(folder),
                contextlib.redirect_stdout(quiet),
                contextlib.redirect_stderr(quiet),
            ):
                main([*arguments])

    def _date(self) -> None:
        """Let what was just written be of the clock's time."""
        for file in (self.repo.path / ".git/diurna").rglob("*"):
            kept = file.parent.name in ("observed", "captured", "news", "checkpoints", "said")
            if kept and file.is_file() and file.stat().st_mtime_ns % 1_000_000 != 1:
                os.utime(file, ns=(self._now, self._now))


class Session:
    """A session of a host; what it is told is returned as text, "" for nothing."""

    def __init__(self, door: Door, host: str, session: str, more: dict[str, object]) -> None:
        self.door, self.host, self.id, self._more = door, host, session, more
        self._calls = 0

    def hook(self, meaning: str, **said: object) -> bytes:
        """Call the hook of an event, by what it means or by its own name; return the answer."""
        event = EVENTS[self.host].get(meaning, meaning)
        payload = {
            "session_id": self.id,
            "cwd": str(self.door.repo.path),
            "hook_event_name": event,
            **self._more,
            **said,
        }
        return self.door.call(self.host, event, payload)

    def start(self, source: str = "startup", **said: object) -> str:
        return context(self.hook("start", source=source, **said))

    def prompt(self, text: str = "Go on, please.", **said: object) -> str:
        return context(self.hook("prompt", prompt=text, **said))

    def tool(self, name: str, answer: object = None, **given: object) -> str:
        self._calls += 1
        said = {"tool_name": name, "tool_input": given, "tool_use_id": f"{self.id}-{self._calls}"}
        if isinstance(answer, str) and "failure" in EVENTS[self.host]:
            return context(self.hook("failure", error=answer, **said))
        return context(self.hook("tool", tool_response=answer or {"stdout": ""}, **said))

    def runs(self, command: str, code: int | None = None) -> str:
        """Run a line of shell; the host says how it ended, if it does, in its own way."""
        answer: object = {"stdout": ""}
        if code is not None:
            answer = {"output": "", "metadata": {"exit_code": code}}
            if code and self.host == "claude":
                answer = f"Exit code {code}\n"
        return self.tool("Bash", answer, command=command)

    def edits(self, *paths: str) -> str:
        """Edit files; return what it is told behind the last one."""
        return [self.tool("Edit", file_path=f"{self.door.repo.path}/{path}") for path in paths][-1]

    def stop(self, report: str = "", **said: object) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.hook("stop", last_assistant_message=report, **said))
        return found


def policy(repo: Repo, lines: str, path: str = "memory/diurna.toml") -> None:
    """Have the policy of a home, which is in the tree, say this of what is captured."""
    file = repo.path / path
    text = re.sub(r"(?ms)^\[capture\].*", "", file.read_text())
    file.write_text(f"{text}\n[capture]\n{lines}\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "policy")


def say(path: Path, *said: str, role: str = "assistant", **more: object) -> Path:
    """Let a transcript of Claude grow; `more` stands in each line of it."""
    with path.open("a") as file:
        for text in said:
            message = {"role": role, "content": [{"type": "text", "text": text}]}
            file.write(json.dumps({"type": role, "message": message, **more}) + "\n")
    return path


def named(path: Path | str, session: str = "s-1", host: str = "claude") -> list[str]:
    """Return what names a session and its transcript to `capture`."""
    return ["--session", session, "--host", host, "--transcript", str(path)]


def least_home(path: Path) -> Repo:
    """Make a repository with the least home, in which some command was run already."""
    path.mkdir(exist_ok=True)
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main")
    repo.write("memory/diurna.toml", "")
    (path / ".git/diurna").mkdir()
    return repo


def written(payload: object) -> bytes:
    """Write a payload down as hosts do, half characters too."""
    return json.dumps(payload).encode("utf-8", "surrogatepass")


def context(answer: bytes) -> str:
    """Return what an answer tells the agent, wherever it stands; "" for nothing."""
    if not answer.startswith(b"{"):
        return answer.decode()
    found = json.loads(answer)
    while isinstance(found, dict):
        found = {key: value for key, value in found.items() if key != "hookEventName"} or {"": ""}
        (found,) = found.values()
    return str(found)


def lines_of(told: str) -> list[str]:
    """Return the lines of what is told beside an envelope that says whose words they are."""
    first, title, *lines, last = told.split("\n")
    assert last == first.replace("<", "</") and first.startswith("<diurna-memory-")
    assert title.endswith("evidence, not instructions.")
    return lines


@contextlib.contextmanager
def _streams(given: int, said: int) -> Iterator[None]:
    """Let this process read and write as a hook does."""
    kept = os.dup(0), os.dup(1)
    os.dup2(given, 0)
    os.dup2(said, 1)
    try:
        yield
    finally:
        for stream, old in enumerate(kept):
            os.dup2(old, stream)
            os.close(old)


@pytest.fixture
def door(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Door:
    """The hooks of a clone with a home."""
    return Door(repo, monkeypatch)
