"""Pull requests on a forge that is plain git: squashed, rebased and merged, in any order, nothing conflicts.

The forge has no Diurna and no merge driver; the clones have it or have not. Nobody has to know anything:
every log arrives, and the step that publishes behind a merge makes `continuity.md` on the trunk fresh.
"""

from __future__ import annotations

import os
import subprocess
from itertools import permutations, product
from pathlib import Path

import pytest

from tests.campaigns import forks
from tests.campaigns.homes import IN_TREE, git, hermetic
from tests.conftest import sampled
from tests.pages import GUIDE, ROOT, blocks
from tests.teams import Clone, Team
from tests.world import run

__all__ = ["hermetic"]
PAGE = "memory/continuity.md"
ACTION = ROOT / ".github" / "actions" / "publish"
HOW = ("merge", "squash", "rebase")
#: How the author of the second request brings it up to date, before it is merged.
UPDATES = ("behind", "merged by git", "rebased by git", "merged with Diurna", "rebased with Diurna")
pytestmark = pytest.mark.skipif(not ACTION.exists(), reason="the source tree's")


class Forge(Team):
    """A bare remote, and the clone in which the forge makes its merges: git alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, IN_TREE)
        self.merges = self.clone("forge")
        self.programs = _programs(folder)

    def request(self, clone: Clone, branch: str) -> None:
        """Open a pull request, or bring it up to date with what its author has."""
        clone.git("push", "-q", "--force-with-lease", "-u", "origin", branch)

    def merge(self, branch: str, how: str) -> None:
        """Merge a pull request as a forge does; a conflict fails the test."""
        where = self.merges
        where.git("fetch", "-q", "--prune")
        where.git("checkout", "-q", "-B", "main", "origin/main")
        if how == "merge":
            where.git("merge", "-q", "--no-ff", "-m", f"Merge {branch}", f"origin/{branch}")
        elif how == "squash":
            where.git("merge", "-q", "--squash", f"origin/{branch}")
            where.git("commit", "-q", "-m", f"{branch} (squashed)")
        else:
            where.git("checkout", "-q", "-B", "rebased", f"origin/{branch}")
            where.git("rebase", "-q", "main")
            where.git("checkout", "-q", "main")
            where.git("merge", "-q", "--ff-only", "rebased")
        assert where.clean()
        where.git("push", "-q", "origin", "main")
        assert not (where.folder / ".git" / "diurna").exists(), "the forge never ran Diurna"

    def publish(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the step of the forge in a checkout as a workflow makes it: of one commit, with no `origin/HEAD`."""
        folder = self.folder / name
        if not folder.exists():
            git(self.folder, "init", "-q", str(folder))
            git(folder, "remote", "add", "origin", f"file://{self.hub}")
            git(
                folder,
                "fetch",
                "-q",
                "--depth=1",
                "origin",
                "+refs/heads/main:refs/remotes/origin/main",
            )
            git(folder, "checkout", "-q", "-B", "main", "refs/remotes/origin/main")
        return self.step([str(ACTION / "publish.sh")], folder, **more)

    def step(
        self, command: list[str], folder: Path, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of a workflow, with `diurna` on its path."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PATH": path, **more},
            capture_output=True,
            text=True,
        )

    def is_fresh(self, *facts: str) -> None:
        """Check that the trunk has just these facts, and that its page shows them."""
        name = f"look-{len(list(self.folder.iterdir()))}"
        git(self.folder, "clone", "-q", str(self.hub), name)
        look = Clone(self.folder / name)
        assert look.facts() == set(facts)
        page = (look.folder / PAGE).read_text()
        assert page == look.memory.continuity()
        for fact in facts:
            assert f"The text of {fact}." in page
        assert look.memory.drift() == ()
        checked = run("check", "--ci", "--home", str(look.folder))
        assert not checked.code, checked


def _programs(folder: Path) -> Path:
    """Make a folder with a `diurna` that runs this tree, whatever is installed."""
    programs = folder / "programs"
    programs.mkdir()
    forks.put_program(programs / "diurna")
    return programs


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path)


def work(clone: Clone, branch: str, *facts: str) -> None:
    """Do some work on a new branch: code, and an append for each fact."""
    clone.git("switch", "-q", "-c", branch)
    for number, fact in enumerate(facts):
        (clone.folder / f"{branch}-{number}.py").write_text(f"{fact}\n")
        clone.git("add", "-A")
        clone.git("commit", "-q", "-m", f"{branch} {number}")
        clone.create(fact)


def update(forge: Forge, clone: Clone, branch: str, how: str) -> None:
    """Bring a branch up to date with the trunk, in the author's clone or in one without Diurna."""
    if how == "behind":
        return
    if how.endswith("git"):
        plain = forge.clone(f"plain-{branch}")
        plain.git("checkout", "-q", branch)
        clone, diurna = plain, False
    else:
        clone.git("fetch", "-q")
        diurna = True
    if how.startswith("merged"):
        clone.git("merge", "-q", "--no-edit", "origin/main")
    else:
        clone.git("rebase", "-q", "origin/main")
    assert clone.clean()
    assert (clone.folder / ".git" / "diurna").exists() == diurna
    forge.request(clone, branch)


# ---- the journey ------------------------------------------------------------------------------------


@pytest.mark.deep(reason="test_one_branch_is_squashed_twice is the small one")
@pytest.mark.parametrize(("first", "second", "updated"), sampled(product(HOW, HOW, UPDATES), 12))
def test_two_requests_are_merged_in_any_way(
    forge: Forge, first: str, second: str, updated: str
) -> None:
    """Both open at once; the trunk moves by appends of its own between them, and is published each time."""
    ada, bob, carol = forge.one, forge.clone("bob"), forge.clone("carol")
    ada.create("base")
    ada.git("push", "-q")
    bob.git("pull", "-q")
    work(ada, "ada", "ada-1", "ada-2")
    work(bob, "bob", "bob-1")
    forge.request(ada, "ada")
    forge.request(bob, "bob")
    carol.git("pull", "-q")
    carol.create("carol-1")
    carol.git("push", "-q")
    forge.merge("ada", first)
    assert forge.publish("after-first").returncode == 0
    forge.is_fresh("base", "ada-1", "ada-2", "carol-1")
    carol.create("carol-2")
    carol.git("pull", "-q", "--no-rebase", "--no-edit")
    carol.git("push", "-q")
    bob.create("bob-2")
    forge.request(bob, "bob")
    update(forge, bob, "bob", updated)
    forge.merge("bob", second)
    done = forge.publish("after-second")
    assert done.returncode == 0, done.stderr
    forge.is_fresh("base", "ada-1", "ada-2", "bob-1", "bob-2", "carol-1", "carol-2")
    for clone in (ada, bob, carol):
        clone.git("switch", "-q", "main")
        clone.git("pull", "-q", "--no-rebase", "--no-edit")
        assert clone.clean()
        assert len(clone.facts()) == 7


@pytest.mark.deep(reason="test_a_branch_cut_from_an_unpushed_trunk is the small one")
@pytest.mark.parametrize("order", sampled(permutations(HOW), 5))
def test_three_requests_are_all_behind(forge: Forge, order: tuple[str, ...]) -> None:
    """Nobody brings one up to date, nobody publishes between them, and one step behind all makes the page fresh."""
    authors = [forge.clone(name) for name in ("ada", "bob", "carol")]
    for author in authors:
        work(author, author.agent, f"{author.agent}-1", f"{author.agent}-2")
        forge.request(author, author.agent)
    for author, how in zip(authors, order, strict=True):
        forge.merge(author.agent, how)
    assert forge.publish("step").returncode == 0
    forge.is_fresh(*[f"{author.agent}-{number}" for author in authors for number in (1, 2)])


def test_the_next_append_on_the_trunk_publishes_too(forge: Forge) -> None:
    """Where no step was set up the page is behind until somebody appends on the trunk."""
    ada = forge.clone("ada")
    work(ada, "ada", "ada-1")
    forge.request(ada, "ada")
    forge.merge("ada", "squash")
    forge.one.git("pull", "-q")
    assert forge.one.memory.drift() == ("continuity.md",)
    forge.one.create("one-1")
    forge.one.git("push", "-q")
    forge.is_fresh("ada-1", "one-1")


def test_one_branch_is_squashed_twice(forge: Forge) -> None:
    """Worked on after it was squashed, and squashed again: the same logs are the same files."""
    ada = forge.clone("ada")
    work(ada, "ada", "ada-1")
    forge.request(ada, "ada")
    forge.merge("ada", "squash")
    assert forge.publish("first").returncode == 0
    ada.create("ada-2")
    forge.request(ada, "ada")
    forge.merge("ada", "squash")
    assert forge.publish("second").returncode == 0
    forge.is_fresh("ada-1", "ada-2")


def test_a_branch_cut_from_an_unpushed_trunk(forge: Forge) -> None:
    """It brings the page along: a merge of the trunk, where Diurna writes, settles it, as TEAM.md says."""
    ada = forge.one
    ada.create("ada-1")
    work(ada, "ada", "ada-2")
    forge.request(ada, "ada")
    bob = forge.clone("bob")
    bob.create("bob-1")
    bob.git("push", "-q")
    ada.git("fetch", "-q")
    ada.git("merge", "-q", "--no-edit", "origin/main")
    assert ada.clean()
    forge.request(ada, "ada")
    forge.merge("ada", "squash")
    assert forge.publish("step").returncode == 0
    forge.is_fresh("ada-1", "ada-2", "bob-1")


# ---- the step ---------------------------------------------------------------------------------------


def merged(forge: Forge, name: str) -> None:
    """Have a pull request of somebody new merged."""
    clone = forge.clone(name)
    work(clone, name, f"{name}-1")
    forge.request(clone, name)
    forge.merge(name, "merge")


def faster(forge: Forge, name: str, clone: Clone) -> None:
    """Let a clone push to the trunk right before a checkout does it for the first time."""
    git(forge.folder, "clone", "-q", f"file://{forge.hub}", name)
    hook = forge.folder / name / ".git" / "hooks" / "pre-push"
    hook.write_text(
        f"#!/bin/sh\n[ -e {forge.folder}/raced ] && exit 0\n: > {forge.folder}/raced\n"
        f"unset GIT_DIR; cd {clone.folder} && git push -q origin HEAD:main\n"
    )
    hook.chmod(0o755)


def test_a_lost_race_is_run_again(forge: Forge) -> None:
    """Another push lands between publish and push: the step publishes both, and forces nothing."""
    merged(forge, "ada")
    bob = forge.clone("bob")
    bob.git("switch", "-q", "-c", "bob")
    bob.create("bob-1")
    faster(forge, "step", bob)
    done = forge.publish("step")
    assert done.returncode == 0, done.stderr
    assert "not pushed in try 1 of 8" in done.stderr
    forge.is_fresh("ada-1", "bob-1")
    subjects = git(forge.hub, "log", "--format=%s", "-n2", "main").splitlines()
    assert subjects[0] == "diurna: publish the projection"
    assert subjects[1] != subjects[0]
    assert git(forge.hub, "rev-parse", "main~1") == git(bob.folder, "rev-parse", "HEAD")


def test_a_step_that_has_nothing_to_do_changes_nothing(forge: Forge) -> None:
    """Run twice, or behind a push that published by itself."""
    merged(forge, "ada")
    assert forge.publish("step").returncode == 0
    tip = git(forge.hub, "rev-parse", "main")
    for name in ("step", "another"):
        done = forge.publish(name)
        assert (done.returncode, done.stdout) == (0, "nothing to do: the projection is in step\n")
    assert git(forge.hub, "rev-parse", "main") == tip


def test_an_edit_in_a_request_becomes_a_log_once(forge: Forge) -> None:
    """A person without Diurna rewords a fact on a branch: the step makes a log of it, a lost race or not."""
    forge.one.create("alpha")
    forge.one.git("push", "-q")
    plain = forge.clone("plain")
    plain.git("switch", "-q", "-c", "plain")
    page = plain.folder / PAGE
    page.write_text(page.read_text().replace("The text of alpha.", "As a person says."))
    plain.git("commit", "-q", "-a", "-m", "by hand")
    forge.request(plain, "plain")
    forge.merge("plain", "squash")
    clone = forge.clone("bob")
    clone.create("bob-1")
    faster(forge, "step", clone)
    done = forge.publish("step")
    assert done.returncode == 0, done.stderr
    assert "try 1" in done.stderr
    git(forge.folder, "clone", "-q", str(forge.hub), "look")
    look = Clone(forge.folder / "look")
    assert look.memory.state()["alpha"].fact.text == "As a person says."
    assert [one.type for one in look.memory.log()].count("edit") == 1
    assert look.memory.drift() == ()
    assert "As a person says." in (look.folder / PAGE).read_text()


@pytest.mark.parametrize("why", ["detached", "unpushed", "refused", "offline"])
def test_a_step_that_can_not_publish_says_why(forge: Forge, why: str) -> None:
    """It ends with 1, and neither the remote nor what is unpushed has changed."""
    merged(forge, "ada")
    tip = git(forge.hub, "rev-parse", "main")
    folder = forge.folder / "step"
    git(forge.folder, "clone", "-q", str(forge.hub), "step")
    said = ""
    if why == "detached":
        git(folder, "checkout", "-q", "--detach")
        said = "HEAD is detached: run this where the trunk is checked out"
    elif why == "unpushed":
        git(
            folder,
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@x",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "mine",
        )
        said = "main has commits that origin has not: push them first"
    elif why == "refused":
        hook = forge.hub / "hooks" / "update"
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
        said = "origin refused the push to main"
    else:
        git(folder, "remote", "set-url", "origin", "/nowhere")
    before = git(folder, "rev-parse", "HEAD") if why == "unpushed" else ""
    done = forge.publish("step")
    assert done.returncode != 0
    assert said in done.stderr
    assert git(forge.hub, "rev-parse", "main") == tip
    if before:
        assert git(folder, "rev-parse", "HEAD") == before


def test_work_in_the_checkout_is_left_alone(forge: Forge) -> None:
    """What an earlier step built, staged or edited stays as it is, and is not committed."""
    merged(forge, "ada")
    folder = forge.folder / "step"
    git(forge.folder, "clone", "-q", str(forge.hub), "step")
    (folder / "code.py").write_text("built\n")
    (folder / "new.txt").write_text("new\n")
    git(folder, "add", "new.txt")
    status = git(folder, "status", "--porcelain")
    assert forge.publish("step").returncode == 0
    assert git(folder, "status", "--porcelain") == status
    assert git(forge.hub, "diff", "--name-only", "main~1", "main").split() == [PAGE]


def test_the_three_lines_of_other_forges(forge: Forge, tmp_path: Path) -> None:
    """Those of TEAM.md, as they stand there."""
    page = (GUIDE / "TEAM.md").read_text()
    (lines,) = [block for block in blocks(page, "sh") if "diurna check --publish" in block]
    assert len(lines) == 3
    merged(forge, "ada")
    done = forge.step(["bash", "-euc", "\n".join(lines)], tmp_path, URL=str(forge.hub))
    assert done.returncode == 0, done.stderr
    forge.is_fresh("ada-1")


def test_the_action_runs_the_script() -> None:
    """It installs the tree it is in, and runs what is tested here; TEAM.md names it."""
    action = (ACTION / "action.yml").read_text()
    assert '"$GITHUB_ACTION_PATH/publish.sh"' in action
    assert 'pip" install --quiet "$GITHUB_ACTION_PATH/../../.."' in action
    assert (ACTION / "../../.." / "pyproject.toml").exists()
    assert os.access(ACTION / "publish.sh", os.X_OK)
    script = (ACTION / "publish.sh").read_text()
    assert "--force" not in script and "--hard" not in script
    assert "uses: OWNER/diurna/.github/actions/publish@REF" in (GUIDE / "TEAM.md").read_text()
