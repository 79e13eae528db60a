"""Prepare what is slow of a tip beside the memory's thread, so that no page waits for another one's.

The memory answers one page after the other. What takes a second is worked out on a thread of its own; it
shares the interpreter with the pages, which slow down meanwhile and do not stop. All of it begins when the
server starts, and again when a request finds that memory has moved, one part after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ledger.errors import DiurnaError
from memory.api import Memory
from rituals.review.review_plan import Plan
from rituals.review.review_record import settle_answers
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.tip_view.tip_view import MADE_OF, ONCE, SLOW_PARTS, TipView, TipViews
from rituals.serve.worker import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from rituals.review.learning.learning_plan import Plan as LearnPlan

T = TypeVar("T")
#: So often a page waits for its parts anew because memory moved meanwhile; then they are made in place.
_ATTEMPTS = 3
#: How long memory has to stand still before what nobody asks for yet is prepared again, and before
#: pages are published behind answers: whoever answers is in the middle of it.
_QUIET_SECONDS, _PUBLISH_SECONDS = 1.0, 4.0
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
        self._behind: asyncio.Task[None] | None = None
        self._seen = ""
        #: what need not be prepared any more
        self._done: frozenset[str] = frozenset()

    async def ask(
        self,
        question: Callable[[TipView], T],
        needs: Sequence[str] = (),
        *,
        foreseen: bool = True,
        writes: bool = False,
    ) -> T:
        """Answer a question about the tip as it stands, asked on the memory's thread.

        `needs` are the slow parts that it asks for; they are waited for before its turn comes, or what
        stands for them is taken, unless `foreseen` is false. `writes` as `OpenMemory.ask` has it.

        Raises:
            DiurnaError: as `OpenMemory.ask`.
        """
        found: list[T] = []
        for attempt in range(1, _ATTEMPTS + 1):
            for part in needs:
                await self._part(part, foreseen)

            def answer(memory: Memory, last: bool = attempt == _ATTEMPTS) -> tuple[str, list[T]]:
                tip = self._views.of(memory)
                serves = tip.serves if foreseen else tip.has
                ready = last or all(serves(part) for part in needs)
                return tip.mark, [question(tip)] if ready else []

            mark, found = await self._opened.ask(answer, writes=writes)
            if mark != self._seen:
                self._seen = mark
                self.begin()
            if found:
                break
        return found[0]

    async def ready(self, needs: Sequence[str], seconds: float) -> bool:
        """Wait so long for slow parts, or for what stands for them; tell whether they are there.

        They go on being made.
        """

        async def wait() -> None:
            for part in needs:
                await self._part(part, foreseen=True)

        try:
            await asyncio.wait_for(wait(), seconds)
        except TimeoutError:
            return False
        return True

    def kept(self, memory: Memory, part: str) -> Any:
        """Return a slow part of the tip, None where it is not made yet; on the memory's thread."""
        tip = self._views.of(memory)
        return getattr(tip, part) if tip.has(part) else None

    def asking(self, memory: Memory) -> Plan | None:
        """Return the plan of the tip, or what stands for it; None for neither."""
        tip = self._views.of(memory)
        return tip.asking if tip.serves("plan") else None

    def foresee(self, memory: Memory, part: str, left: Plan | LearnPlan | None) -> None:
        """Let what is left of a part stand for that of the tip, at most one log behind it."""
        tip = self._views.of(memory)
        if left is None or not 0 <= tip.state.summary.logs - left.state.summary.logs <= 1:
            return
        if isinstance(left, Plan):
            left = left._replace(summary=tip.state.summary)
        tip.foresee(part, left._replace(state=tip.state))

    def since(self, mark: str) -> str:
        """Say what came since memory stood as a mark names it."""
        return self._views.arrivals.since(mark)

    def begin(self) -> None:
        """Begin to prepare all that is slow of the tip, for whoever asks for it next."""
        quiet = 0.0
        if self._ahead is not None:
            self._ahead.cancel()
            quiet = _QUIET_SECONDS
        self._ahead = asyncio.ensure_future(self._all(quiet))

    def publish_soon(self) -> None:
        """Publish the pages that people read, once nobody has answered for a moment."""
        if self._behind is not None:
            self._behind.cancel()
        self._behind = asyncio.ensure_future(self._publish())

    async def _publish(self, seconds: float = _PUBLISH_SECONDS) -> None:
        """Settle what was answered, by a memory of its own: no page waits for it."""

        def read(memory: Memory) -> tuple[Home, str, int]:
            return memory.home, memory.asker(), memory.occasion().now_ms

        await asyncio.sleep(seconds)
        home, agent, now_ms = await self._opened.ask(read)

        def settle() -> None:
            memory = Memory(home, agent=agent, clock=lambda: now_ms)
            try:
                settle_answers(memory)
            finally:
                memory.close()

        with contextlib.suppress(DiurnaError):  # what is in the way is said by `diurna status`
            await self._worker("publish").run(settle, keep=True)
            self.begin()  # the pages are a commit, on which the next answer lies

    def _worker(self, name: str) -> Worker:
        if name not in self._workers:
            self._workers[name] = Worker(f"diurna-{name}")
        return self._workers[name]

    async def close(self) -> None:
        """Stop preparing; what was answered is published now."""
        if self._behind is not None and not self._behind.done():
            self._behind.cancel()
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._publish(0.0), _PUBLISH_SECONDS)
        running = [*self._making.values(), *([self._ahead] if self._ahead else [])]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for worker in self._workers.values():
            worker.end(_STOP_SECONDS)

    async def _all(self, quiet: float) -> None:
        for part in SLOW_PARTS:
            if part != "plan":
                await asyncio.sleep(quiet)
                quiet = 0.0
            with contextlib.suppress(Exception):  # whoever needs it is told why there is none
                await self._part(part)

    async def _part(self, part: str, foreseen: bool = False) -> None:
        """Have a part of the tip as it stands now, or what is foreseen; who asks for one waits for one."""
        for first in MADE_OF.get(part, ()):
            await self._part(first)
        tip = await self._opened.ask(self._views.of)
        if part in self._done:
            tip.keep(part, True)
        if tip.has(part) or (foreseen and tip.serves(part)):
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
        tip.keep(part, await self._worker(part).run(work))
        self._done |= ONCE & {part}
