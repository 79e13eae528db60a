"""Do heavy work sooner: beside another process, and without the collector of garbage."""

from __future__ import annotations

import _thread
import gc
import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def may_fork() -> bool:
    """Tell whether a second process would have a core of its own, and can be forked without harm.

    In a process with other threads it can not: what one of them has locked stays locked in the child for
    ever. The MCP server has some, and so may whoever uses the library.
    """
    return (os.cpu_count() or 1) > 1 and hasattr(os, "fork") and not _thread._count()


#: By its number, as the module of signals costs the hooks too much.
_SIGKILL = 9


class Beside:
    """A child process that makes things, one behind the other.

    Args:
        make: is asked in the child; it gives what `marshal` takes, and never None.
    """

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        out, into = os.pipe()
        self._child = os.fork()
        if self._child:
            os.close(into)
            self._pipe = os.fdopen(out, "rb")
            return
        status = 1
        try:
            os.close(out)
            with os.fdopen(into, "wb") as pipe:
                for made in make():
                    data = marshal.dumps(made)
                    pipe.write(len(data).to_bytes(8, "big") + data)
            status = 0
        finally:
            os._exit(status)

    def next(self) -> Any:
        """Wait for the next thing and return it, None where the child died (of memory, or a signal)."""
        data = self._pipe.read(int.from_bytes(self._pipe.read(8), "big"))
        try:
            return marshal.loads(data)
        except (EOFError, ValueError, TypeError):
            return None

    def end(self) -> None:
        """End the child: it may work on, or have more to say than a pipe holds, which takes for ever."""
        self._pipe.close()
        os.kill(self._child, _SIGKILL)
        os.waitpid(self._child, 0)


class Uncollected:
    """Keeps Python's cycle collector still while hundreds of thousands of records are made, none cyclic.

    It would look at each again and again, half as long again as the work itself takes. Nested use changes
    nothing.
    """

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()
