"""Run `diurna web`: show this memory as pages in a browser, or write them as a site."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ledger.environment import variables
from ledger.errors import DiurnaError, WrongUsage
from rituals.cli.context import Invocation
from rituals.cli.output import counted

#: Where it listens unless a port is named.
_PORT = 7874
#: So many pages of a site are worth a line where nobody sees a bar.
_PAGES = 1000


def web(
    call: Invocation, /, port: int, write: bool, no_open: bool, agent: str, **site: Any
) -> None:
    """Run `diurna web`."""
    export, base, dry_run = site["export"], site["base"], site["dry_run"]
    if export and (write or no_open or agent or port != _PORT):
        raise WrongUsage(
            "--port, --write, --no-open and --agent are of the server, and --export starts none",
            hint="diurna web --export DIR",
        )
    if base and not (export and base.startswith(("https://", "http://"))):
        raise WrongUsage(
            "--base is the address of a site that is exported",
            hint="diurna web --export DIR --base https://…",
        )
    if site["allow_shallow"] and not export:
        raise WrongUsage("--allow-shallow goes with --export", hint="diurna web --export DIR")
    if dry_run and not export:
        raise WrongUsage("--dry-run goes with --export", hint="diurna web --export DIR --dry-run")
    org = site["org"]
    if org and (write or agent or export):
        raise WrongUsage(
            "--org shows what others record, and records nothing", hint="diurna web --org"
        )
    if export:
        folder = os.path.normpath(os.path.join(call.folder(), export))
        write_site(call, folder, base, dry_run, shallow=site["allow_shallow"])
    else:
        serve(call, port, write, agent or call.agent, opens=not no_open, org=org)


def serve(
    call: Invocation, port: int, write: bool, agent: str, *, opens: bool, org: bool = False
) -> None:
    """Serve pages until a signal comes.

    The port is 0 for a free one. With `write` there are forms, and `agent` is who writes, "" for whom git
    names; `opens` opens a browser, where there is one and a person. With `org` the pages are of an
    organisation's ledgers.
    """
    _look_for("jinja2", "starlette", "uvicorn")
    from rituals.cli.exit_codes import translate
    from rituals.serve.web.server.browser import has_browser
    from rituals.serve.web.web_start import Setting, serve_org, serve_pages

    setting = Setting(
        call.find_home,
        agent,
        call.now_ms,
        lambda address, port: _announce(call, address, port, write, org),
        lambda problem: _tell(call, translate(problem, call).message),
        write,
        opens and not call.json and call.interactive() and has_browser(variables()),
    )
    if (serve_org if org else serve_pages)(setting, port) == signal.SIGINT:
        raise KeyboardInterrupt


def write_site(
    call: Invocation, folder: str, base: str, dry_run: bool, *, shallow: bool = False
) -> None:
    """Write the pages as a site, and say how many.

    The folder is absolute; `base` is where people will find it, "" for not said. With `shallow`
    the history may be cut.
    """
    _look_for("jinja2")
    from rituals.serve.web.export.site import apply_site, plan_site

    memory = call.memory()
    plan = plan_site(memory, folder, base, shallow=shallow)
    said = {"folder": plan.folder, "base": plan.base, "dry_run": dry_run, "pages": len(plan.pages)}
    if dry_run and call.json:
        return call.out.answer({**said, "removed": len(plan.removed)})
    if dry_run:
        gone = f", and remove {counted(len(plan.removed), 'file')}" * bool(plan.removed)
        return call.out.line(f"would write {counted(len(plan.pages), 'page')}{gone}: {plan.folder}")
    done = apply_site(plan, memory, _progress(call))
    if call.json:
        sizes = {"files": done.files, "bytes": done.bytes, "changed": done.changed}
        return call.out.answer({**said, **sizes, "removed": done.removed})
    gone = f", removed {done.removed}" * bool(done.removed)
    changed = "all as they were" if not done.changed else f"{done.changed} of them changed"
    files = f"{counted(done.pages, 'page')}, {counted(done.files, 'file')} in all"
    call.out.line(f"wrote {files}, {changed}{gone}: {plan.folder}")
    call.out.hint(f"open {plan.folder}/index.html")


def _progress(call: Invocation) -> Callable[[int, int], None]:
    """Return what tells how far an export is: drawn on a terminal, else a line for each thousand pages."""
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        call.out.progress(done, total)
        if done // _PAGES > told and not sys.stderr.isatty():
            told = done // _PAGES
            call.out.talk(f"diurna web: {done:,} of {total:,} pages", fixed=True)

    return tell


def _look_for(*libraries: str) -> None:
    """Refuse where a library of the extra is not installed."""
    if any(find_spec(name) is None for name in libraries):
        raise DiurnaError(
            "the pages need a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[web]', or pip install '.[web]'",
        )


def _announce(call: Invocation, address: str, port: int, writes: bool, org: bool) -> None:
    """Say where the pages are: the token in the address is no secret to whoever started this."""
    if call.json:
        call.out.answer({"address": address, "port": port, "writes": writes}, lines=False)
    else:
        call.out.talk(f"diurna web: {address}", fixed=True)
        forms = "its pages only show, --write adds forms; " if not (writes or org) else ""
        call.out.hint(f"{forms}Ctrl-C ends it")
    call.out.flush()


def _tell(call: Invocation, message: str) -> None:
    call.out.talk(f"diurna web: {message}")
    call.out.flush()
