"""Stores as other tools leave them on disk, made by our own code in the layout that those wrote."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rituals.intake.intake_items import Item, Reading
from rituals.intake.sources import SOURCES, Ground, read_source

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


class Store(NamedTuple):
    """A store on disk, and the name of the source that it is."""

    source: str
    place: Path

    def read(self, ground: Ground = GROUND) -> Reading:
        """Read it as the command does."""
        (source,) = [one for one in SOURCES if one.name == self.source]
        return read_source(source, [str(self.place)], ground)[0]


def told(reading: Reading) -> dict[str, tuple[object, ...]]:
    """Return what a reading brings, without what two stores of the same memories differ in."""

    def of(item: Item) -> tuple[object, ...]:
        return item.kind, item.author, item.personal, item.entity, sorted(item.tags)

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


WRITERS = {
    "claude-mem": write_claude_mem,
    "basic-memory": write_basic_memory,
}


def _epoch(date: str) -> int:
    from datetime import datetime

    return int(datetime.fromisoformat(f"{date}T10:00:00+00:00").timestamp()) * 1000
