"""`publish = "trunk"`: an append on the trunk commits the projection with its log, on any other branch it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.git import cli
from ledger.git.repository import find_repository
from ledger.home import Home, branch_home, checked_out_home, discover
from ledger.model.event import FactCreated, FactUpdated
from memory.replay.trunk import publishes, trunk
from projection.policy.model import Policy
from rituals.check.check_registry import verify
from rituals.review.review_record import review
from rituals.setup.home_setup import apply_setup, plan_setup
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, git, hermetic, make_home, user_repository
from tests.conftest import Repo, Run
from tests.teams import Clone, Team

__all__ = ["hermetic"]
PAGE = "memory/continuity.md"
TRUNK = Policy(publish="trunk", trunk="main")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """An in-tree home on `main` with one fact, and no remote."""
    make_home(tmp_path / "shop", IN_TREE)
    found = Clone(tmp_path / "shop")
    found.create("alpha")
    return found


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """A remote whose trunk is `main`."""
    return Team(tmp_path, IN_TREE)


def changed(clone: Clone) -> list[str]:
    """Return which files of the home, but for the log itself, the last commit changed."""
    names = clone.git("diff", "--name-only", "HEAD~1", "HEAD").split()
    return [name for name in names if not name.startswith("memory/sessions/")]


def switched(clone: Clone, branch: str) -> None:
    """Go to a new branch."""
    clone.git("switch", "-q", "-c", branch)


# ---- an append --------------------------------------------------------------------------------------


def test_on_the_trunk_log_and_page_are_one_commit(clone: Clone) -> None:
    """And on another branch the log alone; reading gives both the fresh view."""
    assert (changed(clone), clone.memory.drift()) == ([PAGE], ())
    assert "The text of alpha." in (clone.folder / PAGE).read_text()
    switched(clone, "side")
    clone.create("beta")
    assert (changed(clone), clone.memory.drift()) == ([], ("continuity.md",))
    assert "beta" not in (clone.folder / PAGE).read_text()
    assert "The text of beta." in clone.memory.continuity()
    assert clone.clean()
    clone.git("switch", "-q", "main")
    clone.git("merge", "-q", "--no-ff", "side")
    clone.create("gamma")
    assert (changed(clone), clone.memory.drift()) == ([PAGE], ())
    for fact in ("alpha", "beta", "gamma"):
        assert f"The text of {fact}." in (clone.folder / PAGE).read_text()


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("branch", ["main", "side"])
def test_a_persons_edit_is_never_written_over(clone: Clone, branch: str, staged: bool) -> None:
    """On the trunk it becomes a log first, or stays where it is not understood; elsewhere it waits."""
    if branch != "main":
        switched(clone, branch)
    page = clone.folder / PAGE
    page.write_text(page.read_text().replace("The text of alpha.", "As a person says."))
    if staged:
        clone.git("add", PAGE)
    clone.create("beta")
    assert "As a person says." in page.read_text()
    mine = "" if branch == "main" else f"M  {PAGE}" if staged else f"M {PAGE}"
    assert clone.git("status", "--porcelain").strip() == mine
    said = "As a person says." in clone.memory.continuity()
    assert said == (branch == "main")
    loose = page.read_text() + "\nLoose words.\n"
    page.write_text(loose)
    if staged:
        clone.git("add", PAGE)
    clone.create("gamma")
    assert page.read_text() == loose
    assert (f"M  {PAGE}" in clone.git("status", "--porcelain")) == staged
    assert "gamma" in clone.facts()
    assert changed(clone) == []
    page.write_text(loose.replace("\nLoose words.\n", ""))
    clone.memory.absorb()
    assert "As a person says." in clone.memory.continuity()


def test_a_fact_that_is_redacted_on_the_trunk_leaves_the_page_at_once(repo: Repo, run: Run) -> None:
    """On another branch `publish` takes it out, as the hint says, and tells what that means there."""
    assert run("append", "--title", "L", "--new", "id=login It is hunter2.").code == 0
    repo.git("switch", "-q", "-c", "side")
    ran = run("redact", "login", "--reason", "A password.")
    assert "hint: `diurna check --publish` takes it out of continuity.md\n" in ran.err
    ran = run("check", "--publish")
    assert ran.code == 0 and "hunter2" not in (repo.path / PAGE).read_text()
    assert "published on main; a pull request from side can conflict in them" in ran.err
    repo.git("switch", "-q", "main")
    assert "hunter2" in (repo.path / PAGE).read_text()
    ran = run("redact", "login", "--reason", "A password.")
    assert ran.code == 0 and "takes it out" not in ran.err
    assert "hunter2" not in repo.git("show", f"HEAD:{PAGE}")


# ---- the other commands -----------------------------------------------------------------------------


def test_nobody_is_nagged_on_a_branch_that_does_not_publish(repo: Repo, run: Run) -> None:
    """`status`, `verify`, `lint` and `doctor` leave the lag alone; a page that is ahead is told of."""
    here = {"when": "trunk", "here": True, "trunk": "main"}
    assert run("status", "--json").json["publish"] == here
    repo.git("switch", "-q", "-c", "side")
    assert run("append", "--title", "B", "--new", "id=beta Beta.").code == 0
    ran = run("status")
    assert "drift     none here; continuity.md is published on main\n" in ran.out
    assert "publish" not in ran.err
    answer = run("status", "--json").json
    assert (answer["publish"], answer["drift"]) == ({**here, "here": False}, [])
    assert run("check", "--ci").out == "all in order\n"
    assert "drift" not in {one["code"] for one in run("check", "--ci", "--json").json["findings"]}
    assert "drift" not in {one["code"] for one in run("check", "--json").json["findings"]}
    repo.git("checkout", "-q", "--detach")
    answer = run("status", "--json").json
    assert (answer["publish"]["here"], answer["drift"]) == (False, [])
    assert "beta" in run("show").out
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "side")
    assert "drift     continuity.md\n" in run("status").out
    assert "`diurna check --publish` writes and commits what drifted" in run("status").err
    assert {one["code"] for one in run("check", "--ci", "--json").json["findings"]} == {"drift"}


def test_a_review_publishes_on_the_trunk_alone(clone: Clone) -> None:
    """Elsewhere it is a log, as an append is."""
    switched(clone, "side")
    before = clone.git("rev-parse", f"HEAD:{PAGE}")
    clone.append("Use it", FactCreated("inv", "Never.", meta=(("kind", "invariant"),)))
    assert review(clone.memory).published == ()
    assert clone.git("rev-parse", f"HEAD:{PAGE}") == before
    clone.git("switch", "-q", "main")
    clone.git("merge", "-q", "--no-ff", "side")
    assert clone.memory.drift()
    review(clone.memory)
    assert clone.memory.drift() == ()


@pytest.mark.deep(reason="nobody_is_nagged_on_a_branch_that_does_not_publish is the small one")
def test_a_sync_publishes_on_the_trunk_alone(team: Team) -> None:
    """Two clones of a branch that does not publish join without a page; of the trunk, with the fresh one."""
    one, two = team.one, team.clone("two")
    for branch in ("main", "side"):
        if branch == "side":
            switched(one, branch)
            one.git("push", "-q", "-u", "origin", branch)
            two.git("fetch", "-q")
            two.git("switch", "-q", branch)
        before = one.git("rev-parse", f"HEAD:{PAGE}")
        one.create(f"one-{branch}")
        two.create(f"two-{branch}")
        one.sync()
        two.sync()
        one.sync()
        assert one.tip() == two.tip()
        after = one.git("rev-parse", f"HEAD:{PAGE}")
        assert (before == after) == (branch == "side")
        assert bool(one.memory.drift()) == (branch == "side")
        assert one.clean() and two.clean()
        assert not [found for found in verify(two.memory) if found.severity != "info"]


def test_a_page_that_was_committed_on_a_branch_by_hand_is_told_of(clone: Clone) -> None:
    """Ahead of the ledger it has: `verify` says so on every branch."""
    clone.append("Change", FactUpdated("alpha", "Alpha again."))
    ahead = (clone.folder / PAGE).read_text()
    clone.git("switch", "-q", "-c", "side", "HEAD~1")
    (clone.folder / PAGE).write_text(ahead)
    clone.git("commit", "-q", "-am", "ahead")
    told = {one.code: one.message for one in verify(clone.memory)}
    assert "was published from a ledger with the log" in told["drift"]


# ---- which branch is the trunk ----------------------------------------------------------------------


def heads(home: Home, text: str) -> None:
    """Write what `origin/HEAD` is."""
    folder = Path(home.repository.commondir, "refs/remotes/origin")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text(text)


def test_the_trunk_is_what_origin_names(clone: Clone) -> None:
    """Whatever the policy says; one that is gone, detached or nonsense names none, and the policy counts."""
    home = clone.memory.home
    assert trunk(home, TRUNK) == "main"
    clone.git("update-ref", "refs/remotes/origin/release/2.x", "HEAD")
    heads(home, "ref: refs/remotes/origin/release/2.x\n")
    assert trunk(home, TRUNK) == "release/2.x"
    assert not publishes(home, TRUNK)
    clone.git("pack-refs", "--all")
    assert trunk(home, TRUNK) == "release/2.x"
    for text in (
        "ref: refs/remotes/origin/master\n", "ref: refs/heads/main\n", "", "\0\n",
        f"{clone.tip()}\n", "ref: refs/remotes/origin/\n",
    ):  # fmt: skip
        heads(home, text)
        assert trunk(home, TRUNK) == "main", text
        assert publishes(home, TRUNK), text
    assert trunk(home, Policy(publish="trunk")) == ""
    assert not publishes(home, Policy(publish="trunk"))


def test_knowing_it_starts_no_git(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small files are read: a reader must not become slower for it."""
    clone = team.clone("two")
    home = discover(str(clone.folder))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("git was started")

    for name in ("run", "call"):
        monkeypatch.setattr(cli.Git, name, refuse)
    assert publishes(home, TRUNK)
    assert not publishes(home._replace(reference="refs/heads/side"), TRUNK)
    assert not publishes(home._replace(reference=""), TRUNK)


def test_a_clone_publishes_where_its_origin_does(team: Team, tmp_path: Path) -> None:
    """Cut short, of one branch, or without `origin/HEAD`: on the trunk alone."""
    for name, options, publishing in (
        ("shallow", ["--depth=1"], True),
        ("whole", [], True),
        ("single", ["--branch=side", "--single-branch"], False),
        ("deep-side", ["--branch=side"], False),
    ):
        if name == "single":
            team.one.git("push", "-q", "origin", "main:side")
        git(tmp_path, "clone", "-q", *options, f"file://{team.hub}", name)
        clone = Clone(tmp_path / name)
        clone.create(name)
        assert changed(clone) == [PAGE] * publishing, name
        assert "Diurna" in clone.git("log", "-1", "--format=%cn")
    bare = Clone(tmp_path / "whole")
    bare.git("remote", "set-head", "origin", "--delete")
    bare.create("without")
    assert changed(bare) == [PAGE]


def test_the_head_that_came_after_wins(team: Team, tmp_path: Path) -> None:
    """A forge renames its trunk: a clone that asks anew publishes on the new one, and not on the old."""
    git(team.hub, "branch", "-m", "main", "trunk")
    git(team.hub, "symbolic-ref", "HEAD", "refs/heads/trunk")
    one = team.one
    one.git("fetch", "-q", "--prune")
    one.git("branch", "-m", "main", "trunk")
    one.create("alpha")
    assert changed(one) == [], "nobody has told this clone"
    one.git("remote", "set-head", "origin", "--auto")
    one.create("beta")
    assert changed(one) == [PAGE]
    git(tmp_path, "clone", "-q", str(team.hub), "fresh")
    fresh = Clone(tmp_path / "fresh")
    fresh.create("gamma")
    assert changed(fresh) == [PAGE]


def test_a_trunk_that_was_renamed_without_a_remote(repo: Repo, run: Run) -> None:
    """Nothing is published before the policy names it; `status` says what is missing, and what to do."""
    repo.git("branch", "-m", "main", "trunk")
    ran = run("status")
    assert (
        "drift     none here; continuity.md is published on main, a branch that is not here\n"
        in ran.out
    )
    assert (
        ran.err
        == "hint: `trunk` in memory/diurna.toml names the branch that has the published files\n"
    )
    assert run("append", "--title", "A", "--new", "id=a A.").code == 0
    assert "id: a |" not in (repo.path / PAGE).read_text()
    policy = repo.path / "memory/diurna.toml"
    policy.write_text(policy.read_text().replace('trunk   = "main"', 'trunk   = "trunk"'))
    repo.git("commit", "-qam", "renamed")
    assert "drift     continuity.md\n" in run("status").out
    assert run("append", "--title", "B", "--new", "id=b B.").code == 0
    assert run("status").err == ""
    assert (
        "id: a |" in (repo.path / PAGE).read_text() and "id: b |" in (repo.path / PAGE).read_text()
    )


def test_without_any_name_nothing_is_published(repo: Repo, run: Run) -> None:
    """A policy by hand, and no remote: `status` asks for the name."""
    policy = repo.path / "memory/diurna.toml"
    policy.write_text("publish = 'trunk'\n")
    repo.git("commit", "-qam", "by hand")
    assert run("append", "--title", "A", "--new", "id=a A.").code == 0
    ran = run("status")
    assert "published on the trunk, and no branch is known to be it\n" in ran.out
    assert "hint: `trunk` in memory/diurna.toml names the branch" in ran.err


def test_a_detached_head_is_no_trunk(clone: Clone) -> None:
    """The log waits, as in every home; it lands, with the page, where the trunk is checked out again."""
    clone.git("checkout", "-q", "--detach")
    with pytest.raises(Exception, match="HEAD is detached"):
        clone.create("beta")
    assert clone.memory.publishes() is False
    clone.git("switch", "-q", "main")
    clone.memory.drain()
    assert (changed(clone), clone.memory.drift()) == ([PAGE], ())
    assert "The text of beta." in (clone.folder / PAGE).read_text()


def test_linked_worktrees_have_branches_of_their_own(clone: Clone, tmp_path: Path) -> None:
    """One on a side branch publishes nothing; the trunk does, wherever it is checked out."""
    clone.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Clone(tmp_path / "side")
    side.create("beta")
    clone.create("gamma")
    assert (changed(side), changed(clone)) == ([], [PAGE])
    switched(clone, "other")
    clone.git("worktree", "add", "-q", str(tmp_path / "trunk"), "main")
    there = Clone(tmp_path / "trunk")
    there.create("delta")
    clone.create("epsilon")
    assert (changed(there), changed(clone)) == ([PAGE], [])
    assert there.clean() and clone.clean() and side.clean()


@pytest.mark.parametrize("when", ["append", "trunk"])
def test_a_branch_of_its_own_is_its_trunk(tmp_path: Path, when: str) -> None:
    """No other branch has its ledger, whatever `origin/HEAD` names."""
    home = make_home(tmp_path / "shop", OWN_BRANCH)
    git(tmp_path / "shop", "update-ref", "refs/remotes/origin/main", "main")
    heads(home, "ref: refs/remotes/origin/main\n")
    policy = Policy(publish=when, trunk="main")
    assert publishes(branch_home(home.repository, "memory"), policy)
    assert not publishes(branch_home(home.repository, "memory"), Policy(publish="review"))


# ---- init -------------------------------------------------------------------------------------------


def test_init_on_an_unborn_branch_names_it(tmp_path: Path) -> None:
    """A repository without a commit: the branch that the first one makes is the trunk."""
    git(tmp_path, "init", "-q", "-b", "trunk", "shop")
    git(tmp_path / "shop", "config", "user.name", "Ada")
    git(tmp_path / "shop", "config", "user.email", "ada@example.invalid")
    repository = find_repository(str(tmp_path / "shop"))
    assert repository is not None
    home = checked_out_home(repository, "memory/")
    assert (home.tip(), publishes(home, Policy(publish="trunk", trunk="trunk"))) == ("", True)
    apply_setup(plan_setup(str(tmp_path / "shop"), "", "", "shop"), lambda: 1_790_000_000_000)
    clone = Clone(tmp_path / "shop")
    assert 'trunk   = "trunk"' in (clone.folder / "memory/diurna.toml").read_text()
    clone.create("alpha")
    assert changed(clone) == [PAGE]


def test_init_on_another_branch_names_the_trunk(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a clone `origin/HEAD` says which; the page is fresh there once the branch is merged."""
    code = user_repository(tmp_path / "code")
    git(tmp_path, "clone", "-q", "--bare", str(code), "hub.git")
    git(tmp_path, "clone", "-q", "hub.git", "shop")
    shop = tmp_path / "shop"
    git(shop, "switch", "-q", "-c", "add-memory")
    monkeypatch.chdir(shop)
    ran = run("init")
    assert ran.code == 0
    assert "hint: continuity.md is published on main, once it has this home\n" in ran.err
    assert 'trunk   = "main"' in (shop / "memory/diurna.toml").read_text()
    clone = Clone(shop)
    clone.git("config", "user.name", "Ada")
    clone.git("config", "user.email", "ada@example.invalid")
    clone.create("alpha")
    assert changed(clone) == []
    clone.git("switch", "-q", "main")
    clone.git("merge", "-q", "--no-ff", "--no-edit", "add-memory")
    clone.create("beta")
    assert changed(clone) == [PAGE]


def test_a_home_that_was_there_keeps_its_policy(repo: Repo, run: Run) -> None:
    """`init` again changes nothing in it."""
    repo.publish_when("review")
    before = (repo.path / "memory/diurna.toml").read_bytes()
    assert run("init").code == 0
    assert (repo.path / "memory/diurna.toml").read_bytes() == before
    assert run("append", "--title", "A", "--new", "id=a A.").code == 0
    assert "id: a |" not in (repo.path / PAGE).read_text()
