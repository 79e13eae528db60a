"""The readers of `diurna import`: the layouts that tools document, and whatever else may lie there."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rituals.intake.intake_items import Item, Reading
from rituals.intake.sources.notes import front_matter, passages
from rituals.intake.sources.source_table import SOURCES, Ground, read_source, source_named
from rituals.intake.sources.store_values import time_of
from tests.conftest import Repo, Run, examples

HANDBOOK = """# Task Group: {project} / billing service

scope: work on billing
applies_to: cwd={project}; reuse_rule=safe in this checkout

## Task 1: retry queue, success

### rollout_summary_files

- rollout_summaries/a.md (cwd={project}, updated_at=2026-05-02T10:00:00Z, thread_id=1)

### keywords

- retry, queue

## User preferences

- when tests fail, the user asked: "show me the diff" -> show it first [Task 1]

## Reusable knowledge

- The queue needs `make up` before its tests. [Task 1][Task 2]

## Failures and how to do differently

- Migrations hang -> a lock is held -> run them alone [Task 1]

# Task Group: elsewhere

applies_to: cwd=/somewhere/else; reuse_rule=there

## Reusable knowledge

- A secret of another project. [Task 1]
"""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A project and a user's folder, both empty."""
    project, user = tmp_path / "shop", tmp_path / "user"
    project.mkdir()
    user.mkdir()
    return Ground(str(project), str(user), {})


def lay(folder: str, **files: str) -> str:
    """Write files, named with `__` for `/` and `_md` for `.md`."""
    for name, text in files.items():
        path = Path(folder, name.replace("__", "/").replace("_md", ".md").replace("_json", ".json"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def read(name: str, ground: Ground, *named: str) -> Reading:
    """Read a source, of what was named or of what lies there."""
    source = source_named(name)
    assert source is not None
    return read_source(source, named, ground)[0]


def by_text(reading: Reading) -> dict[str, Item]:
    """Items by the first line of their text."""
    return {item.text.split("\n")[0]: item for item in reading.items}


def memory_of(ground: Ground) -> str:
    """Where Claude Code keeps its memory of a project."""
    slug = "".join([char if char.isalnum() else "-" for char in ground.project])
    return f"{ground.user}/.claude/projects/{slug}/memory"


def test_claude_auto_memory(ground: Ground) -> None:
    """A memory is a fact; `user` is personal; the index only points; a note without a type is passages."""
    lay(
        memory_of(ground),
        MEMORY_md="- [Tests](feedback_tests.md) — real database\n- [Lost](lost.md) — gone\n- Staging is birch.\n",
        feedback_tests_md="---\nname: tests\ndescription: >-\n  Tests use\n  a database\n"
        "metadata:\n  node_type: memory\n  type: feedback\n  modified: 2026-04-05T06:07:08.999Z\n---\n\n"
        "Tests hit Postgres.\n\n**Why:** mocks lied.\n",
        user_role_md="---\nname: role\ndescription: who\ntype: user\n---\nTen years of Go.\n",
        debugging_md="# Debugging\n\n- Redis hangs.\n  Restart it.\n- [x] Old one.\n\n```\n- no item\n```\n",
    )
    os.utime(f"{memory_of(ground)}/user_role.md", (1_700_000_000, 1_700_000_000))
    found = read("claude", ground)
    items = by_text(found)
    assert items["Tests hit Postgres."].kind == "convention"
    assert items["Tests hit Postgres."].key == "memory/feedback_tests.md"
    assert items["Tests hit Postgres."].at == "2026-04-05T06:07:08Z"
    role = items["Ten years of Go."]
    assert role.personal and role.at == "2023-11-14T22:13:20.000Z" and role.author == "claude-code"
    assert items["Redis hangs."].text == "Redis hangs.\nRestart it."
    assert items["Old one."].closed and items["Staging is birch."].place == "MEMORY.md:3"
    assert [one.why for one in found.left_out] == ["it points to lost.md, which is gone"]
    assert not any("no item" == text for text in items)


def test_claude_rules_and_what_they_import(ground: Ground, tmp_path: Path) -> None:
    """Rules come by heading; imports are followed inside of the project alone, and round no circle."""
    (tmp_path / "outside.md").write_text("- A secret.\n")
    lay(
        ground.project,
        CLAUDE_md="# Shop\n\n## Style\n\n- Use tabs.\n- Use tabs.\n@docs/more.md\n@../outside.md\n"
        "Mail me at someone@docs/x.md\n\n## Run\n\n```\nmake\n```\n<!-- a\nnote -->\n",
        docs__more_md="- Wrap errors.\n\n@../CLAUDE.md\n",
        CLAUDE_local_md="",
    )
    Path(ground.project, "CLAUDE.local.md").write_text("- My sandbox is at :8081.\n")
    found = read("claude", ground)
    items = by_text(found)
    assert set(items) == {
        "Use tabs.", "Wrap errors.", "Mail me at someone@docs/x.md", "Run:", "My sandbox is at :8081.",
    }  # fmt: skip
    assert items["Use tabs."].tags == ("Style",) and items["Use tabs."].kind == "convention"
    assert items["My sandbox is at :8081."].personal
    assert len({item.key for item in found.items}) == len(found.items)
    assert [one.place for one in found.left_out] == ["CLAUDE.md:8"]


def test_what_diurna_wrote_itself_is_no_news(repo: Repo, run: Run) -> None:
    """Its rule for agents, and its own page that the rules import, stay out; what is around comes in."""
    repo.write("CLAUDE.md", "- Use tabs.\n\n@memory/continuity.md\n")
    assert run("install", "claude").code == 0
    repo.write("CLAUDE.md", (repo.path / "CLAUDE.md").read_text() + "\n- Wrap errors.\n")
    found = run("import", "claude", "--json").json
    assert [one["text"] for one in found["new"]] == ["Use tabs.", "Wrap errors."]
    assert {one["why"] for one in found["left_out"]} == {
        "`diurna install` put it there",
        "it is a page of this memory",
    }


def test_folders_are_read_so_deep_and_what_is_deeper_is_named(ground: Ground) -> None:
    """Eight below each other; none is passed over in silence."""
    eight = "a/b/c/d/e/f/g/h"
    lay(memory_of(ground), **{f"{eight}/x.md": "- In reach.\n", f"{eight}/i/x.md": "- Too deep.\n"})
    found = read("claude", ground)
    assert [item.text for item in found.items] == ["In reach."]
    assert [(one.place, one.why) for one in found.left_out] == [
        (f"{eight}/i", "it is more than 8 folders deep")
    ]


def test_claude_memory_of_another_project_is_not_read(ground: Ground) -> None:
    """Where two paths have one slug, the transcripts beside the memory say whose it is."""
    folder = memory_of(ground)
    lay(folder, MEMORY_md="- Theirs.\n")
    Path(folder, "..", "s.jsonl").write_text(
        json.dumps({"cwd": ground.project.replace("/shop", "-shop")}) + "\n"
    )
    mine = json.dumps({"cwd": ground.project})  # so far behind the beginning nobody looks
    Path(folder, "..", "r.jsonl").write_text("x" * 70_000 + f"\n{mine}\n")
    assert read("claude", ground).items == ()
    Path(folder, "..", "t.jsonl").write_text(
        "no json\n" + json.dumps({"cwd": ground.project + "/api"}) + "\n"
    )
    assert [item.text for item in read("claude", ground).items] == ["Theirs."]


def test_codex_takes_what_applies_to_this_project(ground: Ground) -> None:
    """Knowledge and failures are facts, preferences are personal, dated by their sessions; no other folder's."""
    lay(f"{ground.user}/.codex/memories", MEMORY_md=HANDBOOK.format(project=ground.project))
    found = read("codex", ground)
    items = by_text(found)
    assert set(items) == {
        'when tests fail, the user asked: "show me the diff" -> show it first',
        "The queue needs `make up` before its tests.",
        "Migrations hang -> a lock is held -> run them alone",
    }  # fmt: skip
    knowledge = items["The queue needs `make up` before its tests."]
    assert knowledge.at.startswith("2026-05-02") and knowledge.author == "codex"
    assert [item.personal for item in found.items] == [True, False, False]
    assert [one.why for one in found.left_out] == ["it applies to another folder"]
    assert len(read("codex", ground, f"{ground.user}/.codex").items) == 3


def test_memoryforge(ground: Ground) -> None:
    """Decisions with date, author and reason; what is open; what replaced what; sessions stay out."""
    lay(
        f"{ground.project}/.mind",
        DECISIONS_md="# Decision Log\n\n## DEC-001: Use SQLite\n- **Date:** 2026-01-02\n- **Decided by:** team\n"
        "- **Decision:** SQLite for storage\n- **Rationale:** Simple.\n- **Status:** Superseded by DEC-002\n\n"
        "## DEC-002: Use PostgreSQL\n- **Date:** 2026-02-03\n- **Decided by:** agent\n- **Decision:** PostgreSQL\n"
        "- **Rationale:** Not specified\n- **Status:** Final\n\n## DEC-003: Mail\n- **Decision:** pick one\n"
        "- **Status:** Pending\n",
        PROGRESS_md="# Progress Tracker\n\n### Completed\n- [x] Schema (completed 2026-01-05)\n\n### Blocked\n- [ ] Stripe hook\n",
        STATE_md="# State\n\n## Current Phase\nTwo\n\n## Blocked Items\n- Keys are missing\n\n## Next Action\nNone\n",
        SESSION__x_md="",
    )  # fmt: skip
    lay(f"{ground.project}/.mind", **{"SESSION-LOG_md": "## Session 1\n- **Summary:** did\n"})
    found = read("memoryforge", ground)
    items = {item.key: item for item in found.items}
    assert items["DEC-001"].text == "Use SQLite: SQLite for storage\n\n**Why:** Simple."
    assert (items["DEC-001"].at, items["DEC-001"].author) == ("2026-01-02", "team")
    assert items["DEC-002"].replaces == ("DEC-001",) and items["DEC-003"].kind == "thread"
    assert [(one.text, one.closed) for one in found.items if "PROGRESS" in one.key] == [
        ("Schema", True), ("Stripe hook", False),
    ]  # fmt: skip
    assert [one.text for one in found.items if "STATE" in one.key] == ["Keys are missing"]
    assert [one.place for one in found.left_out] == ["SESSION-LOG.md"]


def test_memex(ground: Ground) -> None:
    """Facts of entities, with what superseded them; daily notes are dated by their name."""
    facts = [
        {"id": "alice-001", "fact": "Alice leads billing.", "category": "status", "timestamp": "2026-01-05",
         "status": "superseded", "supersededBy": "alice-002", "tags": ["team"]},
        {"id": "alice-002", "fact": "Alice leads search.", "category": "status", "timestamp": "2026-03-05",
         "status": "active", "supersededBy": None},
        {"id": "alice-003", "fact": "Alice is gone.", "status": "superseded"},
        {"id": "me-1", "fact": "Likes short answers.", "category": "preference"},
        "odd", 7,
    ]  # fmt: skip
    lay(
        f"{ground.project}/life",
        people__alice__items_json=json.dumps(facts),
        people__alice__summary_md="# Alice\n",
        memory__x_md="# Readme\n",
    )
    lay(
        f"{ground.project}/life/memory",
        **{"2026-02-08_md": "# Day\n\n- Deploys moved to Monday.\n"},
    )
    found = read("memex", ground)
    items = by_text(found)
    new = items["Alice leads search."]
    assert (
        new.replaces == ("people/alice/alice-001",)
        and new.entity == "alice"
        and new.at == "2026-03-05"
    )
    assert items["Alice leads billing."].key == "people/alice/alice-001"
    assert items["Deploys moved to Monday."].at == "2026-02-08"
    assert items["Likes short answers."].personal
    assert {one.why for one in found.left_out} == {
        "its source calls it superseded", "it is no object", "it sums up the facts beside it",
        "it is neither facts nor a daily note",
    }  # fmt: skip


RECORDS = [
    {"id": "11aa", "content": "Prefers pnpm.", "metadata": {}, "created_at": "2026-01-01T00:00:00+02:00",
     "state": "active", "app": "cursor", "categories": ["tools", "work"]},
    {"id": "22bb", "content": "Gone.", "state": "deleted", "created_at": None},
]  # fmt: skip


def test_openmemory_in_each_of_its_forms(ground: Ground, tmp_path: Path) -> None:
    """The zip, the packed lines and the answer of the interface bring the same items."""
    lines = gzip.compress("".join([json.dumps(one) + "\n" for one in RECORDS]).encode())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("export/memories.jsonl.gz", lines)
        file.writestr("export/memories.json", "{}")
    for name, data in (
        ("a.zip", packed.getvalue()),
        ("memories.jsonl.gz", lines),
        ("memories.json", json.dumps({"memories": RECORDS}).encode()),
    ):
        (tmp_path / name).write_bytes(data)
        found = read("openmemory", ground, str(tmp_path / name))
        (item,) = found.items
        assert (item.key, item.text, item.at) == ("11aa", "Prefers pnpm.", "2025-12-31T22:00:00Z")
        assert item.tags == ("tools", "work")
        assert [one.why for one in found.left_out] == ["its source calls it deleted"]


def test_json_lines_with_whatever_names(ground: Ground, tmp_path: Path) -> None:
    """Text, kind, date, author, id and tags are found under the names that tools give them."""
    file = tmp_path / "facts.jsonl"
    said = [
        {"text": "One.", "kind": "decision", "created": "2026-01-02", "author": "Mara", "id": "a"},
        {"memory": "Two.", "type": "decision", "createdAt": 1767312000000, "by": "Jo", "uuid": "b"},
        {
            "content": "Three.",
            "metadata": {"author": "Ed", "tags": "x, y"},
            "timestamp": 1767312000,
        },
        "Four.",
        {"title": "no text"},
        {"text": "Five.", "personal": True, "supersedes": "a", "status": "done"},
    ]
    file.write_text("\n".join(json.dumps(one) for one in said) + "\n{broken\n\n")
    found = read("jsonl", ground, str(file))
    assert [(one.text, one.kind, one.at[:10], one.author) for one in found.items] == [
        ("One.", "decision", "2026-01-02", "Mara"), ("Two.", "decision", "2026-01-02", "Jo"),
        ("Three.", "", "2026-01-02", "Ed"), ("Four.", "", "", ""), ("Five.", "", "", ""),
    ]  # fmt: skip
    assert found.items[2].tags == ("x", "y") and found.items[0].key == "a"
    five = found.items[4]
    assert five.personal and five.closed and five.replaces == ("a",)
    assert [(one.place, one.why) for one in found.left_out] == [
        ("facts.jsonl:7", "it is no JSON"), ("facts.jsonl:5", "it has no text"),
    ]  # fmt: skip


def test_times() -> None:
    """Dates, instants with and without zones, and numbers of any unit; nonsense is no time."""
    for said, meant in (
        ("2026-01-02", "2026-01-02"), ("2026/01/02", "2026-01-02"), ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"), ("2026-01-02T99:99", "2026-01-02"),
        (1767312000, "2026-01-02T00:00:00Z"), ("1767312000000", "2026-01-02T00:00:00Z"), (1767312000.5, "2026-01-02T00:00:00Z"),
        ("soon", ""), (None, ""), (True, ""), (-5, ""), (1e300, ""), ("2026-13-40", ""), ("9" * 400, ""), ([], ""),
        ("0001-01-01T00:00:00+14:00", "0001-01-01"),
    ):  # fmt: skip
        assert time_of(said) == meant, said


def test_front_matter_of_every_form() -> None:
    """Quotes, lists, blocks and nesting are read; what is never closed is text."""
    said, body, line = front_matter(
        "---\nname: \"a: b\"\ntags: [x, 'y']\nlist:\n  - p\n  - q\ndescription: |\n  two\n  lines\n"
        "metadata:\n  type: user # no\n---\nBody.\n"
    )
    assert said == {
        "name": "a: b", "tags": "x, y", "list": "p, q", "description": "two\nlines", "metadata.type": "user",
    }  # fmt: skip
    assert (body, line) == ("Body.\n", 13)
    assert front_matter("---\nnever: closed\n")[0] == {}


def test_what_is_indented_goes_on_below_a_bullet_alone() -> None:
    """Behind an empty line it belongs to the bullet above it, and to no paragraph."""
    found = passages("- A.\n\n  More of A.\n\nB.\n\n  C.\n")
    assert [one.text for one in found] == ["A.\n\nMore of A.", "B.", "C."]


@settings(max_examples=examples(40), deadline=None)
@given(st.text(alphabet="-*# \n`~[]x@<!>ab:\t|", max_size=200))
def test_any_note_is_read(text: str) -> None:
    """Whatever stands there, each passage has a text and a line, in order."""
    said, body, first = front_matter(text)
    found = passages(body, first)
    assert all(one.text.strip() for one in found)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert all(isinstance(value, str) for value in said.values())


@pytest.mark.parametrize("source", [source.name for source in SOURCES])
def test_nothing_there(source: str, ground: Ground) -> None:
    """Where a tool never was there is nothing to read, and a folder without its files brings nothing."""
    found = source_named(source)
    assert found is not None and found.reader().places(ground) == ()
    assert len(found.does) <= 60
    assert read(source, ground, ground.user).items == ()


def test_import_from_the_command_line(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off a terminal it shows the plan; --write takes it in, once; --json says all of it; a link is left out."""
    repo.write("CLAUDE.md", "# Shop\n\n- Use tabs.\n- Deploy on Mondays.\n")
    shown = run("import", "claude")
    assert shown.code == 0 and "new (2)" in shown.out and "--write" in shown.err
    assert "new (2)" in (said := run("import", "claude", "-v").out) and " more " not in said
    assert "type: import" not in repo.git("log", "-p")
    done = run("import", "claude", "--write")
    assert done.code == 0 and "took in 2 facts from claude" in done.out
    again = run("import", "claude", "--write", "--json").json
    assert (again["same"], again["new"], again["stems"], again["dry_run"]) == (2, [], [], True)
    repo.write("CLAUDE.md", "# Shop\n\n- Use tabs.\n- Deploy on Fridays.\n")
    changed = run("import", "claude", "--json").json
    assert [one["text"] for one in changed["new"]] == ["Deploy on Fridays."]
    assert changed["places"] == [str(repo.path / "CLAUDE.md")]
    refused = run("import", "codex")
    assert refused.code == 1 and "~/.codex/memories/MEMORY.md" in refused.err
    assert run("import", "jsonl", "none.jsonl").code == 1
    assert run("import", "events").code == 2 and run("import", "nobody").code == 2
