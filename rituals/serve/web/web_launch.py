"""Start the server of pages from the command line, and come back when it has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path

from ledger.errors import DiurnaError
from ledger.home import Home
from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from rituals.serve.login_tokens import Access
    from rituals.serve.loopback import App


class Setting(Record):
    """What a server is started with."""

    find: Callable[[], Home]  #: finds the home where the server was started, or that was named
    agent: str  #: who writes, "" for whom git names
    clock: Callable[[], int]  #: gives milliseconds since 1970
    announce: Callable[[str, int], None]  #: says the address and the port to whoever started it
    tell: Callable[[Exception], None]  #: says a fault of ours to them
    writes: bool = False  #: whether pages have forms that record something
    opens: bool = False  #: whether to open a browser


def serve_pages(setting: Setting, port: int) -> int:
    """Serve the browsers of this machine; return the signal that ended it.

    Port 0 is for a free one.

    Raises:
        HomeNotFound: there is none.
        DiurnaError: the port can not be had.
    """
    home = setting.find()
    from memory import Memory
    from rituals.serve.login_tokens import home_key
    from rituals.serve.open_memory import OpenMemory
    from rituals.serve.web.server.web_app import app_of

    opened = OpenMemory(
        setting.find, lambda home: Memory(home, agent=setting.agent, clock=setting.clock)
    )
    try:
        return _served(
            setting, port, home_key(home, b"web session"), home.state_dir,
            lambda access: app_of(opened, access, setting.tell),
        )  # fmt: skip
    finally:
        opened.close()


def serve_org(setting: Setting, port: int) -> int:
    """Serve the search over an organisation's ledgers, as whom $DIURNA_ORG lets in; see `serve_pages`."""
    from ledger.environment import data_folder
    from rituals.org.org_search import Asker
    from rituals.serve.open_memory import Worker
    from rituals.serve.web.server.web_app import org_app_of

    asker, worker = Asker(), Worker("diurna-org")
    asker.open()
    asker.close()
    try:
        return _served(
            setting, port, "", data_folder(),
            lambda access: org_app_of(asker, worker, access, setting.tell),
        )  # fmt: skip
    finally:
        worker.end(asker.close)


def _served(
    setting: Setting, port: int, key: str, state_dir: str, app_of: Callable[[Access], App]
) -> int:
    import asyncio

    from rituals.serve.login_tokens import Access, new_token
    from rituals.serve.loopback import listen, serve
    from rituals.serve.open_memory import settle

    with listen(port) as listening:
        settle("web")
        access = Access(listening.getsockname()[1], new_token(), setting.writes, key)
        app = app_of(access)
        setting.announce(access.login, access.port)
        path = os.path.join(state_dir, f"web-{access.port}.html")
        with opening(access.login, path) if setting.opens else nullcontext():
            return asyncio.run(serve(app, listening))


#: Without one of these a browser of the terminal would be found, if any.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
_LEADING_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Diurna</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url={0}">
<p><a href="{0}">Open this memory</a></p></html>
"""


def has_browser(environment: Mapping[str, str]) -> bool:
    """Tell whether a browser with windows can be there."""
    return sys.platform == "darwin" or any(environment.get(name) for name in _DISPLAYS)


@contextmanager
def opening(address: str, path: str) -> Iterator[None]:
    """Start a browser, and wait for nothing; where it can not be, the terminal has the address.

    A file of this user leads it on to the address, which has the token; it goes with what it leads to.
    """
    from ledger.wal.atomic_files import make_folder, replace_file, try_unlink

    try:
        with suppress(OSError, DiurnaError):
            make_folder(os.path.dirname(path))
            replace_file(path, _LEADING_PAGE.format(escape(address)).encode(), 0o600)
            subprocess.Popen(  # noqa: S603 - our own interpreter, and a path of ours
                [sys.executable, "-P", "-m", "webbrowser", Path(path).absolute().as_uri()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        yield
    finally:
        try_unlink(path)
