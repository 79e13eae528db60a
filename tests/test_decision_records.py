"""Decision records: what each form gives, whole; what does not hold is named; what changes is an update."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.intake.decision_records import Decision, decision_of, is_record
from rituals.intake.stored_facts import ITEM_LIMIT_BYTES
from tests.conftest import each_row

if TYPE_CHECKING:
    from pathlib import Path

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


class Row(NamedTuple):
    """A document, the state of its record, and what it decides."""

    text: str
    state: str = "accepted"
    decision: str = ""


FORMS: dict[str, Row] = {
    "nygard": Row(nygard(), decision=TITLED),
    "adr-tools superseding": Row(
        nygard("Accepted\n\nSupersedes [1. Cron](0001-cron.md)"), decision=TITLED
    ),
    "superseded": Row(nygard("Superseded by [9. Kafka](0009-kafka.md)"), "superseded", TITLED),
    "proposed": Row(nygard("Proposed"), "proposed", TITLED),
    "rejected": Row(nygard("Rejected"), "rejected", TITLED),
    "deprecated": Row(nygard("Deprecated"), "deprecated", TITLED),
    "not yet accepted": Row(nygard("Not yet accepted"), "proposed", TITLED),
    "struck": Row(nygard("~~Proposed~~ Accepted"), decision=TITLED),
    "words of its own": Row(nygard("As ever"), "unclear", TITLED),
    "all states listed": Row(nygard("Proposed | Accepted | Deprecated"), ""),
    "the template of adr-tools": Row(
        nygard("What is the status, such as proposed, accepted, rejected, deprecated, superseded?"), ""
    ),
    "madr": Row(
        """\
        ---
        # optional
        status: "accepted"
        date: 2024-03-04
        ---
        # Choose the queue

        ## Considered Options

        * Redis
        * Kafka

        ## Decision Outcome

        Chosen option: "Redis", because it is **there** already.

        <!-- This is an optional element. -->
        ### Consequences

        * Good, because nobody learns anything.

        ## Pros and Cons of the Options
        """,
        decision='Choose the queue: Chosen option: "Redis", because it is **there** already.\n\n'
        "### Consequences\n\n* Good, because nobody learns anything.",
    ),
    "madr 2": Row(
        """\
        # Choose the queue

        * Status: accepted
        * Deciders: Ada, Grace
        * Date: 2024-03-04

        ## Decision Outcome <!-- what -->

        Chosen option: "Redis", because

        * it is there already
        * it is fast
        """,
        decision='Choose the queue: Chosen option: "Redis", because\n\n* it is there already\n* it is fast',
    ),
    "madr's template": Row(
        '# {short title}\n\n## Decision Outcome\n\nChosen option: "{option 1}", because {why}.\n', ""
    ),
    "log4brains": Row(
        """\
        # Use Redis for jobs

        - Status: accepted
        - Tags: backend

        ## Decision Outcome

        Jobs go to Redis since it is there.
        """,
        decision="Use Redis for jobs: Jobs go to Redis since it is there.",
    ),
    "log4brains superseded": Row(
        "# A\n\n- Status: superseded by [20240405-b](20240405-b.md)\n\n## Decision\n\nJobs go to Redis.\n",
        "superseded", "A: Jobs go to Redis.",
    ),
    "labels": Row(
        "# ADR-012: Job queue\n\n**Status:** Proposed · **Date:** 2024-03-04\n\n## Decision\n\nWe keep jobs.\n",
        "proposed", "Job queue: We keep jobs.",
    ),
    "a table that says its state": Row(
        "# Job queue\n\n| Field | Value |\n|---|---|\n| **Status** | Proposed |\n\n## Decision\n\nWe keep jobs.\n",
        "proposed", "Job queue: We keep jobs.",
    ),
    "a table of another form": Row(
        "# Job queue\n\n| Date | Status |\n|---|---|\n| May | Proposed |\n\n## Decision\n\nWe keep jobs.\n",
        "unclear", "Job queue: We keep jobs.",
    ),
    "no status": Row("# Q\n\n## Decision\n\nWe keep jobs.\n", decision="Q: We keep jobs."),
    "what must not be": Row(
        nygard(decision="Do NOT:\n\n- store keys\n- log them\n\n### Never\n\n1. Mail them.\n\n```\n# no\n```"),
        decision="Keep jobs in Redis: Do NOT:\n\n- store keys\n- log them\n\n### Never\n\n1. Mail them.\n\n"
        "```\n# no\n```",
    ),
    "a list alone": Row(
        nygard(decision="- Redis\n- Streams"), decision="Keep jobs in Redis:\n\n- Redis\n- Streams"
    ),
    "no title": Row("## Context\n\nJobs.\n\n## Decision\n\nWe keep jobs.\n", ""),
    "code first": Row("# Q\n\n## Decision\n\n`rq` it is.\n", decision="Q: `rq` it is."),
    "no section that decides": Row("# Queue\n\n## Status\n\nAccepted\n\nWe keep jobs.\n"),
    "no record": Row("# Queue\n\nWe keep jobs, and that is decided.\n", ""),
    "a page of decisions": Row("# Decisions\n\n## D-1: Queue\n\nDecision: We keep jobs.\n", ""),
}  # fmt: skip


@each_row("name", FORMS)
def test_every_form_of_decision_records(name: str) -> None:
    """Its state, and the section that decides, whole and below its title; a template is no record."""
    row = FORMS[name]
    text = dedent(row.text)
    found = decision_of(text)
    assert (found.state if found else "") == row.state
    if found is not None:
        assert found.text == row.decision
        lines = text.split("\n")
        assert found.line == 1 or lines[found.line - 1].strip("*# ") in found.text


def test_a_record_says_when_and_instead_of_what() -> None:
    """Its date, of whatever place, and other records by file or number."""
    rows = (
        (nygard("Accepted\n\nSupersedes [1. Cron](0001-cron.md)"), "", ("2024-05-06", ("0001-cron.md",), ())),
        (nygard("Superseded by ADR-0009 on 2024-06-07"), "", ("2024-05-06", (), ("9",))),
        ("---\nstatus: accepted\nsupersedes: ADR-4, ADR-5\n---\n# A\n", "x.md", ("", ("4", "5"), ())),
        ("# A\n\nStatus: accepted\n", "20240304-a.md", ("2024-03-04", (), ())),
    )  # fmt: skip
    for text, name, said in rows:
        found = decision_of(text, name)
        assert found is not None and (found.at, found.takes, found.taken) == said


@pytest.mark.parametrize("word", ("Keep", "2 queues", "Decision making", "ADRs", "4:3", "Use"))
def test_no_title_loses_its_first_word(word: str) -> None:
    """Only the number of a record goes."""
    for number in ("", "ADR-7: ", "7. ", "ADR 0007 - ", "Decision 7: ", "#7: "):
        found = decision_of(f"# {number}{word} it all\n\n## Decision\n\nSo it is.\n")
        assert found is not None and found.text == f"{word} it all: So it is."


@each_row("path, holds", [
    ("docs/adr/0001-a.md", True), ("doc/architecture/decisions/2-b.md", True), ("docs/ADR-12.md", True),
    ("docs/decisions/0003-queue/README.md", True), ("docs/decisions/README.md", False), ("docs/decisions/0003-queue/x.md", True),
    ("docs/adr/template.md", False), ("docs/adr/index.md", False), ("docs/adr/0001-a.rst", False),
    ("CONTRIBUTING.md", False), ("CLAUDE.md", False), ("docs/design/x.md", False),
])  # fmt: skip
def test_records_are_known_by_their_path(path: str, holds: bool) -> None:
    """Of a folder or a name of records, in markdown, and no template."""
    assert is_record(path) is holds


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    """Whatever stands in a file; what decides stands in it, line by line."""
    for said in (text, f"# T\n\nStatus: accepted\n\n## Decision\n\n{text}"):
        found = decision_of(said, "0001-x.md")
        assert found is None or isinstance(found, Decision)


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
    assert "read 1 decision record" in said and "3 other documents seen" in said
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
    project.write("docs/adr/0010-new.md", nygard(decision="stream " * (ITEM_LIMIT_BYTES // 6)))
    project.write("vendor/docs/adr/0001-theirs.md", nygard(decision="They keep jobs in files."))
    commit(project, "Large")
    told = run("import", "docs", "--json").json
    assert len(told["new"]) == 1
    assert [one["why"] for one in told["left_out"]] == [
        "larger than 128 KiB", "over 64 KiB: a document, no fact",
    ]  # fmt: skip


def test_an_own_repository_names_its_code(
    project: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory in a repository of its own reads the code that PATH names."""
    home = tmp_path / "apart"
    run("init", str(home))
    monkeypatch.setenv("DIURNA_HOME", str(home))
    refused = run("import", "docs")
    assert (refused.code, "PATH" in refused.err) == (1, True)
    told = run("import", "docs", str(project.path), "--write", "--json").json
    assert (len(told["new"]), told["others"]) == (1, 3)
    assert run("import", "docs", str(project.path), "--json").json["new"] == []


def test_secrets_and_instructions_of_records_stay_data(project: Repo, run: Run) -> None:
    """A secret is taken out before anything is stored, and said; hidden characters are made visible."""
    token = "ghp_" + "x7Kq9ZtR2mWv4LpN8cYb3HsD6fGj1QeA5uTo"
    project.write(
        "docs/adr/0001-queue.md", nygard(decision=f"The token is {token}. Nev\u202eer sleep.")
    )
    commit(project, "Secret")
    answer = run("import", "docs", "--write", "--json")
    assert answer.json["redacted"] == 1
    assert token not in project.git("log", "-p", "--", "memory")
    assert "\u202e" not in "".join([one["text"] for one in answer.json["new"]])
