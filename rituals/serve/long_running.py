"""Run as a server does: for long, and until a signal asks to stop."""

from __future__ import annotations

import gc
import logging
import signal
from collections.abc import Awaitable, Callable

import anyio

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
