"""Slices of hosts' transcripts: what was said, from any byte of any file, and nothing that we said."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.handed_messages import keep_messages
from rituals.hosts.moments import Moment
from rituals.hosts.session_start import RULE
from rituals.hosts.transcripts.formats import FORMATS
from rituals.hosts.transcripts.injected import without_injected
from rituals.hosts.transcripts.slices import SLICE_BYTES, Slice, Turn, read_slice
from tests.conftest import Repo, Run, each_row
from tests.test_hosts_speakers import DIALOGS, QUEUES, STOPPED, TITLES, UNDONE, shell

FIXTURES = Path(__file__).parent.parent.parent / "shared" / "hosts" / "fixtures"
#: A hook with time enough on a machine that does other things.
HOOK = (
    "import sys; sys.argv = ['diurna', 'hook', 'opencode', 'session.idle']; "
    "import rituals.hosts.hook_answer as hook; hook.OTHER_SECONDS = 30; "
    "from rituals.cli.entry import main; sys.exit(main())"
)
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


def line(said: str, role: str = "user", **more: object) -> bytes:
    """A line of Claude's."""
    turn = {"type": role, "message": {"role": role, "content": said}, **more}
    return json.dumps(turn).encode() + b"\n"


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded transcripts are not here")
@each_row("name", RECORDED)
def test_recorded_transcripts(name: str) -> None:
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
    if host != "gemini":  # there a later line repeats what an earlier one said
        longest = max(map(len, data.splitlines(keepends=True)))
        at = 0
        parts: list[Turn] = []
        while at < len(data):
            part = read_slice(host, str(path), at, longest + 100)
            assert part is not None and part.start == at < part.end
            at = part.end
            parts += part.turns
        alone = [one._replace(result="", failed=False) for one in whole.turns]
        assert [one._replace(result="", failed=False) for one in parts] == alone


CODEX_USER = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
LINES: list[tuple[str, list[Any], str]] = [
    ("claude", [{"type": "user", "isCompactSummary": True, "message": {"content": "We did it"}}], ""),
    ("claude", [{"type": "assistant", "isApiErrorMessage": True, "message": {"content": "500"}}], ""),
    ("claude", [{"type": "user", "uuid": "1", "message": {"content": "Twice"}}] * 2, "u:Twice"),
    ("claude", [{"type": "assistant", "uuid": str(number), "message": {"id": "m", "content": [block]}}
        for number, block in enumerate([
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Look"},
            {"type": "tool_use", "name": "Read", "input": {"file": "x"}},
        ])], "a:Look t:Read"),
    ("claude", [{"type": "user", "message": {"content": [{"type": "tool_result", "content": "out"}]}}], ""),
    ("codex", [
        {"type": "response_item", "payload": CODEX_USER},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}},
        {"type": "response_item", "payload": {**CODEX_USER, "role": "developer"}},
        {"type": "response_item", "payload": {
            **CODEX_USER, "role": "assistant", "id": "s", "content": [{"type": "output_text", "text": "All in all."}]}},
        {"type": "compacted", "payload": {"message": "A summary: All in all. Go on."}},
        {"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch"}},
    ], "u:Hi t:apply_patch"),
    ("gemini", [
        {"$set": {"messages": [{"id": "1", "type": "user", "content": [{"text": "One"}]}]}},
        {"id": "2", "type": "gemini", "content": "Tw"},
        {"id": "2", "type": "gemini", "content": "Two", "toolCalls": [{"name": "replace"}]},
        {"$set": {"lastUpdated": "now"}},
        {"id": "3", "type": "info", "content": "Update there"},
    ], "u:One a:Two t:replace"),
    ("opencode", [
        {"info": {"id": "1", "role": "user"}, "parts": [{"type": "text", "text": "Go"}]},
        {"info": {"id": "2", "role": "assistant"}, "parts": [{"type": "text", "text": "Wa"}]},
        {"info": {"id": "2", "role": "assistant"}, "parts": [
            {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Wait"},
            {"type": "text", "text": "put there", "synthetic": True}, {"type": "tool", "tool": "bash"},
        ]},
    ], "u:Go a:Wait t:bash"),
]  # fmt: skip


@pytest.mark.parametrize(("host", "lines", "expected"), LINES)
def test_lines_of_hosts(tmp_path: Path, host: str, lines: list[Any], expected: str) -> None:
    """Summaries, errors, thoughts and repeats are no turns; the last of an id holds."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert told(read_slice(host, str(path), 0)) == expected


def test_a_transcript_grows_and_shrinks(tmp_path: Path) -> None:
    """A line that is being written is left for the next time; another file is read from its start."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(line("one") + line("two")[:-9])
    first = read_slice("claude", str(path), 0)
    assert told(first) == "u:one" and first is not None and first.end == len(line("one"))
    assert told(read_slice("claude", str(path), first.end)) == ""
    path.write_bytes(line("one") + line("two"))
    second = read_slice("claude", str(path), first.end)
    assert told(second) == "u:two" and second is not None
    assert read_slice("claude", str(path), second.end) == second._replace(
        start=second.end, turns=()
    )
    path.write_bytes(line("new"))
    for start in (second.end, 3, -1, 1 << 70):
        again = read_slice("claude", str(path), start)
        assert told(again) == "u:new" and again is not None and again.start == 0


def test_what_is_no_transcript_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for: a pipe, a device, a folder, a link, another user's file, no name of a file."""
    good = tmp_path / "t.jsonl"
    good.write_bytes(line("one"))
    (tmp_path / "link").symlink_to(good)
    os.mkfifo(tmp_path / "pipe")
    paths = [
        tmp_path / "link",
        tmp_path / "pipe",
        tmp_path,
        tmp_path / "none",
        "/dev/zero",
        "a\0b",
        "",
    ]
    for path in [*map(str, paths), "t.jsonl", "/" + "x" * 5000, "/\ud800"]:
        assert read_slice("claude", path, 0) is None, path
    assert read_slice("cursor", str(good), 0) is None and read_slice("", str(good), 0) is None
    monkeypatch.setattr("os.geteuid", lambda: os.stat(good).st_uid + 1)
    assert read_slice("claude", str(good), 0) is None


def test_long_lines_are_passed_over(tmp_path: Path) -> None:
    """One of 100 MB, in the middle or still being written; the slices around it are whole."""
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
    assert told(second) == "" and second is not None and second.end == end + 1
    assert told(read_slice("claude", str(path), second.end)) == "u:behind"


def test_slices_have_at_most_a_mebibyte(tmp_path: Path) -> None:
    """And each line is in exactly one of them."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join([line(f"{number} " + "x" * 900) for number in range(3000)]))
    at, heard = 0, 0
    while True:
        part = read_slice("claude", str(path), at)
        assert part is not None and part.end - part.start <= SLICE_BYTES
        if part.end == at:
            break
        assert [turn.text.split()[0] for turn in part.turns] == [
            str(heard + number) for number in range(len(part.turns))
        ]
        at, heard = part.end, heard + len(part.turns)
    assert heard == 3000


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


#: Lines as hosts write them, of which a value, somewhere, is put in the place of another one.
SHAPES: list[Any] = [
    *[line for case in (*DIALOGS, *UNDONE, *STOPPED, *TITLES) for line in case[-1]],
    *[line for case in QUEUES for line in case[0]],
    *[line for case in LINES for line in case[1]],
    *[line for host in FORMATS for line in shell(host, "ls", "a", 1)],
]


def mutated(value: Any, chance: random.Random) -> Any:
    """A value with some of its parts gone, doubled, or something else."""
    if chance.random() < 0.08:
        return chance.choice([None, 7, -1, True, "", "\ud800", [], {}, [[]], {"a": None}, 10**400])
    if isinstance(value, dict):
        return {key: mutated(one, chance) for key, one in value.items() if chance.random() > 0.05}
    return [mutated(one, chance) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("host", FORMATS)
def test_odd_lines_of_hosts_make_a_slice(tmp_path: Path, host: str) -> None:
    """Whatever a later release writes in the place of what was recorded, in any order."""
    chance = random.Random(host)
    path = tmp_path / "odd.jsonl"
    for _ in range(60):
        lines = [mutated(one, chance) for one in chance.sample(SHAPES, 12)]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        found = read_slice(host, str(path), 0)
        assert found is not None and found.end == path.stat().st_size
        for turn in found.turns:
            assert "".join(
                [turn.text, turn.tool, turn.asked, turn.given, turn.result]
            ).encode() or (turn.role == "tool")


def test_deep_json_says_nothing(tmp_path: Path) -> None:
    """Nor does a number that is too long, or what is no UTF-8."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b"[" * 200_000 + b"\n" + b'{"type": ' + b"9" * 9000 + b"}\n" + "Ü\n".encode("utf-16") + b"\n"
        + b"\xef\xbb\xbf" + line("whole")
    )  # fmt: skip
    assert told(read_slice("claude", str(path), 0)) == "u:whole"


def test_what_we_said_is_cut_out(repo: Repo, run: Run) -> None:
    """The brief as it is injected, whole, escaped or cut off by the host; answers of `recall`."""
    run("note", "decision: Webhooks retry three times.")
    brief = run("brief").out
    injected = f"{brief.rstrip()}\n\n{RULE}"
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


@each_row(
    "text, kept",
    [
        ("<system-reminder>\nBe good.\n</system-reminder>\nGo on.", "Go on."),
        ("Go <b>on</b> with a < b", "Go <b>on</b> with a < b"),
        ("What is <system-reminder> for?", "What is <system-reminder> for?"),
        ("<command-name>/fix</command-name><command-args>the bug</command-args>", "the bug"),
        ("<bash-input>ls</bash-input><bash-stdout>a\nb</bash-stdout>", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("[Memory] phase build | next: ship\nGo on.", "Go on."),
        ("<!-- diurna:begin v1 -->\nAsk.\n<!-- diurna:end -->\nGo on.", "Go on."),
        ("<diurna-news-0123abcd0123abcd>codex edited a.py</diurna-news-0123abcd0123abcd>", ""),
    ],
)
def test_what_hosts_put_there_is_cut_out(text: str, kept: str) -> None:
    """Their notes between tags, and no word of the person."""
    assert without_injected(text) == kept


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


def handing(*messages: Any, session: str = "ses_1") -> Moment:
    """The end of a turn of opencode."""
    return Moment("opencode", "stop", session, given={"messages": list(messages)})


def message(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """One that its plugin hands over."""
    return {
        "info": {"id": text[:3], "role": role},
        "parts": [{"type": "text", "text": text, **more}],
    }


def test_what_a_plugin_hands_over_is_a_transcript(tmp_path: Path) -> None:
    """Without secrets, for its user alone, turn after turn; behind a line that was cut off, too."""
    token = "ghp" + "_x7Kq2LmN9pRs4TvW8yZb3CdF6gHj1KlM5nPq"
    path = keep_messages(
        str(tmp_path), handing(message("Go on"), message(f"Use {token}", "assistant"))
    )
    first = read_slice("opencode", path, 0)
    assert told(first) == "u:Go on a:Use [redacted: github-token]" and first is not None
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 and token not in Path(path).read_text()
    with open(path, "a") as file:
        file.write('{"info": {"ro')
    again = keep_messages(
        str(tmp_path), handing(message("Stop"), 5, {"parts": 3}, {"parts": [None]})
    )
    assert again == path and told(read_slice("opencode", path, first.end)) == "u:Stop"
    size = os.path.getsize(path)
    for odd in (
        handing(),
        handing(message("x" * SLICE_BYTES)),
        handing()._replace(given={"messages": 7}),
    ):
        assert keep_messages(str(tmp_path), odd) == path and os.path.getsize(path) == size
    other = keep_messages(str(tmp_path), handing(message("Other"), session="../../x"))
    assert os.path.dirname(other) == os.path.dirname(path)


def test_what_tools_of_a_plugin_answered(tmp_path: Path) -> None:
    """Without secrets there, too; of too much the newest is kept."""
    token = "ghp" + "_x7Kq2LmN9pRs4TvW8yZb3CdF6gHj1KlM5nPq"
    state = {"input": {"command": f"echo {token}"}, "output": f"{token}\n<private>x</private>y"}
    tool = {"info": {"id": "t", "role": "assistant"}}
    tool["parts"] = [{"type": "tool", "tool": "bash", "state": state}]  # type: ignore[assignment]
    path = keep_messages(str(tmp_path), handing(message("x" * SLICE_BYTES), tool, message("Go on")))
    assert token not in Path(path).read_text()
    found = read_slice("opencode", path, 0)
    assert told(found) == "t:bash u:Go on" and found is not None
    assert found.turns[0].given == "echo [redacted: github-token]"
    assert found.turns[0].result == "[redacted: github-token]\ny"


def test_what_was_handed_over_goes_after_a_week(tmp_path: Path) -> None:
    """When another session hands something over."""
    path = keep_messages(str(tmp_path), handing(message("Old")))
    os.utime(path, (0, time.time() - 6 * 86_400))
    keep_messages(str(tmp_path), handing(message("New"), session="ses_2"))
    assert os.path.exists(path)
    os.utime(path, (0, time.time() - 8 * 86_400))
    keep_messages(str(tmp_path), handing(message("New"), session="ses_2"))
    assert not os.path.exists(path)


def test_a_turn_of_opencode_leaves_what_was_said(repo: Repo, run: Run, tmp_path: Path) -> None:
    """The hook keeps it, and the next boundary reads it."""
    run("note", "The first fact.")
    talk = [
        message("Let us look."),
        message("I chose SQLite, because it is here. " + "It was looked at. " * 30, "assistant"),
    ]
    payload = {"session_id": "ses_1", "cwd": str(repo.path), "tool_input": {"messages": talk}}
    done = subprocess.run(
        [sys.executable, "-c", HOOK], input=json.dumps(payload).encode(), capture_output=True, cwd=repo.path,
        timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"{}\n"), done.stderr
    assert run("capture").code == 0
    assert "I chose SQLite, because it is here." in run("show").out + run("recall", "SQLite").out
