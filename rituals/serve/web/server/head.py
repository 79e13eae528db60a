"""Read the head of a request, and answer with a sentence where there is no page to answer with."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from rituals.serve.request_limits import Message, Send

LOGIN, STATIC = "/login", "/static/"


class Head:
    """The head of a request.

    Args:
        scope: of ASGI.
    """

    def __init__(self, scope: Message) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        query = scope.get("query_string", b"").decode("latin-1")
        raw = scope.get("raw_path") or quote(self.path).encode()
        self.target: str = raw.decode("latin-1") + (f"?{query}" if query else "")
        self._headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            found = self._headers.setdefault(name.decode("latin-1").lower(), [])
            found.append(value.decode("latin-1").strip())

    @property
    def is_open(self) -> bool:
        """Whether it asks for what is no part of the memory: the login, style and script."""
        return self.path == LOGIN or (self.path.startswith(STATIC) and self.method != "POST")

    @property
    def is_foreign(self) -> bool:
        """Whether a link on another site's page was followed: nothing here is shown to that click."""
        return (
            self.one("sec-fetch-site") in ("cross-site", "same-site")
            and self.one("sec-fetch-mode") == "navigate"
            and self.one("sec-fetch-dest") in ("", "document")
        )

    def one(self, name: str) -> str:
        """Return the value of a header, "" where it is not there."""
        return self._headers.get(name, [""])[0]

    def has(self, *names: str) -> bool:
        """Tell whether one of several headers is there."""
        return any(name in self._headers for name in names)

    def twice(self, names: Sequence[str]) -> str:
        """Return a header that is there more than once, "" for none."""
        return next((name for name in names if len(self._headers.get(name, ())) > 1), "")

    def cookies(self, name: str) -> list[str]:
        """Return all values of a cookie: several paths and servers may have set one."""
        pairs = (
            pair.partition("=")
            for line in self._headers.get("cookie", ())
            for pair in line.split(";")
        )
        return [value.strip() for key, _, value in pairs if key.strip() == name]


class Refusal:
    """An answer without a page.

    Args:
        status: of HTTP.
        said: why.
        headers: beside its own.
    """

    def __init__(self, status: int, said: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.status, self.said, self.headers = status, said, headers

    async def send(self, send: Send) -> None:
        """Send it; what the client sends beside it is not read."""
        body = f"{self.said}\n".encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        headers += [(b"content-length", str(len(body)).encode())]
        headers += [(name.encode(), value.encode()) for name, value in self.headers]
        if self.status != 303:
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
