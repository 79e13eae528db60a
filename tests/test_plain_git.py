"""A person merges, picks, squashes, rebases and stashes with plain git: no log conflicts, no word of theirs is lost.

Some clones have Diurna, some git alone; after the next publish all with the same logs hold the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import diagonal
from tests.world import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World

WAYS = [(OWN_REPOSITORY, "append"), (IN_TREE, "append"), (IN_TREE, "trunk"), (IN_TREE, "review")]
MARKERS = (b"<<<<<<<", b">>>>>>>", b"=======")


def create(place: Place, name: str) -> str:
    return place.note(f"id={name} fact: The text of {name}.")


def marked(place: Place) -> list[str]:
    """Return the files of the work tree that hold conflict markers."""
    return [
        path
        for path, data in place.files().items()
        if any(line.startswith(MARKERS) for line in data.split(b"\n"))
    ]


def unmerged(place: Place) -> list[str]:
    return place.git("diff", "--name-only", "--diff-filter=U").split()


def learned(place: Place, *facts: str) -> None:
    """Check that a merge is clean, and that memory holds just these facts, each log once."""
    assert place.git("status", "--porcelain") == "" and not unmerged(place) and not marked(place)
    assert {"first", *facts} == set(place.texts())
    place.holds(place.logs())


def published(place: Place) -> dict[str, str]:
    """Publish, and return path -> blob of what memory has in git."""
    place.run("check", "--publish")
    assert (
        place.run("check", "--replay").json["drift"] == []
        and place.git("status", "--porcelain") == ""
    )
    return {path: blob for path, blob in place.tree().items() if path.startswith(place.prefix)}


def home(world: World, kind: str, publish: str) -> Place:
    return world.home(
        kind, facts={"first": "fact: The text of first."}, policy={"publish": publish}
    )


def forked(world: World, kind: str, publish: str) -> Place:
    """A clone with the branches `main` and `side`, a log of its own on each."""

    def make(apart: World) -> None:
        one = home(apart, kind, publish)
        one.git("checkout", "-q", "-b", "side")
        create(one, "on-side")
        one.git("checkout", "-q", "main")
        create(one, "on-main")

    world.laid(f"forked {kind} {publish}", make)
    return world.place("a")


# ---- each way in which two branches meet -------------------------------------------------------------------


def _merge(one: Place) -> tuple[str, ...]:
    one.git("merge", "-q", "--no-edit", "side")
    return ("on-main", "on-side")


def _squash(one: Place) -> tuple[str, ...]:
    """The branch, worked on and merged again, brings only the new."""
    one.git("merge", "-q", "--squash", "side")
    one.git("commit", "-q", "-m", "squashed")
    learned(one, "on-main", "on-side")
    one.git("checkout", "-q", "side")
    create(one, "later")
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--no-edit", "side")
    return ("on-main", "on-side", "later")


def _pick(one: Place) -> tuple[str, ...]:
    """A picked log is the same log; a rebase leaves out what was picked."""
    one.git("checkout", "-q", "side")
    create(one, "second")
    one.git("checkout", "-q", "main")
    one.git("cherry-pick", "side")
    learned(one, "on-main", "second")
    one.git("checkout", "-q", "side")
    one.git("rebase", "-q", "main")
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--ff-only", "side")
    return ("on-main", "on-side", "second")


def _criss_cross(one: Place) -> tuple[str, ...]:
    """Two branches that merged each other's old tips, and went on, have two merge bases."""
    one.git("branch", "old-main", "main")
    one.git("branch", "old-side", "side")
    one.git("merge", "-q", "--no-edit", "old-side")
    create(one, "main-again")
    one.git("checkout", "-q", "side")
    one.git("merge", "-q", "--no-edit", "old-main")
    create(one, "side-again")
    assert len(one.git("merge-base", "--all", "main", "side").split()) == 2
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--no-edit", "side")
    return ("on-main", "on-side", "main-again", "side-again")


def _octopus(one: Place) -> tuple[str, ...]:
    """Git's octopus asks no attribute: a log is never the reason why it stops."""
    one.git("checkout", "-q", "-b", "third", "main")
    create(one, "on-third")
    one.git("checkout", "-q", "main")
    code, said = one.tries("merge", "--no-edit", "side", "third")
    if code:
        page = f"{one.prefix}continuity.md"
        assert unmerged(one) in ([], [page]) and marked(one) in ([], [page]), said
        one.git("reset", "-q", "--merge")
        for name in ("side", "third"):
            one.git("merge", "-q", "--no-edit", name)
    return ("on-main", "on-side", "on-third")


@pytest.mark.parametrize(
    ("way", "meet"), diagonal(WAYS, [_merge, _squash, _pick, _criss_cross, _octopus])
)
def test_h1_h8_e10_e11_however_branches_meet(
    world: World, way: tuple[str, str], meet: Callable[[Place], tuple[str, ...]]
) -> None:
    """Clean, each log once, and the bytes that the other side has once it merges too."""
    one = forked(world, *way)
    facts = meet(one)
    learned(one, *facts)
    there = published(one)
    one.git("checkout", "-q", "side")
    one.git("merge", "-q", "--no-edit", "main")
    learned(one, *facts)
    assert published(one) == there


@pytest.mark.parametrize(
    "settings",
    [
        "merge.conflictStyle=diff3 core.autocrlf=true pull.ff=only",
        "core.autocrlf=input merge.ff=false diff.renames=copies",
    ],
)
def test_g4_h13_whatever_git_is_set_to(world: World, settings: str) -> None:
    """Settings that change how git merges and checks out change neither logs nor pages."""
    one, two = world.team(OWN_REPOSITORY, "b", facts={"first": "fact: The text of first."})
    for place in (one, two):
        for setting in settings.split():
            place.git("config", *setting.split("="))
    create(one, "alpha")
    one.git("push", "-q")
    create(two, "beta")
    two.git("pull", "-q", "--no-rebase", "--no-edit")
    two.git("push", "-q")
    one.git("pull", "-q", "--no-rebase")
    for place in (one, two):
        learned(place, "alpha", "beta")
        assert all(b"\r" not in data for data in place.logs().values())
    assert published(one) == published(two)


def test_h12_g18_markers_that_somebody_committed_are_named_and_published_over(world: World) -> None:
    """As git left them in the page; the history keeps them."""
    one = home(world, OWN_REPOSITORY, "append")
    for name in ("on-a", "on-b"):
        one.git("checkout", "-q", "-b", name, "main")
        create(one, name)
        one.run("check", "--publish")
    one.git("checkout", "-q", "main")
    assert one.tries("merge", "--no-edit", "on-a", "on-b")[0] == 1
    assert marked(one) == ["continuity.md"]
    assert "a merge is in progress on main" in one.run("check", "--publish", code=1).err
    one.git("commit", "-q", "-a", "--no-edit")
    assert "conflict-in-projection" in one.check("--ci")
    one.run("check", "--publish")
    learned(one, "on-a", "on-b")


# ---- an edit of a person's, and what came meanwhile
# -----------------------------------------------------------


@pytest.mark.parametrize("how", ["stash", "autostash", "rebase", "merge", "other side"])
def test_d5_h11_an_edit_is_not_merged_away(world: World, how: str) -> None:
    """Git stops for it or keeps it, marks nothing, and Diurna absorbs it once chosen."""
    one, two = world.team(OWN_REPOSITORY, "b", facts={"alpha": "fact: As it was."})
    two.run("init")  # tells git to keep the computed files as they are
    create(one, "beta")
    one.run("check", "--publish")
    one.git("push", "-q")
    page = two.folder / "continuity.md"
    page.write_text(page.read_text().replace("As it was.", "As a person says."))
    at = two
    if how == "stash":
        two.git("stash", "-q")
        two.git("pull", "-q")
        assert two.tries("stash", "pop")[0] == 1
    elif how == "autostash":
        two.tries("pull", "-q", "--rebase", "--autostash")
    else:
        two.git("commit", "-q", "-a", "-m", "by hand")
        if how == "other side":
            at = one
            assert (
                one.tries("pull", "-q", "--no-rebase", "--no-edit", str(two.folder), "main")[0] == 1
            )
        else:
            code, _ = two.tries("pull", "-q", "--no-edit", f"--{'no-' * (how == 'merge')}rebase")
            assert bool(code) == (how == "rebase")
    assert marked(at) == []
    if how != "merge":  # there ours is the one edited by hand, and stays
        assert unmerged(at) == ["continuity.md"]
        at.git("checkout", "--theirs", "continuity.md")
        at.git("add", "continuity.md")
        if how == "rebase":
            at.git("-c", "core.editor=true", "rebase", "--continue")
        elif how == "other side":
            at.git("commit", "-q", "--no-edit")
    assert "As a person says." in at.read("continuity.md")
    at.run("check", "--publish")
    assert at.texts() == {"alpha": "As a person says.", "beta": "The text of beta."}
    assert published(at)


# ---- where Diurna never was
# -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("way", "side"), diagonal(WAYS[:3], ["--ours", "--theirs"]))
def test_h14_a_clone_without_diurna_merges_two_branches(
    world: World, way: tuple[str, str], side: str
) -> None:
    """Attributes alone: no log conflicts, no file is marked; where git stops, either version will do."""

    def make(apart: World) -> None:
        one = forked(apart, *way)
        one.join(apart.hub(), sync=False)
        one.git("push", "-q", "origin", "side")
        one.clone("plain")

    world.laid(f"forked and cloned {way}", make)
    one, plain = world.place("a"), world.place("plain", "plain")
    code, _ = plain.tries("merge", "--no-edit", "origin/side")
    if code:
        assert (
            way[1] == "append"
            and unmerged(plain) == [f"{one.prefix}continuity.md"]
            and marked(plain) == []
        )
        plain.git("checkout", side, "--", f"{one.prefix}continuity.md")
        plain.git("commit", "-q", "-a", "--no-edit")
    assert plain.git("status", "--porcelain") == "" and not (plain.folder / ".git/diurna").exists()
    plain.git("push", "-q")
    one.git("pull", "-q", "--no-rebase")
    learned(one, "on-main", "on-side")
    there = published(one)
    one.git("push", "-q")
    plain.git("pull", "-q")
    assert {path: blob for path, blob in plain.tree().items() if path in there} == there


def test_h13_archives_that_both_sides_wrote(world: World) -> None:
    """Both archived other facts on one page, which neither had before: the pull is clean."""
    policy = {"working": 1, "active": 1, "archive": 1}
    made = [f"{name}-{number}" for name in "ab" for number in range(4)]
    unsent, facts = (
        " ".join(f"{one[0]}:{one}" for one in made),
        {"first": "fact: The text of first."},
    )
    one, two = world.team(OWN_REPOSITORY, "b", unsent=unsent, facts=facts, policy=policy)
    one.git("push", "-q")
    two.git("pull", "-q", "--no-rebase", "--no-edit")
    assert not unmerged(two) and not marked(two)
    two.run("check", "--publish")
    assert "archived" in {fact["tier"] for fact in two.show().values()}
    learned(two, *made)


def test_h7_a_branch_of_its_own_by_plain_git(world: World) -> None:
    """Pushed and fetched as any branch; a fork is refused by git and joined by `diurna sync`; checked out, it merges."""
    one, two = world.team(OWN_BRANCH, "b", facts={"first": "fact: The text of first."})
    create(one, "alpha")
    one.git("push", "-q", "origin", "memory")
    create(two, "beta")
    assert two.tries("push", "-q", "origin", "memory")[0] == 1
    two.sync()
    one.git("fetch", "-q", "origin")
    one.sync()
    assert (
        set(one.texts()) == set(two.texts()) == {"first", "alpha", "beta"}
        and one.tip() == two.tip()
    )
    one.git("worktree", "add", "-q", str(world.folder / "out"), "memory")
    out = world.place("out")
    out.git("merge", "-q", "--no-edit", "origin/memory")
    assert not marked(out) and out.git("status", "--porcelain") == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_fresh_clone_is_level_at_once(world: World, kind: str) -> None:
    """`init` in a clone finds the home, makes none, and shows the same."""
    one, two = world.team(kind, "b", facts={"first": "fact: The text of first."})
    assert two.run("init").json["kind"] == kind
    assert two.tip() in ("", one.tip())
    assert two.page() == one.page()
