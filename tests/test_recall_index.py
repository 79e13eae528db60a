"""The index of recall: whatever way it came about, and whatever became of its file, the answers are those of its logs."""

from __future__ import annotations

import json
import marshal
import os
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import heavy_work
from memory.api import Memory
from tests.campaigns.forks import Forked
from tests.conftest import as_left, examples
from tests.world import OWN_BRANCH, OWN_REPOSITORY, Place, World, sealed

QUESTIONS = ("retry queue", '"the queue"', "post*", "queue -webhook", "databases", "Ada1")


def session(number: int) -> tuple[str, bytes]:
    """Return the path and the bytes of a sealed log; its words are shared with others or its own."""
    words = ["retry queue", "databases broke", "the webhook queue", "retry, retry and retry"]
    body = (
        f"---\nagent: agent-{number % 3}\nrole: builder\nbranch: main\n---\n# Session {number % 4}\n\n"
        f"The shared words. {words[number % 4]}. Word{number}.\n\n"
        f"user: where is the queue?\n\nAda{number % 2}: in postCommitHook.\n\n"
        f"## Memory References\n\n- Created: fact-{number}\n\n"
        f"## Facts\n\n- The shared fact is {words[number % 3]}.\n  <!-- id: fact-{number} -->\n"
    ).encode()
    return f"sessions/2026-09/21/2026-09-21-1000{number:02}000-{sealed(body)}.md", body


POOL = [session(number) for number in range(14)]
Files = dict[str, bytes]


def pool(*numbers: int) -> Files:
    """Return some of the logs."""
    return dict(POOL[number] for number in numbers)


def set_logs(home: Place, files: Files) -> str:
    """Let memory's branch hold these logs and no others; return its tip."""
    rows = home.git("ls-tree", "-r", "--name-only", "HEAD", "--", "sessions", ok=False).split()
    return home.commit_on(home.branch, {**dict.fromkeys(rows), **files})


def answers(memory: Memory, questions: Sequence[str] = QUESTIONS) -> list[Any]:
    """Return all that is answered, with what each score is made of."""
    return [memory.recall(asked, limit=40, explain=True) for asked in questions]


def cold(home: Place) -> list[Any]:
    """Return the answers of a copy that has no cache and no index."""
    copy = home.world.folder / "cold"
    shutil.copytree(home.folder, copy, ignore=shutil.ignore_patterns("diurna"))
    try:
        with closing(Memory.open(str(copy))) as memory:
            return answers(memory)
    finally:
        shutil.rmtree(copy)


def file_of(home: Place, ending: str = ".recall") -> Path:
    """Return the file of the index, or of the cache."""
    (found,) = [
        path
        for path in (home.common / "diurna" / "cache").glob(f"*{ending}")
        if ".docs" not in path.name
    ]
    return found


@pytest.fixture
def home(world: World) -> Place:
    """A repository of memory with six logs, cache and index."""
    home = world.home(OWN_REPOSITORY)
    set_logs(home, pool(*range(6)))
    home.run("recall", "databases")
    return home


# ---- the law -----------------------------------------------------------------------------------------

Step = tuple[set[int], str]
#: Ways to sets of logs: those that the branch has next, and what is lost before that.
WAYS: dict[str, list[Step]] = {
    "one by one": [({0}, ""), ({0, 1}, ""), ({0, 1, 2}, "")],
    "late": [({0, 13}, ""), ({0, 6, 13}, ""), ({0, 1, 3, 6, 13}, "")],
    "gone and back": [(set(range(9)), ""), ({3, 4}, ""), (set(range(9)), "")],
    "none and some": [({1}, ""), (set(), ""), ({2, 5}, "")],
    "without a cache": [({1, 2}, ""), ({1, 2, 7}, ".sqlite"), ({7, 9}, ".sqlite")],
    "without an index": [({1, 2}, ""), ({1, 2, 7}, ".recall"), ({7, 9}, ".recall")],
    "another process": [({1, 2}, ""), ({1, 2, 7}, "process"), ({0, 7}, "process")],
    "collected": [({0, 1, 2, 3}, ""), ({2, 3, 4}, "objects"), ({2, 3, 4, 5}, "")],
}


def walk(home: Place, steps: Sequence[Step]) -> None:
    """Go a way, and ask after each step, in a process that stays, where it does."""
    memory = Memory.open(str(home.folder))
    for numbers, lost in steps:
        if lost == "process":
            memory.close()
            memory = Memory.open(str(home.folder))
        elif lost == "objects":
            home.git("update-ref", "-d", "HEAD")
        elif lost:
            file_of(home, lost).unlink(missing_ok=True)
        set_logs(home, pool(*sorted(numbers)))
        if lost == "objects":
            home.git("reflog", "expire", "--expire=now", "--all")
            home.git("gc", "-q", "--prune=now")
        found = answers(memory)
        assert found == cold(home)
        assert any(one.hits for one in found) == bool(numbers)
    assert not [note for note in memory.snapshot.notes if "recall" in note.message]
    memory.close()


@pytest.mark.parametrize("way", WAYS)
def test_any_way_to_a_set_of_logs_gives_its_answers(world: World, way: str) -> None:
    """Appends, pulls, resets and losses leave what these logs alone give."""
    walk(world.home(OWN_REPOSITORY), WAYS[way])


@pytest.mark.deep(reason="the ways that are written down are the small ones")
@settings(max_examples=examples(20, 60))
@given(
    steps=st.lists(
        st.tuples(
            st.sets(st.integers(0, len(POOL) - 1)),
            st.sampled_from(["", "", ".sqlite", ".recall", "process"]),
        ),
        min_size=2,
        max_size=5,
    ),
    apart=st.sampled_from([4, 1 << 20]),
)
def test_any_steps_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], apart: int
) -> None:
    """Also where numbers for late logs run out, and where what came bit by bit ends in a new file."""
    with World(tmp_path_factory.mktemp("law")) as world, pytest.MonkeyPatch.context() as patch:
        for name in ("APART", "REBUILD_FROM"):
            patch.setattr(f"memory.recall.index_catch_up.{name}", apart)
        home = world.home(OWN_REPOSITORY)
        set_logs(home, pool(0))
        walk(home, [({0}, ""), *steps])


def test_room_for_late_logs_ends_in_a_new_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few logs that come are put into the file as it is; where no number is left between two it is made anew."""
    for name in ("APART", "REBUILD_FROM"):
        monkeypatch.setattr(f"memory.recall.index_catch_up.{name}", 4)
    home = world.home(OWN_REPOSITORY)
    memory = Memory.open(str(home.folder))
    files = []
    for numbers in ([0, 13], [0, 6, 13], [0, 1, 6, 13], [0, 1, 2, 6, 13], [0, 1, 2, 3, 6, 13]):
        set_logs(home, pool(*numbers))
        assert answers(memory) == cold(home)
        files.append(os.stat(file_of(home)).st_ino)
    assert files[0] == files[1] and len(set(files)) > 1
    memory.close()


def test_a_reset_and_back_builds_nothing(home: Place) -> None:
    """Few logs that go and come back are taken out of the file and put in again; a lost cache costs no index."""
    with closing(Memory.open(str(home.folder))) as memory:
        whole, before, number = home.tip(), answers(memory), os.stat(file_of(home)).st_ino
        set_logs(home, pool(1, 2, 3))
        assert answers(memory) == cold(home) != before
        home.git("update-ref", "HEAD", whole)
        assert answers(memory) == before
    file_of(home, ".sqlite").unlink()
    with closing(Memory.open(str(home.folder))) as memory:
        assert answers(memory) == before
    assert os.stat(file_of(home)).st_ino == number


# ---- the file ----------------------------------------------------------------------------------------


def _sql(statement: str, *values: object) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as base, base:
            base.execute(statement, values)

    return damage


def _holed(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 900] = b"\xa5" * 900
    file.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "garbage": lambda file: file.write_bytes(b"SQLite format 3\0" + b"\x5a" * 9000),
    "no database": lambda file: file.write_bytes(b"hello"),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:6000]),
    "holed": _holed,
    "other version": _sql("UPDATE meta SET value = ? WHERE key = 'version'", marshal.dumps(10**6)),
    "without mark": _sql("DELETE FROM meta WHERE key = 'mark'"),
    "bad rows": _sql("UPDATE logs SET passages = x'ff00'"),
    "without words": _sql("DROP VIEW terms"),
}


@pytest.mark.deep(but=("True-0", "False-1"))
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("ours", [False, True])
def test_a_damaged_index_is_built_anew_and_the_cache_kept(
    home: Place, ours: bool, half: int
) -> None:
    """The next question answers as ever, says so once, and throws no good cache away; also for a fault of our own."""
    whole, cache = cold(home), os.stat(file_of(home, ".sqlite")).st_ino
    for name, damage in list(DAMAGES.items())[half::2]:
        damage(file_of(home))
        if ours:
            as_left(file_of(home))
        with closing(Memory.open(str(home.folder))) as memory:
            assert answers(memory) == whole, name
            notes = [note.message for note in memory.snapshot.notes]
        assert notes == ["the index of recall was unusable and was built anew"], name
        assert os.stat(file_of(home, ".sqlite")).st_ino == cache, name
        with closing(Memory.open(str(home.folder))) as memory:
            assert answers(memory) == whole and not memory.snapshot.notes, name


def test_an_index_damaged_while_it_is_open(home: Place) -> None:
    """What breaks under an open process is found by the question that meets it."""
    with closing(Memory.open(str(home.folder))) as memory:
        before = answers(memory)
        DAMAGES["bad rows"](file_of(home))
        as_left(file_of(home))
        assert answers(memory) == before and len(memory.snapshot.notes) == 1


def test_writers_that_never_rest(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is answered even if the ledger moves whenever the index has followed."""
    follower = "memory.recall.index_catch_up."
    monkeypatch.setattr(f"{follower}_TRIES", 3)
    monkeypatch.setattr(f"{follower}_attempt", lambda *_: None)
    assert home.run("recall", "Word3").json["passages"]


def test_a_damaged_cache_is_mended_and_costs_no_index(home: Place) -> None:
    """What the cache can not say is read anew."""
    number = os.stat(file_of(home)).st_ino
    _sql("UPDATE facts SET history = x'ff00'")(file_of(home, ".sqlite"))
    ran = home.run("recall", "fact shared", "--kind", "fact")
    assert len(ran.json["facts"]) == 6
    assert "the cache was unusable and was built anew" in ran.err
    assert os.stat(file_of(home)).st_ino == number


def test_an_index_of_another_ledger_says_nothing_of_this(home: Place, world: World) -> None:
    """A file that was copied in counts for nothing, nor one of another branch of the same repository."""
    other = world.home(OWN_REPOSITORY, "other")
    set_logs(other, pool(*range(6, 12)))
    other.run("recall", "databases")
    shutil.copyfile(file_of(home), file_of(other))
    with closing(Memory.open(str(other.folder))) as memory:
        assert answers(memory) == cold(other)
    branch = world.home(OWN_BRANCH, "branch")
    set_logs(branch, pool(0, 1, 2))
    assert branch.run("recall", "databases").json["hits"]
    assert os.stat(file_of(branch)).st_mode & 0o777 == 0o600


def test_several_build_at_once(home: Place) -> None:
    """Whoever comes last puts its file in place; all answer the same, and nothing is left beside."""
    whole = home.run("recall", "databases").json
    file_of(home).unlink()
    started: list[Forked] = [home.spawn("recall", "databases", "--json") for _ in range(2)]
    assert [json.loads(one.communicate()[0]) for one in started] == [whole] * 2
    assert not [one for one in os.listdir(home.common / "diurna/cache") if ".tmp" in one]
    assert home.run("recall", "databases").json == whole


@pytest.mark.deep(
    only=tuple(f"{built}-{does}-99" for built in (True, False) for does in ("die", "ENOSPC"))
)
@pytest.mark.parametrize(("does", "most"), [("die", 1), ("ENOSPC", 1), ("die", 99), ("ENOSPC", 99)])
@pytest.mark.parametrize("built", [True, False])
def test_whatever_happens_to_a_step_of_the_index(
    home: Place, does: str, built: bool, most: int
) -> None:
    """A full disk changes no answer; behind a death the next question answers, and clears away what was left."""
    set_logs(home, pool(*range(8)))
    if not built:
        file_of(home).unlink()
    whole = home.fork("whole").run("recall", "databases").json
    assert len(whole["hits"]) > 2
    steps = [
        line for line in home.fork("counted").steps("recall", "databases") if ".recall" in line
    ]
    assert steps
    for step in range(len(steps), 0, -1)[:most]:
        torn = home.fork(f"torn-{step}")
        ran = torn.at_step(step, does, "recall", "databases", on=".recall")
        assert does == "die" or ran.json == whole
        for left in (torn.common / "diurna/cache").glob("*.tmp*"):
            os.utime(left, (1, 1))
        assert torn.run("recall", "databases").json == whole
        assert not [*(torn.common / "diurna/cache").glob("*.tmp*")]


@pytest.mark.parametrize("kept", [0, 60_000])
def test_where_little_or_nothing_can_be_written(home: Place, kept: int) -> None:
    """The answers are the same, with an index that is behind and with none, and nothing is left."""
    set_logs(home, pool(*range(8)))
    whole = home.fork("whole").run("recall", "databases").json
    for there in (True, False):
        assert home.limited("FSIZE", kept, "recall", "databases").json == whole
        assert not [*(home.common / "diurna/cache").glob("*.tmp*")]
        if there:
            file_of(home).unlink()


def test_what_is_in_the_place_of_the_index_or_its_folder(home: Place) -> None:
    """It is worked around, in memory, and followed there."""
    whole = home.run("recall", "databases").json
    cache, index = home.common / "diurna/cache", file_of(home)
    index.unlink()
    index.mkdir()
    assert home.run("recall", "databases").json == whole
    shutil.rmtree(cache)
    cache.write_text("in the way")
    with closing(Memory.open(str(home.folder))) as memory:
        assert answers(memory) == cold(home)
        set_logs(home, pool(*range(3, 9)))
        assert answers(memory) == cold(home)


def test_a_fault_in_the_ranking_is_told_as_such(
    home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own faults are asked once, reach the caller, and cost neither the cache nor the index."""
    asked = []

    def breaks(*_: object, **__: object) -> None:
        asked.append(1)
        raise KeyError("a fault")

    before = [os.stat(file_of(home, ending)).st_ino for ending in (".recall", ".sqlite")]
    monkeypatch.setattr("memory.recall.recaller.search", breaks)
    with closing(Memory.open(str(home.folder))) as memory:
        with pytest.raises(KeyError, match="a fault"):
            memory.recall("databases")
        assert (len(asked), memory.snapshot.notes) == (1, [])
    assert [os.stat(file_of(home, ending)).st_ino for ending in (".recall", ".sqlite")] == before


# ---- what is read of a log ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf---\r\nagent: a\r\n---\r\n# T\r\n\r\nOne \xff two zebra.\r\n\r\nThree\0four.\r\n",
        b"---\nagent: a\n---\n# T\n\nOne zebra\x0c\xe2\x80\xa8two.\n\nThree\x85four.\n",
        b"# T\r\rOne zebra\r\r" + b"word " * 300 + b"\r",
    ],
)
def test_lines_are_those_of_the_reader(home: Place, data: bytes) -> None:
    """Bytes of any tool are read as the codec reads them: a hit names the very line."""
    set_logs(home, {"sessions/2026-01-02-030405.md": data})
    hit = home.run("recall", "zebra").json["hits"][0]
    stem, _, line = hit["id"].partition(":")
    assert (stem, hit["date"]) == ("2026-01-02-030405", "2026-01-02")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert "zebra" in "\n".join(lines[int(line) - 1 :][:3])
    assert "\0" not in home.run("recall", "--ids", hit["id"]).json["hits"][0]["text"]


def stems(home: Place, question: str) -> set[str]:
    """Return the logs of the hits."""
    return {hit["stem"] for hit in home.run("recall", question).json["hits"]}


def test_a_changed_log_is_read_from_history(home: Place) -> None:
    """Bytes that do not match their seal are not found; those that history has of them are."""
    (path, data), stem = POOL[0], Path(POOL[0][0]).stem
    set_logs(home, {**pool(1), path: data.replace(b"Word0", b"forged zebra")})
    assert not stems(home, "forged zebra") and stems(home, "Word0") == {stem}
    with closing(Memory.open(str(home.folder))) as memory:
        assert "Word0" in memory.get([stem]).hits[0].text
        assert answers(memory) == cold(home)
        set_logs(home, pool(1))
        assert answers(memory) == cold(home)


def test_a_log_that_never_was_whole_is_not_indexed(home: Place) -> None:
    """It says nothing, is not read again for every question, and is found when it comes whole; so is none over 1 MB."""
    path, data = session(20)
    large = b"# T\n\nzebra " + b"word " * 250_000
    set_logs(home, {**pool(1), path: data + b"\nzebra\n", "sessions/2026-01-02-030405.md": large})
    assert not stems(home, "zebra") and len(stems(home, "shared")) == 1
    changed = os.stat(file_of(home)).st_mtime_ns
    assert not stems(home, "zebra") and os.stat(file_of(home)).st_mtime_ns == changed
    file_of(home, ".sqlite").unlink()
    set_logs(home, {**pool(1), path: data})
    assert len(stems(home, "shared")) == 2


def test_two_logs_of_one_name_are_both_found(home: Place) -> None:
    """Each has an id that `--ids` takes; what is redacted of one is of both."""
    both = {
        f"sessions/{folder}2026-01-02-030405.md": f"# T\n\nzebra {folder}\n".encode()
        for folder in ("", "old/")
    }
    set_logs(home, both)
    hits = home.run("recall", "zebra").json["hits"]
    assert len({hit["id"] for hit in hits}) == 2
    for hit in hits:
        assert "zebra" in home.run("recall", "--ids", hit["id"]).json["hits"][0]["text"]
    redaction = b"# R\n\n## Memory References\n\n- Redacted: 2026-01-02-030405\n"
    set_logs(home, {**both, "sessions/2026-02-02-030405.md": redaction})
    assert not stems(home, "zebra")


# ---- several processes -------------------------------------------------------------------------------


def test_other_processes_prepare_the_same(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batches of workers come in order; what one does not live to send is prepared here."""
    from memory.recall import log_reader

    set_logs(home, dict(POOL))
    monkeypatch.setattr(log_reader, "_BATCH", 3)
    with closing(Memory.open(str(home.folder))) as memory:
        place = memory.home
        rows = memory.snapshot.ask(lambda cache: cache.packed_entries())
        alone = [log for batch in log_reader.prepare(place, rows) for log in batch]
        assert len(alone) == len(POOL)
        real, parent, done = log_reader._prepared, os.getpid(), []

        def dies(*arguments: Any) -> Any:
            if os.getpid() != parent:
                done.append(1)
                if len(done) == 2:
                    os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)

        monkeypatch.setattr(log_reader, "_FORK_FROM", 0)
        for workers, mortal in ((1, False), (3, False), (2, True)):
            if mortal:
                monkeypatch.setattr(log_reader, "_prepared", dies)
            monkeypatch.setattr(log_reader, "_WORKERS", workers)
            made = [log for batch in log_reader.prepare(place, rows) for log in batch]
            assert made == alone


@pytest.fixture
def _thread() -> Iterator[threading.Event]:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield done
    done.set()
    thread.join()


def test_no_process_is_forked_beside_threads(
    _thread: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that another thread holds would stay locked in the child for ever."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert not heavy_work.may_fork()
