"""A git command under way: its input, its output and its error output block one another never."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import GitFailed, ObjectMissing, StorageFailed
from ledger.git.cli import Git
from ledger.git.git_objects import Objects
from ledger.git.process import three_pipes
from ledger.git.repository import Repository


@pytest.mark.parametrize(
    ("stderr", "said"),
    [("warning: x\nfatal: no such ref\n", "fatal: no such ref"), (" \n", "it said nothing"), ("", "it said nothing")],
)  # fmt: skip
def test_what_git_said_last_is_told(stderr: str, said: str) -> None:
    """Warnings come first; some commands end without a word."""
    assert str(GitFailed("show", 128, stderr)) == f"git show failed (128): {said}"


@pytest.fixture
def git_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Git]:
    """Return a git that does what a script says."""

    def made(script: str) -> Git:
        (tmp_path / "git").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "git").chmod(0o755)
        return Git(str(tmp_path))

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return made


@pytest.mark.parametrize(
    "ask",
    [
        lambda git: git.run("config", "--get", "a.b", check=False),
        lambda git: git.changes("a" * 40, "b" * 40),
        lambda git: git.differences("a" * 40, "b" * 40),
    ],
    ids=["a setting", "what changed, if it is known", "what differs"],
)
def test_a_git_that_is_killed_gives_no_answer(
    git_that: Callable[[str], Git], ask: Callable[[Git], object]
) -> None:
    """Nothing is taken for what it did not live to say: neither "not set" nor "no difference"."""
    git = git_that("kill -9 $$")
    with pytest.raises(GitFailed) as told:
        ask(git)
    assert told.value.killed


@pytest.mark.parametrize(("said", "handed"), [("ext:file", b""), ("none", b"none"), ("", b"")])
def test_no_list_of_the_users_opens_a_way_that_we_close(
    git_that: Callable[[str], Git], monkeypatch: pytest.MonkeyPatch, said: str, handed: bytes
) -> None:
    """The variable by which a hook keeps git from every remote would as well allow what runs commands."""
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", said)
    assert git_that('printf %s "$GIT_ALLOW_PROTOCOL"').run("fetch") == handed


def test_a_command_that_is_ended_puts_its_things_away(
    git_that: Callable[[str], Git], tmp_path: Path
) -> None:
    """It is told to end before it is killed, so that no lock file of git's stays behind."""
    lock = tmp_path / "index.lock"
    script = f"trap 'rm {lock}; exit' TERM; touch {lock}; echo ready; sleep 60 & wait"
    running = git_that(script).start("fetch", more={})
    assert running.ask(b"\n", b"ready") and lock.exists()
    running.end()
    assert not lock.exists()


@pytest.mark.parametrize("fails", [1, 2])
def test_too_many_open_files_are_said_and_none_stays_open(
    monkeypatch: pytest.MonkeyPatch, fails: int
) -> None:
    """A second look comes first: what nobody uses any more may have been closed."""
    made: list[tuple[int, int]] = []
    missed: list[None] = []

    def pipe(make: Callable[[], tuple[int, int]] = os.pipe) -> tuple[int, int]:
        if len(made) == 2 and len(missed) < fails:
            missed.append(None)
            raise OSError(24, "Too many open files")
        made.append(make())
        return made[-1]

    monkeypatch.setattr(os, "pipe", pipe)
    if fails == 1:
        assert three_pipes() == made
        for end in sum(made, ()):
            os.close(end)
    else:
        with pytest.raises(StorageFailed, match="Too many open files"):
            three_pipes()
        for end in sum(made, ()):
            with pytest.raises(OSError, match="Bad file"):
                os.fstat(end)


def test_what_is_longer_than_a_pipe_is_given_while_the_child_writes(
    git_that: Callable[[str], Git],
) -> None:
    """`cat` says back what it reads, so it reads on only while somebody reads what it said."""
    much = b"x" * 300_000
    assert git_that("cat").start("log", more={}).finish(much, seconds=60.0) == (0, much, b"")


def test_of_more_than_is_wanted_nothing_is_waited_for(
    git_that: Callable[[str], Git], tmp_path: Path
) -> None:
    """A command that has printed so much is ended, whatever it would go on with; any other ends by itself."""
    script = f"trap 'touch {tmp_path}/ended; exit' TERM; head -c 4096 /dev/zero; sleep 60 & wait"
    running = git_that(script).start("log", more={})
    assert running.finish(seconds=9.0, most=4096)[:2] == (0, bytes(4096))
    assert (tmp_path / "ended").exists()
    counts = "exec >&- 2>&-; n=0; while [ $n -lt 9999 ]; do n=$((n+1)); done; exit 3"
    assert git_that(counts).call("log")[0] == 3


def test_a_comparison_that_fails_is_unknown_or_an_error(git_that: Callable[[str], Git]) -> None:
    """Who allows for a history that is gone is told None; who does not, is told of it."""
    git = git_that('echo "fatal: bad object" >&2; exit 128')
    assert git.changes("a" * 40, "b" * 40) is None
    with pytest.raises(ObjectMissing):
        git.differences("a" * 40, "b" * 40)


@pytest.mark.parametrize(
    "said", ["", "x tree", "x tree 1", "x tree 12\\n", "x tree 12\\n40000 sess"]
)
def test_an_object_is_read_whole_or_not_at_all(git_that: Callable[[str], Git], said: str) -> None:
    """Git ends in the middle of its answer: half a tree would lack half of its files."""
    where = git_that(f"read line; printf '{said}'").where
    with Objects(Repository("", where, where)) as objects, pytest.raises(ObjectMissing):
        objects.read("a" * 40)
