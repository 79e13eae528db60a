"""Answer requests of the protocol, whatever the transport: all but the handshake, which `serve` gives.

A request that fails is answered with a message and a hint; the server lives on. Whatever touches the
memory happens on the thread of `open_memory`, so a slow question delays no ping and no cancellation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ledger.model.sha256 import sha256
from rituals.serve.mcp import documents
from rituals.serve.mcp.arguments import Caller, Tool, read, schema_of
from rituals.serve.mcp.tools import BY_NAME
from rituals.serve.mcp.wording import markdown, told, whole
from rituals.serve.open_memory import OpenMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.answers.record_fields import Failure

_NAME_CHARS = 100
_CONNECTION, _CONNECTION_CHARS, _CALLER_CHARS = "mcp-session-id", 32, 60


class Handlers:
    """Answers the requests of all clients.

    Args:
        opened: where the memory is asked.
        explain: says what an exception means; one that nobody foresaw is logged by it.
        agent: who writes, "" for what the client calls itself.
        session: says the host session of the one client, which another one may follow; "" over HTTP, where
            each connection is one.
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
            asked = read(tool.takes, params.arguments or {})
            found = whole(
                await self._opened.ask(
                    lambda memory: tool.run(memory, asked, who), writes=tool.writes
                )
            )
        except Exception as problem:  # noqa: BLE001 - said to the client, each of them
            return _result(told(self._explain(problem)), is_error=True)
        return _result(markdown(found), structured_content=found)  # some clients read text alone

    async def list_resources(self, _: Any, _params: Any) -> types.ListResourcesResult:
        """Say which documents there are."""
        page = types.Resource(
            uri=documents.CONTINUITY, name="continuity", description="All that holds now",
            mime_type=documents.MARKDOWN,
        )  # fmt: skip
        return types.ListResourcesResult(resources=[page])

    async def list_resource_templates(
        self, _: Any, _params: Any
    ) -> types.ListResourceTemplatesResult:
        """Say how documents of many are addressed."""
        fact = types.ResourceTemplate(
            uri_template=documents.FACT + "{id}", name="fact",
            description="One fact, whatever its tier", mime_type=documents.MARKDOWN,
        )  # fmt: skip
        return types.ListResourceTemplatesResult(resource_templates=[fact])

    async def read_resource(
        self, _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Give a document.

        Raises:
            MCPError: the document can not be given.
        """
        uri = str(params.uri)
        text = await self._text(lambda: documents.question(uri))
        content = types.TextResourceContents(uri=uri, mime_type=documents.MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, _: Any, _params: Any) -> types.ListPromptsResult:
        """Say which prompts there are."""
        about = "What to know before starting, and how to record what you learn"
        task = types.PromptArgument(
            name="task", description="What you are about to do", required=False
        )
        start = types.Prompt(name=documents.SESSION_START, description=about, arguments=[task])
        return types.ListPromptsResult(prompts=[start])

    async def get_prompt(
        self, context: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Give the prompt `session-start`.

        Raises:
            MCPError: there is no such prompt, or it can not be given.
        """
        if params.name != documents.SESSION_START:
            said = f"there is no prompt {params.name[:_NAME_CHARS]!r}"
            raise _invalid(said, documents.SESSION_START)
        who = self._caller(context)
        text = await self._text(lambda: documents.session_start(params.arguments or {}, who))
        message = types.PromptMessage(
            role="user", content=types.TextContent(type="text", text=text)
        )
        return types.GetPromptResult(messages=[message])

    async def _text(self, request: Callable[[], documents.Question]) -> str:
        try:
            found: str = whole(await self._opened.ask(request()))
        except Exception as problem:  # noqa: BLE001 - said to the client, each of them
            asked = isinstance(problem, documents.REFUSALS)
            code = types.INVALID_PARAMS if asked else types.INTERNAL_ERROR
            raise MCPError(code=code, message=told(self._explain(problem))) from None
        return found

    def _caller(self, context: Any) -> Caller:
        params = context.session.client_params
        name = params.client_info.name if params else ""
        return caller(self._agent, name, self._session() or _connection(context.request))


def caller(agent: str, client: str, session: str = "") -> Caller:
    """Say who calls.

    `agent` is the name that was given to the server, "" for none; `client` is what the client calls
    itself, and may be anything; `session` is of the connection, "" for none.
    """
    name = plain_name(client)
    return Caller(agent or name, name if agent and name != agent else "", session)


def plain_name(said: str) -> str:
    """Make a name that can stand in a log's header: a few plain characters on one line."""
    kept = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else " " for one in said
    )
    return " ".join(kept.split())[:_CALLER_CHARS].strip(" .-")


def _connection(request: Any) -> str:
    """Name the connection of an HTTP request; "" where the client keeps none.

    By a hash: whoever knows the id itself can speak for that client.
    """
    known = request.headers.get(_CONNECTION, "") if request is not None else ""
    return sha256(known.encode()).hexdigest()[:_CONNECTION_CHARS] if known else ""


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
