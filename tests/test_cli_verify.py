"""`verify`, `replay`, `publish` and `status` as a person meets them: transcripts and exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


@pytest.fixture
def tampered(repo: Repo, run: Run) -> tuple[Repo, str]:
    """A home with one log that somebody rewrote; and the log's path in it."""
    path: str = run("append", "--title", "T", "--new", "id=a One", "--json").json["path"]
    repo.write(path, (repo.path / path).read_text() + "\nMore.\n")
    repo.git("commit", "-q", "-a", "-m", "tamper", "--author", "Eve <eve@example.invalid>")
    return repo, path.removeprefix("memory/")


def test_verify_names_who_changed_a_log(tampered: tuple[Repo, str], run: Run) -> None:
    """The commit, the author and the way back; nobody is sent to the command that just ran."""
    repo, path = tampered
    commit = repo.git("rev-parse", "HEAD")[:12]
    ran = run("check", "--ci")
    assert ran.code == 1
    assert ran.out == "2 errors, 0 other findings\n"
    assert ran.err == (
        f"error: {path} was changed after it was committed, in commit {commit} by Eve on "
        f"{repo.git('log', '-1', '--format=%as').strip()}\n"
        "hint: `diurna check --restore` adds its first bytes again\n"
        f"error: {path} was changed; the bytes it was sealed with are read from history\n"
    )


def test_restore_can_be_repeated(tampered: tuple[Repo, str], run: Run) -> None:
    """`--restore` says what it would do, does it, and finds nothing to do the second time."""
    repo, path = tampered
    before = repo.shape()
    planned = run("check", "--restore", "--dry-run")
    assert (planned.code, planned.out.splitlines()[0]) == (1, f"would restore {path}")
    assert repo.shape() == before
    done = run("check", "--restore")
    assert (done.code, done.out) == (0, f"restored {path}\nall in order\n")
    assert repo.git("log", "-1", "--format=%s") == (
        "diurna: put back a session log as first committed\n"
    )
    again = run("check", "--restore")
    assert (again.code, again.out) == (0, "all in order\n")
    assert again.err.startswith("nothing to restore: ")
    assert run("check", "--restore", "--json").json["restored"] == []


def test_status_says_what_to_do(repo: Repo, run: Run) -> None:
    """Drift and edits have a next step; without either there is nothing to say."""
    assert run("status").err == ""
    repo.publish_when("review")
    assert run("append", "--title", "T", "--new", "id=a One").code == 0
    ran = run("status")
    assert "pages     behind the logs: continuity.md; `diurna sync` and `diurna check" in ran.out
    assert run("check", "--publish").code == 0
    assert run("status").err == ""
    repo.write("memory/continuity.md", "mine\n")
    edited = run("status")
    assert "edited    continuity.md\n" in edited.out
    assert "warning: continuity.md:1: this text is no part of a fact\n" in edited.err
    assert edited.err == run("check", "--ci").err
