"""The index follows the branch at once: a person's commit that begins right behind ours takes nothing out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.model.findings import Finding
from ledger.wal.atomic_files import replace_file
from memory.worktree import checkout, next_index
from memory.worktree.next_index import NextIndex, index_line
from memory.write.branch_lock import Branch
from memory.write.spool_commits import Committer
from tests.campaigns.homes import (
    IN_TREE,
    OWN_REPOSITORY,
    WRITERS,
    assert_sound,
    draft,
    git,
    make_home,
    open_memory,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture

kinds = pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])


def _stage(folder: Path, name: str = "theirs.py") -> None:
    (folder / name).write_text("print('theirs')\n")
    git(folder, "add", name)


@kinds
@pytest.mark.parametrize("writer", WRITERS)
def test_a_commit_right_behind_ours_has_the_persons_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, writer: str
) -> None:
    """It begins before anything of the commit is read back or shown in the work tree."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    write = Committer.write

    def write_and_commit(self: Committer, *arguments: object) -> tuple[str, list[Finding]]:
        made = write(self, *arguments)  # type: ignore[arg-type]
        _stage(folder)
        git(folder, "commit", "-q", "-m", "theirs")
        return made

    monkeypatch.setattr(Committer, "write", write_and_commit)
    stem = open_memory(folder, writer=writer).append(draft("a")).stem
    monkeypatch.undo()
    assert git(folder, "show", "--format=", "--name-only", "HEAD").split() == ["theirs.py"]
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""


def _while_it_moves(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]
) -> Callable[[], None]:
    """Let something happen between the copy of the index and its taking."""
    noted = Branch.noted

    def act_first(self: Branch, *arguments: object) -> object:
        act()
        return noted(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Branch, "noted", act_first)
    return monkeypatch.undo


def test_what_a_person_stages_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is older than the index then; the entries are set as git sets them."""
    folder = tmp_path / "home"
    home = make_home(folder)
    done = _while_it_moves(monkeypatch, lambda: _stage(folder))
    stem = open_memory(folder).append(draft("a")).stem
    done()
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == "A  theirs.py\n"


def test_a_lock_of_git_s_is_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git holds the index the copy is left; the lock stands as it was."""
    folder = tmp_path / "home"
    make_home(folder)
    lock = folder / ".git" / "index.lock"
    done = _while_it_moves(monkeypatch, lambda: lock.write_text("git's"))
    receipt = open_memory(folder).append(draft("a"))
    done()
    assert lock.read_text() == "git's"
    assert [one.code for one in receipt.findings] == ["index-busy"]
    lock.unlink()
    open_memory(folder).append(draft("b"))
    assert git(folder, "status", "--porcelain") == ""


def test_an_edit_as_old_as_the_index_is_seen(tmp_path: Path) -> None:
    """Git trusts the time of a file only where it is older than its index; the copy is as old as that."""
    folder = tmp_path / "home"
    make_home(folder)
    git(folder, "config", "core.trustctime", "false")
    _stage(folder)
    index, theirs = folder / ".git" / "index", folder / "theirs.py"
    then = index.stat().st_mtime_ns - 10**10
    os.utime(theirs, ns=(then, then))
    git(folder, "update-index", "--refresh")
    theirs.write_text("print('THEIRS')\n")  # of the same size
    os.utime(theirs, ns=(then, then))
    os.utime(index, ns=(then, then))
    open_memory(folder).append(draft("a"))
    assert git(folder, "status", "--porcelain", "theirs.py") == "AM theirs.py\n"


@pytest.mark.parametrize("shape", ["split", "unborn", "pending", "large", "unwritable"])
def test_where_it_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str) -> None:
    """The index of a shape that a copy does not hold is left to git."""
    folder = tmp_path / "home"
    make_home(folder)
    home = discover(str(folder))
    state = folder / ".git" / "diurna"
    if shape == "split":
        git(folder, "update-index", "--split-index")
    elif shape == "unborn":
        (folder / ".git" / "index").unlink()
    elif shape == "pending":
        from memory.worktree.checkout import remember_pending

        remember_pending(home, [f"100644 {'1' * 40}\tx"])
    elif shape == "large":
        monkeypatch.setattr(next_index, "_LARGEST_BYTES", 10)
    else:
        (state / "index-next").mkdir(parents=True)
    index = NextIndex(home)
    assert not index.prepare([index_line("memory/x", b"x")])
    assert not index.take()
    assert not (folder / ".git" / "index.lock").exists()


@pytest.mark.parametrize("mine", [b"", b"# Written by a person meanwhile\n"])
def test_a_branch_that_is_switched_while_files_are_written_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mine: bytes
) -> None:
    """A log that was written too late is no stranger on the other branch, which git would not leave then.

    What a person wrote in its place stays.
    """
    folder = tmp_path / "home"
    home = make_home(folder)
    policy = folder / "memory" / "diurna.toml"
    policy.write_text(policy.read_text().replace('"trunk"', '"review"', 1))
    git(folder, "commit", "-q", "-m", "policy", "memory/diurna.toml")
    memory = open_memory(folder)
    memory.append(draft("a"))
    git(folder, "branch", "other")
    right = replace_file

    def late(path: str, data: bytes, *more: object, **named: object) -> None:
        if path.endswith(".md") and git(folder, "branch", "--show-current") == "main\n":
            git(folder, "checkout", "-q", "other")
        right(path, data, *more, **named)  # type: ignore[arg-type]
        if mine and path.endswith(".md"):
            Path(path).write_bytes(mine)

    monkeypatch.setattr(checkout, "replace_file", late)
    stem = memory.append(draft("b")).stem
    monkeypatch.undo()
    assert git(folder, "branch", "--show-current") == "other\n"
    if mine:
        (log,) = (folder / "memory" / "sessions").rglob(f"{stem}.md")
        assert log.read_bytes() == mine
        return
    assert git(folder, "status", "--porcelain") == ""
    git(folder, "checkout", "-q", "main")
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""


@kinds
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("held", [False, True])
def test_a_commit_that_begins_before_the_branch_moves_takes_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, writer: str, held: bool
) -> None:
    """Git refuses it, with the index as ours has it and the branch about to move; given again it is theirs.

    So it is where our git finds the index held at first.
    """
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    take = NextIndex.take
    refused: list[str] = []

    def take_and_commit(self: NextIndex) -> bool:
        if held and not refused:
            _stage(folder, "earlier.py")
        taken = take(self)
        _stage(folder)
        try:
            git(folder, "commit", "-q", "-m", "theirs")
        except AssertionError as problem:
            refused.append(str(problem))
        return taken

    monkeypatch.setattr(NextIndex, "take", take_and_commit)
    stem = open_memory(folder, writer=writer).append(draft("a")).stem
    monkeypatch.undo()
    assert len(refused) == 1 + held
    assert all("lock ref" in one for one in refused)
    git(folder, "commit", "-q", "-m", "theirs")
    theirs = ["earlier.py"] * held + ["theirs.py"]
    assert git(folder, "show", "--format=", "--name-only", "HEAD").split() == theirs
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""
