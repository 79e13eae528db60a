"""`diurna import` without more: all that is there, in one plan; one fact however often it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repo, Run

RECORDS = """# Decisions

## ADR-0001: Jobs in Redis
**Status:** Accepted

**Decision:** We keep jobs in Redis, because it is there already.

## ADR-0002: Retries
**Status:** Accepted

**Decision:** We retry each webhook three times.
"""
AGENTS = "# Agents\n\n## Code Style\n\n- NEVER use float for money in this shop\n- Ask before adding one\n"


@pytest.fixture
def shop(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with rules files, records, a memory bank and the notes of another tool."""
    (tmp_path / "user").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    repo.write("DECISIONS.md", RECORDS)
    repo.write("AGENTS.md", AGENTS)
    repo.write("CLAUDE.md", AGENTS)
    repo.write(".cursor/rules/style.mdc", AGENTS)
    repo.write(
        "memory-bank/progress.md",
        "# Progress\n\n## Next steps\n\n- Count the dead letters of May\n",
    )
    repo.write("CONTRIBUTING.md", "# Contributing\n\nThe weather was fine.\n")
    repo.write(".mind/state.json", "{}")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "Documents")
    return repo


def test_all_that_is_there_is_one_plan(shop: Repo, run: Run) -> None:
    """Each document is named: taken, known already, left out and why; nothing is written unasked."""
    before = shop.shape()
    shown = run("import").out
    assert "DECISIONS.md: 2 taken" in shown and "memory-bank/progress.md: 1 taken" in shown
    for path in ("AGENTS.md", "CLAUDE.md", ".cursor/rules/style.mdc"):
        assert path in shown.split("agents read it by themselves")[1], path
    assert "it states no decision, no rule and nothing open: CONTRIBUTING.md" in shown
    assert shop.shape() == before
    answer = run("import", "--write", "--json").json
    (documents,) = [one for one in answer["sources"] if one["source"] == "harvest"]
    assert (
        sorted(one["text"] for one in documents["new"])
        == [
            "Count the dead letters of May",
            "Jobs in Redis: We keep jobs in Redis, because it is there already.",
            "Retries: We retry each webhook three times.",
        ]
        or len(documents["new"]) == 3
    )
    again = run("import", "--json").json
    assert all(not one["new"] for one in again["sources"])
    assert run("import").code == 0 and shop.git("status", "--porcelain") == ""


@pytest.mark.parametrize("first", (("import", "claude"), ("harvest", "CLAUDE.md", "AGENTS.md")))
def test_imported_once_and_harvested_again_is_one_fact(
    shop: Repo, run: Run, first: tuple[str, ...]
) -> None:
    """By whatever way a line comes in first, the other way knows it."""
    ways = (("import", "claude"), ("harvest", "CLAUDE.md", "AGENTS.md"))
    assert len(run(*first, "--write", "--json").json["new"]) == 2
    for way in ways:
        again = run(*way, "--write", "--json").json
        assert (again["new"], again["opposite"]) == ([], []), way


def test_an_accepted_decision_that_memory_denies_is_asked_about(shop: Repo, run: Run) -> None:
    """Once: a fact that says it is false here, and the record has it as accepted."""
    (new, *_) = run("harvest", "--write", "--json").json["new"]
    text = new["text"]
    run("append", "--title", "Not so", "--invalidate", new["id"])
    shop.write("docs/adr/0009-again.md", f"# Again\n\nStatus: Accepted\n\n## Decision\n\n{text}\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Again")
    told = run("harvest", "docs/adr", "--write", "--json").json
    assert [one["why"] for one in told["left_out"]] == [f"`{new['id']}` says it, and is false here"]
    asked = run("ls", "--kind", "thread", "--json").json["facts"]
    (question,) = [one["id"] for one in asked if one["id"].startswith("denied-")]
    said = run("show", question).out
    assert f"`{new['id']}` is false here, and docs/adr/0009-again.md has it" in said
    assert run("harvest", "docs/adr", "--write", "--json").json["stems"] == []


def test_a_decision_that_memory_replaced_is_asked_about(shop: Repo, run: Run) -> None:
    """Though its document is as it was, and once; when the document follows, nothing is left to ask."""
    (new, *_) = run("harvest", "--write", "--json").json["new"]
    run(
        "append",
        "--title",
        "Left it",
        "--new",
        "id=other decision: Something else.",
        "--supersede",
        f"{new['id']}=other",
    )
    path = new["place"].partition(":")[0]
    told = run("harvest", "--write", "--json").json
    said = f"`{new['id']}` says it, and is false here"
    assert [one["why"] for one in told["left_out"]].count(said) == 1
    assert told["read"] == 1 and told["new"] == []
    asked = [one["id"] for one in run("ls", "--kind", "thread", "--json").json["facts"]]
    (question,) = [id for id in asked if id.startswith("denied-")]
    assert f"`{new['id']}` is false here, and {path} has it" in run("show", question).out
    assert run("harvest", "--write", "--json").json["stems"] == []
    text = (shop.path / path).read_text().replace("Accepted", "Superseded by ADR-9")
    shop.write(path, text)
    shop.git("commit", "-q", "-am", "It follows")
    assert run("harvest", "--write", "--json").json["new"] == []


def test_what_one_document_says_is_no_contradiction(shop: Repo, run: Run) -> None:
    """Who wrote both beside each other knew of both; what another one says is asked about."""
    shop.write(
        "CONTRIBUTING.md",
        "# C\n\n- Branches must be merged by squash.\n- Branches must not be merged by hand.\n",
    )
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "rules")
    told = run("harvest", "--json").json
    assert [one["text"] for one in told["new"]] != [] and told["opposite"] == []


@pytest.mark.parametrize(
    ("named", "holds"),
    [
        ("docs/runbook.md", ["docs/runbook.md"]), ("cursor", [".cursor/rules/a.mdc"]),
        ("cline", ["memory-bank/projectbrief.md"]), ("roo", ["memory-bank/projectbrief.md"]),
        ("copilot", []), ("nonsense", []),
    ],
)  # fmt: skip
def test_a_path_and_a_tool_of_documents_are_read(
    bare_repo: Repo, run: Run, named: str, holds: list[str]
) -> None:
    """`import` takes what people type: a document that is there, or the name of the tool that keeps some."""
    rule = "# R\n\n- Never restore a dump while workers run.\n"
    for path in ("docs/runbook.md", ".cursor/rules/a.mdc", "memory-bank/projectbrief.md"):
        bare_repo.write(path, rule.replace("dump", path))
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "documents")
    assert run("init").code == 0
    ran = run("import", named, "--json")
    assert ran.code == (0 if holds else 2 if named == "nonsense" else 1), ran.err
    if holds:
        assert [one["place"].partition(":")[0] for one in ran.json["new"]] == holds


def test_what_a_person_names_is_read(shop: Repo, run: Run) -> None:
    """A folder or file of any name; a document that gives nothing is named, too."""
    shop.write(
        "docs/runbook.md", "# Runbook\n\nYou must stop the workers before restoring a dump.\n"
    )
    shop.write("docs/poem.md", "# Poem\n\nRoses are red.\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "More")
    read = run("harvest", "docs/runbook.md", "docs/poem.md", ".cursor", "--json").json
    assert read["read"] == 3
    assert len(read["new"]) == 3
    assert [one["place"] for one in read["left_out"]] == ["docs/poem.md"]
