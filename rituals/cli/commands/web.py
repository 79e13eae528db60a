"""Run `diurna web`: show this memory as pages in a browser."""

from __future__ import annotations

import signal
from importlib.util import find_spec

import click

from ledger.errors import DiurnaError
from rituals.cli import options
from rituals.cli.context import Invocation

#: Where it listens unless a port is named.
_PORT = 7874


@click.command("web")
@click.option("--port", default=_PORT, show_default=True, type=click.IntRange(0, 65535),
              help="Listen there, on 127.0.0.1; 0 for a free port.")  # fmt: skip
@click.option("--write", is_flag=True, help="With forms: confirm, resolve, archive and the like.")
@options.command
def command(call: Invocation, port: int, write: bool) -> None:
    """Show this memory as pages in a browser: what holds, why, what is to be decided.

    \b
    Example:
      diurna web --write
    """
    from rituals.serve.web.start import Setting, serve_pages

    if find_spec("jinja2") is None or find_spec("starlette") is None:
        raise DiurnaError(
            "the pages need a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[web]', or pip install '.[web]'",
        )
    from rituals.cli.errors import translate

    setting = Setting(
        call.find_home,
        call.agent,
        call.now_ms,
        lambda line: _announce(call, line),
        write,
        lambda problem: _announce(call, translate(problem, call).message),
    )
    if serve_pages(setting, port) == signal.SIGINT:
        raise KeyboardInterrupt


def _announce(call: Invocation, line: str) -> None:
    call.out.talk(f"diurna web: {line}")
    call.out.flush()
