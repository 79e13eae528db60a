"""Keep one memory open as long as the server runs, and ask it one question after the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from ledger.errors import Busy, DiurnaError, HomeNotFound, NotFound
from rituals.serve.long_running import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.api import Memory

T = TypeVar("T")
#: How long a stop waits: for what is being written, longer than every lock's limit; for a question,
#: which loses nothing, only so that the cache is closed in good order.
WRITING_SECONDS, READING_SECONDS = 60.0, 1.0


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
        self._unwritten: set[object] = set()

    def prepare(self) -> None:
        """Begin to load what the first question needs, and settle which home is meant."""
        if self._home is None:
            self._worker.begin(self._prepare)

    def ask(self, question: Callable[[Memory], T], *, writes: bool = False) -> Future[T]:
        """Ask a question on the worker's thread; return what will have the answer.

        With `writes`, what has arrived is done, also if nobody waits any more when its turn comes.

        Raises:
            DiurnaError: as the question does; or the home is not there, or not yet.
            Busy: too many wait already.
        """
        mark = object()
        self._unwritten |= {mark} if writes else set()

        def answer() -> T:
            try:
                memory = self._opened()
                try:
                    return question(memory)
                except DiurnaError:
                    raise
                except BaseException:
                    self._shut()  # whatever state it left behind, the next question begins afresh
                    raise
            finally:
                self._unwritten.discard(mark)

        try:
            return self._worker.run(answer, keep=writes)
        except Busy:  # of the worker: it will not be called
            self._unwritten.discard(mark)
            raise

    def close(self) -> bool:
        """End, after what is being written; False when that takes too long, which loses nothing."""
        return self._worker.end(WRITING_SECONDS if self._unwritten else READING_SECONDS, self._shut)

    def _prepare(self) -> None:
        import memory.api  # noqa: F401 - loaded here, while the client reads what was said

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
