"""`diurna mcp` on the command line: what it says where it can not serve, and that nothing else needs its library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo, Run

HERE = Path(__file__).parent.parent


def test_without_the_extra_it_says_what_to_install(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a library is missing, the command names the extra and exits with 1."""
    monkeypatch.setattr("rituals.cli.commands.web.find_spec", lambda name: None)
    ran = run("web")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "diurna: web: the pages need a library that is not installed\n"
        "hint: install Diurna with it, in a clone of its repository: "
        "uv tool install '.[web]', or pip install '.[web]'\n"
    )
    assert run("web", "--json").json["error"]["hint"].startswith("install Diurna with it")
    assert "this memory" in run("web", "--help").out


def test_a_person_at_a_terminal_is_told_at_once_too(bare_repo: Repo) -> None:
    """Typed by hand, the command says that there is no home and ends; only a program gets the handshake."""
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rituals", "mcp"], stdin=theirs,
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(HERE)},
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("diurna: mcp: no Diurna home at or above ")


def test_nothing_else_loads_the_server() -> None:
    """No other command, and not the library, imports the server; the server imports no SDK."""
    code = (
        "import sys\n"
        "from rituals.cli import operation as registry\n"
        "import importlib, memory.api, rituals.cli.entry, rituals.cli.app\n"
        "for entry in registry.ENTRIES: importlib.import_module(entry.module)\n"
        "print([name for name in sys.modules if name.startswith('rituals.serve')])\n"
        "import rituals.serve.mcp.serve\n"
        "print({'mcp', 'anyio', 'asyncio'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(HERE)},
    )  # fmt: skip
    assert done.stdout == "[]\nset()\n"
