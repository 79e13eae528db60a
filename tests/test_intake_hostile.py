"""Stores that mean harm: each reader survives, in bounded memory, and reads nothing outside."""

from __future__ import annotations

import tracemalloc
from itertools import product
from pathlib import Path

import pytest

from ledger.codec.log import encode
from ledger.model.event import FactCreated, FactSuperseded
from ledger.model.session import LOG_LIMIT_BYTES, SessionLog
from rituals.intake.facts_into_logs import parts
from rituals.intake.sources import SOURCES
from tests.conftest import diagonal, each_row
from tests.hostile_stores import CANARY, HOSTILE_TEXTS, NODES, PLANTS, SCHEMAS, TABLES, corrupt
from tests.world import OWN_REPOSITORY, Answer, Place, World

NAMES = [source.name for source in SOURCES]
_MEMORY_BYTES = 50 << 20
_ROWS = 300


def planted(name: str, folder: Path, texts: tuple[str, ...]) -> Path:
    """Plant a store as its tool has it, beside files that are none of its business."""
    outside = f"# Task Group: shop\n\n## Reusable knowledge\n\n- [fact] {CANARY}\n"
    (folder / "store").mkdir(parents=True)
    (folder / "outside").write_text(outside, "utf-8")
    (folder / "victim").write_text("stays", "utf-8")
    return PLANTS[name](folder / "store", texts)


def read(home: Place, name: str, place: Path) -> Answer:
    """Ask what would be brought; a store that is none any more is an error, and no fault of ours."""
    ran = home.run(
        "import", name, f"{place}#shop" if name == "claude-mem" else str(place), code=None
    )
    assert ran.code in (0, 1), ran
    return ran


def test_every_source_is_planted() -> None:
    """A new source stands in this test, too."""
    assert set(NAMES) == PLANTS.keys()


@pytest.mark.deep(reason="links_of_folders_are_not_followed is the small one")
@each_row("name, what", diagonal(NAMES, NODES))
def test_a_hostile_file_is_survived(world: World, name: str, what: str) -> None:
    """Whatever the files of a store become, it is read or passed over, and nothing outside is."""
    folder = world.folder / f"{name} {what}"
    place = planted(name, folder, ("A plain thing.",))
    for path in [path for path in (folder / "store").rglob("*") if path.is_file()]:
        NODES[what](path)
    ran = read(world.home(OWN_REPOSITORY, f"shop {name} {what}"), name, place)
    assert (
        CANARY not in ran.out + ran.err or place.is_symlink()
    )  # a link that the user names is meant
    assert (folder / "victim").read_text("utf-8") == "stays"


@pytest.mark.parametrize("name", NAMES)
def test_links_of_folders_are_not_followed(world: World, name: str) -> None:
    """A folder that is a link leads out of the store, or round in it."""
    place, other = planted(name, world.folder / "made", ("A plain thing.",)), world.folder / "other"
    if place.is_file():
        pytest.skip("its store is one file")
    other.mkdir()
    (other / "note.md").write_text(f"- [fact] {CANARY}\n", "utf-8")
    (place / "out").symlink_to(other)
    (place / "round").symlink_to(place)
    ran = read(world.home(OWN_REPOSITORY), name, place)
    assert CANARY not in ran.out and len(ran.json.get("new", [])) <= 2


@each_row("name, what", product(TABLES, SCHEMAS))
def test_a_hostile_database_is_survived(
    world: World, name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views, computed columns and too many rows cost bounded memory; nothing in them runs."""
    monkeypatch.setattr("rituals.intake.claude_mem.ROWS", _ROWS)
    place = planted(name, world.folder / what, ("A plain thing.",))
    corrupt(place if place.is_file() else next(place.glob("*.db")), TABLES[name], SCHEMAS[what])
    home = world.place("shop")
    if not home.folder.exists():
        home = world.home(OWN_REPOSITORY, "shop")
    tracemalloc.start()
    try:
        ran = read(home, name, place)
        assert tracemalloc.get_traced_memory()[1] < _MEMORY_BYTES
    finally:
        tracemalloc.stop()
    assert len(ran.json.get("new", [])) <= _ROWS


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_are_stored_as_data(world: World, name: str) -> None:
    """They come in without a secret or are left out, verify, publish, print as plain characters, and come once."""
    home = world.home(OWN_REPOSITORY)
    place = planted(name, world.folder / "made", HOSTILE_TEXTS)
    named = f"{place}#shop" if name == "claude-mem" else str(place)
    took = home.run("import", name, named, "--write")
    assert took.json["stems"]
    taken = len(took.json["new"]) + len(took.json["left_out"]) + took.json["same"]
    assert name != "jsonl" or taken == len(HOSTILE_TEXTS)
    for option in ("--ci", "--replay"):
        home.run("check", option)
    assert not home.run("import", name, named).json["new"]
    shown = [took.out, home.text("show"), home.text("brief")]
    for text in (home.read("continuity.md"), *shown):
        assert "a1B2c3D4e5F6g7H8i9J0" not in text
    assert not {"\x1b", "\x07", "\x00", "\u202e", "\U000e0041"} & set("".join(shown))
    assert not home.show().keys() & {"fake", "other", "fake-id"}


def test_what_is_taken_in_fits_its_logs() -> None:
    """Also where much of it has no text: no log is over the limit of the format, nothing is left out."""
    ids = [f"{'f' * 74}{number:06}" for number in range(4900)]
    said = [FactSuperseded(one, f"n{one[1:]}") for one in ids]
    brought = [(FactCreated(one, "So it is. " * 60),) for one in ids[:700]]
    logs = parts([*brought, *[(one,) for one in said]])
    assert sorted(one.id for log in logs for one in log) == sorted(ids[:700] + ids)
    header = (("agent", "a"), ("type", "import"))
    sizes = [len(encode(SessionLog(header, "T", "", tuple(log)))) for log in logs]
    assert max(sizes) < LOG_LIMIT_BYTES, sizes
