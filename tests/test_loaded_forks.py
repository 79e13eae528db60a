"""What processes of tests are forked from has loaded what they need."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.campaigns import forks
from tests.conftest import each_row


@each_row("name", (*forks.WEB, *forks.LOADED))
def test_what_is_loaded_is_there(name: str) -> None:
    """A module that went elsewhere costs each process its loading, without a word."""
    if name.startswith(("uvicorn", "rituals.serve")):
        pytest.importorskip("uvicorn")
    assert find_spec(name)


def test_a_name_that_is_not_there_ends_nobody(tmp_path: Path) -> None:
    """The others are forked as before; what is given goes in, and what is said comes out."""
    for loaded in (("no.such_module",), ()):
        script = "import sys; print(sys.stdin.read())"
        done = forks.run(["-c", script], tmp_path, os.environ, b"given", loaded=loaded)
        assert (done.returncode, done.stdout) == (0, "given\n"), done.stderr
