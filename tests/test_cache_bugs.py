"""A bug and a damaged cache are told apart: one ends with 3 and leaves the cache alone, the other heals."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.model.event import FactVerified
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.cache.schema import entry_in, log_row, unpack_history
from memory.cache.sqlite import FILE_ERRORS, CacheDamaged
from tests.campaigns.homes import as_left
from tests.conftest import Repo, Run

#: Commands that ask the cache, each with what is called on the way, inside of a question.
ASKED = {
    ("show",): "memory.cache.queries.never_decaying",
    ("why", "node"): "memory.cache.queries.resolve",
    ("log",): "memory.cache.queries.LogRef",
    ("recall", "node"): "memory.recall.recaller.search",
    ("show", "--about"): "memory.query.entity_graph.entities_of",
    ("show", "--links", "node"): "memory.query.entity_graph.pointed",
    ("append", "--title", "Two", "--new", "Other words."): "memory.write.duplicate_check._settled",
}  # fmt: skip
BUGS = (KeyError("a bug"), IndexError("a bug"), TypeError("a bug"), ValueError("a bug"))


@pytest.fixture(autouse=True)
def _home(repo: Repo, run: Run) -> None:
    ran = run("append", "--title", "One", "--new", "id=node Node 24 is needed to build.")
    assert (ran.code, ran.err) == (0, "")
    assert run("recall", "node").code == 0


def cache_file(repo: Repo) -> Path:
    return Path(discover(str(repo.path)).cache_file + ".sqlite")


@pytest.mark.parametrize(
    ("command", "bug"),
    [*[(command, BUGS[0]) for command in ASKED], *[(("show",), bug) for bug in BUGS[1:]]],
)
def test_a_bug_in_a_question_is_a_bug(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], bug: Exception
) -> None:
    """It ends with 3 and names itself; the cache is not called damaged, nor built anew."""

    def fails(*_: object, **__: object) -> None:
        raise bug

    number = os.stat(cache_file(repo)).st_ino
    with monkeypatch.context() as broken:
        broken.setattr(ASKED[command], fails)
        ran = run(*command)
    assert ran.code == 3, ran.err
    assert f"a bug in Diurna ({type(bug).__name__})" in ran.err
    assert "cache" not in ran.err
    assert os.stat(cache_file(repo)).st_ino == number
    assert run(*command).code == 0


def _other_history(base: sqlite3.Connection) -> None:
    base.execute("UPDATE facts SET history = x'a900000000'")  # an empty tuple, as marshal has it


def _no_table(base: sqlite3.Connection) -> None:
    base.execute("DROP TABLE facts")


def _no_head(base: sqlite3.Connection) -> None:
    base.execute("DELETE FROM meta WHERE key = 'head'")


def _other_head(base: sqlite3.Connection) -> None:
    base.execute("UPDATE meta SET value = x'4e' WHERE key = 'head'")  # None


@pytest.mark.parametrize("damage", [_other_history, _no_table, _no_head, _other_head])
def test_damage_is_damage(
    repo: Repo, run: Run, damage: Callable[[sqlite3.Connection], None]
) -> None:
    """What no stamp tells: the value or the table that is not there is noticed where it is read."""
    expected = run("show")
    with sqlite3.connect(cache_file(repo)) as base:
        damage(base)
    base.close()
    as_left(cache_file(repo))
    ran = run("show")
    assert (ran.code, ran.out) == (0, expected.out)
    assert "built anew" in ran.err
    assert run("show") == expected


def test_a_value_that_was_never_packed_is_damage() -> None:
    """Whatever the way in which it is another one; what was packed comes back."""
    entry = Entry(
        "2026-11-21-083012417-abc", True, "codex", "work", ("node",), (FactVerified("node"),)
    )
    assert entry_in(log_row(LogRef(entry.stem, "", ""), entry)[-1]) == entry
    for wrong in (b"", b"\0", b"N", b"i\1\0\0\0", b"\xa9\0", b"\xa9\1N"):
        with pytest.raises(CacheDamaged):
            entry_in(wrong)
        with pytest.raises(CacheDamaged):
            unpack_history(wrong)


def test_what_was_only_replaced_is_asked_to_the_end(repo: Repo) -> None:
    """Where another process replaces the file within a question, nothing is damaged, or built anew."""
    memory, asked = Memory.open(str(repo.path)), []

    def question(cache: Cache) -> list[str]:
        asked.append(cache)
        file = cache_file(repo)
        shutil.copy(file, f"{file}.new")
        os.replace(f"{file}.new", file)
        as_left(file)
        memory.snapshot.cache()  # opens the new one
        return cache.fact_ids()

    assert memory.snapshot.ask(question) == ["node"]
    assert (len(asked), memory.snapshot.notes) == (1, [])
    memory.close()


def test_what_is_built_anew_is_asked_to_the_end(repo: Repo) -> None:
    """Who builds it within a question neither waits for that one nor takes the file from it."""
    memory, asked = Memory.open(str(repo.path)), []

    def question(cache: Cache) -> list[str]:
        asked.append(cache)
        assert memory.snapshot.rebuilt() is not cache
        return cache.fact_ids()

    assert memory.snapshot.ask(question) == ["node"]
    assert (len(asked), memory.snapshot.notes) == (1, [])
    memory.close()


def test_only_what_sqlite_says_is_an_error_of_the_file() -> None:
    """A `with FILE_ERRORS:` lets everything else through as it is."""
    with pytest.raises(CacheDamaged, match="disk image"), FILE_ERRORS:
        raise sqlite3.DatabaseError("database disk image is malformed")
    for bug in BUGS:
        with pytest.raises(type(bug)), FILE_ERRORS:
            raise bug
