"""Serve programs of this machine over HTTP, and no others: the socket is bound to loopback."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator

import uvicorn

from ledger.errors import DiurnaError
from rituals.serve.long_running import until_stopped
from rituals.serve.request_limits import ANSWERED, HEAD_BYTES, WAITING, App, RequestLimits

HOST = "127.0.0.1"
_GRACE_SECONDS = 3
_TICK_SECONDS = 1.0


def listen(port: int, free: str) -> socket.socket:
    """Listen on the loopback address; port 0 is for a free one.

    `free` is the option that takes a free port, for the hint.

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
            hint=f"name another port, or 0 for a free one: {free}",
        ) from None
    return listening


async def serve(app: App, listening: socket.socket) -> int:
    """Serve an application until a signal comes; return which."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it reports clients that leave
    http = _Http(
        uvicorn.Config(
            app,
            http=RequestLimits().protocol,  # type: ignore[arg-type] # it makes one, as the class would
            h11_max_incomplete_event_size=HEAD_BYTES,
            limit_concurrency=WAITING + ANSWERED,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )
    return await until_stopped(
        lambda: http.serve(sockets=[listening]), lambda met: http.handle_exit(met, None)
    )


class _Http(uvicorn.Server):
    """uvicorn, told by us when to stop: its own way ends the process before the memory is closed.

    It looks ten times a second whether it has to stop; we wake it, so that it rests while nobody asks.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Begin to stop."""
        super().handle_exit(sig, None)
        self._ending.set()

    async def main_loop(self) -> None:
        """Wait for the end; the date that answers carry is that of the second."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _TICK_SECONDS)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield
