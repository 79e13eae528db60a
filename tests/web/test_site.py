"""The site of each home, file by file: no dead link, nothing but text from memory, and the same bytes again."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from rituals.serve.web.site import LIST, export_site
from tests.small_ledgers import tree_of
from tests.web.homes import CANARY, ELSEWHERE
from tests.web.looking import apart

if TYPE_CHECKING:
    from tests.web.conftest import Site

MADE = ("plain", "contradicted", "empty", "hostile")
#: Elements that load or run something, and those of them that we write.
_ACTIVE = {
    "script",
    "iframe",
    "object",
    "embed",
    "img",
    "style",
    "base",
    "template",
    "link",
    "meta",
    "form",
}
_OURS = {"script", "link", "meta", "form"}


class Read(HTMLParser):
    """One page as a browser reads it.

    Args:
        path: of the file, from the top of the site on.
        text: its markup.
    """

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.away: list[str] = []
        self.places: set[str] = set()
        self.faults: list[str] = []
        self.heads = 0
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links and places; a tag that no template of ours writes is a fault."""
        self.heads += tag == "h1"
        if tag in _ACTIVE - _OURS:
            self.faults.append(f"<{tag}>")
        self._script = tag == "script"
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.faults.append(f"<{tag} {name}>")
            if name == "id" and value:
                self.places.add(value)
            if name in ("href", "src", "action", "data") and value is not None:
                self._link(tag, value)

    def handle_data(self, data: str) -> None:
        """A script has no text of its own."""
        if self._script and data.strip():
            self.faults.append(f"<script>{data[:40]}")
        self._script = False

    def _link(self, tag: str, value: str) -> None:
        scheme = urlsplit(value).scheme
        if scheme in ("http", "https"):
            self.away.append(value)
            if tag != "a":
                self.faults.append(f"<{tag}> loads {value}")
        elif scheme:
            if value != "data:,":
                self.faults.append(f"<{tag}> leads to {value[:40]}")
        else:
            self.links.append(value)


def read(folder: Path) -> dict[str, Read]:
    """Read all pages of a site."""
    return {
        str(path.relative_to(folder)): Read(str(path.relative_to(folder)), path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def dead_links(pages: dict[str, Read], folder: Path) -> list[str]:
    """Return the links that lead nowhere: no file, no such place in it, or the page that says so."""
    found = []
    for page in pages.values():
        for link in page.links:
            parts = urlsplit(link)
            inside = posixpath.join(posixpath.dirname(page.path), unquote(parts.path))
            target = posixpath.normpath(inside) if parts.path else page.path
            there = pages.get(target)
            place = unquote(parts.fragment)
            if not (folder / target).is_file():
                found.append(f"{page.path}: {link}")
            elif place and there and place not in there.places:
                found.append(f"{page.path}: {link} (no such place)")
    return found


@pytest.mark.parametrize("name", MADE)
def test_every_link_leads_to_a_file_and_nothing_is_active(
    site: Callable[[str], Site], name: str
) -> None:
    """All files of all pages: one h1, a policy before anything is loaded, no markup of memory's."""
    made = site(name)
    pages = read(made.folder)
    assert {"index.html", "search.html"} <= set(pages)
    assert dead_links(pages, made.folder) == []
    for path, page in pages.items():
        assert not page.faults, (path, page.faults)
        assert page.heads == 1, path
        assert not [one for one in page.away if one.startswith(ELSEWHERE)] or name == "hostile"
        text = (made.folder / path).read_text("utf-8")
        policy = text.index("Content-Security-Policy")
        assert policy < text.index("<link") and policy < text.index("<script")


def test_the_readers_of_these_tests_have_teeth(tmp_path: Path) -> None:
    """What a page without escapes would hold is found."""
    raw = (
        f"<h1>x</h1><script>window.{CANARY}=1</script><img src=x><p style='x' onclick='y'>"
        "<a href='javascript:x'>x</a><a href='gone.html'>y</a><a href='#nowhere'>z</a>"
    )
    page = Read("index.html", raw)
    assert len(page.faults) == 5
    (tmp_path / "index.html").write_text(raw)
    assert len(dead_links({"index.html": page}, tmp_path)) == 3


@pytest.mark.deep
def test_one_tip_has_one_site(
    home: Callable[[str], Path], site: Callable[[str], Site], tmp_path: Path
) -> None:
    """The same bytes in another clone, at another place and time; nothing of the machine is in them."""
    first = site("contradicted")
    away = tmp_path / "a-folder-of-its-own" / "clone"
    subprocess.run(["git", "clone", "-q", str(home("contradicted")), str(away)], check=True)

    def export() -> dict[str, int]:
        return apart(
            away,
            lambda memory: export_site(memory, str(tmp_path / "site")),
            lambda: 4_000_000_000_000,
        )

    export()
    again = tree_of(tmp_path / "site")
    assert again == tree_of(first.folder)
    told = b"\n".join(again.values())
    for machine in (
        str(home("contradicted")),
        str(tmp_path),
        str(Path.home()),
        "a-folder-of-its-own",
    ):
        assert machine.encode() not in told
    report = export()
    assert (report["changed"], report["removed"]) == (0, 0)
    assert report["files"] == len(again) - 1 and LIST in again


def test_every_name_suits_every_system(site: Callable[[str], Site]) -> None:
    """Also those of hostile roles, entities and logs."""
    names = [
        str(path.relative_to(site("hostile").folder)) for path in site("hostile").folder.rglob("*")
    ]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9._~/-]{1,160}", name)
        assert not re.search(r"\.\.|[. ](/|$)", name)
