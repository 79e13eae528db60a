"""Run calls one after the other on a thread of their own, for what must not block the protocol.

Git handles and the cache's connection belong to the thread that opened them, so one thread opens a
`Memory` and does everything with it. Reading and writing the pipes are workers too: such a call may never
end, and the thread of a worker is no reason for the process to stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ledger.errors import Busy

T = TypeVar("T")
#: Calls that may wait; a client that asks for more at once is told to slow down.
LIMIT_CALLS = 256


class _Call(Generic[T]):
    """One call, and whoever waits for what it returns.

    Args:
        function: to be called.
        keep: also when nobody waits any more.
    """

    def __init__(self, function: Callable[[], T], keep: bool) -> None:
        self.function = function
        self.keep = keep
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[T] = self.loop.create_future()

    def run(self) -> None:
        """Make the call in this thread, and tell the loop what came of it."""
        if self.answer.cancelled() and not self.keep:
            return
        try:
            found = self.function()
        except BaseException as problem:  # noqa: BLE001 - raised again where it is waited for
            self._tell(self._fail, problem)
        else:
            self._tell(self._succeed, found)

    def _tell(self, how: Callable[..., None], what: object) -> None:
        try:
            self.loop.call_soon_threadsafe(how, what)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    def _succeed(self, found: T) -> None:
        if not self.answer.done():
            self.answer.set_result(found)

    def _fail(self, problem: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(problem)


class Worker:
    """Makes calls on one thread, in the order in which they came.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[], T], *, keep: bool = False) -> T:
        """Make a call on the worker's thread and return what it returns.

        With `keep` it is made also if whoever waits for it is gone before its turn comes.

        Raises:
            Busy: too many calls wait.
        """
        if self._calls.qsize() >= LIMIT_CALLS:
            said = f"{LIMIT_CALLS} requests wait already"
            raise Busy(said, hint="ask again when they are answered")
        call = _Call(function, keep)
        self._calls.put(call.run)
        return await call.answer

    def begin(self, function: Callable[[], object]) -> None:
        """Make a call that nobody waits for; what goes wrong in it is nobody's."""

        def call() -> None:
            with contextlib.suppress(Exception):
                function()

        self._calls.put(call)

    def end(self, seconds: float, last: Callable[[], None] | None = None) -> bool:
        """Finish what runs and what is kept; False when time was up before.

        `last` is called at the end, on the worker's thread.
        """
        if last is not None:
            self._calls.put(last)
        self._calls.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # what it holds is not kept until the next one comes
