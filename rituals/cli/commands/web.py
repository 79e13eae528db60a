"""Run `diurna web`: show this memory as pages in a browser."""

from __future__ import annotations

import signal
from importlib.util import find_spec

import click

from ledger.environment import variables
from ledger.errors import DiurnaError
from rituals.cli import options
from rituals.cli.context import Invocation

#: Where it listens unless a port is named.
_PORT = 7874


@click.command("web")
@click.option("--port", default=_PORT, show_default=True, type=click.IntRange(0, 65535),
              help="Listen there, on 127.0.0.1; 0 for a free port.")  # fmt: skip
@click.option("--write", is_flag=True, help="With forms: confirm, resolve, archive and the like.")
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.option("--agent", default="", metavar="NAME",
              help="Who writes; else $DIURNA_AGENT, else whom git names.")  # fmt: skip
@options.command
def command(call: Invocation, port: int, write: bool, no_open: bool, agent: str) -> None:
    """Show this memory as pages in a browser: what holds, why, what is to be decided.

    The address that it prints opens the memory to whoever has it, on this machine alone, until the
    server ends. It needs the extra `web`: `pip install '.[web]'` in a clone of Diurna's repository.

    \b
    Examples:
      diurna web
      diurna web --write --port 0
    """
    from rituals.cli.errors import translate
    from rituals.serve.web.server.browser import has_browser
    from rituals.serve.web.start import Setting, serve_pages

    _look_for("jinja2", "starlette", "uvicorn")
    setting = Setting(
        call.find_home,
        agent or call.agent,
        call.now_ms,
        lambda address, port: _announce(call, address, port, write),
        lambda problem: _tell(call, translate(problem, call).message),
        write,
        not (no_open or call.json) and call.interactive() and has_browser(variables()),
    )
    if serve_pages(setting, port) == signal.SIGINT:
        raise KeyboardInterrupt


def _look_for(*libraries: str) -> None:
    """Refuse where a library of the extra is not installed."""
    if any(find_spec(name) is None for name in libraries):
        raise DiurnaError(
            "the pages need a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[web]', or pip install '.[web]'",
        )


def _announce(call: Invocation, address: str, port: int, writes: bool) -> None:
    """Say where the pages are: the token in the address is no secret to whoever started this."""
    if call.json:
        call.out.answer({"address": address, "port": port, "writes": writes}, lines=False)
    else:
        call.out.talk(f"diurna web: {address}", fixed=True)
        forms = "its pages only show, --write adds forms; " if not writes else ""
        call.out.hint(f"{forms}Ctrl-C ends it")
    call.out.flush()


def _tell(call: Invocation, message: str) -> None:
    call.out.talk(f"diurna web: {message}")
    call.out.flush()
