"""Name the file of each address, and link from file to file: the site may lie below any address.

A name is one that every file system takes: a plain one stays, and any other becomes the words in it and a
hash. A plain name has no `~`, so no two are one; nor are they where a disk knows no capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from urllib.parse import parse_qsl, unquote, urlsplit

from ledger.model.sha256 import sha256

_NONE: Mapping[str, str] = MappingProxyType({})
#: Where everything leads that the site has no page of.
NOT_HERE = "not-here.html"
_PLAIN = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_PLAIN_CHARS, _WORDS_CHARS, _HASH_CHARS = 80, 40, 20
#: Names of devices, with any ending (Windows).
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def safe_name(name: str) -> str:
    """Return a name that is one file's on every system."""
    if len(name) <= _PLAIN_CHARS and _PLAIN.fullmatch(name) and not _DEVICE.fullmatch(name):
        return name
    words = "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:_WORDS_CHARS].strip("-")
    named = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{words}~{named}" if words else f"~{named}"


def file_of(address: str) -> str:
    """Return the file of an address, from the top of the site on: its query is part of the name."""
    path, query = _parts(address)
    names = [safe_name(unquote(one)) for one in path.strip("/").split("/") if one] or ["index"]
    said = [safe_name(f"{name}.{value}") for name, value in query]
    return "/".join([*names[:-1], *([names[-1], "-".join(said)] if said else names[-1:])]) + ".html"


class Links:
    """Writes addresses of ours as links between files.

    Args:
        addresses: that have a file.
        assets: what pages load: address -> hash of what it holds, behind its name.
        places: of what has no page of its own: its address -> that of a page, with the place in it.
    """

    def __init__(
        self, addresses: Iterable[str], assets: dict[str, str], places: Mapping[str, str] = _NONE
    ) -> None:
        self._places = places
        self._files = {_parts(one): file_of(one) for one in addresses}
        self._assets = assets
        self._known: dict[str, str] = {}

    def __call__(self, address: str) -> str:
        """Return an address as a page at the top of the site says it."""
        if address not in self._known:
            path, _, place = address.partition("#")
            if path in self._places and _parts(path) not in self._files:
                path, _, place = self._places[path].partition("#")
            self._known[address] = self._target(path) + (f"#{place}" if place else "")
        return self._known[address]

    def inside(self, folder: str) -> Callable[[str], str]:
        """Return what writes addresses for the pages of a folder, "" for the top."""
        up, own = "../" * (folder.count("/") + 1 if folder else 0), f"{folder}/"

        def write(address: str) -> str:
            file = self(address)
            return file.removeprefix(own) if file.startswith(own) else up + file

        return write

    def _target(self, address: str) -> str:
        if address in self._assets:
            return f"{address[1:]}?{self._assets[address]}"
        path, query = _parts(address)
        if found := self._files.get((path, query)):
            return found
        if any(name == "page" for name, _ in query):
            return NOT_HERE
        # what a script makes of a query is a matter of its page
        found = self._files.get((path, ()))
        asked = urlsplit(address).query
        return f"{found}?{asked}" if found and asked else found or NOT_HERE


def _parts(address: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    parts = urlsplit(address)
    return parts.path, tuple(sorted(parse_qsl(parts.query)))
