"""What happened again although memory had it is found in captured sessions, and nothing that only looks so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.session_headers import cost_in, cost_since
from memory.api import Memory
from rituals.hosts.extraction.uses import sets_right
from rituals.report.lifecycle_report import report
from tests.captured_sessions import TALK, captured_texts, say, tell
from tests.conftest import Repo, Run, each_row
from tests.repeated_sessions import played
from tests.told_sessions import ToldSession


@pytest.mark.parametrize("half", ["tune", "held"])
def test_planted_repeats_are_found(
    half: str, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine of ten, and of twenty sessions one at most says what it has not."""
    monkeypatch.delenv("DIURNA_AGENT", raising=False)
    score = played(repo.path, monkeypatch, half)
    assert len(score.missed) <= 0.1 * score.planted, score
    assert len(score.wrong) <= 0.05 * score.sessions, score


@pytest.fixture
def mine(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> ToldSession:
    """A session of a host in a home, not begun."""
    monkeypatch.delenv("DIURNA_AGENT", raising=False)
    return ToldSession(str(repo.path), monkeypatch, session="s-1")


def test_what_a_session_brings_itself_is_no_repeat(mine: ToldSession, repo: Repo, run: Run) -> None:
    """A rule that was noted while the session went on was no memory that it had; nor one that fell before."""
    mine.start()
    mine.run("pip install requests")
    assert run("note", "id=uv-only convention: Use uv, never pip.", "--session", "s-1").code == 0
    assert run("note", "id=gone convention: Never run `git stash`.").code == 0
    assert run("append", "--title", "No", "--invalidate", "gone").code == 0
    mine.session = "s-2"
    mine.start()
    mine.run("git stash")
    memory = Memory.open(str(repo.path))
    for session in ("s-1", "s-2"):
        tell(memory, session=session)
    again = report(memory).repeats
    memory.close()
    assert (again.sessions, again.broken) == (2, ())


def test_breaks_before_and_after_a_session_was_told(
    mine: ToldSession, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first command brings the rule; the same once more was run although the session had it."""
    assert run("note", "id=uv-only convention: Use uv, never pip.").code == 0
    monkeypatch.setattr("rituals.hosts.session_start._brief", lambda *_: "A brief of nothing.")
    mine.start()
    assert "uv-only" in mine.run("pip install requests")
    mine.run("pip install httpx")
    mine.run("pip install rich")
    memory = Memory.open(str(repo.path))
    tell(memory, session="s-1")
    found = report(memory)
    (text,) = captured_texts(memory)
    memory.close()
    assert found.repeats.broken == (("uv-only", 1, 2),)
    (cost,) = found.attention.costs
    assert 0 < cost.told < 600 and 0 < cost.shown < 600
    assert f"\ncharacters: {cost.shown}, told {cost.told}\n" in text
    said = run("report").out
    assert "\n  broken           uv-only  once before the session had it, 2 times after\n" in said


def test_a_later_log_tells_only_what_came_since(
    mine: ToldSession, repo: Repo, tmp_path: Path
) -> None:
    """The characters of two logs of a session are those of the session."""
    begun = len(mine.start())
    memory = Memory.open(str(repo.path))
    for number in range(2):
        say(tmp_path / "t.jsonl", f"{TALK} Part {number}.")
        tell(memory, tmp_path / "t.jsonl", session="s-1")
    costs = report(memory).attention.costs
    assert len(captured_texts(memory)) == 2
    memory.close()
    assert [one.shown for one in costs] == [begun]


@each_row(
    "said, words, right",
    [
        ("No, we use uv.", "we use uv.", True),
        ("I told you: webhooks retry three times.", "webhooks retry three times.", True),
        ("You forgot the jitter. Webhooks retry with jitter.", "Webhooks retry with jitter.", True),
        ("Yes, webhooks retry three times.", "Yes, webhooks retry three times.", False),
        ("Webhooks retry three times. No, wait, leave it.", "Webhooks retry three times.", False),
        ("No worries. Webhooks retry three times.", "Webhooks retry three times.", False),
    ],
)
def test_what_sets_right(said: str, words: str, right: bool) -> None:
    """By what stands before the words or in them, not by what comes later."""
    assert sets_right(said, words) is right


def test_the_header_reads_as_it_is_written() -> None:
    """Also where one of both is nothing."""
    for pair in ((0, 0), (7, 0), (0, 9), (7410, 512)):
        assert cost_in(cost_since(pair, (0, 0))) == pair
    assert cost_since((9, 9), (4, 9)) == "5" and cost_since((3, 1), (4, 0)) == "3, told 1"
