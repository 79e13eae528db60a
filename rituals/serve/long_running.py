"""Run as a server does: for long, and until a signal asks to stop."""

from __future__ import annotations

import gc
import logging
import signal

import anyio

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def stop_signal() -> int:
    """Wait for a signal that asks to stop."""
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async for met in signals:
            return int(met)
    return 0


def settle(command: str) -> None:
    """Prepare the process to run for long; the command line prepares it to be quick.

    What is told begins with the command's name.
    """
    logging.basicConfig(level=logging.ERROR, format=f"diurna {command}: %(message)s")
    gc.freeze()
    gc.enable()
