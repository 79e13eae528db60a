"""Stores that mean harm: each reader survives, in bounded time and memory, and reads nothing outside."""

from __future__ import annotations

import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from ledger.codec.log import encode
from ledger.model.event import FactCreated, FactSuperseded
from ledger.model.session import LOG_LIMIT_BYTES, SessionLog
from rituals.intake import claude_mem
from rituals.intake.intake_items import Reading
from rituals.intake.sources import SOURCES, Ground, Source, read_source
from rituals.intake.stored_facts import Brought, parts
from tests.conftest import Repo, Run, diagonal, each_row
from tests.hostile_stores import CANARY, HOSTILE_TEXTS, NODES, PLANTS, SCHEMAS, TABLES, corrupt

_SECONDS = 8
_MEMORY_BYTES = 50 << 20
_ROWS = 300
each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)


@contextmanager
def _bounded() -> Iterator[None]:
    """Fail where what runs inside takes too long."""

    def late(*_: object) -> None:
        raise TimeoutError(f"not done within {_SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _read(source: Source, place: Path, project: Path) -> Reading:
    ground = Ground(str(project), str(project.parent / "nobody"), {})
    with _bounded():
        return read_source(source, [str(place)], ground)[0]


def _planted(source: Source, folder: Path, texts: tuple[str, ...]) -> Path:
    outside = f"# Task Group: shop\n\n## Reusable knowledge\n\n- [fact] {CANARY}\n"
    folder.mkdir(exist_ok=True)
    (folder / "outside").write_text(outside, "utf-8")
    (folder / "victim").write_text("stays", "utf-8")
    store = folder / "store"
    store.mkdir()
    return PLANTS[source.name](store, texts)


def test_every_source_is_planted() -> None:
    """A new source stands in this test, too."""
    assert {source.name for source in SOURCES} == PLANTS.keys()


@pytest.mark.deep
@each_row("source, what", diagonal(SOURCES, NODES))
def test_a_hostile_file_is_survived(source: Source, what: str, tmp_path: Path) -> None:
    """Whatever the files of a store become, it is read or passed over, and nothing outside is."""
    folder = tmp_path / f"{source.name} {what}"
    place = _planted(source, folder, ("A plain thing.",))
    for path in [path for path in (folder / "store").rglob("*") if path.is_file()]:
        NODES[what](path)
    reading = _read(source, place, folder / "shop")
    assert CANARY not in repr(reading) or place.is_symlink()  # a link that the user names is meant
    assert (folder / "victim").read_text("utf-8") == "stays"


@each_source
def test_links_of_folders_are_not_followed(source: Source, tmp_path: Path) -> None:
    """A folder that is a link leads out of the store, or round in it."""
    place = _planted(source, tmp_path, ("A plain thing.",))
    if place.is_file():
        pytest.skip("its store is one file")
    other = tmp_path / "other"
    other.mkdir()
    (other / "note.md").write_text(f"- [fact] {CANARY}\n", "utf-8")
    (place / "out").symlink_to(other)
    (place / "round").symlink_to(place)
    reading = _read(source, place, tmp_path / "shop")
    assert CANARY not in repr(reading)
    assert len(reading.items) <= 2


@each_row("tool, what", product(TABLES, SCHEMAS))
def test_a_hostile_database_is_survived(
    tool: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views, computed columns and too many rows cost bounded time and memory; nothing in them runs."""
    monkeypatch.setattr(claude_mem, "ROWS", _ROWS)
    source = next(one for one in SOURCES if one.name == tool)
    folder = tmp_path / f"{tool} {what}"
    place = _planted(source, folder, ("A plain thing.",))
    database = place if place.is_file() else next(place.glob("*.db"))
    corrupt(database, TABLES[tool], SCHEMAS[what])
    tracemalloc.start()
    try:
        reading = _read(source, place, folder / "shop")
        assert tracemalloc.get_traced_memory()[1] < _MEMORY_BYTES
    finally:
        tracemalloc.stop()
    assert len(reading.items) <= _ROWS


@each_source
def test_hostile_texts_are_stored_as_data(
    source: Source, tmp_path: Path, repo: Repo, run: Run
) -> None:
    """They come in without a secret, verify, publish, print as plain characters, and come once."""
    place = _planted(source, tmp_path, HOSTILE_TEXTS)
    if source.name == "claude-mem":
        place = Path(f"{place}#shop")
    with _bounded():
        took = run("import", source.name, str(place), "--write", "--json")
    assert took.code == 0, took.err
    assert took.json["stems"]
    assert run("check", "--ci").code == 0
    again = run("import", source.name, str(place), "--json")
    assert again.code == 0 and not again.json["new"], again.out
    page = (repo.path / "memory" / "continuity.md").read_text("utf-8")
    for text in (page, took.out, run("show").out, run("brief").out):
        assert "a1B2c3D4e5F6g7H8i9J0" not in text
    for text in (took.out, run("show").out, run("brief").out):
        assert not {"\x1b", "\x07", "\x00", "\u202e", "\U000e0041"} & set(text)
    known = {fact["id"] for fact in run("show", "--json").json["facts"]}
    assert not known & {"fake", "other", "fake-id"}


def test_what_is_taken_in_fits_its_logs() -> None:
    """Also where much of it has no text: no log is over the limit of the format, nothing is left out."""
    ids = [f"{'f' * 74}{number:06}" for number in range(4900)]
    said = [FactSuperseded(one, f"n{one[1:]}") for one in ids]
    brought = [Brought(FactCreated(one, "So it is. " * 60), ()) for one in ids[:700]]
    logs = parts(brought, said)
    assert sorted(one.id for log in logs for one in log) == sorted(ids[:700] + ids)
    header = (("agent", "a"), ("type", "import"))
    sizes = [len(encode(SessionLog(header, "T", "", tuple(log)))) for log in logs]
    assert max(sizes) < LOG_LIMIT_BYTES, sizes
