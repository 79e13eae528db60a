"""A person edits `continuity.md`, commits that or not, and lets commands read it, let it go, or lead back to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World

FACTS = {"fa": "decision: Sessions are signed.", "fb": "decision: Code lives in src."}
BOTH = pytest.mark.parametrize("committed", [False, True])
PAGES = {
    IN_TREE: "memory/continuity.md",
    OWN_BRANCH: ".memory/continuity.md",
    OWN_REPOSITORY: "continuity.md",
}


def change(home: Place, old: str, new: str, committed: bool = False) -> None:
    """Put a text in the place of another that stands on the page once."""
    text = home.read(PAGES[home.kind])
    assert text.count(old) == 1, text
    write(home, text.replace(old, new), committed)


def write(home: Place, text: str, committed: bool = False) -> None:
    """Write the page as a person does: in their editor, or on a forge where the branch is not checked out."""
    if not committed:
        home.write(PAGES[home.kind], text)
    elif home.kind == OWN_BRANCH:
        aside = home.world.place("aside")
        home.git("worktree", "add", "-q", str(aside.folder), "memory")
        aside.write("continuity.md", text)
        aside.git("commit", "-q", "-a", "-m", "Update continuity.md")
        home.git("worktree", "remove", "--force", str(aside.folder))
    else:
        home.write(PAGES[home.kind], text)
        home.git("commit", "-q", "-a", "-m", "Update continuity.md")


def in_step(home: Place) -> bool:
    """Tell whether nobody has anything to say of the page, and it says what memory holds."""
    codes = set(home.check()) & {"hand-edited", "drift", "conflict-in-projection"}
    said = home.text("check", "--publish") + home.text("check", "--absorb")
    page = home.read(PAGES[home.kind])
    return not codes and said.count("nothing to do") == 2 and page == home.page()


@BOTH
@pytest.mark.parametrize("also", ["", "Sessions are signed twice."])
def test_a_deleted_bullet_is_that_fact_and_no_other(
    world: World, committed: bool, also: str
) -> None:
    """Its footer is left, as a person leaves it who deletes the line that they read."""
    home = world.home(facts=FACTS)
    home.run("check", "--publish")
    if also:
        change(home, "Sessions are signed.", also)
    change(home, "- Code lives in src.\n", "", committed)
    home.run("check", "--publish")
    shown = home.show()
    assert shown["fa"]["text"] == (also or "Sessions are signed.") and not shown["fa"]["false"]
    assert shown["fb"]["reason"] == "invalidated"
    assert in_step(home)


def test_what_was_deleted_and_put_back_leaves_a_page_in_step(world: World) -> None:
    """Reword one fact, delete the line of another, commit, note, put it back, commit."""
    home = world.home(facts=FACTS)
    home.run("check", "--publish")
    change(home, "Sessions are signed.", "Sessions are signed twice.")
    change(home, "- Code lives in src.\n", "", committed=True)
    home.note("fact: Carts expire.")
    change(home, "## Key Decisions\n", "## Key Decisions\n\n- Code lives in src.\n", committed=True)
    home.run("check", "--publish")
    assert in_step(home)
    assert {"Code lives in src.", "Sessions are signed twice."} <= set(home.texts().values())


@BOTH
def test_a_page_that_was_cut_short_is_no_fact(world: World, committed: bool) -> None:
    """No half of a word is recorded, and the hint of the first command that says so leads out."""
    home = world.home(facts=FACTS)
    home.run("check", "--publish")
    text = home.read(PAGES[IN_TREE])
    write(home, text[: text.index("lives in src") + 5], committed)
    home.note("fact: Carts expire.")
    assert "`diurna check --publish --discard-edits`" in home.run("check", "--absorb", code=1).err
    home.run("check", "--publish", "--discard-edits")
    texts = {"Sessions are signed.", "Code lives in src.", "Carts expire."}
    assert set(home.texts().values()) == texts and in_step(home)


@pytest.mark.deep(only=("in-tree-True", "own-branch-False"))
@BOTH
@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_a_page_that_is_let_go_is_shown_and_kept(world: World, kind: str, committed: bool) -> None:
    """Byte for byte; a dry run changes nothing, and what is redacted later goes out of it."""
    home = world.home(kind, facts={"fa": "The vault opens with a word."})
    home.run("check", "--publish")
    text = home.read(PAGES[kind]) + "\nStray words of mine.\n"
    write(home, text, committed)
    before, discard = home.shape(), ("check", "--publish", "--discard-edits")
    assert "- Stray words of mine.\n" in home.text(*discard, "--dry-run")
    assert home.shape() == before and not (home.common / "diurna/dropped").exists()
    one: dict[str, Any] = home.run(*discard).json["dropped"][0]
    assert one["lines"] == ["Stray words of mine."]
    kept = home.folder / one["kept"]
    assert kept.read_text() == text and kept.stat().st_mode & 0o777 == 0o600
    assert in_step(home)
    home.run("redact", "fa", "--reason", "it went out")
    home.run("status")
    assert "vault" not in kept.read_text() and "Stray words of mine." in kept.read_text()
