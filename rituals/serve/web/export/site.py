"""Write the pages of a memory as a site: plan first, then apply.

The bytes are the same for one tip and one remote, on every machine: nothing in them tells of a clock, of
this machine or of its paths. Pages show what the server shows of the same tip, from the same functions
and templates.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from urllib.parse import parse_qsl, unquote, urlsplit

from ledger.errors import NotFound, WriteRefused
from ledger.git.repository import is_shallow
from ledger.heavy_work import in_two, may_fork
from ledger.model.record import Record
from memory.api import Memory
from memory.replay.log_bytes import ReadAhead
from rituals.report.vault_files import refuse_inside
from rituals.serve.web.export.site_data import past_data, search_data
from rituals.serve.web.export.site_folder import Target, write_beside
from rituals.serve.web.export.site_links import NOT_HERE, Links, file_of
from rituals.serve.web.html.templates import Renderer, frame_of, static_files
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.form_result_page import missing
from rituals.serve.web.pages.page_table import ROWS, Row
from rituals.serve.web.pages.review_page import waiting
from rituals.serve.web.pages.timeline_page import places_of
from rituals.serve.web.tip_view.tip_view import TipView, TipViews

Progress = Callable[[int, int], None]
#: Assets that only a server has use for.
_SERVED_ALONE = ("login.js", "live.js")
#: What pages ask where no server can be asked.
_DATA = {"/static/facts.js": search_data, "/static/past.js": past_data}
#: So many pages are worth a second process.
_WORTH_TWO = 60
_UNCUT = (
    "git fetch --unshallow, in a workflow fetch-depth: 0; or --allow-shallow, and each page says so"
)
#: A forge that makes pages of markdown leaves these alone.
_NO_BUILD = ".nojekyll"


class SitePlan(Record):
    """What an export writes."""

    folder: str  #: where, absolute
    base: str  #: where people will find it, "" for not said
    pages: Mapping[str, str]  #: file -> address
    removed: tuple[str, ...]  #: files of an earlier export that are no part of this one
    tip: TipView  #: what the pages show


class SiteReport(Record):
    """What an export wrote."""

    pages: int  #: how many
    files: int  #: with style, script and data
    bytes: int  #: of all of them
    changed: int  #: files that are new or other than they were
    removed: int  #: files that are gone


def plan_site(memory: Memory, folder: str, base: str = "", *, shallow: bool = False) -> SitePlan:
    """Say which pages a site has.

    The folder is absolute, and need not be there yet; `base` begins with http, "" for none. With `shallow`
    the history may be cut, and each page says so.

    Raises:
        WriteRefused: no site can be there, or the history is cut.
    """
    if is_shallow(memory.home.repository) and not shallow:
        said = "the history of this clone is cut (shallow), and a site tells who wrote what"
        raise WriteRefused(said, hint=_UNCUT)
    folder = os.path.realpath(folder)
    refuse_inside(memory, folder)
    tip = TipViews().of(memory)
    pages = {file_of(address): address for address in _addresses(tip)}
    files = [*pages, *_other_files()]
    target = Target(folder)
    target.refuse(files)
    gone = sorted(set(target.listed or ()) - set(files))
    return SitePlan(folder, base.rstrip("/"), pages, tuple(gone), tip)


def apply_site(plan: SitePlan, memory: Memory, progress: Progress) -> SiteReport:
    """Write a site as it was planned of the same memory.

    Progress is told how many of how many pages are written.

    Raises:
        WriteRefused: the folder is somebody's by now.
        Busy: another export writes there.
        StorageFailed: the disk refused.
    """
    target = Target(plan.folder)
    target.refuse([*plan.pages, *_other_files()])
    with target.beside() as beside:
        sizes = _write_all(plan, memory, beside, progress)
        # the first page, that leads to all others, comes last
        files = sorted(sizes, key=lambda path: (path.endswith(".html"), path == "index.html", path))
        changed, removed = target.take(beside, files)
    return SiteReport(len(plan.pages), len(sizes), sum(sizes.values()), changed, removed)


def _write_all(plan: SitePlan, memory: Memory, beside: str, progress: Progress) -> dict[str, int]:
    """Write each file into a folder, half of the pages on another core; return their sizes."""
    tip = plan.tip
    assets = {f"/static/{name}": held for name, held in _assets().items()}
    hashes = {name: hashlib.sha256(data).hexdigest()[:12] for name, data in assets.items()}
    links = Links(plan.pages.values(), hashes, places_of(tip))
    for name, make in _DATA.items():
        assets[name] = make(tip, links)
        hashes[name] = hashlib.sha256(assets[name]).hexdigest()[:12]
    made = {name[1:]: held for name, held in assets.items()} | {_NO_BUILD: b""}
    for path, data in made.items():
        write_beside(beside, path, data)
    sizes = {path: len(data) for path, data in made.items()}
    tip.prepare("origins", "graph", "uses")  # every page of a fact asks for some
    writer = _Writer(plan, links, beside)
    said = NotFound("this site has no such page", hint="the pages stand in the menu above")
    sizes[NOT_HERE] = writer.write(NOT_HERE, missing(said))

    first, *halves = _shares(plan.pages)

    def here(paths: list[str], at_once: int = 1, done: int = len(first) // 2 * 2) -> dict[str, int]:
        return writer.write_all(paths, tip, lambda n: progress(done + n * at_once, len(plan.pages)))

    def elsewhere(paths: list[str]) -> dict[str, int]:
        own = Memory(memory.home)  # what is open belongs to the process that opened it
        if own.home.tip() != tip.tip:
            raise NotFound("memory has moved meanwhile")  # this half is then made here
        return writer.write_all(paths, tip.elsewhere(own), lambda n: None)

    refs = memory.ask(lambda cache: list(cache.log_refs()))
    with ReadAhead(memory.home, refs):
        sizes |= here(first, done=0)
        if len(plan.pages) < _WORTH_TWO or not may_fork():
            return sizes | here([*halves[0], *halves[1]])
        with _settled():
            theirs, ours = in_two(lambda: elsewhere(halves[0]), lambda: here(halves[1], 2))
        return sizes | ours | (here(halves[0]) if theirs is None else theirs)


def _shares(pages: Mapping[str, str]) -> tuple[list[str], list[str], list[str]]:
    """Return the files of the first page of each row, and of two halves of all others.

    What many pages of a row ask is read with its first one, before there are two processes; neighbours
    stay together, as they are told of by the same logs.
    """
    rows: dict[str, list[str]] = {}
    for path, address in pages.items():
        rows.setdefault(_asked(address)[0].path, []).append(path)
    first, one, other = [], [], []
    for paths in rows.values():
        middle = len(paths) // 2 + 1
        first.append(paths[0])
        one += paths[1:middle]
        other += paths[middle:]
    return first, one, other


@contextmanager
def _settled() -> Iterator[None]:
    """Let the collector of garbage leave alone what all pages are made of, in both processes."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class _Writer:
    """Writes pages of a site as files."""

    def __init__(self, plan: SitePlan, links: Links, beside: str) -> None:
        self._plan, self._links, self._beside = plan, links, beside
        self._folder, self._renderer = "", Renderer(links.inside(""))
        forge = plan.tip.forge()._replace(unpushed=frozenset())  # a site is of what is published
        frame = frame_of(plan.tip, waiting(plan.tip))
        self._frame = frame._replace(served=False, forge=lambda: forge)

    def write(self, path: str, page: Page) -> int:
        """Write one; return its size."""
        canonical = f"{self._plan.base}/{path}" if self._plan.base else ""
        folder = path.rpartition("/")[0]
        if folder != self._folder:
            self._folder = folder
            self._renderer.move(self._links.inside(folder))
        html = self._renderer.render(page, self._frame._replace(canonical=canonical))
        data = html.encode("utf-8", "replace")
        write_beside(self._beside, path, data)
        return len(data)

    def write_all(
        self, paths: list[str], tip: TipView, progress: Callable[[int], None]
    ) -> dict[str, int]:
        """Write some; return the size of each."""
        sizes = {}
        for number, path in enumerate(paths, 1):
            try:
                page = page_at(tip, self._plan.pages[path])
            except NotFound as problem:
                page = missing(problem)
            sizes[path] = self.write(path, page)
            progress(number)
        return sizes


def page_at(tip: TipView, address: str) -> Page:
    """Return the page of an address of ours, as `addresses` of a row give it."""
    row, asked = _asked(address)
    return row.page(tip, asked)


def _asked(address: str) -> tuple[Row, dict[str, str]]:
    """Find what makes the page of an address, and what it is asked."""
    parts = urlsplit(address)
    for row in ROWS:
        if found := _pattern(row.path).fullmatch(parts.path):
            named = {name: unquote(said) for name, said in found.groupdict().items()}
            return row, {**dict(parse_qsl(parts.query)), **named}
    raise NotFound(f"there is no page at {address}", hint="`diurna web` shows all pages")


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Return what the addresses of a row are like; `{name:path}` takes more than one part of a path."""
    said = re.escape(path).replace(r"\{", "{").replace(r"\}", "}")
    named = re.sub(r"\{(\w+):path\}", r"(?P<\1>.+)", said)
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", named))


def _addresses(tip: TipView) -> Iterator[str]:
    """List all that a site has, each once."""
    seen = set()
    for row in ROWS:
        listed: Iterable[str] = () if "{" in row.path else (row.path,)
        for address in row.addresses(tip) if row.addresses else listed:
            if address not in seen:
                seen.add(address)
                yield address


def _assets() -> dict[str, bytes]:
    return {name: held for name, held in static_files().items() if name not in _SERVED_ALONE}


def _other_files() -> tuple[str, ...]:
    """Name what is no page of an address."""
    return (
        *(f"static/{name}" for name in _assets()),
        *(name[1:] for name in _DATA),
        NOT_HERE,
        _NO_BUILD,
    )
