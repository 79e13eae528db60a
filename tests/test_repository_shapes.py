"""The shapes that a repository can have (fault:C1 to fault:C3 and fault:C7 to fault:C10).

Each is handled as a careful user of git would expect; a log that could not be committed waits, and the next
command that can commits it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ledger.errors import UnsupportedRepository, WriteRefused
from ledger.git.repository import find_repository, head
from ledger.home import discover
from projection.document.page_renderer import render
from rituals.check.check_registry import verify
from rituals.setup.home_setup import apply_setup, plan_setup
from tests.campaigns import forks
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
from tests.repository_shapes import (
    both_writers,
    every_kind,
    in_work_tree,
    kinds_and_writers,
    refused_everywhere,
    waits,
)

# ---- fault:C1, fault:C2 ---------------------------------------------------------------------------


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


# ---- fault:C3 -------------------------------------------------------------------------------------


@kinds_and_writers
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


# ---- fault:C7, fault:C8, fault:C9 -----------------------------------------------------------------


@kinds_and_writers
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


#: Far more than git would be asked for, were each log fetched by itself.
LOGS = 20


def _partial(tmp_path: Path, objects: str, kind: str) -> tuple[Path, Path]:
    """Make a home of some logs, and a partial clone of it that has none of its files."""
    home, part = tmp_path / "home", tmp_path / "part"
    make_home(home, kind)
    memory = open_memory(home)
    for number in range(LOGS):
        memory.append(draft(f"a-{number}"))
    git(home, "config", "uploadpack.allowFilter", "true")
    git(home, "config", "receive.denyCurrentBranch", "ignore")
    git(tmp_path, "clone", "-q", f"--filter={objects}", "--no-checkout", f"file://{home}", "part")
    return home, part


def _missing(part: Path) -> set[str]:
    listed = git(part, "rev-list", "--objects", "--all", "--missing=print")
    return {line for line in listed.split("\n") if line.startswith("?")}


def _hook(part: Path) -> str:
    said = json.dumps({"session_id": "s", "cwd": str(part), "source": "startup"})
    asked = ["-m", "rituals", "hook", "claude", "SessionStart"]
    done = forks.run(asked, part, os.environ, said.encode())
    assert done.returncode == 0
    return done.stdout.strip()


def _asked(part: Path, *line: str) -> subprocess.CompletedProcess[str]:
    return forks.run(["-m", "rituals", *line], part, os.environ)


@pytest.mark.deep(reason="c7_a_shallow_clone_works_and_says_what_it_can_not_see is the small one")
@every_kind
def test_c8_a_partial_clone_fetches_what_memory_needs_at_once(tmp_path: Path, kind: str) -> None:
    """A hook fetches nothing, a remote that is away leaves no log out, and no other file comes along."""
    home, part = _partial(tmp_path, "blob:none", kind)
    if kind == OWN_BRANCH:
        git(part, "checkout", "-q", "-f", "main")
    lacks = _missing(part)
    away = home.rename(home.with_name("away"))
    assert _hook(part) == "{}"
    for line in (["show"], ["recall", "text"], ["note", "fact: So it is."]):
        ran = _asked(part, *line)
        assert (ran.returncode, ran.stdout) == (1, ""), line
        assert "is a partial clone, and what is asked for is not here" in ran.stderr, line
    away.rename(home)
    assert _hook(part) == "{}"
    assert _missing(part) == lacks
    memory = open_memory(part)
    assert len(memory.state()) == len(memory.log()) == LOGS
    # discovery may ask for the policy by itself; the logs come together
    assert len(list((part / ".git" / "objects" / "pack").glob("*.promisor"))) <= 5
    code = git(home, "rev-parse", "-q", "--verify", "main:code.py", check=False).strip()
    assert kind != IN_TREE or f"?{code}" in _missing(part)
    git(part, "checkout", "-q", "-f", "main")
    home.rename(away)
    said = _asked(part, "brief")  # which has no limit of time, as a hook has
    assert said.returncode == 0 and f"a-{LOGS - 1}" in said.stdout
    receipt = open_memory(part).append(draft("b"))
    assert len(open_memory(part).state()) == LOGS + 1
    away.rename(home)
    open_memory(home).append(draft("c"))
    from rituals.sync.sync_rounds import sync

    sync(open_memory(part))
    assert {"b", "c"} <= set(open_memory(part).state())
    assert receipt.stem in logs_in(discover(str(home)))
    assert not {one.code for one in verify(open_memory(part))} - {"history-cut"}


def test_c8_a_clone_without_folders_is_refused_by_name(tmp_path: Path) -> None:
    """Its history would be fetched a folder at a time; the hint brings the folders, and memory is read."""
    home, part = _partial(tmp_path, "tree:0", IN_TREE)
    refused_everywhere(part, "lacks folders", hint="diurna init ../")
    with pytest.raises(UnsupportedRepository) as refused:
        find_repository(str(part))
    mending = refused.value.hint.split("`")[1]
    away = home.rename(home.with_name("away"))
    assert subprocess.run(["sh", "-c", mending], cwd=part, capture_output=True).returncode
    with pytest.raises(UnsupportedRepository):
        find_repository(str(part))
    away.rename(home)
    subprocess.run(["sh", "-c", mending], cwd=part, capture_output=True, check=True)
    assert len(open_memory(part).state()) == LOGS
    git(part, "config", "extensions.partialClone", "origin")
    refused_everywhere(part, "partial clone", hint="diurna init ../")
    memory = apply_setup(plan_setup(str(part), "../part-memory", "", "p"), Clock())
    assert_sound(memory.home, [memory.append(draft("b")).stem])


def test_c8_a_remote_whose_name_a_shell_could_run_is_not_repeated(tmp_path: Path) -> None:
    """An agent may follow the hint as it stands."""
    git(tmp_path, "init", "-q", "part")
    for name, shown in (
        ("origin", "origin"),
        ("My_Fork-2", "My_Fork-2"),
        ("a;b", "REMOTE"),
        ("-c", "REMOTE"),
    ):
        with (tmp_path / "part" / ".git" / "config").open("a") as file:
            file.write(f'[remote "{name}"]\n\tpromisor = true\n\tpartialclonefilter = tree:0\n')
        with pytest.raises(UnsupportedRepository) as refused:
            find_repository(str(tmp_path / "part"))
        assert f" {shown} && git config remote.{shown}." in refused.value.hint
        git(tmp_path / "part", "config", f"remote.{name}.promisor", "false")


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


# ---- fault:C10 ------------------------------------------------------------------------------------


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
