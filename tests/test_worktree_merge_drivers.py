"""The clone's own merge settings: set once, behind whatever the user has, and for our files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.errors import WriteRefused
from ledger.home import Home, discover
from memory.worktree.merge_drivers import (
    DRIVER,
    apply_drivers,
    attribute_lines,
    ensure_drivers,
    plan_drivers,
)
from tests.campaigns.homes import IN_TREE, OWN_REPOSITORY, git, hermetic, make_home
from tests.teams import Clone

__all__ = ["hermetic"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An in-tree home in a clone that has no settings of ours yet."""
    make_home(tmp_path / "one", IN_TREE)
    git(tmp_path, "clone", "-q", str(tmp_path / "one"), str(tmp_path / "two"))
    return discover(str(tmp_path / "two"))


def merge_of(home: Home, path: str) -> str:
    """Return what git thinks of a path."""
    return git(home.repository.where, "check-attr", "merge", "--", path).rsplit(": ", 1)[1].strip()


@pytest.mark.parametrize(
    "before",
    [
        b"", b"*.png binary", b"*.png binary\r\n*.txt text\r\n", b"# caf\xe9\n\n\n",
        b"*.md merge=union\n",
    ],
)  # fmt: skip
def test_the_users_attributes_keep_every_byte(home: Home, before: bytes) -> None:
    """Ours stand behind them, once; asked for again there is nothing to do."""
    path = Path(home.repository.commondir) / "info" / "attributes"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    plan = plan_drivers(home)
    assert len(plan.steps) == 2
    apply_drivers(home, plan)
    after = path.read_bytes()
    lines = "".join(line + "\n" for line in attribute_lines("memory/")).encode()
    between = b"\n" if before and not before.endswith(b"\n") else b""
    assert after == before + between + lines
    assert merge_of(home, "memory/continuity.md") == DRIVER
    assert merge_of(home, "memory/archive/2026-Q3.md") == DRIVER
    assert plan_drivers(home).steps == ()
    assert ensure_drivers(home) == []
    assert path.read_bytes() == after


def test_only_what_is_computed_is_kept_as_ours(home: Home) -> None:
    """Somebody's own files beside the pages, and files of these names elsewhere, merge as ever."""
    apply_drivers(home, plan_drivers(home))
    for path in ("memory/archive/notes.md", "memory/archive/old/2026-Q1.md", "memory/2026-Q1.md"):
        assert merge_of(home, path) in ("unspecified", "unset")
    for path in ("continuity.md", "archive/INDEX.md", "memory/sessions/2026-01/01/x.md"):
        assert merge_of(home, path) == "unspecified"


@pytest.mark.parametrize("prefix", ['a b/"c"/', "[x]*?/", "back\\slash/", "tab\there/", "ümläut/"])
def test_a_prefix_of_any_name(home: Home, prefix: str) -> None:
    """What means something to gitattributes is written so that it means itself."""
    info = Path(home.repository.commondir) / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("".join(line + "\n" for line in attribute_lines(prefix)))
    assert merge_of(home, f"{prefix}continuity.md") == DRIVER
    assert merge_of(home, f"{prefix}archive/2026-Q3.md") == DRIVER
    assert merge_of(home, "xa b/continuity.md") == "unspecified"


def test_what_somebody_took_out_is_set_again_by_init_alone(home: Home) -> None:
    """A write looks once for each clone; `diurna init` looks at what is there."""
    assert ensure_drivers(home) == []
    path = Path(home.repository.commondir) / "info" / "attributes"
    path.unlink()
    git(home.repository.where, "config", "--remove-section", f"merge.{DRIVER}")
    assert ensure_drivers(home) == []
    assert not path.exists()
    plan = plan_drivers(home)
    apply_drivers(home, plan)
    assert merge_of(home, "memory/continuity.md") == DRIVER
    assert "tail -n1 %B" in git(home.repository.where, "config", f"merge.{DRIVER}.driver")


def test_attributes_that_are_a_link_stay_one(home: Home, tmp_path: Path) -> None:
    """People keep such files elsewhere; ours go where the link leads."""
    kept = tmp_path / "dotfiles"
    kept.write_text("*.png binary\n")
    path = Path(home.repository.commondir) / "info" / "attributes"
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(kept)
    apply_drivers(home, plan_drivers(home))
    assert path.is_symlink()
    assert kept.read_text().startswith("*.png binary\n/memory/continuity.md merge=")


def test_what_can_not_be_set_is_no_reason_not_to_append(tmp_path: Path) -> None:
    """The log is committed, a finding says what git was not told, and the next write tries again."""
    make_home(tmp_path / "one", OWN_REPOSITORY)
    git(tmp_path, "clone", "-q", str(tmp_path / "one"), str(tmp_path / "two"))
    two = Clone(tmp_path / "two")
    info = two.folder / ".git" / "info"
    (info / "attributes").mkdir(parents=True)
    memory = two.memory
    stem = two.create("alpha")
    assert stem in {line.stem for line in memory.log()}
    (found,) = ensure_drivers(memory.home)
    assert (found.code, found.file) == ("merge-attribute", "continuity.md")
    assert "diurna init" in found.hint
    with pytest.raises(WriteRefused, match="can not be read"):
        plan_drivers(memory.home)
    (info / "attributes").rmdir()
    two.create("beta")
    assert merge_of(memory.home, "continuity.md") == DRIVER
