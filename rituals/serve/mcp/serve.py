"""Start a server for the program that starts this one, and come back when it has ended.

Standard input and output are for the protocol alone. The wire is claimed first: loading the SDK takes most
of a second, and whatever a library prints, or a child process, goes to standard error. Lines are read and
written on threads of their own, so that a client that neither writes nor reads keeps nothing from ending.

A client waits for the handshake before it says that the server is there: what
only tools and documents need is loaded by the first request after it.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import anyio

from ledger.environment import own_version
from ledger.errors import DiurnaError
from ledger.model.record import Record
from rituals.serve.long_running import Worker, settle, until_stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from ledger.home import Home
    from memory.api import Memory
    from rituals.answers.record_fields import Failure
    from rituals.serve.mcp.handlers import Handlers

#: What a client may put into its system prompt.
INSTRUCTIONS = (
    "This project's memory, kept in git. Call `brief` before you start, `recall` before you decide, "
    "`note` when a person states a rule or corrects you, `append` once when a piece of work is done."
)
_HANDLED = (
    "list_tools", "call_tool", "list_resources", "read_resource", "list_prompts", "get_prompt",
)  # fmt: skip


class Setting(Record):
    """What a server is started with."""

    find: Callable[[], Home]  #: finds the home where the server was started, or that was named
    agent: str  #: who writes, "" for what each client calls itself
    clock: Callable[[], int]  #: gives milliseconds since 1970
    explain: Callable[[Exception], Failure]  #: says what an exception means
    announce: Callable[[str], None]  #: says a line to whoever started it


def serve(setting: Setting) -> int:
    """Serve the process that started this one; return the signal that ended it, 0 for none.

    A program is answered also where there is no home, or none that can be used: each tool says so then.

    Raises:
        DiurnaError: there is no standard input or output; or a person is there, and no home.
    """
    wire = Wire.claim()
    if wire.terminal:
        setting.find()
        setting.announce("waiting for a client's messages on standard input; Ctrl-D ends")
    own = os.urandom(16).hex()
    from mcp.server.stdio import stdio_server

    async def served() -> None:
        try:  # the wire does what these files are asked for
            async with stdio_server(wire, wire) as (read, write):  # type: ignore[arg-type]
                await server.run(read, write, server.create_initialization_options())
        except* ClientGone:
            pass

    with _serving(setting, lambda: _session_of(setting) or own) as server:
        settle("mcp")
        return anyio.run(until_stopped, served)


def server_of(handlers: Callable[[], Handlers], version: str) -> Server[Any]:
    """Make the server of this version of Diurna, which gives the handshake.

    `handlers` loads what answers requests; it is called once, by the first of them.
    """
    from mcp.server.lowlevel import Server

    loaded = cache(handlers)

    def handled(name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def handle(context: Any, params: Any) -> Any:
            return await getattr(loaded(), name)(context, params)

        return handle

    answers: dict[str, Any] = {f"on_{name}": handled(name) for name in _HANDLED}
    found: Server[Any] = Server("diurna", version=version, instructions=INSTRUCTIONS, **answers)
    found.middleware.clear()  # it reports every request to whatever tracing the process has
    return found


@contextmanager
def _serving(setting: Setting, session: Callable[[], str]) -> Iterator[Server[Any]]:
    """Make a server that asks the memory, as long as it is needed; `session` names its clients' one."""
    from rituals.serve.open_memory import OpenMemory

    def opened(home: Home) -> Memory:
        from memory.api import Memory

        return Memory(home, clock=setting.clock)

    memory = OpenMemory(setting.find, opened)

    def handlers() -> Handlers:
        from rituals.serve.mcp.handlers import Handlers

        return Handlers(memory, setting.explain, setting.agent, session)

    try:
        yield server_of(handlers, own_version())
    finally:
        memory.close()


def _session_of(setting: Setting) -> str:
    """Return the session of the host that started this server, "" for none."""
    from rituals.hosts.processes import host_session_here

    try:
        return host_session_here(setting.find().repository.commondir)
    except DiurnaError:
        return ""


#: Of one message: room for a log of a mebibyte, with every character escaped.
LIMIT_BYTES = 8 * 1024 * 1024
_CHUNK_BYTES = 1 << 16
_INVALID_REQUEST = -32600  # JSON-RPC's code


class ClientGone(Exception):
    """Nobody reads what is written any more."""


class Wire:
    """Both ends of the conversation with the process that started this one.

    Args:
        source: a descriptor that messages come from.
        sink: a descriptor that they go to.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._reading, self._writing = Worker("diurna-mcp-in"), Worker("diurna-mcp-out")
        self._buffer = bytearray()

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

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        """Return the next line that came.

        Raises:
            StopAsyncIteration: the client closed its end.
        """
        while True:
            line = await self._reading.run(self._line)
            if line is None:
                raise StopAsyncIteration
            if line:
                return line.decode("utf-8", "replace")
            await self.write(_too_long())

    async def write(self, text: str) -> None:
        """Write a message.

        Raises:
            ClientGone: nobody reads it.
        """
        data = text.encode("utf-8", "replace")
        await self._writing.run(lambda: self._put(data), keep=True)

    async def flush(self) -> None:
        """Do nothing: what was written is with the system already."""

    def _line(self) -> bytes | None:
        """Read a line; b"" for one that is too long, None at the end."""
        skipped = False
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > LIMIT_BYTES:
                self._buffer.clear()
                searched, skipped = 0, True
            try:
                chunk = os.read(self._source, _CHUNK_BYTES)
            except OSError:
                return None  # a terminal that was closed
            if not chunk:
                return None  # what has no end was not sent whole
            self._buffer += chunk
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return b"" if skipped or len(line) > LIMIT_BYTES else line

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._sink, view) :]
            except OSError as problem:
                raise ClientGone from problem


def _too_long() -> str:
    """Answer a message whose id was not read."""
    said = f"a message has more than {LIMIT_BYTES} bytes; it was not read"
    error = {"code": _INVALID_REQUEST, "message": said}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}) + "\n"
