"""What somebody said that nothing may keep is kept nowhere: `<private>`, "off the record", silent sessions."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.secrets.private_parts import without_private
from memory.api import Memory
from rituals.hosts import hook_answer as hook
from rituals.hosts.capture import boundary as bounds
from rituals.hosts.capture import detached
from rituals.hosts.context.compaction_checkpoint import save
from rituals.hosts.extraction import Extraction
from rituals.hosts.handed_messages import keep_messages
from rituals.hosts.moments import Moment, moment
from rituals.hosts.observed.observation_spool import spool_of
from rituals.hosts.transcripts.slices import Slice
from rituals.hosts.user_settings import Settings
from tests.campaigns.homes import OWN_BRANCH, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import SESSION, TALK, captured_texts, say, tell
from tests.conftest import Repo, Run, each_row, holders

MARK = "Quillfeather"
WORK = "We decided that webhooks retry three times, because the broker is slow."
#: Each hides the mark, and leaves what stands around it.
HIDDEN = (
    f"<private>We decided to use {MARK}.</private>",
    f"<PRIVATE>We decided to use {MARK}.\n\nReally.</Private >",
    f"<private>We decided <private>to</private> use {MARK}.</private>",
    f"< private reason='x'>We decided to use {MARK}.</ private>",
    f"&lt;private&gt;We decided to use {MARK}.&lt;/private&gt;",
    f"Off the record: we decided to use {MARK}.",
    f"We decided to use {MARK}. Please keep that between us.",
    f"Unter uns: wir haben uns für {MARK} entschieden.",
    f"Entre nous, on a choisi {MARK}.",
    f"Que quede entre nosotros: elegimos {MARK}.",
    f"Fica entre nós, escolhemos {MARK}.",
    f"Между нами, мы выбрали {MARK}.",
    f"我们决定用 {MARK}，别告诉别人。",
)
hidden = pytest.mark.parametrize("said", HIDDEN)


@hidden
def test_a_passage_is_taken_out_and_the_rest_stays(said: str) -> None:
    """In any case, nested, across lines, unclosed; a paragraph with such a word goes whole."""
    text = f"{WORK}\n\n{said}\n\nThe cache is keyed by tenant."
    left = without_private(text)
    assert MARK not in left and left.startswith(WORK) and left.endswith("keyed by tenant.")
    assert without_private(left) == left
    unclosed = without_private(f"{WORK}\n\n<private>{MARK}\n\n{WORK}")
    assert unclosed.strip() == WORK


@each_row(
    "said",
    [
        "The form honours `<private>` tags.", "<privateKey>abc</privateKey>", "private: true",
        "The contract between us and the vendor ends.", "class A { private: int x; }", "a < private",
        "The record of the order is off by one.", "",
    ],
)  # fmt: skip
def test_what_is_no_mark_stays(said: str) -> None:
    """Code, and the same words about something else."""
    assert without_private(said) == said


@hidden
def test_nothing_of_it_is_kept_anywhere(
    tmp_path: Path, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks, checkpoint, what opencode hands over, the slice that a model gets, the log: no byte of it."""
    home, transcript = tmp_path / "home", tmp_path / f"{SESSION}.jsonl"
    make_home(home, OWN_BRANCH)
    payload = {"session_id": SESSION, "cwd": str(home), "transcript_path": str(transcript)}
    seen = moment("claude", "UserPromptSubmit", {**payload, "prompt": f"{said}\n\n{WORK}"}, {})
    told = moment("claude", "Stop", {**payload, "last_assistant_message": f"{said}\n\n{WORK}"}, {})
    assert MARK not in repr((seen, told))
    say(transcript, TALK)
    say(transcript, f"{said}\n\n{WORK}", role="user")
    say(transcript, f"{WORK}\n\n{TALK}\n\n{said}")
    save(told._replace(folder=str(home)), discover(str(home)))
    parts = [{"type": "text", "text": said}]
    given = {"messages": [{"info": {"id": "1", "role": "user"}, "parts": parts}]}
    keep_messages(str(home / ".git"), Moment("opencode", "stop", SESSION, str(home), given=given))
    asked: list[Slice] = []

    def extract(part: Slice, *_: object) -> Extraction:
        asked.append(part)
        return Extraction((), "http:model")

    monkeypatch.setattr(bounds, "settings", lambda _: Settings(("http",)))
    monkeypatch.setattr(bounds, "extract", extract)
    memory = open_memory(home)
    tell(memory, transcript)
    assert asked and "webhooks" in repr(asked) and MARK not in repr(asked)
    assert "broker" in "".join(captured_texts(memory)) and holders(home, MARK) == []


def test_what_is_recorded_on_purpose_is_without_it(repo: Repo, run: Run) -> None:
    """A passage is left out, and that is said; a fact of nothing else is refused, an import leaves it out."""
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
    assert len(run("import", "jsonl", "f.jsonl", "--write", "--json").json["new"]) == 1
    assert holders(repo.path / ".git", MARK) == holders(repo.path / "memory", MARK) == []


class Host:
    """Claude Code in a work tree: its hooks, its transcript, and a clock."""

    def __init__(self, repo: Repo, patch: pytest.MonkeyPatch, session: str = SESSION) -> None:
        self.repo, self.patch, self.session = repo, patch, session
        patch.delenv("DIURNA_NOW", raising=False)
        self.transcript = repo.path.parent / f"{session}.jsonl"
        patch.setattr(detached, "spawn", lambda *_, **__: None)
        patch.setattr(hook, "START_SECONDS", 60)
        patch.setattr(hook, "OTHER_SECONDS", 60)
        patch.setattr(hook, "COMPACT_SECONDS", 60)

    def hook(self, event: str, **said: object) -> str:
        """Call a hook, a second after the last thing."""
        self.tick()
        payload = {"session_id": self.session, "cwd": os.getcwd(), "source": "startup",
                   "transcript_path": str(self.transcript), **said}  # fmt: skip
        self.patch.setattr(hook, "_read", lambda: json.dumps(payload).encode())
        call = hook.Call("claude", event, {"CLAUDE_PROJECT_DIR": os.getcwd()})
        answer = call.answer().decode()
        call.follow_up()
        return answer

    def says(self, text: str, role: str = "user") -> None:
        """Say something: the hook, then a line of the transcript."""
        self.hook("UserPromptSubmit" if role == "user" else "Stop",
                  **{"prompt" if role == "user" else "last_assistant_message": text})  # fmt: skip
        at = datetime.now(UTC).isoformat()
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        with self.transcript.open("a") as file:
            file.write(json.dumps({"type": role, "message": message, "timestamp": at}) + "\n")

    def tick(self) -> None:
        """Let some time go by: nothing happens at the same moment."""
        time.sleep(0.01)


@pytest.mark.parametrize("named", [True, False])
def test_a_silent_session_leaves_nothing(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """Neither spool, stamp, checkpoint nor log, then or later; what was said before and behind it is told."""
    run("note", "id=retries decision: A webhook is sent again three times.")
    host = Host(repo, monkeypatch)
    host.hook("SessionStart")
    host.says("We decided that amounts are stored in cents.")
    host.says(TALK, "assistant")
    if named:
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    time.sleep(2.1)  # what was said before is told
    host.says(f"Go private, we decided to use {MARK}." if named else "Go private.")
    host.tick()
    silent = run("private", "on", "--json").json["silent"]
    assert [one["session"] for one in silent] == [SESSION if named else ""]
    assert run("status", "--json").json["silent"] == [SESSION if named else ""]
    assert "until `diurna private off`" in run("status").out
    if not named:
        host.says("Wait.")
    assert "A webhook is sent again" in host.hook("SessionStart", source="resume")
    host.says(f"We decided to use {MARK}.")
    host.says(f"{TALK} We decided to use {MARK}.", "assistant")
    host.hook(
        "PostToolUse", tool_name="Write", tool_input={"file_path": f"{os.getcwd()}/{MARK}.py"}
    )
    host.hook("PreCompact", trigger="auto")
    host.hook("SessionEnd", reason="other")
    host.tick()
    assert run("private", "off", "--json").json["silent"] == []
    host.says(f"{TALK} We decided that the cache is keyed by tenant.")
    host.says(TALK, "assistant")
    memory = Memory.open(".")
    tell(memory, host.transcript)
    told = "".join(captured_texts(memory))
    assert "cents" in told and "tenant" in told
    within = holders(repo.path, MARK)
    observed = spool_of(str(repo.path / ".git"), "claude", SESSION).read().observations
    assert MARK not in told
    # where its program names the session, the request itself is in the silence, and not in the ledger
    assert [one for one in within if "/observed/" not in one] == []
    assert len([one for one in observed if MARK in one.what]) == named
    assert all(f"{MARK}.py" not in one.what for one in observed)


def test_another_session_is_heard(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silence of one session is not that of others, nor that of another work tree."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "somebody-else")
    assert run("private", "on").out == f"session somebody-else in {repo.path} is silent\n"
    assert run("private", "on").code == 0 and len(run("private", "--json").json["silent"]) == 1
    host = Host(repo, monkeypatch)
    host.hook("SessionStart")
    host.says(WORK)
    assert spool_of(str(repo.path / ".git"), "claude", SESSION).read().observations
    repo.git("worktree", "add", "-q", "-b", "other", str(repo.path.parent / "other"))
    monkeypatch.chdir(repo.path.parent / "other")
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert run("private").out == "no session is silent here\n"
    assert run("private", "on").code == 0
    again = Host(repo, monkeypatch, "second")
    again.hook("SessionStart")
    again.says(WORK)
    assert not spool_of(str(repo.path / ".git"), "claude", "second").read().observations
    monkeypatch.chdir(repo.path)
    assert [one["session"] for one in run("private", "--json").json["silent"]] == ["somebody-else"]
