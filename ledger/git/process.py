"""Hold a running git command: its pipes, its end, and the answers of one that waits for more."""

from __future__ import annotations

import os
import select
import time
from _collections_abc import Callable, Generator

from ledger.environment import monotonic
from ledger.errors import StorageFailed

#: How long a command that is to end may take to put its things away.
_END_SECONDS = 2.0
#: Of one that prints much, some is let come together: a piece costs as much as what is in it.
_MUCH_BYTES, _FEW_BYTES, _A_WHILE_SECONDS = 1 << 20, 1 << 14, 0.0005
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

    def finish(
        self,
        data: bytes = b"",
        *,
        seconds: float = 0.0,
        hear: Callable[[bytes], None] | None = None,
        most: int = 0,
    ) -> tuple[int, bytes, bytes]:
        """Give it its input and wait for its end; return its status, output and error output.

        `data` is its input; `hear` is told each piece of its error output as it comes. With `seconds` it
        is ended after so long, and all that it started; only one in a session of its own can be. With
        `most` too it is ended once it has printed so many bytes: what it printed is returned, with the
        status 0.

        Raises:
            TimeoutError: the time was up.
        """
        said: dict[int, list[bytes]] = {1: [], 2: []}
        size = 0
        try:
            for end, piece in self.pieces(data, seconds):
                said[end].append(piece)
                size += len(piece) * (end == 1)
                if end == 2 and hear is not None:
                    hear(piece)
                if most and size >= most:
                    break
        except BaseException:
            if seconds:
                self.end()
            raise
        out, err = b"".join(said[1]), b"".join(said[2])
        if most and size >= most:
            self.end()
            return 0, out, err
        return self.status(), out, err

    def status(self) -> int:
        """Wait for its end and return how it ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])

    def pieces(self, data: bytes, seconds: float = 0.0) -> Generator[tuple[int, bytes], None, None]:
        """Feed it, and yield what comes of its output (1) and error output (2); no side blocks another.

        It works on beside whoever takes the pieces. Its pipes are closed at the end, or where nobody
        takes more.

        Raises:
            TimeoutError: `seconds` were given, and passed.
        """
        to, out, err = self._ends
        waiting = memoryview(data)
        left, size, deadline = {to: 0, out: 1, err: 2}, 0, monotonic() + seconds
        poll = select.poll()
        for end, number in left.items():
            poll.register(end, select.POLLIN if number else select.POLLOUT)
        os.set_blocking(to, False)
        if len(data) > _FEW_BYTES:  # much will come: neither side is to wait for the other often
            try:
                from fcntl import F_SETPIPE_SZ, fcntl

                fcntl(out, F_SETPIPE_SZ, _MUCH_BYTES)
            except (ImportError, OSError):
                pass

        def close(end: int) -> None:
            poll.unregister(end)
            del left[end]
            os.close(end)

        try:
            if not waiting:
                close(to)
            while out in left or err in left:
                rest = max(0.0, deadline - monotonic()) * 1000 if seconds else None
                ready = poll.poll(rest)
                if not ready and seconds:
                    raise TimeoutError
                for end, _ in ready:
                    if end == to:
                        try:
                            waiting = waiting[os.write(to, waiting) :]
                        except BlockingIOError:
                            pass
                        except BrokenPipeError:  # nobody reads any more
                            waiting = waiting[:0]
                        if not waiting:
                            close(to)
                    elif piece := os.read(end, 1 << 18):
                        yield left[end], piece
                        size += len(piece)
                        if size > _MUCH_BYTES and len(piece) < _FEW_BYTES:
                            time.sleep(_A_WHILE_SECONDS)
                    else:
                        close(end)
        finally:
            for end in left:
                os.close(end)

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

    def ask(self, told: bytes, wanted: bytes) -> bool:
        """Write to a command that waits for more; tell whether it says a line before it ends."""
        os.write(self._ends[0], told)
        said = b"\n"
        while b"\n%s\n" % wanted not in said:
            if not (chunk := os.read(self._ends[1], 1 << 16)):
                return False
            said += chunk
        return True


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
            for end in sum(made, ()):
                os.close(end)
            raise StorageFailed(
                f"git can not be started: {problem.strerror}",
                hint="too many files are open in this process; close some and try again",
            ) from problem
    return made
