"""Logs that people write by hand beside those of agents: whoever has seen one sorts behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.model.log_names import stamp_of
from tests.conftest import NOW_MS, Repo, Run

BY_HAND = """# Notes

## Memory References

- Created: use-x, ship-it

## Facts

- Use X.
  <!-- id: use-x -->
- [ ] Ship it.
  <!-- id: ship-it -->
"""
NAMES = (
    "2026-11-21-notes", "2026-11-21", "2026-11-21-5pm", "2026-11-21-083012zz", "2026-11-21-0830129-x",
    "2027-03-01-plan", "2027-03-01", "2027-03-01-999999", "9999-12-31-someday", "9999-12-30-235959x",
)  # fmt: skip

Append = Callable[..., str]


@pytest.fixture
def append(run: Run, monkeypatch: pytest.MonkeyPatch) -> Append:
    """Append a log one second after the last one; return its stem."""
    seconds = iter(range(1, 100))

    def append(*arguments: str) -> str:
        monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 1000 * next(seconds)))
        done = run("append", "--title", "Work", *arguments, "--json")
        assert done.code == 0, done.err
        stem: str = done.json["stem"]
        return stem

    return append


def by_hand(repo: Repo, name: str) -> None:
    repo.write(f"memory/sessions/{name}.md", BY_HAND)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "notes")


@pytest.mark.deep(but=("2026-11-21-0830129", "2027-03-01", "9999-12-31"))
@pytest.mark.parametrize("name", NAMES)
def test_what_comes_after_a_log_written_by_hand_has_the_last_word(
    repo: Repo, run: Run, append: Append, name: str
) -> None:
    """Writers one after another contradict nobody; the last text stands, and a reopened thread is open."""
    if NAMES.index(name) % 2:  # a cache is there
        append("--new", "decision: Deploy on Mondays.")
        assert run("show").code == 0
    by_hand(repo, name)
    stems = [
        append("--update", "use-x", "Use X or Y.", "--close", "ship-it"),
        append("--update", "use-x", "Use Y.", "--reopen", "ship-it"),
        append("--update", "use-x", "Use Z."),
    ]
    assert stems == sorted(stems) and len({stem[:20] for stem in stems}) == 3
    for _ in range(2):  # as cached, and read anew
        fact, thread = run("show", "use-x", "ship-it", "--json").json["facts"]
        assert (fact["text"], fact["contradiction"], thread["closed"]) == ("Use Z.", False, False)
        assert run("status", "--json").json["contradictions"] == []
        assert [one["stem"] for one in run("log", "--json").json["sessions"]][:3] == stems[::-1]
        for file in repo.path.glob(".git/diurna/cache/*"):
            file.unlink()
    assert run("check", "--ci").code == 0


def test_a_note_of_today_leaves_the_clock_alone(repo: Repo, append: Append) -> None:
    """It is at the start of its day, so a log of now is stamped now."""
    by_hand(repo, "2026-11-21-notes")
    assert append("--ref", "use-x").startswith(stamp_of(NOW_MS + 1000))


def test_a_log_is_found_by_the_name_that_its_file_has(repo: Repo, run: Run, append: Append) -> None:
    """Whole, or its start; and what a point in time or a redaction names is that log."""
    by_hand(repo, "2026-11-21-notes")
    append("--update", "use-x", "Use Y.")
    for name in ("2026-11-21-notes", "2026-11-21-no"):
        assert "Use X." in run("log", name).out
        assert run("recall", "--level", "timeline", name).code == 0
    assert "Use X." in run("show", "use-x", "--as-of", "2026-11-21-notes").out
    assert run("recall", "--ids", "2026-11-21-notes").code == 0
    assert run("redact", "2026-11-21-notes", "--reason", "It is private.").code == 0
    assert run("recall", "--ids", "2026-11-21-notes").code == 1
    assert "Notes" not in run("log").out


def test_nothing_is_appended_behind_the_end_of_time(repo: Repo, run: Run) -> None:
    """A log of the last second of the year 9999 is read; what would come behind it is refused."""
    by_hand(repo, "9999-12-31-235959x")
    before = repo.shape()
    refused = run("append", "--title", "And on", "--new", "fact: It goes on.", "--json")
    assert refused.code == 1
    assert "no later stamp" in refused.json["error"]["message"]
    assert repo.shape() == before
    assert run("show").code == run("brief").code == run("check", "--ci").code == 0
