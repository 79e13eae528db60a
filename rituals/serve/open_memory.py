"""Run for long, as a server does: one memory stays open, and is asked one question after the other.

Git handles and the cache's connection belong to the thread that opened them, so one thread opens a
`Memory` and does everything with it. The thread of a worker is no reason for the process to stay.
"""

from __future__ import annotations

import gc
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from ledger.errors import Busy, DiurnaError, HomeNotFound, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory import Memory

T = TypeVar("T")
#: Calls that may wait; a client that asks for more at once is told to slow down.
LIMIT_CALLS = 256
#: How long a stop waits: for what is being written, longer than every lock's limit; for a question,
#: which loses nothing, only so that the cache is closed in good order.
WRITING_SECONDS, READING_SECONDS = 60.0, 1.0


class Worker:
    """Makes calls on one thread, in the order in which they came.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._kept: set[Callable[[], None]] = set()
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
            try:
                found = function() if waited_for or keep else None
                if waited_for:
                    answer.set_result(found)  # type: ignore[arg-type] # it was called
            except BaseException as problem:  # noqa: BLE001 - raised again where it is waited for
                if waited_for:
                    answer.set_exception(problem)
            finally:
                self._kept.discard(call)

        self._kept |= {call} if keep else set()
        self._calls.put(call)
        return answer

    def end(self, last: Callable[[], None]) -> bool:
        """Finish what runs and what is kept; False when time was up before.

        `last` is called at the end, on the worker's thread.
        """
        for call in (last, None):
            self._calls.put(call)
        self._thread.join(WRITING_SECONDS if self._kept else READING_SECONDS)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # what it holds is not kept until the next one comes


class OpenMemory:
    """Answers questions about one home; the next one sees what other processes append meanwhile.

    A home in a work tree is on the branch that is checked out, and a server outlives many a checkout. So
    the home is looked for before each question (a tenth of a millisecond), and has to be the same one, if
    on another branch. Where there was none at first, the one that is made meanwhile is found.

    Args:
        find: finds the home.
        open_memory: opens it, on the worker's thread.
    """

    def __init__(self, find: Callable[[], Home], open_memory: Callable[[Home], Memory]) -> None:
        self._find = find
        self._open = open_memory
        self._home: Home | None = None
        self._memory: Memory | None = None
        self._worker = Worker("diurna-memory")

    def prepare(self) -> None:
        """Begin to load what the first question needs, and settle which home is meant."""
        if self._home is None:
            self._worker.run(self._prepare)  # what goes wrong is told by the first question

    def ask(self, question: Callable[[Memory], T], *, writes: bool = False) -> Future[T]:
        """Ask a question on the worker's thread; return what will have the answer.

        With `writes`, what has arrived is done, also if nobody waits any more when its turn comes.

        Raises:
            DiurnaError: as the question does; or the home is not there, or not yet.
            Busy: too many wait already.
        """

        def answer() -> T:
            memory = self._opened()
            try:
                return question(memory)
            except DiurnaError:
                raise
            except BaseException:
                self._shut()  # whatever state it left behind, the next question begins afresh
                raise

        return self._worker.run(answer, keep=writes)

    def close(self) -> bool:
        """End, after what is being written; False when that takes too long, which loses nothing."""
        return self._worker.end(self._shut)

    def _prepare(self) -> None:
        from memory import Memory  # noqa: F401 - loaded here, while the client reads what was said

        self._found()

    def _found(self) -> Home:
        try:
            home = self._find()
        except HomeNotFound as problem:
            if self._home is None or problem.because:
                raise
            raise _gone(self._home, problem.message) from None
        if self._home is None:
            self._home = home
        if _place(home) != _place(self._home):
            raise _gone(self._home)
        return home

    def _opened(self) -> Memory:
        home = self._found()
        if self._memory is not None and self._memory.home != home:
            self._shut()
        if self._memory is None:
            self._memory = self._open(home)
        self._memory.bring_back()
        return self._memory

    def _shut(self) -> None:
        if self._memory is not None:
            memory, self._memory = self._memory, None
            memory.close()


def _gone(home: Home, instead: str = "") -> NotFound:
    return NotFound(
        "the home that this server was started for is not there"
        + (f": {instead}" if instead else ""),
        where=home.folder or home.repository.where,
        hint="check out a branch that has it, or start the server where another one is",
    )


def _place(home: Home) -> tuple[object, ...]:
    """Return what a checkout does not change."""
    return home.kind, home.repository, home.prefix


def settle(command: str) -> None:
    """Prepare the process to run for long; the command line prepares it to be quick.

    What is told begins with the command's name.
    """
    logging.basicConfig(level=logging.ERROR, format=f"diurna {command}: %(message)s")
    gc.freeze()
    gc.set_threshold(10_000)  # a question makes thousands of values, and hardly a circle
    gc.enable()
