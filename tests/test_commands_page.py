"""COMMANDS.md is true: made of what the commands take and say, and of the keys of real answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rituals.cli.operation import ENTRIES, overview
from tests.command_answers import OWN, OWN_FOLDER, gather, shape
from tests.commands_page import GENERATED, page
from tests.conftest import holders
from tests.pages import COMMANDS, check_or_write

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

pytestmark = pytest.mark.skipif(not COMMANDS.exists(), reason="this is about the source tree")
#: Commands that answer no question about a ledger.
#: `org` needs a database: ORG.md has its answers.
WITHOUT_KEYS = {"mcp", "org", "web"}
_KEYS = re.compile(r"^```keys\n.*?^```$", re.DOTALL | re.MULTILINE)
FAILURE = "A failure says:\n\n```keys\n{}\n```\n\n"


def test_the_page_says_what_the_commands_take() -> None:
    """Every option and example is on the page, as their help has it; of the keys of answers the next test tells."""
    text = COMMANDS.read_text(encoding="utf-8")
    now, made = [
        [line for line in _KEYS.sub("", said).splitlines() if line]
        for said in (text, page(text, {}))
    ]
    assert now == made


def test_the_list_of_commands_is_fresh() -> None:
    """What `diurna --help` prints without loading a thing."""
    check_or_write(COMMANDS.parents[1] / "cli" / "help.txt", f"{overview()}\n")


@pytest.mark.deep(reason="the_page_says_what_the_commands_take is the small one")
def test_the_page_is_fresh(bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option and every key of an answer is on the page, and none that is not there.

    The user has a home of their own meanwhile: nothing of it is anywhere else, whatever was called.
    """
    answers = gather(run, bare_repo.path, monkeypatch)
    places = [one for one in bare_repo.path.parent.iterdir() if one.name != OWN_FOLDER]
    assert len(places) > 4
    assert [found for place in places for found in holders(place, OWN)] == []
    assert holders(bare_repo.path.parent / OWN_FOLDER / "diurna" / "personal", OWN)
    names = {entry.name for entry in ENTRIES}
    assert {name.split()[0] for name in answers} == names - WITHOUT_KEYS | {"failure"}
    keys = {name: shape(found) for name, found in answers.items()}
    before = COMMANDS.read_text(encoding="utf-8")
    assert before.partition(GENERATED)[0].endswith(FAILURE.format("\n".join(keys["failure"])))
    check_or_write(COMMANDS, page(before, keys))
