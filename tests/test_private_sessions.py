"""What somebody said that nothing may keep is kept nowhere: `<private>`, silent sessions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import NOW_MS, Repo, Run, holders
from tests.host_door import MINUTE, TALK, Door, Session, say
from tests.host_door import door as door
from tests.test_hosts_extraction import Model
from tests.test_ways_in import MARK, WORK

#: Each hides the mark, and leaves what stands around it.
HIDDEN = (
    f"<private>We decided to use {MARK}.</private>",
    f"<PRIVATE>We decided to use {MARK}.\n\nReally.</Private >",
    f"<private>We decided <private>to</private> use {MARK}.</private>",
    f"< private reason='x'>We decided to use {MARK}.</ private>",
    f"&lt;private&gt;We decided to use {MARK}.&lt;/private&gt;",
)
STAYS = [
    "The form honours `<private>` tags.", "<privateKey>abc</privateKey>", "private: true",
    "The contract between us and the vendor ends.", "class A { private: int x; }", "a < private",
    "The record of the order is off by one.",
]  # fmt: skip


@pytest.fixture
def prompt(door: Door, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a program that reads sessions was given; it finds nothing."""
    model = Model(door, run, monkeypatch)
    model.script(f"cat >> {model.folder}/prompt; echo '[]'")
    return model.folder / "prompt"


@pytest.mark.parametrize("said", HIDDEN)
def test_nothing_of_it_is_kept_anywhere(door: Door, run: Run, prompt: Path, said: str) -> None:
    """Hooks, checkpoint, what opencode hands over, what a model is given, the log: no byte of it; the rest stays."""
    transcript = door.repo.path.parent / "s-1.jsonl"
    session = door.session(transcript_path=str(transcript))
    session.start()
    session.prompt(f"{said}\n\nGo on with the webhooks.")
    session.stop(f"{said}\n\n{WORK}")
    say(transcript, f"{said}\n\nGo on with the webhooks.", role="user")
    say(transcript, f"{WORK}\n\n{TALK}\n\n{said}\n\n" + "\n\n".join(STAYS))
    door.at(1)
    session.hook("precompact", trigger="auto")
    parts = [{"type": "text", "text": f"{said}\n\n{WORK}"}]
    messages = [{"info": {"id": "1", "role": "user"}, "parts": parts}]
    door.session("opencode", "s-2").hook("stop", tool_input={"messages": messages})
    assert run("capture").code == 0
    (log,) = [
        one
        for one in (door.repo.path / "memory/sessions").rglob("*.md")
        if "## Turns" in one.read_text()
    ]
    assert [one for one in STAYS if one not in log.read_text()] == []
    assert "webhooks" in prompt.read_text() and MARK not in prompt.read_text()
    assert holders(door.repo.path, MARK) == []


def test_what_is_recorded_on_purpose_is_without_it(repo: Repo, run: Run) -> None:
    """A passage is left out, and that is said; a fact of nothing else is refused, an import leaves it out.

    What is not closed is private to its end, and what stands before it stays.
    """
    done = run("note", f"id=queue decision: The queue is Redis. <private>{MARK}</private>")
    assert done.code == 0 and "what stood in <private> was not stored" in done.err
    refused = run("note", f"<private>{MARK}</private>")
    assert refused.code == 1 and "says nothing outside of <private>" in refused.err
    assert (
        run("append", "--title", "Day", "--body", "-", stdin=f"<private>{MARK}".encode()).code == 0
    )
    repo.write(
        "f.jsonl", f'{{"text": "<private>{MARK}</private>"}}\n{{"text": "{WORK}<private>{MARK}"}}'
    )
    (new,) = run("import", "jsonl", "f.jsonl", "--write", "--json").json["new"]
    assert new["text"] == WORK
    assert holders(repo.path / ".git", MARK) == holders(repo.path / "memory", MARK) == []


def says(session: Session, transcript: Path, minute: float, text: str, role: str = "user") -> None:
    """Say something: the hook, then a line of the transcript."""
    session.door.at(minute)
    session.prompt(text) if role == "user" else session.stop(text)
    at = datetime.fromtimestamp((NOW_MS + minute * MINUTE) / 1000, UTC).isoformat()
    say(transcript, text, role=role, timestamp=at)


def observed(door: Door) -> str:
    return "".join(one.read_text() for one in (door.repo.path / ".git/diurna/observed").glob("*"))


@pytest.mark.parametrize("named", [True, False])
def test_a_silent_session_leaves_nothing(
    door: Door, run: Run, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """Neither spool, stamp, checkpoint nor log, then or later; what was said before and behind it is told."""
    transcript = door.repo.path.parent / "s-1.jsonl"
    session = door.session(transcript_path=str(transcript))
    run("note", "id=retries decision: A webhook is sent again three times.")
    session.start()
    says(session, transcript, 1, "How are amounts stored?")
    says(
        session, transcript, 2, f"{TALK} We decided that amounts are stored in cents.", "assistant"
    )
    if named:
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session.id)
    says(
        session, transcript, 3, f"Go private, we decided to use {MARK}." if named else "Go private."
    )
    say(transcript, f"{TALK} We use {MARK if named else 0}.", timestamp="2026-11-21T08:33:18Z")
    door.session(session="other", transcript_path=f"{transcript}.other").stop("I look.")
    door.at(3.1)
    silent = run("private", "on", "--json").json["silent"]
    assert [one["session"] for one in silent] == [session.id if named else ""]
    assert run("status", "--json").json["silent"] == [session.id if named else ""]
    assert "until `diurna private off`" in run("status").out
    if not named:
        says(session, transcript, 4, "Wait.")
    assert "A webhook is sent again" in session.start("resume")
    says(session, transcript, 5, f"We decided to use {MARK}.")
    says(session, transcript, 6, f"{TALK} We decided to use {MARK}.", "assistant")
    session.tool("Write", file_path=f"{door.repo.path}/{MARK}.py")
    session.hook("precompact", trigger="auto")
    session.hook("end", reason="other")
    door.at(7)
    assert run("private", "off", "--json").json["silent"] == []
    says(session, transcript, 8, "How is the cache keyed?")
    says(session, transcript, 9, f"{TALK} We decided that it is by tenant.", "assistant")
    assert run("capture").code == 0
    told = "".join(one.read_text() for one in (door.repo.path / "memory/sessions").rglob("*.md"))
    assert "cents" in told and "tenant" in told
    assert holders(door.repo.path, MARK) == []


def test_another_session_is_heard(door: Door, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silence of one session is not that of others, nor that of another work tree."""
    repo = door.repo
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "somebody-else")
    assert run("private", "on").out == f"session somebody-else in {repo.path} is silent\n"
    assert run("private", "on").code == 0 and len(run("private", "--json").json["silent"]) == 1
    session = door.session()
    session.start()
    session.runs("git push origin retries")
    assert "git push origin retries" in observed(door)
    other = repo.path.parent / "other"
    repo.git("worktree", "add", "-q", "-b", "other", str(other))
    monkeypatch.chdir(other)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert run("private").out == "no session is silent here\n"
    assert run("private", "on").code == 0
    again = door.session(session="second", cwd=str(other))
    again.start()
    again.runs(f"git push origin {MARK}")
    assert MARK not in observed(door)
    monkeypatch.chdir(repo.path)
    assert [one["session"] for one in run("private", "--json").json["silent"]] == ["somebody-else"]
