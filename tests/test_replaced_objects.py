"""What a commit is made of when git shows other objects than those that are there (fault:C19).

`git replace` and `.git/info/grafts` change what git says of a commit, a tree or a file. Ours are built on what
was committed: after each, the tip has every log of its real parents, and its own.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.home import discover
from memory.api import Memory
from tests.campaigns.homes import KINDS, WRITERS, draft, hermetic, make_home, open_memory
from tests.conftest import Repo, Run, sampled
from tests.small_ledgers import small

__all__ = ["hermetic"]


def real(where: Path, *arguments: str) -> str:
    """Ask git what was committed."""
    environment = {**os.environ, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": "/dev/null/none"}
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], env=environment, capture_output=True, check=True
    )
    return done.stdout.decode()


def logs(where: Path, commit: str) -> set[str]:
    """Return the names of the logs that a commit really has."""
    listed = real(where, "ls-tree", "-r", "--name-only", commit)
    return {line for line in listed.split("\n") if "sessions/" in line}


def _replace(where: Path, old: str, new: str) -> None:
    real(where, "replace", "-f", old, new)


def _logs_folder(where: Path, commit: str) -> str:
    path = sorted(logs(where, commit))[0].rsplit("/", 1)[0]
    return real(where, "rev-parse", f"{commit}:{path}").strip()


def _graft(where: Path, tip: str) -> None:
    commit, root = (real(where, "rev-parse", one).strip() for one in (tip, f"{tip}~3"))
    common = Path(real(where, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    (common / "info").mkdir(exist_ok=True)
    (common / "info" / "grafts").write_text(f"{commit} {root}\n")


def _cut(where: Path, tip: str) -> None:
    common = Path(real(where, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    (common / "shallow").write_text(real(where, "rev-parse", f"{tip}~1"))


#: A disguise -> how it is put on, in a repository, on a branch with three logs.
DISGUISES: dict[str, Callable[[Path, str], None]] = {
    "tip": lambda where, tip: _replace(where, tip, f"{tip}~2"),
    "ancestor": lambda where, tip: _replace(where, f"{tip}~1", f"{tip}~3"),
    "tip's tree": lambda where, tip: _replace(where, f"{tip}^{{tree}}", f"{tip}~2^{{tree}}"),
    "a folder": lambda where, tip: _replace(
        where, _logs_folder(where, tip), _logs_folder(where, f"{tip}~2")
    ),
    "a file": lambda where, tip: _replace(
        where, *(f"{tip}:{path}" for path in sorted(logs(where, tip))[:2])
    ),
    "graft of git replace": lambda where, tip: (
        real(where, "replace", "--graft", tip, f"{tip}~3"),
        None,
    )[1],
    "grafts": _graft,
    "shallow": _cut,
}


@pytest.mark.parametrize(
    ("disguise", "kind", "writer"),
    sampled([(one, kind, who) for one in DISGUISES for kind in KINDS for who in WRITERS], 5),
)
def test_c19_an_append_is_built_on_what_was_committed(
    tmp_path: Path, disguise: str, kind: str, writer: str
) -> None:
    """No log of the parent's is left out, whatever git was told to show."""
    home = make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home", writer)
    before = {memory.append(draft(name)).stem for name in ("a", "b", "c")}
    DISGUISES[disguise](tmp_path / "home", home.branch)
    after = before | {open_memory(tmp_path / "home", writer).append(draft("d")).stem}
    assert {Path(one).stem for one in logs(tmp_path / "home", home.branch)} == after
    if disguise != "shallow":
        assert logs(tmp_path / "home", f"{home.branch}~1") < logs(tmp_path / "home", home.branch)
    assert {one.fact.id for one in open_memory(tmp_path / "home").cold_state().standings()} == set(
        "abcd"
    )


def _edit(repo: Repo) -> None:
    page = repo.path / "memory" / "continuity.md"
    page.write_text(page.read_text().replace("Number two", "Number 2"))


def _colleague(repo: Repo) -> None:
    """Let a clone send a log to the remote, before anything is in disguise."""
    clone = repo.path.parent / "clone"
    repo.git("clone", "-q", str(repo.path.parent / "hub.git"), str(clone))
    memory = Memory(discover(str(clone)), agent="peer")
    memory.append(draft("there"))
    memory.close()
    Repo(clone).git("push", "-q")


#: A command -> what is to be done first.
COMMANDS: dict[tuple[str, ...], Callable[[Repo], None]] = {
    ("sync",): _colleague,
    ("check", "--publish"): lambda repo: repo.publish_when("append"),
    ("check", "--absorb"): _edit,
    ("redact", "number-two", "--reason", "a slip"): lambda repo: None,
    ("import", "jsonl", "items.jsonl", "--write"): lambda repo: (
        repo.write("items.jsonl", '{"text": "Orders are never deleted."}\n'), None,
    )[1],
    ("undo",): lambda repo: None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("disguise", "command"),
    sampled(
        [(one, words) for one in ("tip", "ancestor", "tip's tree", "grafts") for words in COMMANDS],
        5,
    ),
    ids=lambda case: case[0] if isinstance(case, tuple) else case,
)
def test_c19_so_is_the_commit_of_every_command(
    repo: Repo, run: Run, command: tuple[str, ...], disguise: str
) -> None:
    """Each that commits leaves every log that was there, and those of a colleague's that it joins."""
    repo.git("init", "-q", "--bare", "-b", "main", str(repo.path.parent / "hub.git"))
    repo.git("remote", "add", "origin", str(repo.path.parent / "hub.git"))
    for number in ("one", "two", "three"):
        assert run("note", f"id=number-{number} fact: Number {number} is told.").code == 0
    assert run("check", "--publish").code == 0
    repo.git("push", "-q", "-u", "origin", "main")
    COMMANDS[command](repo)
    before = logs(repo.path, "main")
    DISGUISES[disguise](repo.path, "main")
    ran = run(*command)
    assert ran.code == 0, ran.err
    after = logs(repo.path, "main")
    assert before <= after
    assert len(after) - len(before) == (command != ("check", "--publish"))


@pytest.mark.parametrize("disguise", ["tip", "tip's tree", "grafts"])
def test_c19_so_is_an_import_of_a_ledger(bare_repo: Repo, run: Run, disguise: str) -> None:
    """No file of the user's, and no log of the other tool's, is left out of it."""
    small(bare_repo)
    for number in range(3):
        bare_repo.write(f"code-{number}.py", "")
        bare_repo.write(f"memory/sessions/2026-01-0{number + 2}-000000.md", f"# Session {number}\n")
        bare_repo.git("add", "-A")
        bare_repo.git("commit", "-q", "-m", f"code {number}")
    before = set(real(bare_repo.path, "ls-tree", "-r", "--name-only", "main").split("\n"))
    DISGUISES[disguise](bare_repo.path, "main")
    ran = run("import", "ledger", ".", "--write")
    assert ran.code == 0, ran.err
    assert before <= set(real(bare_repo.path, "ls-tree", "-r", "--name-only", "main").split("\n"))
