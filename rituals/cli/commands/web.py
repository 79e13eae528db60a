"""Run `diurna web`: show this memory as pages in a browser."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec

import click

from ledger.environment import variables
from ledger.errors import DiurnaError, WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted

#: Where it listens unless a port is named.
_PORT = 7874


@click.command("web")
@click.option("--port", default=_PORT, show_default=True, type=click.IntRange(0, 65535),
              help="Listen there, on 127.0.0.1; 0 for a free port.")  # fmt: skip
@click.option("--write", is_flag=True, help="With forms: confirm, resolve, archive and the like.")
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.option("--agent", default="", metavar="NAME",
              help="Who writes; else $DIURNA_AGENT, else whom git names.")  # fmt: skip
@click.option(
    "--export", metavar="DIR", default="", help="Write the same pages as a site into a folder."
)
@click.option(
    "--base", metavar="URL", default="", help="With --export: where the site will be found."
)
@options.command
def command(
    call: Invocation, port: int, write: bool, no_open: bool, agent: str, export: str, base: str
) -> None:
    """Show this memory as pages in a browser: what holds, why, what is to be decided.

    The address that it prints opens the memory to whoever has it, on this machine alone, until the
    server ends. A site needs no server: `--export` writes it for a forge's pages, or to be opened from the
    disk; what is withheld, and what is only yours, is not in it. Both need the extra `web`:
    `pip install '.[web]'` in a clone of Diurna's repository.

    \b
    Examples:
      diurna web
      diurna web --write --port 0
      diurna web --export ../site
    """
    served = write or no_open or agent or port != _PORT
    if export and served:
        raise WrongUsage(
            "--port, --write, --no-open and --agent are of the server, and --export starts none",
            hint="diurna web --export DIR",
        )
    if base and not (export and base.startswith(("https://", "http://"))):
        raise WrongUsage(
            "--base is the address of a site that is exported",
            hint="diurna web --export DIR --base https://…",
        )
    if export:
        _look_for("jinja2")
        _write(call, os.path.normpath(os.path.join(call.folder(), export)), base)
    else:
        _look_for("jinja2", "starlette", "uvicorn")
        _serve(call, port, write, no_open, agent)


def _serve(call: Invocation, port: int, write: bool, no_open: bool, agent: str) -> None:
    from rituals.cli.errors import translate
    from rituals.serve.web.server.browser import has_browser
    from rituals.serve.web.start import Setting, serve_pages

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


def _write(call: Invocation, folder: str, base: str) -> None:
    from rituals.serve.web.export.site import apply_site, plan_site

    memory = call.memory()
    plan = plan_site(memory, folder, base)
    done = apply_site(plan, memory, call.out.progress)
    if call.json:
        said = {"folder": plan.folder, "base": plan.base, "pages": done.pages, "files": done.files}
        call.out.answer(
            {**said, "bytes": done.bytes, "changed": done.changed, "removed": done.removed}
        )
        return
    gone = f", removed {done.removed}" * bool(done.removed)
    changed = "all as they were" if not done.changed else f"{done.changed} of them changed"
    files = f"{counted(done.pages, 'page')}, {counted(done.files, 'file')} in all"
    call.out.line(f"wrote {files}, {changed}{gone}: {plan.folder}")
    call.out.hint(f"open {plan.folder}/index.html")


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
