"""`init --move`: a home changes its place with its past, whoever is killed at it, and whoever goes on elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ledger.errors import WriteRefused
from ledger.home import IN_TREE, OWN_BRANCH, discover
from ledger.model.event import FactCreated
from memory.write.draft import SessionDraft
from rituals.setup import move
from rituals.setup.move import apply_move, plan_move
from tests.campaigns.homes import Clock, git
from tests.conftest import Run
from tests.teams import Clone, MakeTeam, SyncedTeam, make_team

__all__ = ["make_team"]
WAYS = [
    (IN_TREE, OWN_BRANCH, "memory"),
    (OWN_BRANCH, IN_TREE, "memory/"),
    (OWN_BRANCH, IN_TREE, "docs/notes/"),
]


def logs(clone: Clone) -> dict[str, str]:
    """Return the name of each log below the home with the id of its bytes."""
    home = discover(str(clone.folder))
    rows = home.repository.git().tree_files(home.tip(), home.prefix + "sessions")
    return {path.removeprefix(home.prefix): blob for _, blob, path in rows}


def authors(clone: Clone) -> dict[str, str]:
    """Return who `why` says wrote each fact's birth."""
    memory = clone.memory
    return {id: memory.why(id).steps[0].origin.author for id in memory.state()}


def filled(make_team: MakeTeam, kind: str) -> tuple[SyncedTeam, Clone, Clone]:
    """A team of two that each wrote into one memory; a third log waits."""
    team = make_team(kind)
    one, two = team.one, team.clone("two")
    one.create("alpha")
    one.sync()
    two.create("beta")
    two.sync()
    one.sync()
    one.memory.hold(
        SessionDraft("Waits", "It went.", (FactCreated("gamma", "The text of gamma."),))
    )
    return team, one, two


def moved(clone: Clone, to: str, name: str) -> None:
    plan = plan_move(discover(str(clone.folder)), to, name)
    apply_move(plan, Clock()).close()


@pytest.mark.deep(reason="test_moving_in has one way of it")
@pytest.mark.parametrize(("kind", "to", "name"), WAYS)
def test_the_past_comes_along(make_team: MakeTeam, kind: str, to: str, name: str) -> None:
    """All logs with their bytes and names, who wrote them, and what waited; and back again."""
    _, one, _ = filled(make_team, kind)
    before, wrote = logs(one), authors(one)
    shape = git(one.folder, "show-ref")
    plan = plan_move(discover(str(one.folder)), to, name)
    assert plan.steps and git(one.folder, "show-ref") == shape, "a plan changes nothing"
    for target, where in (
        (to, name),
        (kind, "memory/" if kind == IN_TREE else "memory"),
        (to, name),
    ):
        moved(one, target, where)
        home = discover(str(one.folder))
        assert home.kind == target
        after = logs(one)
        assert {path: after.get(path) for path in before} == before
        assert one.facts() == {"alpha", "beta", "gamma"}
        assert {id: authors(one)[id] for id in ("alpha", "beta")} == {
            id: wrote[id] for id in ("alpha", "beta")
        }
        assert one.clean()
        assert one.memory.state().policy.publish == ("trunk" if target == IN_TREE else "append")
        assert plan_move(home, target, where).steps == ()


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.deep(reason="test_crashes kills each step of an append")
@pytest.mark.parametrize(("kind", "to", "name"), WAYS)
def test_killed_anywhere(
    make_team: MakeTeam,
    tmp_path: Path,
    kind: str,
    to: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before each step that changes something: every fact is there at once, and the same command ends the move."""
    _, first, _ = filled(make_team, kind)
    first.memory.drain()
    steps = 0
    for at in range(1, 30):
        one = Clone(tmp_path / f"try{at}" / "one")
        shutil.copytree(first.folder, one.folder)
        count = 0

        def counted(name: str, at: int = at) -> None:
            real = getattr(move, name)

            def step(*words: object, **more: object) -> object:
                nonlocal count
                count += 1
                if count == at:
                    raise Killed
                return real(*words, **more)

            patch.setattr(move, name, step)

        with monkeypatch.context() as patch:
            for one_step in ("write_objects", "move_reference", "_commit", "keep_out_of_status", "mirror",
                             "mirror_changes", "join_strays", "apply_drivers"):  # fmt: skip
                counted(one_step)
            try:
                moved(one, to, name)
            except Killed:
                steps += 1
            else:
                break
        assert one.facts() == {"alpha", "beta", "gamma"}
        one.create("delta")  # somebody records in between, wherever memory is found
        moved(one, to, name)
        assert discover(str(one.folder)).kind == to
        assert one.facts() == {"alpha", "beta", "gamma", "delta"}
        assert one.clean()
    assert steps >= 6


@pytest.mark.deep(reason="test_moving_in has one way of it")
@pytest.mark.parametrize(("kind", "to", "name"), WAYS[:2])
def test_who_goes_on_in_the_old_place(
    make_team: MakeTeam, kind: str, to: str, name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What other branches and clones record there is said, joined by a sync, and nobody is named for it falsely."""
    _, one, two = filled(make_team, kind)
    one.git("branch", "away")
    two.create("late")  # is not sent yet
    moved(one, to, name)
    one.git("push", "-q", "origin", "main", "memory")
    if kind == IN_TREE:
        assert "git pull" in two.sync().left
    else:
        two.sync()
    if two.tries("pull", "-q", "--no-rebase", "--no-edit")[0]:
        assert two.unmerged() == [
            "memory/continuity.md"
        ]  # the page alone, which both sides changed
        two.git("rm", "-q", "memory/continuity.md")
        two.git("commit", "-q", "--no-edit")
    monkeypatch.chdir(two.folder)
    if kind == IN_TREE:
        assert discover(str(two.folder)).kind == OWN_BRANCH, "the clone follows by itself"
        assert "home-moved" in {one["code"] for one in run("check", "--json").json["findings"]}
    assert run("sync").code == 0
    two.git("push", "-q", "origin", "main")
    one.sync()
    if to == IN_TREE:
        one.git("fetch", "-q")
        monkeypatch.chdir(one.folder)
        run("sync")
    assert "late" in one.facts()
    assert authors(one)["late"] in ("", "two")
    one.git("switch", "-q", "away")
    if to == OWN_BRANCH:
        assert discover(str(one.folder)).kind == OWN_BRANCH, "old branches lead to it too"


@pytest.mark.parametrize("state", ["dirty", "foreign", "taken", "detached"])
def test_refused(make_team: MakeTeam, state: str) -> None:
    """What is a person's is never moved or lost: nothing changes, and it is said."""
    _, one, _ = filled(make_team, IN_TREE)
    if state == "dirty":
        (one.folder / "memory" / "diurna.toml").write_text("# mine\n")
    elif state == "foreign":
        (one.folder / "memory" / "mine.md").write_text("mine\n")
    elif state == "taken":
        one.git("branch", "memory", "HEAD~1")
    else:
        one.git("switch", "-q", "--detach")
    before = git(one.folder, "show-ref"), git(one.folder, "status", "--porcelain")
    with pytest.raises(WriteRefused):
        plan_move(discover(str(one.folder)), OWN_BRANCH, "memory")
    assert (git(one.folder, "show-ref"), git(one.folder, "status", "--porcelain")) == before
