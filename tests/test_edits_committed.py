"""Edits of `continuity.md` that people commit with plain git, and that a join or a merge passes over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.world import IN_TREE, OWN_REPOSITORY, Place, World

KINDS = pytest.mark.parametrize("kind", [OWN_REPOSITORY, IN_TREE])
EDITED = "As a person says."


def team(world: World, kind: str, *names: str) -> list[Place]:
    """A remote, a clone that published a fact, and colleagues."""
    return world.team(kind, *names, facts={"alpha": "As it was.", "other": "Something else."})


def commit_edit(
    place: Place, old: str = "As it was.", new: str = EDITED, *author: str, push: bool = True
) -> str:
    """Edit the page by hand and commit it, as somebody without Diurna does; return the commit."""
    page = f"{place.prefix}continuity.md"
    text = place.read(page)
    assert old in text
    place.write(page, text.replace(old, new))
    place.git("commit", "-q", "-a", "-m", "by hand", *author)
    if push:
        place.git("push", "-q", "origin", "HEAD")
    return place.git("rev-parse", "HEAD")


def edits(place: Place) -> list[dict[str, Any]]:
    """The logs of type `edit`."""
    return [one for one in place.run("log").json["sessions"] if one["type"] == "edit"]


def findings(answer: dict[str, Any], code: str) -> list[str]:
    return [one["message"] for one in answer["findings"] if one["code"] == code]


@KINDS
def test_an_edit_that_fast_forwards_is_heard(world: World, kind: str) -> None:
    """Nothing is new here: the file comes as the person wrote it, and the log with it."""
    one, plain = team(world, kind, "pat")
    commit_edit(plain)
    if kind == IN_TREE:
        one.git("pull", "-q", "--ff-only")
    one.sync()
    assert one.texts()["alpha"] == EDITED and len(edits(one)) == 1
    one.note("id=beta fact: Queues drain.")
    one.sync()
    assert one.tip() == one.git("rev-parse", "origin/main") and one.texts()["alpha"] == EDITED


@KINDS
def test_an_edit_that_a_plain_merge_passed_over_is_heard(world: World, kind: str) -> None:
    """The other side wrote the file anew and was edited on top: git keeps ours, the next publish hears."""
    one, two = team(world, kind, "two")
    two.note("id=beta fact: Queues drain.")
    two.run("check", "--publish")
    commit_edit(two)
    one.note("id=gamma fact: Carts expire.")
    one.run("check", "--publish")
    one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    one.run("check", "--publish")
    assert one.texts()["alpha"] == EDITED and len(edits(one)) == 1
    assert "nothing to do" in one.text("check", "--absorb")


def test_what_was_withheld_there_is_heard_by_nobody(world: World) -> None:
    """The redaction comes with the edit that says the text again: it is named, and no fact says it."""

    def make(apart: World) -> None:
        one, plain, late = team(apart, OWN_REPOSITORY, "pat", "late")
        one.run("redact", "alpha", "--reason", "It names a customer.")
        one.git("push", "-q")
        plain.git("pull", "-q")
        commit_edit(plain, "Something else.", "As it was!")
        late.git("commit", "-q", "--allow-empty", "-m", "mine")

    world.laid("withheld and edited", make)
    late, commit = world.place("late", "late"), world.place("pat").tip()
    answer = late.sync()
    assert {one["agent"] for one in edits(late)} == {"claude-code"} and late.texts()[
        "other"
    ] == "Something else."
    page = late.read("continuity.md")
    assert "As it was!" in page or commit[:12] in " ".join(findings(answer, "withheld-text"))


def test_an_edit_that_its_author_absorbed_is_not_heard_again(world: World) -> None:
    """The author's own Diurna was first: one log, whoever joins later."""
    one, two = team(world, OWN_REPOSITORY, "two")
    commit_edit(two, push=False)
    two.run("check", "--absorb")
    two.sync()
    one.note("id=beta fact: Queues drain.")
    assert one.sync()["findings"] == []
    assert len(edits(one)) == 1 and one.texts()["alpha"] == EDITED


def test_what_is_not_understood_is_told_with_its_commit(world: World) -> None:
    """A sentence that is no fact is in no log: commit, path and author are named."""
    one, plain = team(world, OWN_REPOSITORY, "pat")
    commit = commit_edit(plain, "# Continuity", "A sentence of mine.\n\n# Continuity")
    one.note("id=beta fact: Queues drain.")
    answer = one.sync()
    assert {found["code"] for found in answer["findings"]} == {"hand-edited"}
    assert all(commit[:12] in said and "Pat" in said for said in findings(answer, "hand-edited"))
    assert edits(one) == []


def test_a_date_that_can_not_be_stamps_no_log_ahead(world: World) -> None:
    """The log then stands right behind what its author saw; names and dates come as git has them."""
    one, plain = team(world, OWN_REPOSITORY, "pat")
    newest = max(one.logs())
    commit_edit(
        plain, "As it was.", EDITED, "--author=Zoë <z@example.invalid>", "--date=@4200000000 +0000"
    )
    one.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    last = one.note("id=beta fact: Queues drain.")
    one.sync()
    (edit,) = edits(one)
    assert edit["agent"] == "Zoë" and newest < edit["stem"] < last
    assert one.texts()["alpha"] == EDITED


@pytest.mark.parametrize("how", ["amended into a commit of Diurna's", "in a merge commit"])
def test_an_edit_that_has_no_commit_of_its_own_is_heard(world: World, how: str) -> None:
    """What the person reworded and ticked counts, though subject and author are others'."""
    one, two = team(world, IN_TREE, "two")
    one.note("id=who thread: Who is it?")
    one.run("check", "--publish")
    if how == "in a merge commit":
        two.note("id=beta fact: Queues drain.")
        one.git("fetch", "-q", str(two.folder), "main")
        one.git("merge", "-q", "--no-commit", "--no-ff", "FETCH_HEAD")
    page = one.read("memory/continuity.md")
    one.write("memory/continuity.md", page.replace("As it was.", EDITED).replace("- [ ]", "- [x]"))
    amend = () if how == "in a merge commit" else ("--amend",)
    one.git("commit", "-q", "-a", *amend, "--no-edit")
    one.note("id=gamma fact: Carts expire.")
    one.run("check", "--publish")
    assert one.texts()["alpha"] == EDITED and one.show()["who"]["closed"]
    assert len(edits(one)) == 1
