"""`diurna import` without more: all that is there, in one plan; one fact however often it is said.

And the lines of the guide by which other tools' memories come in, each on a store as the tool leaves it.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pages import GUIDE, blocks

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

DECISION = "We keep jobs in Redis, because it is there already."
RECORD = "# ADR-0001: Jobs\n\n**Status:** {}\n\n## Decision\n\n{}\n"
AGENTS = "# Agents\n\n## Code Style\n\n- NEVER use float for money in this shop\n"


@pytest.fixture
def shop(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with rules files, records, and what Claude remembers of it."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    slug = "".join([char if char.isalnum() else "-" for char in str(repo.path)])
    memory = tmp_path / "user" / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- Staging is birch.\n")
    repo.write("docs/adr/0001-jobs.md", RECORD.format("Accepted", DECISION))
    repo.write("docs/adr/0002-retries.md", RECORD.format("Proposed", "We retry each webhook."))
    for path in ("AGENTS.md", "CLAUDE.md", "DECISIONS.md", "memory-bank/progress.md"):
        repo.write(path, AGENTS)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "Documents")
    return repo


def test_all_that_is_there_is_one_plan(shop: Repo, run: Run) -> None:
    """Tools and decision records; the rules files are named, and nothing is written unasked."""
    before = shop.shape()
    shown = run("import")
    assert "read 2 decision records" in shown.out and "  AGENTS.md  66 bytes" in shown.out
    assert "a decision that is proposed: docs/adr/0002-retries.md" in shown.out
    assert "claude: reads ~/.claude/projects/" in shown.err and "float" not in shown.out
    assert shop.shape() == before
    answer = run("import", "--write", "--json").json
    new = {source["source"]: [one["text"] for one in source["new"]] for source in answer["sources"]}
    assert new == {"claude": ["Staging is birch."], "harvest": [f"Jobs: {DECISION}"]}
    again = run("import", "--json").json
    assert all(not one["new"] for one in again["sources"])
    assert run("import").code == 0 and shop.git("status", "--porcelain") == ""


def test_what_comes_in_by_two_ways_is_one_fact(shop: Repo, run: Run) -> None:
    """What an agent piped in and what the record says."""
    line = json.dumps({"id": "jobs", "text": f"Jobs: {DECISION}", "kind": "decision"}).encode()
    assert len(run("import", "jsonl", "-", "--write", "--json", stdin=line).json["new"]) == 1
    told = run("import", "docs", "--write", "--json").json
    assert (told["new"], told["same"]) == ([], 1)


def _events(path: Path, table: str, rows: list[tuple[object, ...]]) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"CREATE TABLE {table}")
        name = table.partition(" ")[0]
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608


def _mem0(home: Path) -> None:
    day = "2026-03-02T10:00:00.123456+00:00"
    table = (
        "history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
        "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
    )
    _events(home / ".mem0" / "history.db", table, [
        ("h1", "m1", None, "The staging port is 5433.", "ADD", day, day, 0, None, "user"),
        ("h2", "m1", "The staging port is 5433.", "The staging port is 5434.", "UPDATE", day, day, 0, None, "user"),
        ("h3", "m2", None, "The queue is RabbitMQ.", "ADD", day, day, 0, None, "user"),
        ("h4", "m2", "The queue is RabbitMQ.", None, "DELETE", day, day, 1, None, "user"),
    ])  # fmt: skip


def _memorize(home: Path) -> None:
    told = (
        (
            "memory.consolidated",
            "mem_1",
            {"id": "mem_1", "kind": "decision", "text": "Retry twice"},
        ),
        ("memory.superseded", "mem_1", {"supersedes": "mem_1", "supersededBy": "mem_2"}),
        (
            "memory.consolidated",
            "mem_2",
            {"id": "mem_2", "kind": "progress", "text": "The API is live"},
        ),
        ("decision.accepted", "dec_1", {"id": "dec_1", "title": "Cache", "decision": "Use Redis"}),
    )
    table = "events (seq INTEGER PRIMARY KEY, type TEXT, scope_id TEXT, payload TEXT)"
    rows: list[tuple[object, ...]] = [
        (number, type_, scope, json.dumps(payload))
        for number, (type_, scope, payload) in enumerate(told)
    ]
    _events(home / ".memorize" / "projects" / "ID" / "memorize.db", table, rows)


def _openmemory(home: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "11aa", "content": "Staging is birch.", "created_at": "2026-01-01T00:00:00+02:00", "state": "active"},
        {"id": "22bb", "content": "Gone.", "created_at": None, "state": "deleted"},
    ]  # fmt: skip
    lines = "".join(f"{json.dumps({**one, 'categories': ['tools']})}\n" for one in rows)
    with zipfile.ZipFile("export.zip", "w") as file:
        file.writestr("export/memories.jsonl.gz", gzip.compress(lines.encode()))
        file.writestr("export/memories.json", "{}")


def _memex(home: Path) -> None:
    facts = [
        {
            "id": "a-1",
            "fact": "Alice led billing.",
            "timestamp": "2026-01-05",
            "status": "superseded",
        },
        {
            "id": "a-2",
            "fact": "Billing closes at noon.",
            "timestamp": "2026-03-05",
            "status": "active",
        },
    ]
    folder = Path("life/areas/projects/billing")
    folder.mkdir(parents=True)
    (folder / "items.json").write_text(json.dumps(facts))


def _memoryforge(home: Path) -> None:
    Path(".mind").mkdir()
    Path(".mind/DECISIONS.md").write_text(
        "# Decision Log\n\n## DEC-001: Use SQLite\n- **Decision:** SQLite\n- **Status:** Superseded by DEC-002\n\n"
        "## DEC-002: Use PostgreSQL\n- **Date:** 2026-02-03\n- **Decision:** PostgreSQL\n- **Status:** Final\n"
    )


def _codex(home: Path) -> None:
    block = (
        "# Task Group: {0}\n\napplies_to: cwd={0}; reuse_rule=safe\n\n## User preferences\n\n- Be short.\n\n"
        "## Reusable knowledge\n\n- The queue of {1} needs `make up`.\n\n"
        "## Failures and how to do differently\n\n- Migrations of {1} hang, run them alone.\n\n"
    )
    folder = home / ".codex" / "memories"
    folder.mkdir(parents=True)
    here = str(Path.cwd())
    (folder / "MEMORY.md").write_text(block.format(here, "ours") + block.format("/else", "theirs"))


#: How each tool leaves its memories, and the texts that its line of the guide brings.
LINES = {
    "mem0": (_mem0, ["The staging port is 5434."]),
    "memorize": (_memorize, ["Cache: Use Redis", "The API is live"]),
    "OpenMemory": (_openmemory, ["Staging is birch."]),
    "memex": (_memex, ["Billing closes at noon."]),
    "MemoryForge": (
        _memoryforge,
        ["DEC-002: Use PostgreSQL\n- **Date:** 2026-02-03\n- **Decision:** PostgreSQL\n- **Status:** Final"],
    ),
    "Codex": (
        _codex,
        ["Failures and how to do differently: Migrations of ours hang, run them alone.",
         "Reusable knowledge: The queue of ours needs `make up`."],
    ),
}  # fmt: skip
SHOWN = [line for block in blocks((GUIDE / "MOVING.md").read_text("utf-8"), "sh") for line in block]


def test_each_line_of_the_guide_is_tried() -> None:
    """A new one stands in this test, too."""
    assert [line[2:] for line in SHOWN if line.startswith("# ")] == list(LINES)


@pytest.mark.parametrize("tool", LINES)
def test_a_line_of_the_guide_brings_what_the_tool_keeps(
    tool: str, repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What holds there, and nothing of what was replaced or deleted."""
    start = SHOWN.index(f"# {tool}") + 1
    ends = [at for at in range(start, len(SHOWN)) if SHOWN[at].startswith("# ")]
    command, pipe, into = "\n".join(SHOWN[start : (ends or [len(SHOWN)])[0]]).rpartition(" | ")
    assert pipe and into == "diurna import jsonl -"
    needs = [one for one in ("jq", "sqlite3", "unzip") if f"{one} " in command]
    if missing := [one for one in needs if not shutil.which(one)]:
        pytest.skip(f"there is no {missing[0]}")
    write, texts = LINES[tool]
    write(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = subprocess.run(["sh", "-ec", command], capture_output=True, check=False)
    assert made.returncode == 0, made.stderr
    told = run("import", "jsonl", "-", "--write", "--json", stdin=made.stdout).json
    assert sorted(one["text"] for one in told["new"]) == texts
    again = run("import", "jsonl", "-", "--json", stdin=made.stdout).json
    assert (again["new"], again["same"]) == ([], len(texts))
