"""The SDK's own client, connected to a server of ours in this process."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import mcp_types as types
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from ledger.home import Home, discover
from memory.api import Memory
from rituals.cli.context import Invocation
from rituals.cli.exit_codes import translate
from rituals.cli.operation import ENTRIES
from rituals.serve.mcp.serve import Conversation
from rituals.serve.open_memory import OpenMemory
from tests.conftest import NOW_MS, Repo

#: Long enough for a machine that does other things, too.
SECONDS = 60
#: What a server has loaded that serves already: a process that is forked has it at once.
LOADED = ("rituals.serve.mcp.serve", "rituals.serve.mcp.handlers")
NAMES = (
    "brief", "recall", "get", "why", "note", "append", "resolve", "task", "status",
)  # fmt: skip
#: Of names, descriptions and input schemas as JSON: what an agent reads in every session. About 1,600
#: tokens at most.
LIST_CHARS = 6_200
Opener = Callable[[Home], Memory]
Story = Callable[[Client], Awaitable[None]]


def explain(problem: Exception) -> Any:
    call = Invocation([])
    call.command = "mcp"
    return translate(problem, call)


def open_home(home: Home) -> Memory:
    return Memory(home, clock=lambda: NOW_MS)


@asynccontextmanager
async def connected(
    path: Path, open_memory: Opener, agent: str = "", name: str = "a-client", mode: str = "auto",
    session: str = "",
) -> AsyncIterator[Client]:  # fmt: skip
    """A client of a server of one home, in this process."""
    opened = OpenMemory(lambda: discover(str(path)), open_memory)
    loop = asyncio.get_running_loop()

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        answer, answers = anyio.create_memory_object_stream[Any](math.inf)
        ask, asked = anyio.create_memory_object_stream[Any]()

        def write(message: Any) -> None:
            read = jsonrpc_message_adapter.validate_json(json.dumps(message))
            loop.call_soon_threadsafe(answer.send_nowait, SessionMessage(read))

        async def serve() -> None:
            talk = Conversation(opened, explain, write, agent, lambda: session)
            async for one in asked:
                talk.take(one.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            yield answers, ask
            tasks.cancel_scope.cancel()

    info = types.Implementation(name=name, version="7")
    with anyio.fail_after(SECONDS):
        async with Client(transport(), client_info=info, mode=mode) as client:
            yield client
        assert opened.close()


@pytest.fixture
def tell(repo: Repo) -> Callable[..., None]:
    """Run a story between a client and a server of the home in `repo`."""

    def tell(story: Story, open_memory: Opener = open_home, **more: str) -> None:
        async def run() -> None:
            async with connected(repo.path, open_memory, **more) as client:
                await story(client)

        anyio.run(run)

    return tell


Tell = Callable[..., None]


def by_hand(stem: str, data: bytes) -> None:
    """Commit a log as other tools write them."""
    path = Path("memory/sessions", stem[:7], stem[8:10], stem + ".md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    Repo(Path.cwd()).git("add", "-A")
    Repo(Path.cwd()).git("commit", "-q", "-m", "a log written by hand")


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


#: A command with its name, or an option: a client has none of them.
COMMAND_LINE = re.compile(
    rf"\bdiurna (?:{'|'.join(entry.name for entry in ENTRIES)})\b|(?:^|[\s`(\"'])--[a-z]",
    re.MULTILINE,
)


async def ask(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool that answers; what its objects say stands in the text, and all that is quoted is marked."""
    result = await client.call_tool(tool, dict(arguments))
    text = text_of(result)
    assert not result.is_error, text
    found: dict[str, Any] = result.structured_content
    for key, value in found.items():
        for one in value if isinstance(value, list) else [value]:
            words = one.values() if isinstance(one, dict) else [one]
            assert all(word in text for word in words if isinstance(word, str) and key != "notice")
    assert text.startswith("What stands between the two tags") is (
        tool == "brief" or "notice" in found
    )
    for one in found.get("findings", ()):
        assert not COMMAND_LINE.search(f"{one['message']}\n{one.get('hint', '')}"), one
    return found


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool that refuses; return what it says."""
    result = await client.call_tool(tool, dict(arguments))
    said = text_of(result)
    assert result.is_error, said
    assert "Traceback" not in said
    assert not COMMAND_LINE.search(said), said
    return said
