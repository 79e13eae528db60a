"""The question at a stop: who is asked, how often, and what is an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Run, examples
from tests.host_door import Door, door, least_home, policy
from tests.test_hosts_told import captured_header

__all__ = ["door"]

FIRST, LATER, LEAST, MOST = 1_500, 2_000, 800, 4
QUESTION = "Memory: what must the next session know"
Stop = Callable[..., str]


@pytest.fixture
def stop(door: Door, run: Run, monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Stop with a report, a minute behind the last time, where a person looks on; return the question, "" for none."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert run("note", "id=retries decision: A webhook is sent again three times.").code == 0
    return stopping(door)


def stopping(door: Door) -> Stop:
    minutes = iter(range(1, 10_000))

    def stop(report: str, host: str = "claude", session: str = "s1", **more: Any) -> str:
        door.at(next(minutes))
        answer = door.session(host, session).stop(report, **more)
        assert answer == {} or (
            answer["decision"] == "block" and answer["reason"].startswith(QUESTION)
        )
        return str(answer.get("reason", ""))

    return stop


def work(chars: int) -> str:
    """Return a report of so many characters."""
    return ("The proxy buffers what it gets. " * (chars // 32 + 1))[:chars]


def test_it_is_asked_once_a_stretch_and_counted(stop: Stop, run: Run, door: Door) -> None:
    """At 1,500 characters of reports, then at each 2,000 more, four times at most; what was asked stands in the log."""
    assert not stop(work(FIRST - 1))
    said = stop("ok")
    assert len(said) <= 300 and "<<'END'" in said  # an agent pays for every word
    assert not stop(work(LATER - 1))
    for _ in range(MOST - 1):
        assert stop(work(LATER))
    assert not stop(work(9 * LATER))
    assert stop(work(FIRST), session="s2")
    answer = b"lesson: The proxy buffers, because SSE is off.\n"
    assert run("note", "--session", "s2", "--agent", "claude-code", stdin=answer).code == 0
    counts = (("s1", "asked: 4\nanswered: 0\n"), ("s2", "asked: 1\nanswered: 1\n"))
    for minute, (session, counted) in enumerate(counts, 20):
        door.at(minute)
        door.session(session=session).edits(f"{session}.py")
        assert counted in captured_header(run)


@pytest.mark.parametrize(
    ("environment", "more"),
    [
        ({}, {"stop_hook_active": True}), ({}, {"agent_id": "a1", "agent_type": "Explore"}), ({}, {"permission_mode": "plan"}),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, {}), ({"CLAUDE_CODE_ENTRYPOINT": ""}, {}), ({"DIURNA_HOOKS": "off"}, {}),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {}), ({}, {"stop_reason": "cancelled"}), ({}, {"session": ""}),
        ({}, {"host": "cursor"}), ({}, {"host": "codex"}), ({}, {"host": "opencode"}),
    ],
)  # fmt: skip
def test_who_is_not_asked(
    stop: Stop, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], more: dict[str, Any]
) -> None:
    """A subagent, a run that nobody looks at, a turn that a hook had go on, was interrupted, or may only plan."""
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert not stop(work(9_000), **more)


@pytest.mark.parametrize(
    ("report", "asks"),
    [
        ("Shall I go on?", True), ("Done.\n\nWhich one?\n\n1. The first\n2. The second", True), ("要不要继续？", True),
        ("**Soll ich?**", True), ("Why it failed? It was cold.\n" + "A line.\n" * 9, False), ("Done.", False),
    ],
)  # fmt: skip
def test_a_question_to_the_person_is_left_alone(stop: Stop, report: str, asks: bool) -> None:
    """It is asked at a later stop instead."""
    assert bool(stop(f"{work(FIRST)}\n\n{report}")) != asks
    assert bool(stop("Done it.")) == asks


def test_a_transcript_says_who_looks_on_and_what_was_reported(
    stop: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex's says in its first line who began it; Copilot hands over no report, it is the last one there."""
    path = tmp_path / "rollout-1.jsonl"
    for session, source, asked in (
        ("c1", "cli", True),
        ("c2", "exec", False),
        ("c3", "vscode", True),
    ):
        path.write_text(json.dumps({"type": "session_meta", "payload": {"source": source}}) + "\n")
        assert bool(stop(work(FIRST), "codex", session, transcript_path=str(path))) is asked
    said = {"type": "assistant.message", "data": {"content": work(FIRST), "messageId": "m"}}
    path.write_text(json.dumps(said) + "\n")
    monkeypatch.setattr("rituals.hosts.stop_request.is_attended", lambda *_: True)
    assert stop("", "copilot", transcriptPath=str(path), stopReason="end_turn")


def test_an_answer_begins_anew(stop: Stop, run: Run) -> None:
    """A note or an append of the session is one, asked for or not, a dry run none; two hosts' sessions are two."""
    assert not stop(work(FIRST - 1))
    assert run("note", "Logs are in UTC.", "--session", "s1").code == 0
    assert not stop(work(FIRST - 1)) and stop("ok")
    assert not stop(work(LATER - 1))
    assert run("note", "--dry-run", "The port is 8080.", "--session", "s1").code == 0
    assert stop("ok")
    assert run("append", "--title", "T", "--new", "The port is 8080.", "--session", "s1").code == 0
    assert not stop(work(LATER - 1))


def test_nothing_twice_ends_it(stop: Stop, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`nothing` doubles the wait, and two in a row end it."""
    monkeypatch.setenv("DIURNA_SESSION", "s1")
    assert stop(work(FIRST))
    assert run("note", stdin=b"nothing\n").code == 0
    assert not stop(work(2 * LATER - 1)) and stop("ok")
    assert run("note", "nothing").code == 0
    assert not stop(work(20 * LATER))


def test_what_can_not_be_noted_is_not_asked(
    stop: Stop, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever dies behind the question is not asked again for the same; a damaged file begins anew."""
    assert stop(work(FIRST)) and not stop(work(LATER - 1))
    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", _fails)
        assert not stop(work(LATER))
    (path,) = (door.repo.path / ".git/diurna/captured").glob("*.asked")
    path.write_bytes(path.read_bytes()[:40])
    assert not stop(work(FIRST - 1)) and stop("ok")


def _fails(*_: object) -> int:
    raise OSError(28, "no space")


def test_two_hooks_of_one_stop_ask_once(stop: Stop, door: Door) -> None:
    """The user's and the project's run at the same moment, in processes of their own."""
    mine, asked = door.session(session="both"), []
    for _ in range(2):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.write(write, json.dumps(mine.stop(work(FIRST))).encode())
            os._exit(0)
        os.close(write)
        asked.append((child, read))
    answers = []
    for child, read in asked:
        with open(read, "rb") as said:
            answers.append(json.loads(said.read()))
        os.waitpid(child, 0)
    assert sorted(len(one) for one in answers) == [0, 2]


def test_off_is_off(stop: Stop, run: Run, door: Door) -> None:
    """A private session, `ask = 0` and capture that is off are not asked."""
    assert run("private", "on").code == 0
    assert not stop(work(FIRST))
    assert run("private", "off").code == 0
    for number, said in enumerate(("ask = 0", 'keep = "off"')):
        policy(door.repo, said)
        door.session(session=f"p-{number}").start()
        assert not stop(work(FIRST), session=f"p-{number}")


def test_who_hands_over_or_was_compacted_is_asked(stop: Stop, run: Run, door: Door) -> None:
    """Once, where much is unsaid: by what the command prints, or before the brief; not in a dry run, nor alone."""
    assert run("task", "add", "Wire the queue", "--id", "wire").code == 0
    assert run("task", "start", "wire").code == 0
    words = ("task", "handoff", "wire", "--done", "A queue.", "--session", "s1")
    assert not stop(work(LEAST - 1)) and QUESTION not in run(*words, "--dry-run").out
    assert not stop("ok")
    assert QUESTION in run(*words).out
    assert QUESTION not in run(*words, "--next", "Measure it.").out
    assert not stop(work(LEAST), session="s2")
    mine = door.session(session="s2")
    assert QUESTION not in mine.start("resume")
    told = mine.start("compact")
    assert told.startswith(QUESTION) and len(told) <= 7_500
    assert QUESTION not in mine.start("compact")


DAYS = st.lists(st.tuples(st.integers(0, 5_000), st.sampled_from(["", "note"])), max_size=12)


@settings(max_examples=examples(2, 100))
@given(DAYS)
def test_never_without_new_words(
    tmp_path_factory: pytest.TempPathFactory, days: list[tuple[int, str]]
) -> None:
    """Between two questions lie 2,000 characters, and there are four at most."""
    from rituals.cli.app import main

    with pytest.MonkeyPatch.context() as patch:
        repo = least_home(tmp_path_factory.mktemp("law"))
        patch.chdir(repo.path)
        patch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
        stop = stopping(Door(repo, patch))
        since = count = 0
        for number, (chars, then) in enumerate(days):
            since += chars
            if stop("x" * chars if chars else ""):
                assert since >= (LATER if count else FIRST) and count < MOST
                since, count = 0, count + 1
            if then:
                main(["note", f"Fact {number} of it.", "--session", "s1"])
