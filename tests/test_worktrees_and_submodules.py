"""Linked worktrees and submodules, each with its own ledger or the common one (fault:C4 to fault:C6)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ledger.errors import HomeNotFound, UnsupportedRepository, WaitsInSpool
from ledger.home import discover
from ledger.wal.atomic_files import Lock
from rituals.setup.home_setup import apply_setup, plan_setup
from tests.campaigns.homes import (
    IN_TREE,
    OWN_BRANCH,
    OWN_REPOSITORY,
    WRITERS,
    Clock,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    open_memory,
    shape,
    user_repository,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.campaigns.races import start_worker
from tests.repository_shapes import both_writers, waits

# ---- fault:C4, fault:C5 ---------------------------------------------------------------------------


@both_writers
def test_c4_a_linked_worktree_has_the_same_ledger(tmp_path: Path, writer: str) -> None:
    """An own branch is one ledger for all worktrees: one spool, one lock, one cache; a mirror in each."""
    folder, linked = tmp_path / "home", tmp_path / "linked"
    make_home(folder, OWN_BRANCH)
    git(folder, "worktree", "add", "-q", "-b", "feature", str(linked))
    first = open_memory(folder, writer).append(draft("a"))
    memory = open_memory(linked, writer)
    here, there = memory.home, discover(str(folder))
    assert (here.reference, here.spool_folder, here.cache_file, here.state_dir) == (
        there.reference, there.spool_folder, there.cache_file, there.state_dir,
    )  # fmt: skip
    second = memory.append(draft("b"))
    assert open_memory(folder, writer).state()["b"].fact.text == "The text of b."
    assert_sound(there, [first.stem, second.stem])
    assert "The text of b." in (linked / ".memory" / "continuity.md").read_text()
    assert git(folder, "status", "--porcelain") + git(linked, "status", "--porcelain") == ""


@both_writers
def test_c4_in_tree_each_worktree_has_the_ledger_of_its_branch(tmp_path: Path, writer: str) -> None:
    """The log goes to the branch that is checked out there, and only its work tree follows."""
    folder, linked = tmp_path / "home", tmp_path / "linked"
    make_home(folder)
    git(folder, "worktree", "add", "-q", "-b", "feature", str(linked))
    receipt = open_memory(linked, writer).append(draft("a"))
    home = discover(str(linked))
    assert home.branch == "feature"
    assert_sound(home, [receipt.stem])
    assert logs_in(discover(str(folder))) == {}
    assert git(folder, "status", "--porcelain") + git(linked, "status", "--porcelain") == ""
    git(folder, "merge", "-q", "feature")
    assert open_memory(folder, writer).state()["a"].fact.uses == 1


@both_writers
def test_c4_worktrees_share_the_lock_in_the_common_directory(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one worktree holds it, the log of another waits; the next command carries it in."""
    folder, linked = tmp_path / "home", tmp_path / "linked"
    make_home(folder, OWN_BRANCH)
    git(folder, "worktree", "add", "-q", "-b", "feature", str(linked))
    monkeypatch.setattr("memory.write.branch_lock.Lock", lambda path: Lock(path, wait_seconds=0.0))
    memory = open_memory(linked, writer)
    with (
        Lock(str(folder / ".git" / "diurna" / "lock")),
        pytest.raises(WaitsInSpool, match="another Diurna process") as busy,
    ):
        memory.append(draft("a"))
    open_memory(folder, writer).drain()
    assert_sound(discover(str(folder)), [busy.value.stem])


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_c5_two_worktrees_append_at_once(tmp_path: Path, kind: str) -> None:
    """Both sides' logs are there, whichever writer made them, and both work trees are clean."""
    folder, linked = tmp_path / "home", tmp_path / "linked"
    make_home(folder, kind)
    git(folder, "worktree", "add", "-q", "-b", "feature", str(linked))
    children = [
        start_worker(where, writer, f"w{number}", 6, str(tmp_path))
        for number, (where, writer) in enumerate(zip((folder, linked), WRITERS, strict=True))
    ]
    stems = [
        [line.removeprefix("ok ") for line in child.communicate()[0].decode().split("\n")[1:-1]]
        for child in children
    ]
    assert [len(one) for one in stems] == [6, 6]
    if kind == OWN_BRANCH:
        assert set(logs_in(discover(str(folder)))) == {*stems[0], *stems[1]}
    for where, mine in zip((folder, linked), stems, strict=True):
        assert_sound(discover(str(where)), mine)
        assert git(where, "status", "--porcelain") == ""


# ---- fault:C6 -------------------------------------------------------------------------------------


def with_submodule(tmp_path: Path) -> tuple[Path, Path]:
    """Make a repository with a home and, in `libs/part`, a submodule without one."""
    user_repository(tmp_path / "part")
    folder = tmp_path / "home"
    make_home(folder)
    git(
        folder, "-c", "protocol.file.allow=always",
        "submodule", "--quiet", "add", str(tmp_path / "part"), "libs/part",
    )  # fmt: skip
    git(folder, "commit", "-q", "-m", "a submodule")
    part = folder / "libs" / "part"
    git(part, "config", "user.name", "Ada")
    git(part, "config", "user.email", "ada@example.invalid")
    return folder, part


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
@both_writers
def test_c6_a_submodule_has_its_own_ledger(tmp_path: Path, kind: str, writer: str) -> None:
    """Without a home there is none, whatever is above it; with one, the superproject's is untouched."""
    folder, part = with_submodule(tmp_path)
    (part / "deep").mkdir()
    with pytest.raises(HomeNotFound, match="libs/part"):
        discover(str(part / "deep"))
    before = shape(folder)
    memory = apply_setup(
        plan_setup(str(part), "", "memory" if kind == OWN_BRANCH else "", "part"), Clock()
    )
    memory = open_memory(part / "deep", writer)
    assert memory.home.repository.top == str(part)
    assert memory.home.state_dir.startswith(str(folder / ".git" / "modules"))
    receipt = memory.append(draft("a"))
    assert_sound(memory.home, [receipt.stem])
    assert git(part, "status", "--porcelain") == ""
    after = shape(folder)
    assert after["refs"] == before["refs"]
    assert after["index"] == before["index"]
    assert open_memory(folder).waiting() == []
    said = git(folder, "status", "--porcelain")
    assert said == ("" if kind == OWN_BRANCH else " M libs/part\n")


@both_writers
def test_c6_a_ledger_that_is_a_submodule_named_memory_is_written_in_its_own_repository(
    tmp_path: Path, writer: str
) -> None:
    """The superproject must not swallow it: its `memory` entry stays a submodule."""
    make_home(tmp_path / "team", OWN_REPOSITORY)
    folder = user_repository(tmp_path / "home")
    git(
        folder, "-c", "protocol.file.allow=always",
        "submodule", "--quiet", "add", "-b", "main", str(tmp_path / "team"), "memory",
    )  # fmt: skip
    git(folder, "commit", "-q", "-m", "the team's memory")
    git(folder / "memory", "checkout", "-q", "main")
    before = git(folder, "rev-parse", "HEAD")
    memory = open_memory(folder, writer)
    assert (memory.home.kind, memory.home.repository.top) == (
        OWN_REPOSITORY,
        str(folder / "memory"),
    )
    receipt = memory.append(draft("a"))
    assert_sound(memory.home, [receipt.stem])
    assert git(folder, "rev-parse", "HEAD") == before
    assert git(folder, "ls-files", "-s", "memory").startswith("160000 ")
    assert git(folder / "memory", "status", "--porcelain") == ""


@both_writers
def test_c6_in_a_submodule_on_a_detached_head_a_log_waits(tmp_path: Path, writer: str) -> None:
    """As git leaves it after `submodule update`; the log waits in the submodule, not above it."""
    folder, part = with_submodule(tmp_path)
    apply_setup(plan_setup(str(part), "", "", "part"), Clock())
    git(part, "checkout", "-q", "--detach")
    stem = waits(part, writer, "a", "HEAD is detached")
    assert open_memory(folder).waiting() == []
    git(part, "checkout", "-q", "main")
    open_memory(part, writer).drain()
    assert_sound(discover(str(part)), [stem])


@pytest.mark.parametrize("branch", ["main", "feat/retry-2", "odd;name", "-x"])
def test_c1_where_a_log_will_land_is_said(tmp_path: Path, branch: str) -> None:
    """The branch that HEAD was on is named, and how to get back to it; never what a shell would obey."""
    folder = tmp_path / "home"
    make_home(folder)
    if branch != "main":
        git(folder, "update-ref", f"refs/heads/{branch}", "HEAD")
        git(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git(folder, "checkout", "-q", "--detach")
    with pytest.raises(WaitsInSpool) as caught:
        open_memory(folder).append(draft("b"))
    hint = caught.value.hint
    assert hint.startswith("it lands on the branch that is checked out where a Diurna command next")
    said = f"; HEAD was on {branch} before: `git switch {branch}`"
    assert hint.endswith(said) == (branch in ("main", "feat/retry-2"))
    assert branch in ("main", "feat/retry-2") or branch not in hint
    memory = open_memory(folder)
    (stem,) = memory.waiting()
    git(folder, "checkout", "-q", "-b", "next")
    memory = open_memory(folder)
    memory.drain()
    assert_sound(discover(str(folder)), [stem])
    assert git(folder, "log", "-1", "--format=%D").startswith("HEAD -> next")


def test_c6_a_broken_submodule_is_not_taken_for_its_superproject(tmp_path: Path) -> None:
    """With its git directory gone, the home found must not be the one above by accident."""
    folder, part = with_submodule(tmp_path)
    shutil.rmtree(folder / ".git" / "modules")
    with pytest.raises(UnsupportedRepository, match=r"libs/part/\.git points to no git directory"):
        discover(str(part))
    with pytest.raises(UnsupportedRepository, match=r"libs/part/\.git"):
        plan_setup(str(part), "", "", "p")
    assert discover(str(folder)).kind == IN_TREE
