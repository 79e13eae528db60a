"""Serve a model on loopback that plays a script, and write down what it was asked.

It speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent,
streamed or not. A request with tools takes the next turn of the script; one without is about the session (its
title, a summary of it) and takes what the script says aside.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ledger.model.record import Record

#: The tool of Codex's that finds others, which has a form of its own.
SEARCH = "tool_search"
#: How long it waits for a file.
_SECONDS = 100


class Call(Record):
    """A call of a tool."""

    tool: str  #: its name, or how the name ends under which a server of MCP is offered
    #: what it is called with; a text for a tool of Codex's that takes no object
    given: Mapping[str, Any] | str


class Turn(Record):
    """What the model says."""

    text: str = ""  #: in words
    calls: tuple[Call, ...] = ()  #: the tools that it calls
    seconds: float = 0.0  #: how long it thinks
    #: how much it says was used, which is what makes a host compact; 0 for about as much as it was
    tokens: int = 0
    until: Path | None = None  #: a file that it waits for


class Model:
    """A model that plays a script.

    Args:
        turns: in their order; after the last it says that it is done.
        aside: what it says of the session.
    """

    def __init__(self, turns: tuple[Turn, ...] = (), aside: str = "A title") -> None:
        self.turns = list(turns)
        self.aside = aside
        self.asked: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        model = self

        class Handler(_Handler):
            def answered(self, body: dict[str, Any]) -> tuple[int, Turn]:
                return model._next(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _next(self, body: dict[str, Any]) -> tuple[int, Turn]:
        with self._lock:
            self.asked.append(body)
            number = len(self.asked)
            if not offered(body):
                return number, Turn(self.aside)
            turn = self.turns.pop(0) if self.turns else Turn("Done.")
        time.sleep(turn.seconds)
        end = time.monotonic() + _SECONDS
        while turn.until and not turn.until.exists() and time.monotonic() < end:
            time.sleep(0.1)
        names = offered(body)
        calls = (one._replace(tool=_named(one.tool, names)) for one in turn.calls)
        return number, turn._replace(calls=tuple(calls))


def offered(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a request offers."""
    return [*_names(body.get("tools") or ())]


def said(body: object) -> str:
    """Return all texts of a request, one behind the other."""
    if isinstance(body, str):
        return body + "\n"
    if isinstance(body, dict):
        return "".join(said(one) for one in body.values())
    return "".join(said(one) for one in body) if isinstance(body, list) else ""


def _names(tools: Any) -> Iterator[str]:
    for tool in tools:
        if isinstance(tool.get("function"), dict):
            yield str(tool["function"].get("name"))
        elif tool.get("functionDeclarations"):
            yield from _names(tool["functionDeclarations"])
        elif tool.get("tools"):
            yield from (f"{tool.get('name')}/{name}" for name in _names(tool["tools"]))
        elif tool.get("name"):
            yield str(tool["name"])


def _named(tool: str, names: list[str]) -> str:
    """Return under which name a tool is offered; a server's tools bear its name before theirs."""
    if tool in names:
        return tool
    served = re.compile(rf"diurna\W?_*-?/?_*{re.escape(tool)}$")
    return next((name for name in names if served.search(name)), tool)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answered(self, body: dict[str, Any]) -> tuple[int, Turn]:
        raise NotImplementedError

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._reply({})

    def do_GET(self) -> None:
        model = {"id": "played", "object": "model", "type": "model", "display_name": "Played"}
        self._reply({"object": "list", "data": [model], "models": [], "has_more": False})

    def do_POST(self) -> None:
        path, body = self.path.split("?")[0], self._body()
        if path.endswith("count_tokens"):
            return self._reply({"input_tokens": len(json.dumps(body)) // 4})
        if path.endswith(":countTokens"):
            return self._reply({"totalTokens": len(json.dumps(body)) // 4})
        form = next((form for end, form in _FORMS.items() if end in path), None)
        if form is None:
            return self._reply({"error": {"message": "no such thing", "type": "not_found"}}, 404)
        number, turn = self.answered(body)
        tokens = (turn.tokens or len(json.dumps(body)) // 4, 20)
        whole, events, named, end = form(body, turn, f"{number:03d}", tokens)
        streams = body.get("stream") or "stream" in path
        try:
            if streams:
                self._stream(events, named=named, end=end)
            else:
                self._reply(whole)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the host was killed

    def _body(self) -> dict[str, Any]:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("transfer-encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            found = json.loads(data)
        except ValueError:
            found = {"said": data.decode("utf-8", "replace")}
        return found if isinstance(found, dict) else {"said": found}

    def _reply(self, found: Mapping[str, Any], status: int = 200) -> None:
        self._send(status, "application/json", json.dumps(found).encode())

    def _stream(self, events: list[dict[str, Any]], *, named: bool, end: str) -> None:
        text = "".join(
            (f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n"
            for one in events
        )
        text += f"data: {end}\n\n" if end else ""
        self._send(200, "text/event-stream", text.encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


_Answer = tuple[dict[str, Any], list[dict[str, Any]], bool, str]


def _messages(body: Mapping[str, Any], turn: Turn, number: str, tokens: tuple[int, int]) -> _Answer:
    """Anthropic's."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for place, call in enumerate(turn.calls):
        use = {"type": "tool_use", "id": f"toolu_{number}{place}", "name": call.tool}
        blocks.append({**use, "input": call.given})
    stop = "tool_use" if turn.calls else "end_turn"
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1],
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}  # fmt: skip
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "usage": usage,
               "model": body.get("model"), "stop_sequence": None}  # fmt: skip
    start: dict[str, Any] = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for place, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            partial = json.dumps(block["input"])
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": partial}
        events += [
            {"type": "content_block_start", "index": place, "content_block": empty},
            {"type": "content_block_delta", "index": place, "delta": delta},
            {"type": "content_block_stop", "index": place},
        ]
    end = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
    return {**message, "content": blocks, "stop_reason": stop}, events, True, ""


def _responses(
    body: Mapping[str, Any], turn: Turn, number: str, tokens: tuple[int, int]
) -> _Answer:
    """OpenAI's of today."""
    items: list[dict[str, Any]] = []
    if turn.text:
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        items.append({"type": "message", "id": f"msg_{number}", "role": "assistant",
                      "status": "completed", "content": [part]})  # fmt: skip
    for place, call in enumerate(turn.calls):
        space, _, name = call.tool.rpartition("/")
        made: dict[str, Any] = {
            "id": f"fc_{number}{place}",
            "call_id": f"call_{number}{place}",
            "name": name,
        }
        made |= {"status": "completed", **({"namespace": space} if space else {})}
        if call.tool == SEARCH:
            made |= {"execution": "client", "arguments": call.given}
            items.append({"type": "tool_search_call", **made})
        elif isinstance(call.given, str):
            items.append({"type": "custom_tool_call", **made, "input": call.given})
        else:
            items.append({"type": "function_call", **made, "arguments": json.dumps(call.given)})
    usage = {"input_tokens": tokens[0], "input_tokens_details": {"cached_tokens": 0},
             "output_tokens": tokens[1], "output_tokens_details": {"reasoning_tokens": 0},
             "total_tokens": sum(tokens)}  # fmt: skip
    whole = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": items,
             "model": body.get("model"), "usage": usage, "created_at": int(time.time())}  # fmt: skip
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(items):
        where = {"output_index": place, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", **where,
                       "item": {**item, "status": "in_progress"}})  # fmt: skip
        if item["type"] == "message":
            text = {"content_index": 0, "delta": turn.text}
            events.append({"type": "response.output_text.delta", **where, **text})
        events.append({"type": "response.output_item.done", **where, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return whole, [{**one, "sequence_number": n} for n, one in enumerate(events)], True, ""


def _chat(body: Mapping[str, Any], turn: Turn, number: str, tokens: tuple[int, int]) -> _Answer:
    """OpenAI's of before, which others took over."""
    calls: list[dict[str, Any]] = []
    for place, call in enumerate(turn.calls):
        kind, key, given = "function", "arguments", json.dumps(call.given)
        if isinstance(call.given, str):
            kind, key, given = "custom", "input", call.given
        made = {"index": place, "id": f"call_{number}{place}", "type": kind}
        calls.append({**made, kind: {"name": call.tool, key: given}})
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1],
             "total_tokens": sum(tokens)}  # fmt: skip
    base = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": body.get("model")}
    message = {
        "role": "assistant",
        "content": turn.text,
        **({"tool_calls": calls} if calls else {}),
    }
    stop = "tool_calls" if calls else "stop"
    whole = {**base, "object": "chat.completion", "usage": usage,
             "choices": [{"index": 0, "message": message, "finish_reason": stop}]}  # fmt: skip
    chunk = {**base, "object": "chat.completion.chunk"}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    return whole, events, False, "[DONE]"


def _generated(
    body: Mapping[str, Any], turn: Turn, number: str, tokens: tuple[int, int]
) -> _Answer:
    """Gemini's."""
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"name": one.tool, "args": one.given}} for one in turn.calls]
    usage = {"promptTokenCount": tokens[0], "candidatesTokenCount": tokens[1],
             "totalTokenCount": sum(tokens)}  # fmt: skip
    content = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [content], "usageMetadata": usage, "modelVersion": "played",
             "responseId": number}  # fmt: skip
    return whole, [whole], False, ""


_FORMS = {"/messages": _messages, "/responses": _responses, "/chat/completions": _chat,
          "enerateContent": _generated}  # fmt: skip
