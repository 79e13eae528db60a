"""Answer requests of the protocol, whatever the transport: all but the handshake, which `serve` gives.

The documents are the resource `diurna://continuity` and the prompt `session-start`, each quoted as data.

A request that fails is answered with a message and a hint; the server lives on. Whatever touches the
memory happens on the thread of `open_memory`, so a slow question delays no ping and no cancellation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ledger.errors import NotFound, WrongUsage
from rituals.serve.mcp.arguments import Caller, Tool, read, schema_of
from rituals.serve.mcp.tools import BY_NAME
from rituals.serve.mcp.wording import markdown, quoted, told, whole
from rituals.serve.open_memory import OpenMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from rituals.answers.record_fields import Failure

_NAME_CHARS, _URI_CHARS = 100, 200
_MARKDOWN, _CONTINUITY, _SESSION_START = "text/markdown", "diurna://continuity", "session-start"
_RECORD = (
    "When a piece of work is done, call the tool `append` once: what happened, the facts you learned, "
    "changed or found false, and those you relied on."
)
_CALLER_CHARS = 60


class Handlers:
    """Answers the requests of a client.

    Args:
        opened: where the memory is asked.
        explain: says what an exception means; one that nobody foresaw is logged by it.
        agent: who writes, "" for what the client calls itself.
        session: says the host session of the client, which another one may follow.
    """

    def __init__(
        self, opened: OpenMemory, explain: Callable[[Exception], Failure], agent: str = "",
        session: Callable[[], str] = str,
    ) -> None:  # fmt: skip
        self._opened, self._explain, self._agent, self._session = opened, explain, agent, session
        self._tools = types.ListToolsResult(tools=[_described(tool) for tool in BY_NAME.values()])

    async def list_tools(self, _: Any, _params: Any) -> types.ListToolsResult:
        """Say which tools there are; what the first question needs is loaded meanwhile."""
        self._opened.prepare()
        return self._tools

    async def call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Run a tool; what goes wrong is its answer.

        Raises:
            MCPError: there is no such tool.
        """
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise _invalid(f"there is no tool {params.name[:_NAME_CHARS]!r}", ", ".join(BY_NAME))
        who = self._caller(context)
        try:
            asked = dict(read(tool.takes, params.arguments or {}))
            ask = partial(self._opened.ask, writes=tool.writes)
            found = whole(await ask(lambda memory: tool.does(memory, who, **asked)))
        except Exception as problem:  # noqa: BLE001 - said to the client, each of them
            return _result(told(problem, self._explain(problem)), is_error=True)
        return _result(markdown(found), structured_content=found)  # some clients read text alone

    async def list_resources(self, _: Any, _params: Any) -> types.ListResourcesResult:
        """Say which documents there are."""
        page = types.Resource(
            uri=_CONTINUITY, name="continuity", description="All that holds now", mime_type=_MARKDOWN,
        )  # fmt: skip
        return types.ListResourcesResult(resources=[page])

    async def read_resource(
        self, _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Give a document.

        Raises:
            MCPError: the document can not be given.
        """
        uri = str(params.uri)
        if uri != _CONTINUITY:
            raise _invalid(f"there is no resource {uri[:_URI_CHARS]!r}", _CONTINUITY)
        text = await self._text(lambda memory: quoted(memory.continuity()))
        content = types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, _: Any, _params: Any) -> types.ListPromptsResult:
        """Say which prompts there are."""
        about = "What to know before starting, and how to record what you learn"
        task = types.PromptArgument(
            name="task", description="What you are about to do", required=False
        )
        start = types.Prompt(name=_SESSION_START, description=about, arguments=[task])
        return types.ListPromptsResult(prompts=[start])

    async def get_prompt(
        self, context: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Give the prompt `session-start`: the brief, and one sentence on how to record.

        Raises:
            MCPError: there is no such prompt, or it can not be given.
        """
        if params.name != _SESSION_START:
            raise _invalid(f"there is no prompt {params.name[:_NAME_CHARS]!r}", _SESSION_START)
        who, tool = self._caller(context), BY_NAME["brief"]

        def brief(memory: Memory) -> str:
            asked = dict(read(tool.takes, params.arguments or {}))
            return f"{tool.does(memory, who, **asked)['text'].rstrip()}\n\n{_RECORD}\n"

        text = await self._text(brief)
        message = types.PromptMessage(
            role="user", content=types.TextContent(type="text", text=text)
        )
        return types.GetPromptResult(messages=[message])

    async def _text(self, question: Callable[[Memory], str]) -> str:
        try:
            found: str = whole(await self._opened.ask(question))
        except Exception as problem:  # noqa: BLE001 - said to the client, each of them
            asked = isinstance(problem, NotFound | WrongUsage)
            code = types.INVALID_PARAMS if asked else types.INTERNAL_ERROR
            raise MCPError(code=code, message=told(problem, self._explain(problem))) from None
        return found

    def _caller(self, context: Any) -> Caller:
        """Say who calls: the agent that was named to the server, else what the client calls itself."""
        params = context.session.client_params
        name = plain_name(params.client_info.name if params else "")
        agent = self._agent or name
        return Caller(agent, name if name != agent else "", self._session())


def plain_name(said: str) -> str:
    """Make a name that can stand in a log's header: a few plain characters on one line."""
    kept = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else " " for one in said
    )
    return " ".join(kept.split())[:_CALLER_CHARS].strip(" .-")


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name, description=tool.description,
        input_schema=schema_of(tool.takes),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False,
            idempotent_hint=True,  # a retry is answered "already", as on the command line
        ),
    )  # fmt: skip


def _result(said: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], **more)


def _invalid(message: str, names: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=f"{message}\nhint: one of {names}")
