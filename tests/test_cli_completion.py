"""Completion: what a real shell is offered, from the cache alone, silent and without a write."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.campaigns import forks
from tests.conftest import Repo, Run, each_row, laid_once
from tests.terminals import Terminal

SHELLS = ("bash", "zsh", "fish")
WEB = ["webhook-once", "webhook-retries"]


def needs(shell: str) -> pytest.MarkDecorator:
    """Skip where a shell is not installed."""
    return pytest.mark.skipif(not shutil.which(shell), reason=f"{shell} is not installed")


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """Facts of three kinds, two agents, one of them with a name that no shell should run."""
    new = ("id=webhook-once decision: Sent once.", "id=webhook-retries fact: Three times.",
           "id=retry-storm thread: Can it?", "entity=Redis stack: Redis.")  # fmt: skip
    words = [word for text in new for word in ("--new", text)]
    assert run("append", "--agent", "codex", "--title", "Ship", *words).code == 0
    assert run("append", "--agent", "$(touch pwned);x", "--title", "More").code == 0
    assert run("append", "--agent", "claude-code", "--title", "Done", "--close", "retry-storm",
               "--new", "id=next-thing thread: And now?").code == 0  # fmt: skip


@pytest.fixture
def environment(tmp_path: Path, shop: Repo, run: Run) -> dict[str, str]:
    """Return an environment with `diurna` on the path, in which the cache is warm that completion reads."""
    assert run("show").code == 0
    (tmp_path / "tools").mkdir()
    forks.put_program(tmp_path / "tools/diurna")
    path = f"{tmp_path}/tools{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TERM": "dumb", "INPUTRC": "/dev/null"}


def offered(shell: str, shop: Repo, environment: dict[str, str], line: str) -> list[str]:
    """Ask as the script of a shell asks; a line ends with the word that is being typed."""
    words = line.split(" ")
    typed = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    if shell == "fish":
        typed = {"COMP_WORDS": " ".join(words[:-1]), "COMP_CWORD": words[-1]}
    done = subprocess.run(
        ["diurna"], cwd=shop.path, env={**environment, **typed, "_DIURNA_COMPLETE": f"{shell}_complete"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    if shell == "zsh":  # type, value and help, a line each
        return lines[1::3]
    values = [one.split(",", 1)[1].split("\t")[0] for one in lines if "," in one]
    return [value.split("\n")[0] for value in values]


CASES = [
    ("diurna show web", WEB),
    ("diurna why webhook-o", ["webhook-o", "webhook-once"]),  # a file, and ids behind it
    ("diurna append --close ", ["next-thing"]),
    ("diurna append --ref next-thing,webhook-r", ["next-thing,webhook-retries"]),
    ("diurna show --tier arch", ["archive-candidate", "archived"]),
    ("diurna log --agent ", ["claude-code", "codex"]),
    ("diurna recall --entity R", ["Redis"]),
    ("diurna append --from-json no", ["no"]),  # a file, which the shell completes itself
    ("diurna --home ne", ["ne"]),
    ("diurna task p", ["pick"]),
    ("diurna task add x --owner co", ["codex"]),
]


@pytest.mark.deep(reason="test_cli::completion is the small one")
@each_row("line, expected", CASES)
def test_what_is_offered(
    shop: Repo, environment: dict[str, str], line: str, expected: list[str]
) -> None:
    """Commands, options, ids, kinds, tiers, agents and entities, each where a parameter takes one."""
    assert offered("bash", shop, environment, line) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_offered_the_same(
    shop: Repo, environment: dict[str, str], shell: str
) -> None:
    """What zsh and fish ask gives the same names."""
    assert offered(shell, shop, environment, "diurna show web") == WEB
    assert offered(shell, shop, environment, "diurna show --kind dec") == ["decision"]


def test_stems_are_offered(shop: Repo, run: Run, environment: dict[str, str]) -> None:
    """The newest first, where a log is taken."""
    stems = [one["stem"] for one in run("log", "--json").json["sessions"]]
    assert offered("bash", shop, environment, f"diurna show --as-of {stems[0][:10]}") == stems


@needs("bash")
def test_bash_completes_what_is_typed(shop: Repo, environment: dict[str, str]) -> None:
    """In a bash on a terminal Tab writes the rest of an id and of an option's value."""
    bash = Terminal(
        ["bash", "--norc", "--noprofile", "-i"], shop.path, {**environment, "PS1": "ready> "}
    )
    bash.answer("ready> ", 'eval "$(diurna completion bash)"; bind "set bell-style none"')
    bash.expect("ready> ")
    bash.press("echo diurna; diurna show webhook-o\t")
    bash.expect("diurna show webhook-once")
    bash.press("--kind dec\t\n")
    bash.expect("--kind decision")
    bash.press("exit\n")
    bash.finish()
    assert not (shop.path / "pwned").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(run: Run, shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is printed anywhere, home or none, and calls Diurna by the variable that it reads."""
    monkeypatch.chdir(tmp_path)
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"_DIURNA_COMPLETE={shell}_complete" in ran.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=ran.out, text=True, check=True)


def test_it_writes_nothing_and_asks_git_for_nothing(
    shop: Repo, environment: dict[str, str], tmp_path: Path
) -> None:
    """No file changes, also of the cache, and no git is spawned."""
    spy = tmp_path / "tools/git"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nexit 1\n")
    spy.chmod(0o755)
    before = {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted(shop.path.rglob("*")) if path.is_file()
    }  # fmt: skip
    assert offered("bash", shop, environment, "diurna show web") == WEB
    assert offered("bash", shop, environment, "diurna log --agent co") == ["codex"]
    assert before == {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted(shop.path.rglob("*")) if path.is_file()
    }  # fmt: skip
    assert not (tmp_path / "asked").exists()


def test_whatever_is_wrong_is_silent(
    shop: Repo, environment: dict[str, str], tmp_path: Path
) -> None:
    """No home, a damaged cache or none, a command that there is not: nothing is offered and nothing said."""
    empty = Repo(tmp_path / "nowhere")
    empty.path.mkdir()
    assert offered("bash", empty, environment, "diurna show web") == []
    assert offered("bash", shop, environment, "diurna --home /nowhere show web") == []
    assert offered("bash", shop, environment, "diurna nonsense web") == []
    (cache,) = (shop.path / ".git/diurna/cache").glob("*.sqlite")
    cache.write_bytes(cache.read_bytes()[:-4096] + b"x" * 4096)
    assert offered("bash", shop, environment, "diurna show web") == []
    cache.unlink()
    assert offered("bash", shop, environment, "diurna show web") == []
    assert not cache.exists()
