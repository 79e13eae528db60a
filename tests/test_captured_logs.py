"""Captured logs, which nobody asked for, are durable at once and land where they disturb nobody's work (W14)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import WaitsInSpool
from ledger.home import discover
from ledger.model.event import FactCreated, FactRedacted
from ledger.model.layout import log_path
from memory.api import Memory
from memory.write.draft import SessionDraft
from memory.write.landing import is_busy, obstacle
from projection.policy.model import Policy
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, git, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture

UNPUSHED = "no remote has your last commit yet"


def captured(name: str, session: str = "") -> SessionDraft:
    """A draft with one fact."""
    header = (("session", session),) if session else ()
    return SessionDraft(f"On {name}", "", (FactCreated(name, f"All about {name}."),), header=header)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An in-tree home whose branch is pushed, with a person's commit on top that is not."""
    make_home(tmp_path / "home", IN_TREE)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote")
    git(tmp_path / "home", "remote", "add", "origin", str(tmp_path / "remote"))
    push(tmp_path / "home")
    work(tmp_path / "home")
    return tmp_path / "home"


def push(home: Path) -> None:
    """Push as a person does."""
    git(home, "push", "-q", "-u", "origin", "main")


def work(home: Path, name: str = "code.py") -> str:
    """Commit some work; return the commit."""
    with open(home / name, "a") as file:
        file.write("more\n")
    git(home, "add", name)
    git(home, "commit", "-q", "-m", f"work on {name}")
    return tip(home)


def tip(home: Path) -> str:
    """Where the branch stands."""
    return git(home, "rev-parse", "HEAD").strip()


def why(home: Path) -> str:
    """What is in the way."""
    return obstacle(discover(str(home)), Policy(), 0.0)


def in_tree(home: Path) -> list[str]:
    """The names of logs in the tip."""
    listed = git(home, "ls-tree", "-r", "--name-only", "HEAD").split()
    return sorted(name.rpartition("/")[2][:-3] for name in listed if "/sessions/" in name)


@pytest.mark.parametrize("kind", [OWN_BRANCH, OWN_REPOSITORY])
def test_beside_a_persons_commits_it_lands_at_once(tmp_path: Path, kind: str) -> None:
    """On a branch of its own, and in a repository of its own."""
    make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home")
    receipt = memory.hold(captured("a"))
    assert receipt.commit == memory.home.tip()
    assert (memory.held(), memory.state()["a"].fact.text) == ([], "All about a.")


def test_it_waits_on_a_commit_that_is_not_pushed(home: Path) -> None:
    """It is durable, and the branch, the index and the work tree stay as they are."""
    before, memory = tip(home), open_memory(home)
    receipt = memory.hold(captured("a"))
    assert (receipt.commit, memory.held(), why(home)) == ("", [receipt.stem], UNPUSHED)
    file = Path(memory.home.spool_folder, "held", receipt.stem)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (receipt.data, 0o600)
    assert (tip(home), git(home, "status", "--porcelain"), memory.waiting()) == (before, "", [])


def test_once_it_is_pushed_all_land_in_one_commit(home: Path) -> None:
    """With the next captured log, or when `land_held` is called."""
    memory = open_memory(home)
    stems = [memory.hold(captured(name)).stem for name in ("a", "b")]
    assert memory.land_held() is None
    push(home)
    pushed = tip(home)
    receipt = memory.hold(captured("c"))
    assert receipt.commit == tip(home)
    assert git(home, "rev-parse", "HEAD^").strip() == pushed
    assert {*stems, receipt.stem} <= set(in_tree(home))
    assert (memory.held(), why(home)) == ([], "")
    assert memory.hold(captured("d")).commit, "on a commit of Diurna's own"
    work(home)
    assert why(home) == UNPUSHED


def test_any_deliberate_append_takes_them_along(home: Path) -> None:
    """In the same commit, and so does `drain`, which a sync begins with."""
    memory = open_memory(home)
    held = memory.hold(captured("a")).stem
    receipt = memory.append(captured("b"))
    assert {held, receipt.stem} <= set(in_tree(home)) and memory.held() == []
    work(home)
    held = memory.hold(captured("c")).stem
    assert memory.drain(held=False) is None and memory.held() == [held]
    landed = memory.drain()
    assert landed is not None and landed.commit == tip(home) and held in in_tree(home)


def test_a_review_on_its_tip_leaves_them(home: Path) -> None:
    """What is committed on one tip or not at all is committed with no other log beside it (R6)."""
    memory = open_memory(home)
    held = memory.hold(captured("a")).stem
    before = in_tree(home)
    receipt = memory.append(captured("b"), on=tip(home))
    assert in_tree(home) == sorted([*before, receipt.stem]) and memory.held() == [held]


def _detach(home: Path) -> str:
    git(home, "checkout", "-q", "--detach")
    return "HEAD is detached"


def _merge(home: Path) -> str:
    git(home, "checkout", "-q", "-b", "other", "HEAD~1")
    work(home, "other.py")
    git(home, "checkout", "-q", "main")
    git(home, "merge", "-q", "--no-commit", "--no-ff", "other")
    return "a merge is in progress"


def _rebase(home: Path) -> str:
    work(home)
    git(home, "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
    return "HEAD is detached"


def _bisect(home: Path) -> str:
    git(home, "bisect", "start")
    return "a bisect is in progress"


def _conflict(home: Path, command: str) -> None:
    first = tip(home)
    (home / "code.py").write_text("another\n")
    git(home, "commit", "-q", "-a", "-m", "another")
    git(home, command, *(["--no-edit"] if command == "revert" else []), first, check=False)


def _cherry_pick(home: Path) -> str:
    _conflict(home, "cherry-pick")
    return "a cherry-pick is in progress"


def _revert(home: Path) -> str:
    _conflict(home, "revert")
    return "a revert is in progress"


def _locked(home: Path) -> str:
    (home / ".git/index.lock").touch()
    return "git is at work here"


def _message(home: Path) -> str:
    later = time.time() + 2
    os.utime(home / ".git/COMMIT_EDITMSG", (later, later))
    return "git is at work here"


@pytest.mark.parametrize(
    "begin", [_detach, _merge, _rebase, _bisect, _cherry_pick, _revert, _locked, _message]
)
def test_it_waits_in_the_middle_of_something(home: Path, begin: Callable[[Path], str]) -> None:
    """Also where the tip itself is pushed, and the work tree's state stays as it is."""
    said = begin(home)
    git(home, "update-ref", "refs/remotes/origin/main", "HEAD")
    before, seen = tip(home), git(home, "status", "--porcelain")
    memory = open_memory(home)
    receipt = memory.hold(captured("a"))
    assert (receipt.commit, memory.held()) == ("", [receipt.stem])
    assert why(home) == said
    assert (tip(home), git(home, "status", "--porcelain")) == (before, seen)


def test_without_a_reflog_no_message_is_waited_for(home: Path) -> None:
    """A message that is younger than the last commit tells of one to come; how old that is nobody knows here."""
    _message(home)
    assert is_busy(discover(str(home)))
    (home / ".git/logs/HEAD").unlink()
    assert not is_busy(discover(str(home)))


def test_a_running_git_is_seen(home: Path) -> None:
    """A commit that waits for its hook, of which no file tells."""
    push(home)
    hook = home / ".git/hooks/pre-commit"
    hook.write_text(
        "#!/bin/sh\ntouch .git/reached\nwhile [ -e .git/reached ]; do sleep 0.02; done\n"
    )
    hook.chmod(0o755)
    import subprocess

    memory = open_memory(home)
    with subprocess.Popen(
        ["git", "-C", str(home), "commit", "-q", "--allow-empty", "-m", "slow"]
    ) as slow:
        while not (home / ".git/reached").exists():
            time.sleep(0.01)
        receipt = memory.hold(captured("a"))
        assert (receipt.commit, why(home)) == ("", "git is at work here")
        (home / ".git/reached").unlink()
        assert slow.wait(20) == 0
    assert git(home, "log", "-1", "--format=%s").strip() == "slow"


def test_it_waits_where_a_pull_would_have_to_merge(home: Path, tmp_path: Path) -> None:
    """The tip is pushed, and the upstream has gone on."""
    push(home)
    work(home)
    push(home)
    git(home, "reset", "-q", "--hard", "HEAD~1")
    memory = open_memory(home)
    assert memory.hold(captured("a")).commit == ""
    assert why(home) == "your branch is behind origin/main"
    git(home, "pull", "-q", "--ff-only")
    assert memory.land_held() is not None


def test_a_commit_of_ours_that_a_person_amended_is_theirs(home: Path) -> None:
    """Its subject says `diurna:` still, and it holds a person's file."""
    memory = open_memory(home)
    memory.append(captured("a"))
    assert why(home) == ""
    (home / "code.py").write_text("amended\n")
    git(home, "commit", "-q", "--amend", "--no-edit", "-a")
    assert why(home) == UNPUSHED


def test_an_unborn_branch_waits(tmp_path: Path) -> None:
    """The first commit of a branch is a person's to make."""
    make_home(tmp_path / "home", IN_TREE)
    git(tmp_path / "home", "checkout", "-q", "--orphan", "new")
    memory = open_memory(tmp_path / "home")
    assert memory.hold(captured("a")).commit == ""
    assert why(tmp_path / "home") == "new has no commit yet"


def test_a_forced_landing_in_the_middle_says_why_not(home: Path) -> None:
    """And they wait on."""
    memory = open_memory(home)
    held = memory.hold(captured("a")).stem
    git(home, "checkout", "-q", "--detach")
    memory = open_memory(home)
    with pytest.raises(WaitsInSpool, match="HEAD is detached"):
        memory.drain()
    assert memory.held() == [held]


def test_a_repeated_boundary_changes_nothing(home: Path) -> None:
    """The retry is answered with the stem of the log that waits, and of one that landed."""
    memory = open_memory(home)
    first = memory.hold(captured("a"))
    again = memory.hold(captured("a"))
    assert (again.stem, again.already, again.commit) == (first.stem, True, "")
    push(home)
    third = memory.hold(captured("a"))
    assert (third.stem, third.already, third.commit) == (first.stem, True, tip(home))
    assert in_tree(home).count(first.stem) == 1


def test_one_that_a_commit_left_out_is_held_again(home: Path) -> None:
    """It is in a person's way as it was before; what was asked for is committed again at once."""
    push(home)
    memory = open_memory(home)
    stem = memory.hold(captured("a")).stem
    index = home / ".git/index"
    git(home, "rm", "-q", "--cached", f"memory/{log_path(stem)}")
    git(home, "commit", "-q", "-m", "a commit that began beside it")
    assert stem not in in_tree(home) and index.exists()
    memory = Memory.open(str(home))
    memory.bring_back()
    assert (memory.held(), why(home)) == ([stem], UNPUSHED)
    push(home)
    memory.land_held()
    assert stem in in_tree(home) and memory.held() == []


def test_a_session_that_waits_has_begun(home: Path) -> None:
    """What follows a captured log of the same session and agent continues it, captured or not (W12)."""
    memory = open_memory(home)
    assert memory.hold(captured("a", "s")).type == "work"
    assert memory.hold(captured("b", "s")).type == "continued"
    assert memory.append(captured("c", "s")).type == "continued"


def test_a_redaction_never_waits(home: Path) -> None:
    """Who ever captures one, it is committed at once, with all that waits."""
    memory = open_memory(home)
    memory.append(captured("a"))
    work(home)
    held = memory.hold(captured("b")).stem
    gone = memory.hold(SessionDraft("Gone", "", (FactRedacted("a"),), type="edit"))
    assert {held, gone.stem} <= set(in_tree(home)) and memory.held() == []
