"""`diurna web` on the command line: what it says where it can not serve, and that nothing else needs its libraries."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("starlette")

from rituals.cli.commands import web as view
from rituals.serve.web.web_start import Opening, has_browser
from tests.conftest import Repo, Run

HERE = Path(__file__).parent.parent


def test_without_the_extra_it_says_what_to_install(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a library is missing, the command names the extra and exits with 1."""
    monkeypatch.setattr(view, "find_spec", lambda name: None if name == "jinja2" else True)
    ran = run("web", "--port", "0")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "diurna: web: the pages need a library that is not installed\n"
        "hint: install Diurna with it, in a clone of its repository: "
        "uv tool install '.[web]', or pip install '.[web]'\n"
    )
    assert run("web", "--json").json["error"]["hint"].startswith("install Diurna with it")
    assert "Show this memory as pages" in run("web", "--help").out


def test_where_there_is_no_home_it_says_how_to_make_one(bare_repo: Repo, run: Run) -> None:
    """A person starts it: without a home there is nothing to show, and nothing is loaded to say so."""
    ran = run("web", "--port", "0")
    assert (ran.code, ran.out) == (1, "")
    assert "no Diurna home" in ran.err and "hint: run `diurna init`" in ran.err


def test_a_ledger_that_another_tool_wrote_is_to_be_imported_first(
    bare_repo: Repo, run: Run
) -> None:
    """It says so, with the command."""
    bare_repo.write("memory/sessions/2026-07-01-101500.md", "# A\n")
    bare_repo.write("memory/continuity.md", "# Continuity\n")
    ran = run("web", "--port", "0")
    assert ran.code == 1
    assert "diurna import ledger" in ran.err


@pytest.mark.parametrize("port", ["65536", "http", "0.0.0.0:80", "-1"])
def test_a_port_is_a_number_and_no_address(repo: Repo, run: Run, port: str) -> None:
    """There is no way to name another host."""
    ran = run("web", f"--port={port}")
    assert (ran.code, ran.out) == (2, "")
    assert "Invalid value for '--port'" in ran.err


def test_a_port_that_is_taken_is_said_with_a_way_out(repo: Repo, run: Run) -> None:
    """Whatever listens there: another port is named, or a free one is taken."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ran = run("web", "--port", str(port))
    assert (ran.code, ran.out) == (1, "")
    assert f"127.0.0.1:{port}: Address already in use" in ran.err
    assert "hint: name another port, or 0 for a free one: --port 0" in ran.err


def test_nothing_else_loads_the_pages() -> None:
    """No other command, not the library, and not the short way in, imports them or their libraries."""
    code = (
        "import sys\n"
        "from rituals.cli import command_registry as registry\n"
        "import importlib, memory.api, rituals.cli.entry, rituals.cli.fast_path, rituals.cli.app\n"
        "for entry in registry.ENTRIES: importlib.import_module(entry.module)\n"
        "print([name for name in sys.modules if name.startswith('rituals.serve')\n"
        "       or name.split('.')[0] in ('starlette', 'uvicorn', 'jinja2', 'markupsafe', 'h11', 'webbrowser')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(HERE)},
    )  # fmt: skip
    assert done.stdout == "[]\n"


def test_what_is_asked_all_day_loads_none_of_it(repo: Repo, run: Run) -> None:
    """Also while it runs."""
    run("append", "--title", "One", "--new", "fact: A fact.")
    code = (
        "import sys\n"
        "from rituals.cli.entry import main\n"
        "for name in ('show', 'brief', 'status'):\n"
        "    sys.argv[1:] = [name]\n"
        "    assert main() == 0\n"
        "heavy = ('starlette', 'uvicorn', 'jinja2', 'markdown_it', 'anyio')\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy\n"
        "       or name.startswith('rituals.serve')], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(HERE)},
    )  # fmt: skip
    assert done.stdout.count("A fact.") == 2
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.deep(reason="test_web_export has its files")
def test_a_site_is_written_and_said(repo: Repo, run: Run) -> None:
    """The same pages as files: where, how many, and what of it is new."""
    run("append", "--title", "One", "--new", "id=one fact: A fact.")
    planned = run("export", "site", "../site", "--dry-run")
    assert not (repo.path.parent / "site").exists()
    base = "https://team.example/memory/"
    first = run("export", "site", "../site", "--base", base, "--json").json
    assert first["folder"] == str(repo.path.parent / "site") and first["base"] == base
    assert first["changed"] == first["files"] > first["pages"] > 1
    files = f"{first['pages']} pages, {first['files']} files in all"
    assert planned.out == f"would write {files}: {first['folder']}\n"
    told = run("export", "site", "../site", "--dry-run", "--json").json
    assert (told["dry_run"], told["pages"], told["removed"]) == (True, first["pages"], 0)
    assert "A fact." in (repo.path.parent / "site/index.html").read_text()
    again = run("export", "site", "../site", "--base", base)
    assert again.code == 0
    assert f"wrote {files}, all as they were: " in again.out
    assert again.err == f"hint: open {first['folder']}/index.html\n"


@pytest.mark.parametrize("base", ["team.example", "javascript:x"])
def test_a_site_is_found_under_an_address(base: str, repo: Repo, run: Run) -> None:
    """What is none is a mistake, and nothing is written."""
    ran = run("export", "site", "x", "--base", base)
    assert (ran.code, ran.out) == (2, "")
    assert "hint: diurna export site DIR --base https://" in ran.err
    assert not (repo.path / "x").exists()


# ---- the browser ----------------------------------------------------------------------------------


def test_a_browser_is_given_a_file_that_nobody_else_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What processes show of each other has no token in it; when the server ends, the file is gone."""
    seen = tmp_path / "seen"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho noise; echo noise >&2\nprintf %s "$1" > {seen}.new; mv {seen}.new {seen}\n')  # fmt: skip
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    started: list[subprocess.Popen[Any]] = []
    begin = subprocess.Popen
    monkeypatch.setattr(
        "rituals.serve.web.web_start.subprocess.Popen",
        lambda *arguments, **named: started.append(begin(*arguments, **named)),
    )
    address = "http://127.0.0.1:1/login#to-ken<&"
    opening = Opening(address, str(tmp_path / "a state"), "web-1.html")
    opening.begin()
    assert started[0].wait(60) == 0
    path = tmp_path / "a state/web-1.html"
    assert seen.read_text() == path.as_uri()
    assert path.stat().st_mode & 0o777 == 0o600
    assert 'content="0;url=http://127.0.0.1:1/login#to-ken&lt;&amp;"' in path.read_text()
    assert "to-ken" not in str(started[0].args)
    opening.end()
    opening.end()
    assert not path.exists()


def test_no_browser_is_no_reason_to_stop(tmp_path: Path) -> None:
    """A folder that can not be written, for instance: the terminal has the address."""
    blocked = tmp_path / "file"
    blocked.touch()
    opening = Opening("http://127.0.0.1:1/login#t", str(blocked), "web-1.html")
    opening.begin()
    opening.end()


def test_a_browser_without_windows_is_none() -> None:
    """It would take the terminal over, where the server speaks."""
    if sys.platform == "darwin":
        return
    assert not has_browser({"TERM": "xterm", "DISPLAY": ""})
    assert has_browser({"WAYLAND_DISPLAY": "wayland-0"}) and has_browser({"BROWSER": "firefox"})
