"""Times as people write them, the sessions around something, and what a log or a file says in short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.conftest import HELD, formed, laid_once

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repo, Run


NOTES = b"""\
# Notes on the queue

The worker dropped jobs when Redis restarted.
We decided to keep them in `jobs.db` instead.

## Next steps

- [ ] Measure it again
"""


@laid_once
def asked(repo: Repo, run: Run) -> None:
    """A ledger of two days: a decision, then another one that replaces it."""
    once = ("--new", "id=webhook-once decision: A webhook is sent once.")
    os.environ["DIURNA_NOW"] = "1795163412000"  # 2026-11-20
    assert run("append", "--title", "Ship", *once).code == 0
    os.environ["DIURNA_NOW"] = "1795249812417"  # 2026-11-21
    again = ("--new", "id=webhook-retries decision: Webhooks retry three times.")
    replaced = ("--supersede", "webhook-once=webhook-retries")
    body = ("--body", "The shop lost webhooks while it was restarting.")
    assert run("append", "--title", "Lost", "--agent", "codex", *again, *replaced, *body).code == 0


def test_times_as_people_write_them(asked: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that takes a time reads it by one parser, with the clock of whoever asks."""
    monkeypatch.setenv("DIURNA_NOW", "1795262400000")  # 2026-11-21T12:00Z, a Saturday
    for day in ("yesterday", "friday", "1 day ago", "2026-11-20 23:59", "20261120"):
        facts = run("show", "--as-of", day, "--json").json["facts"]
        assert [one["id"] for one in facts] == ["webhook-once"], day
    assert "webhook-retries" in run("show", "--as-of", "today").out

    def titles(*words: str) -> list[str]:
        return [one["title"] for one in run("log", "--json", *words).json["sessions"]]

    assert titles("--since", "today") == titles("--since", "12h ago") == ["Lost"]
    assert titles("--until", "yesterday") == titles("--until", "24h") == ["Ship"]
    assert titles("--since", "this week") == ["Lost", "Ship"]
    assert titles("--until", "last week") == []
    assert run("log", "--changes", "yesterday..now", "--json").json["learned"] == [
        "webhook-retries"
    ]
    found = run("recall", "webhook", "--superseded", "--since", "today", "--json").json["hits"]
    assert found and {one["date"] for one in found} == {"2026-11-21"}
    found = run("recall", "webhook", "--as-of", "yesterday", "--in", "facts", "--json").json["hits"]
    assert [one["id"] for one in found] == ["webhook-once"]
    around = run(
        "recall",
        "--level",
        "timeline",
        "yesterday",
        "--before",
        "0h",
        "--after",
        "0 minutes",
        "--json",
    ).json
    assert [one["title"] for one in around["sessions"]] == ["Ship"]
    assert run("review", "--report", "--until", "yesterday", "--json").json["sessions"] == 1
    refused = run("show", "--as-of", "2026-11-31")
    assert (refused.code, refused.out) == (1, "") and "yesterday 14:30, monday" in refused.err


def test_timeline_for_scripts(asked: Repo, run: Run) -> None:
    """The keys that the README names."""
    found = run(
        "recall",
        "--level",
        "timeline",
        *"webhooks lost while restarting --before 1h --json".split(),
    ).json
    (session,) = found.pop("sessions")
    stem = session.pop("stem")
    assert found.pop("marks") == {
        "webhook-once": {
            "closed": False,
            "false": True,
            "instead": ["webhook-retries"],
            "marks": [],
            **HELD,
        }
    }
    assert found == {
        "format": 1,
        "anchor": {
            "asked": "webhooks lost while restarting", "kind": "query", "id": found["anchor"]["id"],
        },
        "start": "2026-11-21T07:30:12.417Z",
        "end": "2026-11-22T08:30:12.417Z",
        "left_out": {"older": 0, "between": 0, "newer": 0},
        "tokens": 111,
    }  # fmt: skip
    assert found["anchor"]["id"].startswith(stem)
    assert session == {
        "ended": "2026-11-21T08:30:12.417Z",
        "agent": "codex",
        "type": "work",
        "title": "Lost",
        "summary": "The shop lost webhooks while it was restarting.",
        "facts": {"created": ["webhook-retries"], "superseded": ["webhook-once → webhook-retries"]},
        "tokens": 111,
        "anchor": True,
    }


def test_digest_of_a_file_needs_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """A file or standard input, in a folder without a home, also for scripts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_bytes(NOTES)
    found = run("log", "notes.md", "--json").json
    assert found == run("log", "-", "--json", stdin=NOTES).json == {
        "format": 1,
        "stem": "",
        "title": "Notes on the queue",
        "summary": "The worker dropped jobs when Redis restarted.",
        "line": 3,
        "points": [
            {
                "line": 3,
                "text": "The worker dropped jobs when Redis restarted. "
                "We decided to keep them in `jobs.db` instead.",
            }
        ],
        "actions": [{"line": 8, "text": "Measure it again"}],
        "decisions": [],
        "entities": [
            {"name": "jobs.db", "kind": "identifier", "line": 3},
            {"name": "Redis", "kind": "name", "line": 3},
        ],
        "chars": found["chars"],
        "log_chars": len(NOTES),
        "ratio": round(found["chars"] / len(NOTES), 3),
    }  # fmt: skip
    assert run("log", "-", stdin=b"") == (0, "\n0 of 0 characters: nothing\n", "")
    ran = run("log", "2026-11-21")
    assert (ran.code, ran.out) == (1, "") and "no Diurna home" in ran.err
    assert formed(run("log", "missing.md").err) == (
        "diurna: log: there is no file and no session log missing.md\n"
        "hint: `diurna log` lists session logs, and the start of a stem is enough\n"
    )
