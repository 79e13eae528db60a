"""How each fact is known, in one word; and that an agent's word replaces no person's in silence."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.conftest import examples

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


@pytest.fixture(autouse=True)
def _person(_agent: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent calls, where none is named."""
    monkeypatch.delenv("DIURNA_AGENT")


def test_an_agents_confirmation_is_no_persons(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says who it is."""
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    monkeypatch.setenv("DIURNA_AGENT", "claude-code")
    assert run("review", "--confirm", "ferry").code == 0
    assert _known(run, "ferry") == ("said", "codex")


def _in_brief(run: Run) -> str:
    (section,) = [
        one for one in run("brief", "--json").json["sections"] if one["name"] == "decisions"
    ]
    return str(section["facts"][0]["known"])


def _known(run: Run, fact: str) -> tuple[str, str]:
    said = run("show", fact, "--json").json["facts"][0]
    return said["known"], said["known_by"]


def test_each_answer_says_it_by_the_same_word(repo: Repo, run: Run) -> None:
    """show, why, recall and the brief, in words and in JSON."""
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    assert _known(run, "ferry") == ("said", "codex")
    assert "known: said by codex -->" in run("show", "ferry").out
    assert run("show", "--list").out.startswith("ferry  decision  working  said  ")
    assert run("show", "--list", "--json").json["facts"][0]["known_by"] == "codex"
    assert run("why", "ferry").out.startswith("ferry  said by codex\n")
    assert "said by codex)" in run("recall", "ferry").out
    assert run("recall", "ferry", "--json").json["hits"][0]["known"] == "said"
    assert (
        "\n- ferry: The ferry" in run("brief", "--agent", "other").out
    )  # what is not marked is said
    assert _in_brief(run) == "said"
    who = repo.git("config", "user.name").strip()
    assert run("review", "--confirm", "ferry").code == 0
    assert _known(run, "ferry") == ("decided", who)
    assert _in_brief(run) == "decided"
    assert "\n- ferry (decided): The ferry" in run("brief", "--agent", "other").out


def test_an_edit_of_the_page_is_a_persons(repo: Repo, run: Run) -> None:
    """What a person types into `continuity.md` was decided."""
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    assert run("check", "--publish").code == 0
    page = repo.path / "memory" / "continuity.md"
    page.write_text(page.read_text().replace("waits for the tide", "waits for the pilot"))
    assert run("check", "--absorb").code == 0
    assert _known(run, "ferry") == ("decided", repo.git("config", "user.name").strip())


@pytest.mark.parametrize("seed", range(examples(2)))
def test_a_persons_decision_is_replaced_in_no_silence(repo: Repo, run: Run, seed: int) -> None:
    """Whatever comes after it: what an agent puts in its place says so, until a person does as well."""
    chance = random.Random(seed)
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    person, against = False, False
    for number in range(5):
        deed = chance.choice(("confirm", "update", "use", "update"))
        if deed == "confirm":
            assert run("review", "--confirm", "ferry").code == 0
            person, against = True, False
        elif deed == "update":
            text = f"The ferry waits {number} minutes."
            ran = run(
                "append", "--agent", "codex", "--title", f"U{number}", "--update", "ferry", text
            )
            assert ran.code == 0
            against = person
        else:
            assert (
                run("append", "--agent", "codex", "--title", f"R{number}", "--ref", "ferry").code
                == 0
            )
        told = run("why", "ferry").out.splitlines()[0]
        assert ("against what" in told) == against, (deed, told)
        assert ("said against decided" in run("brief").out) == against
        assert ("against what" in run("recall", "ferry", "--in", "facts").out) == against


def test_an_agents_successor_of_a_decision_says_so(repo: Repo, run: Run) -> None:
    """The superseded one tells it, and a person's confirmation of the new one settles it."""
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    assert run("review", "--confirm", "ferry").code == 0
    assert run("append", "--agent", "codex", "--title", "G", "--new", "id=bridge decision: We use the bridge.",
               "--supersede", "ferry=bridge").code == 0  # fmt: skip
    assert "and no person replaced it" in run("why", "ferry").out
    assert "decided, overruled" in run("brief").out
    assert run("review", "--confirm", "bridge").code == 0
    assert "no person replaced it" not in run("why", "ferry").out
