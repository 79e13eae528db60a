"""The question at a stop: who is asked, how often, and what is an answer."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.environment import TookTooLong
from tests.conftest import Run, examples
from tests.host_door import TALK, Door, door, least_home, named, policy, say
from tests.test_hosts_told import captured_header

__all__ = ["door"]

FIRST, LATER, LEAST, MOST, WHILE, STOPS = 1_500, 6_000, 800, 4, 20, 3
QUESTION = "Memory: what would have saved you or the person time"
Stop = Callable[..., str]


@pytest.fixture
def stop(door: Door, run: Run, monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Stop with a report, a minute behind the last time, where a person looks on; return the question, "" for none."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert run("note", "id=retries decision: A webhook is sent again three times.").code == 0
    return stopping(door)


def stopping(door: Door) -> Stop:
    minutes = iter(range(1, 10_000))

    def stop(report: str, host: str = "claude", session: str = "s1", at: int = 0, **more: Any) -> str:  # fmt: skip
        door.at(at or next(minutes))
        answer = door.session(host, session).stop(report, **more)
        assert answer.get("decision", "block") == "block"
        return str(answer.get("reason", ""))

    return stop


def work(chars: int) -> str:
    """Return a report of so many characters."""
    return ("The proxy buffers what it gets. " * (chars // 32 + 1))[:chars]


def test_it_is_asked_once_a_stretch_and_counted(stop: Stop, run: Run, door: Door) -> None:
    """At 1,500 characters, then each 6,000; of four without an answer one is kept for the end. All stands in the log."""
    assert not stop(work(FIRST - 1))
    said = stop("ok")
    assert said.startswith(QUESTION) and "<<'END'" in said
    assert len(said) <= 340  # an agent pays for every word
    assert not stop(work(LATER - 1))
    for _ in range(MOST - 2):
        assert stop(work(LATER))
    assert not stop(work(9 * LATER)) and stop("ok", at=60) and not stop(work(9 * LATER), at=90)
    assert stop(work(FIRST), session="s2")
    answer = b"lesson: The proxy buffers, because SSE is off.\n"
    assert run("note", "--session", "s2", "--agent", "claude-code", stdin=answer).code == 0
    counts = (("s1", "asked: 4\nanswered: 0\n"), ("s2", "asked: 1\nanswered: 1\n"))
    for minute, (session, counted) in enumerate(counts, 100):
        door.at(minute)
        door.session(session=session).edits(f"{session}.py")
        assert counted in captured_header(run)


@pytest.mark.parametrize(
    ("command", "ends"),
    [("git commit -qm x", True), ("cd web && gh pr create --fill", True), ("glab mr create -y", True),
     ("git status", False), ("git commit --dry-run", False), ("gh pr view 3", False)],
)  # fmt: skip
def test_what_may_be_the_end_is_asked_for_sooner(
    stop: Stop, door: Door, run: Run, command: str, ends: bool
) -> None:
    """At 800 characters behind a commit, a pull request, 20 minutes, or a question and two turns; an answer begins anew."""
    assert not stop("ok")
    door.at(2)
    door.session(session="s1").runs(command, 0)
    assert not stop(work(LEAST - 3)) and bool(stop("ok")) is ends
    assert run("note", "The port is 8080.", "--session", "s1").code == 0
    assert not stop(work(LEAST), at=WHILE + 2) and stop("ok", at=WHILE + 3)
    assert not stop(work(LEAST)) and not stop("Noted.", stop_hook_active=True)
    assert not stop("ok") and stop("ok")


def test_what_was_taken_back_is_asked_for_sooner(
    stop: Stop, run: Run, door: Door, tmp_path: Path
) -> None:
    """By its form: an answer `wrong ID` or `ID -> …`, a commit that is reverted, a dialog that is answered anew."""
    path, count = tmp_path / "talk.jsonl", iter(range(2, 99))
    given = {"questions": [{"question": "Which store?", "options": ["Redis", "SQLite"]}]}
    use = {"type": "tool_use", "id": "u", "name": "AskUserQuestion", "input": given}
    result = {"type": "tool_result", "tool_use_id": "u"}

    def picks(label: str) -> None:
        when = datetime.fromtimestamp(int(os.environ["DIURNA_NOW"]) / 1000, UTC).isoformat()
        told = {"toolUseResult": {"answers": {"Which store?": label}}, "timestamp": when}
        with path.open("a") as file:
            for role, content in (("assistant", use), ("user", result)):
                line = {"type": role, "message": {"role": role, "content": [content]}, **told}
                file.write(json.dumps(line) + "\n")

    def asked() -> bool:
        """Whether the second stop behind a question is one, with 800 characters."""
        return [bool(stop(report, at=next(count), transcript_path=str(path))) for report in (work(LEAST - 2), "ok")][1]  # fmt: skip

    run("note", "id=port The port is 80.")
    picks("Redis")
    assert stop(work(FIRST))
    for number, said in enumerate((b"wrong retries\n", b"port -> The port is 81.\n", b"", b"")):
        door.at(next(count))
        if said:
            run("note", "--session", "s1", stdin=said)
        else:
            picks("SQLite") if number == 2 else door.session(session="s1").runs(
                "git revert HEAD", 0
            )
        assert asked(), number
    picks("SQLite")
    assert not asked()


def test_what_stands_open_is_named_beside_it(
    stop: Stop, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three at most: what the session said itself, then the oldest; not what is done or false, and none where it is late."""
    for number in range(5):
        run("note", f"id=t{number} thread: Part {number} is not\nbuilt{' yet' * 40}.")
    run("note", "id=own thread: The <b>proxy</b> buffers.", "--session", "s1")
    run("note", stdin=b"done t1\nwrong t2\n")
    told = stop(work(FIRST)).split("\n")[1]
    assert told.startswith("Still open? own: The <b>proxy</b> buffers. · t0: Part 0 is not built")
    assert " · t3: " in told and told.count(" · ") == 2 and len(told) < 260
    run("note", "--session", "s1", stdin=b"done own\n")
    assert "own:" not in stop(work(LATER))
    monkeypatch.setattr("memory.query.reader.open_snapshot", _fails)
    assert "Still open?" not in stop(work(LATER))


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


def test_a_host_that_can_not_be_asked_is_named(
    stop: Stop, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `status`, as far as its newest session goes, and by `install`: its hooks tell of no person, or its stop takes no question."""
    hint = "no stop can ask its agent what it learned; the skill diurna-remember does"
    assert stop(work(FIRST)) and "not asked" not in run("status").out
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    assert not stop(work(FIRST), session="s2") and "not asked" not in run("status").out
    monkeypatch.delenv("CLAUDE_CODE_ENTRYPOINT")
    assert not stop(work(FIRST), session="s3") and not stop("ok", "opencode", "o1")
    assert f"not asked claude, opencode: {hint}" in run("status").out
    assert run("status", "--json").json["not_asked"] == ["claude", "opencode"]
    assert f"opencode: {hint}" in run("install", "opencode", "claude").err


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
    for source, asked in (("cli", True), ("exec", False), ("vscode", True)):
        path.write_text(json.dumps({"type": "session_meta", "payload": {"source": source}}) + "\n")
        assert bool(stop(work(FIRST), "codex", source, transcript_path=str(path))) is asked
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


def _fails(what: object, *_: object) -> int:
    raise OSError(28, "no space") if isinstance(what, int) else TookTooLong


def at_once(doing: Callable[[int], object], count: int) -> list[Any]:
    """Do something so many times at the same moment, in processes of their own; return what came of it."""
    fork = multiprocessing.get_context("fork")
    said = fork.SimpleQueue()
    for number in range(count):
        fork.Process(target=lambda number=number: said.put(doing(number))).start()
    return [said.get() for _ in range(count)]


def test_two_hooks_of_one_stop_ask_once(stop: Stop, door: Door) -> None:
    """The user's and the project's run at the same moment, in processes of their own."""
    mine = door.session(session="both")
    assert sorted(len(one) for one in at_once(lambda _: mine.stop(work(FIRST)), 2)) == [0, 2]


def test_off_is_off(stop: Stop, run: Run, door: Door) -> None:
    """A private session, `ask = 0` and capture that is off are not asked."""
    run("private", "on")
    assert not stop(work(FIRST)) and run("private", "off").code == 0
    for number, said in enumerate(("ask = 0", 'keep = "off"')):
        policy(door.repo, said)
        door.session(session=f"p-{number}").start()
        assert not stop(work(FIRST), session=f"p-{number}")


def test_a_start_asks_once_for_ten_new_facts_what_overlaps(
    stop: Stop, run: Run, door: Door
) -> None:
    """Of eight starts at once one; near pairs alone, by ids; what a person said and an answer calls wrong, a person decides."""

    def starts(number: int) -> list[str]:
        told = (
            door.session(session=f"n-{number}").start().split("These overlap or may contradict")[1:]
        )
        return [line for line in told[0].split("\n") if line[:2] == "- "] if told else []

    stop("ok")
    said = "id=again decision: A webhook is sent again five times."
    assert (
        run("append", "--type", "edit", "--agent", "Ada", "--title", "T", "--new", said).code == 0
    )
    run("note", *[f"id=f{n} {word} has {n} cores." for n, word in enumerate("ann bob cat dan eve fay gus".split())])  # fmt: skip
    stop("ok")
    assert not starts(0)
    run("note", "id=shop thread: The shop is slow.", "id=till The till is a Mac.", "id=shop-2 decision: The shop is slow, says Bob.")  # fmt: skip
    stop("ok")
    with pytest.MonkeyPatch.context() as alone:
        alone.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
        assert not starts(1)
    (asked,) = filter(None, at_once(starts, 8))
    assert any(
        "again: A webhook is sent again five times. | retries: A webhook" in line for line in asked
    )
    assert not starts(9) and len(asked) <= 3 and not any("shop" in line for line in asked)
    assert run("note", "--agent", "claude-code", stdin=b"wrong again\n").code == 0
    assert "again: Ada decided it" in run("review", "--dry-run").out


def test_a_title_is_of_the_part_that_it_was_said_in(
    stop: Stop, run: Run, door: Door, tmp_path: Path
) -> None:
    """What is told before it, or behind the log that bears it, has another one."""
    path, titles = tmp_path / "s1.jsonl", []
    for part, title in enumerate(("Buffers off", "", "Gzip on")):
        door.at(60 * part + 1)
        say(path, f"Why is part {part} late?", role="user")
        say(path, f"Part {part} of the proxy was late because of its buffers. {TALK}")
        if title:
            run(
                "note",
                "--session",
                "s1",
                stdin=f"title: {title}\nlesson: Part {part} is slow.".encode(),
            )
        assert run("capture", *named(path, "s1")).code == 0
        titles.append(run("log", "--json").json["sessions"][0]["title"])
    assert titles[::2] == ["Buffers off", "Gzip on"]
    assert not titles[1].startswith(("Buffers", "Gzip"))


def test_a_shown_fact_that_an_answer_names_is_used(stop: Stop, run: Run, door: Door) -> None:
    """By its id, as a word of no sentence; what is replaced, done or was not shown is not."""
    run(
        "note",
        "id=cores CI has two cores.",
        "id=tocat The till is a Mac.",
        "id=big-q thread: How big is it?",
    )
    assert "tocat" in door.session(session="s1").start()
    run("note", "id=later It is late.")
    said = (
        "lesson: Two cores are enough, so tocat goes.\nfact: later is as big-q says.\ndone big-q\n"
    )
    stem = run("note", "--session", "s1", "--json", stdin=said.encode()).json["stem"]
    log = run("show", stem).out
    assert "Referenced: tocat" in log and "cores —" not in log and "later —" not in log
    assert "Closed: big-q" in log and "Referenced: big-q" not in log
    stem = run("note", "--session", "s1", "--json", stdin=b"lesson: `cores` is outdated.\n").json[
        "stem"
    ]
    assert "Referenced: cores" in run("show", stem).out


DAYS = st.lists(
    st.tuples(st.integers(0, 7_000), st.sampled_from(["", "", "note", "commit", "away"])),
    max_size=14,
)


@settings(max_examples=examples(2, 100))
@given(DAYS)
def test_never_without_new_words(
    tmp_path_factory: pytest.TempPathFactory, days: list[tuple[int, str]]
) -> None:
    """Between two questions lie 6,000 characters, or 800 and what may be the end; four at most have no answer."""
    from rituals.cli.app import main

    with pytest.MonkeyPatch.context() as patch:
        repo = least_home(tmp_path_factory.mktemp("law"))
        patch.chdir(repo.path)
        patch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
        door = Door(repo, patch)
        stop = stopping(door)
        since = waiting = at = last = stops = due = 0
        asked = ended = False
        for number, (chars, then) in enumerate(days):
            at += 2 * WHILE if then == "away" else 1
            since, last = since + chars, last or at
            stops += chars > 0
            ended |= at - last >= WHILE or (asked and stops >= STOPS)
            if stop("x" * chars if chars else "", at=at):
                early = since >= (LATER if asked else FIRST) and waiting < MOST - 1
                assert waiting < MOST and (early or (ended and since >= LEAST))
                since, waiting, last, stops, due = 0, waiting + 1, at, 0, 1
                asked, ended = True, False
            if then == "note":
                main(["note", f"Fact {number} of it.", "--session", "s1"])
                since, waiting, last, stops, due, ended = 0, waiting - due, at, 0, 0, False
            elif then == "commit":
                door.at(at := at + 1)
                ended |= door.session(session="s1").runs("git commit -m x", 0) == ""
