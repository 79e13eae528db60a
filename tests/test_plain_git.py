"""Plain git is a sync protocol: whatever merges git makes, logs never conflict and no projection is marked.

Every merge here is git's own. Afterwards any Diurna command that publishes puts all clones level.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from ledger.model.event import FactReferenced
from memory.worktree.merge_drivers import ensure_drivers
from rituals.check.check_registry import verify
from tests.campaigns import forks
from tests.campaigns.homes import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, git, hermetic
from tests.conftest import in_turn, sampled
from tests.teams import WAYS, Clone, Team, level

__all__ = ["hermetic"]
#: Settings that people have, and that change how git merges or checks out.
SETTINGS = {
    "directory renames": (
        "merge.directoryRenames=true",
        "merge.renames=copies",
        "diff.renames=copies",
    ),
    "line ends": ("core.autocrlf=true", "core.eol=crlf"),
    "diff3": ("merge.conflictStyle=diff3", "rerere.enabled=true", "rerere.autoUpdate=true"),
    "stash": ("rebase.autoStash=true", "merge.autoStash=true", "rebase.abbreviateCommands=true"),
}


@pytest.fixture
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    kind, publish = request.param
    return Team(tmp_path, kind, publish)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let each test have some of the ways in which a team publishes."""
    if not any(
        "team" in str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize")
    ):
        in_turn(metafunc, "team", WAYS)


@pytest.fixture
def forked(team: Team) -> tuple[Team, Clone]:
    """A clone with the branches `main` and `side`, a log of its own on each."""
    one = team.one
    one.git("branch", "side")
    one.create("on-main")
    one.git("checkout", "-q", "side")
    one.create("on-side")
    one.git("checkout", "-q", "main")
    return team, one


def learned(clone: Clone, *facts: str) -> None:
    """Check that a merge is clean, and that memory holds just these facts, each log once."""
    assert clone.clean()
    assert clone.facts() == set(facts)
    assert not [one for one in verify(clone.memory) if one.code not in ("drift", "unsigned")]


# ---- pull and push ------------------------------------------------------------------------------


@pytest.mark.deep(reason="a_clone_without_diurna_merges_two_branches is the small one")
@pytest.mark.parametrize(
    ("team", "how"),
    sampled(product([*WAYS, (OWN_REPOSITORY, "review")], ["--no-rebase", "--rebase"]), 3),
    indirect=["team"],
)
def test_two_clones_pull_and_push(team: Team, how: str) -> None:
    """Two rounds in which both appended: every pull is clean, and both come to the same bytes."""
    one, two = team.one, team.clone("two")
    for number in range(2):
        for clone in (one, two):
            clone.create(f"{clone.folder.name}-{number}")
        for clone in (one, two, one):
            clone.git("pull", "-q", how, "--no-edit")
            assert clone.clean()
            clone.git("push", "-q")
    facts = [f"{name}-{number}" for name in ("one", "two") for number in range(2)]
    learned(one, *facts)
    learned(two, *facts)
    level(one, two)


@pytest.mark.parametrize("setting", SETTINGS)
def test_whatever_git_is_set_to(tmp_path: Path, setting: str) -> None:
    """Settings that change how git merges and checks out change neither logs nor projections."""
    team = Team(tmp_path, IN_TREE, "append")
    one, two = team.one, team.clone("two")
    for clone in (one, two):
        for line in SETTINGS[setting]:
            clone.git("config", *line.split("=", 1))
        clone.create(f"{clone.folder.name}-0")
    one.git("push", "-q")
    two.git("pull", "-q", "--no-rebase", "--no-edit")
    two.git("push", "-q")
    two.create("two-1")
    one.create("one-1")
    two.git("push", "-q")
    one.git("pull", "-q", "--rebase")
    one.git("push", "-q")
    two.git("pull", "-q")
    learned(two, "one-0", "one-1", "two-0", "two-1")
    level(one, two)


# ---- other merges -------------------------------------------------------------------------------


def test_h1_a_merge_and_then_the_other_way_round(forked: tuple[Team, Clone]) -> None:
    """Two branches merged into each other have one tree once they are published."""
    _, one = forked
    one.git("branch", "old")
    one.git("merge", "-q", "--no-edit", "side")
    learned(one, "on-main", "on-side")
    one.memory.publish()
    there = one.published()
    one.git("checkout", "-q", "side")
    one.git("merge", "-q", "--no-edit", "old")
    one.memory.publish()
    assert one.published() == there


def test_e10_a_squash_merge_and_then_a_true_one(forked: tuple[Team, Clone]) -> None:
    """Squashed logs are the same logs: the branch, worked on and merged again, brings only the new."""
    _, one = forked
    one.git("merge", "-q", "--squash", "side")
    one.git("commit", "-q", "-m", "squashed")
    learned(one, "on-main", "on-side")
    one.memory.publish()
    one.git("checkout", "-q", "side")
    one.create("later")
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--no-edit", "side")
    learned(one, "on-main", "on-side", "later")
    level(one)


def test_e11_a_cherry_pick_and_then_a_merge(forked: tuple[Team, Clone]) -> None:
    """A picked log is the same log; a rebase leaves out what was picked."""
    _, one = forked
    one.git("checkout", "-q", "side")
    one.create("second")
    one.git("checkout", "-q", "main")
    one.git("cherry-pick", "side")
    learned(one, "on-main", "second")
    one.git("branch", "picked")
    one.git("merge", "-q", "--no-edit", "side")
    learned(one, "on-main", "on-side", "second")
    one.memory.publish()
    there = one.published()
    one.git("checkout", "-q", "side")
    one.git("rebase", "-q", "picked")
    learned(one, "on-main", "on-side", "second")
    one.memory.publish()
    assert one.published() == there


def test_h8_criss_cross_merges(forked: tuple[Team, Clone]) -> None:
    """Two branches that merged each other's old tips, and went on, have two merge bases."""
    _, one = forked
    one.git("branch", "old-main", "main")
    one.git("branch", "old-side", "side")
    one.git("merge", "-q", "--no-edit", "old-side")
    one.create("main-again")
    one.git("checkout", "-q", "side")
    one.git("merge", "-q", "--no-edit", "old-main")
    one.create("side-again")
    assert len(one.git("merge-base", "--all", "main", "side").split()) == 2
    one.git("merge", "-q", "--no-edit", "main")
    learned(one, "on-main", "on-side", "main-again", "side-again")
    level(one)


def test_h8_an_octopus(team: Team) -> None:
    """Git's octopus asks no attribute: where branches published, it stops; a log never is the reason.

    Where they did not it is clean. What it leaves in the projection is put right by the next publish.
    """
    one = team.one
    names = ("a", "b", "c")
    for name in names:
        one.git("checkout", "-q", "-b", name, "main")
        one.create(f"on-{name}")
    one.git("checkout", "-q", "main")
    code, said = one.tries("merge", "--no-edit", *names)
    publishing = one.memory.snapshot.cache().policy.publish == "append"
    assert bool(code) == publishing
    if code:
        projection = f"{one.memory.home.prefix}continuity.md"
        assert one.unmerged() in ([], [projection]), said
        assert one.marked() in ([], [projection])
        one.git("reset", "-q", "--merge")
        for name in names:
            one.git("merge", "-q", "--no-edit", name)
            assert one.clean()
    learned(one, "on-a", "on-b", "on-c")
    level(one)


def test_h12_markers_that_git_left_and_somebody_committed(tmp_path: Path) -> None:
    """The octopus's markers, committed as they are: named, kept in the history, and published over."""
    team = Team(tmp_path, OWN_REPOSITORY)
    one = team.one
    for name in ("a", "b"):
        one.git("checkout", "-q", "-b", name, "main")
        one.create(f"on-{name}")
    one.git("checkout", "-q", "main")
    code, _ = one.tries("merge", "--no-edit", "a", "b")
    assert code
    assert one.marked() == ["continuity.md"]
    with pytest.raises(Exception, match="a merge is in progress"):
        one.memory.publish()
    one.git("commit", "-q", "-a", "--no-edit")
    memory = one.memory
    assert "conflict-in-projection" in {finding.code for finding in verify(memory)}
    memory.publish()
    learned(one, "on-a", "on-b")
    level(one)


# ---- what a person wrote ------------------------------------------------------------------------


@pytest.fixture
def edited(tmp_path: Path) -> tuple[Clone, Clone]:
    """Two clones: the second has an edit by hand of what the first has published anew meanwhile."""
    team = Team(tmp_path)
    one = team.one
    one.create("alpha", "As it was.")
    one.git("push", "-q")
    two = team.clone("two")
    ensure_drivers(two.memory.home)
    one.create("beta")
    one.git("push", "-q")
    page = two.folder / "continuity.md"
    page.write_text(page.read_text().replace("As it was.", "As a person says."))
    return one, two


@pytest.mark.parametrize("how", ["stash", "autostash", "rebase", "merge"])
def test_d5_an_edit_is_not_merged_away(edited: tuple[Clone, Clone], how: str) -> None:
    """Stashed or committed by hand, git stops for it, marks nothing, and Diurna absorbs it once chosen."""
    _, two = edited
    if how == "stash":
        two.git("stash", "-q")
        two.git("pull", "-q")
        assert two.tries("stash", "pop")[0] == 1
        assert two.git("stash", "list")
    elif how == "autostash":
        two.tries("pull", "-q", "--rebase", "--autostash")
        assert two.git("stash", "list")
    else:
        two.git("commit", "-q", "-a", "-m", "by hand")
        code, _ = two.tries("pull", "-q", "--no-edit", f"--{'no-' * (how == 'merge')}rebase")
        assert code == (0 if how == "merge" else 1)
    assert two.marked() == []
    if how == "merge":
        # ours is the one edited by hand, and stays
        assert two.unmerged() == []
    else:
        assert two.unmerged() == ["continuity.md"]
        two.git("checkout", "--theirs", "continuity.md")
        two.git("add", "continuity.md")
        if how == "rebase":
            two.git("-c", "core.editor=true", "rebase", "--continue")
    assert "As a person says." in (two.folder / "continuity.md").read_text()
    two.memory.publish()
    assert two.memory.state()["alpha"].fact.text == "As a person says."
    assert two.facts() == {"alpha", "beta"}
    level(two)


def test_d5_an_edit_on_the_other_side_is_not_merged_away(edited: tuple[Clone, Clone]) -> None:
    """A person without Diurna commits an edit: who pulls it beside logs of their own is asked."""
    one, two = edited
    two.git("commit", "-q", "-a", "-m", "by hand")
    code, _ = one.tries("pull", "-q", "--no-rebase", "--no-edit", str(two.folder), "main")
    assert (code, one.unmerged(), one.marked()) == (1, ["continuity.md"], [])
    one.git("checkout", "--theirs", "continuity.md")
    one.git("commit", "-q", "-a", "--no-edit")
    one.memory.publish()
    assert one.memory.state()["alpha"].fact.text == "As a person says."
    level(one)


# ---- where Diurna never was ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("team", "side"), sampled(product(WAYS, ["--ours", "--theirs"]), 5), indirect=["team"]
)
def test_a_clone_without_diurna_merges_two_branches(team: Team, side: str) -> None:
    """Attributes alone: no log conflicts, no file is marked; where git stops, either version will do."""
    one, plain = team.one, team.clone("plain")
    one.git("checkout", "-q", "-b", "side")
    one.create("on-side")
    one.git("push", "-q", "origin", "side")
    one.git("checkout", "-q", "main")
    one.create("on-main")
    one.git("push", "-q", "origin", "main")
    plain.git("pull", "-q", "--no-rebase")
    assert plain.tries("config", "merge.diurna-ours.driver")[0] == 1
    code, _ = plain.tries("merge", "--no-edit", "origin/side")
    projection = f"{one.memory.home.prefix}continuity.md"
    if one.memory.snapshot.cache().policy.publish == "append":
        assert (code, plain.unmerged()) == (1, [projection])
        assert plain.marked() == []
        plain.git("checkout", side, "--", projection)
        plain.git("commit", "-q", "-a", "--no-edit")
    else:
        assert code == 0
    assert plain.clean()
    plain.git("push", "-q")
    assert not (plain.folder / ".git" / "diurna").exists()
    one.git("pull", "-q", "--no-rebase")
    learned(one, "on-main", "on-side")
    level(one)
    one.git("push", "-q")
    plain.git("pull", "-q")
    level(one, plain)


def test_a_clone_without_diurna_only_pulls_and_pushes(team: Team) -> None:
    """It appends nothing and publishes nothing, so all that comes and goes is a fast-forward or a merge."""
    one, plain = team.one, team.clone("plain")
    one.create("alpha")
    one.git("push", "-q")
    (plain.folder / "notes.txt").write_text("by hand\n")
    plain.git("add", "notes.txt")
    plain.git("commit", "-q", "-m", "notes")
    plain.git("pull", "-q", "--no-rebase", "--no-edit")
    plain.git("push", "-q")
    one.create("beta")
    one.git("pull", "-q", "--no-rebase", "--no-edit")
    learned(one, "alpha", "beta")
    assert (one.folder / "notes.txt").read_text() == "by hand\n"
    level(one)


# ---- the archive --------------------------------------------------------------------------------

FAST = (("working", 0), ("active", 1), ("archive", 2))


def test_archives_that_both_sides_wrote(tmp_path: Path) -> None:
    """Both archived other facts on one page, which neither had before: the pull is clean."""
    team = Team(tmp_path, OWN_REPOSITORY, policy=FAST)
    one, two = team.one, team.clone("two")
    for clone in (one, two):
        for number in range(4):
            clone.create(f"{clone.folder.name}-{number}")
        assert (clone.folder / "archive" / "INDEX.md").exists()
    one.git("push", "-q")
    two.git("pull", "-q", "--no-rebase", "--no-edit")
    assert two.clean()
    assert len(two.facts()) == 8
    two.memory.publish()
    two.git("push", "-q")
    one.git("pull", "-q")
    level(one, two)


def test_a_page_that_went_on_one_side_is_asked_about(tmp_path: Path) -> None:
    """No attribute speaks for a file that one side took away: git asks, marks nothing, and either will do."""
    team = Team(tmp_path, OWN_REPOSITORY, policy=FAST)
    one = team.one
    for number in range(4):
        one.create(f"fact-{number}")
    one.git("checkout", "-q", "-b", "side")
    for number in range(4):
        one.create(f"side-{number}")
    one.git("checkout", "-q", "main")
    one.append("Used again", FactReferenced("fact-0"), FactReferenced("fact-1"))
    one.append("And again", FactReferenced("fact-0"), FactReferenced("fact-1"))
    for path in (one.folder / "archive").glob("*"):
        path.unlink()  # whatever is left: as if all had come back
    one.git("rm", "-q", "-r", "--cached", "archive")
    one.git("commit", "-q", "-m", "diurna: publish the projection")
    code, _ = one.tries("merge", "--no-edit", "side")
    assert code == 1
    assert all(path.startswith("archive/") for path in one.unmerged())
    assert one.marked() == []
    one.git("add", "-A")
    one.git("commit", "-q", "--no-edit")
    level(one)


# ---- a branch of its own ------------------------------------------------------------------------


def test_own_branches_push_and_fetch(tmp_path: Path) -> None:
    """Fast-forwards go by plain git; a fork is refused by git and joined by `diurna sync`."""
    team = Team(tmp_path, OWN_BRANCH)
    one, two = team.one, team.clone("two")
    one.create("alpha")
    one.git("push", "-q", "origin", "memory")
    two.git("fetch", "-q", "origin", "memory:memory")
    assert two.facts() == {"alpha"}
    two.create("beta")
    one.create("gamma")
    one.git("push", "-q", "origin", "memory")
    assert two.tries("push", "-q", "origin", "memory")[0] == 1
    assert two.tries("fetch", "-q", "origin", "memory:memory")[0] == 1
    two.sync()
    one.git("fetch", "-q", "origin", "memory:memory")
    assert one.facts() == {"alpha", "beta", "gamma"}
    assert one.published() == two.published()
    assert one.memory.drift() == ()
    for clone in (one, two):
        assert clone.clean()


def test_an_own_branch_in_a_work_tree_by_plain_git(tmp_path: Path) -> None:
    """Somebody checks it out all the same, and merges: no marks, and no attribute for other branches."""
    team = Team(tmp_path, OWN_BRANCH)
    one, two = team.one, team.clone("two")
    two.sync()
    one.create("alpha")
    one.sync()
    two.create("beta")
    two.git("worktree", "add", "-q", str(tmp_path / "looked-into"), "memory")
    there = Clone(tmp_path / "looked-into")
    code, _ = there.tries("pull", "-q", "--no-rebase", "--no-edit", "origin", "memory")
    assert (code, there.unmerged(), there.marked()) == (1, ["continuity.md"], [])
    there.git("checkout", "--ours", "continuity.md")
    there.git("commit", "-q", "-a", "--no-edit")
    assert there.memory.home.kind == OWN_REPOSITORY
    there.create("gamma")
    assert ensure_drivers(there.memory.home) == []
    assert "diurna" not in two.git("check-attr", "-a", "archive/2026-Q1.md", "continuity.md")
    assert there.facts() == {"alpha", "beta", "gamma"}
    two.sync()
    one.sync()
    assert one.published() == two.published()


@pytest.mark.deep(reason="test_sync::c4_linked_worktrees_sync_at_once is the small one")
def test_c4_linked_worktrees_of_one_branch_at_once(tmp_path: Path) -> None:
    """Real processes: three work trees of a fresh clone append and sync an own branch at the same time."""
    team = Team(tmp_path, OWN_BRANCH)
    team.one.create("alpha")
    team.one.sync()
    two = team.clone("two")
    folders = [two.folder]
    for name in ("b", "c"):
        two.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
        folders.append(tmp_path / name)
    script = (
        "import sys; from rituals.cli.app import main\n"
        "for number in range(2):\n"
        "    name = f'{sys.argv[1]}-{number}'\n"
        "    for line in (['append', '--title', name, '--new', f'id={name} fact: {name}.'], ['sync']):\n"
        "        code = main(line)\n"
        "        if code: sys.exit(code)\n"
    )
    processes = [
        forks.Forked(["-c", script, f"w{number}"], folder, os.environ)
        for number, folder in enumerate(folders)
    ]
    said = [process.communicate()[0].decode() for process in processes]
    assert [process.wait() for process in processes] == [0, 0, 0], said
    two.sync()
    team.one.sync()
    expected = {"alpha"} | {f"w{worker}-{number}" for worker in range(3) for number in range(2)}
    for folder in (*folders, team.one.folder):
        assert Clone(folder).facts() == expected
    tip = git(team.hub, "rev-parse", "memory").strip()
    assert two.memory.home.tip() == team.one.memory.home.tip() == tip
    assert two.memory.drift() == ()
    assert two.git("rev-parse", "refs/remotes/origin/memory") == tip


@pytest.mark.parametrize("kind", KINDS)
def test_a_fresh_clone_is_level_at_once(tmp_path: Path, kind: str) -> None:
    """`diurna init` in a clone, after a plain push, finds the home and shows the same bytes."""
    from rituals.setup.home_setup import apply_setup, plan_setup
    from tests.campaigns.homes import Clock

    team = Team(tmp_path, kind)
    one = team.one
    one.create("alpha")
    one.git("push", "-q", "origin", team.branch)
    two = team.clone("two")
    apply_setup(plan_setup(str(two.folder), "", "", ""), Clock()).close()
    assert two.published() == one.published()
    assert two.memory.continuity() == one.memory.continuity()
    assert plan_setup(str(two.folder), "", "", "").steps == ()
    assert two.clean()
    if kind == OWN_BRANCH:
        assert two.git("rev-parse", "--abbrev-ref", "memory@{upstream}") == "origin/memory"
        mirrored = (two.folder / ".memory" / "continuity.md").read_text()
        assert mirrored == one.memory.continuity()
