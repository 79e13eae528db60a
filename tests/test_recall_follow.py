"""The index of recall: damage, crashes, other processes and full disks never change what recall answers."""

from __future__ import annotations

import ctypes
import marshal
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.home import Home, discover
from ledger.model.layout import CACHE_VERSION, stem_of
from memory.api import Memory
from memory.recall import recaller as answering
from memory.recall.index import index_catch_up
from memory.recall.index.index_catch_up import IndexFollower, index_file
from memory.recall.recall_values import Filters
from tests.campaigns import forks
from tests.campaigns.homes import OWN_REPOSITORY, as_left, hermetic, make_home
from tests.conftest import sampled
from tests.teams import Team
from tests.test_recall_index import POOL, followed, fresh, set_logs

__all__ = ["hermetic"]

ROOT = Path(__file__).resolve().parents[1]
#: What a child exits with that can not give up its rights.
POWERFUL = 77


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of six logs, with its cache and its index."""
    home = make_home(tmp_path / "shop", OWN_REPOSITORY)
    set_logs(home, dict(POOL[:6]))
    memory = Memory(home)
    memory.recall("databases")
    memory.close()
    return home


@pytest.fixture
def memory(home: Home) -> Iterator[Memory]:
    memory = Memory(home)
    yield memory
    memory.close()


def cache_number(home: Home) -> int:
    return os.stat(home.cache_file + ".sqlite").st_ino


def index_number(home: Home) -> int:
    return os.stat(index_file(home)).st_ino


def notes(memory: Memory) -> list[str]:
    return [note.message for note in memory.snapshot.notes]


def child(home: Home, body: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run lines in a process of its own that has `memory` open."""
    script = (
        "import os, sys, signal, resource\nfrom memory.api import Memory\n"
        f"memory = Memory.open({home.repository.where!r})\n" + textwrap.dedent(body)
    )
    if not more:
        return forks.run(["-c", script], ROOT, os.environ)
    return subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, **more,
    )  # fmt: skip


def debris(home: Home) -> list[str]:
    return [name for name in os.listdir(os.path.dirname(home.cache_file)) if ".tmp" in name]


# ---- damage ------------------------------------------------------------------------------------------


def _truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:6000])


def _holed(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 900] = b"\xa5" * 900
    file.write_bytes(data)


def _other_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as base, base:
        packed = marshal.dumps(CACHE_VERSION + 1)
        base.execute("UPDATE meta SET value = ? WHERE key = 'version'", (packed,))


def _without_mark(file: Path) -> None:
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("DELETE FROM meta WHERE key = 'mark'")


def _bad_rows(file: Path) -> None:
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("UPDATE logs SET passages = x'ff00'")


def _without_words(file: Path) -> None:
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("DROP VIEW places")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "garbage": lambda file: file.write_bytes(b"SQLite format 3\0" + b"\x5a" * 9000),
    "no-database": lambda file: file.write_bytes(b"hello"),
    "truncated": _truncated,
    "holed": _holed,
    "other-version": _other_version,
    "without-mark": _without_mark,
    "bad-rows": _bad_rows,
    "without-words": _without_words,
}


@pytest.mark.parametrize(
    ("damage", "stamped"), sampled([(one, way) for one in DAMAGES for way in (False, True)], 3)
)
def test_a_damaged_index_is_built_anew_and_the_cache_kept(
    home: Home, damage: str, stamped: bool
) -> None:
    """The next question answers as ever, says so once, and throws no good cache away."""
    cache = cache_number(home)
    DAMAGES[damage](Path(index_file(home)))
    if stamped:
        as_left(index_file(home))
    memory = Memory(home)
    assert {hit.stem for hit in memory.recall("databases").hits} == {
        stem_of(POOL[1][0]), stem_of(POOL[5][0]), stem_of(POOL[4][0]),
    }  # fmt: skip
    assert notes(memory) == ["the index of recall was unusable and was built anew"]
    memory.recall("retry")
    assert len(notes(memory)) == 1
    assert cache_number(home) == cache
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    memory.close()


def test_an_index_damaged_while_it_is_open(home: Home, memory: Memory) -> None:
    """What breaks under an open process is found by the question that meets it."""
    cache = cache_number(home)
    expected = memory.recall("databases")
    with closing(sqlite3.connect(index_file(home))) as base, base:
        base.execute("UPDATE logs SET passages = x'ff00'")
    as_left(index_file(home))
    assert memory.recall("databases") == expected
    assert cache_number(home) == cache
    assert len(notes(memory)) == 1


@pytest.mark.parametrize("problem", [KeyError, ValueError, TypeError, sqlite3.ProgrammingError])
def test_a_fault_in_the_ranking_is_told_as_such(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch, problem: type[Exception]
) -> None:
    """Our own faults are asked once, reach the caller, and cost neither the cache nor the index."""
    asked = []

    def breaks(*_: object, **__: object) -> None:
        asked.append(1)
        raise problem("a fault")

    before = cache_number(home), index_number(home)
    monkeypatch.setattr(answering, "search", breaks)
    with pytest.raises(problem, match="a fault"):
        memory.recall("databases")
    assert len(asked) == 1
    assert (cache_number(home), index_number(home)) == before
    assert not notes(memory)


@pytest.mark.parametrize(
    "filters", [Filters(), Filters(kinds=("fact",)), Filters(tiers=("working",))]
)
def test_a_damaged_cache_is_still_mended(home: Home, filters: Filters) -> None:
    """What the cache can not say is read anew, and the index stays; also where the ranking asks it."""
    number = index_number(home)
    with closing(sqlite3.connect(home.cache_file + ".sqlite")) as base, base:
        base.execute("UPDATE facts SET history = x'ff00'")
    as_left(home.cache_file + ".sqlite")
    memory = Memory(home)
    found = memory.recall("fact shared", filters=filters, limit=30)
    assert "fact-2" in {hit.id for hit in found.facts}
    assert notes(memory) == [
        "the cache could not be used and was built anew (a value is not as it was written)"
    ]
    assert index_number(home) == number
    memory.close()


def test_a_lost_cache_costs_no_index(home: Home) -> None:
    """The set of logs tells whether an index is right, whatever cache it was made beside."""
    number, changed = index_number(home), os.stat(index_file(home)).st_mtime_ns
    Path(home.cache_file + ".sqlite").unlink()
    memory = Memory(home)
    assert memory.recall("databases").hits
    assert (index_number(home), os.stat(index_file(home)).st_mtime_ns) == (number, changed)
    set_logs(home, dict(POOL[:7]))
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    assert index_number(home) == number
    memory.close()


def test_an_index_of_another_repository(home: Home, tmp_path: Path) -> None:
    """A file that was copied in says nothing of this ledger, whatever numbers it shares with it."""
    other = make_home(tmp_path / "other", OWN_REPOSITORY)
    set_logs(other, dict(POOL[6:12]))
    memory = Memory(other)
    memory.recall("databases")
    shutil.copyfile(index_file(home), index_file(other))
    as_left(index_file(other))
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    # the same, with the cache's own generation written into it
    with closing(sqlite3.connect(index_file(home))) as base, base:
        (packed,) = base.execute("SELECT value FROM meta WHERE key = 'mark'").fetchone()
        mark = list(marshal.loads(packed))  # noqa: S302 - our own
        mark[1] = memory.snapshot.cache().generation
        base.execute("UPDATE meta SET value = ? WHERE key = 'mark'", (marshal.dumps(tuple(mark)),))
    shutil.copyfile(index_file(home), index_file(other))
    as_left(index_file(other))
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    memory.close()


# ---- other processes ---------------------------------------------------------------------------------


@pytest.mark.deep(reason="the other tests here have one clone")
def test_logs_of_another_clone_in_between(tmp_path: Path) -> None:
    """A sync brings logs that sort between ours; the open process finds them at their place."""
    team = Team(tmp_path)
    ada, bob = team.one, team.clone("bob")
    ada.create("alpha", "The zebra crossing is closed.")
    ada.sync()
    bob.sync()
    memory = ada.memory
    following = IndexFollower(memory.snapshot)
    followed(following)
    for number in range(3):
        bob.create(f"bobs-{number}", f"The lion number {number} sleeps.")
        ada.create(f"adas-{number}", f"The zebra number {number} runs.")
        bob.sync()
        ada.sync()
        assert followed(following) == fresh(memory)
    assert len(memory.recall("lion").hits) >= 3
    following.close()
    memory.close()


def test_the_file_is_built_while_others_write_to_the_cache(home: Home) -> None:
    """No other process waits for the end of a long building with what it has to write."""
    os.unlink(index_file(home))
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        with closing(sqlite3.connect(home.cache_file + ".sqlite", timeout=0)) as base:
            base.execute("BEGIN EXCLUSIVE")
            base.execute("ROLLBACK")

    memory = Memory(home, progress=progress)
    assert memory.recall("databases").hits
    assert told and told[-1] == (6, 6)
    memory.close()


def test_another_process_was_faster(home: Home, memory: Memory) -> None:
    """An open process notices a file that was replaced, and one that was brought forward."""
    following = IndexFollower(memory.snapshot)
    followed(following)
    set_logs(home, dict(POOL[:9]))
    other = Memory(home)
    other.recall("databases")
    assert followed(following) == fresh(memory)
    os.unlink(index_file(home))
    other.close()
    other = Memory(home)
    other.recall("databases")
    number = index_number(home)
    assert followed(following) == fresh(memory)
    assert index_number(home) == number
    other.close()


def test_several_build_at_once(home: Home) -> None:
    """Whoever comes last puts its file in place; all answer the same, and nothing is left beside."""
    os.unlink(index_file(home))
    script = (
        "import sys\nfrom memory.api import Memory\nsys.stdin.read(1)\n"
        f"print(Memory.open({home.repository.where!r}).recall('databases').hits)\n"
    )
    started = [forks.Forked(["-c", script], ROOT, os.environ, spoken_to=True) for _ in range(4)]
    for one in started:
        assert one.stdin is not None
        one.stdin.write(b"x")
        one.stdin.close()
    said = {one.communicate()[0] for one in started}
    assert len(said) == 1
    assert all(one.returncode == 0 for one in started)
    assert not debris(home)
    memory = Memory(home)
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    memory.close()


def test_writers_that_never_rest(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question is answered even if the ledger moves whenever the index has followed."""
    monkeypatch.setattr(index_catch_up, "_TRIES", 3)
    monkeypatch.setattr(IndexFollower, "_attempt", lambda *_: None)
    assert {hit.stem for hit in memory.recall("Word3").hits} == {stem_of(POOL[3][0])}


# ---- crashes -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="who has a file open is not told here")
def test_killed_while_it_builds(home: Home) -> None:
    """What a killed process leaves is no index, and the next one clears it away."""
    os.unlink(index_file(home))
    done = child(
        home,
        """
        from memory.recall.index import update as changes
        changes.write_mark = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        memory.recall("databases")
        """,
    )
    assert done.returncode == -9, done.stderr
    assert not os.path.exists(index_file(home))
    (left,) = debris(home)
    old = os.path.dirname(home.cache_file) + "/" + left
    os.utime(old, (1, 1))
    memory = Memory(home)
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    assert not debris(home)
    assert not notes(memory)
    memory.close()


def test_killed_while_it_follows(home: Home) -> None:
    """A log that was written in part is taken back by whoever opens the file next."""
    set_logs(home, dict(POOL[3:9]))
    done = child(
        home,
        """
        from memory.recall.index import update as changes
        whole = changes.add
        def dies(base, *arguments):
            base.execute("PRAGMA cache_size = 1")
            whole(base, *arguments)
            base.execute("PRAGMA cache_spill = 1")
            os.kill(os.getpid(), signal.SIGKILL)
        changes.add = dies
        memory.recall("databases")
        """,
    )
    assert done.returncode == -9, done.stderr
    memory = Memory(home)
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    assert not notes(memory)
    memory.close()


# ---- disks that take nothing -------------------------------------------------------------------------


def _no_override() -> None:
    """Let the modes of files count for root too, in a child that is about to start."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                os._exit(POWERFUL)


ASKED = "print(sorted({hit.stem for hit in memory.recall('Word7 Word2').hits}))"


@pytest.mark.parametrize("lost", ["", ".recall", ".sqlite"])
def test_read_only(home: Home, lost: str) -> None:
    """Where nothing may be written the answers are the same, with the index, a part of it, or none."""
    expected = sorted([stem_of(POOL[2][0]), stem_of(POOL[7][0])])
    set_logs(home, dict(POOL[:8]))
    if lost:
        os.unlink(home.cache_file + lost)
    folder = Path(home.cache_file).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    modes = {path: path.stat().st_mode for path in [folder, *folder.iterdir()]}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        done = child(home, ASKED, preexec_fn=_no_override)
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    if done.returncode == POWERFUL:
        pytest.skip("this user writes whatever the modes say, and can not give that up")
    assert done.stdout == f"{expected}\n", done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("kept", [0, 60_000])
@pytest.mark.parametrize("there", [True, False])
def test_full_disk(home: Home, there: bool, kept: int) -> None:
    """Whether nothing can be written or a part of it: the answers are the same, and nothing is left."""
    expected = sorted([stem_of(POOL[2][0]), stem_of(POOL[7][0])])
    set_logs(home, dict(POOL[:8]))
    if not there:
        os.unlink(index_file(home))
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({kept}, {kept}))\n"
    done = child(home, "sys.stdout.reconfigure(write_through=True)\n" + limit + ASKED)
    assert done.stdout == f"{expected}\n", done.stderr
    assert not debris(home)
    memory = Memory(home)
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    memory.close()


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    """A file where the cache's folder should be: everything happens in memory, and is followed there."""
    home = make_home(tmp_path / "shop", OWN_REPOSITORY)
    shutil.rmtree(os.path.dirname(home.cache_file), ignore_errors=True)
    Path(os.path.dirname(home.cache_file)).write_text("in the way")
    set_logs(home, dict(POOL[:6]))
    memory = Memory(discover(home.repository.where))
    following = IndexFollower(memory.snapshot)
    first = followed(following)
    set_logs(home, dict(POOL[2:8]))
    assert followed(following) == fresh(memory) != first
    following.close()
    memory.close()


def test_a_folder_in_the_place_of_the_index(home: Home) -> None:
    """What can not be replaced is worked around, in memory."""
    os.unlink(index_file(home))
    os.mkdir(index_file(home))
    memory = Memory(home)
    assert memory.recall("databases").hits
    assert memory.recall("databases").hits
    assert not debris(home)
    memory.close()
