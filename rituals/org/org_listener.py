"""Hear of pushes by forges' webhooks, and show figures: what `diurna org work --listen` serves.

A webhook is signed, and its body only says which ledger is to be looked at; everything is fetched. Whether
there is such a ledger is not told.
"""

from __future__ import annotations

import hmac
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from ledger.environment import variables
from ledger.errors import WrongUsage
from rituals.org.org_database import WORKER, DatabaseFailed, connect, told
from rituals.org.org_jobs import wish
from rituals.org.org_status import figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rituals.org.org_database import Connection

#: Of the key that forges sign with (GitHub, Gitea, Forgejo), or send as it is (GitLab).
SECRET = "DIURNA_ORG_HOOK_SECRET"  # noqa: S105 - the name of a variable
_BODY_BYTES = 1 << 20
_SECONDS = 10.0
_KEYS = (
    "clone_url", "ssh_url", "git_url", "html_url", "git_http_url", "git_ssh_url", "http_url",
)  # fmt: skip


def place_in(listen: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`.

    Raises:
        WrongUsage: it is neither.
    """
    host, colon, port = listen.rpartition(":")
    if not (colon and host and port.isdigit() and int(port) < 1 << 16):
        raise WrongUsage(
            f"{listen!r} is no HOST:PORT", where="--listen", hint="--listen 127.0.0.1:7875"
        )
    return host.strip("[]"), int(port)


def serve(where: str, listen: str) -> None:
    """Answer requests until the process is ended; the database is opened for each."""
    key = variables().get(SECRET, "").encode()

    class Handler(BaseHTTPRequestHandler):
        """One request."""

        timeout = _SECONDS
        server_version = sys_version = ""

        def do_GET(self) -> None:
            """Show figures."""
            if self.path != "/metrics":
                return self._answer(404)
            try:
                with connect(where, WORKER) as base, told():
                    text = figures(base)
            except DatabaseFailed:
                return self._answer(503)
            self._answer(200, text.encode())

        def do_POST(self) -> None:
            """Hear of a push."""
            size = self.headers.get("Content-Length", "")
            if self.path != "/push" or not size.isdigit() or int(size) > _BODY_BYTES:
                return self._answer(404)
            body = self.rfile.read(int(size))
            if not is_signed(key, body, dict(self.headers)):
                return self._answer(403)
            try:
                with connect(where, WORKER) as base, told():
                    pushed(base, body)
            except DatabaseFailed:
                return self._answer(503)
            self._answer(204)

        def _answer(self, status: int, body: bytes = b"") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: an address in a request may hold a secret."""

    HTTPServer(place_in(listen), Handler).serve_forever()


def is_signed(key: bytes, body: bytes, headers: dict[str, str]) -> bool:
    """Tell whether a webhook is of somebody who has the key; without a key nobody has it."""
    said = {name.lower(): value for name, value in headers.items()}
    signature = said.get("x-hub-signature-256", "").removeprefix("sha256=") or said.get(
        "x-gitea-signature", ""
    )
    if signature:
        made = hmac.new(key, body, "sha256").hexdigest()
        return bool(key) and hmac.compare_digest(
            made.encode(), signature.encode("utf-8", "replace")
        )
    return bool(key) and hmac.compare_digest(
        key, said.get("x-gitlab-token", "").encode("utf-8", "replace")
    )


def pushed(base: Connection[Any], body: bytes) -> None:
    """Let the ledgers that a webhook names be read."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return
    named = sorted({plain(url) for url in _urls(said)})
    asked = (
        "SELECT id FROM org.ledger WHERE lower(regexp_replace(regexp_replace(regexp_replace(url,"
        " '^[a-z+]+://([^@/]*@)?|^[^@/]*@', ''), ':', '/'), '(\\.git)?/*$', '')) = ANY (%s)"
    )
    found = [row[0] for row in base.execute(asked, (named,))]
    if found:
        wish(base, found)


def _urls(said: object) -> Iterator[str]:
    for part in ("repository", "project"):
        values = said.get(part) if isinstance(said, dict) else None
        if isinstance(values, dict):
            yield from [values[key] for key in _KEYS if isinstance(values.get(key), str)]


def plain(url: str) -> str:
    """Return an address without its scheme, user and ending: what all of one repository have in common."""
    rest = url.partition("://")[2] or url
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    return f"{host}{slash}{path}".replace(":", "/", 1).rstrip("/").removesuffix(".git").lower()
