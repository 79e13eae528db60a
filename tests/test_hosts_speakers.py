"""Who says what in each host's transcript: people in dialogs and in the queue, programs, and nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rituals.hosts.transcripts.injected import without_retraction
from rituals.hosts.transcripts.slices import Slice, Turn, read_slice
from tests.conftest import each_row

ASKED = {
    "questions": [
        {"id": "a", "question": "Which store?", "options": [{"label": "Redis"}]},
        {"id": "b", "question": 'Keep "old" rows?', "options": [{"label": "Yes"}]},
    ]
}
ANSWERED = ["user/ask Which store?=Redis", 'user/ask Keep "old" rows?=Yes; but a week only']
Lines = list[dict[str, Any]]


def read(tmp_path: Path, host: str, lines: Lines, start: int = 0) -> Slice:
    """What is read of the lines."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    found = read_slice(host, str(path), start)
    assert found is not None
    return found


def told(part: Slice, tool: str = "") -> list[str]:
    """The turns without the calls of tools, a dialog by the name `ask`."""
    names = {tool: "ask"} if tool else {}
    return [
        f"{one.role}{'/' if one.tool else ''}{names.get(one.tool, one.tool)} "
        f"{one.asked}{'=' if one.asked else ''}{one.text}".strip()
        for one in part.turns
        if one.role != "tool"
    ]


def claude(content: Any, kind: str = "user", **more: Any) -> dict[str, Any]:
    """A line of Claude's."""
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


def claude_call(name: str, given: Any, result: Any, **more: Any) -> Lines:
    """A tool of Claude's and its result on a later line."""
    error = more.pop("is_error", None)
    answer = {"type": "tool_result", "tool_use_id": "c", "content": result}
    answer |= {} if error is None else {"is_error": error}
    use = {"type": "tool_use", "id": "c", "name": name, "input": given}
    return [claude([use], "assistant"), claude([answer], **more)]


def codex(kind: str, **more: Any) -> dict[str, Any]:
    """An item or an event of Codex's."""
    events = ("user_message", "task_started", "task_complete", "turn_aborted", "thread_rolled_back")
    where = "event_msg" if kind in events else "response_item"
    return {"type": where, "payload": {"type": kind, **more}}


def codex_said(text: str, role: str = "user") -> dict[str, Any]:
    """A message of Codex's."""
    return codex("message", role=role, content=[{"type": "input_text", "text": text}])


def copilot(kind: str, **data: Any) -> dict[str, Any]:
    """An event of Copilot's."""
    return {"type": kind, "id": data.pop("event", ""), "data": data}


def gemini_call(name: str, given: Any, output: str) -> Lines:
    """A tool of Gemini's with its result."""
    result = {"functionResponse": {"id": "c", "response": {"output": output}}}
    call = {"id": "c", "name": name, "args": given, "result": [result]}
    return [{"type": "gemini", "content": "", "toolCalls": [call]}]


def opencode_call(name: str, **state: Any) -> Lines:
    """A tool of opencode's with its result."""
    parts = [{"type": "tool", "tool": name, "state": state}]
    return [{"info": {"id": "1", "role": "assistant"}, "parts": parts}]


DIALOGS: list[tuple[str, str, Lines]] = [
    ("claude", "AskUserQuestion", claude_call("AskUserQuestion", ASKED, "…", toolUseResult={
        **ASKED, "answers": {"Which store?": "Redis", 'Keep "old" rows?': "Yes"},
        "annotations": {'Keep "old" rows?': {"notes": "but a week only"}},
    })),
    ("claude", "AskUserQuestion", claude_call("AskUserQuestion", ASKED,
        'User has answered your questions: "Which store?"="Redis", "Keep "old" rows?"='
        '"Yes; but a week only". You can now continue with the user\'s answers in mind.')),
    ("codex", "request_user_input", [
        codex("function_call", name="request_user_input", call_id="c", arguments=json.dumps(ASKED)),
        codex("function_call_output", call_id="c", output=json.dumps({"answers": {
            "b": {"answers": ["Yes", "user_note: but a week only"]}, "a": {"answers": ["Redis"]}}})),
    ]),
    ("gemini", "ask_user", gemini_call("ask_user", ASKED, '{"answers":{"0":"Redis","1":"Yes; but a week only"}}')),
    ("opencode", "question", opencode_call("question", input=ASKED, output="…",
        metadata={"answers": [["Redis"], ["Yes", "but a week only"]]})),
]  # fmt: skip


@pytest.mark.parametrize(("host", "tool", "lines"), DIALOGS)
def test_answers_in_dialogs_are_a_persons(
    tmp_path: Path, host: str, tool: str, lines: Lines
) -> None:
    """The option that was chosen and what was typed, each with its question."""
    assert told(read(tmp_path, host, lines), tool) == ANSWERED


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("User responded: too heavy, use the PR", "too heavy, use the PR"),
        ("User selected: Keep it (Recommended)", "Keep it (Recommended)"),
        ("User skipped question", ""),
    ],
)
def test_copilot_asks_one_question(tmp_path: Path, answer: str, expected: str) -> None:
    """Its answer is a sentence of the host's with the person's words behind."""
    given = {"question": "How far?", "choices": ["Keep it (Recommended)"]}
    lines = [
        copilot("assistant.message", content="", toolRequests=[{"toolCallId": "c", "name": "ask_user", "arguments": given}]),
        copilot("tool.execution_complete", toolCallId="c", success=True, result={"content": answer}),
    ]  # fmt: skip
    wanted = [f"user/ask How far?={expected}"] if expected else []
    assert told(read(tmp_path, "copilot", lines), "ask_user") == wanted


def test_refusing_a_tool_says_why(tmp_path: Path) -> None:
    """What the person types there is theirs; a refusal alone says nothing."""
    refused = "The user doesn't want to proceed with this tool use."
    said = f"{refused} To tell you how to proceed, the user said:\nNot on main, please."
    lines = claude_call("Bash", {"command": "git push"}, said, is_error=True)
    part = read(tmp_path, "claude", lines)
    assert told(part) == ["user/Bash Not on main, please."] and part.turns[0].failed
    assert told(read(tmp_path, "claude", claude_call("Bash", {}, refused, is_error=True))) == []


def queue(operation: str, content: str | None = None) -> dict[str, Any]:
    """A line about what is typed while Claude works."""
    more = {} if content is None else {"content": content}
    return {"type": "queue-operation", "operation": operation, **more}


QUEUES: list[tuple[Lines, list[str]]] = [
    ([queue("enqueue", "Mind the tests"), queue("remove")], ["user/queue Mind the tests"]),
    ([queue("enqueue", "Mind it"), queue("dequeue"), claude("Mind  it")], ["user Mind  it"]),
    ([queue("enqueue", "One"), queue("enqueue", "Two"), claude("One\nTwo")], ["user One\nTwo"]),
    ([queue("enqueue", "One"), queue("remove", "One"), claude("One more")], ["user/queue One", "user One more"]),
    ([queue("enqueue", "Hm"), queue("popAll", "Hm")], []),
    ([queue("enqueue", "<task-notification>done</task-notification>")], []),
    ([queue("enqueue", '{"task_id":"b1","description":"Push"}')], []),
    ([queue("enqueue", "/compact")], []),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), QUEUES)
def test_what_is_typed_while_claude_works(
    tmp_path: Path, lines: Lines, expected: list[str]
) -> None:
    """Told once, not where the person takes it back, and nothing that a program queued."""
    assert told(read(tmp_path, "claude", lines)) == expected


def test_what_is_typed_while_codex_works(tmp_path: Path) -> None:
    """A second prompt of one turn; one behind its end is a prompt like others."""
    lines = [
        codex("task_started"), codex_said("Go"), codex("user_message", message="Go"),
        codex_said("And mind the tests"), codex("user_message", message="And mind the tests"),
        codex("task_complete"), codex_said("Next"), codex("user_message", message="Next"),
    ]  # fmt: skip
    expected = ["user Go", "user/queue And mind the tests", "user Next"]
    assert told(read(tmp_path, "codex", lines)) == expected


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
@each_row("host", ["claude", "codex", "copilot", "qwen", "gemini"])
def test_what_hosts_write_is_no_persons(tmp_path: Path, host: str, text: str) -> None:
    """Skills, hooks, plans, tasks, colleagues, commands and summaries."""
    lines: dict[str, dict[str, Any]] = {
        "claude": claude(text),
        "codex": codex_said(text),
        "copilot": copilot("user.message", content=text),
        "qwen": {"type": "user", "message": {"parts": [{"text": text}]}},
        "gemini": {"type": "user", "content": text},
    }
    assert told(read(tmp_path, host, [lines[host]])) == []


@pytest.mark.parametrize(
    ("more", "is_said"),
    [
        ({"origin": {"kind": "human"}, "promptSource": "typed"}, True),
        ({"origin": {"kind": "human"}, "promptSource": "sdk"}, True),
        ({"origin": {"kind": "task-notification"}}, False),
        ({"origin": {"kind": "coordinator"}, "promptSource": "typed"}, False),
        ({"promptSource": "system"}, False),
        ({"planContent": "# Plan"}, False),
        ({"isMeta": True}, False),
    ],
)
def test_claude_says_who_wrote_a_line(tmp_path: Path, more: Any, is_said: bool) -> None:
    """By its origin, by where the prompt is from, and by a plan that was approved."""
    assert bool(told(read(tmp_path, "claude", [claude("Use Redis.", **more)]))) is is_said


def test_copilots_skills_and_subagents(tmp_path: Path) -> None:
    """A skill's text is nobody's; what asks a subagent is an agent."""
    lines = [
        copilot("user.message", content="Use tabs.", source="skill-tabs"),
        {**copilot("user.message", content="Look."), "agentId": "1"},
        copilot("user.message", content="Go."),
    ]
    assert told(read(tmp_path, "copilot", lines)) == ["assistant Look.", "user Go."]


@pytest.mark.parametrize(
    "first", [{"thread_source": "subagent"}, {"source": {"subagent": {"other": "guardian"}}}]
)
def test_a_subagent_of_codex_is_asked_by_an_agent(tmp_path: Path, first: Any) -> None:
    """Also where the line of the session that it copied follows, and in a slice behind both."""
    lines: Lines = [
        {"type": "session_meta", "payload": first},
        {"type": "session_meta", "payload": {"source": "cli"}},
        codex_said("Use Redis."),
    ]
    assert told(read(tmp_path, "codex", lines)) == ["assistant Use Redis."]
    start = sum(len(json.dumps(one)) + 1 for one in lines[:2])
    assert told(read(tmp_path, "codex", lines, start)) == ["assistant Use Redis."]
    lines[0], lines[1] = lines[1], lines[0]
    assert told(read(tmp_path, "codex", lines)) == ["user Use Redis."]


def test_words_around_an_editors(tmp_path: Path) -> None:
    """What an editor puts before the request is not the person's."""
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nUse Redis.\n"
    assert told(read(tmp_path, "codex", [codex_said(text)])) == ["user Use Redis."]


UNDONE: list[tuple[str, Lines]] = [
    (
        "codex",
        [codex_said("Go"), codex_said("ok", "assistant"), codex_said("Wrong"), codex_said("no", "assistant"),
         codex_said("Wronger"), codex("thread_rolled_back", num_turns=2), codex_said("Right")],
    ),
    (
        "claude",
        [claude("Go", uuid="1"), claude("ok", "assistant", uuid="2", parentUuid="1"),
         claude("Wrong", uuid="3", parentUuid="2"), claude("no", "assistant", uuid="4", parentUuid="3"),
         claude("Wronger", uuid="5", parentUuid="4"), claude("Right", uuid="6", parentUuid="2")],
    ),
    (
        "copilot",
        [copilot("user.message", content="Go", event="1"), copilot("assistant.message", content="ok"),
         copilot("user.message", content="Wrong", event="3"), copilot("assistant.message", content="no"),
         copilot("session.snapshot_rewind", upToEventId="3"), copilot("user.message", content="Right")],
    ),
    (
        "gemini",
        [{"id": "1", "type": "user", "content": "Go"}, {"id": "2", "type": "gemini", "content": "ok"},
         {"id": "3", "type": "user", "content": "Wrong"}, {"id": "4", "type": "gemini", "content": "no"},
         {"$rewindTo": "3"}, {"id": "5", "type": "user", "content": "Right"}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("host", "lines"), UNDONE)
def test_what_was_rolled_back_is_not_read(tmp_path: Path, host: str, lines: Lines) -> None:
    """The prompts, and what the agent made of them."""
    assert told(read(tmp_path, host, lines)) == ["user Go", "assistant ok", "user Right"]


def test_results_of_parallel_tools_roll_nothing_back(tmp_path: Path) -> None:
    """There lines have parents further up, too, and a prompt follows the last of them."""
    lines = [
        claude("Go", uuid="1"), claude("a", "assistant", uuid="2", parentUuid="1"),
        claude("b", "assistant", uuid="3", parentUuid="2"), claude([], uuid="4", parentUuid="2"),
        claude("On", uuid="5", parentUuid="4"), claude("Elsewhere", uuid="6", parentUuid="not here"),
    ]  # fmt: skip
    assert told(read(tmp_path, "claude", lines))[-2:] == ["user On", "user Elsewhere"]
    assert len(told(read(tmp_path, "claude", lines))) == 5


STOPPED: list[tuple[str, Lines]] = [
    ("claude", [claude([{"type": "text", "text": "[Request interrupted by user for tool use]"}])]),
    ("codex", [codex_said("<turn_aborted>\nstop\n</turn_aborted>"), codex("turn_aborted")] * 2),
    ("copilot", [copilot("abort", reason="user_initiated")]),
    ("gemini", [{"type": "info", "content": "Request cancelled."}]),
    ("opencode", [{"info": {"id": "aborted", "role": "host"}, "parts": []}]),
]  # fmt: skip


@pytest.mark.parametrize(("host", "lines"), STOPPED)
def test_a_turn_is_interrupted(tmp_path: Path, host: str, lines: Lines) -> None:
    """The host says so once."""
    assert told(read(tmp_path, host, lines)) == ["host/interrupted"]


TITLES: list[tuple[str, Lines]] = [
    ("claude", [{"type": "ai-title", "aiTitle": "Old"}, {"type": "ai-title", "aiTitle": "Fix it"}]),
    ("claude", [{"type": "custom-title", "customTitle": "Fix it"}] * 3),
    ("copilot", [copilot("session.title_changed", title="Fix it")]),
    ("gemini", [{"$set": {"summary": "Fix it"}}]),
    ("opencode", [{"info": {"id": "title", "role": "host"}, "parts": [{"text": "Fix it"}]}]),
]


@pytest.mark.parametrize(("host", "lines"), TITLES)
def test_hosts_name_sessions(tmp_path: Path, host: str, lines: Lines) -> None:
    """The newest name, however often it is said."""
    assert told(read(tmp_path, host, lines)) == ["host/title Fix it"]


def shell(host: str, command: str, output: str, code: int) -> Lines:
    """A command and its result, as each host writes them."""
    said = f"{output}\nExit Code: {code}"
    answer = {"functionResponse": {"id": "c", "response": {"output": said}}}
    call = {"id": "c", "name": "sh", "args": {"command": command}}
    lines: dict[str, Lines] = {
        "claude": claude_call("sh", {"command": command, "description": "x"}, [{"type": "text", "text": output}], is_error=code != 0),
        "codex": [
            codex("function_call", name="sh", call_id="c", arguments=json.dumps({"cmd": command})),
            codex("function_call_output", call_id="c", output=f"Wall time: 0\nProcess exited with code {code}\nOutput:\n{output}"),
        ],
        "copilot": [
            copilot("assistant.message", content="", toolRequests=[{"toolCallId": "c", "name": "sh", "arguments": {"command": command}}]),
            copilot("tool.execution_complete", toolCallId="c", success=True, result={"content": f"{output}\n<exited with exit code {code}>"}),
        ],
        "gemini": gemini_call("sh", {"command": command}, said),
        "qwen": [
            {"type": "assistant", "message": {"parts": [{"functionCall": call}]}},
            {"type": "tool_result", "message": {"parts": [answer]}},
        ],
        "opencode": opencode_call("sh", input={"command": command}, output=output, metadata={"exit": code}),
    }  # fmt: skip
    return lines[host]


@pytest.mark.parametrize("host", ["claude", "codex", "copilot", "gemini", "qwen", "opencode"])
def test_commands_have_their_answers(tmp_path: Path, host: str) -> None:
    """What was given, the beginning of what came back, and whether it failed."""
    (ok,) = read(tmp_path, host, shell(host, "git commit -m 'x'", "[main b5e8dfc5] x", 0)).turns
    assert (ok.role, ok.text, ok.tool, ok.given) == ("tool", "", "sh", "git commit -m 'x'")
    assert ok.result.startswith("[main b5e8dfc5] x") and not ok.failed
    (bad,) = read(tmp_path, host, shell(host, "x" * 20_000, "y" * 9_000, 1)).turns
    assert bad.failed and len(bad.given) == 16 << 10 and len(bad.result) == 4 << 10


def test_a_result_without_its_call_is_left_out(tmp_path: Path) -> None:
    """Its call is in the slice before."""
    lines = shell("claude", "ls", "a", 0)
    assert read(tmp_path, "claude", lines, len(json.dumps(lines[0])) + 1).turns == ()


RETRACTIONS = [
    "sorry wrong chat. ignore last message.", "Oops, wrong window!", "ignore that, wrong session",
    "That was meant for another terminal.", "Please disregard my previous message", "forget what i said",
    "Entschuldigung, falsches Fenster.", "Das war für einen anderen Chat gedacht.",
    "désolé, mauvaise fenêtre", "perdón, ventana equivocada", "desculpa, janela errada",
    "ой, не в тот чат", "извини, ошибся окном", "不好意思，发错窗口了。", "忽略上一条消息",
]  # fmt: skip
WORK = [
    "ignore that", "ignore it", "wrong window title is shown", "Ignore that warning and go on",
    "use the other session", "For the other session, rename it", "no, wrong file", "sorry",
    "wrong. The window must be closed", "the last message of the session is wrong", "ignore this message type",
    "не в тот файл", "这里发错误消息", "das Fenster ist im falschen Ordner",
]  # fmt: skip


@each_row("text", RETRACTIONS)
def test_what_a_person_takes_back_is_not_read(tmp_path: Path, text: str) -> None:
    """Neither it nor what takes it back; what is said behind that is."""
    lines = [
        claude("Go"),
        claude("Rename it"),
        claude("ok", "assistant"),
        claude(f"{text}\nUse Redis now"),
    ]
    assert told(read(tmp_path, "claude", lines)) == [
        "user Go",
        "assistant ok",
        "user Use Redis now",
    ]
    assert without_retraction(text) == ""


@each_row("text", WORK)
def test_what_only_sounds_so_takes_nothing_back(text: str) -> None:
    """It is about the work, or it answers a question."""
    assert without_retraction(text) is None


def test_private_parts_are_in_no_command(tmp_path: Path) -> None:
    """Nor in what a tool answered, nor in a question."""
    lines = shell("claude", "echo <private>x1</private> a", "b <PRIVATE>x2</PRIVATE>", 0)
    (turn,) = read(tmp_path, "claude", lines).turns
    assert turn == Turn("tool", "", 0, "sh", 0, "", "echo  a", "b ")
