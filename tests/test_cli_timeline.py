"""`digest` and `timeline` as commands: what they print, what scripts get, and what they say of a mistake."""

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
    """Two sessions: a decision, and a day later another one that replaces it."""
    once = ("--new", "id=webhook-once decision: A webhook is sent once.")
    os.environ["DIURNA_NOW"] = "1795163412000"  # 2026-11-20T08:30:12.000Z
    assert run("append", "--title", "Ship", *once).code == 0
    os.environ["DIURNA_NOW"] = "1795249812417"  # 2026-11-21T08:30:12.417Z
    again = ("--new", "id=webhook-retries decision: Webhooks retry three times.")
    replaced = ("--supersede", "webhook-once=webhook-retries", "--body", "body.md")
    repo.write("body.md", "The shop lost webhooks while it was restarting.\n")
    assert run("append", "--title", "Lost", "--agent", "codex", *again, *replaced).code == 0


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
        "tokens": 107,
    }  # fmt: skip
    assert found["anchor"]["id"].startswith(stem)
    assert session == {
        "ended": "2026-11-21T08:30:12.417Z",
        "agent": "codex",
        "type": "work",
        "title": "Lost",
        "summary": "The shop lost webhooks while it was restarting.",
        "facts": {"created": ["webhook-retries"], "superseded": ["webhook-once → webhook-retries"]},
        "tokens": 107,
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
        "summary": "The worker dropped jobs when Redis restarted. "
        "We decided to keep them in `jobs.db` instead.",
        "line": 3,
        "points": [],
        "actions": [{"line": 8, "text": "Measure it again"}],
        "decisions": [{"line": 4, "text": "We decided to keep them in `jobs.db` instead."}],
        "entities": [
            {"name": "Redis", "kind": "name", "line": 3},
            {"name": "jobs.db", "kind": "identifier", "line": 4},
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
