"""The desk: one memory, open as long as the server runs, asked one question after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ledger.errors import DiurnaError
from memory.api import Memory
from rituals.mcp.lane import Lane

T = TypeVar("T")
#: What a write may take when the server is told to stop; more than every lock's limit.
CLOSING_SECONDS = 60.0


class Desk:
    """Answers questions about one home; the next one sees what other processes append meanwhile.

    Args:
        open_memory: opens the home; called on the desk's own thread, where the first question needs it.
    """

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self._open = open_memory
        self._memory: Memory | None = None
        self._lane = Lane("diurna-mcp-memory")

    async def ask(self, question: Callable[[Memory], T], *, writes: bool = False) -> T:
        """Answer a question.

        Args:
            question: asked on the desk's thread.
            writes: what has arrived is done, also if the client is gone before its turn comes.

        Raises:
            DiurnaError: as the question does.
            Busy: too many wait already.
        """
        return await self._lane.run(lambda: self._answer(question), keep=writes)

    def close(self) -> bool:
        """End, after what is being written; False when that takes too long, which loses nothing."""
        return self._lane.end(CLOSING_SECONDS, self._shut)

    def _answer(self, question: Callable[[Memory], T]) -> T:
        if self._memory is None:
            self._memory = self._open()
        try:
            return question(self._memory)
        except DiurnaError:
            raise
        except BaseException:
            self._shut()  # whatever state it left behind, the next question begins afresh
            raise

    def _shut(self) -> None:
        if self._memory is not None:
            memory, self._memory = self._memory, None
            memory.close()
