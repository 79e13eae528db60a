"""Captured logs, which nobody asked for, are durable at once and land where they disturb nobody's work (W14)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.host_door import named, say
from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World


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
    """A repository of its own, with two commits of a person's in it."""
    home = world.home(OWN_REPOSITORY)
    work(home)
    work(home)
    return home


def because(place: Place) -> str:
    """What is in the way of what waits."""
    return str(place.status()["captured"]["because"])


@pytest.mark.parametrize("kind", [OWN_BRANCH, OWN_REPOSITORY])
def test_beside_a_persons_commits_it_lands_at_once(world: World, kind: str) -> None:
    """On a branch of its own, and in a repository of its own."""
    home = world.home(kind)
    session(home, "a")
    assert (home.waiting(), len(home.logs())) == ([], 1)


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


@pytest.mark.parametrize(
    "begin",
    [_detach, _merge, _rebase, _bisect, lambda home: _conflict(home, "cherry-pick"),
     lambda home: _conflict(home, "revert", "--no-edit")],
)  # fmt: skip
def test_it_waits_in_the_middle_of_something(shop: Place, begin: Callable[[Place], str]) -> None:
    """The work tree's state stays as it is; it is durable, and in every answer."""
    said = begin(shop)
    before = shop.shape()
    session(shop, "a")
    assert shop.shape() == before
    (held,) = (shop.common / "diurna/spool/held").glob("2*")
    assert because(shop) == said and held.stat().st_mode & 0o777 == 0o600
    assert held.name in [one["stem"] for one in shop.run("log").json["sessions"]]
    if begin is _detach:
        shop.git("switch", "-q", "main")
        session(shop, "b")
        assert shop.waiting() == [] and len(shop.logs()) == 2
    if begin is _bisect:
        shop.git("bisect", "reset")
        for option, said in (("--dry-run", "would commit 1"), ("--land", "committed 1")):
            land = shop.text("capture", "--land", option)
            assert land == f"{said} captured log on main\n"
        assert shop.text("capture", "--land") == "no captured log waits\n"


@pytest.mark.parametrize(
    "switch", ["git symbolic-ref HEAD refs/heads/old", "git checkout -q -b new"]
)
@pytest.mark.parametrize("step", [".git/objects/", "git update-index", "git update-ref"])
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
