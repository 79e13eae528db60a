"""A git command under way: its input, its output and its error output block one another never."""

from __future__ import annotations

import os

import pytest

from ledger.errors import GitFailed
from ledger.git.process import Running, three_pipes

_MUCH = 300_000


def test_an_answer_longer_than_a_pipe_is_given_while_the_child_writes() -> None:
    """`cat` says back what it reads, so it reads on only while somebody reads what it said."""
    (in_read, in_write), (out_read, out_write), (err_read, err_write) = three_pipes()
    child = os.posix_spawnp(
        "cat", ["cat"], os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, in_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1), (os.POSIX_SPAWN_DUP2, err_write, 2),
            *((os.POSIX_SPAWN_CLOSE, end) for end in (in_read, in_write, out_read, out_write, err_read, err_write)),
        ],
        setsid=True,
    )  # fmt: skip
    for end in (in_read, out_write, err_write):
        os.close(end)
    asked = b"first\n"
    running = Running(child, in_write, out_read, err_read)
    status, out, err = running.finish(
        asked, lambda said: b"x" * _MUCH if said == asked else None, seconds=60.0
    )
    assert (status, out, err) == (0, asked + b"x" * _MUCH, b"")


@pytest.mark.parametrize(
    ("stderr", "said"),
    [("warning: x\nfatal: no such ref\n", "fatal: no such ref"), (" \n", "it said nothing"), ("", "it said nothing")],
)  # fmt: skip
def test_what_git_said_last_is_told(stderr: str, said: str) -> None:
    """Warnings come first; some commands end without a word."""
    assert str(GitFailed("show", 128, stderr)) == f"git show failed (128): {said}"
