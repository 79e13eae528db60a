"""Serve the process that started this one over standard input and output, from first byte to last."""

from __future__ import annotations

import gc
import logging
import signal
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from rituals.mcp.stdio import ClientGone, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def over_wire(server: Server[Any], wire: Wire) -> int:
    """Serve the process that started this one, until it closes its end or a signal comes.

    Returns:
        The signal that ended it, 0 for none.
    """
    settle()
    return anyio.run(_over_wire, server, wire)


async def _over_wire(server: Server[Any], wire: Wire) -> int:
    met = 0
    try:
        async with anyio.create_task_group() as tasks:

            async def stop_at_signal() -> None:
                nonlocal met
                met = await stop_signal()
                tasks.cancel_scope.cancel()

            tasks.start_soon(stop_at_signal)
            # the wire does what these files are asked for
            async with stdio_server(wire, wire) as (read, write):  # type: ignore[arg-type]
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* ClientGone:
        pass
    return met


async def stop_signal() -> int:
    """Wait for a signal that asks to stop."""
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async for met in signals:
            return int(met)
    return 0


def settle() -> None:
    """Prepare the process to run for long; the command line prepares it to be quick."""
    logging.basicConfig(level=logging.ERROR, format="diurna mcp: %(message)s")
    gc.freeze()
    gc.enable()
