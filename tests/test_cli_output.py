"""Output: stdout for results, stderr for talk, nothing that commands a terminal, no broken streams."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.escape import visible
from ledger.model.findings import Finding
from rituals.cli.output import Output, counted
from tests.conftest import diagonal

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

ROOT = Path(__file__).parent.parent
HOSTILE = "a\x1b[2Jb\u202ec\x9bd\u200be\U000e0041f\rg"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _output(
    terminal: bool, colour: bool = True, times: tuple[float, ...] = (0.0,)
) -> tuple[Output, io.StringIO, io.StringIO]:
    out, err = (_Terminal(), _Terminal()) if terminal else (io.StringIO(), io.StringIO())
    clock = iter(times)
    return Output(out, err, colour=colour, monotonic=lambda: next(clock)), out, err


def on_terminal(*arguments: str, **more: str) -> str:
    """Run the command line on a terminal of its own and return all that it shows."""
    parent, child = pty.openpty()
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "CI")}
    environment = {**plain, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80", **more}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "rituals", *arguments],
        stdin=child, stdout=child, stderr=child, env=environment,
    )  # fmt: skip
    os.close(child)
    shown = b""
    while True:
        try:
            part = os.read(parent, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    process.wait()
    os.close(parent)
    return shown.decode().replace("\r\n", "\n")


# ---- hidden characters ----------------------------------------------------------------------------


def test_j12_controls_are_visible_on_a_terminal() -> None:
    """Escapes, bidi overrides, zero-width and tag characters show as JSON writes them."""
    assert visible(HOSTILE) == "a\\u001b[2Jb\\u202ec\\u009bd\\u200be\\udb40\\udc41f\\u000dg"


def test_g16_other_scripts_are_left_as_they_are() -> None:
    """Emoji with joiners, combining marks and right-to-left scripts are no attack."""
    text = "né 👩\u200d💻 नी عربي\tx\n"
    assert visible(text) == text


@given(st.text())
def test_visible_is_a_fixed_point(text: str) -> None:
    """What was made visible stays as it is, and holds nothing that a terminal obeys."""
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(
        unicodedata.category(char) in ("Cc", "Cs") for char in shown if char not in "\t\n"
    )


def test_j12_a_pipe_gets_what_a_terminal_gets() -> None:
    """A model may read there; in JSON the escapes are the characters themselves."""
    output, out, _ = _output(terminal=False)
    output.text(HOSTILE)
    output.line(HOSTILE)
    assert out.getvalue() == visible(HOSTILE) + visible(HOSTILE) + "\n"
    output, out, _ = _output(terminal=False)
    output.answer({"a": HOSTILE})
    assert json.loads(out.getvalue())["a"] == HOSTILE
    assert "\u202e" not in out.getvalue()


def test_j12_talk_is_never_raw() -> None:
    """Stderr carries nothing hidden, wherever it goes."""
    output, _, err = _output(terminal=False)
    output.findings((Finding("drift", HOSTILE, hint=HOSTILE),))
    assert "\x1b" not in err.getvalue()
    assert "\\u202e" in err.getvalue()


def test_j12_fact_on_a_real_terminal(repo: Repo, run: Run) -> None:
    """A fact with an escape sequence can not reach the terminal that shows it."""
    repo.write("log.md", "# T\n\nAn escape: \x1b[31mred\n\n## Memory References\n\n- Created: bad\n\n"
               "## Facts\n\n- Evil \u202etxet\n  <!-- id: bad -->\n")  # fmt: skip
    assert run("append", "log.md").code == 0
    for command in (("show",), ("show", "bad"), ("why", "bad"), ("show", "--json")):
        shown = on_terminal(*command, NO_COLOR="1")
        assert "\u202e" not in shown
        assert "\\u202e" in shown
        assert "\x1b" not in shown


def test_lone_surrogates_are_no_json() -> None:
    """Bytes of a name that are no UTF-8 become the replacement character in JSON."""
    output, out, _ = _output(terminal=False)
    output.answer({"name": "a\udcff"})
    assert out.getvalue() == '{\n  "format": 1,\n  "name": "a\ufffd"\n}\n'


def test_json_keys_are_sorted_and_text_is_not_escaped() -> None:
    """One object, stable keys, readable text."""
    output, out, _ = _output(terminal=False)
    output.answer({"z": "ü", "a": [1]})
    assert out.getvalue() == '{\n  "a": [\n    1\n  ],\n  "format": 1,\n  "z": "ü"\n}\n'


def test_one_object_and_no_second() -> None:
    """A failure behind the answer goes to stderr: stdout stays one object."""
    output, out, _ = _output(terminal=False)
    output.answer({"a": 1})
    output.answer({"error": {}})
    assert out.getvalue() == '{\n  "a": 1,\n  "format": 1\n}\n'


# ---- colour and progress --------------------------------------------------------------------------


def test_colour_only_on_a_terminal() -> None:
    """Styles are for terminals, and never with `NO_COLOR`."""
    for terminal, colour, styled in (
        (True, True, True),
        (True, False, False),
        (False, True, False),
    ):
        output, out, err = _output(terminal, colour)
        output.line("a", ("b", "green"))
        output.talk(("c", "red"))
        assert ("\x1b" in out.getvalue()) == styled
        assert ("\x1b" in err.getvalue()) == styled


def test_no_color_on_a_real_terminal(repo: Repo, run: Run) -> None:
    """`NO_COLOR` and `TERM=dumb` switch colour off; a pipe never has any."""
    assert run("append", "--title", "x").code == 0
    assert "\x1b[33m" in on_terminal("log")
    assert "\x1b" not in on_terminal("log", NO_COLOR="1")
    assert "\x1b" not in on_terminal("log", TERM="dumb")
    assert "\x1b" not in run("log").out


def test_progress_only_after_half_a_second() -> None:
    """Short work shows no bar; a long one does, and takes it away before anything is said."""
    output, out, err = _output(True, colour=False, times=(1.0, 1.4, 1.6))
    output.progress(0, 10)
    output.progress(4, 10)
    assert err.getvalue() == ""
    output.progress(5, 10)
    assert err.getvalue() == "\r\x1b[Kreading logs [###############...............] 5/10"
    output.line("done")
    assert err.getvalue().endswith("5/10\r\x1b[K")
    assert out.getvalue() == "done\n"


def test_progress_is_for_terminals() -> None:
    """A pipe sees no bar."""
    output, _, err = _output(terminal=False)
    output.progress(1, 2)
    assert err.getvalue() == ""


def test_counted() -> None:
    """One is not many."""
    assert [counted(number, "log") for number in (0, 1, 2)] == ["0 logs", "1 log", "2 logs"]


# ---- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "show --json", "log", "--help", "append --title y"])
def test_k8_reader_of_stdout_goes_away(command: str, repo: Repo, run: Run) -> None:
    """A closed pipe is no error and no traceback."""
    assert run("append", "--title", "x").code == 0
    out, into = os.pipe()
    os.close(out)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "rituals", *command.split()],
        stdin=subprocess.DEVNULL, stdout=into, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    os.close(into)
    assert (done.returncode, done.stderr) == (0, b"")


def test_k8_streams_are_closed(repo: Repo) -> None:
    """A process without stdout, or without stderr, does its work."""
    for close, code in ((">&-", 0), ("2>&-", 0), ("</dev/null >&- 2>&-", 0)):
        done = subprocess.run(
            ["sh", "-c", f"exec {sys.executable} -P -m rituals show {close}"],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        )  # fmt: skip
        assert done.returncode == code


#: `python -m rituals`, and the console script with its short way for plain commands.
WAYS_IN = (
    ["-m", "rituals"],
    ["-c", "import sys; from rituals.cli.entry import main; sys.exit(main())"],
)


@pytest.mark.parametrize(
    ("way", "command"), diagonal(WAYS_IN, ["show", "show --json", "append log.md"])
)
def test_full_disk_at_stdout(command: str, way: list[str], repo: Repo) -> None:
    """An answer that could not be written is a failure, which says that the deed is done."""
    repo.write("log.md", "# T\n")
    environment = {key: value for key, value in os.environ.items() if key != "DIURNA_NOW"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", *way, *command.split()],
            stdout=full, stderr=subprocess.PIPE, env={**environment, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "diurna: standard output: No space left on device\n"
        "hint: only the answer is lost; the command did its work\n"
    )
    if command == "append log.md":
        assert repo.git("log", "-1", "--format=%s") == ("diurna: session log by claude-code\n")


@pytest.mark.parametrize("way", WAYS_IN)
def test_ctrl_c_while_standard_input_is_read(way: list[str], repo: Repo) -> None:
    """An interrupt ends with 130 and one line, on the short way in too."""
    code = (
        "import os, signal, sys, threading;"
        "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start();"
    )
    start = way[1] if way[0] == "-c" else "from rituals.cli.app import main; sys.exit(main())"
    done = subprocess.Popen(
        [sys.executable, "-P", "-c", code + start, "append", "-"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout and done.stderr and done.stdin
    assert done.wait(timeout=30) == 130
    assert done.stdout.read() == b""
    assert done.stderr.read() == b"diurna: interrupted\n"
    for stream in (done.stdin, done.stdout, done.stderr):
        stream.close()


def test_a_bug_on_the_short_way_in(repo: Repo) -> None:
    """Our own bug in a plain `append FILE` ends with 3 and names a log file, not with a traceback."""
    repo.write("log.md", "# T\n")
    code = (
        "import sys; from memory.api import Memory; Memory.append = lambda *_, **__: 1 / 0;"
        "from rituals.cli.entry import main; sys.exit(main())"
    )
    environment = {key: value for key, value in os.environ.items() if key != "DIURNA_NOW"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "append", "log.md"],
        capture_output=True, env={**environment, "PYTHONPATH": str(ROOT)}, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    said = "diurna: append: a bug in Diurna (ZeroDivisionError); the details are in "
    assert done.stderr.startswith(said)
    log = Path(done.stderr.split("\n")[0].removeprefix(said))
    assert "ZeroDivisionError" in log.read_text()


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}])
def test_k8_locale_c(locale: dict[str, str], repo: Repo, run: Run, spawn: Run) -> None:
    """A locale without UTF-8 changes no byte of what is printed into a pipe."""
    assert run("append", "--title", "x", "--new", "fact: id=gruss Grüße → 🎉").code == 0
    ran = spawn("show", "gruss", **locale)
    assert ran.code == 0
    assert "- Grüße → 🎉\n" in ran.out
    missing = spawn("show", "grüß", **locale)
    assert (missing.code, missing.out) == (1, "")


def test_no_home_directory(repo: Repo, spawn: Run) -> None:
    """`$HOME` may be missing or read-only."""
    assert spawn("show", HOME="/proc").code == 0


def test_results_and_talk_do_not_mix(repo: Repo, run: Run) -> None:
    """What a script reads on stdout is free of findings and hints."""
    ran = run("append", "--title", "x", "--ref", "nowhere", "--anyway", "--json")
    assert ran.json["findings"][0]["code"] == "unknown-id"
    assert ran.err.startswith("warning: nowhere is not in this ledger (yet)\nhint: ")


def test_a_shared_hint_is_said_once() -> None:
    """Findings in a row that have the same hint have it once, behind the last of them."""
    output, _, err = _output(terminal=False)
    output.findings(
        (
            Finding("drift", "a", hint="publish"),
            Finding("drift", "b", hint="publish"),
            Finding("clock-ahead", "c"),
            Finding("drift", "d", hint="publish"),
        )
    )
    assert err.getvalue() == (
        "warning: a\nwarning: b\nhint: publish\nwarning: c\nwarning: d\nhint: publish\n"
    )
