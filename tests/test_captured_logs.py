"""Captured logs, which nobody asked for, are durable at once and land where they disturb nobody's work (W14)."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable

import pytest

from tests.host_door import named, say
from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World

UNPUSHED = "no remote has your last commit yet"


def push(place: Place) -> None:
    """Push as a person does."""
    place.git("push", "-q", "-u", "origin", "main")


def work(place: Place, name: str = "code.py") -> None:
    """Commit some work."""
    with open(place.folder / name, "a") as file:
        file.write("more\n")
    place.git("add", name)
    place.git("commit", "-q", "-m", f"work on {name}")


def session(place: Place, name: str, *, why: str = "end") -> None:
    """Let a session of Claude end that said something."""
    said = (
        f"We looked at the queue of {name}, and at how it behaves when the broker of {name} is slow. "
        * 6
    )
    file = place.world.folder / f"{name}.jsonl"
    file.unlink(missing_ok=True)
    say(file, said)
    place.run("capture", *named(file, name), "--why", why, json=False)


@pytest.fixture
def shop(world: World) -> Place:
    """A home in a code's repository whose branch is pushed, with a person's commit on top that is not."""

    def make(apart: World) -> None:
        (made,) = apart.team(IN_TREE)
        work(made)

    world.laid("a commit that is not pushed", make)
    return world.place("a")


def because(place: Place) -> str:
    """What is in the way of what waits."""
    return str(place.status()["captured"]["because"])


@pytest.mark.parametrize("kind", [OWN_BRANCH, OWN_REPOSITORY])
def test_beside_a_persons_commits_it_lands_at_once(world: World, kind: str) -> None:
    """On a branch of its own, and in a repository of its own."""
    home = world.home(kind)
    session(home, "a")
    assert (home.waiting(), len(home.logs())) == ([], 1)


def test_it_waits_on_a_commit_that_is_not_pushed_and_then_all_land_in_one(shop: Place) -> None:
    """It is durable and in every answer, and branch, index and work tree stay as they are; a session is told once."""
    before = shop.shape()
    for name in ("a", "b", "a"):
        session(shop, name)
    assert shop.shape() == before and because(shop) == UNPUSHED
    waiting = shop.waiting()
    assert len(waiting) == 2
    for stem in waiting:
        file = shop.common / "diurna/spool/held" / stem
        assert file.stat().st_mode & 0o777 == 0o600
    assert len(shop.run("log").json["sessions"]) == 2
    push(shop)
    pushed = shop.tip()
    session(shop, "c")
    shop.holds(waiting)
    assert shop.git("rev-parse", "HEAD^") == pushed and len(shop.logs()) == 3


def test_it_lands_on_a_commit_of_diurnas_own_and_not_on_one_that_was_amended(shop: Place) -> None:
    push(shop)
    for number, name in enumerate("cd", 1):
        session(shop, name)
        assert len(shop.logs()) == number, "on a commit of Diurna's own"
    shop.git("commit", "-q", "--amend", "--no-edit", "--allow-empty")
    (shop.folder / "code.py").write_text("amended\n")
    shop.git("commit", "-q", "--amend", "--no-edit", "-a")
    session(shop, "e")
    assert because(shop) == UNPUSHED, "what a person amended is theirs"


@pytest.mark.parametrize(
    "words",
    [("note", "id=x fact: Carts expire."), ("sync",), ("check", "--publish"), ("redact", "word", "--reason", "a slip")],
)  # fmt: skip
def test_what_somebody_asks_for_takes_them_along(shop: Place, words: tuple[str, ...]) -> None:
    """A redaction never waits."""
    shop.note("id=word fact: The zqotter swims.")
    work(shop)
    session(shop, "a")
    (held,) = shop.waiting()
    if words[0] == "sync":
        push(shop)
    shop.run(*words)
    assert held in shop.logs() and shop.waiting() == []


def _detach(home: Place) -> str:
    home.git("checkout", "-q", "--detach")
    return "HEAD is detached"


def _merge(home: Place) -> str:
    home.git("checkout", "-q", "-b", "other", "HEAD~1")
    work(home, "other.py")
    home.git("checkout", "-q", "main")
    home.git("merge", "-q", "--no-commit", "--no-ff", "other")
    return "a merge is in progress"


def _rebase(home: Place) -> str:
    work(home)
    home.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
    return "HEAD is detached"


def _bisect(home: Place) -> str:
    home.git("bisect", "start")
    return "a bisect is in progress"


def _conflict(home: Place, *command: str) -> str:
    first = home.tip()
    home.write("code.py", "another\n")
    home.git("commit", "-q", "-a", "-m", "another")
    home.git(*command, first, ok=False)
    return f"a {command[0]} is in progress"


def _locked(home: Place) -> str:
    (home.common / "index.lock").touch()
    return "git is at work here"


def _message(home: Place) -> str:
    later = time.time() + 2
    os.utime(home.common / "COMMIT_EDITMSG", (later, later))
    return "git is at work here"


def _behind(home: Place) -> str:
    push(home)
    home.git("reset", "-q", "--hard", "HEAD~1")
    return "your branch is behind origin/main"


@pytest.mark.parametrize(
    "begin",
    [_detach, _merge, _rebase, _bisect, _locked, _message, _behind, lambda home: _conflict(home, "cherry-pick"),
     lambda home: _conflict(home, "revert", "--no-edit")],
)  # fmt: skip
def test_it_waits_in_the_middle_of_something(shop: Place, begin: Callable[[Place], str]) -> None:
    """Also where the tip itself is pushed, and the work tree's state stays as it is."""
    said = begin(shop)
    if begin is not _behind:
        shop.git("update-ref", "refs/remotes/origin/main", "HEAD")
    before = shop.shape()
    session(shop, "a")
    assert shop.shape() == before
    held = list((shop.common / "diurna/spool/held").glob("2*"))
    assert len(held) == 1 and because(shop) == said
    if begin is _detach:
        assert said in shop.run("sync", code=1).err
        assert len(shop.waiting()) == 1
    elif begin is _message:  # how old the last commit is nobody knows without a reflog
        (shop.common / "logs/HEAD").unlink()
        session(shop, "b")
        assert shop.waiting() == []


def test_a_running_git_is_seen(shop: Place) -> None:
    """A commit that waits for its hook, of which no file tells."""
    push(shop)
    hook = shop.common / "hooks/pre-commit"
    hook.write_text(
        "#!/bin/sh\ntouch .git/reached\nwhile [ -e .git/reached ]; do sleep 0.02; done\n"
    )
    hook.chmod(0o755)
    commit = ["git", "commit", "-q", "--allow-empty", "-m", "slow"]
    with subprocess.Popen(commit, cwd=shop.folder) as slow:
        while not (shop.common / "reached").exists():
            time.sleep(0.01)
        session(shop, "a")
        assert because(shop) == "git is at work here" and len(shop.waiting()) == 1
        (shop.common / "reached").unlink()
        assert slow.wait(20) == 0
    assert shop.git("log", "-1", "--format=%s") == "slow"


def test_one_that_a_commit_left_out_is_held_again(shop: Place) -> None:
    """It is in a person's way as it was before; what was asked for is committed again at once."""
    push(shop)
    session(shop, "a")
    (stem,) = shop.logs()
    path = next(one for one in shop.tree() if stem in one)
    shop.git("rm", "-q", "--cached", path)
    shop.git("commit", "-q", "-m", "a commit that began beside it")
    assert stem not in shop.logs()
    shop.run("show")
    assert (shop.waiting(), because(shop)) == ([stem], UNPUSHED)
    push(shop)
    session(shop, "b")
    assert stem in shop.logs() and shop.waiting() == []


@pytest.mark.parametrize(
    "switch", ["git symbolic-ref HEAD refs/heads/old", "git checkout -q -b new"]
)
@pytest.mark.parametrize("step", ["git fast-import", "git update-index", "git update-ref"])
def test_the_index_is_that_of_the_branch_that_is_checked_out(
    world: World, switch: str, step: str
) -> None:
    """HEAD moves while a log is committed: the next commit there neither takes it in nor takes it out."""
    home = world.home(IN_TREE)
    home.git("branch", "old")
    home.at_step(1, f"$ {switch}", "note", "id=x fact: Carts expire.", on=step)
    home.run("status")
    assert home.git("diff", "--cached", "--name-only", "HEAD") == ""
    listed = home.logs().keys()
    work(home)
    assert home.logs().keys() == listed
