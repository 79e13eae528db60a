"""The index of recall: whatever way it came about, it is that of its logs, and answers like it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import heavy_work as parallel
from ledger.home import Home, discover
from ledger.model.layout import log_path
from ledger.model.order import seal, stamp_of
from memory.api import Memory
from memory.cache.stamp import Stamp
from memory.recall.index import log_reader as preparing
from memory.recall.index import update as changes
from memory.recall.index import writer as filling
from memory.recall.index.fts_file import Index
from memory.recall.index.index_catch_up import IndexFollower
from memory.recall.index.log_reader import prepare
from memory.recall.index.rows import FACTS_APART, FACTS_FROM, PLACE_BITS, PLACES
from memory.recall.index.update import Change, everything, fill, write
from memory.recall.index.writer import new_file, numbers_for
from memory.recall.passage_search import search
from tests.campaigns.homes import OWN_BRANCH, OWN_REPOSITORY, git, hermetic, make_home
from tests.conftest import examples

__all__ = ["hermetic"]

START_MS = 1_790_000_000_000
QUESTIONS = ("retry queue", "databases", '"the queue"', "shared", "post*", "queue -webhook", "ada")


def session(number: int, *, late: bool = False) -> tuple[str, bytes]:
    """Return the path and the bytes of a sealed log; its words are shared with others or its own."""
    words = ["retry queue", "databases broke", "the webhook queue", "retry, retry and retry"]
    body = (
        f"---\nagent: agent-{number % 3}\nrole: builder\nbranch: main\n---\n# Session {number % 4}\n\n"
        f"The shared words. {words[number % 4]}. Word{number}.\n\n"
        f"user: where is the queue?\n\nAda{number % 2}: in postCommitHook.\n\n"
        f"## Memory References\n\n- Created: fact-{number}\n\n"
        f"## Facts\n\n- The shared fact is {words[number % 3]}.\n  <!-- id: fact-{number} -->\n"
    ).encode()
    return log_path(seal(stamp_of(START_MS + 1000 * number), body)), body


POOL = [session(number) for number in range(14)]


def set_logs(home: Home, files: dict[str, bytes], message: str = "x") -> None:
    """Make a commit on the home's branch that holds these logs and no others."""
    out = [f"commit {home.reference}\ncommitter A <a@example.invalid> 1700000000 +0000\n".encode()]
    out.append(b"data %d\n%s\n" % (len(message), message.encode()))
    tip = home.tip()
    if tip:
        out.append(f"from {tip}\n".encode())
        listing = git(home.repository.where, "ls-tree", "-r", "--name-only", tip)
        sessions = home.prefix + "sessions/"
        gone = [path for path in listing.split("\n") if path.startswith(sessions)]
        out += [f"D {path}\n".encode() for path in gone]
    for path, data in files.items():
        out.append(f"M 100644 inline {home.prefix}{path}\n".encode())
        out.append(b"data %d\n%s\n" % (len(data), data))
    subprocess.run(
        ["git", "-C", home.repository.where, "fast-import", "--quiet", "--force"],
        input=b"".join(out), check=True, capture_output=True,
    )  # fmt: skip


def told(index: Index) -> dict[str, Any]:
    """Return all that an index says, without its own numbers."""
    logs = index.base.execute("SELECT number, stem FROM logs ORDER BY number").fetchall()
    stems = dict(logs)
    assert [stem for _, stem in logs] == sorted(stems.values())
    places: dict[str, list[Any]] = {}
    rows = index.base.execute("SELECT term, doc, col, offset FROM places").fetchall()
    for term, row, column, offset in sorted(rows):
        at = (stems[row >> PLACE_BITS], row & PLACES, column, offset)
        places.setdefault(term, []).append(at)
    found = {}
    for question in QUESTIONS:
        ranking = search(index, question).ranking
        found[question] = (
            [
                (stems[one.row >> PLACE_BITS], one.row & PLACES, one.score, one.parts)
                for one in ranking.passages
            ],
            [(stems[number], score) for number, score in ranking.sessions],
        )
    return {
        "totals": index.totals,
        "digest": index.mark.digest,
        "logs": [index.log(number) for number in stems],
        "blobs": index.logs(),
        "speakers": index.base.execute("SELECT * FROM speakers ORDER BY name").fetchall(),
        "places": places,
        "words": index.beginning(""),
        "counts": {word: index.count(word) for word in places},
        "found": {
            word: [stems[row >> PLACE_BITS] for row, _ in index.found(word)] for word in places
        },
        "ranked": found,
    }


def fresh(memory: Memory) -> dict[str, Any]:
    """Return what an index says that is made of the same logs in one go."""
    base = new_file(":memory:")
    fill(memory.home, base, memory.snapshot.ask(lambda cache: everything(memory.home, cache)))
    index = Index(base, Stamp(""))
    try:
        return told(index)
    finally:
        index.close()


def followed(following: IndexFollower) -> dict[str, Any]:
    return following.ask(lambda cache, index: told(index))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "shop", OWN_REPOSITORY)


@pytest.fixture
def memory(home: Home) -> Iterator[Memory]:
    memory = Memory(home)
    yield memory
    memory.close()


# ---- the law -----------------------------------------------------------------------------------------

#: The logs that the branch has next, and what is lost on the way.
STEPS = st.lists(
    st.tuples(
        st.sets(st.integers(0, len(POOL) - 1), max_size=len(POOL)),
        st.sampled_from(["", "", "", "cache", "index", "process"]),
    ),
    min_size=2,
    max_size=5,
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "shop"
    make_home(folder, OWN_REPOSITORY)
    return folder


@settings(max_examples=examples(3, 12))
@given(steps=STEPS)
def test_any_way_to_a_set_of_logs_gives_its_index(
    tmp_path_factory: pytest.TempPathFactory, template: Path, steps: list[tuple[set[int], str]]
) -> None:
    """Appends, pulls, resets and losses in any order leave the index that these logs alone give."""
    folder = tmp_path_factory.mktemp("law") / "shop"
    shutil.copytree(template, folder)
    home = discover(str(folder))
    memory = Memory(home)
    following = IndexFollower(memory.snapshot)
    try:
        for numbers, lost in steps:
            if lost == "process":
                following.close()
                memory.close()
                memory = Memory(home)
                following = IndexFollower(memory.snapshot)
            elif lost:
                suffix = {"cache": ".sqlite", "index": ".recall"}[lost]
                Path(home.cache_file + suffix).unlink(missing_ok=True)
            set_logs(home, dict(POOL[number] for number in sorted(numbers)))
            assert followed(following) == fresh(memory)
        assert not [note for note in memory.snapshot.notes if "recall" in note.message]
    finally:
        following.close()
        memory.close()
        shutil.rmtree(folder)


def test_a_reset_and_back_is_the_same_file(home: Home, memory: Memory) -> None:
    """Few logs that go and come back are taken out and put in again, nothing is built anew."""
    set_logs(home, dict(POOL))
    whole = home.tip()
    following = IndexFollower(memory.snapshot)
    before = followed(following)
    number = os.stat(home.cache_file + ".recall").st_ino
    set_logs(home, dict(POOL[3:9]))
    assert followed(following) == fresh(memory) != before
    git(home.repository.where, "update-ref", home.reference, whole)
    assert followed(following) == fresh(memory) == before
    assert os.stat(home.cache_file + ".recall").st_ino == number


def test_logs_that_git_collected_cost_a_new_file(home: Home, memory: Memory) -> None:
    """What can not be read any more can not be taken out word by word."""
    set_logs(home, dict(POOL[:6]))
    following = IndexFollower(memory.snapshot)
    followed(following)
    git(home.repository.where, "update-ref", "-d", home.reference)
    set_logs(home, dict(POOL[3:7]))
    git(home.repository.where, "reflog", "expire", "--expire=now", "--all")
    git(home.repository.where, "gc", "-q", "--prune=now")
    assert followed(following) == fresh(memory)
    assert following.ask(lambda cache, index: index.totals.logs) == 4


def test_room_for_late_logs_ends_in_a_new_file(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers follow the ledger's order; where no number is left between two logs all get new ones."""
    monkeypatch.setattr(filling, "APART", 4)
    monkeypatch.setattr(changes, "APART", 4)
    following = IndexFollower(memory.snapshot)
    files = set()
    for numbers in ([0, 13], [0, 6, 13], [0, 1, 6, 13], [0, 1, 2, 6, 13], [0, 1, 2, 3, 6, 13]):
        set_logs(home, dict(POOL[number] for number in numbers))
        assert followed(following) == fresh(memory)
        files.add(os.stat(home.cache_file + ".recall").st_ino)
    assert len(files) > 1


@pytest.mark.deep(reason="room_for_late_logs_ends_in_a_new_file is the small one")
def test_logs_that_come_bit_by_bit_end_in_a_new_file(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came since the file was built is kept apart, until it is a good part of the whole."""
    monkeypatch.setattr(changes, "REBUILD_FROM", 4)
    following = IndexFollower(memory.snapshot)
    files, recent = [], []
    for number in range(len(POOL)):
        set_logs(home, dict(POOL[: number + 1]))
        assert followed(following) == fresh(memory)
        files.append(os.stat(home.cache_file + ".recall").st_ino)
        recent.append(following.ask(lambda cache, index: index.mark.recent))
    assert recent == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1]
    assert len(set(files[:6])) == 1
    assert files[6] != files[5]


def test_many_late_logs_find_room_between_two() -> None:
    """A thousand logs that come late at once, before, between and behind, keep the order."""
    base = new_file(":memory:")
    values = ("b", "b", "d", "a", "r", "b", 0, b"", 0)
    for number, key in ((filling.FIRST, "b"), (filling.FIRST + filling.APART, "d")):
        base.execute(
            "INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (number, key, *values)
        )
    keys = [f"{letter}{number:04}" for letter in "ace" for number in range(1000)]
    found = numbers_for(base, keys)
    assert found is not None
    everyone = {**found, "b": filling.FIRST, "d": filling.FIRST + filling.APART}
    assert sorted(everyone, key=lambda key: everyone[key]) == sorted(everyone)
    assert len(set(everyone.values())) == len(everyone)
    assert numbers_for(base, [f"c{number:05}" for number in range(filling.APART)]) is None
    base.close()


# ---- what is read of a log ---------------------------------------------------------------------------


def prose_of(memory: Memory) -> dict[str, list[int]]:
    """Return the lines on which the passages of each log begin."""
    rows = IndexFollower(memory.snapshot).ask(
        lambda cache, index: [
            index.log(number) for (number,) in index.base.execute("SELECT number FROM logs")
        ]
    )
    return {row.stem: [piece.line for piece in row.pieces] for row in rows if row is not None}


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf---\r\nagent: a\r\n---\r\n# T\r\n\r\nOne \xff two zebra.\r\n\r\nThree\0four.\r\n",
        b"---\nagent: a\n---\n# T\n\nOne zebra\x0c\xe2\x80\xa8two.\n\nThree\x85four.\n",
        b"# T\r\rOne zebra\r\r" + b"word " * 300 + b"\r",
    ],
)
def test_lines_are_those_of_the_reader(home: Home, memory: Memory, data: bytes) -> None:
    """Bytes of any tool are read as the codec reads them: a hit names the very line."""
    path = "sessions/2026-01-02-030405.md"
    set_logs(home, {path: data})
    (hit, *_) = memory.recall("zebra").hits
    stem, _, line = hit.id.partition(":")
    assert stem == "2026-01-02-030405"
    assert hit.date == "2026-01-02"
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert hit.text and int(line) in prose_of(memory)[stem]
    near = lines[int(line) - 1 :]
    assert "zebra" in "\n".join(near[:3])
    assert "\0" not in memory.get([hit.id]).hits[0].text


def test_a_conflicted_log_says_nothing(home: Home, memory: Memory) -> None:
    """Nothing counts that a log with unresolved markers says; one that quotes them in code is read."""
    markers = "<<<<<<< a\nzebra\n=======\nlion\n>>>>>>> b\n"
    set_logs(
        home,
        {
            "sessions/2026-01-02-030405.md": f"# T\n\nzebra one\n\n{markers}".encode(),
            "sessions/2026-01-02-030406.md": f"# T\n\nzebra two\n\n```\n{markers}```\n".encode(),
        },
    )
    assert {hit.stem for hit in memory.recall("zebra").hits} == {"2026-01-02-030406"}
    assert prose_of(memory)["2026-01-02-030405"] == []


def test_a_changed_log_is_read_from_history(home: Home, memory: Memory) -> None:
    """Bytes that do not match their seal are not found; those that history has of them are."""
    path, data = POOL[0]
    set_logs(home, {path: data})
    set_logs(home, {path: data.replace(b"Word0", b"forged zebra"), POOL[1][0]: POOL[1][1]})
    assert not memory.recall("forged zebra").hits
    assert {hit.stem for hit in memory.recall("Word0").hits} == {Path(path).stem}
    assert "Word0" in memory.get([Path(path).stem]).hits[0].text
    following = IndexFollower(memory.snapshot)
    assert followed(following) == fresh(memory)
    set_logs(home, {POOL[1][0]: POOL[1][1]})
    assert followed(following) == fresh(memory)


def test_a_log_never_seen_whole_is_not_indexed(home: Home, memory: Memory) -> None:
    """A log that never matched its seal says nothing, and is not read again for every question."""
    path, data = POOL[0]
    set_logs(home, {path: data + b"\nzebra\n", POOL[1][0]: POOL[1][1]})
    assert not memory.recall("zebra").hits
    following = IndexFollower(memory.snapshot)
    assert following.ask(lambda cache, index: (index.totals.logs, index.mark.skipped)) == (1, 1)
    changed = os.stat(home.cache_file + ".recall").st_mtime_ns
    assert not memory.recall("zebra").hits
    assert os.stat(home.cache_file + ".recall").st_mtime_ns == changed
    Path(home.cache_file + ".sqlite").unlink()
    set_logs(home, {path: data, POOL[1][0]: POOL[1][1]})
    assert followed(following) == fresh(memory)
    assert following.ask(lambda cache, index: index.totals.logs) == 2


def test_a_log_over_the_limit_is_left_out(home: Home, memory: Memory) -> None:
    """What is not read is not found either; all else is."""
    large = b"# T\n\nzebra " + b"word " * 250_000
    small = b"# T\n\nzebra here\n"
    set_logs(home, {"sessions/2026-01-02-030405.md": large, "sessions/2026-01-02-030406.md": small})
    assert {hit.stem for hit in memory.recall("zebra").hits} == {"2026-01-02-030406"}


def test_two_logs_of_one_name_are_both_found(home: Home, memory: Memory) -> None:
    """Each has a row of its own, and an id that `get` takes; what is redacted of one is of both."""
    set_logs(
        home,
        {
            "sessions/2026-01-02-030405.md": b"# T\n\nzebra one\n",
            "sessions/old/2026-01-02-030405.md": b"# T\n\nzebra two\n",
        },
    )
    hits = memory.recall("zebra").hits
    assert len({hit.id for hit in hits}) == 2
    for hit in hits:
        assert "zebra" in memory.get([hit.id]).hits[0].text
    assert followed(IndexFollower(memory.snapshot)) == fresh(memory)
    redaction = b"# R\n\n## Memory References\n\n- Redacted: 2026-01-02-030405\n"
    set_logs(
        home,
        {
            "sessions/2026-01-02-030405.md": b"# T\n\nzebra one\n",
            "sessions/old/2026-01-02-030405.md": b"# T\n\nzebra two\n",
            log_path(seal(stamp_of(START_MS), redaction)): redaction,
        },
    )
    assert not memory.recall("zebra").hits


def test_a_phrase_is_looked_up_by_its_stems(home: Home, memory: Memory) -> None:
    """FTS5 would take the ending off a stem once more, and not find what it indexed itself."""
    text = b"# T\n\nAll databases broke.\n\nThe broken databases.\n\nBroke databases, all.\n"
    set_logs(home, {"sessions/2026-01-02-030405.md": text})

    def lines(phrase: str) -> list[str]:
        def asked(_: object, index: Index) -> list[str]:
            rows = index.matching(index.stems(phrase))
            logs = {row: index.log(row >> PLACE_BITS) for row in rows}
            return [log.stem for log in logs.values() if log is not None]

        return IndexFollower(memory.snapshot).ask(asked)

    assert lines("databases broke") == lines("the broken databases") == ["2026-01-02-030405"]
    assert not lines("broke all databases")
    assert not lines("")
    assert not lines('"" ()')


def test_facts_are_found_by_their_events(home: Home, memory: Memory) -> None:
    """A log's facts are passages of it, each with its id, created or updated."""
    body = (
        b"---\nagent: a\n---\n# T\n\n## Memory References\n\n- Created: alpha\n- Updated: beta\n\n"
        b"## Facts\n\n- Zebra text.\n  <!-- id: alpha | tags: stripes -->\n"
        b"- Lion text.\n  <!-- id: beta -->\n"
    )
    set_logs(home, {log_path(seal(stamp_of(START_MS), body)): body})

    def facts(_: object, index: Index) -> dict[str, int]:
        (log,) = [index.log(row[0]) for row in index.base.execute("SELECT number FROM logs")]
        assert log is not None
        places = {one.fact: place for place, one in enumerate(log.facts)}
        for place in places.values():
            piece = log.at(FACTS_FROM + FACTS_APART * place)
            assert piece is not None and places[piece.fact] == place
        return places

    assert IndexFollower(memory.snapshot).ask(facts) == {"alpha": 0, "beta": 1}
    assert [hit.id for hit in memory.recall("stripes").hits] == ["alpha"]


# ---- several processes -------------------------------------------------------------------------------


def test_other_processes_prepare_the_same(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batches of workers come in order; what one does not live to send is prepared here."""
    set_logs(home, dict(POOL))
    monkeypatch.setattr(preparing, "_BATCH", 3)
    sources = memory.snapshot.ask(lambda cache: everything(home, cache)).fresh
    alone = [log for batch in prepare(home, sources, 0) for log in batch]
    assert len(alone) == len(POOL)
    for workers in (1, 2, 3):
        assert [log for batch in prepare(home, sources, workers) for log in batch] == alone
    real, parent = preparing._prepared, os.getpid()
    done = []

    def dies(*arguments: Any) -> Any:
        if os.getpid() != parent:
            done.append(1)
            if len(done) == 2:
                os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments)

    monkeypatch.setattr(preparing, "_prepared", dies)
    assert [log for batch in prepare(home, sources, 2) for log in batch] == alone


def test_no_process_is_forked_beside_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that another thread holds would stay locked in the child for ever."""
    import threading

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    alone = parallel.may_fork()
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not parallel.may_fork()
    finally:
        done.set()
        thread.join()
    assert parallel.may_fork() == alone


def test_an_index_that_moved_on_is_left_alone(home: Home, memory: Memory) -> None:
    """A change worked out for another state of the index is not written."""
    set_logs(home, dict(POOL[:2]))
    following = IndexFollower(memory.snapshot)
    followed(following)
    change = following.ask(lambda cache, index: Change(index.mark, index.mark, (), ()))
    set_logs(home, dict(POOL[:3]))
    stands = followed(following)
    index = following._opened()
    assert index is not None
    assert write(home, index, change._replace(after=change.after._replace(number=0)))
    assert followed(following) == stands


def test_a_home_on_its_own_branch_has_an_index_of_its_own(tmp_path: Path) -> None:
    """Branches and prefixes of one repository do not share a file."""
    home = make_home(tmp_path / "other", OWN_BRANCH)
    set_logs(home, dict(POOL[:3]))
    memory = Memory(home)
    assert memory.recall("databases").hits
    assert os.path.exists(home.cache_file + ".recall")
    assert os.stat(home.cache_file + ".recall").st_mode & 0o777 == 0o600
    memory.close()
