"""`digest` and `timeline` as commands: what they print, what scripts get, and what they say of a mistake."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ledger.model.instants import FORMS
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


def test_timeline(asked: Repo, run: Run) -> None:
    """Oldest first: when, who, what, what it did to facts, its id and what it costs."""
    ran = run("recall", "--level", "timeline")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "  2026-11-20 08:30  claude-code  Ship\n"
        "    created webhook-once (superseded by webhook-retries)\n"
        "    STEM  65 tokens\n"
        "→ 2026-11-21 08:30  codex  Lost\n"
        "    The shop lost webhooks while it was restarting.\n"
        "    created webhook-retries; superseded webhook-once → webhook-retries\n"
        "    STEM  107 tokens\n"
        "2 logs; 2026-11-19 08:30 to 2026-11-22 08:30 UTC, 172 tokens in full\n"
    )
    assert run(
        "recall", "--level", "timeline", "webhook-once", "-n", "1", "--after", "0m"
    ).out.endswith(
        "1 log of 2; left out: 1 older; 2026-11-18 08:30 to 2026-11-21 08:30 UTC, 107 tokens in full\n"
    )


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


def test_timeline_of_nothing(repo: Repo, run: Run) -> None:
    """No session is no failure; what is named wrongly is one, and says what can be named."""
    assert run("recall", "--level", "timeline") == (0, "", "no session log yet\n")
    assert run("recall", "--level", "timeline", "2026-01-01") == (
        0, "", "no session there\nhint: `--before` and `--after` reach further: 7d, 4w\n",
    )  # fmt: skip
    assert run("recall", "--level", "timeline", "--agent", "nobody").err == "no session matches\n"
    ran = run("recall", "--level", "timeline", "xyzzy")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "diurna: recall: nothing is named xyzzy, and nothing answers to it\n"
        f"hint: `diurna show --list` lists facts, `diurna log` sessions; {FORMS}\n"
    )
    assert run("recall", "--level", "timeline", "--before", "soon") == (
        2, "", "diurna: recall: 'soon' is no length of time\n"
        "hint: write 30m, 48h, 7d or 2w, or in words: 3 days\n",
    )  # fmt: skip


def test_digest(asked: Repo, run: Run) -> None:
    """The start of a stem is enough; every line has the number of its line in the log."""
    ran = run("log", "2026-11-21")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "Lost\n"
        "STEM\n"
        "The shop lost webhooks while it was restarting.\n"
        "\n"
        "decisions\n"
        "   19  Webhooks retry three times.\n"
        "\n"
        "entities\n"
        "       webhook-retries, webhook-once\n"
        "\n"
        "101 of 425 characters: 24 %\n"
    )
    assert run("log", "2026-11-2").err.startswith("diurna: log: there is no file and no session")
    several = run("log", "2026-11-21-083012417-").err, run("log", "2027-01-01").err
    assert several[0] == "" and several[1] == (
        "diurna: log: there is no session log 2027-01-01\nhint: `diurna log` lists them\n"
    )


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
