"""Limit how long the server over HTTP waits for a request, and for how many at once.

A request that has not come whole holds no place: only what can be answered does. Who has connected and
asked nothing, or half of it, is let go after some seconds, and sooner when many others come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
    """Stands before an application: it is asked once a request has come whole.

    Args:
        app: answers.
        most: bytes of one request.
    """

    def __init__(self, app: App, most: int = LIMIT_BYTES) -> None:
        self._app, self._most = app, most
        self._lines: dict[tuple[str, int], Line] = {}
        #: those of which something is awaited, who waits longest first
        self._waiting: dict[Line, None] = {}
        self._answered = self._held = 0

    def protocol(self, *arguments: Any, **named: Any) -> Line:
        """Make what serves a new connection (uvicorn's `http`)."""
        return Line(self, *arguments, **named)

    def wait_for(self, line: Line, seconds: float) -> None:
        """Let a connection wait for its client, so long at most."""
        self._waiting.pop(line, None)
        self._waiting[line] = None
        line.set_alarm(seconds)
        if len(self._waiting) > WAITING:
            next(iter(self._waiting)).let_go()

    def come(self, line: Line) -> None:
        """Note a connection."""
        self._lines[line.address] = line
        self.wait_for(line, HEAD_SECONDS)

    def gone(self, line: Line) -> None:
        """Forget a connection."""
        line.set_alarm(0)
        self._waiting.pop(line, None)
        if self._lines.get(line.address) is line:
            del self._lines[line.address]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        line = (
            self._lines.get(tuple(scope.get("client") or ())) if scope["type"] == "http" else None
        )
        if line is None:
            await self._app(scope, receive, send)
            return
        line.answering = request = object()
        self.wait_for(line, BODY_SECONDS)
        held = [0]
        try:
            whole = await self._whole(scope, receive, held)
            line.set_alarm(0)
            self._waiting.pop(line, None)
            if whole is None or self._answered >= ANSWERED:
                await _refuse(send)
                return
            self._answered += 1
            try:
                await self._app(scope, whole, send)
            finally:
                self._answered -= 1
        finally:
            self._held -= held[0]
            if line.answering is request and self._lines.get(line.address) is line:
                self.wait_for(line, HEAD_SECONDS)

    async def _whole(self, scope: Message, receive: Receive, held: list[int]) -> Receive | None:
        """Wait for all of a request's body; return what gives it again, None where there is no room."""
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._most:
                return receive  # it is refused by its length
        came: list[Message] = []
        more = True
        while more and held[0] <= self._most:
            message = await receive()
            came.append(message)
            more = message["type"] == "http.request" and bool(message.get("more_body"))
            size = len(message.get("body", b""))
            held[0] += size
            self._held += size
            if self._held > HELD_BYTES:
                return None

        async def again() -> Message:
            return came.pop(0) if came else await receive()

        return again


class Line(H11Protocol):
    """One connection.

    Args:
        limits: whose it is.
    """

    def __init__(self, limits: RequestLimits, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._alarm: asyncio.TimerHandle | None = None
        self.address = ("", 0)
        self.answering: object = None  #: stands for the last request that has begun

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.address = tuple(transport.get_extra_info("peername")[:2])
        self._limits.come(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._limits.gone(self)
        super().connection_lost(exc)

    def set_alarm(self, seconds: float) -> None:
        """Let the connection go after some seconds; 0 for never."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if seconds:
            self._alarm = self.loop.call_later(seconds, self.let_go)

    def let_go(self) -> None:
        """Close the connection: nobody asks anything on it."""
        self._limits.gone(self)
        self.transport.abort()


async def _refuse(send: Send) -> None:
    """Say that there are too many requests."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b"too many requests at once; ask again"})
