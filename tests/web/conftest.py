"""What tests of pages stand on: a browser, homes, a server of each, and a site of each.

`page` is a page of a browser whose console has to stay silent. `server(home)` is a process of `diurna web`
on a free port: `served.open(page)` logs in; with `write=True` it has the home to itself. `site(home)` is an
export: `by_file` and `by_http` are where it lies. Homes are made once, `tests.web.homes` says how.

`page.wait_for_function` fails under the policy of our pages, which allows no evaluated script:
`expect(page.locator(…))` waits as well. Playwright keeps an event loop in the thread that it was started
in, where others could start none: so the browser ends with the last test of this folder.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rituals.serve.web.site import export_site
from tests.campaigns import forks
from tests.processor_time import of_no_item
from tests.web import homes
from tests.web.looking import apart

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, StorageState

ROOT = Path(__file__).resolve().parents[2]
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_NO_BROWSER = (
    "no Chromium: as root, apt-get update && apt-get install -y --no-install-recommends chromium "
    "fonts-dejavu-core; or say in DIURNA_CHROMIUM where one is"
)
_NO_DRIVER = "no playwright: pip install -e '.[dev]'"
#: Until a server says where it listens.
_LIMIT_SECONDS = 60.0
#: Until a page shows what is expected of it: a loaded machine is no fault of a page.
_PATIENCE_MS = 45_000
#: Read before the tests take it out of the environment (`tests/conftest.py`).
_CHROMIUM = os.environ.get("DIURNA_CHROMIUM", "")


def chromium() -> str:
    """Return where a browser is, "" for nowhere."""
    return _CHROMIUM or next(filter(None, map(shutil.which, _NAMES)), "")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser, one for all tests of this folder that a worker runs."""
    driver = pytest.importorskip("playwright.sync_api", reason=_NO_DRIVER)
    if not chromium():
        pytest.skip(_NO_BROWSER)
    driver.expect.set_options(timeout=_PATIENCE_MS)
    started = driver.sync_playwright().start()
    found = started.chromium.launch(
        executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else []
    )
    yield found
    with of_no_item():  # what a browser took is seen when it ends
        found.close()
        started.stop()


class Console:
    """What a page said to the console, and what went wrong in it.

    Args:
        context: whose pages are heard.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.said: list[str] = []
        context.on("console", lambda one: self._hear(one.type, one.text))
        context.on("weberror", lambda one: self.said.append(str(one.error)))

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(text)

    def clear(self) -> list[str]:
        """Return what was said, and forget it."""
        said, self.said[:] = list(self.said), []
        return said


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile of its own for each test: no cookie of another one."""
    made = browser.new_context(viewport={"width": 1280, "height": 860})
    made.set_default_timeout(_PATIENCE_MS)
    yield made
    made.close()


@pytest.fixture
def console(context: BrowserContext) -> Iterator[Console]:
    """What was said so far; whoever means to make a noise clears it, all else fails the test at its end."""
    heard = Console(context)
    yield heard
    assert not heard.said, heard.said


@pytest.fixture
def page(context: BrowserContext, console: Console) -> Page:
    """A page that says nothing to the console."""
    return context.new_page()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a home by its name; made by the first worker that asks for it."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "homes"

    def of(name: str) -> Path:
        if not homes.made(name):
            pytest.skip("the shared ledgers are not here")
        folder = shared / name / "one"
        with _Alone(shared, name):
            done = folder.parent / "made"
            if not done.exists():
                homes.laid(name, folder)
                done.touch()
        return folder

    return of


class _Alone:
    """One worker at a time.

    Args:
        folder: where its lock is.
        name: of the lock.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / f"{name}.lock").open("a")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *error: object) -> None:
        self._file.close()


class Served:
    """A server of a home.

    Args:
        folder: the home.
        write: whether its pages have forms.
        port: where it listens, 0 for a free one.
    """

    def __init__(self, folder: Path, write: bool, port: int = 0) -> None:
        self.folder, self.write = folder, write
        self._login: StorageState | None = None
        self._process = forks.Forked(
            ["-m", "rituals", "web", "--port", str(port), "--no-open", *["--write"] * write, "--home", str(folder)],
            folder, {**os.environ, "PYTHONUNBUFFERED": "1"}, loaded=forks.WEB,
        )  # fmt: skip
        #: as it is announced: with the token behind `#`
        self.announced = self._announced()
        self.address = re.match(r"http://[^/]+", self.announced)[0]  # type: ignore[index]

    def _announced(self) -> str:
        """Wait for the line that says where it listens."""
        said, until = b"", time.monotonic() + _LIMIT_SECONDS
        while time.monotonic() < until:
            if select.select([self._process.stderr], [], [], 1.0)[0]:
                more = os.read(self._process.stderr.fileno(), 4096)
                said += more
                found = re.search(rb"(http://\S+)\s", said)
                if found:
                    return found[1].decode()
                if not more:
                    break
        self.stop()
        raise AssertionError(f"the server said {said.decode(errors='replace')!r}")

    def open(self, page: Page, address: str = "/") -> None:
        """Log in, once for all pages of a profile, and go to an address of ours, from its `/` on."""
        if self._login is None:
            page.goto(self.announced)
            page.wait_for_url(f"{self.address}/")
            self._login = page.context.storage_state()
        else:
            page.context.add_cookies(self._login["cookies"])  # type: ignore[arg-type]
        if address != "/" or page.url != f"{self.address}/":
            page.goto(self.address + address)
        page.locator("[data-working]").wait_for(state="detached")  # what is slow comes by itself

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except TimeoutError:
            self._process.kill()
        self._process.communicate()


Server = Callable[..., Served]


@pytest.fixture(scope="session")
def readers(home: Callable[[str], Path]) -> Iterator[Callable[[str], Served]]:
    """Servers that write nothing, one a home."""
    running = {"plain": Served(home("plain"), write=False)}

    def of(name: str) -> Served:
        if name not in running:
            running[name] = Served(home(name), write=False)
        return running[name]

    yield of
    for one in running.values():
        one.stop()


@pytest.fixture
def server(
    home: Callable[[str], Path], readers: Callable[[str], Served], tmp_path: Path
) -> Iterator[Server]:
    """Return a server of a home: `server("plain")`, or with a copy of its own `server("plain", write=True)`.

    What appends beside it takes `own=True`: a copy that nobody else looks at.
    """
    mine: list[Served] = []

    def of(name: str, *, write: bool = False, own: bool = False) -> Served:
        if not write and not own:
            return readers(name)
        folder = tmp_path / f"{name}-{len(mine)}"
        shutil.copytree(home(name), folder, symlinks=True)
        mine.append(Served(folder, write))
        return mine[-1]

    yield of
    for one in mine:
        one.stop()


class Site:
    """An export, and where a browser finds it.

    Args:
        folder: where it is written.
        http: of the server whose sub-path `/shop/` it is.
    """

    def __init__(self, folder: Path, http: str) -> None:
        self.folder = folder
        self.by_file = folder.as_uri() + "/"
        self.by_http = f"{http}/{folder.parent.name}/{folder.name}/"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files as any forge does, and reports nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site(
    home: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Site]]:
    """Return the site of a home, exported once by each worker that looks at it."""
    base = tmp_path_factory.mktemp("sites")
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(base)))
    threading.Thread(target=http.serve_forever, daemon=True).start()
    made: dict[str, Site] = {}

    def of(name: str) -> Site:
        if name not in made:
            folder = base / name / "pages"
            folder.parent.mkdir()
            apart(home(name), lambda memory: export_site(memory, str(folder)))
            made[name] = Site(folder, f"http://127.0.0.1:{http.server_address[1]}")
        return made[name]

    yield of
    http.shutdown()
    http.server_close()
