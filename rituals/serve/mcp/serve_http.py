"""Serve clients of this machine over HTTP: a request names it, and what a web page sends is refused."""

from __future__ import annotations

import socket
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from rituals.serve.long_running import settle
from rituals.serve.loopback import HOST, hosts_of, serve
from rituals.serve.request_limits import LIMIT_BYTES

PATH = "/mcp"


def over_http(server: Server[Any], listening: socket.socket) -> int:
    """Serve programs of this machine until a signal comes; return which."""
    settle("mcp")
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LIMIT_BYTES,
        host=HOST,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=list(hosts_of(listening)),
            allowed_origins=[],  # only browsers send one
        ),
    )
    return anyio.run(serve, app, listening)


def url_of(listening: socket.socket) -> str:
    """Return where a client finds the server."""
    return f"http://{hosts_of(listening)[0]}{PATH}"
