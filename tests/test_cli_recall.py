"""`recall` on the command line: what it finds, in which words, and what it costs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.conftest import each_row, laid_once
from tests.world import World

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

PROSE = """We measured the queue with two hundred clients.

## What happened

The worker in src/queue/worker.py lost jobs on SIGTERM, because nothing drained them.

user: How do we keep the jobs when a worker is stopped?

assistant: Drain before exit. The supervisor sends SIGTERM and waits thirty seconds.
"""


@laid_once
def asked(repo: Repo, run: Run) -> None:
    """Two sessions: facts and prose, and a day later a correction by somebody else."""
    os.environ["DIURNA_NOW"] = "1795163412000"  # 2026-11-20
    born = run(
        "append", "--title", "Measure the queue", "--body", str(repo.write("body.md", PROSE)),
        "--new", "id=webhook-once decision: A webhook is sent once.",
        "--new", "id=pay-key invariant: Payments are idempotent by getPaymentKey().",
    )  # fmt: skip
    assert born.code == 0
    os.environ["DIURNA_NOW"] = "1795249812417"  # 2026-11-21
    corrected = run(
        "append", "--title", "Lost", "--agent", "codex",
        "--new", "id=webhook-retries decision: Webhooks are sent again up to three times.",
        "--supersede", "webhook-once=webhook-retries",
    )  # fmt: skip
    assert corrected.code == 0


@pytest.mark.parametrize("between", ["", "### One of two\n\n", "### One\n\n#### Of two\n\n"])
def test_all_of_a_passage_has_what_its_line_has(repo: Repo, run: Run, between: str) -> None:
    """Also where it begins with several headings: the text below the last one is what is read whole."""
    body = repo.write(
        "body.md", f"## Turns\n\n{between}The pier drains first, because it is low.\n"
    )
    assert run("append", "--title", "Piers", "--body", str(body)).code == 0
    (hit,) = run("recall", "which pier drains", "--json").json["passages"]
    (whole,) = run("recall", "--ids", hit["id"], "--level", "full", "--json").json["passages"]
    assert "The pier drains first, because it is low." in whole["text"]
    assert hit["whole"] == whole["tokens"] > 8


def test_passages(asked: Repo, run: Run) -> None:
    """A passage of a log is named by its line, and stands behind the title and its heading."""
    ran = run("recall", "nothing drained queue worker.py", "-n", "1")
    assert ran.said.split("\n")[0] == (
        "STEM:11  session  2026-11-20  Measure the queue / What happened: The worker in "
        "src/queue/worker.py lost jobs on SIGTERM, because nothing drained them.  (claude-code)  "
        "[52 tokens, 62 in full]"
    )
    stem, _, line = ran.out.split("  ")[0].partition(":")
    log = next(asked.path.glob(f"memory/sessions/*/*/{stem}*.md")).read_text().split("\n")
    assert log[int(line) - 1] == "## What happened"


def test_levels(asked: Repo, run: Run) -> None:
    """The ids of one level are what the next takes; `full` shows all of a section, or of a fact."""
    (hit,) = run("recall", "supervisor", "--json", "-n", "1").json["hits"]
    around = run("recall", "--ids", hit["id"], "--level", "timeline")
    assert "\n> assistant: Drain before exit." in around.out
    assert "\n  user: How do we keep the jobs" in around.out
    whole = run("recall", "--ids", f"{hit['id']},webhook-retries", "--json").json
    assert whole["level"] == "full"
    assert [one["id"] for one in whole["hits"]] == [hit["id"], "webhook-retries"]
    assert whole["hits"][0]["text"].startswith("## What happened\n")
    assert whole["hits"][1]["text"].split("\n")[-1] == (
        "Webhooks are sent again up to three times."
    )
    events = run("recall", "--ids", "webhook-once", "--level", "timeline")
    assert [line.split("  (")[0] for line in events.out.split("\n")[1:4]] == [
        "  2026-11-20  Created",
        "  2026-11-21  Superseded by webhook-retries",
        "  now: superseded by webhook-retries (Webhooks are sent again up to three times.): A webhook is sent once.",
    ]


def test_superseded(asked: Repo, run: Run) -> None:
    """What is false is not found, unless it is asked for; then it says so first."""
    ids = [
        hit["id"]
        for hit in run("recall", "webhook", "sent", "--in", "facts", "--json").json["hits"]
    ]
    assert ids == ["webhook-retries"]
    hits = run("recall", "webhook", "sent", "--in", "facts", "--superseded", "--json").json["hits"]
    lines = {hit["id"]: hit["line"] for hit in hits}
    assert (
        lines["webhook-once"]
        == "superseded by webhook-retries (Webhooks are sent again up to three times.): A webhook is sent once."
    )
    then = run(
        "recall", "webhook", "sent", "--in", "facts", "--as-of", "2026-11-20", "--json"
    ).json["hits"]
    assert [hit["id"] for hit in then] == ["webhook-once"]


@each_row(
    "filters, found",
    [
        (["--in", "facts"], {"webhook-retries", "pay-key"}),
        (["--kind", "invariant"], {"pay-key"}),
        (["--kind", "invariant", "--kind", "decision"], {"webhook-retries", "pay-key"}),
        (["--tier", "core"], {"pay-key"}),
        (["--tier", "superseded"], {"webhook-once"}),
        (["--agent", "codex"], {"webhook-retries"}),
        (["--agent", "nobody"], set()),
        (["--since", "2026-11-21"], {"webhook-retries"}),
        (["--until", "2026-11-20", "--in", "facts"], {"pay-key"}),
        (["--branch", "elsewhere"], set()),
        (["--tag", "none"], set()),
        (["--entity", "none"], set()),
        (["--role", "none"], set()),
    ],
)
def test_filters(asked: Repo, run: Run, filters: list[str], found: set[str]) -> None:
    """A filter leaves what it names, and no more."""
    ran = run("recall", "webhooks", "payments", "--json", *filters)
    assert {hit["id"] for hit in ran.json["hits"]} == found


def test_a_log_whose_bytes_are_gone(asked: Repo, run: Run) -> None:
    """A passage that can not be read any more is no hit, and no fault."""
    (hit,) = run("recall", "supervisor", "--json", "-n", "1").json["hits"]
    path = next(asked.path.glob(f"memory/sessions/*/*/{hit['stem']}.md"))
    blob = asked.git("hash-object", str(path)).strip()
    (asked.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    ran = run("recall", "supervisor", "--json")
    assert (ran.code, ran.json["hits"]) == (0, [])
    assert run("recall", "--ids", hit["id"]).code == 1


def test_explain(asked: Repo, run: Run) -> None:
    """Every score can say what it is made of."""
    hits = run("recall", "payment", "key", "--explain", "--json").json["hits"]
    names = [part["name"] for part in hits[0]["parts"]]
    assert len(names) == len(set(names)) > 2
    assert "payment" in hits[0]["parts"][0]["remark"]
    assert "  words  payment, key" in run("recall", "payment", "key", "--explain").out


def test_reading_writes_nothing(asked: Repo, run: Run) -> None:
    """A question leaves the repository as it was."""
    before = asked.shape()
    assert run("recall", "webhook").code == 0
    assert asked.shape() == before


def test_a_filter_sees_every_fact(repo: Repo, run: Run) -> None:
    """A fact that is wanted is found however many others have more of the question's words."""
    lines = [f"- The webhook queue is number {n}.\n  <!-- id: queue-{n} -->" for n in range(400)]
    rare = (
        "- A webhook.\n  <!-- id: rare | kind: decision | tags: odd | entity: Hook | role: ops -->"
    )
    named = ", ".join([*[f"queue-{n}" for n in range(400)], "rare"])
    draft = "# Many\n\n## Memory References\n\n- Created: {}\n\n## Facts\n\n{}\n"
    log = repo.write("many.md", draft.format(named, "\n\n".join([*lines, rare])))
    assert run("append", str(log)).code == 0
    for wanted in ("--kind=decision", "--tag=odd", "--entity=hook", "--role=ops"):
        hits = run("recall", "webhook queue number", wanted, "--in", "facts", "--json").json["hits"]
        assert [hit["id"] for hit in hits] == ["rare"]


def test_the_role_of_a_log(repo: Repo, run: Run) -> None:
    """A role is that of the fact's footer, or else of the log that brought it."""
    draft = "---\nrole: reviewer\n---\n# Look\n\nThe parser is fine.\n\n## Memory References\n\n"
    draft += "- Created: fine\n\n## Facts\n\n- The parser is fine.\n  <!-- id: fine -->\n"
    assert run("append", str(repo.write("role.md", draft))).code == 0
    (hit,) = run("recall", "parser", "--role", "reviewer", "--json").json["hits"]
    assert hit["id"] == "fine" and hit["passage"].startswith(hit["stem"])
    assert run("recall", "parser", "--role", "ops", "--json").json["hits"] == []


def test_all_logs_of_an_answer_are_read_at_once(world: World) -> None:
    """However many logs its hits are cut from, and packed as they are: an answer starts no git for them."""
    home = world.home()
    for number in range(4):
        home.session(f"Shop {number}", body=f"The broker of shop {number} drops its backlog.")
    home.git("gc", "-q", "--prune=now")
    home.run("recall", "backlog")  # brings the index to the logs
    with world.git_does("") as told:
        found = home.run("recall", "backlog", "--no-vectors").json["hits"]
    assert len({hit["stem"] for hit in found}) == 4
    assert "cat-file" not in told.read_text()
