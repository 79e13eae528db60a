"""Hold a running git command: its pipes, its end, and the answers of one that stays open."""

from __future__ import annotations

import os
import select
import time

from ledger.environment import monotonic
from ledger.errors import StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Told all that a command has printed so far; says what more to give it, None to go on waiting.
    Answer = Callable[[bytes], bytes | None]

#: How long a command that is to end may take to put its things away.
_END_SECONDS = 2.0
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
    ) -> tuple[int, bytes, bytes]:
        """Give it its input and wait for its end; return its status, output and error output.

        Args:
            data: its input.
            answer: as in `Git.call`.
            seconds: end it, and all that it started, after so long; only one in a session of its own.
            hear: told each piece of its error output as it comes.

        Raises:
            TimeoutError: the time was up.
        """
        try:
            out, err = _converse(*self._ends, data, answer, seconds, hear)
        except BaseException:
            if seconds:
                self.end()
            raise
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

    def abandon(self) -> None:
        """End a command that nobody will wait for, and let go of its pipes."""
        self.end()
        for end in self._ends:
            os.close(end)

    def stop(self) -> None:
        """End a command that answers questions, whatever it still has to say."""
        for end in self._ends:
            os.close(end)
        os.waitpid(self._child, 0)

    def ask(self, line: bytes) -> bytes:
        """Write one line to a command that answers each; return the first line of its answer."""
        os.write(self._ends[0], line)
        while (end := self._said.find(b"\n")) < 0:
            if not self._more():
                break
        answer = self._said[:end]
        self._said = self._said[end + 1 :]
        return answer

    def take(self, count: int) -> bytes:
        """Return so many more bytes of its answer."""
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


def _converse(
    to: int,
    out: int,
    err: int,
    data: bytes,
    answer: Answer | None,
    seconds: float = 0.0,
    hear: Callable[[bytes], None] | None = None,
) -> tuple[bytes, bytes]:
    """Feed a child and read both its outputs until it closes them; no side can block the other.

    Raises:
        TimeoutError: it did not end within `seconds`.
    """
    deadline = monotonic() + seconds
    parts: dict[int, list[bytes]] = {out: [], err: []}
    poll = select.poll()
    poll.register(out, select.POLLIN)
    poll.register(err, select.POLLIN)
    waiting = memoryview(data)
    if waiting:
        os.set_blocking(to, False)
        poll.register(to, select.POLLOUT)
    elif answer is None:
        os.close(to)
        to = -1
    open_ends = 2
    try:
        while open_ends:
            left = max(0.0, deadline - monotonic()) * 1000 if seconds else None
            ready = poll.poll(left)
            if not ready and seconds:
                raise TimeoutError
            for fd, _ in ready:
                if fd == to:
                    try:
                        waiting = waiting[os.write(to, waiting) :]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        waiting, answer = waiting[:0], None
                    if not waiting:
                        poll.unregister(to)
                        if answer is None:
                            os.close(to)
                            to = -1
                    continue
                chunk = os.read(fd, 1 << 20)
                if not chunk:
                    poll.unregister(fd)
                    open_ends -= 1
                    continue
                parts[fd].append(chunk)
                if fd == err and hear is not None:
                    hear(chunk)
                if fd == out and answer is not None:
                    more = answer(b"".join(parts[out]))
                    if more is not None:
                        waiting, answer = memoryview(bytes(waiting) + more), None
                        os.set_blocking(to, False)
                        poll.register(to, select.POLLOUT)
    finally:
        if to >= 0:
            os.close(to)
        os.close(out)
        os.close(err)
    return b"".join(parts[out]), b"".join(parts[err])
