"""Start a server for the program that starts this one, and come back when it has ended.

The wire is claimed first: loading the SDK takes most of a second, and nothing that happens meanwhile may
write into the conversation. A client waits for the handshake before it says that the server is there: what
only tools and documents need is loaded by the first request after it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ledger.environment import own_version
from ledger.model.record import Record

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
    "list_tools", "call_tool", "list_resources", "list_resource_templates", "read_resource",
    "list_prompts", "get_prompt",
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
    from rituals.serve.mcp.stdio import ClientGone, Wire

    wire = Wire.claim()
    if wire.terminal:
        setting.find()
        setting.announce("waiting for a client's messages on standard input; Ctrl-D ends")
    own = os.urandom(16).hex()
    import anyio
    from mcp.server.stdio import stdio_server

    from rituals.serve.long_running import settle, until_stopped

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
    from ledger.errors import DiurnaError
    from rituals.hosts.processes import host_session_here

    try:
        return host_session_here(setting.find().repository.commondir)
    except DiurnaError:
        return ""
