"""The question at a stop: who is asked, how often, and what is an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.home import discover
from rituals.hosts import hook_answer
from rituals.hosts import stop_request as asking
from rituals.hosts.moments import REQUEST, moment
from rituals.hosts.observed.admission import refresh
from rituals.hosts.session_start import CONTEXT_CHARS, context
from rituals.hosts.stop_request import (
    FIRST,
    LATER,
    LEAST,
    Talk,
    asks_person,
    before_leaving,
    counts,
)
from rituals.hosts.transcripts.slices import read_slice
from tests.conftest import Repo, Run, each_row

CLAUDE = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
Stop = Callable[..., str]


@pytest.fixture
def stop(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Answer a stop in this process, in a home with a fact; every one is a minute behind the last."""
    assert run("note", "id=retries decision: A webhook is sent again three times.").code == 0
    now = [1_800_000_000_000]

    def tick() -> int:
        now[0] += 60_000
        return now[0]

    monkeypatch.setattr(asking, "now_ms", tick)

    def stop(
        report: str, host: str = "claude", session: str = "s1", event: str = "Stop", **more: Any
    ) -> str:
        environment = more.pop("environment", CLAUDE)
        said = {
            "session_id": session,
            "last_assistant_message": report,
            "cwd": str(repo.path),
            **more,
        }
        monkeypatch.setattr(hook_answer, "_read", lambda: json.dumps(said).encode())
        answer = json.loads(hook_answer.Call(host, event, {**os.environ, **environment}).answer())
        assert answer in ({}, {"decision": "block", "reason": REQUEST})
        return str(answer.get("reason", ""))

    return stop


def work(chars: int) -> str:
    """Return a report of so many characters."""
    return ("The proxy buffers what it gets. " * (chars // 32 + 1))[:chars]


def test_the_request_is_short() -> None:
    """An agent pays for every word."""
    assert len(REQUEST) <= 300 and "<<'END'" in REQUEST


def test_asked_once_a_stretch(repo: Repo, stop: Stop) -> None:
    """At 1,500 characters of reports, then at each 2,000 more, four times at most."""
    assert not stop(work(FIRST - 1))
    assert stop("ok")
    assert not stop(work(LATER - 1))
    for _ in range(3):
        assert stop(work(LATER))
    assert not stop(work(9 * LATER))
    assert counts(f"{repo.path}/.git", "claude", "s1") == (4, 0)
    assert stop(work(FIRST), session="s2")


@pytest.mark.parametrize(
    "more",
    [
        {"stop_hook_active": True}, {"agent_id": "a1", "agent_type": "Explore"}, {"permission_mode": "plan"},
        {"environment": {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}}, {"environment": {}}, {"event": "SubagentStop"},
        {"environment": {**CLAUDE, "DIURNA_HOOKS": "off"}}, {"session": ""}, {"host": "cursor", "event": "stop"},
        {"environment": {**CLAUDE, "CLAUDE_CODE_SESSION_ATTENDED": "0"}}, {"stop_reason": "cancelled"},
        {"host": "codex"}, {"host": "opencode", "event": "session.idle"},
    ],
)  # fmt: skip
def test_no_ask_for(stop: Stop, more: dict[str, Any]) -> None:
    """A subagent, a run that nobody looks at, a turn that a hook had go on, was interrupted, or may only plan."""
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
    assert asks_person(report) == asks
    assert bool(stop(f"{work(FIRST)}\n\n{report}")) != asks
    assert bool(stop("Done it.")) == asks


def test_codex_is_asked_where_a_person_is(stop: Stop, tmp_path: Path) -> None:
    """Its transcript says in its first line who began it."""
    path = tmp_path / "rollout-1.jsonl"
    for session, source, asked in (
        ("c1", "cli", True),
        ("c2", "exec", False),
        ("c3", "vscode", True),
    ):
        path.write_text(json.dumps({"type": "session_meta", "payload": {"source": source}}) + "\n")
        said = stop(work(FIRST), "codex", session, transcript_path=str(path))
        assert bool(said) == asked


def test_copilot_is_read_from_its_transcript(
    stop: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hands over no report: the last one stands at the end of its transcript."""
    path = tmp_path / "events.jsonl"
    said = {"type": "assistant.message", "data": {"content": work(FIRST), "messageId": "m"}}
    path.write_text(json.dumps(said) + "\n")
    monkeypatch.setattr(asking, "is_attended", lambda *_: True)
    assert stop("", "copilot", event="agentStop", transcriptPath=str(path), stopReason="end_turn")


def test_an_answer_begins_anew(repo: Repo, run: Run, stop: Stop) -> None:
    """A note or an append of the session is an answer, asked for or not; two hosts' sessions are two."""
    assert not stop(work(FIRST - 1))
    assert run("note", "Logs are in UTC.", "--session", "s1").code == 0
    assert not stop(work(FIRST - 1))
    assert stop("ok")
    said = b"lesson: The proxy buffers, because SSE is off.\n"
    assert run("note", "--dry-run", "--session", "s1", stdin=said).code == 0
    assert counts(f"{repo.path}/.git", "claude", "s1") == (1, 0)
    assert run("note", "--session", "s1", stdin=said).code == 0
    assert counts(f"{repo.path}/.git", "claude", "s1") == (1, 1)
    assert not stop(work(LATER - 1))
    assert run("append", "--title", "T", "--new", "The port is 8080.", "--session", "s1").code == 0
    assert not stop(work(LATER - 1)) and counts(f"{repo.path}/.git", "claude", "s1") == (1, 1)


def test_nothing_twice_ends_it(run: Run, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """`nothing` doubles the wait, two in a row end it; a note in between begins anew."""
    monkeypatch.setenv("DIURNA_SESSION", "s1")
    assert stop(work(FIRST))
    assert run("note", stdin=b"nothing\n").code == 0
    assert not stop(work(2 * LATER - 1)) and stop("ok")
    assert run("note", "nothing").code == 0
    assert not stop(work(20 * LATER))


def test_asked_then_killed(repo: Repo, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever dies behind the question is not asked again for the same; a damaged file begins anew."""
    assert stop(work(FIRST))
    assert counts(f"{repo.path}/.git", "claude", "s1") == (1, 0)
    assert not stop(work(LATER - 1))
    monkeypatch.setattr(os, "pwrite", _fails)
    assert not stop(work(LATER))  # what can not be noted is not asked
    monkeypatch.undo()
    path = repo.path / ".git/diurna/captured/claude-s1.asked"
    path.write_bytes(path.read_bytes()[:40])
    assert asking._talk(path.read_bytes()) == Talk()


@each_row("talk, nothing, nothings", (
    (Talk(), True, 0), (Talk(due=1), True, 1), (Talk(nothings=1, due=1), True, 2),
    (Talk(nothings=1, due=1), False, 0),
))  # fmt: skip
def test_nothing_counts_where_it_answers_what_was_asked(
    talk: Talk, nothing: bool, nothings: int
) -> None:
    """In a row: what is recorded begins anew."""
    assert talk.told(nothing=nothing).nothings == nothings


def _fails(*_: object) -> int:
    raise OSError(28, "no space")


def test_two_hooks_of_one_stop_ask_once(repo: Repo, run: Run) -> None:
    """The user's and the project's run at the same moment, in processes of their own."""
    assert run("note", "Logs are in UTC.").code == 0
    said = {"session_id": "s1", "last_assistant_message": work(FIRST), "cwd": str(repo.path)}
    words = [
        sys.executable,
        "-c",
        "import sys, rituals.hosts.hook_answer as hook; hook.OTHER_SECONDS = 60; "
        "from rituals.cli.entry import main; sys.exit(main())",
        "hook",
    ]
    environment = {**os.environ, **CLAUDE}
    both = [
        subprocess.Popen(
            [*words, "claude", "Stop"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        for _ in range(2)
    ]
    for one in both:
        assert one.stdin
        one.stdin.write(json.dumps(said).encode())
        one.stdin.close()
    assert sum(b"block" in (one.stdout.read() if one.stdout else b"") for one in both) == 1
    assert all(one.wait() == 0 for one in both)


def test_off_is_off(repo: Repo, run: Run, stop: Stop) -> None:
    """`ask = 0`, capture that is off, and a private session are not asked."""
    policy = next(repo.path.rglob("diurna.toml"))
    text = policy.read_text().partition("\n[capture]")[0]
    assert run("private", "on").code == 0
    assert not stop(work(FIRST))
    assert run("private", "off").code == 0
    for said in ("ask = 0", 'keep = "off"'):
        policy.write_text(f"{text}\n[capture]\n{said}\n")
        repo.git("commit", "-qam", "policy")
        refresh(discover(str(repo.path)))
        assert not stop(work(FIRST), session="s3")


#: How the programs write down the question, as was seen.
WRITTEN: dict[str, tuple[dict[str, Any], Callable[[str], dict[str, Any]]]] = {
    "claude": (
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": f"Stop hook feedback:\n{REQUEST}"}},
        lambda text: {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}},
    ),
    "codex": (
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": f'<hook_prompt hook_run_id="stop:7:/p/hooks.json">{REQUEST}</hook_prompt>'}]}},
        lambda text: {"type": "response_item", "payload": {"type": "message", "role": "assistant",
                                                           "content": [{"type": "output_text", "text": text}]}},
    ),
    "gemini": (
        {"id": "d6", "type": "user", "content": [{"text": REQUEST}]},
        lambda text: {"id": text[:9], "type": "gemini", "content": text},
    ),
}  # fmt: skip


@pytest.mark.parametrize("host", WRITTEN)
def test_an_answer_is_no_report(host: str, tmp_path: Path) -> None:
    """The question is nobody's words, and what is said around the answer takes no report's place."""
    question, said = WRITTEN[host]
    lines = [
        said("The proxy buffers: it was the cause."),
        question,
        said("Recorded."),
        said("x " * 300),
    ]
    path = tmp_path / "rollout-1.jsonl"
    path.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines))
    part = read_slice(host, str(path), 0)
    assert part and [turn.text for turn in part.turns] == [
        "The proxy buffers: it was the cause.",
        "x " * 299 + "x",
    ]
    assert moment(host, "UserPromptSubmit", {"prompt": REQUEST}, {}).prompt == ""


def test_before_leaving(repo: Repo, stop: Stop) -> None:
    """Whoever hands over with much unsaid is asked; with little, or twice, not."""
    commondir = f"{repo.path}/.git"
    assert not before_leaving(commondir, "s1", 4)
    assert not stop(work(799)) and not before_leaving(commondir, "s1", 4)
    assert not stop("o") and before_leaving(commondir, "s1", 4) == REQUEST
    assert not before_leaving(commondir, "s1", 4) and not stop(work(LATER - 1))


def test_who_hands_over_is_asked(run: Run, stop: Stop) -> None:
    """Once, by what the command prints; not in a dry run, nor where little was said."""
    assert run("task", "add", "Wire the queue", "--id", "wire").code == 0
    assert run("task", "start", "wire").code == 0
    words = ("task", "handoff", "wire", "--done", "A queue.", "--session", "s1")
    assert not stop(work(LEAST - 1)) and REQUEST not in run(*words, "--dry-run").out
    assert not stop("ok")
    assert REQUEST in run(*words).out
    assert REQUEST not in run(*words, "--next", "Measure it.").out


def test_behind_a_compaction_it_is_asked(repo: Repo, stop: Stop) -> None:
    """At the first moment at which the program lets a hook speak, in the room of the brief."""
    said = {"session_id": "s1", "cwd": str(repo.path), "source": "compact", "transcript_path": "/t"}
    start = moment("claude", "SessionStart", said, {})
    assert not stop(work(LEAST))
    assert REQUEST not in context(start._replace(source="resume"), CLAUDE)[0]
    assert REQUEST not in context(start, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"})[0]
    text = context(start, CLAUDE)[0]
    assert text.startswith(REQUEST) and len(text) <= CONTEXT_CHARS
    assert REQUEST not in context(start, CLAUDE)[0]


@given(
    st.lists(
        st.tuples(st.integers(0, 5_000), st.sampled_from(["", "note", "nothing", "leave"])),
        max_size=30,
    )
)
def test_never_without_new_words(days: list[tuple[int, str]]) -> None:
    """Between two questions lie 2,000 characters, there are four at most, none behind two `nothing`."""
    talk, since, empty, count = Talk(), 0, 0, 0
    for number, (chars, then) in enumerate(days, 1):
        since += chars
        talk, asks = talk.stopped("x" * chars, number * 10_000, 4, final=True)
        if asks:
            assert since >= (LATER if count else FIRST) and empty < 2
            since, count = 0, count + 1
        if then in ("note", "nothing"):
            due = talk.due
            talk = talk.told(nothing=then == "nothing")
            empty = 0 if then == "note" else empty + 1 if due else empty
    assert talk.asked == count <= 4 and talk.answered <= count
