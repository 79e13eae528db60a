"""The command line as a whole: help, options everywhere, exit codes, what is loaded."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rituals.cli import command_registry
from rituals.cli.command_builder import command_of
from rituals.cli.context import Invocation
from tests.conftest import each_row

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

ROOT = Path(__file__).parent.parent
NAMES = [entry.name for entry in command_registry.ENTRIES]
#: All that there is: what `--help` lists, and what `--help --all` lists for programs beside it.
LISTED = (
    "brief recall note append edit close forget show why task undo status log view web review "
    "conflicts redact check sync import export init install"
).split()
PROGRAMS = "mcp org capture private hook completion".split()
LOUD = ("pygit2", "pydantic", "markdown_it", "rapidfuzz")


def test_help_loads_no_library() -> None:
    """`diurna --help` loads click and nothing heavier."""
    code = (
        "import sys, rituals.cli.app as app; app.main(['--help']);"
        f"print([name for name in {LOUD} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == "[]\n"
    assert "Every day:" in done.stdout


def test_show_loads_no_library(repo: Repo) -> None:
    """`diurna show` reads the ledger without pygit2, pydantic, markdown-it and rapidfuzz."""
    code = (
        "import sys, rituals.cli.app as app; app.main(['show']); app.main(['show']);"
        f"print([name for name in {LOUD[:1] + LOUD[2:]} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stderr == "[]\n"


@each_row("name", NAMES)
def test_every_command_has_help_with_an_example(name: str, run: Run) -> None:
    """Each command explains itself, shows an example and can be told to answer in JSON."""
    ran = run(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert f"Usage: diurna {name}" in ran.out
    assert re.search(rf"Examples?:\n\s+(echo .*\n\s+)?diurna {name}", ran.out)


@each_row("name", NAMES)
def test_every_command_takes_json_and_home(name: str, run: Run) -> None:
    """`--json` and `--home` are options of every command that answers about a ledger."""
    said = run(name, "--help").out
    assert "--json" in said
    assert "--home PATH" in said


@pytest.mark.parametrize("name", ["init", "append", "check", "sync", "import"])
def test_every_writer_takes_dry_run(name: str, run: Run) -> None:
    """A command that writes can say what it would do."""
    assert "--dry-run" in run(name, "--help").out


@each_row("name", NAMES)
def test_a_command_takes_what_its_rows_say(name: str) -> None:
    """The function of a command has a parameter for each of its arguments and options, and no other."""
    entry = command_registry.find(name)
    assert entry is not None
    taken = signature(getattr(import_module(entry.module), entry.function)).parameters
    said = {one.name for one in command_of(name).params if one.expose_value}
    plain = {one.name for one in taken.values() if one.kind is not Parameter.VAR_KEYWORD} - {"call"}
    assert plain <= said
    assert plain == said or len(plain) < len(taken) - 1


def test_help_is_one_screen_and_hides_what_is_seldom_needed(run: Run) -> None:
    """At most 24 commands in 40 lines of 80 columns; each name once, below its heading, where all is asked."""
    said, everything = run("--help"), run("--help", "--all")
    assert (said.code, said.err, everything.code) == (0, "", 0)
    lines = said.out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    assert re.findall(r"^  ([a-z]+)  +[A-Z]", said.out, re.M) == LISTED
    headings = [
        line[:-1] for line in everything.out.splitlines() if line[:-1] in command_registry.GROUPS
    ]
    assert headings == list(command_registry.GROUPS)
    rows = re.findall(r"^  (\w+) +\S", everything.out.partition("Every day:")[2], re.M)
    assert rows[: len(NAMES)] == NAMES == [*LISTED, *PROGRAMS]
    assert run("--all").out == run("help", "--all").out == everything.out


def test_help_as_a_word(run: Run) -> None:
    """`diurna help` and `diurna help COMMAND` say what `--help` says."""
    assert run("help") == run("--help")
    assert run("help", "show") == run("show", "--help")
    assert run("help", "shw") == run("shw")


def test_no_arguments_is_help(run: Run) -> None:
    """`diurna` alone says what there is."""
    assert run().out == run("--help").out


def test_version(run: Run) -> None:
    """`--version` prints one line."""
    ran = run("--version")
    assert ran.code == 0
    assert ran.out.startswith("diurna ")
    assert ran.out.count("\n") == 1


def test_home_before_and_after_the_command(repo: Repo, run: Run, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """The home can be named on either side of the command, or by the environment."""
    monkeypatch.chdir(tmp_path)
    assert run("log").code == 1
    home = str(repo.path)
    assert run("--home", home, "show").code == 0
    assert run("show", "--home", home).code == 0
    assert run("--home", "/nowhere", "show", "--home", f"{home}/memory").code == 0
    monkeypatch.setenv("DIURNA_HOME", home)
    assert run("show").code == 0
    assert run("show", "--home", "/nowhere").code == 1


def test_module_runs_where_a_folder_is_named_memory(repo: Repo, spawn: Run) -> None:
    """`python -P -m rituals` is not misled by the user's own `memory/`."""
    repo.write("memory/__init__.py", "raise SystemExit('shadowed')")
    assert spawn("show").code == 0


# ---- exit codes -----------------------------------------------------------------------------------


def test_exit_1_failure(bare_repo: Repo, run: Run) -> None:
    """A failure ends with 1, says what, where and what to do, and changes nothing."""
    before = bare_repo.shape()
    ran = run("append", "--title", "x")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"diurna: append: no Diurna home at or above {bare_repo.path}\n"
        "hint: run `diurna init` here to make one, or name one with --home PATH\n"
    )
    assert bare_repo.shape() == before
    # who cloned before a team had a memory is not told to make a second one
    (bare_repo.path / ".git" / "refs" / "remotes" / "origin").mkdir(parents=True)
    hint = "hint: if your team has a memory, `git fetch` brings it; `diurna init` makes a new one"
    assert hint in run("recall", "x").err


def test_exit_1_json(bare_repo: Repo, run: Run) -> None:
    """With `--json` the failure is also one object on stdout."""
    ran = run("show", "--json")
    assert ran.code == 1
    assert ran.json["format"] == 1
    assert ran.json["error"]["code"] == "HomeNotFound"
    assert ran.json["error"]["message"].startswith("no Diurna home")
    assert "diurna init" in ran.json["error"]["hint"]
    assert ran.err


def test_exit_3_our_bug(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug is one line and a log file, which is beside the ledger's other state."""

    def broken(_: Invocation) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(Invocation, "memory", broken)
    ran = run("show")
    assert (ran.code, ran.out) == (3, "")
    line, hint, rest = ran.err.split("\n")
    assert line.startswith("diurna: show: a bug in Diurna (ZeroDivisionError); the details are in ")
    assert hint.startswith("hint: report it")
    assert not rest
    log = Path(line.rsplit(" ", 1)[1])
    assert log.parent == repo.path / ".git" / "diurna"
    assert log.stat().st_mode & 0o777 == 0o600
    assert "ZeroDivisionError: secret" in log.read_text()
    assert repo.git("status", "--porcelain") == ""


def test_exit_3_without_a_home(bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch,
                               tmp_path: Path) -> None:  # fmt: skip
    """Without a home the log goes to the folder for temporary files."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(Invocation, "folder", lambda _: 1 / 0)
    ran = run("init", "--json")
    assert ran.code == 3
    assert str(tmp_path) in ran.json["error"]["message"]
    assert ran.json["error"]["code"] == "Bug"


def test_exit_130_interrupted(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt ends with 130 and one line."""

    def interrupted(_: Invocation) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Invocation, "memory", interrupted)
    ran = run("show")
    assert (ran.code, ran.out, ran.err) == (130, "", "diurna: interrupted\n")


@pytest.mark.parametrize(
    "problem", [MemoryError(), OSError(28, "No space left"), PermissionError(13, "no", "/a")]
)
def test_a17_the_machine_is_not_our_bug(
    problem: BaseException, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or memory is a failure with a hint, not a bug."""

    def failing(_: Invocation) -> None:
        raise problem

    monkeypatch.setattr(Invocation, "memory", failing)
    ran = run("show")
    assert ran.code == 1
    assert "hint: " in ran.err


def test_working_directory_is_gone(repo: Repo, run: Run, tmp_path: Path,
                                   monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """A working directory that was taken away is a clear failure."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run("show")
    assert ran.code == 1
    assert "working directory no longer exists" in ran.err


def test_fixed_clock_is_checked(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`DIURNA_NOW` must be milliseconds."""
    monkeypatch.setenv("DIURNA_NOW", "soon")
    ran = run("append", "--title", "x")
    assert ran.code == 2
    assert ran.err.startswith("diurna: DIURNA_NOW: 'soon' is no number")


def test_completion(repo: Repo, spawn: Run) -> None:
    """Shells are served by click's completion."""
    words = {"COMP_WORDS": "diurna sh", "COMP_CWORD": "1"}
    assert spawn(_DIURNA_COMPLETE="bash_complete", **words).out == "plain,show\n"
    assert "diurna" in spawn(_DIURNA_COMPLETE="zsh_source").out
