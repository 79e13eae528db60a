"""Tell the whole story on a throw-away ledger, by running the commands themselves.

Every command is run as it is printed, by a shell, and what stands below it is what it said: long
lines and long answers are cut, and a cut is shown as `…`. The commands get an environment of their own,
so no git configuration is needed, none is read, and nothing outside the folder is touched.
"""

from __future__ import annotations

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
#: A session a day through the library. They use one fact, and so let the others fade.
_SESSIONS = """\
from ledger.home import discover
from ledger.model.event import FactReferenced
from memory import Memory, SessionDraft
for day in range(1, 36):
    memory = Memory(discover("."), agent="codex", clock=lambda: START + day * 86_400_000)
    memory.append(SessionDraft(f"Day {day}", events=(FactReferenced("webhook-retries"),)), again=True)
"""


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
    _remember(stage)
    _correct(stage)
    _fade(stage)
    _merge(stage)
    stage.tell("That is all there is to it. In a repository of yours:")
    say("  diurna init            # makes the home; `diurna --help` lists the commands")
    say('  diurna note "decision: What we decided"')


def _remember(stage: _Stage) -> None:
    stage.tell(
        "1. A memory is a git repository of session logs. claude-code records its first one."
    )
    stage.run("", "git init -q --bare hub.git")
    stage.run("", "diurna init ada --project shop")
    stage.run("ada", "git remote add origin ../hub.git")
    stage.run(
        "ada",
        'diurna append --agent claude-code --title "Ship the webhooks" \\\n'
        '    --new "id=orders-stay invariant: Orders are never deleted, only cancelled." \\\n'
        '    --new "id=webhook-once decision: A webhook is sent once; a lost one is lost." \\\n'
        '    --new "id=staging-port fact: Staging listens on port 8081."',
    )
    stage.tell("continuity.md is computed from the logs. An agent reads it when it starts:")
    stage.run("ada", "cat continuity.md", skip=4)
    stage.run("ada", "git push -q -u origin main")


def _correct(stage: _Stage) -> None:
    stage.tell(
        "2. codex works in a clone. It opens a thread, and it finds that a decision is wrong."
    )
    stage.run("", "git clone -q hub.git bo")
    stage.run(
        "bo",
        'diurna append --agent codex --title "Load test" --ref orders-stay \\\n'
        '    --new "id=retry-storm thread: Can a storm of retries starve the workers?"',
    )
    stage.run(
        "bo",
        'diurna append --agent codex --title "Webhooks were lost" \\\n'
        '    --new "id=webhook-retries decision: Webhooks retry three times, with jitter." \\\n'
        "    --supersede webhook-once=webhook-retries",
    )
    stage.tell("The old decision is not edited away. It is false now, and memory knows why:")
    stage.run("bo", "diurna why webhook-once")
    stage.run("bo", "cat continuity.md", skip=4)


def _fade(stage: _Stage) -> None:
    stage.tell(
        "3. Facts that nobody uses fade, counted in sessions and in days that had one. Five weeks later:"
    )
    stage.run("bo", f"python -P - <<'EOF'\n{_SESSIONS.replace('START', str(stage.began_ms))}EOF")
    stage.now()
    stage.run("bo", "cat archive/INDEX.md")
    stage.tell("What is used, what never decays and what is still open stays:")
    stage.run("bo", "grep -o 'id: .*tier: [a-z-]*' continuity.md")


def _merge(stage: _Stage) -> None:
    stage.tell(
        "4. Meanwhile claude-code appends in its own clone, without having seen any of this."
    )
    stage.run(
        "ada",
        'diurna append --agent claude-code --title "Move staging" --ref staging-port \\\n'
        '    --new "id=port-notes convention: A port that moves gets a session log."',
    )
    stage.run("bo", "git push -q origin main")
    stage.tell(
        "Both sides changed continuity.md. A plain pull is clean, and `publish` recomputes it:"
    )
    stage.run("ada", "git pull --no-rebase", most=6)
    left = stage.quietly("ada", "git status --porcelain")
    if left:
        raise TourFailed(f"the pull left something behind: {left.splitlines()[0]}")
    stage.run("ada", "git log --oneline --graph -4")
    stage.run("ada", "diurna publish")
    stage.run("ada", "git push -q origin main")
    stage.tell("staging-port came back by being used. And both clones hold the same bytes:")
    stage.run("bo", "git pull --no-rebase", most=3)
    stage.run("", "cmp ada/continuity.md bo/continuity.md && echo same")
    ours = stage.run("ada", "diurna replay | git hash-object --stdin")
    theirs = stage.run("bo", "diurna replay | git hash-object --stdin")
    stage.run("bo", "tail -n 1 continuity.md")
    files = [(stage.folder / clone / "continuity.md").read_bytes() for clone in ("ada", "bo")]
    if ours != theirs or files[0] != files[1]:
        raise TourFailed("the two clones do not replay to the same bytes")
    if b"<<<<<<<" in files[0] or b"id: staging-port" not in files[0]:
        raise TourFailed("the merge lost something")


class _Stage:
    """Where the tour plays: a folder, a shell in it, and somebody who listens.

    Args:
        say: prints one line.
        folder: an empty folder.
        environment: of the process.
    """

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
                hint="the lines above say why; `diurna tour --keep` leaves the folder for a look",
            )
        return done.stdout
