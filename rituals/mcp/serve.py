"""Run one transport from its first byte to its end, in this process.

Over standard input and output the client is the process that started this one; over HTTP it is any program
of this machine, and nothing else: the socket is bound to the loopback address, a request has to name it,
and what a web page sends is refused.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import socket
from collections.abc import Iterator
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from ledger.errors import DiurnaError
from rituals.mcp.stdio import LIMIT_BYTES, ClientGone, Wire
from rituals.mcp.timeouts import HEAD_BYTES, WAITING, RequestLimits

HOST = "127.0.0.1"
PATH = "/mcp"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_GRACE_SECONDS = 3


def over_wire(server: Server[Any], wire: Wire) -> int:
    """Serve the process that started this one, until it closes its end or a signal comes.

    Returns:
        The signal that ended it, 0 for none.
    """
    _settle()
    return anyio.run(_over_wire, server, wire)


def over_http(server: Server[Any], listening: socket.socket) -> int:
    """Serve programs of this machine until a signal comes; return which."""
    _settle()
    return anyio.run(_over_http, server, listening)


def listen(port: int) -> socket.socket:
    """Listen on the loopback address.

    Args:
        port: 0 for a free one.

    Raises:
        DiurnaError: the port is taken, or not for this user.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(WAITING)
    except OSError as problem:
        listening.close()
        raise DiurnaError(
            problem.strerror or str(problem),
            where=f"{HOST}:{port}",
            hint="name another port, or 0 for a free one: diurna mcp --http 0",
        ) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Return where a client finds the server."""
    return f"http://{HOST}:{listening.getsockname()[1]}{PATH}"


async def _over_wire(server: Server[Any], wire: Wire) -> int:
    met = 0
    try:
        async with anyio.create_task_group() as tasks:

            async def stop_at_signal() -> None:
                nonlocal met
                met = await _signal()
                tasks.cancel_scope.cancel()

            tasks.start_soon(stop_at_signal)
            # the wire does what these files are asked for
            async with stdio_server(wire, wire) as (read, write):  # type: ignore[arg-type]
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* ClientGone:
        pass
    return met


async def _over_http(server: Server[Any], listening: socket.socket) -> int:
    port = listening.getsockname()[1]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LIMIT_BYTES,
        host=HOST,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[f"{HOST}:{port}", f"localhost:{port}"],
            allowed_origins=[],  # only browsers send one
        ),
    )
    limits = RequestLimits(app)
    http = _Http(
        uvicorn.Config(
            limits,
            http=limits.protocol,  # type: ignore[arg-type] # it makes one, as the class would
            h11_max_incomplete_event_size=HEAD_BYTES,
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )
    met = 0
    async with anyio.create_task_group() as tasks:

        async def stop_at_signal() -> None:
            nonlocal met
            met = await _signal()
            http.handle_exit(met, None)

        tasks.start_soon(stop_at_signal)
        await http.serve(sockets=[listening])
        tasks.cancel_scope.cancel()
    return met


class _Http(uvicorn.Server):
    """uvicorn, told by us when to stop: its own way ends the process before the memory is closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


async def _signal() -> int:
    """Wait for a signal that asks to stop."""
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async for met in signals:
            return int(met)
    return 0


def _settle() -> None:
    """Prepare the process to run for long; the command line prepares it to be quick."""
    logging.basicConfig(level=logging.ERROR, format="diurna mcp: %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it reports clients that leave
    gc.freeze()
    gc.enable()
