"""Serve programs of this machine over HTTP, and no others: the socket is bound to loopback.

How long a request is waited for is limited, and for how many at once. A request that has not come whole
holds no place: only what can be answered does. Who has connected and asked nothing, or half of it, is let
go after some seconds, and sooner when many others come.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ledger.errors import DiurnaError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

#: Of one request: room for a log of a mebibyte, with every character escaped.
LIMIT_BYTES = 8 * 1024 * 1024
#: For the head of a request, also of the next one of a connection; and then for all of its body.
HEAD_SECONDS, BODY_SECONDS = 10.0, 20.0
#: Connections that may wait for their client at once, requests that may be answered at once, and the bytes
#: of requests that have not come whole.
WAITING, ANSWERED, HELD_BYTES = 256, 128, 8 * LIMIT_BYTES
#: The most bytes of a request's head.
HEAD_BYTES = 16 * 1024


class RequestLimits:
    """What the connections of one server have in common."""

    def __init__(self) -> None:
        #: those of which something is awaited, who waits longest first
        self.waiting: dict[Line, None] = {}
        self.held = 0  #: bytes of requests that have not come whole


class Line(H11Protocol):
    """One connection.

    Args:
        limits: of the server.
    """

    def __init__(self, limits: RequestLimits, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._held = 0
        self._alarm: asyncio.TimerHandle | None = None
        self._awaits: object = None  #: the request of which a part has not come

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Read what comes; where too much has come of too many requests, end this one."""
        self._held += len(data)
        self._limits.held += len(data)
        super().data_received(data)
        self._look()
        if self._limits.held > HELD_BYTES:
            self.let_go()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._let_be()
        super().connection_lost(exc)

    def let_go(self) -> None:
        """Close the connection: nobody asks anything on it."""
        self._let_be()
        self.transport.abort()

    def _look(self) -> None:
        """Wait for the head of a request, or all of its body; while it is answered nobody waits."""
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        rests = cycle is None or cycle.response_complete
        awaits = (cycle, rests) if cycle is None or rests or cycle.more_body else None
        if awaits == self._awaits and awaits is not None:
            return
        self._let_be()
        self._awaits = awaits
        if awaits is not None and not self.transport.is_closing():
            seconds = HEAD_SECONDS if rests else BODY_SECONDS
            self._alarm = self.loop.call_later(seconds, self.let_go)
            self._limits.waiting[self] = None
            if len(self._limits.waiting) > WAITING:
                next(iter(self._limits.waiting)).let_go()

    def _let_be(self) -> None:
        """Wait for nothing of this connection."""
        self._limits.held -= self._held
        self._held = 0
        self._limits.waiting.pop(self, None)
        if self._alarm is not None:
            self._alarm.cancel()


HOST = "127.0.0.1"
_GRACE_SECONDS = 3


def listen(port: int) -> socket.socket:
    """Listen on the loopback address; port 0 is for a free one.

    Raises:
        DiurnaError: the port is taken, or not for this user.
    """
    # asyncio lets answers go at once (TCP_NODELAY) where the protocol is said
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(WAITING)
    except OSError as problem:
        listening.close()
        raise DiurnaError(
            problem.strerror or str(problem),
            where=f"{HOST}:{port}",
            hint="name another port, or 0 for a free one: --port 0",
        ) from None
    return listening


async def serve(app: App, listening: socket.socket) -> int:
    """Serve an application until a signal comes; return which."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it reports clients that leave
    http = _Http(
        uvicorn.Config(
            app,
            http=partial(Line, RequestLimits()),  # type: ignore[arg-type] # as the class would
            h11_max_incomplete_event_size=HEAD_BYTES,
            limit_concurrency=WAITING + ANSWERED,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )
    met: list[int] = []

    def stop(number: int) -> None:
        met.append(number)
        http.handle_exit(number, None)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    await http.serve(sockets=[listening])
    return met[0] if met else 0


class _Http(uvicorn.Server):
    """uvicorn, told by us when to stop: its own way ends the process before the memory is closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield
