"""Long output on a terminal goes through a pager, and nothing else does."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo, Run, laid_once
from tests.terminals import Terminal
from tests.world import sealed

CHECKOUT = Path(__file__).parent.parent
#: Marks what went through it.
MARK = "sed 's/^/through: /'"


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """Sixty facts, one of them in two lines of a terminal."""
    words = [
        word for number in range(60) for word in ("--new", f"id=fact-{number:02} Fact {number}.")
    ]
    assert run("append", "--title", "Many", *words).code == 0


def on_terminal(shop: Repo, *arguments: str, **more: str) -> Terminal:
    """Run the command line on a terminal of 24 lines, with this environment beside a plain one."""
    plain = {
        name: text
        for name, text in os.environ.items()
        if name not in ("PAGER", "LESS", "DIURNA_PAGER")
    }
    environment = {**plain, "PYTHONPATH": str(CHECKOUT), "TERM": "xterm", **more}
    return Terminal([sys.executable, "-m", "rituals", *arguments], shop.path, environment)


def shown(shop: Repo, *arguments: str, **more: str) -> str:
    """Return what a command shows that ends by itself, and with 0."""
    terminal = on_terminal(shop, *arguments, **more)
    assert terminal.finish() == 0, terminal.shown
    return terminal.shown


def test_long_output_is_paged_and_short_is_not(shop: Repo) -> None:
    """What does not fit is given to the pager whole; what fits is printed as it is."""
    paged = shown(shop, "show", DIURNA_PAGER=MARK)
    plain = shown(shop, "show", "--no-pager", DIURNA_PAGER=MARK)
    assert "fact-59" in plain and "through: " not in plain
    assert paged.splitlines() == [f"through: {line}" for line in plain.splitlines()]
    assert "through: " not in shown(shop, "show", "fact-07", DIURNA_PAGER=MARK)


@pytest.mark.deep(reason="less_is_asked_and_quit is the small one")
def test_which_pager(shop: Repo) -> None:
    """`$DIURNA_PAGER` goes before `$PAGER`; an empty one and `cat` mean none, as in git."""
    assert "through: " in shown(shop, "show", "--list", PAGER=MARK)
    assert "through: " not in shown(shop, "show", "--list", DIURNA_PAGER="cat", PAGER=MARK)
    assert "through: " not in shown(shop, "show", "--list", DIURNA_PAGER="", PAGER=MARK)
    assert "through: " not in shown(shop, "show", "--list", PAGER=MARK, TERM="dumb")
    assert "through: " not in shown(shop, "--no-pager", "show", "--list", PAGER=MARK)
    assert "LESS=FRX" in shown(shop, "show", "--list", PAGER="cat > /dev/null; env")
    assert "LESS=i" in shown(shop, "show", "--list", PAGER="cat > /dev/null; env", LESS="i")


def test_hints_stand_behind_what_they_speak_of(shop: Repo, run: Run) -> None:
    """On a terminal, too, where the answer is kept back for the pager."""
    assert (
        run("note", "id=one thread: One?", "id=two thread: Two?", "id=mark fact: Mark.").code == 0
    )
    shop.write(".git/CHERRY_PICK_HEAD", shop.git("rev-parse", "HEAD"))
    shop.write(f".git/diurna/spool/2026-11-21-090000000-{sealed(b'# T')}", "# T")
    for environment in ({"DIURNA_PAGER": MARK}, {"DIURNA_PAGER": ""}):
        lines = shown(shop, "show", "--list", **environment).splitlines()
        said = [number for number, line in enumerate(lines) if "a session log is saved" in line]
        assert said and said[0] > max(n for n, line in enumerate(lines) if "fact-59" in line)


def test_never_in_json_and_never_in_a_pipe(shop: Repo, spawn: Run) -> None:
    """A script reads what it always read."""
    assert "through: " not in shown(shop, "show", "--json", DIURNA_PAGER=MARK)
    assert "through: " not in spawn("show", DIURNA_PAGER=MARK, TERM="xterm").out
    assert "through: " not in spawn("show", "--list", DIURNA_PAGER=MARK, TERM="xterm").out


def test_whoever_quits_early_has_seen_enough(shop: Repo) -> None:
    """The reader that ends first is no failure, and leaves no word behind."""
    said = shown(shop, "show", "--kind", "fact", DIURNA_PAGER="head -n 1")
    assert said == "- Fact 0.\n"


def test_a_pager_that_can_not_run_loses_nothing(shop: Repo) -> None:
    """The text is printed then."""
    assert "fact-59" in shown(shop, "show", "--list", DIURNA_PAGER="there-is-no-such-program")


def test_a_failure_is_said_at_once(shop: Repo) -> None:
    """What goes wrong is no page."""
    terminal = on_terminal(shop, "show", "nobody", DIURNA_PAGER=MARK)
    assert terminal.finish() == 1
    assert "there is no fact nobody" in terminal.shown and "through: " not in terminal.shown


@pytest.mark.skipif(not shutil.which("less"), reason="less is not installed")
def test_less_is_asked_and_quit(shop: Repo) -> None:
    """Without a word in the environment it is less: it waits for a key, Ctrl-C does not end it, `q` does."""
    terminal = on_terminal(shop, "show", "--list")
    terminal.expect("fact-05")
    terminal.press("\x03")
    assert terminal.finish("q") == 0
    assert "fact-59" not in terminal.shown and "Traceback" not in terminal.shown
