"""Start a server from the command line, and come back when it has ended.

The wire is claimed first: loading the SDK takes most of a second, and nothing that happens meanwhile may
write into the conversation.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from ledger.errors import DiurnaError, HomeNotFound
    from ledger.home import Home
    from memory.api import Memory
    from rituals.answers.failure_values import Failure
    from rituals.serve.mcp.handlers import Handlers


class Setting(Record):
    """What a server is started with."""

    find: Callable[[], Home]  #: finds the home where the server was started, or that was named
    agent: str  #: who writes, "" for what each client calls itself
    #: names the host session that starts it, "" for none; that of a client over HTTP is another
    session: Callable[[], str]
    clock: Callable[[], int]  #: gives milliseconds since 1970
    explain: Callable[[Exception], Failure]  #: says what an exception means
    announce: Callable[[str], None]  #: says a line to whoever started it


def serve_wire(setting: Setting) -> int:
    """Serve the process that started this one; return the signal that ended it, 0 for none.

    A program is answered also where there is no home, or none that can be used: each tool says so then.

    Raises:
        DiurnaError: there is no standard input or output; or a person is there, and no home.
    """
    from rituals.serve.mcp.stdio import Wire

    wire = Wire.claim()
    if wire.terminal:
        setting.find()
        setting.announce("waiting for a client's messages on standard input; Ctrl-D ends")
    from rituals.serve.mcp.serve import over_wire

    own = os.urandom(16).hex()

    def session() -> str:
        return setting.session() or _noted(setting) or own

    return _served(setting, lambda server: over_wire(server, wire), session)


def serve_http(setting: Setting, port: int) -> int:
    """Serve the programs of this machine, also those of others; return the signal that ended it.

    What is only the user's is neither shown nor taken: nobody proves there to be the user. Port 0 is for a
    free one.

    Raises:
        HomeNotFound: there is none; a person starts this, and reads it.
        DiurnaError: the port can not be had; or the home is the user's own.
    """
    from ledger.errors import DiurnaError
    from ledger.home import WithoutPersonal, personal_folder

    if setting.find().repository.top == os.path.realpath(personal_folder()):
        raise DiurnaError(
            "what is only yours is not served over HTTP: every program of this machine could ask",
            hint="a client that starts `diurna mcp --home personal` itself gets it",
        )
    from rituals.serve.loopback import listen
    from rituals.serve.mcp.serve_http import over_http, url_of

    with WithoutPersonal(), listen(port, "--http 0") as listening:
        setting.announce(f"listening on {url_of(listening)}")
        return _served(setting, lambda server: over_http(server, listening), lambda: "")


def _served(
    setting: Setting, serve: Callable[[Server[Any]], int], session: Callable[[], str]
) -> int:
    from rituals.serve.mcp.server import server_of
    from rituals.serve.open_memory import OpenMemory

    opened = OpenMemory(setting.find, lambda home: _memory(home, setting.clock), _no_home)

    def handlers() -> Handlers:
        from rituals.serve.mcp.handlers import Handlers

        return Handlers(opened, setting.explain, setting.agent, session)

    try:
        return serve(server_of(handlers, _version()))
    finally:
        opened.close()


def _noted(setting: Setting) -> str:
    """Return the session that a hook noted for the host that started this server, "" for none."""
    from ledger.errors import DiurnaError
    from rituals.hosts.processes import noted_session

    try:
        return noted_session(setting.find().repository.commondir)
    except DiurnaError:
        return ""


def _no_home(problem: HomeNotFound) -> DiurnaError:
    from rituals.serve.mcp.mcp_errors import NoMemory

    return NoMemory(problem)


def _memory(home: Home, clock: Callable[[], int]) -> Memory:
    from memory.api import Memory

    return Memory(home, clock=clock)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("diurna")
    except PackageNotFoundError:
        return ""
