"""The shapes that a repository can have (catalogue, group C).

Each is either handled as a careful user of git would expect, or refused in a sentence with nothing in
the repository changed; a log that could not be committed waits, and the next command that can commits it.
"""

from __future__ import annotations

import os
import shutil
import sys
import zlib
from pathlib import Path

import pytest

from ledger.errors import (
    CorruptRepository,
    HomeNotFound,
    UnsupportedRepository,
    WaitsInSpool,
    WriteRefused,
)
from ledger.git.repository import head
from ledger.home import discover
from ledger.model.findings import severe
from ledger.wal.atomic_files import Lock
from memory.api import Memory
from memory.query.last_answers import continuity
from projection.document.render import render
from rituals.check.verify import verify
from rituals.setup.home import apply_setup, plan_setup
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
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
from tests.conftest import Repo, Run

both_writers = pytest.mark.parametrize("writer", WRITERS)
every_kind = pytest.mark.parametrize("kind", KINDS)
in_work_tree = pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])

ROOT = Path(__file__).parent.parent


def waits(folder: Path, writer: str, name: str, reason: str) -> str:
    """Append where that is impossible; check the sentence and that nothing changed. Return the stem."""
    before = shape(folder)
    memory = open_memory(folder, writer)
    with pytest.raises(WaitsInSpool, match=reason) as refused:
        memory.append(draft(name))
    assert shape(folder) == before
    assert refused.value.stem in str(refused.value)
    assert refused.value.hint
    assert memory.waiting() == [refused.value.stem]
    with pytest.raises(WriteRefused, match=reason):
        memory.publish()
    assert shape(folder) == before
    assert memory.continuity(), "reading goes on"
    return refused.value.stem


def refused_everywhere(folder: Path, said: str, *, hint: str = "") -> None:
    """Check that no command works here, each says why, and nothing changed."""
    before = shape(folder)
    for action in (
        lambda: discover(str(folder)),
        lambda: Memory.open(str(folder)),
        lambda: plan_setup(str(folder), "", "", "p"),
        lambda: plan_setup(str(folder), "", "memory", "p"),
    ):
        with pytest.raises(UnsupportedRepository, match=said) as refused:
            action()
        assert hint in refused.value.hint
        assert refused.value.hint
    assert shape(folder) == before


def git_files(folder: Path) -> dict[str, bytes]:
    """Return every file of a git directory but Diurna's own, for one that git can not answer about."""
    files = [path for path in (folder / ".git").rglob("*") if path.is_file()]
    inside = {path.relative_to(folder / ".git").as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in inside.items() if name[:7] != "diurna/"}


def edit_config(folder: Path, text: str) -> None:
    """Write a setting that this git does not know into a repository's configuration."""
    config = folder / ".git" / "config"
    config.write_text(config.read_text().replace("repositoryformatversion = 0", text))


# ---- C1, C2 ---------------------------------------------------------------------------------------


@in_work_tree
@both_writers
def test_c1_on_a_detached_head_a_log_waits_for_its_branch(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """Where the ledger is on the checked-out branch there is none to commit to, and that is said."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    open_memory(folder, writer).append(draft("a"))
    git(folder, "checkout", "-q", "--detach")
    stem = waits(folder, writer, "b", "HEAD is detached")
    with pytest.raises(WriteRefused, match="HEAD is detached"):
        plan_setup(str(folder), "", "", "p")
    git(folder, "checkout", "-q", "main")
    memory = open_memory(folder, writer)
    memory.drain()
    assert memory.waiting() == []
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""


@both_writers
def test_c1_an_own_branch_does_not_mind_a_detached_head(tmp_path: Path, writer: str) -> None:
    """The ledger's branch moves, HEAD does not."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_BRANCH)
    git(folder, "checkout", "-q", "--detach")
    before = head(home.repository)
    receipt = open_memory(folder, writer).append(draft("a"))
    assert_sound(home, [receipt.stem])
    assert head(home.repository) == before
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY, OWN_BRANCH])
def test_c2_a_home_can_be_the_first_commit_of_a_repository(tmp_path: Path, kind: str) -> None:
    """`init` on an unborn branch makes a root commit of our files only; what is staged stays staged."""
    folder = tmp_path / "home"
    user_repository(folder, commits=0)
    (folder / "code.py").write_text("first\n")
    git(folder, "add", "code.py")
    if kind == OWN_REPOSITORY:
        plan = plan_setup(str(tmp_path), "home", "", "p")
    else:
        plan = plan_setup(str(folder), "", "memory" if kind == OWN_BRANCH else "", "p")
    assert plan.kind == kind
    home = apply_setup(plan, Clock()).home
    assert git(folder, "status", "--porcelain") == "A  code.py\n"
    assert git(folder, "rev-list", "--count", home.reference) == "1\n"
    assert "code.py" not in git(folder, "ls-tree", "-r", "--name-only", home.reference)
    unborn = git(folder, "rev-parse", "-q", "--verify", "HEAD", check=False) == ""
    assert unborn == (kind == OWN_BRANCH)


@in_work_tree
@both_writers
def test_c2_the_first_commit_of_an_orphan_branch_is_a_log(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """On an unborn branch the log becomes its root commit, and nothing staged is in it."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    git(folder, "checkout", "-q", "--orphan", "fresh")
    staged = git(folder, "diff", "--cached", "--name-status")
    receipt = open_memory(folder, writer).append(draft("a"))
    home = discover(str(folder))
    assert home.branch == "fresh"
    assert git(folder, "rev-list", "--count", "fresh") == "1\n"
    assert set(git(folder, "ls-tree", "-r", "--name-only", "fresh").split()) <= {
        home.prefix + receipt.path,
        home.prefix + "continuity.md",
    }
    assert_sound(home, [receipt.stem])
    left = git(folder, "diff", "--cached", "--name-status")
    assert set(staged.split("\n")) - set(left.split("\n")) <= {f"A\t{home.prefix}continuity.md"}


@both_writers
def test_c2_an_own_branch_in_a_fresh_clone_starts_where_the_remote_is(
    tmp_path: Path, writer: str
) -> None:
    """Unborn here and alive on the remote: the first append is a child of the remote's tip."""
    home = make_home(tmp_path / "home", OWN_BRANCH)
    first = open_memory(tmp_path / "home", writer).append(draft("a"))
    git(tmp_path, "clone", "-q", str(tmp_path / "home"), "clone")
    memory = open_memory(tmp_path / "clone", writer)
    assert memory.home.kind == OWN_BRANCH
    assert memory.state()["a"].fact.uses == 1
    second = memory.append(draft("b"))
    assert git(tmp_path / "clone", "rev-parse", "memory~1").strip() == home.tip()
    assert set(logs_in(memory.home)) == {first.stem, second.stem}
    assert git(tmp_path / "clone", "status", "--porcelain") == ""


# ---- C3 -------------------------------------------------------------------------------------------


@every_kind
@both_writers
def test_c3_a_bare_repository_is_read_and_written(tmp_path: Path, kind: str, writer: str) -> None:
    """A bare clone holds the same ledger; no projection file is written anywhere."""
    make_home(tmp_path / "home", kind)
    first = open_memory(tmp_path / "home", writer).append(draft("a"))
    git(tmp_path, "clone", "-q", "--bare", "home", "bare.git")
    bare = tmp_path / "bare.git"
    if kind == OWN_BRANCH:
        git(bare, "config", "diurna.branch", "memory")
    entries = set(os.listdir(bare))
    memory = open_memory(bare, writer)
    assert memory.home.kind == kind
    assert memory.home.repository.top == ""
    second = memory.append(draft("b"))
    assert second.findings[:0] == ()
    assert_sound(memory.home, [first.stem, second.stem])
    assert "The text of b." in memory.continuity()
    memory.publish()
    assert "The text of b." in git(
        bare, "show", f"{memory.home.branch}:{memory.home.prefix}continuity.md"
    )
    assert set(os.listdir(bare)) - entries <= {"diurna", "logs"}
    with pytest.raises(WriteRefused, match="bare"):
        memory.write_projection(memory.state())
    assert git(bare, "worktree", "list").count("\n") == 1


def test_c3_in_a_bare_repository_only_a_branch_of_its_own_can_be_made(tmp_path: Path) -> None:
    """`init` says so, changes nothing, and its hint works."""
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    bare = tmp_path / "bare.git"
    before = shape(bare)
    with pytest.raises(WriteRefused, match="bare") as refused:
        plan_setup(str(bare), "", "", "p")
    assert "--branch memory" in refused.value.hint
    assert shape(bare) == before
    memory = apply_setup(plan_setup(str(bare), "", "memory", "p"), Clock())
    assert_sound(memory.home, [memory.append(draft("a")).stem])


# ---- C4, C5 ---------------------------------------------------------------------------------------


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


# ---- C6 -------------------------------------------------------------------------------------------


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


# ---- C7, C8, C9 -----------------------------------------------------------------------------------


@every_kind
@both_writers
def test_c7_a_shallow_clone_works_and_says_what_it_can_not_see(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """The tip has all logs, so nothing is lost to the replay; verify says that history is cut."""
    home = make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home", writer)
    stems = [memory.append(draft(name)).stem for name in ("a", "b", "c")]
    git(
        tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch",
        f"file://{tmp_path / 'home'}", "clone",
    )  # fmt: skip
    clone = tmp_path / "clone"
    git(clone, "config", "user.name", "Ada")
    git(clone, "config", "user.email", "ada@example.invalid")
    memory = open_memory(clone, writer)
    assert memory.home.kind == kind
    assert memory.continuity() == render(memory.cold_state().view())
    assert "The text of a." in memory.continuity()
    receipt = memory.append(draft("d"))
    assert receipt.findings == ()
    assert_sound(memory.home, [*stems, receipt.stem])
    assert git(clone, "status", "--porcelain") == ""
    (cut,) = [one for one in verify(memory) if one.code == "history-cut"]
    assert "shallow" in cut.message
    assert "--unshallow" in cut.hint
    git(clone, "fetch", "-q", "--unshallow")
    assert "history-cut" not in {one.code for one in verify(memory)}
    assert git(clone, "merge-base", "--is-ancestor", home.tip(), memory.home.tip()) == ""


@every_kind
def test_c8_a_partial_clone_is_refused_by_name(tmp_path: Path, kind: str) -> None:
    """Its missing blobs are neither fetched behind git's back nor taken for deleted logs."""
    make_home(tmp_path / "home", kind)
    open_memory(tmp_path / "home").append(draft("a"))
    git(tmp_path / "home", "config", "uploadpack.allowFilter", "true")
    git(
        tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout",
        f"file://{tmp_path / 'home'}", "part",
    )  # fmt: skip
    part = tmp_path / "part"
    assert "extensions" not in (part / ".git" / "config").read_text().lower()
    missing = git(part, "rev-list", "--objects", "--all", "--missing=print").count("\n?")
    assert missing
    refused_everywhere(part, "partial clone", hint="diurna init ../")
    assert git(part, "rev-list", "--objects", "--all", "--missing=print").count("\n?") == missing
    edit_config(part, "repositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[core]")
    refused_everywhere(part, "partial clone", hint="diurna init ../")
    memory = apply_setup(plan_setup(str(part), "../part-memory", "", "p"), Clock())
    assert_sound(memory.home, [memory.append(draft("b")).stem])


@pytest.mark.parametrize("cone", ["--cone", "--no-cone"])
@both_writers
def test_c9_a_sparse_checkout_without_memory_reads_and_writes_the_branch(
    tmp_path: Path, writer: str, cone: str
) -> None:
    """The ledger is read from the branch; nothing appears in the work tree, and its status is clean."""
    folder = tmp_path / "home"
    home = make_home(folder)
    first = open_memory(folder, writer).append(draft("a"))
    assert git(folder, "status", "--porcelain") == ""
    git(folder, "sparse-checkout", "set", cone, "docs" if cone == "--cone" else "/docs/")
    assert not (folder / "memory").exists()
    memory = open_memory(folder / "docs", writer)
    assert memory.home.kind == IN_TREE
    assert memory.state()["a"].fact.uses == 1
    second = memory.append(draft("b"))
    assert second.findings == ()
    memory.publish()
    assert not (folder / "memory").exists()
    assert git(folder, "status", "--porcelain") == ""
    assert_sound(home, [first.stem, second.stem])
    rows = git(folder, "ls-files", "-t", "memory").rstrip("\n").split("\n")
    assert f"S memory/{second.path}" in rows
    assert all(row.startswith("S ") for row in rows), "skip-worktree, as git itself marks them"
    git(folder, "sparse-checkout", "disable")
    assert (folder / "memory" / second.path).read_bytes() == second.data
    assert git(folder, "status", "--porcelain") == ""


# ---- C10 ------------------------------------------------------------------------------------------


def under_way(folder: Path, operation: str) -> str:
    """Bring a repository into the middle of something; return the command that ends it."""
    git(folder, "checkout", "-q", "-b", "side")
    (folder / "code.py").write_text("side\n")
    git(folder, "commit", "-q", "-a", "-m", "side")
    git(folder, "checkout", "-q", "main")
    (folder / "code.py").write_text("main\n")
    git(folder, "commit", "-q", "-a", "-m", "main")
    if operation == "bisect":
        git(folder, "bisect", "start")
        return "bisect reset"
    if operation == "bisect with commits":
        git(folder, "bisect", "start", "HEAD", "HEAD~2")
        return "bisect reset"
    commands = {
        "rebase": ["rebase", "side"],
        "rebase --apply": ["rebase", "--apply", "side"],
        "merge": ["merge", "side"],
        "cherry-pick": ["cherry-pick", "side"],
        "revert": ["revert", "--no-edit", "HEAD~1"],
    }
    if operation == "revert":
        (folder / "code.py").write_text("more\n")
        git(folder, "commit", "-q", "-a", "-m", "more")
    git(folder, *commands[operation], check=False)
    return f"{commands[operation][0]} --abort"


OPERATIONS = {
    "rebase": "a rebase",
    "rebase --apply": "a rebase",
    "merge": "a merge",
    "cherry-pick": "a cherry-pick",
    "revert": "a revert",
    "bisect": "a bisect",
    "bisect with commits": "a bisect",
}


@pytest.mark.parametrize("operation", OPERATIONS)
@both_writers
def test_c10_in_the_middle_of_an_operation_a_log_waits_for_its_end(
    tmp_path: Path, writer: str, operation: str
) -> None:
    """A commit on the branch now would end up inside or beside the operation; its name is said."""
    folder = tmp_path / "home"
    user_repository(folder, commits=2)
    home = make_home(folder)
    end = under_way(folder, operation)
    stem = waits(folder, writer, "a", f"{OPERATIONS[operation]} .*is in progress")
    with pytest.raises(WriteRefused, match=OPERATIONS[operation]):
        plan_setup(str(folder), "", "", "p")
    git(folder, *end.split())
    receipt = open_memory(folder, writer).append(draft("b"))
    assert_sound(home, [stem, receipt.stem])
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("operation", OPERATIONS)
def test_c10_an_own_branch_is_written_in_the_middle_of_an_operation(
    tmp_path: Path, operation: str
) -> None:
    """It is not the branch that is being worked on, and the operation ends as if nothing had been."""
    folder = tmp_path / "home"
    user_repository(folder, commits=2)
    home = make_home(folder, OWN_BRANCH)
    end = under_way(folder, operation)
    before = shape(folder)
    stems = [open_memory(folder, writer).append(draft(writer)).stem for writer in WRITERS]
    after = shape(folder)
    assert (after["index"], after["status"]) == (before["index"], before["status"])
    git(folder, *end.split())
    assert_sound(home, stems)
    assert git(folder, "status", "--porcelain") == ""


@both_writers
def test_c10_an_operation_in_one_worktree_does_not_stop_another(
    tmp_path: Path, writer: str
) -> None:
    """What is under way is asked of the work tree at hand."""
    folder, linked = tmp_path / "home", tmp_path / "linked"
    user_repository(folder, commits=2)
    make_home(folder)
    git(folder, "worktree", "add", "-q", "-b", "feature", str(linked))
    under_way(folder, "merge")
    receipt = open_memory(linked, writer).append(draft("a"))
    assert_sound(discover(str(linked)), [receipt.stem])
    git(linked, "bisect", "start")
    git(folder, "merge", "--abort")
    waits(linked, writer, "b", "a bisect")


# ---- C11 ------------------------------------------------------------------------------------------


def test_c11_outside_a_repository_there_is_no_home(tmp_path: Path) -> None:
    """The sentence names the folder and the way to make one."""
    with pytest.raises(HomeNotFound, match=str(tmp_path)) as missing:
        discover(str(tmp_path))
    assert "diurna init" in missing.value.hint
    assert list(tmp_path.iterdir()) == []


def test_c11_the_search_ends_at_the_repository_that_holds_the_folder(tmp_path: Path) -> None:
    """A home in an enclosing repository belongs to that one."""
    make_home(tmp_path / "home")
    inner = user_repository(tmp_path / "home" / "vendor" / "inner")
    with pytest.raises(HomeNotFound, match="vendor/inner"):
        discover(str(inner / "docs"))
    assert discover(str(tmp_path / "home" / "docs")).repository.top == str(tmp_path / "home")


def test_c11_the_search_ends_at_a_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`GIT_CEILING_DIRECTORIES` means for us what it means for git."""
    folder = tmp_path / "home"
    make_home(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", f"/nowhere:{folder}")
    with pytest.raises(HomeNotFound):
        discover(str(folder / "docs"))
    assert discover(str(folder)).repository.top == str(folder), "not the working directory itself"


def test_c11_a_memory_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    """It may lead into any ledger of this machine: the user says which one is meant."""
    make_home(tmp_path / "other", OWN_REPOSITORY)
    folder = user_repository(tmp_path / "home")
    (folder / "memory").symlink_to("../other")
    before = shape(tmp_path / "other")
    with pytest.raises(HomeNotFound, match="memory is a link") as refused:
        discover(str(folder))
    assert str(tmp_path / "other") in refused.value.hint
    with pytest.raises(WriteRefused, match="left as it is"):
        plan_setup(str(folder), "", "", "p")
    assert shape(tmp_path / "other") == before


# ---- C12, C13, C14 --------------------------------------------------------------------------------


def test_c12_a_sha256_repository_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """Both writers name objects by SHA-1; the hint is a home of its own beside it."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", "home")
    git(tmp_path / "home", "config", "user.name", "Ada")
    git(tmp_path / "home", "config", "user.email", "a@example.invalid")
    git(tmp_path / "home", "commit", "-q", "--allow-empty", "-m", "first")
    refused_everywhere(tmp_path / "home", "stores its objects as sha256", hint="diurna init ../")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("refStorage = reftable", "stores its references as reftable"),
        ("relativeWorktrees = true", "uses the extension relativeworktrees"),
        ("somethingNew", "uses the extension somethingnew"),
    ],
    ids=["c13", "c14-known-to-a-newer-git", "c14-unheard-of"],
)
def test_c13_c14_an_extension_we_do_not_know_is_refused_by_name(
    tmp_path: Path, setting: str, said: str
) -> None:
    """Git's own rule: who does not understand an extension must not touch the repository."""
    folder = tmp_path / "home"
    make_home(folder)
    config = folder / ".git" / "config"
    sound = config.read_text()
    edit_config(folder, f"repositoryformatversion = 1\n[extensions]\n\t{setting}\n[core]")
    changed = config.read_bytes()
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(UnsupportedRepository, match=said) as refused:
        discover(str(folder))
    assert "diurna init ../" in refused.value.hint
    with pytest.raises(UnsupportedRepository, match=said):
        plan_setup(str(folder), "", "memory", "p")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    assert config.read_bytes() == changed
    config.write_text(sound)
    assert discover(str(folder)).kind == IN_TREE


def test_c14_a_newer_repository_format_is_refused(tmp_path: Path) -> None:
    """A format version that this Diurna does not know."""
    make_home(tmp_path / "home")
    edit_config(tmp_path / "home", "repositoryformatversion = 2")
    with pytest.raises(UnsupportedRepository, match="repository format 2"):
        discover(str(tmp_path / "home"))


@both_writers
def test_c14_harmless_extensions_are_no_reason_to_refuse(tmp_path: Path, writer: str) -> None:
    """`worktreeConfig` comes with every sparse checkout, `preciousObjects` with shared stores."""
    folder = tmp_path / "home"
    make_home(folder)
    edit_config(
        folder,
        "repositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"
        "\tpreciousObjects = true\n\tobjectFormat = sha1\n[core]",
    )
    memory = open_memory(folder, writer)
    assert_sound(memory.home, [memory.append(draft("a")).stem])


# ---- C15, C16 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("whose", ["all", "the work tree's top"])
def test_c15_a_repository_of_another_user_is_explained_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """The message tells of `safe.directory`; the check itself stays git's, and we never set it."""
    folder = tmp_path / "home"
    make_home(folder)
    # what git's own tests use to have another owner without being root; it survives only in a wrapper
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"\n')
    wrapper.chmod(0o755)
    right = os.stat

    def stat(path: str, *rest: object, **more: object) -> os.stat_result:
        found = right(path, *rest, **more)  # type: ignore[arg-type]
        if whose == "all" or path == str(folder):
            return os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))
        return found

    before = shape(folder)
    with monkeypatch.context() as other:
        other.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
        other.setattr("ledger.git.repository.os.stat", stat)
        with pytest.raises(UnsupportedRepository, match="belongs to another user") as refused:
            discover(str(folder))
        assert f"safe.directory {folder}" in refused.value.hint
        with pytest.raises(UnsupportedRepository, match="belongs to another user"):
            plan_setup(str(folder), "", "memory", "p")
        # who follows the hint is let in
        other.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "trusting"))
        (tmp_path / "trusting").write_text(f"[safe]\n\tdirectory = {folder}\n")
        assert discover(str(folder)).kind == IN_TREE
    assert shape(folder) == before
    sources = [path.read_text() for path in ROOT.glob("[lmpr]*/**/*.py")]
    assert len(sources) > 50
    assert not [
        text for text in sources if "safe.directory=" in text or "set_owner_validation" in text
    ]


ASTRAY = {
    "GIT_DIR": ".git",
    "GIT_COMMON_DIR": ".git",
    "GIT_WORK_TREE": "",
    "GIT_INDEX_FILE": ".git/index",
    "GIT_OBJECT_DIRECTORY": ".git/objects",
}


@every_kind
@both_writers
def test_c16_variables_that_point_elsewhere_do_not_lead_us_astray(
    tmp_path: Path, kind: str, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of another repository: our calls go where the working directory is."""
    folder, other = tmp_path / "home", user_repository(tmp_path / "other")
    home = make_home(folder, kind)
    before = shape(other)
    for name, place in ASTRAY.items():
        monkeypatch.setenv(name, str(other / place))
    monkeypatch.setenv("GIT_NAMESPACE", "astray")
    monkeypatch.setenv("GIT_PREFIX", "docs/")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    memory.publish()
    assert memory.state()["a"].fact.uses == 1
    for name in [name for name in os.environ if name.startswith("GIT_") and "CONFIG" not in name]:
        monkeypatch.delenv(name)
    assert shape(other) == before
    assert_sound(home, [receipt.stem])
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
@both_writers
def test_c16_an_append_from_a_real_hook_works(tmp_path: Path, kind: str, writer: str) -> None:
    """Git runs hooks with its variables set, and `commit -a` with an index of its own."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    script = tmp_path / "hook.py"
    script.write_text(
        f"import os, sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "assert 'GIT_INDEX_FILE' in os.environ\n"
        "from tests.campaigns.homes import draft, open_memory\n"
        f"print(open_memory('.', {writer!r}).append(draft('a')).stem)\n"
    )
    hook = folder / ".git" / "hooks" / "post-commit"
    hook.write_text(f'#!/bin/sh\nexec {sys.executable} -P {script} > "{tmp_path}/stem"\n')
    hook.chmod(0o755)
    (folder / "code.py").write_text("print('changed')\n")
    git(folder, "commit", "-q", "-a", "-m", "code")
    stem = (tmp_path / "stem").read_text().strip()
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""
    code = git(folder, "log", "-1", "--format=%s", "--", "code.py")
    assert code == "code\n"


# ---- C17, C18 -------------------------------------------------------------------------------------


@every_kind
@both_writers
def test_c17_missing_alternates_are_named_and_nothing_changes(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """A clone that borrows its objects, when the other is gone: said with its place; all comes back."""
    make_home(tmp_path / "home", kind)
    first = open_memory(tmp_path / "home", writer).append(draft("a"))
    git(tmp_path, "clone", "-q", "--shared", "home", "clone")
    clone = tmp_path / "clone"
    if kind == OWN_BRANCH:
        git(clone, "branch", "-q", "memory", "origin/memory")
        git(clone, "config", "diurna.branch", "memory")
    before = git_files(clone)
    (tmp_path / "home").rename(tmp_path / "moved")
    memory = open_memory(clone, writer)
    for action in (lambda: memory.append(draft("b")), memory.continuity, memory.publish):
        with pytest.raises(CorruptRepository, match=str(tmp_path / "home")) as refused:
            action()
        assert "alternate" in refused.value.message
        assert "info/alternates" in refused.value.hint
    assert git_files(clone) == before
    (tmp_path / "moved").rename(tmp_path / "home")
    receipt = open_memory(clone, writer).append(draft("b"))
    assert_sound(discover(str(clone)), [first.stem, receipt.stem])


def object_file(folder: Path, spec: str) -> tuple[str, Path]:
    """Return the id and the file of a loose object."""
    one = git(folder, "rev-parse", "--verify", spec).strip()
    path = folder / ".git" / "objects" / one[:2] / one[2:]
    assert path.is_file()
    return one, path


DAMAGES = {
    "missing": None,
    "garbled": b"garbage",
    "empty": b"",
    "other bytes": zlib.compress(b"blob 2\0hi"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
@both_writers
def test_c18_a_damaged_log_is_named_and_all_others_are_read(
    tmp_path: Path, kind: str, writer: str, damage: str
) -> None:
    """Its object and path are said, answers are marked incomplete, and nothing incomplete is published."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    memory = open_memory(folder, writer)
    stems = [memory.append(draft(name)).stem for name in ("a", "b", "c")]
    memory.publish()
    whole = memory.continuity()
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    shutil.rmtree(Path(home.spool_folder, "kept"))  # from its copy there it would come back (A16)
    path = f"sessions/2026-09/21/{stems[1]}.md"
    one, file = object_file(folder, f"{home.reference}:{home.prefix}{path}")
    file.chmod(0o644)
    sound = file.read_bytes()
    wrong = DAMAGES[damage]
    if wrong is None:
        file.unlink()
    else:
        file.write_bytes(wrong)
    memory = open_memory(folder, writer, Clock(START_MS + 60_000))
    (found,) = [one for one in memory.state().findings() if one.code == "unreadable"]
    assert found.severity == "error"
    assert found.file == path
    assert one in found.message
    assert {standing.fact.id for standing in memory.state().standings()} == {"a", "c"}
    projection = f"{home.reference}:{home.prefix}continuity.md"
    published = git(folder, "rev-parse", projection)
    receipt = memory.append(draft("d"))
    assert receipt.findings == (found,)
    assert receipt.stem in git(folder, "ls-tree", "-r", "--name-only", home.reference)
    with pytest.raises(CorruptRepository, match=one):
        memory.publish()
    assert git(folder, "rev-parse", projection) == published, "what it says of b is not dropped"
    assert found in verify(memory)
    assert {standing.fact.id for standing in memory.state().standings()} == {"a", "c", "d"}
    file.write_bytes(sound)
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    memory = open_memory(folder, writer)
    assert not severe(verify(memory))
    memory.publish()
    assert "The text of b." in whole
    assert_sound(home, [*stems, receipt.stem])


def test_c18_the_command_line_marks_an_answer_as_incomplete(repo: Repo, run: Run) -> None:
    """`show` prints what can be read, and says on stderr once what can not."""
    draft = (
        b"# T\n\n## Memory References\n\n- Created: %s\n\n## Facts\n\n- Text.\n  <!-- id: %s -->\n"
    )
    for name in (b"a", b"b"):
        assert run("append", "-", stdin=draft % (name, name)).code == 0
    path = repo.git("ls-files", "memory/sessions").split("\n")[0]
    one, file = object_file(repo.path, f"HEAD:{path}")
    file.unlink()
    shutil.rmtree(repo.path / ".git" / "diurna" / "cache")
    for arguments in (["show"], ["show", "--json"], ["status"], ["verify"]):
        ran = run(*arguments)
        assert (ran.out + ran.err).count(one) == 1, arguments
    assert continuity(str(repo.path)) is None, "the short way leaves it to the command line"
    assert "<!-- id: b " in run("show").out


@pytest.mark.parametrize("what", ["the day's folder", "sessions", "the root", "the commit"])
@both_writers
def test_c18_a_missing_tree_or_commit_stops_with_its_name(
    tmp_path: Path, writer: str, what: str
) -> None:
    """Without them nobody can tell which logs there are: nothing is read as if there were none."""
    folder = tmp_path / "home"
    home = make_home(folder)
    receipt = open_memory(folder, writer).append(draft("a"))
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    (Path(home.spool_folder) / "kept/commits").unlink()  # or it is made again, see B9
    spec = {
        "the day's folder": "HEAD:memory/sessions/2026-09/21",
        "sessions": "HEAD:memory/sessions",
        "the root": "HEAD^{tree}",
        "the commit": "HEAD",
    }[what]
    one, file = object_file(folder, spec)
    named = home.tip() if what in ("the root", "the commit") else one
    file.rename(tmp_path / "away")
    before = git_files(folder)
    memory = open_memory(folder, writer)
    for action in (memory.continuity, memory.publish, lambda: memory.append(draft("b"))):
        with pytest.raises(CorruptRepository, match=named) as refused:
            action()
        assert "git fsck" in refused.value.hint
    assert git_files(folder) == before
    (tmp_path / "away").rename(file)
    second = open_memory(folder, writer).append(draft("b"))
    assert_sound(home, [receipt.stem, second.stem])
