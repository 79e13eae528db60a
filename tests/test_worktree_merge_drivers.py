"""The clone's own merge settings: set once, behind whatever the user has, and for our files alone."""

from __future__ import annotations

import pytest

from tests.conftest import each_row
from tests.world import OWN_REPOSITORY, Place, World

DRIVER = "diurna-ours"


@pytest.fixture
def two(world: World) -> Place:
    """A clone of an in-tree home that has no settings of ours yet."""
    world.home()
    return cloned(world)


def cloned(world: World) -> Place:
    """Clone the home of the world, as a colleague does."""
    one = world.place("a")
    one.git("config", "remote.origin.url", str(one.folder))
    return one.clone("two")


def merge_of(place: Place, path: str) -> str:
    """Return what git thinks of a path."""
    return place.git("check-attr", "merge", "--", path).rsplit(": ", 1)[1]


def test_ours_stand_behind_what_the_user_has(two: Place) -> None:
    """Every byte stays, and a link stays one; asked for again there is nothing to do."""
    kept = two.write("../dotfiles", "")
    path = two.common / "info/attributes"
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(kept)
    for before in (
        b"", b"*.png binary", b"*.png binary\r\n*.txt text\r\n", b"# caf\xe9\n\n\n", b"*.md merge=union\n",
    ):  # fmt: skip
        kept.write_bytes(before)
        two.run("init")
        after = path.read_bytes()
        between = b"\n" if before and not before.endswith(b"\n") else b""
        assert after.startswith(before + between + b"/memory/continuity.md merge="), before
        ours = after.removeprefix(before).split()
        assert all(one.startswith((b"/memory/", b"merge=")) for one in ours), before
        for page in ("continuity.md", "archive/INDEX.md", "archive/2026-Q3.md"):
            assert merge_of(two, f"memory/{page}") == DRIVER, before
    two.run("init")
    assert path.is_symlink() and path.read_bytes() == after
    two.note("id=ci fact: CI has two cores.")
    assert path.read_bytes() == after
    kept.write_bytes(b"")
    two.run("init")
    for other in (
        "memory/archive/notes.md", "memory/archive/old/2026-Q1.md", "memory/2026-Q1.md", "continuity.md",
        "archive/INDEX.md", "memory/sessions/2026-01/01/x.md",
    ):  # fmt: skip
        assert merge_of(two, other) in ("unspecified", "unset"), other


@each_row("prefix", ['a "b" [x]*?', "back\\slash\tü"])
def test_a_prefix_of_any_name(world: World, prefix: str) -> None:
    """What means something to gitattributes is written so that it means itself."""
    place = world.home(name=f"at{ord(prefix[0])}")
    place.git("mv", "memory", prefix)
    place.git("commit", "-q", "-m", "moved")
    home = "--home", str(place.folder / prefix)
    place.note("id=ci fact: CI has two cores.", *home)
    place.run("check", "--publish", *home)
    assert merge_of(place, f"{prefix}/continuity.md") == DRIVER
    assert merge_of(place, f"{prefix}/archive/2026-Q3.md") == DRIVER
    assert merge_of(place, f"x{prefix}/continuity.md") == "unspecified"


def test_what_somebody_took_out_is_set_again_by_init_alone(two: Place) -> None:
    """A write of a page looks once for each clone; `diurna init` looks at what is there."""
    two.note("id=ci fact: CI has two cores.")
    two.run("check", "--publish")
    path = two.common / "info/attributes"
    assert merge_of(two, "memory/continuity.md") == DRIVER
    path.unlink()
    two.git("config", "--remove-section", f"merge.{DRIVER}")
    two.note("id=os fact: CI runs Debian.")
    two.run("check", "--publish")
    assert not path.exists()
    two.run("init")
    assert merge_of(two, "memory/continuity.md") == DRIVER
    assert "tail -n1 %B" in two.git("config", f"merge.{DRIVER}.driver")


def test_what_can_not_be_set_is_no_reason_not_to_append(world: World) -> None:
    """The log is committed, a finding says what git was not told, and the next write tries again."""
    world.home(OWN_REPOSITORY)
    two = cloned(world)
    attributes = two.common / "info/attributes"
    attributes.mkdir(parents=True)
    answer = two.run("note", "id=alpha fact: Alpha holds.").json
    assert answer["stem"] in two.logs()
    (found,) = answer["findings"]
    assert (found["code"], found["file"]) == ("merge-attribute", "continuity.md")
    assert "diurna init" in found["hint"]
    assert "can not be read" in two.run("init", code=1).err
    attributes.rmdir()
    two.note("id=beta fact: Beta holds.")
    assert merge_of(two, "continuity.md") == DRIVER
