"""Serve style and script from memory: a browser keeps them by an address that names what they hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from rituals.serve.web.server.head import STATIC

_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}


class Files:
    """The files that pages load, read once: no name of a request ever reaches the disk.

    Args:
        files: what they hold, by name.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._held = {name: held for name, held in files.items() if Path(name).suffix in _TYPES}
        self._hashes = {
            name: hashlib.sha256(held).hexdigest()[:16] for name, held in self._held.items()
        }

    def url(self, address: str) -> str:
        """Return where an address of ours stands for the browser."""
        held = self._hashes.get(address.removeprefix(STATIC)) if address.startswith(STATIC) else ""
        return f"{address}?{held}" if held else address

    async def answer(self, request: Request) -> Response:
        """Send a file."""
        name = request.path_params["name"]
        if name not in self._held:
            return PlainTextResponse("there is no such file\n", 404)
        kept = (
            _KEPT if request.scope["query_string"].decode("latin-1") == self._hashes[name] else {}
        )
        kind = _TYPES[Path(name).suffix]
        return Response(self._held[name], media_type=kind, headers=kept)
