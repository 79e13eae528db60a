"""Settings of a repository: what is read off the file is what git says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.git.repository import checked_out_elsewhere, find_repository
from ledger.git.tracked_files import is_dirty
from tests.conftest import Repo, make_repository


def test_git_is_asked_only_where_there_are_settings_of_diurna(tmp_path: Path) -> None:
    """Most repositories have none, and a hook can not wait for git to say so."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for settings in (False, True):
        repository = find_repository(str(tmp_path))
        assert repository is not None and repository.settings is settings
        subprocess.run(["git", "-C", str(tmp_path), "config", "diurna.branch", "x"], check=True)


def test_the_other_work_trees_that_have_a_branch(tmp_path: Path) -> None:
    """Each that has it checked out, but for the one that asks; a detached one has none."""
    main, side, loose = (str(tmp_path / name) for name in ("main", "side", "loose"))
    for command in (
        ["init", "-q", "-b", "main", main],
        ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-q", "--allow-empty", "-m", "m"],
        ["-C", main, "worktree", "add", "-q", "-b", "side", side],
        ["-C", main, "worktree", "add", "-q", "--detach", loose],
    ):  # fmt: skip
        subprocess.run(["git", *command], check=True)
    found = {}
    for folder in (main, side, loose):
        repository = find_repository(folder)
        assert repository is not None
        for branch in ("main", "side"):
            others = checked_out_elsewhere(repository, f"refs/heads/{branch}")
            found[folder, branch] = [other.top for other in others]
    assert found == {
        (main, "main"): [], (main, "side"): [side], (side, "main"): [main], (side, "side"): [],
        (loose, "main"): [main], (loose, "side"): [side],
    }  # fmt: skip


_NOT_TOLD: tuple[Callable[[Repo], object], ...] = (
    lambda repo: repo.git("update-index", "--split-index"),
    lambda repo: repo.git("update-index", "--index-version=4"),
)


def _touch(repo: Repo) -> None:
    os.utime(repo.path / "code.py", (1, 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda repo: None,
        _touch,
        lambda repo: repo.write("code.py", "print('howdy')\n"),
        lambda repo: repo.write("large", "x" * (1 << 21)),
        lambda repo: repo.write("new.py", ""),
        lambda repo: (repo.path / "code.py").unlink(),
        lambda repo: repo.write("code.py", "staged\n") and repo.git("add", "-u"),
        lambda repo: repo.write("new.py", "") and repo.git("add", "new.py"),
        lambda repo: repo.write("new.py", "") and repo.git("add", "-N", "new.py"),
        lambda repo: (repo.path / "link").unlink() or (repo.path / "link").symlink_to("cude.py"),
        lambda repo: repo.git("rm", "-q", "--cached", "code.py"),
        lambda repo: repo.write("code.py", "x\n") and repo.git("commit", "-qam", "x"),
        lambda repo: repo.git("switch", "-q", "--orphan", "other"),
        lambda repo: repo.git("update-index", "--skip-worktree", "code.py") or repo.write("code.py", "x"),
        lambda repo: repo.git("update-index", "--assume-unchanged", "code.py") or repo.write("code.py", "x"),
        lambda repo: (repo.path / "code.py").unlink() or (repo.path / "code.py").symlink_to("a"),
        *_NOT_TOLD,
    ],
)  # fmt: skip
def test_whether_the_work_tree_differs_is_what_git_says(
    change: Callable[[Repo], object], tmp_path: Path
) -> None:
    """A file that was only touched does not; what the index alone can not say is not said."""
    repo = make_repository(tmp_path / "shop")
    (repo.path / "link").symlink_to("code.py")
    (repo.path / "large").write_bytes(bytes(1 << 21))  # too large to be read for that
    repo.git("add", "link", "large")
    repo.git("commit", "-qm", "link")
    change(repo)
    said = find_repository(str(repo.path))
    assert said is not None
    found = is_dirty(said)
    differs = bool(repo.git("status", "--porcelain", "-uno"))
    assert found is (None if change in _NOT_TOLD else differs)
