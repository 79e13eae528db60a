"""Know the lines of each host's transcript: who says what on them, and which lines repeat others.

Recorded from the released programs. opencode keeps its messages in a database of its own; what is read of
it is what its plugin handed over (`rituals.hosts.handed_messages`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from rituals.hosts.observation_filter import line_in
from rituals.hosts.session_files import read_object
from rituals.hosts.transcripts.injected_text import words_of
from rituals.hosts.transcripts.turns import (
    ASSISTANT,
    DIALOGS,
    HIDDEN,
    HOST,
    INTERRUPTED,
    TITLE,
    TOOL,
    USER,
    Answer,
    Call,
    Turns,
    answers_of,
    mapping,
    questions_of,
)

Line = Mapping[str, object]

#: So much of what a tool was given is kept.
GIVEN_CHARS = 16 << 10
#: How Claude Code marks what it wrote itself: summaries, notes about commands, errors of its service.
_CLAUDE_MARKS = frozenset(
    "isCompactSummary repeatsCompactSummary isVisibleInTranscriptOnly isMeta isApiErrorMessage"
    " planContent".split()
)
#: How it says that the person stopped it, and what they said where they refused a tool.
_CLAUDE_STOPPED, _CLAUDE_REFUSED = "[Request interrupted by user", "the user said:\n"
#: How shells tell of failure in what they answer, all of them near its beginning or its end.
_EXIT = re.compile(
    r"^(?:process exited with code|exit code:) (-?\d{1,9})$|exit code (-?\d{1,9})>\s*\Z"
    r"|\"exit_code\": ?(-?\d{1,9})",
    re.IGNORECASE | re.MULTILINE,
)
_EXIT_CHARS = 300
#: What Codex puts before what a command printed.
_CODEX_OUTPUT = "\nOutput:\n"


def _claude(line: Line, turns: Turns) -> None:
    """Read a line of Claude Code: each block of a message has one of its own."""
    kind = line.get("type")
    if kind == "queue-operation":  # what is typed while Claude works, and what becomes of it
        operation, content = line.get("operation"), _text(line.get("content"))
        if operation == "enqueue" and not content.startswith("/"):
            turns.queue(content)
        elif operation in ("remove", "popAll"):
            turns.unqueue(content, taken_back=operation == "popAll")
    elif kind in ("ai-title", "custom-title"):
        turns.title(_text(line.get("aiTitle")) or _text(line.get("customTitle")), _text(kind))
    if kind not in (USER, ASSISTANT) or any(map(line.get, _CLAUDE_MARKS)):
        return
    blocks = _blocks(mapping(line.get("message")).get("content"))
    texts = [_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    key = _text(line.get("uuid"))
    turns.asking = turns.asking or (ASSISTANT if line.get("isSidechain") else USER)
    if kind == ASSISTANT:
        used = [block for block in blocks if block.get("type") == "tool_use"]
        turns.add(ASSISTANT, texts, _calls(used), key)
        return
    for block in blocks:
        if block.get("type") == "tool_result":
            _claude_result(block, line.get("toolUseResult"), turns)
    if line.get("isSidechain"):
        turns.add(ASSISTANT, texts, key=key)
    elif any(text.startswith(_CLAUDE_STOPPED) for text in texts):
        turns.mark(INTERRUPTED)
    elif texts and line.get("promptSource") != "system":
        # else a task, a colleague or the program wrote it
        if mapping(line.get("origin")).get("kind", "human") == "human":
            turns.prompt(texts, key, _text(line.get("parentUuid")))


def _claude_result(block: Line, more: object, turns: Turns) -> None:
    name = _text(block.get("tool_use_id"))
    call = turns.call(name)
    text = _joined(block.get("content"))
    failed = block.get("is_error") is True
    turns.result(name, text, failed=failed)
    details = mapping(more)
    asked = questions_of(more) if "answers" in details else ()
    if asked or (call and call.asked):
        answers = answers_of(
            asked or (call.asked if call else ()),
            details.get("answers") or text,
            details.get("annotations"),
        )
        turns.answer(call.name if call else "AskUserQuestion", answers)
    elif failed and _CLAUDE_REFUSED in text:
        said = text.partition(_CLAUDE_REFUSED)[2].strip()
        turns.answer(call.name if call else "", [Answer("", typed=said)])


def _codex(line: Line, turns: Turns) -> None:
    """Read a line of Codex: its events repeat what its items say."""
    item = mapping(line.get("payload"))
    kind = item.get("type")
    if line.get("type") == "response_item":
        _codex_item(item, kind, turns)
    elif line.get("type") == "event_msg":
        _codex_event(item, kind, turns)
    elif line.get("type") == "compacted":
        turns.without_summary(_text(item.get("message")))
    elif line.get("type") == "session_meta" and not turns.asking:  # a second is of what it copied
        source = mapping(item.get("source"))
        helps = item.get("thread_source") == "subagent" or "subagent" in source
        turns.asking = ASSISTANT if helps else USER


def _codex_event(item: Line, kind: object, turns: Turns) -> None:
    if kind in ("task_started", "task_complete"):
        turns.working = False
    elif kind == "user_message":
        if turns.working:
            turns.steered()
        turns.working = True
    elif kind == "turn_aborted":
        turns.working = False
        turns.mark(INTERRUPTED)
    elif kind == "thread_rolled_back":
        count = item.get("num_turns")
        turns.undo_prompts(count if isinstance(count, int) else 0)


def _codex_item(item: Line, kind: object, turns: Turns) -> None:
    if kind == "message" and item.get("role") in (USER, ASSISTANT):
        is_asked = item.get("role") == USER
        about = mapping(item.get("internal_chat_message_metadata_passthrough"))
        kinds = about.get("content_item_kinds") if is_asked else None
        texts = []
        for place, block in enumerate(_blocks(item.get("content"))):
            said = kinds[place] if isinstance(kinds, list) and place < len(kinds) else "user.text"
            if said == "user.text" and block.get("type") in ("input_text", "output_text", "text"):
                texts.append(_text(block.get("text")))
        if is_asked and turns.asking != ASSISTANT:
            if any(words_of(text) for text in texts):
                turns.prompt(texts, _text(item.get("id")))
        else:
            turns.add(ASSISTANT, texts, key=_text(item.get("id")))
    elif kind in ("function_call", "custom_tool_call"):
        given = item.get("arguments", item.get("input"))
        turns.add(ASSISTANT, [], [_call(item.get("name"), item.get("call_id"), given)])
    elif kind in ("function_call_output", "custom_tool_call_output"):
        text = _joined(item.get("output"))
        result = text.partition(_CODEX_OUTPUT)[2] if _CODEX_OUTPUT in text[:_EXIT_CHARS] else text
        turns.result(_text(item.get("call_id")), result, failed=_fails(text), told=text)
    elif kind in ("local_shell_call", "web_search_call"):
        used = _text(kind).removesuffix("_call")
        turns.add(ASSISTANT, [], [_call(used, item.get("call_id"), item.get("action"))])


def _copilot(line: Line, turns: Turns) -> None:
    """Read an event of Copilot; those of its subagents stand in the same file."""
    kind, data = line.get("type"), mapping(line.get("data"))
    if kind == "user.message":
        if line.get("agentId"):
            turns.add(ASSISTANT, [_text(data.get("content"))])
        elif data.get("source") in (None, "", USER):
            turns.prompt([_text(data.get("content"))])
    elif kind == "assistant.message":
        calls = _calls(_blocks(data.get("toolRequests")), id="toolCallId", given="arguments")
        turns.add(ASSISTANT, [_text(data.get("content"))], calls, _text(data.get("messageId")))
    elif kind == "tool.execution_complete":
        text = _text(mapping(data.get("result")).get("content"))
        text = text or _text(mapping(data.get("error")).get("message"))
        failed = data.get("success") is False or _fails(text)
        told = text if data.get("success") else None
        turns.result(_text(data.get("toolCallId")), text, failed=failed, told=told)
    elif kind == "abort":
        turns.mark(INTERRUPTED)
    elif kind == "session.title_changed":
        turns.title(_text(data.get("title")))
    elif kind == "session.snapshot_rewind":
        turns.undo_from(_text(data.get("upToEventId")))


def _gemini(line: Line, turns: Turns) -> None:
    """Read a line of Gemini CLI: a message, or a patch that may have several; the last of an id holds."""
    if "$rewindTo" in line:
        turns.undo_from(_text(line.get("$rewindTo")))
    patch = mapping(line.get("$set"))
    turns.title(_text(patch.get("summary")))
    for message in _blocks(patch.get("messages")) if patch else [line]:
        kind, key = message.get("type"), _text(message.get("id"))
        turns.begin(turns.at, message, key)
        texts = _part_texts(message.get("content"))
        if kind == USER:
            turns.prompt(texts, key)
        elif kind == "gemini":
            used = _blocks(message.get("toolCalls"))
            turns.add(ASSISTANT, texts, _calls(used, given="args"), key)
            for tool in used:
                _responses(tool.get("result"), turns, failed=tool.get("status") == "error")
        elif kind == "info" and texts and texts[0].startswith("Request cancelled"):
            turns.mark(INTERRUPTED)


def _qwen(line: Line, turns: Turns) -> None:
    """Read a line of Qwen Code, which has Claude's lines and Gemini's parts."""
    kind = line.get("type")
    parts = mapping(line.get("message")).get("parts")
    if kind == "tool_result":
        _responses(parts, turns)
    if kind not in (USER, ASSISTANT) or line.get("provenance") == "system":
        return
    if kind == USER:
        turns.prompt(_part_texts(parts), _text(line.get("uuid")), _text(line.get("parentUuid")))
        return
    used = [one for part in _blocks(parts) if (one := mapping(part.get("functionCall")))]
    calls = _calls(used, given="args")
    turns.add(ASSISTANT, _part_texts(parts), calls, _text(line.get("uuid")))


def _responses(parts: object, turns: Turns, *, failed: bool = False) -> None:
    """Read what the tools of Gemini CLI and Qwen Code answered."""
    for part in _blocks(parts):
        answer = mapping(part.get("functionResponse"))
        response, id = mapping(answer.get("response")), _text(answer.get("id"))
        if turns.call(id):
            text = _text(response.get("output")) or _text(response.get("error"))
            failed = failed or "error" in response or _fails(text)
            turns.result(id, text, failed=failed, told=None if failed else text)


def _opencode(line: Line, turns: Turns) -> None:
    """Read a message of opencode as its plugin hands it over; the last of an id holds."""
    message = mapping(line.get("info"))
    role, key = message.get("role"), _text(message.get("id"))
    parts = _blocks(line.get("parts"))
    if role == HIDDEN:
        turns.hidden += [_text(part.get("text")) for part in parts]
    if role == HOST and key == TITLE:
        turns.title(_joined(parts))
    if role == HOST and key == "aborted":
        turns.mark(INTERRUPTED)
    if role not in (USER, ASSISTANT) or message.get("summary") is True:
        return
    texts = [
        _text(part.get("text"))
        for part in parts
        if part.get("type") == "text" and not part.get("synthetic")
    ]
    used = [part for part in parts if part.get("type") == TOOL]
    calls = [
        _call(part.get("tool"), f"{key} {place}", mapping(part.get("state")).get("input"))
        for place, part in enumerate(used)
    ]
    if role == USER:
        turns.prompt(texts, key)
    else:
        turns.add(ASSISTANT, texts, calls, key)
    for place, part in enumerate(used):
        state = mapping(part.get("state"))
        about = mapping(state.get("metadata"))
        text = _text(state.get("output")) or _text(state.get("error"))
        failed = state.get("status") == "error" or about.get("exit") not in (None, 0)
        told = None if failed else about.get("answers") or text
        turns.result(f"{key} {place}", text, failed=failed, told=told)


FORMATS: dict[str, Callable[[Line, Turns], None]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "qwen": _qwen,
    "opencode": _opencode,
}


def _part_texts(content: object) -> list[str]:
    """Return the texts among the parts of a message, without what its model only thought."""
    return [_text(part.get("text")) for part in _blocks(content) if not part.get("thought")]


def _blocks(content: object) -> list[Line]:
    """Return the blocks of a message; a bare text is one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _text(value: object) -> str:
    """Return a text that can be written; half of a pair of surrogates can not."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _calls(used: Iterable[Line], *, id: str = "id", given: str = "input") -> list[Call]:
    """Return the uses of tools that a message has, by the names of their fields."""
    return [_call(one.get("name"), one.get(id), one.get(given)) for one in used]


def _call(name: object, id: object, given: object) -> Call:
    """Return the use of a tool by what its line says."""
    name = _text(name)
    if isinstance(given, str) and given.startswith("{"):
        given = read_object(given.encode("utf-8", "replace")) or given
    asked = questions_of(given) if name in DIALOGS else ()
    given = line_in(mapping(given)) or given
    if given is not None and not isinstance(given, str):
        given = json.dumps(given, ensure_ascii=False)
    return Call(name, _text(id), _text(given)[:GIVEN_CHARS], asked)


def _fails(text: str) -> bool:
    """Tell whether a shell says in its answer that a command failed."""
    found = _EXIT.search(text, 0, _EXIT_CHARS) or _EXIT.search(
        text, max(0, len(text) - _EXIT_CHARS)
    )
    return found is not None and int(found[found.lastindex or 1]) != 0


def _joined(content: object) -> str:
    """Return the texts of blocks, one behind the other."""
    return "\n".join([text for block in _blocks(content) if (text := _text(block.get("text")))])
