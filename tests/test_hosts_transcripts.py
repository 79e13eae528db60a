"""Slices of hosts' transcripts: who said what, from any byte of any file, and nothing that we said."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.transcripts.injected_text import without_injected
from rituals.hosts.transcripts.slices import Slice, read_slice
from rituals.hosts.transcripts.turns import Turn
from tests.conftest import Run, each_row, holders
from tests.host_door import Door, door

__all__ = ["door"]

DATA = Path(__file__).parent / "hosts"
FIXTURES = Path(__file__).parents[2] / "shared" / "hosts" / "fixtures"
SLICE_BYTES = 1 << 20
HOSTS = ("claude", "codex", "copilot", "gemini", "qwen", "opencode")
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DATA / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
]


def read(path: Path, host: str, lines: list[Any], start: int = 0) -> list[str]:
    """Write a transcript; return its turns, each as a line: who, in which dialog or tool, and what."""
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    found = read_slice(host, str(path), start)
    assert found is not None
    return list(map(line_of, found.turns))


def line_of(one: Turn) -> str:
    if one.role == "tool":
        said = f"tool {one.tool}: {one.given[:60]} → {one.result[:60]}{' (failed)' if one.failed else ''}"
        return said.replace(":  → ", "")
    asked = f"{one.asked} = " if one.asked else ""
    return f"{one.role}{'/' if one.tool else ''}{one.tool} {asked}{one.text}".strip()


@each_row("case", CASES)
def test_who_says_what_in_each_hosts_transcript(tmp_path: Path, case: dict[str, Any]) -> None:
    """People in dialogs and in the queue, agents, tools with their answers, programs, and nobody."""
    assert (
        read(tmp_path / "t.jsonl", case["host"], case["lines"], case.get("start", 0))
        == case["said"]
    )


def user(host: str, text: str) -> dict[str, Any]:
    """A prompt, as each host writes it."""
    content = [{"type": "input_text", "text": text}]
    lines: dict[str, dict[str, Any]] = {
        "claude": {"type": "user", "message": {"role": "user", "content": text}},
        "codex": {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content},
        },
        "copilot": {"type": "user.message", "id": "", "data": {"content": text}},
        "qwen": {"type": "user", "message": {"parts": [{"text": text}]}},
        "gemini": {"type": "user", "content": text},
    }
    return lines[host]


HOST_TEXTS = [
    "Base directory for this skill: /x\n\nAlways use tabs.",
    "Stop hook feedback:\n- run the tests",
    "Implement the following plan:\n\n# Plan\nWe decided to use Redis.",
    "<task-notification>\n<result>ok</result>\n</task-notification>\nFull transcript available at: /tmp/x",
    '<teammate-message teammate_id="lead">Use Redis.</teammate-message>',
    '<skill-context name="x">\nAlways use tabs.\n</skill-context>',
    "<command-message>fix is running</command-message>\n<command-name>/fix</command-name>",
    "This session is being continued from a previous conversation that ran out of context. Redis.",
    "Generate a file named AGENTS.md that serves as a contributor guide for this repository.\nUse tabs.",
]


@each_row("text", HOST_TEXTS)
@each_row("host", [one for one in HOSTS if one != "opencode"])
def test_what_hosts_write_is_no_persons(tmp_path: Path, host: str, text: str) -> None:
    """Skills, hooks, plans, tasks, colleagues, commands and summaries."""
    assert read(tmp_path / "t.jsonl", host, [user(host, text)]) == []
    assert read(tmp_path / "t.jsonl", host, [user(host, "Use Redis.")]) == ["user Use Redis."]


#: What was said in the recorded sessions.
RECORDED = {
    "claude-code-2.1.330/transcript.jsonl": "u:first a:I look. t:Bash a:All done. u:second a:I look. "
    "t:Bash a:All done. u:keep names u:six a:I look. t:Bash a:All done. u:seven a:I look. t:Bash a:All done.",
    "claude-code-2.1.330/transcript-short.jsonl": "u:Write hello a:I write a file. t:Write t:Bash a:All done.",
    "claude-code-2.1.330/transcript-subagent.jsonl": "a:SUBTASK-ONE: look around a:All done with sub. a:done",
    "codex-0.169.0/transcript.jsonl": "u:go a:I look. t:exec_command a:SUMMARYTEXT t:exec_command a:done",
    "codex-0.169.0/transcript-subagent.jsonl": "a:SUBTASK-ONE: look around a:Sub report: nothing found.",
    "copilot-cli-1.0.102/transcript.jsonl": "u:delegate a:I delegate. t:task a:SUBTASK-ONE: look around "
    "a:Sub report: nothing found. a:All done with sub.",
    "gemini-cli-0.61.0/transcript.jsonl": "u:go a:I run a command. t:run_shell_command a:All done. "
    "u:ERRTWO stop a:done",
    "qwen-code-0.24.4/transcript.jsonl": "u:go a:I run a command. t:run_shell_command a:All done.",
}


def told(found: Slice | None) -> str:
    """The turns on one line."""
    assert found is not None
    return " ".join(f"{turn.role[0]}:{turn.text or turn.tool}" for turn in found.turns)


def line(said: object, role: str = "user", **more: object) -> bytes:
    """A line of Claude's."""
    turn = {"type": role, "message": {"role": role, "content": said}, **more}
    return json.dumps(turn).encode() + b"\n"


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded transcripts are not here")
@each_row("name", RECORDED)
def test_recorded_transcripts(tmp_path: Path, name: str) -> None:
    """Who said what, byte for byte where it stands, and the same turns in slices of any size."""
    path = FIXTURES / name
    host = name.partition("-")[0]
    whole = read_slice(host, str(path), 0)
    assert told(whole) == RECORDED[name] and whole is not None
    data = path.read_bytes()
    assert (whole.name, whole.start, whole.end) == (path.name, 0, len(data))
    for turn in whole.turns:
        assert turn.at == 0 or data[turn.at - 1 : turn.at] == b"\n"
        assert (
            json.dumps(turn.text or turn.tool)[1:-1].encode() in data[turn.at :].partition(b"\n")[0]
        )
    parts: list[Turn] = []
    copy = tmp_path / name.replace("/", "-")
    for part in in_slices(copy, host, data.splitlines(keepends=True)):
        parts += part.turns  # what is taken back later is told before
    assert {one[:2] for one in whole.turns} <= {one[:2] for one in parts}


def in_slices(path: Path, host: str, parts: Iterable[bytes]) -> Iterator[Slice]:
    """Let a transcript grow by parts, each read behind the last one."""
    at = 0
    for part in parts:
        with path.open("ab") as file:
            file.write(part)
        found = read_slice(host, str(path), at)
        assert found is not None and found.start == at
        at = found.end
        yield found
    assert at == path.stat().st_size


def test_of_another_user_or_program_nothing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = tmp_path / "t.jsonl"
    good.write_bytes(line("one"))
    assert read_slice("cursor", str(good), 0) is None and read_slice("", str(good), 0) is None
    monkeypatch.setattr("os.geteuid", lambda: os.stat(good).st_uid + 1)
    assert read_slice("claude", str(good), 0) is None


def test_long_lines_are_passed_over(tmp_path: Path) -> None:
    """One of 100 MB, in the middle or still being written; what stands around it is told."""
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.write(line("before"))
        file.truncate(100_000_000)
        file.seek(0, os.SEEK_END)
        end = file.tell()
    first = read_slice("claude", str(path), 0)
    assert told(first) == "u:before" and first is not None
    assert read_slice("claude", str(path), first.end) == first._replace(start=first.end, turns=())
    with path.open("ab") as file:
        file.write(b"\n" + line("behind"))
    second = read_slice("claude", str(path), first.end)
    assert told(second) == "u:behind" and second is not None
    assert (second.turns[0].at, second.typed) == (end + 1, ("before", "behind"))


@given(st.binary(max_size=400) | st.lists(st.binary(max_size=40)).map(b"\n".join), st.integers())
def test_any_bytes_make_a_slice(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, at: int
) -> None:
    """Whatever stands in the file, for every host."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    for host in ("claude", "codex", "copilot", "gemini", "qwen", "opencode"):
        found = read_slice(host, str(path), at)
        assert found is not None and 0 <= found.start <= found.end <= len(data)


def mutated(value: Any, chance: random.Random) -> Any:
    """A value with some of its parts gone, doubled, or something else."""
    if chance.random() < 0.08:
        return chance.choice([None, 7, -1, True, "", "\ud800", [], {}, [[]], {"a": None}, 10**400])
    if isinstance(value, dict):
        return {key: mutated(one, chance) for key, one in value.items() if chance.random() > 0.05}
    return [mutated(one, chance) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("host", HOSTS)
def test_odd_lines_of_hosts_make_a_slice(tmp_path: Path, host: str) -> None:
    """Whatever a later release writes in the place of what was recorded, in any order."""
    chance, path = random.Random(host), tmp_path / "odd.jsonl"
    shapes = [line for case in CASES for line in case["lines"]]
    for _ in range(60):
        lines = [mutated(one, chance) for one in chance.sample(shapes, 12)]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        found = read_slice(host, str(path), 0)
        assert found is not None and found.end == path.stat().st_size
        for turn in found.turns:
            assert (
                "".join([turn.text, turn.tool, turn.asked, turn.given, turn.result]).encode()
                or turn.role == "tool"
            )


def test_deep_json_says_nothing(tmp_path: Path) -> None:
    """Nor does a number that is too long, or what is no UTF-8."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b"[" * 200_000 + b"\n" + b'{"type": ' + b"9" * 9000 + b"}\n" + "Ü\n".encode("utf-16") + b"\n"
        + b"\xef\xbb\xbf" + line("whole")
    )  # fmt: skip
    assert told(read_slice("claude", str(path), 0)) == "u:whole"


def test_what_we_said_is_cut_out(door: Door, run: Run) -> None:
    """The brief as it is injected, whole, escaped or cut off by the host; answers of `recall`."""
    run("note", "decision: Webhooks retry three times.")
    injected = door.session().start()
    escaped = injected.replace("<", "&lt;").replace(">", "&gt;")
    for ours in (
        injected,
        escaped,
        injected[: injected.index("</diurna")],
        run("recall", "webhooks").out,
    ):
        assert "ebhooks" in ours, ours
        kept = without_injected(f"Please look.\n\n{ours}\n")
        assert kept.startswith("Please look.") and "ebhooks" not in kept and len(kept) < 120, kept
    assert "ebhooks" not in without_injected(run("brief", "--json").out)
    assert without_injected(f"{injected}\n\nPlease look.") == "Please look."


def test_cutting_is_linear() -> None:
    """Openings without an end, a mebibyte of them."""
    chance = random.Random(12)
    for piece in (
        "<system-reminder>",
        "<diurna-news-0123> x ",
        "<",
        "&lt;",
        "2026-11-22-",
        "<!-- diurna:begin ",
    ):
        text = "said " + piece * (SLICE_BYTES // len(piece)) + str(chance.random())
        assert len(without_injected(text)) <= len(text), piece


TOKEN = "ghp" + "_x7Kq2LmN9pRs4TvW8yZb3CdF6gHj1KlM5nPq"


def message(text: str, role: str = "user") -> dict[str, Any]:
    """One that the plugin of opencode hands over."""
    return {"info": {"id": text[:3], "role": role}, "parts": [{"type": "text", "text": text}]}


def test_what_a_plugin_hands_over_is_a_transcript(door: Door, run: Run) -> None:
    """Without secrets, for its user alone, of too much the newest, whatever stands in it; it goes after a week."""
    run("note", "The first fact.")
    mine, said = door.session("opencode", "ses_1"), door.repo.path / ".git/diurna/said"
    state = {
        "input": {"command": f"echo {TOKEN}"},
        "output": f"{TOKEN}\n<private>quokka</private>y",
    }
    tool = {
        "info": {"id": "t", "role": "assistant"},
        "parts": [{"type": "tool", "tool": "bash", "state": state}],
    }
    talk = f"I chose SQLite, because it is here. {'It was looked at. ' * 30} {TOKEN}"
    odd: list[Any] = [5, {"parts": 3}, {"parts": [None]}, message("x" * SLICE_BYTES)]
    mine.hook(
        "stop",
        tool_input={"messages": [*odd, message("Let us look."), tool, message(talk, "assistant")]},
    )
    (path,) = said.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size < 5_000
    assert read(path, "opencode", [json.loads(line) for line in path.read_text().splitlines() if line])[:2] == [
        "user Let us look.", "tool bash: echo [redacted: github-token] → [redacted: github-token]\ny",
    ]  # fmt: skip
    with path.open("a") as file:
        file.write('{"info": {"ro')
    mine.hook("stop", tool_input={"messages": [message("And stop there, please.")]})
    assert run("capture").code == 0
    assert "I chose SQLite, because it is here." in run("recall", "SQLite").out
    assert holders(door.repo.path, TOKEN) == holders(door.repo.path, "quokka") == []
    old = path.stat().st_mtime - 8 * 86_400
    os.utime(path, (old, old))
    door.session("opencode", "../../x").hook("stop", tool_input={"messages": [message("Other")]})
    assert path not in [*said.iterdir()] and len([*said.iterdir()]) == 1
