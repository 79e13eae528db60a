"""Races and kills in small: what `tests/campaigns` does by the hundred, in seconds.

The codes in names are those of `tests.faults`, groups A and B.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from ledger.home import Home, discover
from ledger.model.sha256 import blob_id
from memory.worktree.checkout import hand_edited, write_noted
from tests.campaigns.forks import Forked
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    WRITERS,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    open_memory,
    user_repository,
    users_files,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.campaigns.kills import LIMIT_SECONDS, kill_syncs, kill_writers
from tests.campaigns.races import race, start_worker

SEED = 20_261_121


@pytest.mark.deep(reason="test_concurrent_writers has two at a time")
@pytest.mark.parametrize("kind", KINDS)
def test_b2_writers_of_both_kinds_at_once_lose_nothing(tmp_path: Path, kind: str) -> None:
    """Four processes, six appends each: all are acknowledged, each is one log, and git is content."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    before = users_files(folder)
    found = race(folder, "mixed", 4, 6)
    assert found.clean, found
    assert found.in_ledger == found.acknowledged == 24
    if kind != OWN_REPOSITORY:
        assert users_files(folder) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_b2_writers_of_one_kind_at_once_lose_nothing(tmp_path: Path, writer: str) -> None:
    """The same with each writer against itself."""
    folder = tmp_path / "home"
    make_home(folder)
    found = race(folder, writer, 3, 4)
    assert found.clean, found
    assert found.in_ledger == 12


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_b1_writers_in_several_worktrees_at_once_lose_nothing(tmp_path: Path, kind: str) -> None:
    """What a process was told stands on the branch of the work tree that it wrote in."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    places = [folder, tmp_path / "one", tmp_path / "two"]
    for place in places[1:]:
        git(folder, "worktree", "add", "-q", "-b", place.name, str(place))
    children = [
        start_worker(place, WRITERS[number % 2], f"w{number}", 4, str(tmp_path))
        for number, place in enumerate(places)
    ]
    acknowledged: set[str] = set()
    said = [child.communicate()[0].decode().strip().split("\n")[1:] for child in children]
    for place, lines in zip(places, said, strict=True):
        assert [line for line in lines if line[:3] != "ok "] == []
        assert len(lines) == 4
        assert_sound(discover(str(place)), [line[3:] for line in lines])
        acknowledged.update(line[3:] for line in lines)
    assert len(acknowledged) == 12
    for place in places:
        assert git(place, "status", "--porcelain") == ""
        if kind == OWN_BRANCH:
            assert set(logs_in(discover(str(place)))) == acknowledged


def _write_often(home: Home, page: str) -> None:
    for number in range(20):
        write_noted(home, page, f"{number}".encode())


def test_pages_written_at_once_are_nobodys_edits(tmp_path: Path) -> None:
    """`replay --write` beside an append: each remembers what it wrote, and forgets nothing of the other's."""
    home = make_home(tmp_path / "home", IN_TREE)
    pages = [f"archive/2026-{number:02d}.md" for number in range(1, 9)]
    with ProcessPoolExecutor(len(pages)) as pool:
        list(pool.map(_write_often, [home] * len(pages), pages))
    assert hand_edited(home, pages, {}) == []


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_b3_processes_race_for_the_first_commit_of_a_branch(tmp_path: Path, kind: str) -> None:
    """An unborn branch gets exactly one root, with everybody's logs above it."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    if kind == OWN_BRANCH:
        git(folder, "update-ref", "-d", home.reference)
    else:
        git(folder, "checkout", "-q", "--orphan", "fresh")
    assert discover(str(folder)).tip() == ""
    children = [
        start_worker(folder, WRITERS[number % 2], f"w{number}", 3, str(tmp_path))
        for number in range(3)
    ]
    stems = [
        line[3:]
        for child in children
        for line in child.communicate()[0].decode().split("\n")
        if line.startswith("ok ")
    ]
    home = discover(str(folder))
    assert len(stems) == 9
    assert git(folder, "rev-list", "--max-parents=0", home.branch).count("\n") == 1
    assert set(logs_in(home)) == set(stems)
    assert_sound(home, stems)


#: Commits to one unborn branch after another, each as soon as the others are ready for it too.
_CONTENDER = """
import sys
from ledger.git.commit_record import Commit, Identity
from ledger.errors import ReferenceLocked, TipMoved
from ledger.git.fast_import import FastImport
from ledger.git.pygit2_store import Store
from ledger.git.repository import find_repository

folder, writer, name = sys.argv[1:]
store = (Store if writer == "pygit2" else FastImport)(find_repository(folder))
for line in sys.stdin:
    wanted = Commit(
        line.strip(), "", "", ((f"{name}.md", name.encode()),), name,
        Identity("Ada", "ada@example.invalid"), 0,
    )
    try:
        print(store.commit(wanted), flush=True)
    except (TipMoved, ReferenceLocked) as problem:
        print(type(problem).__name__, flush=True)
"""


def test_b3_without_any_lock_of_ours_one_root_wins_and_all_others_are_told(tmp_path: Path) -> None:
    """The compare-and-swap alone decides: on every branch one writer, and only one, was told a commit."""
    folder = user_repository(tmp_path / "home")
    children = [
        Forked(
            ["-c", _CONTENDER, str(folder), WRITERS[number % 2], f"w{number}"],
            tmp_path, {**os.environ, "PYTHONUNBUFFERED": "1"}, spoken_to=True,
        )
        for number in range(4)
    ]  # fmt: skip
    lost = 0
    for number in range(25):
        branch = f"refs/heads/raced-{number}"
        for child in children:
            assert child.stdin is not None
            child.stdin.write(f"{branch}\n".encode())
            child.stdin.flush()
        said = [child.stdout.readline().decode().strip() for child in children]
        winners = [line for line in said if len(line) == 40]
        assert winners == [git(folder, "rev-parse", branch).strip()], said
        lost += len([line for line in said if line in ("TipMoved", "ReferenceLocked")])
    assert lost == 75
    for child in children:
        child.communicate()
        assert child.returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_b4_two_inits_at_once_make_one_home(tmp_path: Path, kind: str) -> None:
    """One makes it, the other finds it made; both say so, and the home works."""
    folder = tmp_path / "home"
    if kind != OWN_REPOSITORY:
        user_repository(folder)
    arguments = {
        IN_TREE: ["init"],
        OWN_BRANCH: ["init", "--branch", "memory"],
        OWN_REPOSITORY: ["init", str(folder)],
    }[kind]
    children = [
        Forked(
            ["-m", "rituals", *arguments],
            folder if kind != OWN_REPOSITORY else tmp_path,
            os.environ,
        )
        for _ in range(2)
    ]
    for child in children:
        _, err = child.communicate()
        assert child.returncode == 0, err.decode()
    home = discover(str(folder))
    assert home.kind == kind
    made = git(folder, "log", "--format=%s", home.branch, "--", f"{home.prefix}diurna.toml")
    assert made.count("\n") == 1
    changes = git(folder, "log", "--format=", "--name-only", home.branch, "--", home.prefix or ".")
    assert sorted(changes.split()) == [
        home.prefix + name for name in (".gitattributes", "continuity.md", "diurna.toml")
    ]
    assert_sound(home, [open_memory(folder).append(draft("a")).stem])
    assert git(folder, "status", "--porcelain") == ""
    exclude = (folder / ".git" / "info" / "exclude").read_text()
    assert exclude.count("/.memory/") == (kind == OWN_BRANCH)


@pytest.mark.parametrize("name", ["HEAD.lock", "refs/heads/main.lock"])
@pytest.mark.parametrize("writer", WRITERS)
def test_b7_a_lock_that_a_killed_writer_left_is_moved_aside(
    tmp_path: Path, writer: str, name: str
) -> None:
    """When git moves the branch that is checked out it locks HEAD as well; a person's git would wait for it."""
    folder = tmp_path / "home"
    home = make_home(folder)
    lock = folder / ".git" / name
    lock.touch()
    os.utime(lock, (lock.stat().st_mtime - 5,) * 2)
    (folder / ".git" / "diurna" / "lock").write_text(f"1 {home.reference} {home.tip()}\n")
    receipt = open_memory(folder, writer).append(draft("a"))
    said = [one.message for one in receipt.findings if one.code == "stale-lock"]
    assert len(said) == len(receipt.findings) == 1
    assert name in said[0] and not lock.exists()
    assert_sound(home, [receipt.stem])


@pytest.mark.parametrize("case", ["left", "git at work", "older"])
def test_b5_an_index_lock_that_our_killed_git_left_is_moved_aside(
    tmp_path: Path, case: str
) -> None:
    """Only one made right after our dead process's note, and with no git at work there."""
    folder = tmp_path / "home"
    home = make_home(folder)
    own = folder / ".git" / "diurna" / "lock"
    own.write_text(f"1 following {home.reference} {home.tip()}\n")
    left = folder / ".git" / "index.lock"
    left.touch()
    if case == "older":
        os.utime(left, (own.stat().st_mtime - 60,) * 2)
    argv = ["git", "cat-file", "--batch"] if case == "git at work" else ["true"]
    with subprocess.Popen(argv, cwd=folder, stdin=subprocess.PIPE) as other:
        receipt = open_memory(folder).append(draft("a"))
        assert other.stdin is not None
        other.stdin.close()
    codes = [one.code for one in receipt.findings]
    assert codes == (["stale-lock"] if case == "left" else ["index-busy"])
    assert left.exists() == (case != "left")
    if case == "left":
        assert git(folder, "status", "--porcelain") == ""
    assert_sound(home, [receipt.stem])


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
@pytest.mark.parametrize("writer", WRITERS)
def test_a1_to_a5_a_killed_writer_loses_nothing_it_was_told(
    tmp_path: Path, writer: str, kind: str
) -> None:
    """Writers killed at random moments, with and without their git; each next append just works."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    toll = kill_writers(folder, writer, 4, SEED)
    assert toll.runs == 4
    assert toll.lost == 0
    assert toll.faults == ()
    assert toll.acknowledged >= 4
    assert toll.slowest < LIMIT_SECONDS


@pytest.mark.deep(
    reason="test_network::i1_a_clone_killed_between_push_and_move_loses_nothing is the small one"
)
@pytest.mark.parametrize("kind", [OWN_BRANCH, OWN_REPOSITORY])
def test_i1_syncs_killed_at_any_moment_lose_nothing(tmp_path: Path, kind: str) -> None:
    """Processes that append and sync, killed with and without their git; the next sync just works."""
    toll = kill_syncs(tmp_path / "pair", kind, 2, SEED)
    assert (toll.runs, toll.lost, toll.faults) == (2, 0, ())
    assert toll.acknowledged >= 4


@pytest.mark.parametrize("writer", WRITERS)
def test_b8_what_piles_up_is_packed_when_git_says_so(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that only Diurna writes to is packed now and then, by the user's own settings."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 4)
    folder = tmp_path / "home"
    home = make_home(folder, OWN_REPOSITORY)
    for key, value in (("gc.auto", "1"), ("gc.autoDetach", "false")):
        git(folder, "config", key, value)
    # git guesses how much has piled up from the folder `17`
    texts = (b"%d" % number for number in range(100_000))
    for _, text in zip(range(3), (one for one in texts if blob_id(one)[:2] == "17"), strict=False):
        (folder / "guess").write_bytes(text)
        git(folder, "hash-object", "-w", "--no-filters", str(folder / "guess"))
    (folder / "guess").unlink()
    memory = open_memory(folder, writer)
    stems = [memory.append(draft(f"d{number}")).stem for number in range(6)]
    assert list((folder / ".git" / "objects" / "pack").glob("*.pack"))
    assert_sound(home, stems)
