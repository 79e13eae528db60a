"""Every command asked for JSON, in two clones of a small ledger: the answers that COMMANDS.md describes.

`command_answers.txt` has what is asked: behind `$` stands a command, behind `x` one that is refused, behind
`> FILE` one whose print goes to a file, behind `o` what an agent's hook saw, behind `!` what a shell does,
behind `=` where to go; `@NAME` keeps a value of the last answer.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rituals.hosts.observation_spool import Observation, spool_of

if TYPE_CHECKING:
    from tests.conftest import Ran

TABLE = Path(__file__).with_suffix(".txt")
#: A word of what is only the user's, and the folder that it may stand in.
OWN, OWN_FOLDER = "Quillfeather", "own"
Answers = dict[str, list[Any]]
#: Objects whose keys are names of the ledger: path -> what the keys are.
KEYED = {
    "counted.findings": "CODE",
    "course.tiers": "TIER",
    "did": "VERB",
    "events[].meta": "KEY",
    "facts[].meta": "KEY",
    "facts[].remarks": "KEY",
    "kinds": "KIND",
    "marks": "ID",
    "sessions[].facts": "VERB",
    "tiers": "TIER",
    "verdicts[].counts": "VERDICT",
}

#: The options by which a command answers with other keys.
MODES = {
    "recall": ("--level", "timeline"), "edit": ("--restore",), "show": ("--about", "--links", "--list"),
    "log": ("--changes",), "install": ("--remove",), "review": ("--confirm", "--learn", "--report"),
    "check": ("--absorb", "--ci", "--diff", "--publish", "--replay", "--restore"),
    "conflicts": ("--resolve",), "capture": ("--land", "--past"), "init": ("--tour",),
}  # fmt: skip


def gather(run: Callable[..., Ran], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Run it all; return the answers by command, those of failures under `failure`.

    The folder is a repository without a home, where the process stands.
    """
    monkeypatch.setenv("XDG_DATA_HOME", str(folder.parent / OWN_FOLDER))
    answers: Answers = {}
    values: dict[str, str] = {}
    answer: Any = None
    log = "LOG=$(git ls-files 'memory/sessions/**.md' 2>/dev/null | head -1)\n"
    for line in TABLE.read_text("utf-8").split("\n"):
        kind, said = (
            line[:1],
            re.sub(r"\$([A-Z]+)", lambda found: values.get(found[1], found[0]), line[2:]),
        )
        if kind == "!":
            subprocess.run(["sh", "-ec", log + said], check=True, capture_output=True)
        elif kind == "o":
            seen = Observation(
                1_790_000_000_000, "edit", "writes a file", "wrote retry.py", ("retry.py",)
            )
            spool_of(str(folder / ".git"), "claude", "s1").add(seen, str(folder))
        elif kind == "=":
            Path(said).mkdir(exist_ok=True)
            monkeypatch.chdir(said)
        elif kind == "@":
            name, _, path = line[1:].partition(" ")
            value = answer
            for key in path.split("."):
                value = value[int(key) if key.isdigit() else key]
            values[name] = value
        elif kind == ">":
            file, _, command = said.partition(" ")
            Path(file).write_text(_asked(run, command).out)
        elif kind in ("$", "x"):
            words, ran = shlex.split(said.partition(" < ")[0]), _asked(run, said, "--json")
            answer = json.loads(ran.out)
            assert ("error" in answer) is (kind == "x"), (said, answer)
            modes = [one for one in words[1:] if one in MODES.get(words[0], ())]
            mode = "failure" if kind == "x" else " ".join([words[0], *modes])
            answers.setdefault(mode, []).append(answer)
    return answers


def _asked(run: Callable[..., Ran], line: str, *more: str) -> Ran:
    command, _, stdin = line.partition(" < ")
    return run(*shlex.split(command), *more, stdin=f"{stdin}\n".encode())


def shape(answers: list[Any]) -> list[str]:
    """Write the keys of some objects, a line for each object in them: path, then its keys.

    A key ends in `[]` where it holds a list, and in `?` where not every such object has it.
    """
    seen: dict[str, list[dict[str, set[str]]]] = {}

    def look(value: Any, path: str) -> str:
        if isinstance(value, list):
            ends = {look(one, f"{path}[]") for one in value}
            return "[]" + max(ends, default="")
        if not isinstance(value, dict):
            return ""
        if path in KEYED:
            ends = {look(one, f"{path}.{KEYED[path]}") for one in value.values()}
            return f".{KEYED[path]}{max(ends, default='')}"
        keys = {key: {look(one, f"{path}.{key}".lstrip("."))} for key, one in value.items()}
        seen.setdefault(path, []).append(keys)
        return ""

    for answer in answers:
        look(answer, "")
    lines = []
    for path, objects in seen.items():
        keys: dict[str, set[str]] = {}
        for one in objects:
            for key, ends in one.items():
                keys.setdefault(key, set()).update(ends)
        told = [
            f"{key}{max(ends, key=len)}{'' if all(key in one for one in objects) else '?'}"
            for key, ends in sorted(keys.items())
        ]
        lines.append(f"{path or '.'}: {', '.join(told)}")
    return sorted(lines, key=lambda line: (not line.startswith(".:"), line))
