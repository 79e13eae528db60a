r"""The table of findings: how each comes about, and what is said of it.

`findings.txt` has a transcript of each code: `@ CODE (exit code) also OTHER, CODES`, then steps. `$` is a
command of Diurna's, the last of which is asked; `!` is one of a shell, in which `$LOG` is the log that the
home has, `commit` commits all, `own` makes a repository for a home of its own, `lose` takes an object out of git, and `program` makes one that is on the
path; `> PATH` commits a file of the home, which stands below, with `\xff` for what is no text (`> sealed
TIME` a log whose name proves its bytes); `+` lets days pass. Behind them stand the line that tells it, and
the hint. What can not be come by so stands in `finding_cases.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import Repo, Run
from tests.world import sealed

TABLE = Path(__file__).with_name("findings.txt")
DAY_MS = 86_400_000
#: Made up when the tests run, so that no scanner takes a file for a leak.
TOKEN = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0" * 2
_SHELL = """
LOG=$(git ls-files memory/sessions/2026-11/21 2>/dev/null | head -1)
commit() { git add -A && git commit -q -m 'by hand' --date 2026-11-21T12:00:00Z; }
place() { o=$(git rev-parse "$1"); echo .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); }
own() {
    git init -q -b main $PWD-own
    git -C $PWD-own config user.name Ada
    git -C $PWD-own config user.email ada@example.invalid
}
lose() { rm -f $(place "$1"); }
program() { mkdir -p ../tools; printf '#!/bin/sh\\n%s\\n' "$2" > ../tools/$1; chmod +x ../tools/$1; }
"""


class Shop(Repo):
    """A repository with a home in `memory/`, and the command line in it."""

    def __init__(self, path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(path)
        self.run, self.monkeypatch = run, monkeypatch

    @property
    def log(self) -> str:
        """The path of the log that every home has, relative to the home."""
        (name,) = self.git("ls-files", "memory/sessions/2026-11/21").splitlines()
        return name.removeprefix("memory/")

    def shell(self, script: str) -> None:
        """Do what a person does, or what befalls the files."""
        subprocess.run(
            ["sh", "-ec", _SHELL + script], cwd=self.path, check=True, capture_output=True
        )

    def own(self) -> str:
        """Make a home in a repository of its own, and return where it is."""
        self.shell("own")
        self.run("init", f"{self.path}-own")
        return f"{self.path}-own"

    def alone(self) -> None:
        """Let nothing be called but the programs of a case, and git."""
        here = os.path.dirname(shutil.which("git") or "")
        self.monkeypatch.setenv("PATH", os.pathsep.join([str(self.path.parent / "tools"), here]))


Arguments = tuple[str, ...]
Prepare = Callable[[Shop], Arguments]


class Case(NamedTuple):
    """One transcript.

    Args:
        prepare: makes the home ready and returns the command line.
        said: the line of the text form, stems and commits put by their names.
        hint: what stands on the `hint:` line behind it, "" where there is none.
        exit_code: of both forms.
        also: other codes that the command can not but report, too.
    """

    prepare: Prepare
    said: str
    hint: str
    exit_code: int
    also: tuple[str, ...]


def steps(text: str) -> Prepare:
    """Read the steps of a transcript."""
    parts = [one.rstrip("\n") for one in re.split(r"^(?=[$!>+] )", text, flags=re.MULTILINE)[1:]]

    def prepare(shop: Shop) -> Arguments:
        arguments: Arguments = ()
        for number, part in enumerate(parts):
            kind, said = part[0], part[2:].replace("TOKEN", TOKEN)
            if kind == "!":
                shop.shell(said)
            elif kind == "+":
                later = int(os.environ["DIURNA_NOW"]) + int(said) * DAY_MS
                shop.monkeypatch.setenv("DIURNA_NOW", str(later))
            elif kind == ">":
                _put(shop, *said.partition("\n")[::2])
            else:
                arguments = tuple(shlex.split(said.replace("$PWD", str(shop.path))))
                if number < len(parts) - 1:
                    shop.run(*arguments)
        if arguments == ("check",):
            shop.alone()
        return arguments

    return prepare


def _put(shop: Shop, path: str, text: str) -> None:
    data = (text + "\n").encode()
    if "\\" in text:
        data = data.decode().encode("latin-1").decode("unicode_escape").encode("latin-1")
    if path.startswith("sealed "):
        data = f"---\nended: {path[7:]}\n---\n".encode() + data
        path = f"sessions/2026-11/20/2026-11-20-101500000-{sealed(data)}.md"
    file = shop.path / "memory" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    shop.shell("commit")


def read() -> dict[str, Case]:
    """Read the table: code -> its transcript."""
    found = {}
    for part in re.split(r"^@ ", TABLE.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        named = re.fullmatch(r"(\S+)(?: \((\d)\))?(?: also (.+))?", head)
        assert named, head
        lines = rest.rstrip("\n").split("\n")
        hint = lines.pop().removeprefix("hint: ") if lines[-1].startswith("hint: ") else ""
        said = lines.pop()
        also = tuple(named[3].split(", ")) if named[3] else ()
        found[named[1]] = Case(steps("\n".join(lines)), said, hint, int(named[2] or 0), also)
    return found


CASES = read()


def case(
    code: str, said: str, hint: str = "", *, exit_code: int = 0, also: tuple[str, ...] = ()
) -> Callable[[Prepare], Prepare]:
    """Put a case into the table."""

    def enter(prepare: Prepare) -> Prepare:
        assert code not in CASES
        CASES[code] = Case(prepare, said, hint, exit_code, also)
        return prepare

    return enter
