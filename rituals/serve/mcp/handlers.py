"""Answer the requests of a client, whatever the transport: all but the handshake, which `serve` gives.

The documents are the resource `diurna://continuity` and the prompt `session-start`, each quoted as data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.model.record import TYPE_CHECKING, Record
from rituals.serve.mcp.arguments import BY_NAME, Caller, read
from rituals.serve.mcp.tools import described
from rituals.serve.mcp.wording import markdown, quoted, whole

if TYPE_CHECKING:
    from memory import Memory

    Json = dict[str, Any]

INVALID_PARAMS = -32602
_RECORD = (
    "When a piece of work is done, call the tool `append` once: what happened, the facts you learned, "
    "changed or found false, and those you relied on."
)
_NAME_CHARS = 200
_MARKDOWN, _CONTINUITY, _SESSION_START = "text/markdown", "diurna://continuity", "session-start"
_RESOURCE = {
    "uri": _CONTINUITY, "name": "continuity", "description": "All that holds now", "mimeType": _MARKDOWN,
}  # fmt: skip
_PROMPT = {
    "name": _SESSION_START,
    "description": "What to know before starting, and how to record what you learn",
    "arguments": [{"name": "task", "description": "What you are about to do", "required": False}],
}


class Refused(Exception):
    """A request that is answered with an error of JSON-RPC.

    Args:
        code: of the error.
        message: what is wrong, and what to do instead.
        data: more of it, for programs.
    """

    def __init__(self, code: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


class Question(Record):
    """What only the memory can answer."""

    ask: Callable[[Memory], Any]
    result: Callable[[Any], Json]  #: makes the protocol's answer of what was found
    writes: bool = False


def _call(params: Json, who: Caller) -> Question:
    """Run a tool; what goes wrong is its answer."""
    tool = BY_NAME.get(str(params.get("name")))
    if tool is None:
        raise _missing("tool", params.get("name"), ", ".join(BY_NAME))
    asked = read(tool, params.get("arguments") or {})

    def result(found: Json) -> Json:  # some clients read text alone
        return {"content": [text_of(markdown(found))], "isError": False, "structuredContent": found}

    return Question(lambda memory: whole(tool.does(memory, who, **asked)), result, tool.writes)


def _read(params: Json, _: Caller) -> Question:
    """Give a document."""
    if params.get("uri") != _CONTINUITY:
        raise _missing("resource", params.get("uri"), _CONTINUITY)

    def result(text: str) -> Json:
        return {"contents": [{"uri": _CONTINUITY, "mimeType": _MARKDOWN, "text": text}]}

    return Question(lambda memory: whole(quoted(memory.continuity())), result)


def _prompt(params: Json, who: Caller) -> Question:
    """Give the prompt `session-start`: the brief, and one sentence on how to record."""
    if params.get("name") != _SESSION_START:
        raise _missing("prompt", params.get("name"), _SESSION_START)

    def result(found: Json) -> Json:
        text = f"{found['text'].rstrip()}\n\n{_RECORD}\n"
        return {"messages": [{"role": "user", "content": text_of(text)}]}

    return _call({**params, "name": "brief"}, who)._replace(result=result)


def text_of(said: str) -> Json:
    """Return a text as the protocol has it."""
    return {"type": "text", "text": said}


def _missing(what: str, name: Any, names: str) -> Refused:
    said = f"there is no {what} {str(name)[:_NAME_CHARS]!r}\nhint: one of {names}"
    return Refused(INVALID_PARAMS, said)


#: Method -> what answers it, of its parameters and who asks.
HANDLERS: dict[str, Callable[[Json, Caller], Json | Question]] = {
    "tools/list": lambda *_: {"tools": described()}, "tools/call": _call,
    "resources/list": lambda *_: {"resources": [_RESOURCE]}, "resources/read": _read,
    "prompts/list": lambda *_: {"prompts": [_PROMPT]}, "prompts/get": _prompt,
}  # fmt: skip
