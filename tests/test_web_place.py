"""Where a site is put: nobody's file is touched, and an export that ends early leaves the old one whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from ledger.errors import StorageFailed, WriteRefused
from memory.api import Memory
from rituals.serve.web import site
from rituals.serve.web.site import LIST, Fetching, export_site
from tests.conftest import Repo
from tests.small_ledgers import tree_of

Export = Callable[[Path, dict[str, str]], tuple[int, int]]

FIRST = {"index.html": "first", "fact/a.html": "a", "fact/b.html": "b", "static/x.css": "x"}


@pytest.fixture
def export(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Export]:
    """Write files as an export does that has fetched them."""
    memory = Memory.open(str(repo.path))

    def write(folder: Path, files: dict[str, str]) -> tuple[int, int]:
        async def fetched(fetching: Fetching) -> dict[str, bytes]:
            return {path: text.encode() for path, text in files.items()}

        monkeypatch.setattr(Fetching, "all", fetched)
        done = export_site(memory, str(folder))
        return done["changed"], done["removed"]

    yield write
    memory.close()


def pages(folder: Path) -> dict[str, str]:
    """Return what stands there but for the list."""
    return {name: data.decode() for name, data in tree_of(folder).items() if name != LIST}


def test_an_export_takes_the_place_of_the_one_before(export: Export, tmp_path: Path) -> None:
    """What is as it was stays, file and time; what is gone goes, with its folder; nothing lies beside."""
    site = tmp_path / "deep" / "site"
    assert export(site, FIRST) == (4, 0)
    assert pages(site) == FIRST
    os.utime(site / "fact" / "a.html", (1, 1))
    second = {"index.html": "second", "fact/a.html": "a"}
    assert export(site, second) == (1, 2)
    assert pages(site) == second
    assert (site / "fact" / "a.html").stat().st_mtime == 1
    assert sorted(one.name for one in site.iterdir()) == [LIST, "fact", "index.html"]
    assert [one.name for one in site.parent.iterdir()] == ["site"]


def test_what_is_not_ours_stays(export: Export, tmp_path: Path) -> None:
    """A domain's file, a folder of one's own, one beside our pages."""
    export(tmp_path / "site", FIRST)
    mine = {"CNAME": "shop.example", "own/index.html": "mine", "fact/mine.html": "mine"}
    for path, text in mine.items():
        (tmp_path / "site" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "site" / path).write_text(text)
    assert export(tmp_path / "site", {"index.html": "second"}) == (1, 3)
    assert pages(tmp_path / "site") == {"index.html": "second", **mine}


@pytest.mark.parametrize(
    "listing", [None, "[]", '{"files": [3]}', '{"files": ["../x"]}', '{"files": ["/x"]}']
)
def test_a_folder_of_somebody_is_refused(
    export: Export, tmp_path: Path, listing: str | None
) -> None:
    """One with files and no list of ours, or with a list that we did not write; nothing is changed."""
    (tmp_path / "x").write_text("mine")
    site = tmp_path / "site"
    site.mkdir()
    (site / "notes.txt").write_text("mine")
    if listing is not None:
        (site / LIST).write_text(listing)
    before = tree_of(tmp_path)
    with pytest.raises(WriteRefused):
        export(site, FIRST)
    assert tree_of(tmp_path) == before


def test_a_file_of_somebody_in_the_place_of_a_page_is_refused(
    export: Export, tmp_path: Path
) -> None:
    """Also a link there, and a link in the place of a folder of ours: nothing is written through it."""
    site, away = tmp_path / "site", tmp_path / "away"
    export(site, {"index.html": "first"})
    away.mkdir()
    for path, text in (
        ("fact", ""),
        ("fact", "mine"),
        ("static/x.css", "mine"),
        ("static/x.css", ""),
    ):
        full = site / path
        full.parent.mkdir(exist_ok=True)
        if text:
            full.write_text(text)
        else:
            full.symlink_to(away)
        before = tree_of(tmp_path)
        with pytest.raises(WriteRefused):
            export(site, FIRST)
        assert tree_of(tmp_path) == before and not list(away.iterdir())
        full.unlink()
        if full.parent != site:
            full.parent.rmdir()


def test_a_kill_between_two_files_is_ended_by_the_next_export(
    export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page is the old or the new one, and nothing that was listed is forgotten."""
    folder = tmp_path / "site"
    export(folder, FIRST)

    def full(path: Path, data: bytes) -> None:
        if path.name == "zz.html":
            raise StorageFailed("the disk is full")
        put(path, data)

    put = site._put
    monkeypatch.setattr(site, "_put", full)
    with pytest.raises(StorageFailed):
        export(folder, {"new.html": "new", "zz.html": "zz"})
    monkeypatch.setattr(site, "_put", put)
    assert pages(folder) == {**FIRST, "new.html": "new"}
    assert set(FIRST) < set(json.loads((folder / LIST).read_text())["files"])
    assert export(folder, {"index.html": "third"}) == (1, 5)
    assert pages(folder) == {"index.html": "third"}
