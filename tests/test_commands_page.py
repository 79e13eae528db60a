"""COMMANDS.md is true: its options are those of `--help`, its keys those of real answers, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rituals.cli.registry import available
from tests.command_answers import OWN, OWN_FOLDER, gather, shape
from tests.conftest import holders
from tests.pages import COMMANDS, check_or_write, described, filled

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

pytestmark = pytest.mark.skipif(not COMMANDS.exists(), reason="this is about the source tree")
#: Commands that answer no question about a ledger.
WITHOUT_KEYS = {"mcp", "tour", "web"}


def test_every_command_has_its_section() -> None:
    """All commands, each with its options and, where it answers, its keys."""
    found = described(COMMANDS.read_text(encoding="utf-8"))
    assert sorted(found) == sorted(entry.name for entry in available())
    for name, kinds in found.items():
        generated = [kind for kind in kinds if kind != "console"]
        assert generated == (["help"] if name in WITHOUT_KEYS else ["help", "keys"]), name


def test_options_are_those_of_help(run: Run) -> None:
    """Every option that a command takes is on the page, and none that it does not take."""
    text = COMMANDS.read_text(encoding="utf-8")
    check_or_write(
        COMMANDS,
        filled(text, lambda name, kind: run(name, "--help").out if kind == "help" else None),
    )


def test_keys_are_those_of_real_answers(
    bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every key of an answer is on the page, and none that no answer has.

    The user has a home of their own meanwhile: nothing of it is anywhere else, whatever was called.
    """
    text = COMMANDS.read_text(encoding="utf-8")
    answers = gather(run, bare_repo.path, monkeypatch)
    places = [one for one in bare_repo.path.parent.iterdir() if one.name != OWN_FOLDER]
    assert len(places) > 4
    assert [found for place in places for found in holders(place, OWN)] == []
    assert holders(bare_repo.path.parent / OWN_FOLDER / "diurna" / "personal", OWN)
    assert answers.keys() == {entry.name for entry in available()} - WITHOUT_KEYS | {"failure"}

    def fill(name: str, kind: str) -> str | None:
        return (
            "".join(f"{line}\n" for line in shape(answers[name or "failure"]))
            if kind == "keys"
            else None
        )

    check_or_write(COMMANDS, filled(text, fill))
