"""A browser without a screen: it asks the application of the pages as ASGI, without a socket.

Each request has the headers that a browser would send from a page of the server; a test forges them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

import anyio
import jinja2

from ledger.home import Home, discover
from memory.api import Memory
from rituals.serve.login_tokens import Access
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.server.web_app import app_of
from tests.conftest import NOW_MS

PORT, TOKEN = 7874, "a-token-of-a-test-that-is-long-enough-for-all"
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
Headers = Mapping[str, str | tuple[str, ...] | None]
#: The templates: each browser has an application of its own, which would compile them anew.
_TEMPLATES: dict[object, Any] = {}
_compile: Any = jinja2.Environment.compile


def _compile_once(environment: jinja2.Environment, *told: str) -> Any:
    if told not in _TEMPLATES:
        _TEMPLATES[told] = _compile(environment, *told)
    return _TEMPLATES[told]


jinja2.Environment.compile = _compile_once  # type: ignore[method-assign, assignment]


class Answer(NamedTuple):
    """What the server said; `headers` by their names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The page."""
        return self.body.decode()


class Client:
    """A browser of one application.

    Args:
        app: of ASGI.
        access: of the server.
    """

    def __init__(self, app: Any, access: Access) -> None:
        self.app, self.access, self.cookie = app, access, ""

    def get(self, address: str, headers: Headers | None = None, method: str = "GET") -> Answer:
        """Go to an address; a header is left out by None, sent twice by two values."""
        address = address.partition("#")[0]  # which no browser sends
        common = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}  # fmt: skip
        return self.send(method, address, b"", {**common, **(headers or {})})

    def post(self, address: str, fields: Any, headers: Headers | None = None) -> Answer:
        """Send a form: a mapping, pairs, or a body as it is; one that is kept is shown by its own page."""
        body = fields if isinstance(fields, bytes) else urlencode(fields, doseq=True).encode()
        common = {
            "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document",
            "origin": f"http://{self.access.hosts[0]}", "content-length": str(len(body)),
            "content-type": "application/x-www-form-urlencoded",
        }  # fmt: skip
        answer = self.send("POST", address, body, {**common, **(headers or {})})
        to = answer.headers.get("location", "")
        return self.get(to) if to.startswith("/draft/") else answer

    def send(self, method: str, address: str, body: bytes, headers: Headers) -> Answer:
        """Send a request."""
        head: Headers = {"host": self.access.hosts[0], "cookie": self.cookie or None, **headers}
        path, _, query = address.partition("?")
        pairs = [
            (name.encode(), one.encode("latin-1"))
            for name, value in head.items()
            if value is not None
            for one in ((value,) if isinstance(value, str) else value)
        ]
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(),
            "root_path": "", "headers": pairs, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", PORT),
        }  # fmt: skip
        said: list[Any] = []
        parts = [{"type": "http.request", "body": body}]

        async def receive() -> Any:
            return parts.pop() if parts else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            said.append(message)

        anyio.run(self.app, scope, receive, send)
        found = {
            name.decode().lower(): value.decode("latin-1") for name, value in said[0]["headers"]
        }
        return Answer(said[0]["status"], found, b"".join(one.get("body", b"") for one in said[1:]))

    def login(self) -> Client:
        """Exchange the token for the cookie."""
        answer = self.post("/login", {"t": self.access.token})
        assert answer.status == 303, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return self

    def form_token(self) -> str:
        """Return what a form of this session carries."""
        return self.access.form_token(self.cookie.partition("=")[2])


def client_of(
    path: str | Path,
    *,
    writes: bool = False,
    access: Access | None = None,
    open_memory: Callable[[Home], Memory] = lambda home: Memory(home, clock=lambda: NOW_MS),
    tell: Callable[[Exception], None] | None = None,
) -> Client:
    """Return a browser of the home at a path, before it has logged in."""
    access = access or Access(PORT, TOKEN, writes)
    opened = OpenMemory(lambda: discover(str(path)), open_memory)
    faults: list[Exception] = []
    return Client(app_of(opened, access, tell or faults.append), access)


def main_of(page: str) -> str:
    """Return the main part of a page."""
    return page.partition("<main")[2].partition("</main>")[0]


def titles(page: str) -> list[str]:
    """Return the headings of a page."""
    return re.findall(r"<h[12][^>]*>\s*(.*?)\s*</h[12]>", page, re.S)
