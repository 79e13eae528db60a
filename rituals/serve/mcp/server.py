"""Give the handshake of the protocol; the rest is loaded by the first request after it.

A client waits for the handshake before it says that the server is there: what only tools and documents
need, their models and the memory, is not loaded before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from mcp.server.lowlevel import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.serve.mcp.handlers import Handlers

NAME = "diurna"
#: What a client may put into its system prompt: read first, write last.
INSTRUCTIONS = (
    "This project's memory, kept in git. Call `brief` before you start, `recall` before you decide, "
    "`append` once when a piece of work is done."
)
_HANDLED = (
    "list_tools", "call_tool", "list_resources", "list_resource_templates", "read_resource",
    "list_prompts", "get_prompt",
)  # fmt: skip


def server_of(handlers: Callable[[], Handlers], version: str) -> Server[Any]:
    """Make the server of this version of Diurna.

    `handlers` loads what answers requests; it is called once, by the first of them.
    """
    loaded = cache(handlers)

    def handled(name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def handle(context: Any, params: Any) -> Any:
            return await getattr(loaded(), name)(context, params)

        return handle

    answers: dict[str, Any] = {f"on_{name}": handled(name) for name in _HANDLED}
    found: Server[Any] = Server(NAME, version=version, instructions=INSTRUCTIONS, **answers)
    found.middleware.clear()  # it reports every request to whatever tracing the process has
    return found
