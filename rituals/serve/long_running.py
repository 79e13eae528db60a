"""Run for long, as a server does; what must not block it has a thread.

Git handles and the cache's connection belong to the thread that opened them, so one thread opens a
`Memory` and does everything with it. The thread of a worker is no reason for the process to stay.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

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

    def run(self, function: Callable[[], T], *, keep: bool = False) -> Future[T]:
        """Make a call on the worker's thread; return what will have what it returns.

        Whoever does not wait any more cancels that. With `keep` the call is made nevertheless.

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
        return answer

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


def settle(command: str) -> None:
    """Prepare the process to run for long; the command line prepares it to be quick.

    What is told begins with the command's name.
    """
    logging.basicConfig(level=logging.ERROR, format=f"diurna {command}: %(message)s")
    gc.freeze()
    gc.enable()
