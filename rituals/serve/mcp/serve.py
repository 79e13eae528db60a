"""Serve the process that started this one over standard input and output, from first byte to last."""

from __future__ import annotations

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from rituals.serve.long_running import settle, stop_signal
from rituals.serve.mcp.stdio import ClientGone, Wire


def over_wire(server: Server[Any], wire: Wire) -> int:
    """Serve the process that started this one, until it closes its end or a signal comes.

    Returns:
        The signal that ended it, 0 for none.
    """
    settle("mcp")
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
