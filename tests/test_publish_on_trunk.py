"""Where the page is committed, and whose it is: on the trunk alone, and never over what a person wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import diagonal, sampled
from tests.host_door import named, say
from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World

#: Kinds of homes, each with when it publishes.
WAYS = [(OWN_REPOSITORY, "append"), (IN_TREE, "append"), (IN_TREE, "trunk"), (IN_TREE, "review")]
ALPHA = {"alpha": "fact: As it was."}
NOTES = "\n## Random notes\n\nDo not lose this.\n"


def page(place: Place) -> Path:
    return place.folder / place.prefix / "continuity.md"


def committed(place: Place, branch: str = "") -> str:
    return place.git_bytes("show", f"{branch or 'HEAD'}:{place.prefix}continuity.md").decode()


def changed(place: Place) -> set[str]:
    """Return which files of the home the last commit changed, but for logs."""
    paths = place.git("show", "--format=", "--name-only", "HEAD").split()
    return {path for path in paths if "sessions/" not in path}


def on_trunk(place: Place) -> Place:
    """Let a home publish on the trunk, and call that `main`."""
    text = place.show_file("diurna.toml").decode()
    at = re.sub(r"(?m)^publish *= .*$", 'publish = "trunk"\ntrunk   = "main"', text)
    place.plant({"diurna.toml": at})
    return place


@pytest.fixture
def shop(world: World) -> Place:
    """A repository of its own on `main` with one fact, and no remote, that publishes on the trunk."""
    return on_trunk(world.home(OWN_REPOSITORY, facts=ALPHA))


# ---- on the trunk alone -----------------------------------------------------------------------------------


def end(place: Place) -> None:
    """End a session in which nothing was said."""
    file = say(place.world.folder / "s.jsonl", "")
    place.run("capture", *named(file, "s"), "--why", "end")


def note(place: Place, text: str) -> None:
    """Record a fact, and write the pages where a session's end does."""
    place.note(text)
    assert changed(place) == set()
    end(place)


def test_a_log_is_committed_alone_and_the_page_at_a_sessions_end(shop: Place) -> None:
    """On another branch not even then; both read the fresh view, nobody is nagged, and a merge brings no conflict."""
    shop.note("id=beta fact: The second.")
    assert changed(shop) == set() and "The second." in shop.page()
    assert shop.check() == [] and shop.run("check", "--replay").json["drift"] == []
    end(shop)
    assert changed(shop) == {"continuity.md"} and "The second." in committed(shop)
    shop.git("switch", "-q", "-c", "side")
    stem = shop.note("id=gamma fact: The third.")
    assert changed(shop) == set() and stem in shop.logs()
    assert "The third." in shop.page() and "The third." not in committed(shop)
    assert shop.git("status", "--porcelain") == ""
    on = {"here": False, "missing": False, "trunk": "main", "when": "trunk"}
    assert shop.status()["publish"] == on
    assert not {"drift", "unpublished"} & {*shop.check("--ci"), *shop.run("status").codes()}
    shop.git("switch", "-q", "main")
    shop.note("id=delta fact: The fourth.")
    shop.git("merge", "-q", "--no-edit", "side")
    shop.run("check", "--publish")
    assert all(text in committed(shop) for text in ("The second.", "The third.", "The fourth."))


def test_a_redacted_fact_leaves_the_page_at_once_on_the_trunk(shop: Place) -> None:
    """On another branch `publish` takes it out, as the hint says."""
    shop.note("id=beta fact: The second.")
    shop.run("redact", "alpha", "--reason", "R.")
    assert "As it was." not in committed(shop)
    shop.git("switch", "-q", "-c", "side")
    answer = shop.run("redact", "beta", "--reason", "R.", json=False)
    assert "check --publish" in answer.out + answer.err and "The second." in committed(shop)
    shop.run("check", "--publish")
    assert "The second." not in committed(shop)


def test_a_review_publishes_on_the_trunk_alone(shop: Place) -> None:
    shop.git("switch", "-q", "-c", "side")
    shop.run("review", "--yes")
    assert changed(shop) == set()
    shop.git("switch", "-q", "main")
    shop.run("review", "--yes")
    assert changed(shop) == {"continuity.md"}


def test_a_page_that_a_branch_has_ahead_of_its_ledger_is_told_of(shop: Place) -> None:
    """Committed by hand, on whatever branch."""
    note(shop, "id=beta fact: The second.")
    ahead = page(shop).read_text()
    shop.git("switch", "-q", "-c", "side", "HEAD~2")
    shop.plant({"continuity.md": ahead})
    assert "drift" in shop.check("--ci")


TRUNKS = (
    ("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/develop\n", True, "develop"),
    ("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/gone\n", False, "main"),
    ("refs/remotes/origin/HEAD", f"{'1' * 40}\n", False, "main"), ("refs/remotes/origin/HEAD", "nonsense\n", False, "main"),
)  # fmt: skip


@pytest.mark.parametrize(("ref", "text", "there", "trunk"), TRUNKS)
def test_the_trunk_is_what_origin_names(
    shop: Place, ref: str, text: str, there: bool, trunk: str
) -> None:
    """Whatever the policy says; one that is gone, detached or nonsense names none, and the policy counts. No git is asked."""
    if there:
        shop.git("update-ref", "refs/remotes/origin/develop", "HEAD")
    file = shop.common / ref
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    with shop.world.git_does("") as told:
        assert shop.status()["publish"]["trunk"] == trunk
    assert "symbolic-ref" not in told.read_text() and "origin/HEAD" not in told.read_text()
    shop.git("switch", "-q", "-c", "develop")
    note(shop, "id=beta fact: The second.")
    assert changed(shop) == ({"continuity.md"} if trunk == "develop" else set())


@pytest.mark.parametrize("option", ["--depth=1", "--single-branch", "--no-tags"])
def test_a_clone_publishes_where_its_origin_does(world: World, option: str) -> None:
    """Cut short, of one branch, or without `origin/HEAD`."""
    (one,) = world.team(facts=ALPHA)
    on_trunk(one).git("push", "-q")
    one.git("remote", "set-url", "origin", f"file://{world.folder}/hub.git")
    clone = one.clone("c", option)
    if option == "--no-tags":
        clone.git("remote", "set-head", "origin", "--delete")
    note(clone, "id=n fact: It is on main.")
    assert changed(clone) == {"continuity.md"}
    clone.git("switch", "-q", "-c", "side")
    note(clone, "id=s fact: It is on the side.")
    assert changed(clone) == set()


def test_a_trunk_that_the_forge_renamed_is_asked_anew(world: World) -> None:
    _, clone = world.team(OWN_REPOSITORY, "c", facts=ALPHA)
    on_trunk(clone)
    clone.git("remote", "set-head", "origin", "--delete")
    note(clone, "id=n fact: It is on main.")
    clone.git("push", "-q", "origin", "main:trunk")
    world.place("hub.git").git("symbolic-ref", "HEAD", "refs/heads/trunk")
    clone.git("remote", "set-head", "origin", "--auto")
    clone.git("switch", "-q", "-c", "trunk", "main")
    assert clone.status()["publish"]["trunk"] == "trunk" and clone.status()["publish"]["here"]


def test_a_trunk_that_nobody_names_is_asked_for(shop: Place) -> None:
    """Renamed, or missing in a policy by hand: nothing is published, and `status` says what to do."""
    shop.git("branch", "-m", "master")
    note(shop, "id=beta fact: The second.")
    assert changed(shop) == set() and shop.status()["publish"]["here"] is False
    assert "main" in shop.text("status")
    text = shop.show_file("diurna.toml").decode()
    shop.plant(
        {
            "diurna.toml": "\n".join(
                line for line in text.split("\n") if not line.startswith("trunk")
            )
        }
    )
    note(shop, "id=gamma fact: The third.")
    assert changed(shop) == set() and "trunk" in shop.text("status")
    shop.plant({"diurna.toml": text.replace('trunk   = "main"', 'trunk   = "master"')})
    note(shop, "id=delta fact: The fourth.")
    assert changed(shop) == {"continuity.md"}


def test_worktrees_and_branches_of_their_own(world: World) -> None:
    """A linked worktree on a side branch publishes nothing; a branch of its own is its trunk; `init` names one."""
    shop = on_trunk(world.home(OWN_REPOSITORY, facts=ALPHA))
    shop.git("worktree", "add", "-q", "-b", "side", str(world.folder / "linked"))
    linked = world.place("linked")
    note(linked, "id=beta fact: The second.")
    assert changed(linked) == set()
    shop.git("switch", "-q", "--detach")
    linked.git("switch", "-q", "main")
    note(linked, "id=gamma fact: The third.")
    assert changed(linked) == {"continuity.md"}
    own = world.home(OWN_BRANCH, "own")
    own.note("id=one fact: It is one.")
    end(own)
    assert "It is one." in committed(own, "memory")
    unborn = world.repository("unborn", commits=0)
    unborn.git("symbolic-ref", "HEAD", "refs/heads/develop")
    unborn.run("init", "--folder", "memory")
    assert 'trunk   = "develop"' in unborn.read("memory/diurna.toml")
    before = unborn.read("memory/diurna.toml")
    unborn.run("init")
    assert unborn.read("memory/diurna.toml") == before


@pytest.mark.parametrize("branch", ["side", "main"])
def test_a_sync_publishes_on_the_trunk_alone(world: World, branch: str) -> None:
    """Two clones of a branch that does not publish join without a page; of the trunk, with the fresh one."""
    one, two = world.team(IN_TREE, "b", facts=ALPHA)
    if branch == "side":
        one.git("switch", "-q", "-c", "side")
        one.git("push", "-q", "-u", "origin", "side")
        two.git("fetch", "-q")
        two.git("switch", "-q", "-c", "side", "--track", "origin/side")
    for place in (one, two):
        place.note(f"id=of-{place.folder.name} fact: {place.folder.name} is on {branch}.")
        place.sync()
    one.git("pull", "-q")
    assert one.tip() == two.tip()
    assert ("a is on" in committed(two)) == (branch == "main")


# ---- whose page it is
# ---------------------------------------------------------------------------------------


def commit_edit(place: Place) -> str:
    """Reword a fact and add a section that is none, in one commit; return the page."""
    text = page(place).read_text().replace("As it was.", "As a person says.")
    at = text.index("\n## ")
    page(place).write_text(text[:at] + NOTES + text[at:])
    place.commit_all()
    return text[:at] + NOTES + text[at:]


def kept(place: Place, text: str) -> None:
    """Check that a page is as a person wrote it, and that everything says so with its lines."""
    assert committed(place) == page(place).read_text() == text
    wanted = {text.split("\n").index(line) + 1 for line in ("## Random notes", "Do not lose this.")}
    told = place.run("check", "--publish", code=1)
    assert wanted <= {one["line"] for one in place.run("check", "--ci", code=None).json["findings"]}
    assert (
        all(f"continuity.md:{line}" in told.out + told.err for line in wanted) or "line" in told.out
    )
    assert committed(place) == page(place).read_text() == text


@pytest.mark.deep(reason="no_command_writes_over_a_persons_page is the small one")
@pytest.mark.parametrize(
    ("way", "arrive"),
    sampled([(w, a) for w in WAYS for a in ("pull -q", "pull -q --rebase", "sync")], 5),
)
def test_an_edit_that_is_not_understood_as_a_whole_stays(
    world: World, way: tuple[str, str], arrive: str
) -> None:
    """No half of it is a log, and nothing ever writes over the file, until the person takes it out."""
    one, two = world.team(way[0], "b", facts=ALPHA, policy={"publish": way[1]})
    one.run("check", "--publish")
    one.sync()
    two.sync()
    text = commit_edit(two)
    two.git("push", "-q", ok=False)
    if arrive == "sync":
        one.sync()
    else:
        one.git(*arrive.split())
    for place in (one, two):
        place.run("check", "--absorb", code=1)
        assert place.texts()["alpha"] == "As it was."
        kept(place, text)
    one.session(
        "On", "--update", "alpha", "As an agent says later.", "--new", "id=beta fact: Beta."
    )
    for place in (one, two, one):
        place.sync()
        assert place.texts()["alpha"] == "As an agent says later."
        assert committed(place) == page(place).read_text() == text
    assert one.tip() == two.tip()
    page(two).write_text(page(two).read_text().replace(NOTES, ""))
    two.run("check", "--absorb")
    assert "beta" in two.texts() and "Do not lose this." not in page(two).read_text()


def test_an_edit_on_both_sides_of_a_join_is_for_a_person(world: World) -> None:
    """Two files that Diurna did not write can not both stand: nothing moves."""
    one, two = world.team(OWN_REPOSITORY, "b", facts=ALPHA)
    commit_edit(one)
    one.git("push", "-q")
    page(two).write_text(page(two).read_text().replace("As it was.", "As another says.") + NOTES)
    two.commit_all()
    before = two.tip()
    answer = two.run("sync", code=1)
    assert "continuity.md" in answer.out + answer.err and two.tip() == before


TAKEN = ("continuity.md", "archive", "continuity.md", "archive/INDEX.md")
RUN = (
    ("note", "id=beta fact: The second."), ("check", "--publish"), ("check", "--fix"), ("undo",),
    ("redact", "alpha", "--reason", "R."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "kind", "commands"),
    diagonal(TAKEN, [OWN_REPOSITORY, IN_TREE], [RUN[:3], RUN, RUN[4:], RUN]),
)
def test_d4_d5_no_command_writes_over_a_persons_page(
    world: World, path: str, kind: str, commands: tuple[tuple[str, ...], ...]
) -> None:
    """Prose in `continuity.md`, a page or a file where the archive goes: byte for byte, whatever is run."""
    shop = world.home(kind, facts=ALPHA, policy={"publish": "append"})
    if path == "continuity.md":
        text = commit_edit(shop)
    else:
        text = "A person's own.\n"
        shop.plant({path: text})
    for command in commands:
        answer = shop.run(*command, code=None)
        assert answer.code in (0, 1), (command, answer)
        assert (shop.folder / shop.prefix / path).read_text() == text, command
        assert "rm " not in answer.err and "delete" not in answer.err
    assert shop.show_file(path).decode() == text
    if path == "continuity.md" and RUN[-1] in commands:
        assert (
            "As it was." not in str(shop.show())
            and "redact" in shop.run("check", "--ci", code=None).out
        )


def test_what_diurna_wrote_is_its_own_however_it_came(world: World) -> None:
    """Put back, squashed or cherry-picked by a person the next publish writes it anew; amended, it is a person's."""
    shop = world.home(OWN_REPOSITORY, facts=ALPHA)
    old = page(shop).read_text()
    shop.note("id=beta fact: The second.")
    shop.plant({"continuity.md": old}, "put back")
    shop.git("switch", "-q", "-c", "side")
    shop.note("id=gamma fact: The third.")
    shop.git("switch", "-q", "main")
    shop.git("merge", "-q", "--squash", "side")
    shop.git("commit", "-q", "-m", "squashed")
    note(shop, "id=delta fact: The fourth.")
    assert "The third." in committed(shop) and "The fourth." in committed(shop)
    page(shop).write_text(committed(shop) + NOTES)
    shop.git("commit", "-q", "-a", "--amend", "--no-edit")
    text = committed(shop)
    note(shop, "id=epsilon fact: The fifth.")
    assert committed(shop) == text, "the subject alone proves nothing"


def test_a_mirror_folder_of_the_users_is_theirs(world: World) -> None:
    """What they committed as `.memory/continuity.md` on their own branch is in git, and not the ledger's."""
    shop = world.repository()
    shop.write(".memory/continuity.md", "mine\n")
    shop.commit_all()
    shop.init(OWN_BRANCH)
    shop.note("id=one fact: It is one.")
    assert (
        shop.read(".memory/continuity.md") == "mine\n" and shop.git("status", "--porcelain") == ""
    )
