"""Do heavy work sooner: halved between two cores, and without the collector of garbage."""

from __future__ import annotations

import _thread
import gc
import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Made = TypeVar("Made")


def may_fork() -> bool:
    """Tell whether a second process would have a core of its own, and can be forked without harm.

    In a process with other threads it can not: what one of them has locked stays locked in the child for
    ever. The MCP server has some, and so may whoever uses the library.
    """
    return (os.cpu_count() or 1) > 1 and hasattr(os, "fork") and not _thread._count()


#: By its number, as the module of signals costs the hooks too much.
_SIGKILL = 9


def in_two(first: Callable[[], Any], second: Callable[[], Made]) -> tuple[Any, Made]:
    """Do `first` in a child and `second` here, at once.

    `first` makes something that `marshal` takes, and never None.

    Returns:
        What both made; None in place of the first when the child died (of memory, or a signal). Where
        `second` fails, or is told that its time is up, the child is ended.
    """
    out, into = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.close(out)
            with os.fdopen(into, "wb") as pipe:
                marshal.dump(first(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(into)
    try:
        with os.fdopen(out, "rb") as pipe:
            made = second()
            try:
                return marshal.load(pipe), made
            except (EOFError, ValueError, TypeError):
                return None, made
    except BaseException:
        # else it works on, or has more to say than a pipe holds, and is waited for: for ever
        os.kill(child, _SIGKILL)
        raise
    finally:
        os.waitpid(child, 0)


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
