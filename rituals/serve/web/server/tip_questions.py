"""Ask the tip of a memory as it stands, on the memory's thread; publish behind answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

from ledger.errors import DiurnaError
from memory.api import Memory
from rituals.review.review_record import settle_answers
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.tip_view.tip_view import TipView, TipViews

T = TypeVar("T")
#: How long nobody may have answered before pages are published: whoever answers is in the middle of it.
_PUBLISH_SECONDS = 4.0


class TipQuestions:
    """Asks one view of the tip after the other. Used in the event loop.

    Args:
        opened: the memory, and its thread.
    """

    def __init__(self, opened: OpenMemory) -> None:
        self._opened = opened
        self._behind: asyncio.Task[None] | None = None
        self.views = TipViews()

    async def ask(self, question: Callable[[TipView], T], *, writes: bool = False) -> T:
        """Answer a question about the tip as it stands.

        `writes` as `OpenMemory.ask` has it.

        Raises:
            DiurnaError: as `OpenMemory.ask`.
        """

        def answer(memory: Memory) -> T:
            return question(self.views.of(memory))

        return await self._opened.ask(answer, writes=writes)

    def publish_soon(self) -> None:
        """Publish the pages that people read, once nobody has answered for a moment."""
        if self._behind is not None:
            self._behind.cancel()
        self._behind = asyncio.ensure_future(self._publish(_PUBLISH_SECONDS))

    async def close(self) -> None:
        """Publish now what waits for it."""
        if self._behind is not None and not self._behind.done():
            self._behind.cancel()
            await self._publish(0.0)

    async def _publish(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        with contextlib.suppress(DiurnaError):  # what is in the way is said by `diurna status`
            await self._opened.ask(settle_answers, writes=True)
