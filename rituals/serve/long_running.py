"""Run for long, as a server does, until a signal asks to stop; what must not block it has a thread.

Git handles and the cache's connection belong to the thread that opened them, so one thread opens a
`Memory` and does everything with it. Reading and writing the pipes are workers too: such a call may never
end, and the thread of a worker is no reason for the process to stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import queue
import signal
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeVar

import anyio

from ledger.errors import Busy

T = TypeVar("T")
#: Calls that may wait; a client that asks for more at once is told to slow down.
LIMIT_CALLS = 256


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
        answer: Future[T] = Future()

        def call() -> None:
            waited_for = answer.set_running_or_notify_cancel()
            if not (waited_for or keep):
                return
            try:
                found = function()
            except BaseException as problem:  # noqa: BLE001 - raised again where it is waited for
                if waited_for:
                    answer.set_exception(problem)
            else:
                if waited_for:
                    answer.set_result(found)

        self._calls.put(call)
        return await asyncio.wrap_future(answer)

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


_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def until_stopped(
    serving: Callable[[], Awaitable[None]], stop: Callable[[int], None] | None = None
) -> int:
    """Serve until that ends, or a signal asks to stop; return which, 0 for none.

    `stop` lets it end in good order; without it what is served is cancelled.
    """
    met = 0
    async with anyio.create_task_group() as tasks:

        async def stop_at_signal() -> None:
            nonlocal met
            with anyio.open_signal_receiver(*_SIGNALS) as signals:
                async for one in signals:
                    met = int(one)
                    break
            (stop or (lambda _: tasks.cancel_scope.cancel()))(met)

        tasks.start_soon(stop_at_signal)
        await serving()
        tasks.cancel_scope.cancel()
    return met


def settle(command: str) -> None:
    """Prepare the process to run for long; the command line prepares it to be quick.

    What is told begins with the command's name.
    """
    logging.basicConfig(level=logging.ERROR, format=f"diurna {command}: %(message)s")
    gc.freeze()
    gc.enable()
