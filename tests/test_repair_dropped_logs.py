"""Logs that a plain `git commit` leaves out, because it was begun in the moment of their append (W11)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.home import Home
from memory.api import Memory
from memory.worktree.checkout_update import Ahead
from tests.campaigns import forks
from tests.campaigns.homes import (
    IN_TREE,
    OWN_REPOSITORY,
    WRITERS,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    open_memory,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture

kinds = pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])


def commit_beside(folder: Path, act: Callable[[], str], *more: str) -> tuple[str, str]:
    """Append, and commit as a user whose git read the index before and HEAD after; return both names."""
    index = folder / ".git" / "index"
    before = index.read_bytes()
    stem = act()
    after = index.read_bytes()
    (folder / ".git" / "old-index").write_bytes(before)
    environment = {**os.environ, "GIT_INDEX_FILE": str(folder / ".git" / "old-index")}
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "the user's", *more],
        cwd=folder, env=environment, check=True,
    )  # fmt: skip
    assert index.read_bytes() == after
    return stem, git(folder, "rev-parse", "HEAD").strip()


def diurna(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forks.run(["-m", "rituals", *arguments], folder, os.environ)


@pytest.mark.parametrize(
    "command",
    [
        ("show",), ("status",), ("brief",), ("log",), ("check", "--publish",), ("check", "--ci",), ("show", "a"),
        ("show", "nobody"), ("show", "nobody", "--json"),
    ],
)  # fmt: skip
def test_whatever_comes_next_brings_it_back_and_says_so(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Also where the answer of a moment ago is kept, and where a command fails; nothing else moves."""
    folder = tmp_path / "home"
    home = make_home(folder)
    diurna(folder, *command)
    stem, theirs = commit_beside(folder, lambda: open_memory(folder).append(draft("a")).stem)
    assert stem not in logs_in(home)
    (folder / "code.py").write_text("print('staged')\n")
    git(folder, "add", "code.py")
    ran = diurna(folder, *command)
    assert ran.returncode == ("nobody" in command), ran.stderr
    assert "log-dropped" not in ran.stdout and stem[:17] in ran.stderr
    assert "left it out; it is committed again" in ran.stderr
    assert_sound(home, [stem])
    git(folder, "merge-base", "--is-ancestor", theirs, "HEAD")
    assert git(folder, "status", "--porcelain") == "M  code.py\n"
    assert "left it out" not in diurna(folder, *command).stderr


@kinds
@pytest.mark.parametrize("writer", WRITERS)
def test_the_next_append_brings_it_back(tmp_path: Path, kind: str, writer: str) -> None:
    """In a running process as in a new one, and names it in its receipt."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    stem, _ = commit_beside(folder, lambda: memory.append(draft("b")).stem)
    assert stem not in logs_in(home)
    receipt = memory.append(draft("c"))
    assert [one.code for one in receipt.findings] == ["log-dropped"]
    assert_sound(home, [stem, receipt.stem])
    assert git(folder, "status", "--porcelain") == ""
    assert set(memory.state()) == {"a", "b", "c"}


@pytest.mark.parametrize("writer", WRITERS)
def test_an_append_notices_it_of_its_own_log(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's git read the index before our entry was in it, and wrote it behind our commit."""
    folder = tmp_path / "home"
    home = make_home(folder)
    right = Ahead.settle
    beside: list[str] = []

    def late(self: Ahead) -> None:
        if not beside:
            git(folder, "read-tree", "HEAD~1")
            git(folder, "commit", "-q", "--allow-empty", "-m", "the user's")
            beside.append(git(folder, "rev-parse", "HEAD").strip())
            assert not logs_in(home)
        right(self)

    monkeypatch.setattr(Ahead, "settle", late)
    receipt = open_memory(folder, writer).append(draft("a"))
    assert [one.code for one in receipt.findings] == ["log-dropped"]
    assert_sound(home, [receipt.stem])
    git(folder, "merge-base", "--is-ancestor", beside[0], "HEAD")
    assert git(folder, "status", "--porcelain") == ""


def test_the_newest_logs_are_kept_beyond_a_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The append that let go of the copies of all others may be the one that is left out."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 8)
    folder = tmp_path / "home"
    home = make_home(folder)
    memory = open_memory(folder)
    for number in range(7):
        memory.append(draft(f"fact-{number}"))
    stem, _ = commit_beside(folder, lambda: memory.append(draft("a")).stem)
    assert memory.kept() == [stem] and stem not in logs_in(home)
    memory.bring_back()
    assert_sound(home, [stem])


def test_an_amended_commit_leaves_it_out_too(tmp_path: Path) -> None:
    """Our commit itself is no ancestor any more; the branch stood there."""
    folder = tmp_path / "home"
    home = make_home(folder)
    stem, _ = commit_beside(folder, lambda: open_memory(folder).append(draft("a")).stem, "--amend")
    assert stem not in logs_in(home)
    memory = open_memory(folder)
    memory.bring_back()
    assert [one.code for one in memory.snapshot.notes] == ["log-dropped"]
    assert_sound(home, [stem])


def _removed(folder: Path, path: str) -> None:
    git(folder, "rm", "-q", path)
    git(folder, "commit", "-q", "-m", "out")


def _reset(folder: Path, path: str) -> None:
    git(folder, "reset", "-q", "--hard", "HEAD~1")


def _other_branch(folder: Path, path: str) -> None:
    git(folder, "checkout", "-q", "-b", "other", "HEAD~1")


def _reverted(folder: Path, path: str) -> None:
    git(folder, "revert", "--no-edit", "HEAD")


@pytest.mark.parametrize("how", [_removed, _reset, _other_branch, _reverted])
def test_what_a_person_takes_out_stays_out(
    tmp_path: Path, how: Callable[[Path, str], None]
) -> None:
    """L2 holds as before: only what the user still has comes back."""
    folder = tmp_path / "home"
    make_home(folder)
    receipt = open_memory(folder).append(draft("a"))
    how(folder, "memory/" + receipt.path)
    tip = git(folder, "rev-parse", "HEAD")
    memory = open_memory(folder)
    memory.bring_back()
    assert memory.snapshot.notes == []
    assert git(folder, "rev-parse", "HEAD") == tip
    again = memory.append(draft("b"))
    assert receipt.stem not in logs_in(memory.home) and again.findings == ()


def test_where_it_can_not_be_committed_it_is_said(tmp_path: Path) -> None:
    """While a merge is under way it waits; a dry run changes nothing."""
    folder = tmp_path / "home"
    home = make_home(folder)
    stem, _ = commit_beside(folder, lambda: open_memory(folder).append(draft("a")).stem)
    memory = open_memory(folder)
    memory.bring_back(dry_run=True)
    (said,) = memory.snapshot.notes
    assert said.code == "log-dropped" and "it is kept" in said.message and said.hint
    assert stem not in logs_in(home)
    (folder / ".git" / "MERGE_HEAD").write_text(
        git(folder, "commit-tree", "HEAD^{tree}", "-m", "not merged yet")
    )
    _told(open_memory(folder))
    assert stem not in logs_in(home)
    (folder / ".git" / "MERGE_HEAD").unlink()
    later = open_memory(folder)
    later.bring_back()
    later.drain()
    assert_sound(home, [stem])


def _told(memory: Memory) -> None:
    memory.bring_back()
    assert any("is in progress" in one.message for one in memory.snapshot.notes)


@pytest.mark.deep(reason="whatever_comes_next_brings_it_back_and_says_so is the small one")
def test_real_commits_beside_real_appends(tmp_path: Path) -> None:
    """Whatever was acknowledged is in the ledger after one more command, and no commit of the user's is lost."""
    folder = tmp_path / "home"
    home: Home = make_home(folder)
    script = (
        "for i in $(seq 60); do echo $i > f.py; git add f.py; "
        "git commit -q -m u$i 2>/dev/null && echo done; done"
    )
    user = subprocess.Popen(["sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True)
    memory = open_memory(folder)
    stems = []
    number = 0
    while user.poll() is None or number < 4:
        stems.append(memory.append(draft(f"fact-{number}")).stem)
        number += 1
    assert user.stdout is not None
    made = user.stdout.read().count("done")
    open_memory(folder).bring_back()
    assert len(stems) > 3 and made > 3
    assert_sound(home, stems)
    subjects = git(folder, "log", "--format=%s").split("\n")
    assert sum(one[:1] == "u" for one in subjects) == made
