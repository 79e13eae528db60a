"""A home is moved from a folder beside the code to a branch of its own: `diurna init --move branch`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.world import DIED, FOLDER, IN_TREE, OWN_BRANCH, Place, World

MOVE = ("init", "--move", "branch")


def filled(world: World) -> tuple[Place, Place]:
    """A team of two that each wrote into one memory."""
    one, two = world.team(IN_TREE, "b", facts={"alpha": "fact: The text of alpha."})
    two.note("id=beta fact: The text of beta.")
    two.sync()
    one.sync()
    return one, two


def kind_of(place: Place) -> str:
    return str(place.status()["home"]["kind"])


def logs_of(place: Place) -> dict[str, bytes]:
    """Return the logs of the home as it is now, by git."""
    home = place.status()["home"]
    rows = place.git(
        "ls-tree", "-r", "--full-tree", home["branch"], "--", f"{home['prefix']}sessions"
    ).split("\n")
    found = [row.split("\t") for row in rows if row]
    return {
        Path(path).stem: place.git_bytes("cat-file", "blob", meta.split()[2])
        for meta, path in found
    }


def authors(place: Place) -> dict[str, str]:
    """Return who `why` says wrote each fact's birth."""
    return {
        fact: str(place.run("why", fact).json["events"][0]["author"]) for fact in ("alpha", "beta")
    }


@pytest.mark.deep(reason="what_a_person_has_not_committed_is_not_left_behind is the small one")
def test_the_past_comes_along(world: World) -> None:
    """All logs with their bytes and names and who wrote them; a plan changes nothing, nor does a second move."""
    place, _ = filled(world)
    before, wrote, shape = logs_of(place), authors(place), place.shape()
    assert place.run(*MOVE, "--dry-run").json["steps"]
    assert place.shape() == shape
    place.run(*MOVE)
    assert kind_of(place) == OWN_BRANCH
    assert {stem: logs_of(place).get(stem) for stem in before} == before
    assert set(place.texts()) == {"alpha", "beta"} and authors(place) == wrote
    assert place.git("status", "--porcelain") == "" and place.fsck() == []
    assert place.run(*MOVE).json["steps"] == []


def test_what_a_person_has_not_committed_is_not_left_behind(world: World) -> None:
    place = world.home(FOLDER, facts={"alpha": "fact: The text of alpha."})
    stem = place.note("id=beta fact: The text of beta.")
    assert place.run(*MOVE, code=1).said == "WriteRefused"
    place.git("clean", "-q", "-f", "-d")
    assert stem in place.run(*MOVE, code=1).err
    place.run("check", "--restore")
    place.commit_all()
    place.run(*MOVE)
    assert set(place.texts()) == {"alpha", "beta"} and place.waiting() == []


@pytest.mark.deep(reason="the_past_comes_along, and test_durability kills each step of a write")
def test_killed_anywhere(world: World) -> None:
    """Before each step: git has every log; the same command ends the move, or says what lies in its way."""
    first, _ = filled(world)
    logs = logs_of(first)
    steps = first.fork("count").steps(*MOVE)
    ended = 0
    for number in [
        at for at, step in enumerate(steps, 1) if not step.startswith(("write", "ftruncate"))
    ]:
        one = first.fork(f"try{number}")
        if one.at_step(number, "die", *MOVE).code != DIED:
            continue
        answer = one.run(*MOVE, code=None)
        ended += answer.code == 0
        assert answer.code == 0 or "is not committed as it is\nhint: " in answer.err, steps[
            number - 1
        ]
        assert kind_of(one) == OWN_BRANCH or answer.code, steps[number - 1]
        assert answer.code or set(one.texts()) == {"alpha", "beta"}
        held = "".join(
            one.git("ls-tree", "-r", "--name-only", branch, ok=False)
            for branch in ("main", "memory")
        )
        assert all(stem in held for stem in logs) and one.fsck() == []
        changed = one.git("status", "--porcelain").split("\n")
        assert all(row[3:].startswith("memory/") for row in changed if row), "nothing else moves"
    assert ended >= 6


@pytest.mark.deep(reason="the_past_comes_along is the small one")
def test_who_goes_on_in_the_old_place(world: World) -> None:
    """What a clone records there is said, joined by a sync, and nobody is named for it falsely."""
    one, two = filled(world)
    one.git("branch", "away")
    two.note("id=late fact: It is not sent yet.")
    one.run(*MOVE)
    one.git("push", "-q", "origin", "main", "memory")
    assert "git pull" in str(two.sync())
    if two.tries("pull", "-q", "--no-rebase", "--no-edit")[0]:
        two.git("rm", "-q", "memory/continuity.md")
        two.git("commit", "-q", "--no-edit")
    assert kind_of(two) == OWN_BRANCH, "the clone follows by itself"
    assert "home-moved" in two.check()
    two.sync()
    one.sync()
    assert "late" in one.texts()
    one.git("switch", "-q", "away")
    assert kind_of(one) == OWN_BRANCH, "old branches lead to it too"


@pytest.mark.parametrize("state", ["dirty", "foreign", "taken", "detached"])
def test_what_is_a_persons_is_never_moved(world: World, state: str) -> None:
    """It is refused and said; nothing changes."""
    one = world.home(IN_TREE, facts={"alpha": "fact: The text of alpha."})
    if state == "dirty":
        one.write("memory/diurna.toml", "# mine\n")
    elif state == "foreign":
        one.write("memory/mine.md", "mine\n")
    elif state == "taken":
        one.git("branch", "other", "HEAD~1")
        one.git("update-ref", "refs/heads/memory", "HEAD~1")
    else:
        one.git("switch", "-q", "--detach")
    before = one.shape()
    answer = one.run(*MOVE, code=1)
    assert "hint: " in answer.err
    assert one.shape() == before
