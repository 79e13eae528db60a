"""A harvest on real repositories: twice writes nothing, what changes is due, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ledger.home import discover
from rituals.intake.harvest.document_harvest import read_harvest
from rituals.intake.harvest.origin import code_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repo, Run

QUEUE = """\
# Job queue

## Status

{status}

## Decision

We keep jobs in {where}, because it is there already.
"""
RULES = """\
# Contributing

Every change must come with a test.

The first line of a commit must never name a ticket.
"""


@pytest.fixture
def project(repo: Repo) -> Repo:
    """A repository with a home, a decision record and a rule book."""
    repo.write("docs/adr/0001-queue.md", QUEUE.format(status="Accepted", where="Redis"))
    repo.write("CONTRIBUTING.md", RULES)
    commit(repo, "Documents")
    return repo


def commit(repo: Repo, message: str) -> str:
    """Commit all there is; return the commit."""
    repo.git("add", "-A")
    repo.git("commit", "-qm", message)
    return repo.git("rev-parse", "HEAD").strip()


def facts(run: Run) -> dict[str, dict[str, Any]]:
    """The facts of the home that documents gave, by text."""
    found = run("show", "--json").json["facts"]
    return {
        one["text"]: one for one in found if one.get("meta", {}).get("source") or "source" in one
    }


def due(run: Run) -> list[tuple[str, str]]:
    """Rule and sentence of what the review asks about documents."""
    asked = run("review", "--dry-run", "--json").json["questions"]
    return [(one["rule"], one["said"]) for one in asked if one["rule"].startswith("document-")]


def test_a_harvest_shows_first_and_writes_when_told(project: Repo, run: Run) -> None:
    """Off a terminal nothing is written without --write; each fact says where it stands; a second brings none."""
    before = project.shape()
    assert "more documents" not in run("harvest").out
    shown = run("harvest", "--json").json
    assert (project.shape(), shown["dry_run"], len(shown["new"])) == (before, True, 3)
    head = project.git("rev-parse", "HEAD").strip()
    written = run("harvest", "--write", "--json").json
    assert written["dry_run"] is False
    assert len(written["stems"]) == 1
    for one in written["new"]:
        path, _, rest = one["place"].partition(":")
        line, _, at = rest.partition("@")
        assert head.startswith(at)
        stands = project.git("show", f"{at}:{path}").split("\n")[int(line) - 1]
        assert stands in one["text"]
    log = project.git("show", "HEAD", "--", "memory/sessions")
    assert "+source: harvest" in log
    assert f"+through: {head}" in log
    shape = project.shape()
    again = run("harvest", "--write", "--json").json
    assert (again["new"], again["stems"], again["read"], project.shape()) == ([], [], 0, shape)
    whole = run("harvest", "--write", "--json", str(project.path)).json
    assert (whole["new"], whole["same"], whole["stems"], whole["read"]) == ([], 3, [], 2)
    assert project.shape() == shape


def test_later_only_what_changed_is_read(project: Repo, run: Run) -> None:
    """Since the commit that the last log names; all again where that commit is gone."""
    run("harvest", "--write")
    project.write("docs/adr/0002-mail.md", QUEUE.format(status="Accepted", where="mailboxes"))
    commit(project, "Mail")
    later = run("harvest", "--json").json
    assert (later["read"], later["documents"], len(later["new"])) == (1, 3, 1)
    home = discover(str(project.path))
    code = code_of(home)
    assert code is not None
    assert read_harvest(code, since=later["since"]).read == 1
    rebased = read_harvest(code, since="0" * 40)
    assert (rebased.since, rebased.read) == ("", 3)


@pytest.mark.parametrize("change", ["reworded", "moved", "withdrawn", "deleted", "renamed"])
def test_a_changed_document_makes_its_facts_due(change: str, project: Repo, run: Run) -> None:
    """A passage that says something else, or is gone, is asked about; one that only moved is not."""
    run("harvest", "--write")
    record, rules = "docs/adr/0001-queue.md", "CONTRIBUTING.md"
    assert due(run) == []
    if change == "reworded":
        project.write(record, QUEUE.format(status="Accepted", where="Kafka"))
        project.write(rules, RULES.replace("must never name", "must always name"))
    elif change == "moved":
        project.write(record, "\n\n" + QUEUE.format(status="Accepted", where="Redis"))
        project.write(
            rules, RULES.replace("# Contributing", "# Contributing\n\nHello.\n\n## Rules")
        )
    elif change == "withdrawn":
        project.write(record, QUEUE.format(status="Deprecated", where="Redis"))
    elif change == "deleted":
        project.git("rm", "-q", record)
    else:
        project.git("mv", record, "docs/adr/0001-jobs.md")
    commit(project, "Changed")
    asked = due(run)
    if change in ("moved", "renamed"):
        assert asked == []
        assert run("harvest", "--json").json["new"] == []
        return
    rule = "document-gone" if change == "deleted" else "document-changed"
    assert {one for one, _ in asked} == {rule}
    assert len(asked) == (2 if change == "reworded" else 1)
    if change == "withdrawn":
        (question,) = run("review", "--dry-run", "--json").json["questions"]
        assert question["proposal"] == "call the fact false, or say what holds now"
        assert "its status is Deprecated" in question["evidence"][1]
    if change == "reworded":
        answer = run("harvest", "--json").json
        assert (answer["new"], len(answer["due"])) == ([], 2)
        assert {one["how"] for one in answer["changed"]} == {"left"}
        said = json.dumps(run("review", "--dry-run", "--json").json["questions"])
        assert "Kafka" in said
        assert "must always name" in said


def test_the_text_that_memory_followed_is_not_due(project: Repo, run: Run) -> None:
    """Whoever gave the fact the new text has answered; a harvest then knows it already."""
    run("harvest", "--write")
    project.write("CONTRIBUTING.md", RULES.replace("must never name", "must always name"))
    commit(project, "Tickets")
    (changed,) = run("harvest", "--json").json["changed"]
    assert run("append", "--title", "Follow", "--update", changed["id"], changed["text"]).code == 0
    assert due(run) == []
    answer = run("harvest", "--json").json
    assert (answer["new"], answer["changed"], answer["due"]) == ([], [], [])


def test_a_new_record_replaces_the_one_that_it_supersedes(project: Repo, run: Run) -> None:
    """The older fact is superseded, not due; it is no decision of a first harvest either."""
    run("harvest", "--write")
    project.write(
        "docs/adr/0002-kafka.md",
        QUEUE.format(status="Accepted\n\nSupersedes [1. Queue](0001-queue.md)", where="Kafka"),
    )
    project.write(
        "docs/adr/0001-queue.md",
        QUEUE.format(status="Superseded by [2. Kafka](0002-kafka.md)", where="Redis"),
    )
    commit(project, "Kafka")
    answer = run("harvest", "--write", "--json").json
    (new,) = answer["new"]
    assert "Kafka" in new["text"]
    old = run("show", "--json", "--tier", "superseded").json["facts"]
    assert [one["superseded_by"] for one in old] == [[new["id"]]]
    assert due(run) == []


def test_the_budget_takes_the_best_first(project: Repo, run: Run) -> None:
    """Decisions before rules; one thread names the rest, and naming the file brings them."""
    first = run("harvest", "--budget", "1", "--write", "--json").json
    assert [one["kind"] for one in first["new"]] == ["decision"]
    assert len(first["beyond"]) == 2
    threads = [
        one["text"] for one in run("show", "--json").json["facts"] if one["kind"] == "thread"
    ]
    assert len(threads) == 1
    assert "CONTRIBUTING.md" in threads[0]
    shape = project.shape()
    assert run("harvest", "--budget", "1", "--write", "--json").json["stems"] == []
    assert project.shape() == shape
    rest = run("harvest", "--write", "--json", str(project.path / "CONTRIBUTING.md")).json
    assert [one["kind"] for one in rest["new"]] == ["convention", "convention"]
    assert rest["closed"] == []
    whole = run("harvest", "--write", "--json", str(project.path)).json
    assert (whole["new"], len(whole["closed"])) == ([], 1)
    assert run("harvest", "--write", "--json", str(project.path)).json["stems"] == []


def test_only_what_is_committed_is_read(project: Repo, run: Run) -> None:
    """Neither the work tree nor what git ignores; a path that HEAD does not have is refused."""
    project.write("docs/adr/0009-new.md", QUEUE.format(status="Accepted", where="the clouds"))
    project.write("CONTRIBUTING.md", RULES + "\nNothing must ever be uncommitted here.\n")
    answer = run("harvest", "--json").json
    assert len(answer["new"]) == 3
    refused = run("harvest", str(project.path / "docs" / "adr" / "0009-new.md"))
    assert (refused.code, "HEAD" in refused.err) == (1, True)


def test_an_own_repository_names_its_code(
    project: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory in a repository of its own harvests the code that PATH names, and goes on from there."""
    home = tmp_path / "apart"
    run("init", str(home))
    monkeypatch.setenv("DIURNA_HOME", str(home))
    refused = run("harvest")
    assert (refused.code, "PATH" in refused.err) == (1, True)
    assert len(run("harvest", str(project.path), "--write", "--json").json["new"]) == 3
    again = run("harvest", str(project.path), "--json").json
    assert (again["read"], again["new"]) == (0, [])


def test_an_agents_own_reading_is_taken_in(project: Repo, run: Run) -> None:
    """What an agent found, with its place in HEAD; it is due like any other when that passage changes."""
    found = [
        {
            "text": "Jobs survive a worker.",
            "kind": "invariant",
            "path": "docs/adr/0001-queue.md",
            "line": 9,
        }
    ]
    answer = run(
        "harvest", "--from-json", "-", "--write", "--json", stdin=json.dumps(found).encode()
    )
    (new,) = answer.json["new"]
    assert (new["kind"], new["place"].partition("@")[0]) == (
        "invariant",
        "docs/adr/0001-queue.md:9",
    )
    again = run(
        "harvest", "--from-json", "-", "--write", "--json", stdin=json.dumps(found).encode()
    )
    assert (again.json["new"], again.json["same"], again.json["stems"]) == ([], 1, [])
    project.write("docs/adr/0001-queue.md", QUEUE.format(status="Accepted", where="files"))
    commit(project, "Files")
    assert [rule for rule, _ in due(run)] == ["document-changed"]


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"text": "A.", "path": "gone.md", "line": 1}, "no file"),
        ({"text": "A.", "path": "CONTRIBUTING.md", "line": 99}, "no line 99"),
        ({"text": "A.", "path": "CONTRIBUTING.md", "line": 2}, "is empty"),
        ({"text": "A.", "path": "CONTRIBUTING.md", "line": "3"}, "number of a line"),
        ({"text": " ", "path": "CONTRIBUTING.md", "line": 3}, "no text"),
        ({"text": "A.", "path": "CONTRIBUTING.md", "line": 3, "kind": "x"}, "no kind"),
        ({"text": "A.", "path": "CONTRIBUTING.md", "line": 3, "run": "x"}, "no such key"),
        ("not an object", "no list of objects"),
    ],
)
def test_what_names_no_place_is_refused(item: Any, why: str, project: Repo, run: Run) -> None:
    """With what is wrong; nothing of the list is written, whatever else it has."""
    good = {"text": "Every change has a test.", "path": "CONTRIBUTING.md", "line": 3}
    before = project.shape()
    stdin = json.dumps([good, item]).encode()
    refused = run("harvest", "--from-json", "-", "--write", stdin=stdin)
    assert (refused.code, why in refused.err, project.shape()) == (1, True, before)


def test_secrets_and_instructions_of_documents_stay_data(project: Repo, run: Run) -> None:
    """A secret is taken out before anything is stored, and said; hidden characters are made visible."""
    token = "ghp_" + "x7Kq9ZtR2mWv4LpN8cYb3HsD6fGj1QeA5uTo"
    project.write(
        "CONTRIBUTING.md",
        f"The token {token} must never be used in a test.\n\nTests must nev\u202eer sleep.\n",
    )
    commit(project, "Secret")
    answer = run("harvest", "--write", "--json")
    assert answer.json["redacted"] == 1
    assert token not in project.git("log", "-p", "--", "memory")
    assert "\u202e" not in "".join([one["text"] for one in answer.json["new"]])
