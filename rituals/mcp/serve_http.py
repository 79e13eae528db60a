"""Serve programs of this machine over HTTP, and nothing else.

The socket is bound to the loopback address, a request has to name it, and what a web page sends is
refused.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Iterator
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from ledger.errors import DiurnaError
from rituals.mcp.serve import settle, stop_signal
from rituals.mcp.stdio import LIMIT_BYTES
from rituals.mcp.timeouts import HEAD_BYTES, WAITING, RequestLimits

HOST = "127.0.0.1"
PATH = "/mcp"
_GRACE_SECONDS = 3


def over_http(server: Server[Any], listening: socket.socket) -> int:
    """Serve programs of this machine until a signal comes; return which."""
    settle()
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it reports clients that leave
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
            met = await stop_signal()
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
