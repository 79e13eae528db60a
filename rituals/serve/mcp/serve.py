"""Serve the program that starts this one: JSON-RPC 2.0, with the methods of the Model Context Protocol.

Two generations of it are spoken: up to 2025-11-25 a client shakes hands, from 2026-07-28 on each request
says who asks. What only tools need is loaded by the first request behind that.

Standard input and output are for the protocol alone; whatever a library prints, or a child process, goes
to standard error. Messages are read on the main thread, which signals interrupt, and written on one of
their own, so that a client that reads nothing keeps nothing from ending. Whatever touches the memory
happens on the thread of `open_memory`, so a slow question delays no ping and no cancellation.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from ledger.environment import VERSION
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.record import cached
from rituals.serve.open_memory import OpenMemory, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory import Memory
    from rituals.answers.record_to_dict import Failure
    from rituals.serve.mcp.handlers import Question

    Json = dict[str, Any]

#: The versions that begin with a handshake, newest first; the one in which each request stands alone.
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
ALONE = "2026-07-28"
#: What a client learns of the server, however it begins; it may put the words into its system prompt.
_ABOUT = {
    "capabilities": {"prompts": {}, "resources": {}, "tools": {}},
    "instructions": "This project's memory, kept in git. Call `brief` before you start, `recall` before "
    "you decide, `note` when a person states a rule or corrects you, `append` once when a piece of work "
    "is done.",
}
_INFO = {"name": "diurna", "version": VERSION}
_META = "io.modelcontextprotocol/"
_VERSION = f"{_META}protocolVersion"
_NO_REQUEST, _NO_METHOD, _FAILED, _NO_VERSION = -32600, -32601, -32603, -32022
_CALLER_CHARS = 60
#: Of one message: room for a log of a mebibyte, with every character escaped.
LIMIT_BYTES = 8 * 1024 * 1024
_CHUNK_BYTES = 1 << 16
#: Answers that may wait for a client to read them; until it does, its next message is not read.
_UNREAD = 256
#: How long the last answers may wait for their reader.
_LAST_SECONDS = 1.0


class _Stopped(BaseException):
    """A signal asked to stop."""


def serve(
    find: Callable[[], Home],
    agent: str,
    clock: Callable[[], int],
    explain: Callable[[Exception], Failure],
    announce: Callable[[str], None],
) -> None:
    """Serve the process that started this one, until it hangs up or a signal asks to stop.

    A program is answered also where there is no home, or none that can be used: each tool says so then.

    Args:
        find: finds the home where the server was started, or that was named.
        agent: who writes, "" for what each client calls itself.
        clock: gives milliseconds since 1970.
        explain: says what an exception means.
        announce: says a line to whoever started it.

    Raises:
        DiurnaError: there is no standard input or output; or a person is there, and no home.
        KeyboardInterrupt: it was interrupted.
    """
    wire = Wire.claim()
    if wire.terminal:
        find()
        announce("waiting for a client's messages on standard input; Ctrl-D ends")
    own = os.urandom(16).hex()

    def opened(home: Home) -> Memory:
        from memory import Memory

        return Memory(home, clock=clock)

    def stop(*_: object) -> None:
        raise _Stopped

    def session() -> str:  # of the host that started this server, else of the connection
        from rituals.hosts.processes import host_session_here

        with suppress(DiurnaError):
            return host_session_here(find().repository.commondir) or own
        return own

    memory = OpenMemory(find, opened)
    talk = Conversation(memory, explain, wire.write, agent, session)
    settle("mcp")
    try:
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, stop)
        for line in wire.lines():
            talk.take(line)
    except _Stopped:
        pass
    finally:
        memory.close()
        wire.close()


class Wire:
    """Both ends of the conversation with the process that started this one.

    Args:
        source: a descriptor that messages come from.
        sink: a descriptor that they go to.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._unread: queue.Queue[bytes] = queue.Queue(_UNREAD)
        self._gone, self._left = os.pipe()  # can be read once nobody reads our answers any more
        self._writing = threading.Thread(target=self._write_all, daemon=True)
        self._writing.start()

    @classmethod
    def claim(cls) -> Wire:
        """Take standard input and output; from here on the one is empty, the other is standard error.

        Raises:
            DiurnaError: the process was started without them.
        """
        if sys.stdin is None or sys.stdout is None:
            raise DiurnaError(
                "there is no standard input or output to speak on",
                hint="a client starts this command",
            )
        sys.stdout.flush()
        source = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
        sink = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
        for end in (source, sink):
            os.set_blocking(end, True)  # whoever had it before may have left it otherwise
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # started without standard error
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        os.close(nowhere)
        return cls(source, sink)

    @property
    def terminal(self) -> bool:
        """Whether a person is at the other end."""
        return os.isatty(self._source)

    def lines(self) -> Iterator[bytes | None]:
        """Yield the lines that come until either end is closed, None for one that is too long.

        What has no end was not sent whole, and is none.
        """
        waiting = select.poll()
        for end in (self._source, self._gone):
            waiting.register(end, select.POLLIN)
        line, too_long = bytearray(), False
        while self._gone not in dict(waiting.poll()):
            try:
                chunk = os.read(self._source, _CHUNK_BYTES)
            except OSError:
                return  # a terminal that was closed
            if not chunk:
                return
            first, *more = chunk.split(b"\n")
            line += first
            for following in more:
                yield None if too_long or len(line) > LIMIT_BYTES else bytes(line)
                line, too_long = bytearray(following), False
            if len(line) > LIMIT_BYTES:
                line, too_long = bytearray(), True

    def write(self, message: object) -> None:
        """Write a message, as soon as the client reads it."""
        said = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._unread.put(said.encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """Write what there still is, if somebody reads it soon."""
        with suppress(queue.Full):
            self._unread.put(b"", timeout=_LAST_SECONDS)
            self._writing.join(_LAST_SECONDS)

    def _write_all(self) -> None:
        left = False
        while data := self._unread.get():
            view = memoryview(b"" if left else data)
            try:
                while view:
                    view = view[os.write(self._sink, view) :]
            except OSError:
                left = True
                os.write(self._left, b".")


class Conversation:
    """Answers the messages of a client.

    Args:
        opened: where the memory is asked.
        explain: says what an exception means; one that nobody foresaw is logged by it.
        write: writes a message to the client, from any thread.
        agent: who writes, "" for what the client calls itself.
        session: says the host session of the client, which another one may follow.
    """

    def __init__(
        self, opened: OpenMemory, explain: Callable[[Exception], Failure], write: Callable[[Json], None],
        agent: str = "", session: Callable[[], str] = str,
    ) -> None:  # fmt: skip
        self._opened, self._explain, self._write = opened, explain, write
        self._agent, self._session, self._client = agent, session, ""
        self._waiting: dict[str, Future[Any]] = {}

    def take(self, line: bytes | None) -> None:
        """Answer a message, now or once the memory has; None is one that was too long to be read.

        What is no message is passed over.
        """
        if line is None:
            said = f"a message has more than {LIMIT_BYTES} bytes; it was not read"
            error = {"code": _NO_REQUEST, "message": said}
            self._write({"jsonrpc": "2.0", "id": None, "error": error})
            return
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "notifications/cancelled":
            if future := self._waiting.get(repr(params.get("requestId"))):
                future.cancel()
        elif isinstance(method, str) and isinstance(number, str | int):
            self._answer(number, method, params)

    def _answer(self, number: str | int, method: str, params: Json) -> None:
        meta = params.get("_meta")
        # behind a handshake there is none
        about = meta if isinstance(meta, dict) and _VERSION in meta else {}

        def reply(said: Json) -> None:
            if about and "result" in said:
                said = {"result": {**said["result"], **_stated(method)}}
            self._write({"jsonrpc": "2.0", "id": number, **said})

        def done(result: Callable[[Any], Json], future: Future[Any]) -> None:
            self._waiting.pop(repr(number), None)
            if future.cancelled():
                return
            try:
                said = {"result": result(future.result())}
            except Exception as problem:  # noqa: BLE001 - said to the client, each of them
                said = self._failure(method, problem)
            reply(said)

        try:
            found = self._found(method, params, about)
            if not isinstance(found, dict):
                future = self._opened.ask(found.ask, writes=found.writes)
                self._waiting[repr(number)] = future
                future.add_done_callback(partial(done, found.result))
                return
            said = {"result": found}
        except Exception as problem:  # noqa: BLE001 - said to the client, each of them
            said = self._failure(method, problem)
        reply(said)

    def _found(self, method: str, params: Json, about: Json) -> Json | Question:
        """Answer a request, or say what the memory has to be asked for that.

        Raises:
            Refused: there is no such method, or it has not what was asked for.
        """
        if method == "initialize":
            self._client = _name_in(params.get("clientInfo"))
            asked = params.get("protocolVersion")
            version = asked if asked in HANDSHAKE else HANDSHAKE[0]
            return {"protocolVersion": version, "serverInfo": _INFO, **_ABOUT}
        if method == "server/discover":
            return {"supportedVersions": [ALONE], **_ABOUT}
        if method == "ping":
            return {}
        from rituals.serve.mcp.arguments import Caller
        from rituals.serve.mcp.handlers import HANDLERS, Refused

        does = HANDLERS.get(method)
        if (version := about.get(_VERSION, ALONE)) != ALONE:
            supported = {"supported": [ALONE, *HANDSHAKE], "requested": version}
            raise Refused(_NO_VERSION, f"version {version!r} is not spoken here", **supported)
        if does is None:
            raise Refused(_NO_METHOD, f"there is no method {method[:_CALLER_CHARS]!r}")
        if method == "tools/list":
            self._opened.prepare()  # loaded while the client reads
        name = _name_in(about.get(f"{_META}clientInfo")) or self._client
        agent = self._agent or name
        return does(params, Caller(agent, name if name != agent else "", cached(1)(self._session)))

    def _failure(self, method: str, problem: Exception) -> Json:
        """Say what went wrong: of a tool it is the answer, of all else an error."""
        from rituals.serve.mcp.handlers import INVALID_PARAMS, Refused, text_of
        from rituals.serve.mcp.wording import told

        if isinstance(problem, Refused):
            return {"error": problem.error}
        said = told(problem, self._explain(problem))
        if method == "tools/call":
            return {"result": {"content": [text_of(said)], "isError": True}}
        asked = isinstance(problem, NotFound | WrongUsage)
        return {"error": {"code": INVALID_PARAMS if asked else _FAILED, "message": said}}


def _stated(method: str) -> Json:
    """Return what each answer states where no handshake did; what is no call may be kept for no time."""
    kept = {} if method in ("tools/call", "prompts/get") else {"ttlMs": 0, "cacheScope": "private"}
    return {"resultType": "complete", **kept, "_meta": {f"{_META}serverInfo": _INFO}}


def _name_in(info: Any) -> str:
    """Make a name that can stand in a log's header: a few plain characters on one line."""
    said = str(info.get("name", "")) if isinstance(info, dict) else ""
    plain = "".join(
        char if char.isascii() and (char.isalnum() or char in "._-") else " " for char in said
    )
    return " ".join(plain.split())[:_CALLER_CHARS].strip(" .-")
