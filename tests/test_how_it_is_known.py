"""How each fact is known, in one word; and that an agent's word replaces no person's in silence."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from ledger.model.event import FactCreated
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.fold.testimony import AGENTS
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture.composition import Part, draft_of_part
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.slices import Turn
from tests.conftest import examples

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


@pytest.fixture(autouse=True)
def _person(_agent: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent calls, where none is named."""
    monkeypatch.delenv("DIURNA_AGENT")


def test_the_names_of_agents_are_those_of_the_hosts() -> None:
    """So none of them passes for a person."""
    assert {host.agent for host in HOSTS.values()} <= AGENTS


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


def test_what_an_agent_retells_is_quoted_from_it(repo: Repo) -> None:
    """It names no log, stands under no `Decided:`, and says whose words they are."""
    told = "The team decided to deploy on Friday evenings instead of Mondays."
    asked = "We deploy by hand, never from a branch."
    items = (Item("decision", told, told, at=90), Item("decision", asked, asked, at=10))
    turns = (Turn("user", asked, 10), Turn("assistant", f"As docs/notes.md says: {told}", 90))
    part = Part("codex", "s-1", "rules", None, None, (), turns, items)
    draft = draft_of_part(part, "thread", lambda _id, _text: False, {})
    assert "Friday" not in draft.title
    assert "Decided:" not in draft.prose
    meta = [dict(one.meta) for one in draft.events if isinstance(one, FactCreated)]
    assert ["by" in one for one in meta] == [True, False]
    alone = draft_of_part(part._replace(items=items[:1]), "thread", lambda _i, _t: False, {})
    assert "Friday" not in alone.title


def test_captured_and_imported_facts_are_told_apart(repo: Repo, run: Run) -> None:
    """By the header of the log alone."""
    memory = Memory.open(str(repo.path))
    fact = FactCreated("tide", "The tide table is on the wall.", "", (("kind", "fact"),))
    header = (
        ("host", "codex"),
        ("session", "s-1"),
        ("extractor", "rules"),
        ("transcript", "t 0 9"),
    )
    memory.append(SessionDraft("A session", events=(fact,), agent="Codex", header=header))
    other = FactCreated("pier", "The pier closes at noon.", "", (("kind", "fact"), ("by", "Bo")))
    memory.append(SessionDraft("Taken in", events=(other,), type="import", agent="Ada"))
    memory.close()
    assert _known(run, "tide") == ("quoted", "Codex")
    assert _known(run, "pier") == ("imported", "Bo")


@pytest.mark.parametrize("seed", range(examples(4)))
def test_a_persons_decision_is_replaced_in_no_silence(repo: Repo, run: Run, seed: int) -> None:
    """Whatever comes after it: what an agent puts in its place says so, until a person does as well."""
    chance = random.Random(seed)
    new = "id=ferry decision: The ferry waits for the tide."
    assert run("append", "--agent", "codex", "--title", "F", "--new", new).code == 0
    person, against = False, False
    for number in range(8):
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
