"""Stores as other tools leave them on disk, made by our own code in the layout that those wrote.

`python -m tests.campaigns.stores` has the tools themselves write the same memories, and compares.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rituals.intake.intake_items import Item, Reading
from rituals.intake.sources.source_table import Ground, read_source, source_named

GROUND = Ground("/src/shop", "/home/nobody", {})
#: What claude-mem is told: of a session's observations, in the order of its columns.
OBSERVATIONS: tuple[tuple[str, str, str, str, list[str], str, list[str], str], ...] = (
    ("shop", "decision", "Webhooks retry three times", "then the event goes to the dead letters",
     ["Retries wait 1, 5 and 25 seconds", "Dead letters stand in the table failed_events"],
     "We chose three retries because the partner drops more.", ["how-it-works"], "2026-03-02"),
    ("shop", "change", "Edited b.ts", "renamed a variable", ["x is y now"], "", [], "2026-03-02"),
    ("other", "discovery", "Redis is shared", "billing uses it", [], "", [], "2026-03-03"),
    ("shop", "bugfix", "Timeouts came from a missing index", "orders.created_at had none", [],
     "An index on orders.created_at ended them.", ["gotcha"], "2026-03-04"),
)  # fmt: skip
SUMMARY = {
    "learned": "The partner drops more than three tries",
    "next_steps": "Count the dead letters",
}
#: What basic-memory is told, by the folder and the title of the note, and its tags.
NOTES = {
    ("design", "Authentication Design", "auth,security"): (
        "# Authentication Design\n\nWe met on Tuesday about the API.\n\n## Observations\n"
        "- [decision] Sessions use signed cookies, not JWT #login (agreed with Mara)\n"
        "- [constraint] Tokens expire after 20 minutes\n"
        "- [todo] Rotate the signing key before the launch\n"
        "- [ ] no observation\n- [docs](https://example.org) neither\n\n## Relations\n"
        "- depends_on [[User Database]]\n- implements [[API Security]] (v2)"
    ),
    (
        "ops",
        "Deploy notes",
        "",
    ): "We deploy with blue/green since March; the switch is `make flip`.",
}
#: What mem0 is told: user, agent, metadata, and the texts one after the other; "" deletes it.
MEMORIES: tuple[tuple[str, str, dict[str, str], tuple[str, ...]], ...] = (
    ("mara", "", {"category": "decision"}, ("We deploy with blue/green since March.",)),
    ("mara", "helper", {}, ("The staging port is 5433.", "The staging port is 5434.")),
    ("mara", "", {}, ("The queue is RabbitMQ.", "")),
    ("tim", "", {}, ("I prefer tabs over spaces.",)),
)


class Store(NamedTuple):
    """A store on disk, and the name of the source that it is."""

    source: str
    place: Path

    def read(self, ground: Ground = GROUND) -> Reading:
        """Read it as the command does."""
        source = source_named(self.source)
        assert source is not None
        return read_source(source, [str(self.place)], ground)[0]


def told(reading: Reading) -> dict[str, tuple[object, ...]]:
    """Return what a reading brings, without what two stores of the same memories differ in."""

    def of(item: Item) -> tuple[object, ...]:
        earlier = tuple([one.text for one in item.earlier])
        return item.kind, item.author, item.personal, item.entity, sorted(item.tags), earlier

    return {item.text: of(item) for item in reading.items}


def write_claude_mem(folder: Path) -> Store:
    """Write a store as claude-mem 13.25.3 does."""
    path = folder / "claude-mem.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            """
            CREATE TABLE sdk_sessions (
                id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
                memory_session_id TEXT UNIQUE, project TEXT NOT NULL,
                platform_source TEXT NOT NULL DEFAULT 'claude', started_at TEXT NOT NULL,
                started_at_epoch INTEGER NOT NULL);
            CREATE TABLE observations (
                id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
                project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT,
                facts TEXT, narrative TEXT, concepts TEXT, created_at TEXT NOT NULL,
                created_at_epoch INTEGER NOT NULL, content_hash TEXT, merged_into_project TEXT);
            CREATE TABLE session_summaries (
                id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
                project TEXT NOT NULL, learned TEXT, next_steps TEXT, prompt_number INTEGER,
                created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, merged_into_project TEXT);
            CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt_text TEXT NOT NULL);
            """
        )
        day = ("2026-03-01T10:00:00.000Z", 1_772_359_200_000)
        db.execute(
            "INSERT INTO sdk_sessions VALUES (1, 'content-1', 'mem-1', 'shop', 'claude', ?, ?)", day
        )
        for number, row in enumerate(OBSERVATIONS, start=1):
            project, type_, title, under, facts, story, concepts, date = row
            db.execute(
                "INSERT INTO observations VALUES (?,'mem-1',?,NULL,?,?,?,?,?,?,?,?,?,NULL)",
                (number, project, type_, title, under, json.dumps(facts), story, json.dumps(concepts),
                 f"{date}T10:00:00.000Z", _epoch(date), f"hash{number}"),
            )  # fmt: skip
        db.execute(
            "INSERT INTO session_summaries VALUES (1, 'mem-1', 'shop', ?, ?, 1, ?, ?, NULL)",
            (SUMMARY["learned"], SUMMARY["next_steps"], *day),
        )
    return Store("claude-mem", path)


def write_basic_memory(folder: Path) -> Store:
    """Write a project as basic-memory 0.19 does."""
    for (below, title, tags), body in NOTES.items():
        listed = "".join(f"- {tag}\n" for tag in tags.split(",") if tag)
        link = f"team/{below}/{title.lower().replace(' ', '-')}"
        front = f"title: {title}\ntype: note\npermalink: {link}\n" + (
            f"tags:\n{listed}" if listed else ""
        )
        path = folder / "notes" / below / f"{title}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{front}---\n\n{body}", encoding="utf-8")
    return Store("basic-memory", folder / "notes")


class PointStruct:
    """Stands for the class of qdrant whose pickle has these attributes."""


def write_mem0(folder: Path) -> Store:
    """Write a folder as mem0 2.2.1 does with a local qdrant."""
    root = folder / "mem0"
    points = root / "qdrant" / "collection" / "mem0"
    points.mkdir(parents=True)
    columns = (
        "id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, role"
    )
    with (
        closing(sqlite3.connect(root / "history.db")) as history,
        history,
        closing(sqlite3.connect(points / "storage.sqlite")) as vectors,
        vectors,
    ):
        history.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, "
            "event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        vectors.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        for number, (user, agent, metadata, texts) in enumerate(MEMORIES):
            name = f"5ec02bdc-de92-4f9e-9258-00000000000{number}"
            begun, before = f"2026-03-0{number + 1}T10:00:00.123456+00:00", None
            for step, text in enumerate(texts):
                event = "DELETE" if not text else "UPDATE" if before else "ADD"
                changed = f"2026-04-0{number + 1}T1{step}:00:00+00:00" if before else begun
                row = (
                    f"{name}-{step}",
                    name,
                    before,
                    text or None,
                    event,
                    begun,
                    changed,
                    not text,
                    "user",
                )
                history.execute(f"INSERT INTO history ({columns}) VALUES (?,?,?,?,?,?,?,?,?)", row)  # noqa: S608
                before = text
            if texts[-1]:
                point = PointStruct()
                said = {"data": texts[-1], "hash": "0", "user_id": user, "role": "user", **metadata}
                payload = {**said, **({"agent_id": agent} if agent else {}), "created_at": begun}
                point.__dict__ = {"id": name, "vector": {"": [0.5, 0.25]}, "payload": payload}
                vectors.execute("INSERT INTO points VALUES (?, ?)", (name, pickle.dumps(point, 4)))
    return Store("mem0", root)


#: What happened in a project of memorize, as (type, scope, payload).
HAPPENED: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("project.created", "proj_1", {"id": "proj_1", "title": "Shop", "rootPath": "/src/shop"}),
    ("observation.captured", "obs_1", {"id": "obs_1", "signal": "write-tool", "summary": "b.ts"}),
    ("memory.consolidated", "mem_1",
     {"id": "mem_1", "kind": "decision", "text": "Webhooks retry twice", "salience": 6}),
    ("memory.consolidated", "mem_2",
     {"id": "mem_2", "kind": "decision", "text": "Webhooks retry three times", "tags": ["webhooks"]}),
    ("memory.superseded", "mem_1", {"supersedes": "mem_1", "supersededBy": "mem_2", "reason": "later"}),
    ("memory.consolidated", "mem_3", {"id": "mem_3", "kind": "progress", "text": "The v2 API is live"}),
    ("memory.consolidated", "mem_4", {"id": "mem_4", "kind": "progress", "text": "Wrong"}),
    ("memory.retracted", "mem_4", {"retracts": "mem_4"}),
    ("decision.proposed", "dec_1", {"id": "dec_1", "title": "Cache", "decision": "Use Redis"}),
    ("decision.accepted", "dec_1",
     {"id": "dec_1", "title": "Cache", "decision": "Use Redis", "rationale": "it is there",
      "createdBy": "mara", "status": "accepted"}),
    ("rule.upserted", "rule_1",
     {"id": "rule_1", "title": "Tests", "body": "Every fix has a test", "source": "team",
      "updatedBy": "mara"}),
    ("task.created", "task_1", {"id": "task_1", "title": "Move to v3", "status": "todo"}),
    ("task.created", "task_2", {"id": "task_2", "title": "Done long ago", "status": "todo"}),
    ("task.updated", "task_2", {"status": "done"}),
)  # fmt: skip


def write_memorize(folder: Path) -> Store:
    """Write a project as memorize's source has it: events in SQLite, with a write-ahead log."""
    root = folder / "projects" / "proj_1"
    root.mkdir(parents=True)
    with closing(sqlite3.connect(root / "memorize.db")) as db, db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, schema_version TEXT, "
            "created_at TEXT NOT NULL, updated_at TEXT NOT NULL, type TEXT NOT NULL, project_id TEXT, "
            "scope_type TEXT, scope_id TEXT NOT NULL, actor TEXT NOT NULL, payload TEXT NOT NULL, "
            "writer TEXT, source_project_id TEXT)"
        )
        for number, (type_, scope, payload) in enumerate(HAPPENED, start=1):
            at = f"2026-05-{number:02}T10:00:00.000Z"
            db.execute(
                "INSERT INTO events VALUES (?,?,'0.1.0',?,?,?,'proj_1','project',?,'claude',?,NULL,NULL)",
                (number, f"evt_{number}", at, at, type_, scope, json.dumps(payload)),
            )
    return Store("memorize", root)


WRITERS = {
    "claude-mem": write_claude_mem,
    "basic-memory": write_basic_memory,
    "memorize": write_memorize,
    "mem0": write_mem0,
}


def _epoch(date: str) -> int:
    from datetime import datetime

    return int(datetime.fromisoformat(f"{date}T10:00:00+00:00").timestamp()) * 1000
