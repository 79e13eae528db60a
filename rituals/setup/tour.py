"""Tell the story of `tour.txt` on a throw-away ledger, by running the commands themselves.

Every command is run as it is printed, by a shell, and what stands below it is what it said: long
lines and long answers are cut, and a cut is shown as `…`. The commands get an environment of their own,
so no git configuration is needed, none is read, and nothing outside the folder is touched.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ledger.environment import now_ms
from ledger.errors import DiurnaError

_WIDTH_CHARS = 110
_TIMEOUT_SECONDS = 60
#: Who commits in the tour; git reads this file instead of the user's own.
_GITCONFIG = """\
[user]
	name = Tour
	email = tour@example.invalid
[init]
	defaultBranch = main
"""
_DAY_MS = 86_400_000
#: How many days ago the story begins.
_DAYS = 40
#: A step of the story: where a command runs, what of its answer is shown, `?` for what says nothing.
_STEP = re.compile(r"(\w*)(?:\[(skip|most) (\d+)\])?([$?]) (.*)", re.DOTALL)


class TourFailed(DiurnaError):
    """A step of the tour did not do what the tour says it does."""


def run(say: Callable[[str], None], folder: str, environment: Mapping[str, str]) -> None:
    """Give the tour.

    `say` prints one line. The folder is empty, and is filled; the commands get a copy of the environment
    without anything of git's or Diurna's.

    Raises:
        TourFailed: a command failed, a plain `git pull` was not clean, or two clones differ.
    """
    stage = _Stage(say, Path(folder), environment)
    answers: dict[str, str] = {}
    for text in Path(__file__).with_suffix(".txt").read_text("utf-8").strip().split("\n\n"):
        step = _STEP.fullmatch(text)
        if text == "(now)":
            stage.now()
        elif step is None:
            stage.tell(text)
        elif step[4] == "$":
            shown = {step[2]: int(step[3])} if step[2] else {}
            command = step[5].replace("START", str(stage.began_ms))
            answers[step[1] + command] = stage.run(step[1], command, **shown)
        elif left := stage.quietly(step[1], step[5]):
            raise TourFailed(f"the pull left something behind: {left.splitlines()[0]}")
    replay = "diurna check --replay | git hash-object --stdin"
    files = [(stage.folder / clone / "continuity.md").read_bytes() for clone in ("ada", "bo")]
    if answers["ada" + replay] != answers["bo" + replay] or files[0] != files[1]:
        raise TourFailed("the two clones do not replay to the same bytes")
    if b"<<<<<<<" in files[0] or b"id: staging-port" not in files[0]:
        raise TourFailed("the merge lost something")
    stage.tell("That is all there is to it. In a repository of yours:")
    say("  diurna init            # makes the home; `diurna --help` lists the commands")
    say('  diurna note "decision: What we decided"')


class _Stage:
    """Where the tour plays: an empty folder, a shell in it, and somebody who listens."""

    def __init__(
        self, say: Callable[[str], None], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.folder = folder
        self._say = say
        self._first = True
        tools = folder / ".tools"
        tools.mkdir()
        python = shlex.quote(sys.executable)
        for name, words in (("diurna", "-P -m rituals"), ("python", "")):
            (tools / name).write_text(f'#!/bin/sh\nexec {python} {words} "$@"\n', encoding="utf-8")
            (tools / name).chmod(0o755)
        (tools / "gitconfig").write_text(_GITCONFIG, encoding="utf-8")
        self._environment = {
            key: value
            for key, value in environment.items()
            if (not key.startswith(("GIT_", "DIURNA_")) or key == "GIT_EXEC_PATH")
            and not key.endswith("_SESSION_ID")  # of the agent that may run this
        }
        self._environment.update(
            PATH=f"{tools}:{environment.get('PATH', '/usr/bin:/bin')}",
            GIT_CONFIG_GLOBAL=str(tools / "gitconfig"),
            GIT_CONFIG_NOSYSTEM="1",
            XDG_STATE_HOME=str(tools / "state"),
            GIT_TERMINAL_PROMPT="0",
            GIT_MERGE_AUTOEDIT="no",
            NO_COLOR="1",
            LC_ALL="C.UTF-8",
            PYTHONUNBUFFERED="1",  # both streams in the order in which a terminal shows them
        )
        self.began_ms = now_ms() - _DAYS * _DAY_MS
        self._environment["DIURNA_NOW"] = str(self.began_ms)

    def now(self) -> None:
        """Let what comes next happen now."""
        del self._environment["DIURNA_NOW"]

    def tell(self, text: str) -> None:
        """Say what comes next."""
        if not self._first:
            self._say("")
        self._first = False
        self._say(text)
        self._say("")

    def run(self, place: str, command: str, skip: int = 0, most: int = 0) -> str:
        """Print a command, run it, print what it says, and return that.

        Args:
            place: the folder to run it in, inside the tour's.
            command: for the shell.
            skip: lines of the answer to leave out at its beginning.
            most: lines of the answer to show, 0 for all.

        Raises:
            TourFailed: it ended with another status than 0.
        """
        self._say(f"{place}$ {command}" if place else f"$ {command}")
        said = self.quietly(place, command)
        lines = said.rstrip("\n").split("\n") if said.strip() else []
        if skip and len(lines) > skip:
            lines = ["…", *[line for line in lines[skip:] if line]]
        if most and len(lines) > most:
            lines = [*lines[:most], "…"]
        for line in lines:
            self._say(line if len(line) <= _WIDTH_CHARS else line[: _WIDTH_CHARS - 1] + "…")
        return said

    def quietly(self, place: str, command: str) -> str:
        """Run a command and return what it says."""
        try:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=self.folder / place,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_TIMEOUT_SECONDS,
                check=False,
                encoding="utf-8",
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            raise TourFailed(f"`{command}` took over {_TIMEOUT_SECONDS} seconds") from None
        except FileNotFoundError:
            raise TourFailed(
                "there is no sh on the PATH", hint="the tour runs its commands with sh and git"
            ) from None
        if done.returncode:
            self._say(done.stdout.rstrip("\n"))
            raise TourFailed(
                f"`{command}` ended with {done.returncode}",
                hint="the lines above say why; `diurna init --tour --keep` leaves the folder for a look",
            )
        return done.stdout
