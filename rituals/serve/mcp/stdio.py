"""Keep standard input and output for the protocol alone.

Whatever a library prints, or a child process, goes to standard error instead: what is not a message would
end the conversation. Lines are read and written on threads of their own, so that a client that neither
writes nor reads keeps nothing from ending.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys

from ledger.errors import DiurnaError
from rituals.serve.long_running import Worker

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
