"""Write the server's own pages as files: each is asked of the application, and its links made relative.

Each file takes the place of the old one whole, the first page last. What is not on the list of ours, which
stands with them, is never touched. The bytes are the same for one tip and one remote, on every machine.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

import anyio

from ledger.errors import DiurnaError, WriteRefused
from ledger.git.repository import cut_commits
from ledger.model.ids import sha256
from ledger.wal.atomic_files import make_folder, replace_file
from memory import Memory
from rituals.report.vault_files import refuse_inside
from rituals.serve.login_tokens import Access, new_token
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.server.guard import HEADERS
from rituals.serve.web.server.web_app import app_of

Progress = Callable[[int, int], None]
#: The list of our files, by which a site is known again; and what lets a forge leave them alone.
LIST, _NO_BUILD = ".diurna-site", ".nojekyll"
#: By what pages of a site may be asked.
_ASKED = frozenset(("page", "rule", "from", "list", "kind", "tier", "creator"))
_LINK = re.compile(r' (href|src|action)="(/[^"]*)"')
#: What pages load.
_LOADED = ("static/diurna.css", "static/diurna.js")
#: A name that every file system takes; any other becomes the words in it and a hash.
_PLAIN = re.compile(
    r"(?=.{1,80}$)(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9]+(?:[._-][a-z0-9]+)*"
)
#: What a server says in headers, a file says before it loads anything.
_POLICY = re.sub("(connect|frame).*?; ", "", HEADERS["content-security-policy"])
_HEAD = f"""<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">"""


def export_site(
    memory: Memory, folder: str, base: str = "", progress: Progress = lambda done, known: None,
    *, shallow: bool = False, dry_run: bool = False,
) -> dict[str, int]:  # fmt: skip
    """Write the pages of a home into a folder, which is absolute and need not be there yet.

    `base` is where people will find it, "" for not said. `progress` is told how many pages of those that
    are known by then are made. With `shallow` the history may be cut; each page says so. Returned is how
    many pages, files and bytes the site has, and how many files are other than before, or gone.

    Raises:
        WriteRefused: the folder is somebody's, or the history is cut.
        StorageFailed: the disk refused.
    """
    if cut_commits(memory.home.repository) and not shallow:
        said = "the history of this clone is cut (shallow), and a site tells who wrote what"
        hint = "git fetch --unshallow, in a workflow fetch-depth: 0; or --allow-shallow"
        raise WriteRefused(said, hint=hint)
    root = Path(folder).resolve()
    refuse_inside(memory, str(root))
    listed = _listed(root)
    files = anyio.run(Fetching(memory, base.rstrip("/"), progress).all)
    for full in [root / path for path in {*files, *listed}]:
        new = str(full.relative_to(root)) not in listed
        strange = full.parent.is_symlink() or full.parent.is_file()
        if strange or (new and os.path.lexists(full)):
            said = f"{full} is not ours, and a page would stand in its place"
            raise WriteRefused(said, where=str(full), hint="move it elsewhere, and export again")
    changed = [path for path, data in files.items() if _held(root / path) != data]
    gone = sorted(listed - set(files))
    if not dry_run:
        _put(root / LIST, _list([*files, *gone]))  # with it the next one ends a killed one
        for path in changed:
            _put(root / path, files[path])
        for full in [root / path for path in gone]:
            with suppress(OSError):  # it is gone already, or something else is in its folder
                full.unlink()
                full.parent.rmdir()
        _put(root / LIST, _list(files))
    return {
        "pages": sum(path.endswith(".html") for path in files), "files": len(files),
        "bytes": sum(map(len, files.values())), "changed": len(changed), "removed": len(gone),
    }  # fmt: skip


class Fetching:
    """Asks for the first page, and for all that is linked from there on."""

    def __init__(self, memory: Memory, base: str, progress: Progress) -> None:
        home, now_ms = memory.home, memory.occasion().now_ms
        self._opened = OpenMemory(lambda: home, lambda home: Memory(home, clock=lambda: now_ms))
        access = Access(80, new_token(), files=True)
        self._faults: list[Exception] = []
        self._app: Any = app_of(self._opened, access, self._faults.append)
        cookie = f"{access.cookie}={access.begin_session()}"
        self._head = [(b"host", access.hosts[0].encode()), (b"cookie", cookie.encode())]
        self._base, self._progress = base, progress
        self.known = {"/": "index.html", "/search": "search.html"}  #: address -> file
        self._queue = list(self.known)

    async def all(self) -> dict[str, bytes]:
        """Return all files; the first page is the last, as it leads to all others."""
        pages: dict[str, bytes] = {}
        try:
            files = {path: await self._get(f"/{path}") for path in _LOADED}
            for done, address in enumerate(self._queue, 1):
                html = (await self._get(address)).decode()
                pages[self.known[address]] = self._as_file(address, html).encode()
                self._progress(done, len(self._queue))
        finally:
            self._opened.close()
        return {_NO_BUILD: b""} | files | dict(reversed(pages.items()))

    async def _get(self, address: str) -> bytes:
        path, _, query = address.partition("?")
        scope = {
            "type": "http", "method": "GET", "path": unquote(path), "root_path": "",
            "raw_path": path.encode(), "query_string": query.encode(), "headers": self._head,
        }  # fmt: skip
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, anyio.sleep_forever, send)
        if sent[0]["status"] not in (200, 404):
            raise (*self._faults, DiurnaError(f"the page {address} can not be made"))[0]
        return b"".join([one.get("body", b"") for one in sent])

    def _as_file(self, address: str, html: str) -> str:
        """Return a page with relative links; what the site has no page of is linked no more."""
        file = self.known[address]
        up = "../" * file.count("/")

        def link(found: re.Match[str]) -> str:
            asked, mark, place = unescape(found[2]).partition("#")
            target = asked[1:] if asked.startswith("/static/") else self._file_of(asked, address)
            return f' {found[1]}="{escape(up + target + mark + place)}"' if target else ""

        named = f'\n<link rel="canonical" href="{escape(self._base)}/{file}">' if self._base else ""
        return _LINK.sub(link, html).replace('<meta charset="utf-8">', _HEAD + named, 1)

    def _file_of(self, asked: str, here: str) -> str:
        """Return the file of an address that a page leads to, "" for none.

        A list of two filters is followed from pages that have none: else all would be combined with all.
        """
        path, _, query = asked.partition("?")
        said = dict(sorted(parse_qsl(query)))
        filters = {name: value for name, value in said.items() if name != "page"}
        alike, asked = [path + f"?{urlencode(one)}" * bool(one) for one in (filters, said)]
        if asked not in self.known:
            few = len(filters) < 2 or "?" not in here or alike in self.known
            if not (few and _ASKED.issuperset(said)):
                return ""
            names = [safe_name(unquote(one)) for one in (path.strip("/") or "index").split("/")]
            if said:
                names[-1] += f"-{safe_name('-'.join(map('.'.join, said.items())))}"
            self.known[asked] = "/".join(names) + ".html"
            self._queue.append(asked)
        return self.known[asked]


def safe_name(name: str) -> str:
    """Return a name that is one file's on every system."""
    if _PLAIN.fullmatch(name):
        return name
    words = "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:40].strip("-")
    return f"{words}~{sha256(name.encode('utf-8', 'replace')).hexdigest()[:20]}"


def _listed(root: Path) -> frozenset[str]:
    """Return the files that an export wrote; refuse a folder in which others are."""
    if not os.path.lexists(root / LIST) and not (root.is_dir() and os.listdir(root)):
        return frozenset()
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        names = json.loads((root / LIST).read_bytes())["files"]
        if not any(os.path.isabs(one) or ".." in one.split("/") or one == LIST for one in names):
            return frozenset(names)
    said = f"{root} holds other files, or no list as Diurna wrote it"
    hint = "name a folder that is empty, not there yet, or a site that was exported before"
    raise WriteRefused(said, where=str(root), hint=hint)


def _held(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _list(files: Iterable[str]) -> bytes:
    return json.dumps({"files": sorted(files)}, indent=0).encode() + b"\n"


def _put(path: Path, data: bytes) -> None:
    make_folder(str(path.parent), 0o777)
    replace_file(str(path), data)
