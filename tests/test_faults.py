"""Faults in small: single calls of an append or a sync that fail, as `tests/campaigns/faults.py` has by the hundred."""

from __future__ import annotations

import sqlite3
from functools import cache, partial
from pathlib import Path

import pytest

from ledger.errors import StorageFailed, WaitsInSpool
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.findings import Finding
from memory.worktree.commit_follow import catch_up
from memory.write.spool_commits import Committer
from rituals.cli.context import Invocation
from rituals.sync.sync_rounds import sync
from tests.campaigns.calls import Site, make_template, sites_of, strace_works
from tests.campaigns.faults import Act, inflict
from tests.campaigns.homes import (
    IN_TREE,
    OWN_BRANCH,
    OWN_REPOSITORY,
    assert_sound,
    draft,
    git,
    hermetic,
    logs_in,
    make_home,
    open_memory,
)
from tests.campaigns.kills import make_pair
from tests.conftest import Repo, Run, sampled

__all__ = ["hermetic"]
APPEND = Act("append", IN_TREE, "fast-import")
OWN_APPEND = Act("append", OWN_BRANCH, "fast-import")
SYNC = Act("sync", OWN_REPOSITORY, "git")
OWN_SYNC = Act("sync", OWN_BRANCH, "git")
#: (act, whether a git that it starts, system call, words of what it was asked, answer).
CASES = {
    "a3-git-dies-with-the-branch-locked": (
        APPEND,
        True,
        "rename",
        "refs/heads/main.lock",
        "SIGKILL",
    ),
    "a3-the-lock-of-head-stays": (APPEND, True, "unlink", "HEAD.lock", "EACCES"),
    "a3-git-dies-with-the-index-locked": (SYNC, True, "rename", "index.lock", "SIGKILL"),
    "a3-git-dies-with-its-copy-locked": (APPEND, True, "rename", "index-next.lock", "SIGKILL"),
    "a3-we-die-with-the-index-locked": (APPEND, False, "rename", "index.lock", "SIGKILL"),
    "a6-no-room-for-the-spool": (OWN_APPEND, False, "write", "/diurna/spool", "ENOSPC"),
    "a6-no-room-for-the-file-in-the-work-tree": (APPEND, False, "write", ".md.", "ENOSPC"),
    "a9-the-spool-is-not-durable": (OWN_APPEND, False, "fsync", "/diurna/spool", "EIO"),
    "a11-the-index-is-read-only": (SYNC, True, "rename", "index.lock", "EROFS"),
    "a17-the-cache-can-not-be-read": (OWN_SYNC, False, "fcntl", ".sqlite", "EIO"),
}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@cache
def calls(act: Act, scratch: Path) -> tuple[Site, ...]:
    """Learn the calls of an act, once."""
    template = scratch / act.kind
    if not template.exists():
        make_template(template, act.kind)
    return tuple(sites_of(act, template, scratch))


@pytest.mark.deep(reason="test_disk_faults has each of these faults by a stand-in")
@pytest.mark.parametrize("name", sampled(CASES, 2))
def test_a_call_that_fails_loses_nothing(scratch: Path, tmp_path: Path, name: str) -> None:
    """The exit code is typed, nothing of the user's moves, and the next command works without help."""
    if not strace_works():
        pytest.skip("strace is not here or may not trace")
    act, of_git, call, words, error = CASES[name]
    fitting = [
        site
        for site in calls(act, scratch)
        if bool(site.child) == of_git and site.call == call and words in site.what
    ]
    assert fitting, f"{act} never calls {call} for {words}"
    found = inflict(fitting[0]._replace(error=error), scratch / act.kind, tmp_path / "run")
    assert found.reached
    assert found.clean, found


@pytest.mark.deep(reason="test_remote_transport has one such git")
@pytest.mark.parametrize("number", sampled(range(11, 33), 30))
def test_a_git_that_dies_as_it_starts_says_nothing(
    scratch: Path, tmp_path: Path, number: int
) -> None:
    """What it would have told is not taken for nothing: no log is left out, no file of one is missing."""
    template = scratch / SYNC.kind
    if not template.exists():
        make_template(template, SYNC.kind)
    found = inflict(Site(SYNC, number, "execve", 1, "SIGKILL"), template, tmp_path / "run")
    assert found.clean, found


def test_a_module_that_can_not_be_loaded_makes_the_log_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pygit2 is loaded after the log is durable: when the disk fails there, the log waits."""
    home: Home = make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    with monkeypatch.context() as patch:

        def refuse(self: Committer) -> None:
            raise ModuleNotFoundError("No module named '_ssl'", name="_ssl")

        patch.setattr(Committer, "writer", refuse)
        with pytest.raises(WaitsInSpool) as waits:
            memory.append(draft("first"))
    memory.append(draft("second"))
    assert_sound(home, [waits.value.stem])
    assert git(tmp_path / "home", "status", "--porcelain") == ""


def test_a_spool_that_can_not_be_listed_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log just spooled is committed before it is acknowledged, also where its folder hides it."""
    home = make_home(tmp_path / "home", OWN_BRANCH)
    memory = open_memory(tmp_path / "home")
    memory.append(draft("first"))
    monkeypatch.setattr("ledger.wal.spool._stems", lambda folder: [])
    receipt = memory.append(draft("second"))
    assert receipt.stem in logs_in(home)


def test_a_comparison_that_fails_is_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git dies when it is asked what a join changed: the next command lets index and files follow."""
    _, (one, two) = make_pair(tmp_path, IN_TREE)
    memory = open_memory(two, "fast-import")
    memory.append(draft("there"))
    sync(memory)
    here = open_memory(one, "fast-import")
    here.append(draft("here"))
    with monkeypatch.context() as patch:
        patch.setattr("memory.worktree.commit_follow.catch_up", partial(_fail_to_compare, patch))
        with pytest.raises(StorageFailed, match="what differs"):
            sync(here)
    sync(open_memory(one, "fast-import"))
    open_memory(one, "fast-import").append(draft("next"))
    assert git(one, "status", "--porcelain") == ""
    assert_sound(here.home, list(logs_in(memory.home)))


def _fail_to_compare(patch: pytest.MonkeyPatch, home: Home, base: str, tip: str) -> list[Finding]:
    patch.setattr(Git, "changes", lambda *_: None)
    return catch_up(home, base, tip)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (ImportError("input/output error", name="zlib"), "zlib can not be loaded"),
        (sqlite3.OperationalError("disk I/O error"), "the cache can not be used"),
    ],
)
def test_what_the_machine_does_is_no_bug_of_ours(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, problem: Exception, said: str
) -> None:
    def fail(self: Invocation) -> None:
        raise problem

    monkeypatch.setattr(Invocation, "memory", fail)
    ran = run("log")
    assert ran.code == 1
    assert said in ran.err
    assert "hint: try again" in ran.err
