"""Where a site is put: nobody's file is touched, and an export that ends early leaves the old one whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ledger.errors import Busy, StorageFailed, WriteRefused
from rituals.serve.web.export.site_folder import LIST, Target
from tests.small_ledgers import tree_of

FIRST = {"index.html": "first", "fact/a.html": "a", "fact/b.html": "b", "static/x.css": "x"}


def export(folder: Path, files: dict[str, str]) -> tuple[int, int]:
    """Write files as an export does."""
    target = Target(str(folder))
    target.refuse(files)
    with target.beside() as beside:
        for path, text in files.items():
            full = Path(beside, path)
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text)
        return target.take(beside, files)


def pages(folder: Path) -> dict[str, str]:
    """Return what stands there but for the list."""
    return {name: data.decode() for name, data in tree_of(folder).items() if name != LIST}


def test_an_export_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
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


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
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
def test_a_folder_of_somebody_is_refused(tmp_path: Path, listing: str | None) -> None:
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


def test_a_file_of_somebody_in_the_place_of_a_page_is_refused(tmp_path: Path) -> None:
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


def test_an_export_that_ends_early_leaves_the_old_site(tmp_path: Path) -> None:
    """Stopped, or killed with what it wrote lying beside: the next one sweeps that up."""
    site = tmp_path / "site"
    export(site, FIRST)
    target = Target(str(site))
    with pytest.raises(KeyboardInterrupt), target.beside() as beside:
        Path(beside, "index.html").write_text("half")
        raise KeyboardInterrupt
    assert pages(site) == FIRST and [one.name for one in tmp_path.iterdir()] == ["site"]
    left = tmp_path / ".site.diurna-new"
    left.mkdir()
    (left / "old.html").write_text("half")
    assert export(site, {"index.html": "second"}) == (1, 3)
    assert pages(site) == {"index.html": "second"}
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_a_kill_between_two_files_is_ended_by_the_next_export(tmp_path: Path) -> None:
    """Each page is the old or the new one, and nothing that was listed is forgotten."""
    site = tmp_path / "site"
    export(site, FIRST)
    target = Target(str(site))
    with pytest.raises(StorageFailed), target.beside() as beside:
        for name in ("new.html", "zz.html"):
            Path(beside, name).write_text(name)
        target.take(beside, ["new.html", "missing.html", "zz.html"])
    assert pages(site) == {**FIRST, "new.html": "new.html"}
    assert set(FIRST) < set(json.loads((site / LIST).read_text())["files"])
    assert export(site, {"index.html": "third"}) == (1, 4)
    assert pages(site) == {"index.html": "third"}


def test_one_export_writes_at_a_time(tmp_path: Path) -> None:
    """A second one is refused at once, and the first goes on."""
    site = tmp_path / "site"
    target = Target(str(site))
    with target.beside() as beside:
        Path(beside, "index.html").write_text("first")
        with pytest.raises(Busy):
            export(site, FIRST)
        target.take(beside, ["index.html"])
    assert pages(site) == {"index.html": "first"}
