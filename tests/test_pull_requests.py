"""Pull requests on a forge that is plain git: squashed, rebased and merged, in any order, nothing conflicts.

The forge has no Diurna and no merge driver; the clones have it or have not. Nobody has to know anything:
every log arrives, and the step that publishes behind a merge makes `continuity.md` on the trunk fresh.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from itertools import permutations, product

import pytest

from tests.campaigns import forks
from tests.conftest import sampled
from tests.pages import GUIDE, ROOT, blocks
from tests.world import IN_TREE, Place, World

PAGE = "memory/continuity.md"
ACTION = ROOT / ".github" / "actions" / "publish"
HOW = ("merge", "squash", "rebase")
#: How the author of the second request brings it up to date, before it is merged.
UPDATES = ("behind", "merged by git", "rebased by git", "merged with Diurna", "rebased with Diurna")
pytestmark = pytest.mark.skipif(not ACTION.exists(), reason="the source tree's")


class Forge:
    """A bare remote, and the clone in which the forge makes its merges: git alone."""

    def __init__(self, world: World) -> None:
        self.world, self.hub = world, world.place("hub.git")
        self.one, self.merges = world.place("a"), world.place("forge", "forge")
        self.programs = world.folder / "programs"
        self.programs.mkdir(exist_ok=True)
        forks.put_program(self.programs / "diurna")  # of this tree, whatever is installed

    def clone(self, name: str) -> Place:
        return self.one.clone(name)

    def request(self, place: Place, branch: str) -> None:
        """Open a pull request, or bring it up to date with what its author has."""
        place.git("push", "-q", "--force-with-lease", "-u", "origin", branch)

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
        assert clean(where)
        where.git("push", "-q", "origin", "main")
        assert not (where.common / "diurna").exists(), "the forge never ran Diurna"

    def publish(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the step of the forge in a checkout as a workflow makes it: of one commit, with no `origin/HEAD`."""
        place, main = self.world.place(name), "refs/remotes/origin/main"
        if not place.folder.exists():
            place.folder.mkdir()
            place.git("init", "-q")
            place.git("remote", "add", "origin", f"file://{self.hub.folder}")
            place.git("fetch", "-q", "--depth=1", "origin", f"+refs/heads/main:{main}")
            place.git("checkout", "-q", "-B", "main", main)
        return self.step([str(ACTION / "publish.sh")], place)

    def published(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the step, which goes well."""
        done = self.publish(name)
        assert done.returncode == 0, done.stderr
        return done

    def step(
        self, command: list[str], place: Place, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of a workflow, with `diurna` on its path."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, **more}
        return subprocess.run(command, cwd=place.folder, env=env, capture_output=True, text=True)

    def is_fresh(self, *facts: str) -> Place:
        """Check that the trunk has just these facts, and that its page shows them; return a clone."""
        look = self.clone(f"look-{len(list(self.world.folder.iterdir()))}")
        page, texts = look.read(PAGE), look.texts()
        assert texts.keys() == set(facts) and all(text in page for text in texts.values())
        assert page == look.page()
        look.run("check", "--ci")
        return look


def clean(place: Place) -> bool:
    """Tell whether git has nothing to say about the work tree, and no file holds a marker."""
    marked = [path for path, data in place.files().items() if b"<<<<<<<" in data]
    return not (place.git("status", "--porcelain") or marked)


@pytest.fixture
def forge(world: World) -> Forge:
    world.team(IN_TREE, "forge")
    return Forge(world)


def create(place: Place, *facts: str) -> None:
    for fact in facts:
        place.note(f"id={fact} fact: The text of {fact}.")


def work(place: Place, branch: str, *facts: str) -> None:
    """Do some work on a new branch: code, and an append for each fact."""
    place.git("switch", "-q", "-c", branch)
    for number, fact in enumerate(facts):
        place.write(f"{branch}-{number}.py", f"{fact}\n")
        place.commit_all(f"{branch} {number}")
        create(place, fact)


def update(forge: Forge, place: Place, branch: str, how: str) -> None:
    """Bring a branch up to date with the trunk, in the author's clone or in one without Diurna."""
    if how == "behind":
        return
    if how.endswith("git"):
        place = forge.clone(f"plain-{branch}")
        place.git("checkout", "-q", branch)
    else:
        place.git("fetch", "-q")
    if how.startswith("merged"):
        place.git("merge", "-q", "--no-edit", "origin/main")
    else:
        place.git("rebase", "-q", "origin/main")
    assert clean(place)
    assert (place.common / "diurna").exists() != how.endswith("git")
    forge.request(place, branch)


def after(world: World, key: str, make: Callable[[Forge], object]) -> Forge:
    """A forge on which something was done already."""

    def made(apart: World) -> None:
        apart.team(IN_TREE, "forge")
        make(Forge(apart))

    world.laid(f"a forge {key}", made)
    return Forge(world)


def _merge(forge: Forge) -> None:
    ada = forge.clone("ada")
    work(ada, "ada", "ada-1")
    forge.request(ada, "ada")
    forge.merge("ada", "squash")


@pytest.fixture
def merged(world: World) -> Forge:
    """A forge that has merged a pull request of `ada`."""
    return after(world, "that merged", _merge)


# ---- the journey ------------------------------------------------------------------------------------


@pytest.mark.deep(reason="test_one_branch_is_squashed_twice is the small one")
@pytest.mark.parametrize(("first", "second", "updated"), sampled(product(HOW, HOW, UPDATES), 12))
def test_two_requests_are_merged_in_any_way(
    forge: Forge, first: str, second: str, updated: str
) -> None:
    """Both open at once; the trunk moves by appends of its own between them, and is published each time."""
    ada, bob, carol = forge.one, forge.clone("bob"), forge.clone("carol")
    create(ada, "base")
    ada.git("push", "-q")
    bob.git("pull", "-q")
    work(ada, "ada", "ada-1", "ada-2")
    work(bob, "bob", "bob-1")
    forge.request(ada, "ada")
    forge.request(bob, "bob")
    carol.git("pull", "-q")
    create(carol, "carol-1")
    carol.git("push", "-q")
    forge.merge("ada", first)
    forge.published("after-first")
    forge.is_fresh("base", "ada-1", "ada-2", "carol-1")
    create(carol, "carol-2")
    carol.git("pull", "-q", "--no-rebase", "--no-edit")
    carol.git("push", "-q")
    create(bob, "bob-2")
    forge.request(bob, "bob")
    update(forge, bob, "bob", updated)
    forge.merge("bob", second)
    forge.published("after-second")
    forge.is_fresh("base", "ada-1", "ada-2", "bob-1", "bob-2", "carol-1", "carol-2")
    for place in (ada, bob, carol):
        place.git("switch", "-q", "main")
        place.git("pull", "-q", "--no-rebase", "--no-edit")
        assert clean(place) and len(place.texts()) == 7


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
    forge.published("step")
    forge.is_fresh(*[f"{author.agent}-{number}" for author in authors for number in (1, 2)])


def test_one_branch_is_squashed_twice(world: World) -> None:
    """Worked on after it was squashed, and squashed again: the same logs are the same files."""

    def make(forge: Forge) -> None:
        _merge(forge)
        forge.published("step")
        ada = forge.world.place("ada", "ada")
        create(ada, "ada-2")
        forge.request(ada, "ada")

    forge = after(world, "that published", make)
    forge.merge("ada", "squash")
    forge.published("step")
    forge.is_fresh("ada-1", "ada-2")


def test_a_branch_cut_from_an_unpushed_trunk(world: World) -> None:
    """It brings the page along: a merge of the trunk, where Diurna writes, settles it, as TEAM.md says."""

    def make(forge: Forge) -> None:
        create(forge.one, "ada-1")
        work(forge.one, "ada", "ada-2")
        bob = forge.clone("bob")
        create(bob, "bob-1")
        bob.git("push", "-q")

    forge = after(world, "with an unpushed trunk", make)
    ada = forge.one
    ada.git("fetch", "-q")
    ada.git("merge", "-q", "--no-edit", "origin/main")
    assert clean(ada)
    forge.request(ada, "ada")
    forge.merge("ada", "squash")
    forge.published("step")
    forge.is_fresh("ada-1", "ada-2", "bob-1")


# ---- the step ---------------------------------------------------------------------------------------


def faster(forge: Forge, place: Place) -> None:
    """Let a clone push to the trunk right before the checkout of the step does it for the first time."""
    forge.clone("step").write(
        ".git/hooks/pre-push",
        f"#!/bin/sh\n[ -e ../raced ] && exit 0\n: > ../raced\n"
        f"unset GIT_DIR; cd {place.folder} && git push -q origin HEAD:main\n",
    ).chmod(0o755)


def test_a_lost_race_is_run_again(world: World) -> None:
    """Another push lands between publish and push: the step publishes both, and forces nothing."""

    def make(forge: Forge) -> None:
        _merge(forge)
        work(forge.clone("bob"), "bob", "bob-1")

    merged = after(world, "that bob works with", make)
    bob = world.place("bob", "bob")
    faster(merged, bob)
    done = merged.published("step")
    assert "not pushed in try 1 of 8" in done.stderr
    merged.is_fresh("ada-1", "bob-1")
    first, second = merged.hub.git("log", "--format=%s", "-n2", "main").splitlines()
    assert first == "diurna: publish the projection" != second
    assert merged.hub.git("rev-parse", "main~1") == bob.git("rev-parse", "HEAD")


def test_a_step_that_has_nothing_to_do_changes_nothing(merged: Forge) -> None:
    """Run twice, or behind a push that published by itself."""
    merged.published("step")
    tip = merged.hub.tip("main")
    for name in ("step", "another"):
        done = merged.publish(name)
        assert (done.returncode, done.stdout) == (0, "nothing to do: the projection is in step\n")
    assert merged.hub.tip("main") == tip


@pytest.mark.deep(only="True")
@pytest.mark.parametrize("race", [False, True])
def test_an_edit_in_a_request_becomes_a_log_once(world: World, race: bool) -> None:
    """A person without Diurna rewords a fact on a branch: the step makes a log of it, a lost race or not."""

    def make(forge: Forge) -> None:
        create(forge.one, "alpha")
        forge.one.run("check", "--publish")
        forge.one.git("push", "-q")
        plain = forge.clone("plain")
        plain.git("switch", "-q", "-c", "plain")
        plain.write(PAGE, plain.read(PAGE).replace("The text of alpha.", "As a person says."))
        plain.git("commit", "-q", "-a", "-m", "by hand")
        forge.request(plain, "plain")
        forge.merge("plain", "squash")

    forge = after(world, "that merged an edit", make)
    if race:
        bob = forge.clone("bob")
        create(bob, "bob-1")
        faster(forge, bob)
    assert ("try 1" in forge.published("step").stderr) == race
    look = forge.is_fresh("alpha", *["bob-1"] * race)
    assert look.texts()["alpha"] == "As a person says."
    assert [one["type"] for one in look.run("log").json["sessions"]].count("edit") == 1


@pytest.mark.parametrize("why", ["detached", "unpushed", "refused", "offline"])
def test_a_step_that_can_not_publish_says_why(merged: Forge, why: str) -> None:
    """It ends with 1, and neither the remote nor what is unpushed has changed."""
    tip, place, said = merged.hub.tip("main"), merged.clone("step"), ""
    if why == "detached":
        place.git("checkout", "-q", "--detach")
        said = "HEAD is detached: run this where the trunk is checked out"
    elif why == "unpushed":
        place.git("commit", "-q", "--allow-empty", "-m", "mine")
        said = "main has commits that origin has not: push them first"
    elif why == "refused":
        merged.hub.write("hooks/update", "#!/bin/sh\nexit 1\n").chmod(0o755)
        said = "origin refused the push to main"
    else:
        place.git("remote", "set-url", "origin", "/nowhere")
    before = place.git("rev-parse", "HEAD")
    done = merged.publish("step")
    assert done.returncode != 0 and said in done.stderr
    assert merged.hub.tip("main") == tip
    assert why == "refused" or place.git("rev-parse", "HEAD") == before


def test_work_in_the_checkout_is_left_alone(merged: Forge) -> None:
    """What an earlier step built, staged or edited stays as it is, and is not committed."""
    place = merged.clone("step")
    place.write("code.py", "built\n")
    place.write("new.txt", "new\n")
    place.git("add", "new.txt")
    status = place.git("status", "--porcelain")
    merged.published("step")
    assert place.git("status", "--porcelain") == status
    assert merged.hub.git("diff", "--name-only", "main~1", "main").split() == [PAGE]


def test_the_three_lines_of_other_forges(merged: Forge) -> None:
    """Those of TEAM.md, as they stand there."""
    page = (GUIDE / "TEAM.md").read_text()
    (lines,) = [block for block in blocks(page, "sh") if "diurna check --publish" in block]
    assert len(lines) == 3
    done = merged.step(
        ["bash", "-euc", "\n".join(lines)], merged.world.place("."), URL=str(merged.hub.folder)
    )
    assert done.returncode == 0, done.stderr
    merged.is_fresh("ada-1")


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
