"""Times as people write them, the sessions around something, and what a log says in short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.conftest import HELD, laid_once

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


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
    for day in ("yesterday", "1 day ago", "2026-11-20 23:59", "20261120"):
        facts = run("show", "--as-of", day, "--json").json["facts"]
        assert [one["id"] for one in facts] == ["webhook-once"], day
    assert "webhook-retries" in run("show", "--as-of", "today").out

    def titles(*words: str) -> list[str]:
        return [one["title"] for one in run("log", "--json", *words).json["sessions"]]

    assert titles("--since", "today") == titles("--since", "12h ago") == ["Lost"]
    assert titles("--until", "yesterday") == titles("--until", "24h") == ["Ship"]
    assert titles("--since", "2026-11") == ["Lost", "Ship"]
    assert titles("--until", "1w") == []
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
    refused = run("show", "--as-of", "2026-11-31")
    assert (refused.code, refused.out) == (1, "") and "yesterday 14:30, 3 days ago" in refused.err


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
        "left": 0,
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
