"""Stamps and keys: nothing is read from the cache but what this user's Diurna left there, as it left it."""

from __future__ import annotations

import marshal
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ledger.home import Home
from ledger.model.layout import JOURNAL_FILE
from ledger.wal.user_key import user_key
from memory.api import Memory
from memory.cache import stamp as stamps
from memory.cache.stamp import ON_DISK, Stamp, StampBroken
from memory.recall.index.index_catch_up import index_file
from tests.campaigns.homes import OWN_REPOSITORY, draft, hermetic, make_home, open_memory

__all__ = ["hermetic"]

ROOT = Path(__file__).resolve().parents[1]
KEY = ".local/state/diurna/key"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a few logs, a cache and an index of recall."""
    made = make_home(tmp_path / "shop", OWN_REPOSITORY)
    memory = open_memory(made.repository.top, "pygit2")
    for name in ("one", "two", "three"):
        memory.append(draft(name))
    memory.recall("text")
    memory.close()
    return made


def cache_file(home: Home) -> str:
    return home.cache_file + ".sqlite"


def facts(home: Home) -> list[str]:
    """Return what a new process would be told, and see that the index agrees."""
    memory = Memory(home)
    try:
        assert len(memory.recall("text").hits) == 3
        return sorted(memory.state())
    finally:
        memory.close()


def journal(home: Home) -> list[str]:
    path = Path(home.repository.commondir, JOURNAL_FILE)
    return path.read_text().splitlines() if path.exists() else []


# ---- the key ----------------------------------------------------------------------------------------


def test_the_key_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    """32 bytes that nobody else can read, the same for all who ask at once."""
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(user_key())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found[0]) == 32
    assert (tmp_path / KEY).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / KEY).parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (tmp_path / KEY).parent.iterdir()] == ["key"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.chmod(0o644),
        lambda path: path.write_bytes(b"short"),
        lambda path: path.write_bytes(b""),
    ],
)
def test_a_key_that_is_none_any_more_is_made_anew(
    home: Home, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """One that others could read, or that was cut short: what was signed with it is built anew."""
    old = user_key()
    spoil(tmp_path / KEY)
    assert user_key() not in (b"", old)
    assert facts(home) == ["one", "three", "two"]


def test_a_key_is_no_link(tmp_path: Path) -> None:
    """What a link points to was put there by whoever made the link."""
    planted = tmp_path / "planted"
    planted.write_bytes(b"k" * 32)
    planted.chmod(0o600)
    (tmp_path / KEY).parent.mkdir(parents=True)
    (tmp_path / KEY).symlink_to(planted)
    assert user_key() != b"k" * 32


def test_xdg_state_home_says_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the XDG Base Directory Specification says; a relative path is none."""
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    key = user_key()
    assert (tmp_path / KEY).read_bytes() == key
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert user_key() == (tmp_path / "state/diurna/key").read_bytes() != key


def _no_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder / "nowhere"))


def _home_of_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)


def _home_is_read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(folder / ".local")
    (folder / ".local").write_text("no folder can be made here")


@pytest.mark.parametrize("without", [_no_home, _home_of_another, _home_is_read_only])
def test_without_a_key_nothing_is_kept_and_nothing_read(
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    without: Callable[[Path, pytest.MonkeyPatch], None],
) -> None:
    """The same answers, worked out anew in memory, and no word about it."""
    folder = Path(home.cache_file).parent
    without(tmp_path, monkeypatch)
    assert user_key() == b""
    with open(cache_file(home), "r+b") as file:
        file.write(b"x" * 5000)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    memory = Memory(home)
    assert sorted(memory.state()) == ["one", "three", "two"]
    assert len(memory.recall("text").hits) == 3
    assert memory.snapshot.notes == []
    memory.close()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not (tmp_path / "nowhere").exists()


# ---- what another one wrote -------------------------------------------------------------------------


#: What ends the interpreter is another thing in each of its versions; these bytes end the test.
BOMB = marshal.dumps("planted")


def _planted(home: Home) -> None:
    """Put bytes that must not be unpacked into every value of both files."""
    for file in (cache_file(home), index_file(home)):
        with closing(sqlite3.connect(file)) as base, base:
            base.execute("UPDATE meta SET value = ?", (BOMB,))


def test_what_another_user_wrote_is_not_unpacked(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache, an index and stamps made elsewhere, by who has another key: not one value is looked at."""
    unpacked = marshal.loads

    def careful(data: bytes) -> object:
        assert data != BOMB
        return unpacked(data)

    monkeypatch.setattr(marshal, "loads", careful)
    with pytest.raises(AssertionError):
        careful(BOMB)
    _planted(home)
    (tmp_path / "elsewhere").mkdir()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
        for file in (cache_file(home), index_file(home)):
            with Stamp(file).replacing():
                pass
            assert Stamp(file).holds()
    for file in (cache_file(home), index_file(home)):
        assert not Stamp(file).holds()
    assert facts(home) == ["one", "three", "two"]


@pytest.mark.deep(reason="test_cache_damage is the small one")
@pytest.mark.parametrize("suffix", [".shown", ".briefs"])
def test_an_answer_that_another_user_wrote_is_not_printed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """Signed with another key, for the very commit and question that is asked: worked out anew."""
    command = {".shown": "show", ".briefs": "brief"}[suffix]

    def said() -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _ENTRY, command],
            cwd=home.folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    honest = said()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
        assert said() == honest  # and is kept, under the other key
    file = Path(home.cache_file + suffix)
    kept = file.read_bytes()
    assert said() == honest
    mine = file.read_bytes()
    assert mine != kept
    assert kept.partition(b"\n")[2] == mine.partition(b"\n")[2]
    file.write_bytes(kept.replace(b"one", b"All"))
    assert said() == honest
    assert "what was last shown was not as it was left" in journal(home)[-1]


_ENTRY = "import sys; from rituals.cli.entry import main; sys.exit(main())"


# ---- what changed -----------------------------------------------------------------------------------


def _flip(path: str) -> None:
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        (byte,) = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 4]))


def test_a_bit_is_noticed_in_the_same_tick_of_the_clock(home: Home) -> None:
    """However soon after our own write, and also where the file's own time is set back."""
    for _ in range(50):
        stamp = Stamp(cache_file(home))
        with stamp.replacing():
            pass
        before = os.stat(cache_file(home))
        _flip(cache_file(home))
        assert not stamp.holds()
        time.sleep(0.02)
        os.utime(cache_file(home), ns=(before.st_atime_ns, before.st_mtime_ns))
        assert not stamp.holds()
        assert not Stamp(cache_file(home)).holds()


@pytest.mark.parametrize("suffix", [".sqlite", ".recall"])
def test_what_is_damaged_is_built_anew_and_said_once(home: Home, suffix: str) -> None:
    """In the answer's notes and in the journal, once; the next one finds all in order."""
    assert facts(home) == ["one", "three", "two"]
    before = len(journal(home))
    _flip(home.cache_file + suffix)
    memory = Memory(home)
    assert len(memory.recall("text").hits) == 3
    assert [note.code for note in memory.snapshot.notes] == ["cache-rebuilt"]
    memory.close()
    assert len(journal(home)) == before + 1
    memory = Memory(home)
    assert len(memory.recall("text").hits) == 3
    assert memory.snapshot.notes == []
    assert len(journal(home)) == before + 1
    memory.close()


def test_a_pipe_in_the_place_of_a_stamp_holds_nobody_up(home: Home) -> None:
    """It has no bytes, so the cache is built anew."""
    before = facts(home)
    os.unlink(cache_file(home) + ".stamp")
    os.mkfifo(cache_file(home) + ".stamp")
    after: list[str] = []
    asked = threading.Thread(target=lambda: after.extend(facts(home)), daemon=True)
    asked.start()
    asked.join(20)
    assert after == before


def test_a_process_that_has_it_open_notices_too(home: Home) -> None:
    """A server that runs for days reads its file again and again."""
    memory = Memory(home)
    memory.recall("text")
    for suffix in (".sqlite", ".recall"):
        _flip(home.cache_file + suffix)
        assert sorted(memory.state()) == ["one", "three", "two"]
        assert len(memory.recall("text").hits) == 3
        assert memory.snapshot.notes.pop().code == "cache-rebuilt"
        assert memory.snapshot.notes == []
    memory.close()


def test_a_log_beside_the_file_is_not_taken_for_a_part_of_it(home: Home) -> None:
    """SQLite reads a `-wal` whatever the file itself says; nobody of ours writes one."""
    lying = Path(home.folder).parent / "lying.sqlite"
    shutil.copyfile(cache_file(home), lying)
    base = sqlite3.connect(lying)
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("DELETE FROM facts")
    base.commit()
    shutil.copyfile(f"{lying}-wal", cache_file(home) + "-wal")
    base.close()
    with pytest.raises(StampBroken):
        Stamp(cache_file(home)).check()
    assert facts(home) == ["one", "three", "two"]
    assert not os.path.exists(cache_file(home) + "-wal")


def test_a_copy_is_built_anew_without_a_word(home: Home, tmp_path: Path) -> None:
    """A copied folder is no damage, but neither is it what was stamped."""
    copy = tmp_path / "copy"
    shutil.copytree(home.folder, copy)
    memory = Memory.open(str(copy))
    assert not Stamp(memory.home.cache_file + ".sqlite").holds()
    assert sorted(memory.state()) == ["one", "three", "two"]
    assert len(memory.recall("text").hits) == 3
    assert memory.snapshot.notes == []
    memory.close()


def test_files_of_two_branches_do_not_stand_in_for_each_other(home: Home) -> None:
    """With their stamps, by links or by moving them: a stamp is of one name."""
    other = home._replace(reference="refs/heads/other")
    for suffix in ("", ".stamp"):
        os.link(cache_file(home) + suffix, cache_file(other) + suffix)
    stamp = Stamp(cache_file(home))
    with stamp.replacing():
        pass  # the link changed what the system says of the file
    assert stamp.holds()
    assert not Stamp(cache_file(other)).holds()


# ---- a crash of the machine -------------------------------------------------------------------------


def test_what_may_not_be_on_the_disk_is_not_trusted_after_a_crash(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was just written is of this run of the machine; one that rested is brought to the disk."""
    if stamps.machine_run() == ON_DISK:
        pytest.skip("this system does not tell its runs apart")
    assert Stamp(cache_file(home)).holds()
    with monkeypatch.context() as later:
        later.setattr(stamps, "machine_run", lambda: "another-run")
        assert not Stamp(cache_file(home)).holds()
    monkeypatch.setattr(stamps, "_QUIET_NS", 0)
    assert facts(home) == ["one", "three", "two"]
    monkeypatch.setattr(stamps, "machine_run", lambda: "another-run")
    for file in (cache_file(home), index_file(home)):
        assert Stamp(file).holds()
    memory = open_memory(home.repository.top, "pygit2")
    memory.append(draft("four"))
    memory.close()
    monkeypatch.setattr(stamps, "machine_run", lambda: "a-third-run")
    assert not Stamp(cache_file(home)).holds()


@pytest.mark.parametrize("after", ["BEGIN", "COMMIT"])
def test_a_writer_that_is_killed_costs_no_file(home: Home, after: str) -> None:
    """In its transaction or behind it: SQLite takes back what was not done, and the file stays."""
    number = os.stat(cache_file(home)).st_ino
    script = """
import os, signal, sys
from memory.cache.cache_file import open_cache
cache = open_cache(sys.argv[1])
with cache.writing():
    cache.base.execute("PRAGMA cache_size = 1")
    cache.base.execute("PRAGMA cache_spill = 1")
    cache.base.execute("BEGIN IMMEDIATE")
    cache.base.execute("CREATE TABLE much AS SELECT randomblob(100000) FROM facts")
    if sys.argv[2] == "COMMIT":
        cache.base.execute("COMMIT")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, cache_file(home), after],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == -9
    assert not Stamp(cache_file(home)).holds()
    memory = Memory(home)
    assert sorted(memory.state()) == ["one", "three", "two"]
    assert memory.snapshot.notes == []
    memory.close()
    assert os.stat(cache_file(home)).st_ino == number
