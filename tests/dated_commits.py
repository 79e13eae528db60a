"""Commits of a day, and facts by their ids."""

from __future__ import annotations

import os

from tests.conftest import Repo, Run

#: Behind the clock of the tests, by which facts are written.
AFTER = "2026-11-22T12:00:00Z"


def commit(repo: Repo, subject: str, when: str = AFTER) -> str:
    """Commit all that is in the work tree; return the id in short."""
    repo.git("add", "-A")
    os.environ["GIT_COMMITTER_DATE"] = when
    try:
        repo.git("commit", "-q", "-m", subject)
    finally:
        del os.environ["GIT_COMMITTER_DATE"]
    return repo.git("rev-parse", "HEAD").strip()[:7]


def note(run: Run, **facts: str) -> None:
    """Record facts by their ids."""
    new = [
        part
        for id, text in facts.items()
        for part in ("--new", f"id={id.replace('_', '-')} {text}")
    ]
    assert run("append", "--again", "--title", "What holds", *new).code == 0
