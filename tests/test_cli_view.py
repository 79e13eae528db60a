"""`diurna view`: pages by name, by day as people say it, as JSON, and the same by the short way in."""

from __future__ import annotations

import pytest

from tests.conftest import Repo, Run


@pytest.fixture
def told(repo: Repo, run: Run) -> None:
    """A home with a few logs, one of them with a note for a role."""
    run(
        "note", "decision: id=go entity=person/Ada Go to the vault of Smith.", "thread: Look again."
    )
    secret = "# Judged\n\n## Memory References\n\n- Created: hush\n\n## Facts\n\n- Decided: judges only, we accept.\n"
    run(
        "append",
        "-",
        stdin=(secret + "  <!-- id: hush | kind: decision | role: judge -->\n").encode(),
    )


def views(run: Run) -> list[str]:
    return [one["name"] for one in run("view", "--json").json["views"]]


def test_every_view_is_listed_and_shown(told: None, run: Run) -> None:
    """Without a name they are listed; each has a title, and the same as JSON."""
    listed = run("view").out
    for name in views(run):
        assert f"{name} " in listed
        text = run("view", name).out
        found = run("view", name, "--json").json
        assert text.startswith(f"# {found['title']}\n") and found["view"] == name
        assert ("judges only" in text) == (name == "roles"), text
    assert run("view", "state", "--json").json["sections"][0]["title"] == "Current Phase"


def test_days_as_people_say_them(told: None, run: Run) -> None:
    """`today` is that of the clock; a day without a log is empty; what is no day is refused."""
    assert "Nothing." in run("view", "daily", "3 days ago").out
    refused = run("view", "daily", "someday")
    assert refused.code == 1 and "someday is no date" in refused.err
    assert run("view", "daly").err.endswith("hint: did you mean daily?\n")


@pytest.mark.deep(reason="every_view_is_listed_and_shown is the small one")
def test_the_short_way_in_says_the_same(told: None, run: Run, spawn: Run) -> None:
    """As a process, kept or not, and right after another log."""
    for arguments in (("state",), ("decisions",), ("entities", "ada"), ("daily", "2026-11-21")):
        whole = run("view", *arguments).out
        assert spawn("view", *arguments).out == spawn("view", *arguments).out == whole
    assert spawn("view", "nothing").code == 1
    run("note", "decision: Stop.")
    assert "## DEC-003: Stop." in spawn("view", "decisions").out


def test_what_is_redacted_is_withheld(told: None, run: Run) -> None:
    """In no view a word of it, not of the log's own text either."""
    assert run("redact", "go", "--reason", "A name.").code == 0
    for name in views(run):
        assert "Smith" not in run("view", name).out, name
