# ruff: noqa: S302 - the cache's own form, read back
"""A cache that is missing, damaged, deleted meanwhile or lies: no answer changes (fault:M1 to fault:M5)."""

from __future__ import annotations

import marshal
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from ledger.home import Home
from ledger.model.layout import CACHE_VERSION
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.cache.sqlite import CacheDamaged
from memory.worktree.projection_files import projection_files
from tests.campaigns.homes import (
    OWN_REPOSITORY,
    START_MS,
    WRITERS,
    Clock,
    as_left,
    assert_sound,
    draft,
    git,
    hermetic,
    make_home,
    open_memory,
)
from tests.conftest import Ran, Run, sampled

__all__ = ["hermetic"]


ROOT = Path(__file__).resolve().parents[1]
both = pytest.mark.parametrize("writer", WRITERS)


@pytest.fixture
def quick() -> Run:
    """Run the console script, which answers the plain forms without the command line's libraries."""

    def quick(*arguments: str, stdin: bytes = b"") -> Ran:
        script = "import sys; from rituals.cli.entry import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-P", "-c", script, *arguments],
            input=stdin, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return quick


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of its own with three logs and three facts, and a cache of them."""
    made = make_home(tmp_path / "shop", OWN_REPOSITORY)
    memory = open_memory(made.repository.top, "pygit2")
    for name in ("one", "two", "three"):
        memory.append(draft(name))
    memory.state()
    memory.close()
    return made


def reopened(home: Home, writer: str = "pygit2") -> Memory:
    """Open a home as a new process would, later."""
    return open_memory(home.repository.where, writer, Clock(START_MS + 50_000_000))


def cache_file(home: Home) -> Path:
    return Path(home.cache_file + ".sqlite")


def assert_same_answer(memory: Memory) -> None:
    """Check that the cache says what git alone says, in the projection and in the findings."""
    warm, cold = memory.state(), memory.cold_state()
    assert projection_files(warm) == projection_files(cold)
    assert warm.findings() == cold.findings()
    assert memory.continuity().encode() == projection_files(cold)["continuity.md"]


# ---- a cache that is missing or damaged ------------------------------------------------------------


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _garbage(file: Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + os.urandom(5000))


def _truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:6000])


def _holed(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 + 100 : page * 4096 + 900] = b"\xa5" * 800
    file.write_bytes(data)


def _bad_values(file: Path) -> None:
    with sqlite3.connect(file) as base:
        base.execute("UPDATE facts SET history = x'ff00'")
        base.execute("UPDATE meta SET value = x'00' WHERE key = 'policy'")


def _other_tables(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE meta(key TEXT, value TEXT)")


def _unusable(path: str) -> Cache:
    raise CacheDamaged(path)


def _linked_away(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.parent / "nowhere")


DAMAGES = (_empty, _garbage, _truncated, _holed, _bad_values, _other_tables, _linked_away)


def test_m1_the_cache_is_missing(home: Home) -> None:
    """It is built anew from the ledger without a word, and answers the same."""
    before = reopened(home).continuity()
    for file in cache_file(home).parent.iterdir():
        file.unlink()
    cache_file(home).parent.rmdir()
    memory = reopened(home)
    assert memory.continuity() == before
    assert memory.snapshot.notes == []
    assert_same_answer(memory)
    assert cache_file(home).stat().st_mode & 0o777 == 0o600


def _stamped(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return a damage that is none of what a stamp tells."""

    def done(file: Path) -> None:
        damage(file)
        as_left(file)

    return done


@pytest.mark.parametrize(
    ("damage", "stamped", "writer"), sampled(product(DAMAGES, (False, True), WRITERS), 3)
)
def test_m2_the_cache_is_damaged(
    home: Home, damage: Callable[[Path], None], stamped: bool, writer: str
) -> None:
    """It is built anew, said once, and neither reading nor appending fails."""
    before = reopened(home).continuity()
    if stamped:
        damage = _stamped(damage)
    damage(cache_file(home))
    memory = reopened(home, writer)
    assert memory.continuity() == before
    assert_same_answer(memory)
    assert not cache_file(home).is_symlink()
    assert cache_file(home).stat().st_size > 4096
    damage(cache_file(home))
    memory = reopened(home, writer)
    receipt = memory.append(draft("four"))
    assert {one.code for one in receipt.findings} <= {"cache-rebuilt"}
    assert_same_answer(reopened(home))
    assert_sound(home, {receipt.stem: receipt.data})
    assert {one.fact.id for one in memory.state().standings()} == {"one", "two", "three", "four"}
    assert git(home.repository.top, "status", "--porcelain") == ""


def test_m2_the_cache_belongs_to_somebody_else(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that can be neither read nor replaced is answered past, from memory."""
    before = reopened(home).continuity()

    def refused(*arguments: object, **more: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    held = cache_file(home).read_bytes()
    monkeypatch.setattr("memory.replay.ledger_snapshot.open_cache", _unusable)
    monkeypatch.setattr("memory.cache.rebuild.install", refused)
    memory = reopened(home)
    assert memory.continuity() == before
    receipt = memory.append(draft("four"))
    assert "four" in memory.continuity()
    assert_sound(home, [receipt.stem])
    assert cache_file(home).read_bytes() == held
    assert list(cache_file(home).parent.glob("*.tmp")) == []


@pytest.mark.parametrize("data", (b"", b"diurna-shown 1 x", b"# Continuity\n\n- A lie.\n"))
def test_m2_what_was_last_shown_is_damaged(
    home: Home, quick: Run, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """`diurna show` prints the replay all the same."""
    monkeypatch.chdir(home.repository.top)
    before = quick("show")
    shown = Path(home.cache_file + ".shown")
    whole = shown.read_bytes()
    head, _, body = whole.partition(b"\n")
    for wrong in (data, head + b"\n" + data, head + b"\n" + body.replace(b"one", b"two")):
        shown.write_bytes(wrong)
        assert quick("show") == before
    assert shown.read_bytes() == whole


# ---- other schemas and newer formats ----------------------------------------------------------------


@pytest.mark.parametrize("version", (CACHE_VERSION - 1, CACHE_VERSION + 1, 10**9))
def test_m3_a_cache_of_another_schema_is_built_anew(home: Home, version: int) -> None:
    """Its tables are not looked at: were they believed, the facts would be gone."""
    before = reopened(home).continuity()
    with sqlite3.connect(cache_file(home)) as base:
        base.execute("UPDATE meta SET value = ? WHERE key = 'version'", (marshal.dumps(version),))
        base.execute("DELETE FROM facts")
    as_left(cache_file(home))
    memory = reopened(home)
    assert memory.continuity() == before
    assert_same_answer(memory)
    with sqlite3.connect(cache_file(home)) as base:
        (found,) = base.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    assert marshal.loads(found) == CACHE_VERSION


# ---- a cache that goes away or lies -----------------------------------------------------------------


@pytest.mark.parametrize("damage", (_empty, _truncated, Path.unlink))
def test_m4_the_cache_is_deleted_during_a_query(home: Home, damage: Callable[[Path], None]) -> None:
    """A question that meets a file which is gone or cut short is asked again of a new one."""
    memory = reopened(home)
    asked = []

    def question(cache: Cache) -> list[str]:
        asked.append(cache)
        if len(asked) == 1:
            damage(cache_file(home))
            cache.close()  # as SQLite, which finds the file cut short under it
        return cache.ids()

    assert sorted(memory.snapshot.ask(question)) == ["one", "three", "two"]
    assert len(asked) == 2
    assert [note.code for note in memory.snapshot.notes] == ["cache-rebuilt"]
    assert_same_answer(memory)


def test_m4_the_cache_is_deleted_between_two_questions(home: Home) -> None:
    """A process that has it open notices, and goes on with the one of that name."""
    memory = reopened(home)
    assert memory.state().get("four") is None
    cache_file(home).unlink()
    other = reopened(home)
    other.append(draft("four"))
    assert memory.state().get("four") is not None
    assert_same_answer(memory)
    cache_file(home).unlink()
    assert_same_answer(memory)
    assert_same_answer(other)


def test_m5_the_cache_says_what_the_ledger_does_not(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`replay --check` compares the two, names the file and ends with 1; the ledger is right."""
    monkeypatch.chdir(home.folder)
    assert run("check", "--replay").code == 0
    truth = reopened(home).continuity()
    with sqlite3.connect(cache_file(home)) as base:
        base.execute("DELETE FROM facts WHERE id = 'two'")
    as_left(cache_file(home))
    ran = run("check", "--replay")
    assert ran.code == 1
    assert "the cache gives another continuity.md than the ledger" in ran.err
    assert "aside" in ran.err
    assert projection_files(reopened(home).cold_state())["continuity.md"].decode() == truth
    published = git(home.folder, "show", "HEAD:continuity.md")
    assert "The text of two." in published
    cache_file(home).rename(home.state_dir + "/moved aside")
    assert run("check", "--replay").code == 0
    assert reopened(home).continuity() == truth


@pytest.mark.parametrize("commit", ("0" * 40, "not a commit", ""))
def test_m5_the_cache_says_it_is_of_a_commit_that_is_not_there(home: Home, commit: str) -> None:
    """What can not be compared with the tip is not believed."""
    with sqlite3.connect(cache_file(home)) as base:
        (packed,) = base.execute("SELECT value FROM meta WHERE key = 'head'").fetchone()
        head = (commit, *marshal.loads(packed)[1:])
        base.execute("UPDATE meta SET value = ? WHERE key = 'head'", (marshal.dumps(head),))
        base.execute("DELETE FROM facts WHERE id = 'two'")
    as_left(cache_file(home))
    memory = reopened(home)
    assert memory.state().get("two") is not None
    assert_same_answer(memory)


def test_m5_a_cache_ahead_of_a_branch_that_went_back(home: Home) -> None:
    """A log that is not at the tip any more is not in the answer either."""
    git(home.folder, "reset", "-q", "--hard", "HEAD~1")
    memory = reopened(home)
    assert memory.state().get("three") is None
    assert_same_answer(memory)
    git(home.folder, "reset", "-q", "--hard", "ORIG_HEAD")
    assert reopened(home).state().get("three") is not None
    assert_same_answer(reopened(home))
