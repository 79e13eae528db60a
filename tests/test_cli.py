"""The command line as a whole: its help, its home, its exit codes, its streams, and a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.pages import COMMANDS, ROOT
from tests.terminals import Terminal
from tests.world import Place, World, run

NAMES = re.findall(r"(?m)^## ([a-z]+)$", COMMANDS.read_text("utf-8"))
#: What `--help --all` lists beside the rest.
PROGRAMS = "mcp org capture private hook completion".split()
PYTHON = {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def home(world: World) -> Place:
    """A home with one decision."""
    return world.home(facts={"uv": "decision: We use uv."})


def test_help_is_one_screen_and_hides_what_is_seldom_needed() -> None:
    """At most 24 commands in 40 lines of 80 columns; each name once, below its heading, where all is asked."""
    said, everything = run("--help"), run("--help", "--all")
    assert (said.code, said.err, everything.code) == (0, "", 0)
    lines = said.out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    listed = [name for name in NAMES if name not in PROGRAMS]
    assert re.findall(r"^  ([a-z]+)  +[A-Z]", said.out, re.M) == listed and len(listed) <= 24
    headings = re.findall(r"(?m)^# (.+)$", COMMANDS.read_text("utf-8").partition("<!-- ")[2])
    shown = [line[:-1] for line in everything.out.splitlines() if line[:-1] in headings]
    assert shown == headings
    rows = re.findall(r"^  (\w+) +\S", everything.out.partition("Every day:")[2], re.M)
    assert rows[: len(NAMES)] == NAMES
    assert run("--all").out == run("help", "--all").out == everything.out
    assert run().out == run("help").out == said.out
    assert run("help", "shw").err == run("shw").err
    assert re.fullmatch(r"diurna .+\n", run("--version").out)


def test_home_before_and_after_the_command(home: Place) -> None:
    """The home can be named on either side of the command, or by the environment; a folder that is none is no home."""
    elsewhere = home.world.place("elsewhere")
    elsewhere.folder.mkdir()
    named, nowhere = {"DIURNA_HOME": str(home.folder)}, ("--home", "/nowhere")
    for words, env in (
        (["--home", str(home.folder), "show"], {}), (["show", "--home", str(home.folder)], {}),
        ([*nowhere, "show", "--home", f"{home.folder}/memory"], {}), (["show"], named),
    ):  # fmt: skip
        assert elsewhere.run(*words, env=env).json["facts"]
    elsewhere.run("log", code=1)
    elsewhere.run("show", *nowhere, code=1, env=named)
    refused = elsewhere.run("status", code=1, env={"DIURNA_HOME": "nowhere"})
    assert refused.json["error"]["where"] == "$DIURNA_HOME"
    assert "there is no folder nowhere" in refused.err


def test_module_runs_where_a_folder_is_named_memory(home: Place) -> None:
    """`python -P -m rituals` is not misled by the user's own `memory/`."""
    home.write("memory/__init__.py", "raise SystemExit('shadowed')")
    home.process("show")


# ---- exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "diurna: interrupted"), (MemoryError(), 1, "hint: "),
        (OSError(28, "No space left"), 1, "hint: "), (PermissionError(13, "no", "/a"), 1, "hint: "),
        (ZeroDivisionError("secret"), 3, "hint: report it"),
    ],
)  # fmt: skip
def test_a17_what_goes_wrong_below_has_its_exit_code(
    home: Place, monkeypatch: pytest.MonkeyPatch, problem: BaseException, code: int, said: str
) -> None:
    """The machine is not our bug; a bug is one line and a log file, beside the ledger's state or in the temporary folder."""

    def failing(*_: object) -> None:
        raise problem

    monkeypatch.setattr("rituals.cli.context.Invocation.memory", failing)
    before = home.shape()
    ran = home.run("show", code=code, json=False)
    assert ran.out == "" and said in ran.err and "secret" not in ran.err
    if code == 3:
        line, _ = ran.err.split("\n", 1)
        assert line.startswith(
            "diurna: show: a bug in Diurna (ZeroDivisionError); the details are in "
        )
        log = Path(line.rsplit(" ", 1)[1])
        assert (log.parent, log.stat().st_mode & 0o777) == (home.common / "diurna", 0o600)
        assert "ZeroDivisionError: secret" in log.read_text()
        code_alone = home.world.repository("code")
        monkeypatch.setattr("rituals.cli.context.Invocation.folder", failing)
        monkeypatch.setattr("tempfile.gettempdir", lambda: str(home.world.folder))
        error = code_alone.run("init", code=3).json["error"]
        assert error["code"] == "Bug" and str(home.world.folder) in error["message"]
    assert home.shape() == before


def test_working_directory_is_gone(world: World) -> None:
    """A working directory that was taken away is a clear failure, and so is a clock that is no number."""
    told = world.home().run(
        "append", "--title", "x", env={"DIURNA_NOW": "soon"}, code=2, json=False
    )
    assert told.err.startswith("diurna: DIURNA_NOW: 'soon' is no number")
    gone, here = world.folder / "gone", os.getcwd()
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        ran = run("show")
    finally:
        os.chdir(here)
    assert (ran.code, "working directory no longer exists" in ran.err) == (1, True)


# ---- what a terminal and a pipe get -----------------------------------------------------------------

_HIDDEN = st.sampled_from(
    ("\x1b[2J", "\u202e", "\x9b", "\u200b", "\U000e0041", "\r", "\u2066", "\x07", "\x7f")
)


@settings(max_examples=examples(15, 200))
@given(st.lists(_HIDDEN | st.text(max_size=5), max_size=6).map("".join))
def test_j12_nothing_that_is_printed_commands_a_terminal(tidy: Place, text: str) -> None:
    """Whatever was recorded: escapes, bidi overrides, zero-width and tag characters show as JSON writes them."""
    log = f"# T\n\n{text.replace(chr(0), '')} end\n".encode("utf-8", "replace")
    answer = tidy.run("append", "-", "--dry-run", stdin=log, json=False, code=None)
    hidden = {one for one in answer.out + answer.err if one not in "\t\n"
              and (unicodedata.category(one) in ("Cc", "Cs") or one in "\u202e\u200b\u2066\U000e0041")}  # fmt: skip
    assert hidden == set()


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> Place:
    with World(tmp_path_factory.mktemp("tidy")) as world:
        return world.home()


def test_g16_other_scripts_are_left_as_they_are(home: Place) -> None:
    """Emoji with joiners, combining marks and right-to-left scripts are no attack; in JSON a text is as it was."""
    text = "né 👩\u200d💻 नी عربي"
    home.note(f"id=odd {text}")
    hostile = "Evil \u202etxet and \u200b"
    home.append(
        f"# T\n\n## Memory References\n\n- Created: evil\n\n## Facts\n\n- {hostile} end.\n  <!-- id: evil -->\n"
    )
    assert text in home.text("show", "odd") and home.texts()["odd"] == text
    assert (
        "Evil \\u202etxet" in home.text("show", "evil")
        and home.texts()["evil"] == f"{hostile} end."
    )
    assert "\u202e" not in home.run("show", "evil").out


def terminal(home: Place, *arguments: str, **more: str) -> Terminal:
    """Run the command line on a terminal of its own."""
    plain = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "CI", "PAGER", "LESS")
    }
    command = [sys.executable, "-m", "rituals", *arguments]
    return Terminal(command, home.folder, {**plain, **PYTHON, "TERM": "xterm", **more})


def test_colour_is_for_terminals(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """And never with `NO_COLOR` or `TERM=dumb`; a pipe never has any."""
    monkeypatch.setattr("tests.terminals._ESCAPES", re.compile("\r"))
    for more, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        shown = terminal(home, "log", **more)
        assert shown.finish() == 0 and ("\x1b[33m" in shown.shown) == coloured, more
    assert "\x1b" not in home.text("log")


# ---- streams --------------------------------------------------------------------------------------

#: `python -m rituals`, and the console script with its short way for plain commands.
WAYS_IN = (
    ["-m", "rituals"],
    ["-c", "import sys; from rituals.cli.entry import script; sys.exit(script())"],
)


@pytest.mark.deep(but=("way0-0", "way1-1"))
@pytest.mark.parametrize("code", (0, 1))
@pytest.mark.parametrize("way", WAYS_IN)
def test_k8_the_reader_of_stdout_goes_away(home: Place, way: list[str], code: int) -> None:
    """A closed pipe is no error and no traceback; a full disk is, which says that the deed is done."""
    home.write("log.md", "# T\n")
    env = {key: value for key, value in os.environ.items() if key != "DIURNA_NOW"} | PYTHON
    out, into = os.pipe()
    os.close(out)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", *way, "append", "log.md"], cwd=home.folder, stdin=subprocess.DEVNULL,
            stdout=full if code else into, stderr=subprocess.PIPE, env=env,
        )  # fmt: skip
    said = "diurna: standard output: No space left on device\nhint: only the answer is lost; the command did its work\n"
    assert (done.returncode, done.stderr.decode()) == (code, said if code else "")
    os.close(into)
    assert len(home.waiting()) == 1


def test_k8_no_streams_at_all(home: Place) -> None:
    """Whoever has closed them gets no answer, and no failure."""
    closed = f"exec {sys.executable} -P -m rituals show </dev/null >&- 2>&-"
    env = {**os.environ, **PYTHON}
    assert subprocess.run(["sh", "-c", closed], cwd=home.folder, env=env).returncode == 0


@pytest.mark.parametrize("way", WAYS_IN)
def test_ctrl_c_while_standard_input_is_read(home: Place, way: list[str]) -> None:
    """An interrupt ends with 130 and one line, on the short way in too."""
    code = (
        way[1]
        if way[0] == "-c"
        else "import sys; from rituals.cli.app import main; sys.exit(main())"
    )
    stop = "import os, signal, sys; r = sys.stdin.buffer.raw; "
    stop += "read = lambda *_: os.kill(os.getpid(), signal.SIGINT); "
    stop += "sys.stdin = type('S', (), {'buffer': type('B', (), {'read': read, 'read1': read})(), 'isatty': lambda s: False, 'fileno': lambda s: 0})(); "
    done = subprocess.run(
        [sys.executable, "-P", "-c", stop + code, "append", "-"], cwd=home.folder, stdin=subprocess.DEVNULL,
        capture_output=True, env={**os.environ, **PYTHON},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"diurna: interrupted\n")


def test_a_bug_on_the_short_way_in(home: Place) -> None:
    """Our own bug in a plain `append FILE` ends with 3 and names a log file, not with a traceback."""
    home.write("log.md", "# T\n")
    code = (
        "import sys; from memory.api import Memory; Memory.append = lambda *_, **__: 1 / 0;"
        "from rituals.cli.entry import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "append", "log.md"], cwd=home.folder, text=True,
        capture_output=True, env={**os.environ, **PYTHON},
    )  # fmt: skip
    said = "diurna: append: a bug in Diurna (ZeroDivisionError); the details are in "
    assert (done.returncode, done.stdout, done.stderr.startswith(said)) == (3, "", True)
    assert "ZeroDivisionError" in Path(done.stderr.split("\n")[0].removeprefix(said)).read_text()


def test_k8_any_locale_and_no_home_directory(home: Place) -> None:
    """A locale without UTF-8 changes no byte of what is printed into a pipe; `$HOME` may be missing."""
    home.note("id=gruss Grüße → 🎉")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "show", "gruss"], cwd=home.folder, capture_output=True,
        env={**os.environ, **PYTHON, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "HOME": "/proc"},
    )  # fmt: skip
    assert (done.returncode, done.stdout.startswith("- Grüße → 🎉\n".encode())) == (0, True)
