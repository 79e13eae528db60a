"""Hold a running git command: its pipes, its end, and the answers of one that stays open."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from ledger.environment import monotonic
from ledger.errors import StorageFailed

#: Told all that a command has printed so far; says what more to give it, None to go on waiting.
Answer = Callable[[bytes], bytes | None]

#: How long a command that is to end may take to put its things away.
_END_SECONDS = 2.0
_CLOSED = -1  # in the place of a pipe's end
_SIGTERM, _SIGKILL = 15, 9  # importing `signal` costs more than a command that needs neither has


class Running:
    """A git command under way.

    Args:
        child: its process id.
        to: the end of a pipe to its standard input.
        out: the end of a pipe from its standard output.
        err: the same of its error output.
    """

    def __init__(self, child: int, to: int, out: int, err: int) -> None:
        self._child = child
        self._ends = (to, out, err)
        self._said = b""

    def finish(
        self,
        data: bytes = b"",
        answer: Answer | None = None,
        seconds: float = 0.0,
        hear: Callable[[bytes], None] | None = None,
        most: int = 0,
    ) -> tuple[int, bytes, bytes]:
        """Give it its input and wait for its end; return its status, output and error output.

        `data` is its input, `answer` as in `Git.call`; `hear` is told each piece of its error output as
        it comes. With `seconds` it is ended after so long, and all that it started; only one in a
        session of its own can be. With `most` too it is ended once it has printed so many bytes: what
        it printed is returned, with the status 0.

        Raises:
            TimeoutError: the time was up.
        """
        try:
            out, err = _Conversation(self._ends, data, answer, hear).run(seconds, most)
        except BaseException:
            if seconds:
                self.end()
            raise
        if most and len(out) >= most:
            self.end()
            return 0, out, err
        _, status = os.waitpid(self._child, 0)
        return os.waitstatus_to_exitcode(status), out, err

    def end(self) -> None:
        """End the whole session: gently, so that git takes its lock files with it, then for good.

        Only for a command in a session of its own.
        """
        gone = False
        for sign in (_SIGTERM, _SIGKILL):
            try:
                os.killpg(self._child, sign)
            except (ProcessLookupError, PermissionError):
                pass
            deadline = monotonic() + _END_SECONDS
            while not gone and monotonic() < deadline:
                gone = os.waitpid(self._child, os.WNOHANG) != (0, 0)
                time.sleep(0.0 if gone else 0.01)

    def stop(self) -> None:
        """End a command that answers questions, whatever it still has to say."""
        for end in self._ends:
            os.close(end)
        os.waitpid(self._child, 0)

    def ask(self, line: bytes) -> bytes:
        """Write one line to a command that answers each; return the first line of its answer, or b""."""
        os.write(self._ends[0], line)
        while (end := self._said.find(b"\n")) < 0:
            if not self._more():
                return b""
        answer = self._said[:end]
        self._said = self._said[end + 1 :]
        return answer

    def take(self, count: int) -> bytes:
        """Return so many more bytes of its answer, fewer where it ends before."""
        while len(self._said) < count and self._more():
            pass
        answer = self._said[:count]
        self._said = self._said[count:]
        return answer

    def _more(self) -> bool:
        chunk = os.read(self._ends[1], 1 << 16)
        self._said += chunk
        return bool(chunk)


def three_pipes() -> list[tuple[int, int]]:
    """Make three pipes, trying a second time when too many files are open.

    Raises:
        StorageFailed: there is no room for them.
    """
    made: list[tuple[int, int]] = []
    for again in (True, False):
        try:
            while len(made) < 3:
                made.append(os.pipe())
            break
        except OSError as problem:
            if again:
                import gc

                gc.collect()  # closes the files that nobody uses any more
                continue
            for ends in made:
                os.close(ends[0])
                os.close(ends[1])
            raise StorageFailed(
                f"git can not be started: {problem.strerror}",
                hint="too many files are open in this process; close some and try again",
            ) from problem
    return made


class _Conversation:
    """Feeds a child and reads both its outputs until it closes them; no side can block the other.

    Args:
        ends: of its input, its output and its errors.
        data: its input.
        answer: asked with all of the output so far for the rest of the input, until it gives that.
        hear: told each piece of its errors.
    """

    def __init__(
        self,
        ends: tuple[int, int, int],
        data: bytes,
        answer: Answer | None,
        hear: Callable[[bytes], None] | None,
    ) -> None:
        self._to, self._out, self._err = ends
        self._parts: dict[int, list[bytes]] = {self._out: [], self._err: []}
        self._poll = select.poll()
        for end in self._parts:
            self._poll.register(end, select.POLLIN)
        self._answer, self._hear = answer, hear
        self._waiting = memoryview(data)
        if data:
            self._begin()
        elif answer is None:
            self._end_input()

    def run(self, seconds: float, most: int = 0) -> tuple[bytes, bytes]:
        """Return its output and its errors, or its first bytes once there are `most` of them.

        Raises:
            TimeoutError: it did not end within `seconds` (0: however long it takes).
        """
        deadline = monotonic() + seconds
        open_ends = set(self._parts)
        try:
            while open_ends:
                left = max(0.0, deadline - monotonic()) * 1000 if seconds else None
                ready = self._poll.poll(left)
                if not ready and seconds:
                    raise TimeoutError
                for fd, _ in ready:
                    if fd == self._to:
                        self._write()
                    elif not self._read(fd):
                        self._poll.unregister(fd)
                        open_ends.discard(fd)
                    elif most and sum(map(len, self._parts[self._out])) >= most:
                        return self._said()
        finally:
            if self._to != _CLOSED:
                self._end_input()
            os.close(self._out)
            os.close(self._err)
        return self._said()

    def _said(self) -> tuple[bytes, bytes]:
        return b"".join(self._parts[self._out]), b"".join(self._parts[self._err])

    def _begin(self) -> None:
        """Have something to write from now on."""
        os.set_blocking(self._to, False)
        self._poll.register(self._to, select.POLLOUT)

    def _end_input(self) -> None:
        os.close(self._to)
        self._to = _CLOSED

    def _write(self) -> None:
        try:
            self._waiting = self._waiting[os.write(self._to, self._waiting) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._waiting, self._answer = self._waiting[:0], None
        if not self._waiting:
            self._poll.unregister(self._to)
            if self._answer is None:
                self._end_input()

    def _read(self, fd: int) -> bool:
        """Read what is there of an output; False at its end."""
        chunk = os.read(fd, 1 << 20)
        if not chunk:
            return False
        self._parts[fd].append(chunk)
        if fd == self._err and self._hear is not None:
            self._hear(chunk)
        if fd == self._out and self._answer is not None:
            more = self._answer(b"".join(self._parts[fd]))
            if more is not None:
                self._waiting, self._answer = memoryview(bytes(self._waiting) + more), None
                self._begin()
        return True
