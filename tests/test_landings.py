"""Whatever a person, agents and deaths do in whatever order: a captured log is seen throughout, and lands once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import WaitsInSpool
from ledger.git.cli import Git
from ledger.home import discover
from ledger.wal.spool import Spool
from memory.replay.clone_view import View
from memory.worktree.next_index import NextIndex
from memory.write.spool_commits import Committer
from tests.campaigns.homes import IN_TREE, Clock, git, logs_in, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.campaigns.landing import day
from tests.conftest import examples
from tests.test_captured_logs import captured, in_tree, push, tip, work

ACTS = ("hold", "append", "work", "amend", "push", "land", "drain", "ask", "detach")
#: Where a process dies: what it does next is never done.
DEATHS: dict[str, tuple[type, str]] = {
    "before the log is durable": (Spool, "put"),
    "before the commit": (Committer, "write"),
    "behind it": (Spool, "commit"),
    "in the view": (View, "_copy"),
    "": (object, ""),
}


class Died(BaseException):
    """The process is gone."""


def pushed_home(folder: Path) -> None:
    """Make an in-tree home that is pushed."""
    make_home(folder / "home", IN_TREE)
    git(folder, "init", "-q", "--bare", "-b", "main", "remote")
    git(folder / "home", "remote", "add", "origin", "../remote")
    push(folder / "home")


@cache
def _made() -> str:
    """Make such a home once."""
    place = tempfile.mkdtemp(prefix="made-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    pushed_home(Path(place))
    return place


def do(act: str, home: Path, name: str, clock: Clock) -> str:
    """Do one thing as a new process; return the stem of the log that was acknowledged, "" for none."""
    if act == "work":
        work(home)
    elif act == "amend":
        git(home, "commit", "-q", "--amend", "--no-edit", "--allow-empty")
    elif act == "push":
        git(home, "push", "-q", "--force", "origin", "HEAD:main")
        git(home, "fetch", "-q")
    elif act == "detach":
        head = git(home, "symbolic-ref", "-q", "HEAD", check=False).strip()
        git(home, "checkout", "-q", *([] if head else ["main"]), *(["--detach"] if head else []))
    else:
        memory = open_memory(home, clock=clock)
        try:
            if act == "hold":
                return memory.hold(captured(name)).stem
            if act == "append":
                return memory.append(captured(name)).stem
            if act == "ask":
                memory.state()
            elif act == "land":
                memory.land_held()
            else:
                memory.drain()
        except WaitsInSpool as problem:
            return problem.stem if act == "append" else ""
        finally:
            memory.close()
    return ""


@settings(max_examples=examples(2, 6), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from(sorted(DEATHS))), max_size=9))
def test_each_acknowledged_log_lands_once_and_is_seen_throughout(
    acts: list[tuple[str, str]],
) -> None:
    """Held ones among appends, a person's commits, landings and deaths in the middle of any of them."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_made(), folder, symlinks=True, dirs_exist_ok=True)
        home, clock = Path(folder, "home"), Clock()
        git(home, "update-index", "-q", "--refresh")
        acknowledged: set[str] = set()
        for number, (act, death) in enumerate([("hold", ""), *acts]):
            owner, place = DEATHS[death]
            with pytest.MonkeyPatch.context() as patch:
                if place:
                    patch.setattr(owner, place, _die)
                try:
                    stem = do(act, home, f"fact-{number}", clock)
                except Died:
                    stem = ""
            acknowledged |= {stem} - {""}
            memory = open_memory(home, clock=clock)
            there = {ref.stem for ref in memory.snapshot.cache().log_refs()}
            assert acknowledged <= there | set(memory.waiting()), (act, death)
            assert [line.waiting for line in memory.log()].count(True) == len(
                memory.snapshot.waiting()
            )
            memory.close()
        git(home, "checkout", "-q", "main")
        open_memory(home, clock=clock).drain()
        assert acknowledged <= set(logs_in(discover(str(home))))
        spool = Spool(discover(str(home)).spool_folder)
        assert spool.held() == spool.waiting() == []


def _die(*_: object, **__: object) -> None:
    raise Died


@pytest.mark.deep(reason="each_acknowledged_log_lands_once_and_is_seen_throughout is the small one")
def test_a_day_of_a_person_beside_agents(tmp_path: Path) -> None:
    """A sample of the campaign: nothing is lost, unseen, or amended into."""
    found = day(tmp_path / "home", 12, 3)
    assert found.sound, found
    assert found.captured


@pytest.fixture
def switched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A home whose index is held by a git that switches to another branch while an append commits."""

    def make(*switch: str) -> Path:
        pushed_home(tmp_path)
        home = tmp_path / "home"
        git(home, "branch", "old")
        lock = home / ".git/index.lock"
        lock.touch()

        def checkout() -> None:
            before = tip(home)
            while tip(home) == before:
                time.sleep(0.01)
            if switch[0] == "checkout":  # which needs the index itself
                lock.unlink()
            while switch[0] == "checkout" and (home / ".git/index.lock").exists():
                time.sleep(0.001)
            git(home, *switch)
            if switch[0] != "checkout":  # by now it may be the lock of another one
                lock.unlink()

        person = threading.Thread(target=checkout)
        person.start()
        open_memory(home, "fast-import").append(captured("a"))
        person.join()
        return home

    return make


@pytest.mark.parametrize(
    "switch", [("symbolic-ref", "HEAD", "refs/heads/old"), ("checkout", "-q", "-b", "new")]
)
def test_the_index_is_that_of_the_branch_that_is_checked_out(
    switched: Callable[..., Path], switch: tuple[str, ...]
) -> None:
    """So the next commit there neither takes our log in nor takes it out."""
    home = switched(*switch)
    assert git(home, "diff", "--cached", "--name-only", "HEAD") == ""
    listed = len(in_tree(home))
    work(home)
    assert len(in_tree(home)) == listed


def test_the_index_is_that_of_a_branch_that_is_checked_out_behind_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD is moved after it was read, and before git sets the entries."""
    pushed_home(tmp_path)
    home = tmp_path / "home"
    git(home, "branch", "old")
    monkeypatch.setattr(NextIndex, "take", lambda _: False)
    right = Git.call

    def switching(self: Git, *arguments: str, **more: Any) -> tuple[int, bytes, bytes]:
        if arguments[0] == "update-index":
            git(home, "symbolic-ref", "HEAD", "refs/heads/old")
        return right(self, *arguments, **more)

    monkeypatch.setattr(Git, "call", switching)
    open_memory(home, "fast-import").append(captured("a"))
    assert git(home, "diff", "--cached", "--name-only", "HEAD") == ""
