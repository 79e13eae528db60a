"""`diurna mcp` on the command line: what it says where it can not serve, and that nothing else needs its library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo, Run

HERE = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("command", "module", "what", "extra"),
    [("mcp", "programs", "the MCP server needs", "mcp"), ("web", "web", "the pages need", "web")],
)
def test_without_the_extra_it_says_what_to_install(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch,
    command: str, module: str, what: str, extra: str,
) -> None:  # fmt: skip
    """Where a library is missing, the command names the extra and exits with 1."""
    monkeypatch.setattr(f"rituals.cli.commands.{module}.find_spec", lambda name: None)
    ran = run(command)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"diurna: {command}: {what} a library that is not installed\n"
        "hint: install Diurna with it, in a clone of its repository: "
        f"uv tool install '.[{extra}]', or pip install '.[{extra}]'\n"
    )
    assert run(command, "--json").json["error"]["hint"].startswith("install Diurna with it")
    assert "this memory" in run(command, "--help").out


def test_a_person_at_a_terminal_is_told_at_once_too(bare_repo: Repo) -> None:
    """Typed by hand, the command says that there is no home and ends; only a program gets the handshake."""
    pytest.importorskip("mcp")
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
    """No other command, and not the library, imports the server or its SDK."""
    code = (
        "import sys\n"
        "from rituals.cli import command_registry as registry\n"
        "import importlib, memory.api, rituals.cli.entry, rituals.cli.app\n"
        "for entry in registry.ENTRIES: importlib.import_module(entry.module)\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types', 'anyio')\n"
        "       or name.startswith('rituals.serve.mcp')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(HERE)},
    )  # fmt: skip
    assert done.stdout == "[]\n"
