"""Stores of other tools, as those leave them: what is brought of each, and that they are left alone."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rituals.intake import basic_memory, claude_mem
from rituals.intake.sources import SOURCES, Ground
from tests.conftest import Repo, Run
from tests.other_stores import WRITERS, told, write_basic_memory, write_claude_mem
from tests.pages import GUIDE


def test_claude_mem_brings_what_holds_and_not_what_was_done(tmp_path: Path) -> None:
    """Decisions, causes of bugs and next steps of this project come, with dates and the program."""
    reading = write_claude_mem(tmp_path).read()
    assert told(reading) == {
        "Webhooks retry three times: then the event goes to the dead letters\n"
        "- Retries wait 1, 5 and 25 seconds\n- Dead letters stand in the table failed_events": (
            "decision", "claude", False, "", ["how-it-works"]
        ),
        "Timeouts came from a missing index: orders.created_at had none\n\n"
        "An index on orders.created_at ended them.": ("", "claude", False, "", ["bugfix", "gotcha"]),
        "Next steps: Count the dead letters": ("thread", "claude", False, "", []),
    }  # fmt: skip
    assert [item.at for item in reading.items][:2] == [
        "2026-03-02T10:00:00Z",
        "2026-03-04T10:00:00Z",
    ]
    why = " ".join(one.why for one in reading.left_out)
    assert "1 of the type change" in why and "1 of another project" in why
    assert "1 that sum up observations" in why


def test_claude_mem_is_asked_for_another_name_of_the_project(tmp_path: Path) -> None:
    """Behind `#` stands how claude-mem calls the project; what is said of the rest names it so."""
    store = write_claude_mem(tmp_path)
    named = store._replace(place=Path(f"{store.place}#other")).read()
    assert list(told(named)) == ["Redis is shared: billing uses it"]
    assert any("`claude-mem.db#shop`" in one.why for one in named.left_out)


def test_claude_mem_brings_what_a_session_learned_that_has_no_observation(tmp_path: Path) -> None:
    """A summary is the only word of a session of which no observation comes along."""
    store = write_claude_mem(tmp_path)
    with closing(sqlite3.connect(store.place)) as db, db:
        db.execute("DELETE FROM observations")
    assert "The partner drops more than three tries" in told(store.read())


def test_basic_memory_brings_observations_relations_and_short_notes(tmp_path: Path) -> None:
    """A category is a kind, else a tag; the note is what a fact is about; its file dates it."""
    store = write_basic_memory(tmp_path)
    note = store.place / "design" / "Authentication Design.md"
    os.utime(note, (1_772_445_600, 1_772_445_600))
    reading = store.read()
    about = "Authentication Design"
    assert told(reading) == {
        "Sessions use signed cookies, not JWT (agreed with Mara)": (
            "decision", "", False, about, ["auth", "login", "security"]
        ),
        "Tokens expire after 20 minutes": (
            "", "", False, about, ["auth", "constraint", "security"]
        ),
        "Rotate the signing key before the launch": ("thread", "", False, about, ["auth", "security"]),
        "Authentication Design: depends on User Database; implements API Security.": (
            "reference", "", False, about, ["auth", "security"]
        ),
        "Deploy notes: We deploy with blue/green since March; the switch is `make flip`.": (
            "", "", False, "Deploy notes", []
        ),
    }  # fmt: skip
    first = reading.items[0]
    assert first.place == "design/Authentication Design.md:15"
    assert {item.at[:10] for item in reading.items[:4]} == {"2026-03-02"}


def test_an_observation_keeps_its_key_when_numbers_change_and_lines_move(tmp_path: Path) -> None:
    """So an edit in the note is an update, and no second fact beside the first."""
    store = write_basic_memory(tmp_path)
    note = store.place / "design" / "Authentication Design.md"
    before = {item.key for item in store.read().items}
    said = note.read_text("utf-8").replace("after 20 minutes", "after 35 minutes, or at logout")
    note.write_text(
        said.replace("## Observations\n", "## Observations\n- [fact] A new one\n"), "utf-8"
    )
    after = store.read()
    assert before < {item.key for item in after.items}
    assert "Tokens expire after 35 minutes, or at logout" in told(after)


def test_where_a_store_lies_is_known_where_it_is_of_this_project(tmp_path: Path) -> None:
    """claude-mem by its file, basic-memory by projects that lie in this one."""
    user, project = tmp_path / "user", tmp_path / "shop"
    inside = project / "notes"
    inside.mkdir(parents=True)
    for path, said in (
        (user / ".claude-mem" / "claude-mem.db", ""),
        (
            user / ".basic-memory" / "config.json",
            json.dumps(
                {"projects": {"a": {"path": str(inside)}, "b": {"path": str(tmp_path / "notes")}}}
            ),
        ),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said, "utf-8")
    ground = Ground(str(project), str(user), {})
    assert claude_mem.places(ground) == (str(user / ".claude-mem" / "claude-mem.db"),)
    assert basic_memory.places(ground) == (str(inside),)
    nobody = Ground(str(tmp_path / "elsewhere"), str(tmp_path / "nobody"), {})
    assert [one.places(nobody) for one in (claude_mem, basic_memory)] == [(), ()]


@pytest.mark.parametrize("tool", WRITERS)
def test_a_store_is_neither_changed_nor_locked(tool: str, tmp_path: Path) -> None:
    """Bytes and times stay, no file comes to be, and a writer at work goes on beside the reading."""
    store = WRITERS[tool](tmp_path)
    before = _seen(tmp_path)
    whole = told(store.read())
    assert _seen(tmp_path) == before
    for path in sorted(tmp_path.rglob("*")):
        if path.suffix not in (".db", ".sqlite"):
            continue
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("CREATE TABLE IF NOT EXISTS more (one)")
            before = _seen(tmp_path)
            assert told(store.read()) == whole
            assert _seen(tmp_path) == before
            writer.execute("COMMIT")
            writer.execute("DROP TABLE more")


def test_what_stands_in_the_write_ahead_log_alone_is_read(tmp_path: Path) -> None:
    """A tool at work has not yet written it into the file."""
    store = write_claude_mem(tmp_path)
    with closing(sqlite3.connect(store.place)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute(
            "UPDATE observations SET title = 'Read from the log' WHERE type = 'decision'"
        )
        writer.commit()
        assert any(text.startswith("Read from the log") for text in told(store.read()))


def _seen(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and times of all files; the shared memory of SQLite is its writer's own."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_why_tells_where_a_fact_was_taken_from(tmp_path: Path, repo: Repo, run: Run) -> None:
    """Its place in the store, its date and its author there, and both for scripts."""
    notes = write_basic_memory(tmp_path).place
    note = notes / "design" / "Authentication Design.md"
    note.write_text(
        note.read_text("utf-8").replace("type: note\n", "date: 2026-03-02\nauthor: Mara\n")
    )
    assert run("import", "basic-memory", str(notes), "--write").code == 0
    (id,) = [
        fact["id"]
        for fact in run("show", "--json").json["facts"]
        if fact["text"].startswith("Tokens")
    ]
    place = "design/Authentication Design.md:17"
    assert f"  from {place}, written 2026-03-02 by Mara\n" in run("why", id).out
    (event,) = run("why", id, "--json").json["events"]
    assert (event["source"], event["by"], event["created"]) == (place, "Mara", "2026-03-02")


def test_the_page_names_every_source_and_no_other() -> None:
    """Who comes from a tool finds its line."""
    page = (GUIDE / "MOVING.md").read_text("utf-8")
    typed = re.findall(r"^\|[^|]*\| `diurna import ([a-z0-9-]+)", page, re.MULTILINE)
    assert sorted(typed) == sorted(
        [*[source.name for source in SOURCES], "docs", "events", "ledger"]
    )
