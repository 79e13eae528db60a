"""Prepare what is slow of a tip beside the memory's thread, so that no page waits for another one's.

The memory answers one page after the other. What takes a second is worked out on a thread of its own; it
shares the interpreter with the pages, which slow down meanwhile and do not stop. All of it begins when the
server starts, and again when a request finds that memory has moved, one part after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from memory.api import Memory
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.tip_view.tip_view import MADE_OF, ONCE, SLOW_PARTS, TipView, TipViews
from rituals.serve.worker import Worker

T = TypeVar("T")
#: So often a page waits for its parts anew because memory moved meanwhile; then they are made in place.
_ATTEMPTS = 3
#: How long a stop waits for a part: nothing is lost with it.
_STOP_SECONDS = 0.2


class Preparing:
    """Asks pages of the tip as it stands, when all that they need is there. Used in the event loop.

    Args:
        opened: the memory, and its thread.
    """

    def __init__(self, opened: OpenMemory) -> None:
        self._opened = opened
        self._views = TipViews()
        self._workers: dict[str, Worker] = {}
        self._making: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._ahead: asyncio.Task[None] | None = None
        self._seen = ""
        #: what need not be prepared any more
        self._done: frozenset[str] = frozenset()

    async def ask(self, question: Callable[[TipView], T], needs: Sequence[str] = ()) -> T:
        """Answer a question about the tip as it stands, asked on the memory's thread.

        `needs` are the slow parts that it asks for; they are waited for before its turn comes.

        Raises:
            DiurnaError: as `OpenMemory.ask`.
        """
        found: list[T] = []
        for attempt in range(1, _ATTEMPTS + 1):
            for part in needs:
                await self._part(part)

            def answer(memory: Memory, last: bool = attempt == _ATTEMPTS) -> tuple[str, list[T]]:
                tip = self._views.of(memory)
                ready = last or all(tip.has(part) for part in needs)
                return tip.mark, [question(tip)] if ready else []

            mark, found = await self._opened.ask(answer)
            if mark != self._seen:
                self._seen = mark
                self.begin()
            if found:
                break
        return found[0]

    def begin(self) -> None:
        """Begin to prepare all that is slow of the tip, for whoever asks for it next."""
        if self._ahead is not None:
            self._ahead.cancel()
        self._ahead = asyncio.ensure_future(self._all())

    async def close(self) -> None:
        """Stop preparing."""
        running = [*self._making.values(), *([self._ahead] if self._ahead else [])]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for worker in self._workers.values():
            worker.end(_STOP_SECONDS)

    async def _all(self) -> None:
        for part in SLOW_PARTS:
            with contextlib.suppress(Exception):  # whoever needs it is told why there is none
                await self._part(part)

    async def _part(self, part: str) -> None:
        """Have a part of the tip as it stands now; several that ask for it wait for one."""
        for first in MADE_OF.get(part, ()):
            await self._part(first)
        tip = await self._opened.ask(self._views.of)
        if part in self._done:
            tip.keep(part, True)
        if tip.has(part):
            return
        key = tip.mark, part
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.ensure_future(self._make(part))
            making.add_done_callback(lambda done: self._forget(key, done))
        await asyncio.shield(making)

    def _forget(self, key: tuple[str, str], done: asyncio.Task[None]) -> None:
        self._making.pop(key, None)
        if not done.cancelled():
            done.exception()  # whoever waits for it raises it; nobody may

    async def _make(self, part: str) -> None:
        def read(memory: Memory) -> tuple[TipView, Callable[[], object]]:
            tip = self._views.of(memory)
            return tip, SLOW_PARTS[part](tip)

        tip, work = await self._opened.ask(read)
        if part not in self._workers:
            self._workers[part] = Worker(f"diurna-{part}")
        tip.keep(part, await self._workers[part].run(work))
        self._done |= ONCE & {part}
