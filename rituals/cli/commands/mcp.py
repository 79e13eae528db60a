"""Run `diurna mcp`: serve this memory to agents, by the Model Context Protocol."""

from __future__ import annotations

import signal
from importlib.util import find_spec

import click

from ledger.environment import variables
from ledger.errors import DiurnaError
from rituals.cli import options
from rituals.cli.context import Invocation

#: Where it listens unless a port is named.
_PORT = 7873


@click.command("mcp")
@click.option("--http", is_flag=False, flag_value=_PORT, default=None, metavar="[PORT]",
              type=click.IntRange(0, 65535),
              help=f"Listen on 127.0.0.1; port {_PORT} unless named, 0 for a free one.")  # fmt: skip
@click.option("--agent", default="", metavar="NAME",
              help="Who writes; else $DIURNA_AGENT, else what the client calls itself.")  # fmt: skip
@options.command
def command(call: Invocation, http: int | None, agent: str) -> None:
    """Serve this memory to agents, by the Model Context Protocol.

    A client starts it and talks to it over standard input and output. The home is that of the
    folder it is started in, or --home; no client can name another. Where there is none yet, each
    tool says so. It needs the extra `mcp`: `pip install '.[mcp]'` in a clone of Diurna's
    repository.

    \b
    Examples:
      diurna mcp --http
      claude mcp add diurna -- diurna mcp
      codex mcp add diurna -- diurna mcp
    """
    from rituals.cli.error_messages import translate
    from rituals.serve.mcp.mcp_start import Setting, serve_http, serve_wire

    if find_spec("mcp_types") is None:  # that of the second generation of the SDK
        raise DiurnaError(
            "the MCP server needs a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[mcp]', or pip install '.[mcp]'",
        )
    setting = Setting(
        call.find_home,
        agent or call.agent,
        _session,
        call.now_ms,
        lambda problem: translate(problem, call),
        lambda line: _announce(call, line),
    )
    ended = serve_wire(setting) if http is None else serve_http(setting, http)
    if ended == signal.SIGINT:
        raise KeyboardInterrupt


def _session() -> str:
    from memory.write.host_session import host_session

    return host_session(variables())


def _announce(call: Invocation, line: str) -> None:
    call.out.talk(f"diurna mcp: {line}")
    call.out.flush()
