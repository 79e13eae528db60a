"""`diurna open`: the place of a fact or a log, in an editor that is told the line where it takes one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ledger.errors import DiurnaError
from memory.query.memory_places import Place
from rituals.cli.editors import command_for, editor_of, open_in
from tests.campaigns.homes import OWN_BRANCH, make_home
from tests.conftest import Repo, Run, laid_once
from tests.terminals import Terminal

ROOT = Path(__file__).parent.parent


@laid_once
def published(repo: Repo, run: Run) -> None:
    """A home whose pages show two live facts and a false one."""
    assert (
        run(
            "note", "id=uv decision: We use uv.\n- not pip\n- not poetry", "id=cores Two cores."
        ).code
        == 0
    )
    assert run("note", "id=old We use pip.").code == 0
    assert run("append", "--invalidate", "old").code == 0
    assert run("publish").code == 0


def line_at(place: str) -> str:
    """Return the line of a file that `FILE:LINE` means."""
    file, _, line = place.strip().rpartition(":")
    return Path(file).read_text().split("\n")[int(line) - 1]


def test_the_place_is_printed_without_a_terminal(
    published: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live fact stands in continuity.md, a false one on its page of the archive, a log in its file."""
    monkeypatch.setenv("VISUAL", "false")
    stem = run("log", "--json").json["sessions"][-1]["stem"]
    assert run("open").out == f"{published.path}/memory/continuity.md:1\n"
    assert line_at(run("open", "uv").out) == "- We use uv."
    assert line_at(run("open", "cores").out) == "- Two cores."
    assert (
        "/archive/" in run("open", "old").out and line_at(run("open", "old").out) == "- We use pip."
    )
    log = run("open", stem[:24])
    assert log.out.endswith(f"{stem}.md:1\n") and (log.code, log.err) == (0, "")
    assert run("open", f"{stem}:7").out.endswith(".md:7\n")
    told = run("open", "uv", "--json").json
    assert f"{told['file']}:{told['line']}\n" == run("open", "uv").out


def test_what_is_nowhere_is_said(published: Repo, run: Run, tmp_path: Path) -> None:
    """No such fact, not published yet, not checked out: each with what shows it all the same."""
    assert (
        run("open", "croes").err
        == "diurna: open: there is no fact croes\nhint: did you mean cores?\n"
    )
    published.git("checkout", "-q", "-b", "work")
    assert run("note", "id=new A thing that is new here.").code == 0
    ran = run("open", "new")
    assert ran.code == 1 and "continuity.md does not show new yet" in ran.err
    assert ran.err.endswith("hint: `diurna show new` prints the fact\n")
    make_home(tmp_path / "own", OWN_BRANCH)
    home = ("--home", str(tmp_path / "own"))
    stem = run("note", "id=x A thing.", *home, "--json").json["stem"]
    assert line_at(run("open", "x", *home).out) == "- A thing."
    ran = run("open", stem, *home)
    assert ran.code == 1 and "the home is not checked out here" in ran.err


@pytest.mark.parametrize(
    ("editor", "given"),
    [
        ("vim", ["vim", "+7", "/a b.md"]), ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "/a b.md"]),
        ("code --wait", ["code", "--wait", "--goto", "/a b.md:7"]), ("hx", ["hx", "/a b.md:7"]),
        ("'my editor' -x", ["my editor", "-x", "/a b.md"]),
    ],
)  # fmt: skip
def test_an_editor_gets_the_line_where_it_takes_one(editor: str, given: list[str]) -> None:
    """Three ways of saying it, and the file alone for a program that nobody knows."""
    assert command_for(editor_of({"EDITOR": editor}), Place("/a b.md", 7)) == given


def test_the_editor_that_is_named() -> None:
    """VISUAL goes before EDITOR, empty ones do not count; one that fails is named with the place."""
    assert editor_of({"VISUAL": "vi", "EDITOR": "ed"}) == ["vi"]
    assert editor_of({"VISUAL": " ", "EDITOR": "ed"}) == ["ed"]
    assert editor_of({}) == []
    with pytest.raises(DiurnaError, match="is no command"):
        editor_of({"EDITOR": "vi 'x"})
    with pytest.raises(DiurnaError, match="can not be run") as caught:
        open_in(["/nowhere/editor"], Place("/a.md", 7))
    assert caught.value.hint == "the place is /a.md:7"
    with pytest.raises(DiurnaError, match="ended with 3"):
        open_in([sys.executable, "-c", "raise SystemExit(3)"], Place("/a.md"))


def test_an_editor_is_opened_on_a_terminal(published: Repo, tmp_path: Path) -> None:
    """The program that VISUAL names gets the fact's line, and runs on the terminal."""
    noted, vim = tmp_path / "noted", tmp_path / "vim"
    vim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {noted}\necho edited\n')
    vim.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "VISUAL": str(vim)}
    command = [sys.executable, "-P", "-m", "rituals", "open"]
    terminal = Terminal([*command, "uv"], published.path, environment)
    terminal.expect("edited")
    assert terminal.finish() == 0
    line, file = noted.read_text().split()
    assert line_at(f"{file}:{line[1:]}") == "- We use uv."
    bare = Terminal([*command, "uv"], published.path, {**environment, "VISUAL": "", "EDITOR": ""})
    assert bare.finish() == 0
    assert f"{file}:{line[1:]}" in bare.shown and "names the editor that opens it" in bare.shown
