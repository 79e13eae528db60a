"""Decision records: what each form gives, whole; what does not hold is named; what changes is an update."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

NYGARD = """\
# 3. Keep jobs in Redis

Date: 2024-05-06

## Status

{status}

## Context

Jobs got lost. We must never lose one.

## Decision

{decision}

## Consequences

Everybody needs Redis.
"""
REDIS = "We will keep jobs in Redis streams, because a stream survives a worker."
TITLED = f"Keep jobs in Redis: {REDIS}"


def nygard(status: str = "Accepted", decision: str = REDIS) -> str:
    """A record in the form of Nygard, and of adr-tools."""
    return NYGARD.format(status=status, decision=decision)


def documents() -> list[tuple[str, str, str]]:
    """Documents by their names, with what is taken of each or why not."""
    parts = (
        (Path(__file__).with_name("records") / "forms.txt")
        .read_text(encoding="utf-8")
        .split("\n<<<<< ")[1:]
    )
    split = [part.split("\n", 2) for part in parts]
    return [(name, wanted.replace("\\n", "\n"), text) for name, wanted, text in split]


@pytest.mark.parametrize("part", range(6))
def test_every_form_of_decision_records(part: int, repo: Repo, run: Run) -> None:
    """The section that decides, whole and below its title, and the line where it stands; a template is no record."""
    failures = []
    for name, wanted, text in documents()[part::6]:
        repo.write("docs/adr/0001-x.md", text)
        commit(repo, name)
        told = run("import", "docs", "--json").json
        found = [f"= {one['text']}" for one in told["new"]] + [
            f"! {one['why']}" for one in told["left_out"]
        ]
        if found != [wanted] and not (told["personal"] and not found):
            failures.append((name, wanted, found))
        for one in told["new"]:
            line = int(one["place"].partition(":")[2].partition("@")[0])
            assert line == 1 or text.split("\n")[line - 1].strip("*# ") in one["text"], name
    assert failures == []


def test_a_record_says_when_and_instead_of_what(repo: Repo, run: Run) -> None:
    """Its date, of whatever place, and other records by file or number."""
    rows = {
        "0001-cron": (nygard(decision="Jobs run in cron."), "2024-05-06"),
        "0004-rq": ("---\nstatus: accepted\ndate: 2024-03-04\n---\n# Rq\n\n## Decision\n\nJobs run in rq.\n", "2024-03-04"),
        "20240304-a": ("# A\n\nStatus: accepted\n\n## Decision\n\nOrders are kept in files.\n", "2024-03-04"),
    }  # fmt: skip
    for name, (text, _) in rows.items():
        repo.write(f"docs/adr/{name}.md", text)
    commit(repo, "Some")
    new = run("import", "docs", "--write", "--json").json["new"]
    assert sorted(one["created"] for one in new) == sorted(date for _, date in rows.values())
    later = "---\nstatus: accepted\nsupersedes: ADR-1, ADR-4\n---\n# Use streams\n\n## Decision\n\nAll of it goes to streams.\n"
    repo.write("docs/adr/0009-streams.md", later)
    commit(repo, "Later")
    (new,) = run("import", "docs", "--write", "--json").json["new"]
    gone = run("show", "--json", "--tier", "superseded").json["facts"]
    assert sorted(one["text"].rpartition(" ")[2] for one in gone) == ["cron.", "rq."]
    assert {one for fact in gone for one in fact["superseded_by"]} == {new["id"]}


def test_records_are_known_by_their_path(repo: Repo, run: Run) -> None:
    """Of a folder or a name of records, in markdown, and no template."""
    paths = {
        "docs/adr/0001-a.md": True, "doc/architecture/decisions/2-b.md": True, "docs/ADR-12.md": True,
        "docs/decisions/0003-queue/README.md": True, "docs/decisions/README.md": False, "docs/decisions/0003-queue/x.md": True,
        "docs/adr/template.md": False, "docs/adr/index.md": False, "docs/adr/0001-a.rst": False,
        "CONTRIBUTING.md": False, "CLAUDE.md": False, "docs/design/x.md": False,
    }  # fmt: skip
    for path in paths:
        repo.write(path, nygard(decision=f"What {path} says."))
    commit(repo, "All")
    found = {one["place"].partition(":")[0] for one in run("import", "docs", "--json").json["new"]}
    assert found == {path for path, holds in paths.items() if holds}


RULES = "# Rules\n\n**Do NOT:**\n- Store keys in localStorage\n\n## Don't\n\n- Merge by hand\n"


@pytest.fixture
def project(repo: Repo) -> Repo:
    """A repository with a home, a decision record, and documents that are none."""
    repo.write("docs/adr/0001-queue.md", nygard())
    for path in ("CONTRIBUTING.md", "CLAUDE.md", "docs/design/x.md"):
        repo.write(path, RULES)
    commit(repo, "Documents")
    return repo


def commit(repo: Repo, message: str) -> str:
    """Commit all there is; return the commit."""
    repo.git("add", "-A")
    repo.git("commit", "-qm", message)
    return repo.git("rev-parse", "HEAD").strip()


def test_records_are_shown_first_and_written_when_told(project: Repo, run: Run) -> None:
    """Off a terminal nothing is written without --write; each fact says where it stands; a second brings none."""
    before = project.shape()
    said = run("import", "docs").out
    assert (
        "read 1 decision record" in said
        and "CONTRIBUTING.md  77 bytes" in said
        and "docs/design" not in said
    )
    assert project.shape() == before
    head = project.git("rev-parse", "HEAD").strip()
    written = run("import", "docs", "--write", "--json").json
    (new,) = written["new"]
    assert (new["text"], new["kind"], new["created"]) == (TITLED, "decision", "2024-05-06")
    path, _, rest = new["place"].partition(":")
    line, _, at = rest.partition("@")
    assert head.startswith(at)
    assert project.git("show", f"{at}:{path}").split("\n")[int(line) - 1] == REDIS
    assert "+source: harvest" in project.git("show", "HEAD", "--", "memory/sessions")
    shape = project.shape()
    again = run("import", "docs", "--write", "--json").json
    assert (again["new"], again["same"], again["stems"], project.shape()) == ([], 1, [], shape)


@pytest.mark.parametrize("named", ("CLAUDE.md", "CONTRIBUTING.md", "docs/design"))
def test_rules_and_prose_become_no_facts(named: str, project: Repo, run: Run) -> None:
    """Whoever names them; they are named as left out, and recall finds what they say."""
    told = run("import", named, "--write", "--json").json
    assert (told["new"], told["stems"], len(told["left_out"])) == ([], [], 1)
    assert "no decision record" in told["left_out"][0]["why"]


def test_a_record_that_says_something_else_updates_its_fact(project: Repo, run: Run) -> None:
    """On its line or another; where memory changed the fact too, a thread asks."""
    (new,) = run("import", "docs", "--write", "--json").json["new"]
    project.write("docs/adr/0001-queue.md", "\n\n" + nygard())
    commit(project, "Moved")
    assert run("import", "docs", "--json").json["same"] == 1
    project.write("docs/adr/0001-queue.md", nygard(decision="We keep jobs in Kafka."))
    commit(project, "Kafka")
    (changed,) = run("import", "docs", "--write", "--json").json["changed"]
    assert (changed["id"], changed["how"]) == (new["id"], "updated")
    assert "Kafka" in run("show", new["id"]).out
    run("append", "--title", "No", "--update", new["id"], "We keep jobs in files.")
    project.write("docs/adr/0001-queue.md", nygard(decision="We keep jobs in Postgres."))
    commit(project, "Postgres")
    (changed,) = run("import", "docs", "--write", "--json").json["changed"]
    assert changed["how"] == "asked" and "files" in run("show", new["id"]).out
    texts = {one["id"]: one["text"] for one in run("show", "--json").json["facts"]}
    (thread,) = [text for id, text in texts.items() if id.startswith("changed-twice-")]
    assert new["id"] in thread and "Postgres" in thread


def test_a_new_record_replaces_the_one_that_it_supersedes(project: Repo, run: Run) -> None:
    """An accepted one; what is only proposed supersedes nothing."""
    (old,) = run("import", "docs", "--write", "--json").json["new"]
    newer = "docs/adr/0002-kafka.md"
    supersedes = "\n\nSupersedes [1. Queue](0001-queue.md)"
    project.write(newer, nygard("Proposed" + supersedes, "We keep jobs in Kafka."))
    commit(project, "A proposal")
    told = run("import", "docs", "--write", "--json").json
    assert (told["new"], told["same"]) == ([], 1)
    project.write(newer, nygard("Accepted" + supersedes, "We keep jobs in Kafka."))
    project.write("docs/adr/0001-queue.md", nygard("Superseded by [2. Kafka](0002-kafka.md)"))
    commit(project, "Kafka")
    (new,) = run("import", "docs", "--write", "--json").json["new"]
    gone = run("show", "--json", "--tier", "superseded").json["facts"]
    assert [(one["id"], one["superseded_by"]) for one in gone] == [(old["id"], [new["id"]])]


def test_an_accepted_decision_that_memory_denies_is_asked_about(project: Repo, run: Run) -> None:
    """Once, under the same key or another one; when the record follows, nothing is left to ask."""
    (new,) = run("import", "docs", "--write", "--json").json["new"]
    run("append", "--title", "Not so", "--invalidate", new["id"])
    told = run("import", "docs", "--write", "--json").json
    assert [one["why"] for one in told["left_out"]] == [f"`{new['id']}` says it, and is false here"]
    threads = [one["id"] for one in run("show", "--json").json["facts"] if one["kind"] == "thread"]
    (question,) = [id for id in threads if id.startswith("denied-")]
    said = run("show", question).out
    assert f"`{new['id']}` is false here, and docs/adr/0001-queue.md has it" in said
    assert run("import", "docs", "--write", "--json").json["stems"] == []
    project.write("docs/adr/0001-queue.md", nygard("Rejected"))
    commit(project, "It follows")
    told = run("import", "docs", "--json").json
    assert [one["why"] for one in told["left_out"]] == ["a decision that is rejected"]


def test_only_what_is_committed_and_of_a_size_is_read(project: Repo, run: Run) -> None:
    """Neither the work tree nor what git ignores; a path that HEAD does not have is refused."""
    project.write("docs/adr/0009-new.md", nygard(decision="We keep jobs in the clouds."))
    assert len(run("import", "docs", "--json").json["new"]) == 1
    refused = run("import", "docs", "docs/adr/0009-new.md")
    assert (refused.code, "HEAD" in refused.err) == (1, True)
    project.write("docs/adr/0009-new.md", nygard(decision="x " * 200_000))
    project.write("docs/adr/0010-new.md", nygard(decision="stream " * ((64 << 10) // 6)))
    project.write("vendor/docs/adr/0001-theirs.md", nygard(decision="They keep jobs in files."))
    commit(project, "Large")
    told = run("import", "docs", "--json").json
    assert len(told["new"]) == 1
    assert [one["why"] for one in told["left_out"]] == [
        "larger than 128 KiB", "over 64 KiB: a document, no fact",
    ]  # fmt: skip


def test_secrets_and_instructions_of_records_stay_data(project: Repo, run: Run) -> None:
    """A line with a secret is withheld, and said; hidden characters are made visible."""
    token = "ghp_" + "x7Kq9ZtR2mWv4LpN8cYb3HsD6fGj1QeA5uTo"
    project.write(
        "docs/adr/0001-queue.md", nygard(decision=f"The token is {token}.\n\nNev\u202eer sleep.")
    )
    commit(project, "Secret")
    answer = run("import", "docs", "--write", "--json")
    assert answer.json["redacted"] == 1
    assert "The token" not in project.git("log", "-p", "--", "memory")
    assert "\u202e" not in "".join([one["text"] for one in answer.json["new"]])
