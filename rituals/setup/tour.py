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

_WIDTH_CHARS, _TIMEOUT_SECONDS = 110, 60
#: Who commits in the tour; git reads this file instead of the user's own.
_GITCONFIG = "[user]\nname = Tour\nemail = tour@example.invalid\n[init]\ndefaultBranch = main\n"
#: The story begins so many milliseconds ago.
_AGO_MS = 40 * 86_400_000
#: A step of the story: where a command runs, what of its answer is shown, `?` for what is not told at all.
_STEP = re.compile(r"(\w*)(?:\[(skip|most) (\d+)\])?([$?]) (.*)", re.DOTALL)


def run(say: Callable[[str], None], folder: str, environment: Mapping[str, str]) -> None:
    """Give the tour.

    `say` prints one line. The folder is empty, and is filled; the commands get a copy of the environment
    without anything of git's or Diurna's.

    Raises:
        DiurnaError: a command failed, a plain `git pull` was not clean, or two clones differ.
    """
    tools = Path(folder) / ".tools"
    tools.mkdir()
    python, began = shlex.quote(sys.executable), str(now_ms() - _AGO_MS)
    for name, words in (("diurna", "-P -m rituals"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec {python} {words} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    (tools / "gitconfig").write_text(_GITCONFIG, encoding="utf-8")
    own = ("GIT_", "DIURNA_")
    inner = {
        key: value
        for key, value in environment.items()
        if (key == "GIT_EXEC_PATH" or not key.startswith(own)) and not key.endswith("_SESSION_ID")
    }
    inner["PATH"] = f"{tools}:{environment.get('PATH', '/usr/bin:/bin')}"
    inner |= {"GIT_CONFIG_GLOBAL": str(tools / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    inner |= {"XDG_STATE_HOME": str(tools / "state"), "GIT_TERMINAL_PROMPT": "0"}
    inner |= {"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    inner |= {"DIURNA_NOW": began, "GIT_MERGE_AUTOEDIT": "no"}
    for text in Path(__file__).with_suffix(".txt").read_text("utf-8").strip().split("\n\n"):
        if text == "(now)":
            del inner["DIURNA_NOW"]
        elif step := _STEP.fullmatch(text):
            _do(say, step, f"{folder}/{step[1]}", began, inner)
        else:
            say(text if text[:2] == "1." else f"\n{text}")
            say("")
    say("\nThat is all there is to it. In a repository of yours:\n")
    say("  diurna init            # makes the home; `diurna --help` lists the commands")
    say('  diurna note "decision: What we decided"')


def _do(
    say: Callable[[str], None], step: re.Match[str], folder: str, began: str, inner: dict[str, str]
) -> None:
    """Print a command, run it, and print what it says."""
    command, told = step[5].replace("START", began), step[4] == "$"
    if told:
        say(f"{step[1]}$ {command}")
    try:
        done = subprocess.run(
            ["sh", "-c", f"exec 2>&1 </dev/null\n{command}"],
            cwd=folder,
            env=inner,
            stdout=subprocess.PIPE,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise DiurnaError(f"`{command}` took over {_TIMEOUT_SECONDS} seconds") from None
    except FileNotFoundError:
        hint = "the tour runs its commands with sh and git"
        raise DiurnaError("there is no sh on the PATH", hint=hint) from None
    lines, most = done.stdout.rstrip("\n").split("\n"), int(step[3] or 0)
    if done.returncode:
        say("\n".join(lines))
        hint = "the lines above say why; `diurna init --tour --keep` leaves the folder for a look"
        raise DiurnaError(f"`{command}` ended with {done.returncode}", hint=hint)
    if step[2] == "skip" and len(lines) > most:
        lines = ["…", *[line for line in lines[most:] if line]]
    if step[2] == "most" and len(lines) > most:
        lines = [*lines[:most], "…"]
    for line in lines if told and lines != [""] else ():
        say(line if len(line) <= _WIDTH_CHARS else line[: _WIDTH_CHARS - 1] + "…")
