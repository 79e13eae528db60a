"""What a harvest takes from made documents: every dialect of decision record, rules, open items, and lines."""

from __future__ import annotations

import re
import time
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.intake import intake_cues
from rituals.intake.harvest.decision_records import clean_title, decision_of
from rituals.intake.harvest.document_choice import (
    GUIDE,
    ROADMAP,
    kind_of,
    marked_among,
    own_documents,
)
from rituals.intake.harvest.document_reader import Found, read_document, read_found
from tests.conftest import each_row

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def found(path: str, text: str) -> Found:
    """What a document at a path gives."""
    return read_found(path, kind_of(path), dedent(text).encode(), COMMIT)


def taken(path: str, text: str) -> list[tuple[str, str]]:
    """The kinds and texts that a document at a path gives."""
    return [(item.kind, item.text) for item in found(path, text).items]


class Row(NamedTuple):
    """A decision record: its path, its text, and the decision or why there is none."""

    path: str
    text: str
    decision: str = ""
    why: str = ""


NYGARD = """\
    # 3. Keep jobs in Redis

    Date: 2024-05-06

    ## Status

    {status}

    ## Context

    Jobs got lost. We must never lose one.

    ## Decision

    We will keep jobs in Redis streams, because a stream survives a worker.

    ## Consequences

    Everybody needs Redis.
"""
REDIS = "We will keep jobs in Redis streams, because a stream survives a worker."
LONG = f"Every job of the queue of the shop goes to the stream {'q' * 184}."
DIALECTS: dict[str, Row] = {
    "nygard": Row("doc/adr/0003-redis.md", NYGARD.format(status="Accepted"), REDIS),
    "adr-tools superseding": Row(
        "doc/adr/0003-redis.md",
        NYGARD.format(status="Accepted\n\n    Supersedes [1. Cron](0001-cron.md)"),
        REDIS,
    ),
    "adr-tools superseded": Row(
        "doc/adr/0003-redis.md",
        NYGARD.format(status="Superseded by [9. Kafka](0009-kafka.md)"),
        why="a decision that is superseded",
    ),
    "proposed": Row(
        "doc/adr/0003-redis.md", NYGARD.format(status="Proposed"), why="a decision that is proposed"
    ),
    "rejected": Row(
        "doc/adr/0003-redis.md", NYGARD.format(status="Rejected"), why="a decision that is rejected"
    ),
    "deprecated": Row(
        "doc/adr/0003-redis.md",
        NYGARD.format(status="Deprecated"),
        why="a decision that is deprecated",
    ),
    "not yet accepted": Row(
        "doc/adr/0003-redis.md",
        NYGARD.format(status="Not yet accepted"),
        why="a decision that is proposed",
    ),
    "struck": Row("doc/adr/0003-redis.md", NYGARD.format(status="~~Proposed~~ Accepted"), REDIS),
    "all states listed": Row(
        "doc/adr/0003-redis.md", NYGARD.format(status="Proposed | Accepted | Deprecated")
    ),
    "template by name": Row("doc/adr/template.md", NYGARD.format(status="Accepted")),
    "madr": Row(
        "docs/decisions/0004-queue.md",
        """\
        ---
        status: "accepted"
        date: 2024-03-04
        ---
        # Choose the queue

        ## Considered Options

        * Redis
        * Kafka

        ## Decision Outcome

        Chosen option: "Redis", because it is there already.

        ### Consequences

        * Good, because nobody learns anything.
        """,
        'Choose the queue: Chosen: "Redis", because it is there already.',
    ),
    "madr 2": Row(
        "docs/adr/0004-queue.md",
        """\
        # Choose the queue

        * Status: accepted
        * Deciders: Ada, Grace
        * Date: 2024-03-04

        ## Decision Outcome

        Chosen option: "Redis", because

        * it is there already
        * it is fast
        """,
        'Choose the queue: Chosen: "Redis", because it is there already; it is fast',
    ),
    "madr template": Row(
        "docs/adr/0000-queue.md",
        """\
        # {short title of the problem}

        ## Decision Outcome

        Chosen option: "{title of option 1}", because {justification}.
        """,
    ),
    "log4brains": Row(
        "docs/adr/20240304-queue.md",
        """\
        # Use Redis for jobs

        - Status: accepted
        - Date: 2024-03-04
        - Tags: backend

        ## Context and Problem Statement

        Where do jobs go?

        ## Decision Outcome

        Jobs go to Redis since it is there.
        """,
        "Jobs go to Redis since it is there.",
    ),
    "y-statement": Row(
        "docs/adr/0007-y.md",
        """\
        # Jobs in Redis

        Status: accepted

        In the context of background jobs, facing lost mail, we decided for Redis
        and against cron, to achieve durability, accepting one more server.
        """,
        "In the context of background jobs, facing lost mail, we decided for Redis and against cron, to achieve "
        "durability, accepting one more server.",
    ),
    "rst sections": Row(
        "docs/decisions/0002-queue.rst",
        """\
        2. Job queue
        ############

        Status
        ******

        **Accepted**

        Context
        *******

        Jobs got lost.

        Decision
        ********

        We will use :ref:`Redis <redis>` and the ``rq`` library,
        because `both <https://example.org>`_ are there.
        """,
        "Job queue: We will use Redis and the `rq` library, because both are there.",
    ),
    "rst fields": Row(
        "doc/adr/adr-5.rst",
        """\
        ==========
        Job queue
        ==========

        :Status: Accepted
        :Date: 2024-03-04

        Decision
        --------

        We keep jobs in Redis, because it is there.

        .. code-block:: python

           never = True
        """,
        "Job queue: We keep jobs in Redis, because it is there.",
    ),
    "asciidoc": Row(
        "docs/adr/0005-queue.adoc",
        """\
        = Job queue
        :status: accepted

        == Decision

        We keep jobs in link:https://redis.io[Redis], because it is there.
        """,
        "Job queue: We keep jobs in Redis, because it is there.",
    ),
    "table": Row(
        "adr/0006-queue.md",
        """\
        # Job queue

        | Status | Date | Author |
        |---|---|---|
        | Accepted | 2024-03-04 | ada |

        ## Decision

        We keep jobs in Redis, because it is there.
        """,
        "Job queue: We keep jobs in Redis, because it is there.",
    ),
    "two columns": Row(
        "adr/0006-queue.md",
        """\
        # Job queue

        | Field | Value |
        |---|---|
        | **Status** | Proposed |

        ## Decision

        We keep jobs in Redis.
        """,
        why="a decision that is proposed",
    ),
    "labels": Row(
        "docs/ADR-012-queue.md",
        """\
        # ADR-012: Job queue

        **Status:** Accepted
        **Date:** 2024-03-04

        **Decision:** We keep jobs in Redis, because it is there.
        """,
        "Job queue: We keep jobs in Redis, because it is there.",
    ),
    "list of what": Row(
        "adr/0008-queue.md",
        """\
        # Job queue

        ## Status

        Accepted

        ## Decision

        We will:

        1. keep jobs in Redis;
           - in a stream
        2. retry them three times.
        """,
        "Job queue: We will: keep jobs in Redis; retry them three times",
    ),
    "reason behind": Row(
        "adr/0009-queue.md",
        """\
        # Job queue

        ## Status

        Accepted

        ## Decision

        Every background job of the shop goes to a stream of Redis from now on. A worker died in May.
        This is because cron forgets what failed.
        """,
        "Job queue: Every background job of the shop goes to a stream of Redis from now on. This is because cron "
        "forgets what failed.",
    ),
    "reason too long": Row(
        "adr/0011-queue.md",
        f"# Job queue\n\nStatus: Accepted\n\n## Decision\n\n{LONG} This is because {'x' * 224}.\n",
        LONG,
    ),
    "says nothing itself": Row(
        "adr/0010-queue.md",
        """\
        # Job queue

        ## Status

        Accepted

        ## Decision

        Option 2.
        """,
        why="an accepted decision, but no sentence of it decides by itself",
    ),
    "accepted proposal": Row(
        "rfcs/0007-retries.md",
        """\
        # RFC 7: Retries

        Status: Implemented

        ## Summary

        Webhooks will retry three times.
        """,
        "Retries: Webhooks will retry three times.",
    ),
    "open proposal": Row(
        "rfcs/0007-retries.md",
        "# RFC 7: Retries\n\n## Summary\n\nWebhooks will retry three times.\n",
        why="a decision that is unclear",
    ),
}


@each_row("name", DIALECTS)
def test_every_dialect_of_decision_records(name: str) -> None:
    """An accepted one gives its decision with the reason; any other is named with why, a template is not."""
    row = DIALECTS[name]
    read = found(row.path, row.text)
    assert [item.text for item in read.items] == ([row.decision] if row.decision else [])
    assert [one.why for one in read.left_out] == ([row.why] if row.why else [])
    for item in read.items:
        assert item.kind == "decision"
        path, line = item.place.partition("@")[0].split(":")
        assert path == row.path and row.text.split("\n")[int(line) - 1].strip()


def test_a_record_says_when_and_instead_of_what() -> None:
    """The date becomes that of the fact, and what it supersedes is named by file or number."""
    text = NYGARD.format(status="Accepted\n\n    Supersedes [1. Cron](0001-cron.md)")
    (item,) = found("doc/adr/0003-redis.md", text).items
    assert item.at == "2024-05-06"
    one = decision_of(read_document("doc/adr/0003-redis.md", dedent(text)))
    assert one is not None
    assert one.takes == ("0001-cron.md",)
    other = decision_of(
        read_document("a.md", dedent(NYGARD.format(status="Superseded by ADR-0009 on 2024-06-07")))
    )
    assert other is not None
    assert other.taken == ("9",)


def test_a_list_of_decisions_gives_each() -> None:
    """One file with a section for each decision: those that hold, each with a place of its own."""
    text = """\
        # Decisions

        ## D-1: Queue

        Status: accepted

        Decision: We keep jobs in Redis, because it is there.

        ## D-2: Mail

        Status: proposed

        Decision: We send mail through the API.

        ## D-3: Storage

        Decision: We store orders in PostgreSQL, because payments need transactions.
        """
    assert taken("DECISIONS.md", text) == [
        ("decision", "Queue: We keep jobs in Redis, because it is there."),
        ("decision", "Storage: We store orders in PostgreSQL, because payments need transactions."),
    ]


def test_rules_are_taken_and_what_only_sounds_like_one_is_not() -> None:
    """Must, never and always as a rule of the project; not as advice, history, steps, code or quotation."""
    text = """\
        # Contributing

        ## Commits

        However, never squash a commit that somebody signed.

        It must not name a ticket.

        - Don't worry about the style.
        - Each change must come with a test. The tests were never fast.
        - If you want, you must always ask first.
        - Must the build pass?

        > Never trust a quotation with a rule.

        ```
        # never trust a comment
        ```

            must_not_trust(indented_code)

        The build must pass as described below.

        ## Installation

        Python must be there in a recent version.
        """
    assert taken("CONTRIBUTING.md", text) == [
        ("convention", "Never squash a commit that somebody signed."),
        ("convention", "Commits: It must not name a ticket."),
        ("convention", "Each change must come with a test."),
    ]


def test_only_what_is_said_of_the_system_is_an_invariant() -> None:
    """Below a heading that says so, in whatever document; what a note or a screen demands is none."""
    text = """\
        # Architecture

        ## {}

        A posted entry must never change.

        Always available offline.

        You must first start the server.
        """
    for path, holds in (("docs/architecture/ledger.md", True), ("docs/specs/ledger-screen.md", False),
                        ("docs/design/ui.md", False), ("docs/specs/ledger.md", True)):  # fmt: skip
        assert taken(path, text.format("Ledger")) == []
        said = [("invariant", "Architecture: A posted entry must never change.")]
        assert taken(path, text.format("Invariants")) == said * holds, path
    assert taken("docs/design/x.md", text.format("Memory Bank System Rules")) == []
    assert taken("CONTRIBUTING.md", text.format("Ledger")) == [
        ("convention", "Ledger: A posted entry must never change.")
    ]
    told = "# X\n\nThe client must always send a version with each request.\n"
    for path in ("docs/developer/protocol.md", "docs/ui/spec.md"):
        assert taken(path, told) == []
    assert kind_of("CHANGELOG.md") == kind_of("docs/guides/x.md") == ""
    assert kind_of("docs/development/testing.md") == GUIDE


def test_files_of_rules_are_read_where_they_are_named() -> None:
    """Agents read them by themselves. Named, each bullet is a rule, as it stands."""
    text = """\
        # Agents

        ## Code Style

        - NEVER use float for **money**
        - Ask before adding a dependency
        - pytest
        - [ ] Tidy up

        ## Invariants

        - Every order has one owner.
        """
    for path in ("AGENTS.md", ".cursor/rules/style.mdc", ".windsurf/rules/style.md", "sub/CLAUDE.md",
                 ".github/copilot-instructions.md", ".clinerules"):  # fmt: skip
        assert kind_of(path) == ""
        ((_, _, kind),) = own_documents({path: "a", "x.md": "b"}, [path])
        items = read_found(path, kind, dedent(text).encode(), COMMIT, named=True).items
        assert [(one.kind, one.text) for one in items] == [
            ("convention", "NEVER use float for money"),
            ("convention", "Ask before adding a dependency"),
            ("invariant", "Every order has one owner."),
        ], path
    files = {
        path: path for path in ("memory-bank/progress.md", "old/a.md", "old/vendor/b.md", "x.py")
    }
    assert [row[::2] for row in own_documents(files)] == [("memory-bank/progress.md", ROADMAP)]
    named = own_documents(files, ["old", "x.py"])
    assert [path for path, _, _ in named] == ["x.py", "memory-bank/progress.md", "old/a.md"]


def test_open_items_are_threads() -> None:
    """Boxes that are not ticked and items below what is planned; nothing done, and no form to fill in."""
    text = """\
        # Roadmap

        ## Planned

        - Refunds by instalment for all shops
          - with a sheet for each
        - ~~Gift cards for everybody~~
        - [x] Orders by telephone at night

        ## Done

        - The shop itself in two languages

        ## 2.0

        - [ ] Accounts for whole companies
        """
    assert taken("ROADMAP.md", text) == [
        ("thread", "Refunds by instalment for all shops"),
        ("thread", "2.0: Accounts for whole companies"),
    ]
    assert (
        taken("CONTRIBUTING.md", "## Checklist\n\n- [ ] I have run the tests of the shop\n") == []
    )


@each_row("path",
    [
        "node_modules/x/docs/adr/0001-x.md", "vendor/x/CONTRIBUTING.md", "third_party/ROADMAP.md",
        "dist/CONTRIBUTING.md", "site/docs/adr/0001-x.md", "target/doc/CONTRIBUTING.md", "_build/design.md",
        "docs/ja/CONTRIBUTING.md", "CONTRIBUTING.zh-CN.md", "docs/adr/template.md", "docs/adr/README.md",
        "docs/adr/adr-template.md", ".github/PULL_REQUEST_TEMPLATE.md", "CHANGELOG.md", "LICENSE.md",
        "docs/tutorial/design.md", "docs/reference/protocol.md", "examples/adr/0001-x.md", "tests/adr/0001-x.md",
        "docs/adr/0001-x.py", "src/main.md", "docs/guides/usage.md", "docs/design/2026-01-02-research.md",
    ],
)  # fmt: skip
def test_what_is_no_document_of_the_project_is_not_read(path: str) -> None:
    """Vendored, built, translated, a template, a changelog, a tutorial, a test."""
    assert kind_of(path) == ""


def test_own_documents_are_read_once_and_no_ledger() -> None:
    """A copy is the same document, and folders of memories are none."""
    files = {
        "CONTRIBUTING.md": "1", "docs/CONTRIBUTING.md": "1", "memory/continuity.md": "2",
        "memory/design.md": "3", "docs/adr/0001-x.md": "4",
    }  # fmt: skip
    assert [path for path, _, _ in own_documents(files)] == [
        "CONTRIBUTING.md",
        "docs/adr/0001-x.md",
    ]


def test_generated_documents_are_left_out() -> None:
    """By what their first lines say, and by `.gitattributes`, of which the last line that matches decides."""
    read = found(
        "CONTRIBUTING.md", "<!-- This file is automatically generated -->\n\nAlways sign it all.\n"
    )
    assert read.items == ()
    assert [one.why for one in read.left_out] == ["a program wrote it"]
    attributes = {
        ".gitattributes": b"*.gen.md linguist-generated\n/docs/api/** linguist-generated=true\n",
        "docs/.gitattributes": b"api/own.md -linguist-generated\nother/*.md linguist-vendored\n",
    }
    made = {"a.gen.md", "x/b.gen.md", "docs/api/x/y.md", "docs/other/a.md"}
    assert marked_among(attributes, [*made, "docs/api/own.md", "a.md"]) == made


_WORDS = st.sampled_from(["order", "shop", "ledger", "worker", "refund", "mail"])
_FILLING = st.sampled_from(
    ["", "Some prose about the shop.", "- an item", "> never quote a rule of this", "```\nnever code\n```", "## Part",
     "| a | b |\n|---|---|\n| never | always |", "<!-- never\ncomment -->", "    indented = never", "Mail goes out.\nThen it rests."]
)  # fmt: skip


@given(st.lists(st.one_of(_FILLING, st.tuples(_WORDS, _WORDS)), max_size=12))
def test_lines_are_true(parts: list[str | tuple[str, str]]) -> None:
    """Each rule is found on the line that it stands on, whatever stands around it."""
    blocks = [
        one if isinstance(one, str) else f"Every {one[0]} must name its {one[1]} at once."
        for one in parts
    ]
    lines = "\n\n".join(["# Contributing", *blocks]).split("\n")
    read = read_found("CONTRIBUTING.md", "guide", "\n".join(lines).encode(), COMMIT)
    wanted = {line for line in lines if line.startswith("Every ")}
    assert len(read.items) == len(wanted)
    for item, said in zip(read.items, read.said, strict=True):
        path, _, rest = item.place.partition(":")
        line, _, commit = rest.partition("@")
        assert (path, COMMIT.startswith(commit)) == ("CONTRIBUTING.md", True)
        assert lines[int(line) - 1] == said


@given(st.text(max_size=400), st.sampled_from([".md", ".rst", ".adoc", ".txt"]))
def test_any_text_is_read(text: str, ending: str) -> None:
    """Whatever stands in a file, it is read, and what is taken stands on one line."""
    for path in ("CONTRIBUTING", "docs/adr/0001-x", "ROADMAP", "docs/architecture/x", "DECISIONS"):
        for item in found(path + ending, text).items:
            assert "\n" not in item.text
            assert item.text.strip()


@each_row("part",
    ["# a\n", "**a ", "[a](", "`", "- must never sleep\n", "<!-- ", "| a | Status |\n", "Supersedes 0001 ", "a " * 99,
     "## D-1\n\nDecision: We use it.\n\n", ".. a::\n", "```\n", ":a:`b", "> a\n"],
)  # fmt: skip
def test_hostile_documents_are_read_in_time(part: str) -> None:
    """A document of nothing but one mark, as large as one may be, costs a second at most."""
    text = "# x\n\n## Decision\n\n" + part * (120_000 // len(part))
    for path in ("docs/adr/0001-x.md", "DECISIONS.md", "docs/adr/0001-x.rst"):
        begun = time.process_time()
        read_found(path, kind_of(path), text.encode(), COMMIT)
        assert time.process_time() - begun < 1


RECORDS = """\
    # Architecture Decision Records (ADR)

    ## Lifecycle

    - **Status:** `Proposed` → `Accepted` → `Superseded` / `Deprecated`.
    - To supersede: add one, and say `Status: Superseded by ADR-NNNN` in the old one.

    ## ADR-0004 — The shop writes no files {#adr-0004}
    **Status:** Accepted · **Date:** 2026-06-16 · **Supersedes:** ADR-0001

    **Abstract.** The shop itself writes to its database alone. Logs go to standard output.

    **Rationale.** A disk was full in May.

    ## ADR-0003 — Orders have one owner
    **Status:** Accepted · **Date:** 2026-06-13

    **Context.** Two services wrote them.

    **Decision.**

    - **Scope.** Orders and their lines.
    - **Owner.** The order service.

    ## ADR-0002: Retries
    **Status:** Proposed

    **Decision:** Retry three times.

    ## ADR-0001 — The shop writes files under /var
    **Status:** Superseded by ADR-0004 · **Date:** 2026-05-01

    **Abstract.** The shop writes its files under /var.
"""
LISTS = """\
    # Decisions

    ## 2026-03-04: Use SQLite for local state

    - Context: Three stores were compared.
    - Decision: All local state is kept in one SQLite file.

    ## Keep the queue in Postgres (2026-03-03)

    Redis lost two jobs, so jobs stand beside the orders.

    ## 2026-03-02

    - Webhooks are signed with Ed25519 from now on.
    - Decision: Orders keep their ids after a merge.

    ## D7 — Logs carry counts, not content

    The proxy writes how many there were.

    ### 2026-03-01 — Which port?

    ## Table

    | Date | Decision | Status | Rationale |
    | --- | --- | --- | --- |
    | 2026-01-02 | Ship one binary for all systems | accepted | Nobody installs a runtime |
    | 2026-01-03 | Use gRPC between all services | proposed | Speed |
"""


def test_many_records_in_one_document() -> None:
    """Each by its own state, whatever the preamble says of states; its heading where no sentence decides."""
    for path in ("docs/arch-decisions/ADR.md", "docs/ADR.md", "DECISIONS.md"):
        read = found(path, RECORDS)
        assert [(item.text, item.at) for item in read.items] == [
            (
                "The shop writes no files: The shop itself writes to its database alone. Logs go to standard output.",
                "2026-06-16",
            ),
            ("Orders have one owner", "2026-06-13"),
        ], path
        assert sorted(one.why for one in read.left_out) == [
            "a decision that is proposed", "a decision that is superseded",
        ]  # fmt: skip
        assert [one.takes for one in read.decisions] == [("1",), (), (), ()]


def test_a_list_of_decisions_by_date_number_or_row() -> None:
    """A title that decides is the decision; a question, and what is only proposed, is none."""
    assert [(item.text, item.at) for item in found("DECISIONS.md", LISTS).items] == [
        ("All local state is kept in one SQLite file.", "2026-03-04"),
        ("Keep the queue in Postgres: Redis lost two jobs, so jobs stand beside the orders.", "2026-03-03"),
        ("Webhooks are signed with Ed25519 from now on.", "2026-03-02"),
        ("Orders keep their ids after a merge.", "2026-03-02"),
        ("Logs carry counts, not content: The proxy writes how many there were.", ""),
        ("Ship one binary for all systems. Nobody installs a runtime", "2026-01-02"),
    ]  # fmt: skip


#: Lists of decisions as people and their agents write them, and what each gives, in its order.
WRITTEN = {
    "labels on lines of one paragraph": (
        """\
        # Decision Log

        ## Bundler: Vite (not Webpack, Parcel)

        **Chosen:** Vite
        **Rejected:** Webpack, Parcel

        **Why:** Vite starts in a second. Webpack takes twenty.

        ## Cache: one for each shop

        **Chosen:** Redis with a key prefix for each shop
        **Why:** What may go wrong?
        """,
        ["Bundler: Vite (not Webpack, Parcel). Vite starts in a second.",
         "Cache: one for each shop: Redis with a key prefix for each shop"],
    ),
    "records below the phases of a project": (
        """\
        # Decisions

        ## v1.1 — Tracking (2026-02-23 to 2026-02-24)

        ### ADR-011: Camera Ratio = 4:3 (Not 16:9)

        - **Date:** 2026-02-23
        - **Options Considered:**
          1. **Assume 16:9** — the standard of films
        - **Decision:** 4:3, as `Lens` has it
        - **Rationale:** The camera gives photos.
        - **Status:** Accepted. Seen on two devices.

        ### ADR-012: Bounded queue

        - **Decision:** A bounded queue with:
          - one mark for each gap
          - a reset after a second
        - **Status:** Accepted (amended by ADR-013: the old mark is retired)

        ### ADR-013: Marks

        - **Decision:** {what was decided}
        - **Status:** Superseded
        """,
        ["Camera Ratio = 4:3 (Not 16:9): 4:3, as `Lens` has it. The camera gives photos.",
         "A bounded queue with: one mark for each gap; a reset after a second"],
    ),
    "days of another country": (
        """\
        # Decision Log

        ## 2/27/2025 - Fair Selection

        **Decision:** Choose the worker that waits longest, whoever runs it.
        **Rationale:**
        - All have a chance

        ## [27.2.2025] - Retries

        **Decision:** Retry three times, then give up.
        """,
        ["Fair Selection: Choose the worker that waits longest, whoever runs it.",
         "Retries: Retry three times, then give up"],
    ),
    "entries below one heading": (
        """\
        # Decision Log

        2026-05-05 00:05:26 - Log of updates made.

        ## Decision

        * [2026-05-05 12:08:50] - Handled the two keys of the API
            * **Decision**: Send the key in the header alone.
            * **Rationale**: Both work.
            * **Decision**: Leave the old name in the client.
        * [2026-05-06 09:00:00] - We keep the queue in Postgres from now on.
        * [2026-05-07 09:00:00] - Looked at the logs again
        """,
        ["Send the key in the header alone.", "Leave the old name in the client.",
         "We keep the queue in Postgres from now on."],
    ),
    "a form that nobody filled in": (
        """\
        # Decision Log

        ## YYYY-MM-DD
        ### Decision: [Brief Description of Decision]
        * **Context:** [Why this decision was needed]
        * **Reasoning:** [Why the chosen option was selected]
        """,
        [],
    ),
    "entries, each with sections of its own": (
        """\
        # Decision Log

        YYYY-MM-DD HH:MM:SS - Log of updates made.

        ## Decision

        *

        [2026-08-16 20:26:15] - **Renamed the providers**

        ## Decision
        Every provider has the name of its service, so that logs can be read.

        ## Rationale
        - Nobody knew them

        ## Impact
        - Old names work for a month

        [2026-08-17 07:52:27] - Progress
        **Decision:** Tell progress by a callback of each stage
        **Impact:** Bars move
        """,
        ["Every provider has the name of its service, so that logs can be read.",
         "Tell progress by a callback of each stage"],
    ),
    "records below a heading of their own": (
        """\
        # Decision Log

        ## Decisions

        ### 1. Use pnpm as Package Manager
        **Date:** 2025-01-10

        **Decision:** Use pnpm 9 as the only package manager

        **Rationale:**
        - It is fast

        ### 2. Use Prisma for the Database
        **Decision:** Use Prisma 6 as the only way to the database

        ## Future Decisions to Document
        - Testing
        """,
        ["Use pnpm 9 as the only package manager", "Use Prisma 6 as the only way to the database"],
    ),
    "another language": (
        """\
        # 架构决策记录（ADR）

        ## ADR-0001: 部署 clean-room 流程
        - 状态: Proposed
        - 决策: GA 必须交付。
        """,
        [],
    ),
    "choices, some of them open": (
        """\
        # Design Decisions

        ## Page Size

        | Option | Used by |
        | --- | --- |
        | 4 KB | SQLite |

        **Our choice:** 8KB

        **Why it matters:** It is baked into every page.

        ## Nulls

        **Our choice:**

        **Why it matters:** It affects every tuple.
        """,
        ["Page Size: 8KB. It is baked into every page."],
    ),
    "nothing but a list": (
        """\
        # Decisions

        - Workflows are JSON files below `teams/`.
        - The console is read-only; commands own all state.
        - Short one.
        - `run` creates tasks and launches no provider.
        """,
        ["Workflows are JSON files below `teams/`.", "The console is read-only; commands own all state.",
         "`run` creates tasks and launches no provider."],
    ),
    "a table that sums up what is only proposed": (
        """\
        # Decisions

        ## ADR-0001 — The old client

        **Status:** 🟡 Proposed (recommend Accept for the pilot)

        ### Decision
        Build the pilot on the old client.

        ## Summary

        | ADR | Decision | Default |
        | --- | --- | --- |
        | 0001 | The old client or the new one | the old one |
        """,
        [],
    ),
    "sentences for headings": (
        """\
        # Decisions

        ### 1. The deliverable is a crate, and the suite is its proof.

        It has no dependency.

        ### 2. Stack

        We chose these:

        | Part | Tool |
        | --- | --- |
        | Build | Vite |
        """,
        ["The deliverable is a crate, and the suite is its proof. It has no dependency."],
    ),
}  # fmt: skip


@each_row("form", WRITTEN)
def test_lists_of_decisions_as_they_are_written(form: str) -> None:
    """Whether records have headings, labels or entries: each that holds, and no example, option or phase."""
    text, holds = WRITTEN[form]
    for path in ("memory-bank/decisionLog.md", "DECISIONS.md"):
        assert [item.text for item in found(path, text).items] == holds


def test_a_record_without_sections_is_told_by_its_file() -> None:
    """Its title decides; a page beside the records, which has no number, is none."""
    text = "# Queue position is computed when it is read\n\nIt was stored before, and two jobs had the same.\n"
    assert taken("docs/adr/0002-queue-position.md", text) == [
        (
            "decision",
            "Queue position is computed when it is read. It was stored before, and two jobs had the same.",
        )
    ]
    assert taken("docs/adr/notes.md", text) == []


RULES = (
    ("Never amend commits to fix a failure", "convention"),
    ("`db/` — every query goes through it", "convention"),
    ("`run.py` must not import `web`", "convention"),
    ("When a test is slow, mark it", "convention"),
    ("`states.py` — State objects and transitions", "fact"),
    ("`flows.py` / `tasks.py` — The decorators", "fact"),
    ("services/ - Background services", "fact"),
    ("`README.md` documents v2. The old one lives on a branch.", "fact"),
    ("`main` is the current stable line", "fact"),
    ("Resource Templates (`lib/resources/`)", "fact"),
    ("`Agent` trait -- `name()`, `run()`, hooks", "fact"),
    ("`Context` trait (`context.rs`) abstracts `Ctx` for tests", "fact"),
    ("Be careful with `bank/`: it is history.", "convention"),
)


@each_row("bullet, kind", RULES)
def test_a_bullet_that_only_describes_is_no_rule(bullet: str, kind: str) -> None:
    """In a file of rules that a person named, whether by `harvest` or by `import claude`."""
    (item,) = read_found(
        "AGENTS.md", "rules", f"# A\n\n- {bullet}\n".encode(), COMMIT, named=True
    ).items
    assert (item.kind, item.text) == (kind, bullet)


def test_each_item_of_a_list_of_invariants_is_one() -> None:
    """Whether it says "must" or not, unless it leans on what stands beside it."""
    text = """\
        # Invariants

        These are contracts. See `b.md`.

        ## Queues

        - Queues are wake-ups, not sources of truth.
        - Attempts are fenced:
          - by their token
        - This follows from the above list.
        - Note ordering must be the same for each reader.
        """
    assert taken("docs/architecture/invariants.md", text) == [
        ("invariant", "Queues are wake-ups, not sources of truth."),
        ("invariant", "Note ordering must be the same for each reader."),
    ]
    assert taken("docs/design/screens.md", text) == []


@pytest.mark.parametrize("word", ("Keep", "Sleep", "Deep", "Use", "Data", "Do"))
def test_no_title_loses_its_first_word(word: str) -> None:
    """Only a number behind letters makes them a number: `PEP 8`, and no "Keep"."""
    assert clean_title(f"{word} it all") == f"{word} it all"
    assert clean_title(f"ADR-7: {word} it all") == f"{word} it all"


def test_each_role_of_the_cues_is_asked_for_and_each_that_is_asked_for_is_there() -> None:
    """The table of turns of phrase and the readers that go by it know the same roles."""
    table = Path(intake_cues.__file__).with_suffix(".txt").read_text("utf-8")
    code = "".join(map(Path.read_text, Path(intake_cues.__file__).parent.rglob("*.py")))
    asked = re.findall(r'\bcue\.([A-Z_]+)|cue_words\("([A-Z_]+)"\)|"(IS_[A-Z]+)"', code)
    named = {role for roles in asked for role in roles if role}
    named.update(re.findall(r"\{([A-Z_]+)\}", table.partition("\n\n")[2]))
    assert named == {*re.findall(r"^\[([A-Z_]+)\]", table, re.MULTILINE)}
    assert all(getattr(intake_cues.cue, role).pattern for role in named)
