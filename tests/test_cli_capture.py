"""`diurna capture`: by hand, as the hooks call it, and behind them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledger.environment import now_ms
from rituals.hosts.capture.session_choice import STAMPS_MS
from rituals.hosts.capture.stamps import QUIET_MS, Seen, sessions, stamp
from rituals.hosts.capture.untold_session import SPOOL_MS
from rituals.hosts.extraction import Extraction
from rituals.hosts.moments import Moment
from rituals.hosts.observed.observation_spool import spool_of
from rituals.hosts.user_settings import Settings
from tests.campaigns.homes import open_memory
from tests.captured_sessions import AT, TALK, commit, observe, say, told_of
from tests.conftest import Repo, Run


@pytest.fixture
def home(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(repo.path / ".config"))
    return repo.path


def seen(home: Path, session: str, at: int, transcript: str = "") -> None:
    """Let a hook have seen a session at a moment, and leave its spool as it was then."""
    stamp(str(home / ".git"), Moment("claude", "stop", session, str(home), transcript))
    for file in home.glob(f".git/diurna/*/claude-{session}.*"):
        os.utime(file, ns=(at * 1_000_000, at * 1_000_000))


def test_all_sessions_are_told_and_then_none(home: Path, run: Run) -> None:
    """By hand it takes what every session left, says what became of it, and is done."""
    observe(home, 2, session="a")
    observe(home, 1, session="b", host="codex", first=2)
    seen(home, "a", now_ms())
    shown = run("capture", "--show")
    assert shown.out.count("would be told in") == 2 and "toolu-0" in shown.out
    assert told_of(open_memory(home)) == []
    said = run("capture", "--host", "claude")
    assert said.out.startswith("claude a  told in ") and "2 observations" in said.out
    answer = json.loads(run("capture", "--json").out)
    assert [(one["host"], one["session"]) for one in answer["sessions"]] == [("codex", "b")]
    assert [one["observed"] for one in answer["sessions"][0]["attempts"]] == [1]
    assert run("capture").out == "nothing new in any session\n"
    assert run("capture", "--session", "a").out == "claude a  nothing new\n"
    assert told_of(open_memory(home)) == ["toolu-0", "toolu-1", "toolu-2"]


def test_a_session_that_no_hook_saw_is_named_with_its_transcript(home: Path, run: Run) -> None:
    """Without its host it is refused with what to say; a relative path is that of the folder."""
    refused = run("capture", "--session", "x")
    assert (refused.code, "no hook saw a session x" in refused.err) == (1, True)
    say(home / "t.jsonl", "Remember that we keep one queue for each tenant.", role="user")
    say(home / "t.jsonl", TALK)
    assert run("capture", "--session", "x", "--host", "claude", "--transcript", "t.jsonl").code == 0
    assert "one queue for each tenant" in run("show").out


def test_what_an_extractor_made_up_is_counted(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quotes that stand nowhere in the transcript become no facts, and the answer says how many."""
    made_up = Extraction((), "http:model", dropped=2)
    monkeypatch.setattr("rituals.hosts.capture.boundary.extract", lambda *_: made_up)
    monkeypatch.setattr("rituals.hosts.capture.boundary.settings", lambda _: Settings(("http",)))
    say(home / "t.jsonl", TALK)
    said = run("capture", "--session", "x", "--host", "claude", "--transcript", "t.jsonl").out
    assert said.endswith("  0 facts, 0 observations by http:model; 2 that nobody said\n")


def test_what_waits_lands_when_it_is_asked_for(home: Path, run: Run) -> None:
    """Behind a commit that is not pushed a captured log waits; reading finds it, `--land` commits it."""
    commit(home, "code.py")
    observe(home, 1)
    said = run("capture")
    assert "1 captured log waits" in said.err
    tip = open_memory(home).home.tip()
    assert run("capture", "--land", "--dry-run").out == "would commit 1 captured log on main\n"
    assert open_memory(home).home.tip() == tip
    assert run("capture", "--land").out == "committed 1 captured log on main\n"
    assert run("capture", "--land").out == "no captured log waits\n"
    assert open_memory(home).held() == []


def test_a_redacted_log_is_told_no_more(home: Path, run: Run) -> None:
    """What is withheld of a captured log is how far it tells of its session last."""
    observe(home, 2)
    run("capture")
    (stem,) = [line.stem for line in open_memory(home).log()]
    assert run("redact", stem, "--reason", "It names a customer.").code == 0
    for file in (*home.glob(".git/diurna/captured/*.told"), *home.glob(".git/diurna/cache/*")):
        file.unlink()
    assert run("capture").out.endswith("nothing new\n")
    assert "toolu-0" not in run("log", stem).out


def test_a_start_tells_what_others_left(home: Path, run: Run) -> None:
    """Those that are over or rest, never one that is alive, nor the one that starts."""
    for number, session in enumerate(("over", "alive", "mine")):
        observe(home, 1, session=session, first=number)
        seen(home, session, now_ms() - (0 if session == "alive" else 2 * QUIET_MS))
    assert run("capture", "--why=start", "--catch-up", "--host=claude", "--session=mine").code == 0
    assert signal.alarm(0) == 0  # its limit ends with it
    assert told_of(open_memory(home)) == ["toolu-0"]


def test_what_is_told_goes_in_the_end(home: Path, run: Run) -> None:
    """A spool goes a day behind its newest line, and the stamps of its session a month behind."""
    old = now_ms() - STAMPS_MS - 1
    observe(home, 2, session="old", at=old)
    seen(home, "old", old)
    observe(home, 1, session="fresh", first=2)
    run("capture")
    assert not os.path.exists(spool_of(str(home / ".git"), "claude", "old").path)
    assert os.path.exists(spool_of(str(home / ".git"), "claude", "fresh").path)
    run("capture")
    left: list[Seen] = sessions(str(home / ".git"))
    assert [one.session for one in left] == ["fresh"]
    assert SPOOL_MS < STAMPS_MS and AT > old


def test_a_hook_is_followed_by_the_log(home: Path) -> None:
    """The real hook returns at once; its child tells the session, with hooks off, and nobody waits for it."""
    transcript = home.parent / "t.jsonl"
    say(transcript, "Remember that we keep one queue for each tenant.", role="user")
    say(transcript, TALK)
    payload = {
        "session_id": "s1", "cwd": str(home), "transcript_path": str(transcript), "reason": "other",
        "hook_event_name": "SessionEnd",
    }  # fmt: skip
    deadline = time.monotonic() + 60
    while "one queue for each tenant" not in open_memory(home).continuity():
        assert time.monotonic() < deadline
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rituals", "hook", "claude", "SessionEnd"],
            input=json.dumps(payload).encode(), capture_output=True, cwd=home, check=True, timeout=20,
        )  # fmt: skip
        assert json.loads(done.stdout) == {}
        time.sleep(1.0)  # a hook on a busy machine may have given up
