"""Know the lines of each host's transcript: who says what on them, and which lines repeat others.

Recorded from the released programs. opencode keeps its messages in a database of its own; what is read of
it is what its plugin handed over (`rituals.hosts.transcripts.handed`).
"""

from __future__ import annotations

from datetime import datetime

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Line = Mapping[str, object]

USER, ASSISTANT, TOOL = "user", "assistant", "tool"


#: How Claude Code marks what it wrote itself: summaries, notes about commands, errors of its service.
_CLAUDE_MARKS = (
    "isCompactSummary", "repeatsCompactSummary", "isVisibleInTranscriptOnly", "isMeta",
    "isApiErrorMessage",
)  # fmt: skip


class Said(Record):
    """A turn as a transcript has it.

    Args:
        role: USER, ASSISTANT or TOOL.
        text: of it, "" for a tool.
        at: where its line starts.
        tool: the name of the tool.
        when: it was said, milliseconds since 1970; 0 for unknown.
    """

    role: str
    text: str
    at: int
    tool: str
    when: int = 0


class Turns:
    """Collect turns, of which a later one may take the place of an earlier one."""

    def __init__(self) -> None:
        self.at = 0
        #: When the line was written, by what the host says.
        self.when = 0
        #: Who asks: a person, or in the session of a subagent the agent that gave it its task.
        self.asking = USER
        self._said: dict[str, list[Said]] = {}
        self._count = 0

    def __iter__(self) -> Iterator[Said]:
        """Yield the turns in order."""
        for said in self._said.values():
            yield from said

    def add(self, role: str, texts: list[str], tools: list[str], key: str = "") -> None:
        """Add what a line says.

        Args:
            role: who says it.
            texts: what it says.
            tools: the names of the tools that it uses.
            key: a line that bears the same one takes the place of this; "" where none does.
        """
        said = [Said(role, text, self.at, "", self.when) for text in texts if text]
        said += [Said(TOOL, "", self.at, name, self.when) for name in tools if name]
        self._count += 1
        key = key or f"line {self._count}"
        self._said.pop(key, None)
        self._said[key] = said

    def clear(self) -> None:
        """Forget what was said, but not who asks."""
        self._said.clear()

    def without_summary(self, summary: str) -> None:
        """Take back the newest turn of the agent where it is the summary that a host asked it for."""
        for key in reversed(self._said):
            said = self._said[key]
            if said and said[-1].role == ASSISTANT:
                if said[-1].text in summary:
                    del self._said[key]
                return


def _claude(line: Line, turns: Turns) -> None:
    """Read a line of Claude Code: each block of a message has one of its own."""
    if line.get("type") not in (USER, ASSISTANT) or any(line.get(mark) for mark in _CLAUDE_MARKS):
        return
    message = _mapping(line.get("message"))
    role = ASSISTANT if line.get("type") == ASSISTANT or line.get("isSidechain") else USER
    blocks = _blocks(message.get("content"))
    texts = [_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    tools = [_text(block.get("name")) for block in blocks if block.get("type") == "tool_use"]
    turns.add(role, texts, tools, _text(line.get("uuid")))


def _codex(line: Line, turns: Turns) -> None:
    """Read a line of Codex: its events repeat what its items say."""
    item = _mapping(line.get("payload"))
    kind = item.get("type")
    if line.get("type") == "session_meta":
        turns.asking = ASSISTANT if item.get("thread_source") == "subagent" else USER
    elif line.get("type") == "compacted":
        turns.without_summary(_text(item.get("message")))
    elif line.get("type") != "response_item":
        return
    elif kind == "message" and item.get("role") in (USER, ASSISTANT):
        role = turns.asking if item.get("role") == USER else ASSISTANT
        about = _mapping(item.get("internal_chat_message_metadata_passthrough"))
        kinds = about.get("content_item_kinds") if item.get("role") == USER else None
        texts = []
        for place, block in enumerate(_blocks(item.get("content"))):
            said = kinds[place] if isinstance(kinds, list) and place < len(kinds) else "user.text"
            if said == "user.text" and block.get("type") in ("input_text", "output_text", "text"):
                texts.append(_text(block.get("text")))
        turns.add(role, texts, [], _text(item.get("id")))
    elif kind in ("function_call", "custom_tool_call"):
        turns.add(ASSISTANT, [], [_text(item.get("name"))])
    elif kind in ("local_shell_call", "web_search_call"):
        turns.add(ASSISTANT, [], [_text(kind).removesuffix("_call")])


def _copilot(line: Line, turns: Turns) -> None:
    """Read an event of Copilot; those of its subagents stand in the same file."""
    data = _mapping(line.get("data"))
    if line.get("type") == "user.message":
        role = ASSISTANT if line.get("agentId") or data.get("source") else USER
        turns.add(role, [_text(data.get("content"))], [])
    elif line.get("type") == "assistant.message":
        tools = [_text(tool.get("name")) for tool in _blocks(data.get("toolRequests"))]
        turns.add(ASSISTANT, [_text(data.get("content"))], tools, _text(data.get("messageId")))


def _gemini(line: Line, turns: Turns) -> None:
    """Read a line of Gemini CLI: a message, or a patch that may have several; the last of an id holds."""
    patch = _mapping(line.get("$set"))
    for message in _blocks(patch.get("messages")) if patch else [line]:
        kind = message.get("type")
        turns.when = when_said(message) or turns.when
        if kind in (USER, "gemini"):
            texts = _part_texts(message.get("content"))
            tools = [_text(tool.get("name")) for tool in _blocks(message.get("toolCalls"))]
            role = USER if kind == USER else ASSISTANT
            turns.add(role, texts, tools, _text(message.get("id")))


def _qwen(line: Line, turns: Turns) -> None:
    """Read a line of Qwen Code, which has Claude's lines and Gemini's parts."""
    if line.get("type") not in (USER, ASSISTANT) or line.get("provenance") == "system":
        return
    parts = _mapping(line.get("message")).get("parts")
    calls = [_mapping(part.get("functionCall")) for part in _blocks(parts)]
    tools = [_text(call.get("name")) for call in calls]
    turns.add(_text(line.get("type")), _part_texts(parts), tools, _text(line.get("uuid")))


def _opencode(line: Line, turns: Turns) -> None:
    """Read a message of opencode as its plugin hands it over; the last of an id holds."""
    message = _mapping(line.get("info"))
    if message.get("role") not in (USER, ASSISTANT) or message.get("summary") is True:
        return
    parts = _blocks(line.get("parts"))
    texts = [
        _text(part.get("text"))
        for part in parts
        if part.get("type") == "text" and not part.get("synthetic")
    ]
    tools = [_text(part.get("tool")) for part in parts if part.get("type") == TOOL]
    turns.add(_text(message.get("role")), texts, tools, _text(message.get("id")))


FORMATS: dict[str, Callable[[Line, Turns], None]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "qwen": _qwen,
    "opencode": _opencode,
}


def when_said(line: Line) -> int:
    """Return when a line or a message was written, milliseconds since 1970; 0 where it does not say."""
    time = _mapping(_mapping(line.get("info")).get("time"))
    said = line.get("timestamp", time.get("created"))
    if isinstance(said, int) and not isinstance(said, bool):
        return said if said > _SECONDS else said * 1000
    try:
        return round(datetime.fromisoformat(_text(said)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


#: No moment since 1973 is so few milliseconds.
_SECONDS = 100_000_000_000


def _part_texts(content: object) -> list[str]:
    """Return the texts among the parts of a message, without what its model only thought."""
    return [_text(part.get("text")) for part in _blocks(content) if not part.get("thought")]


def _blocks(content: object) -> list[Line]:
    """Return the blocks of a message; a bare text is one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _mapping(value: object) -> Line:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Return a text that can be written; half of a pair of surrogates can not."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
