"""What a commit is made of when git shows other objects than those that are there (fault:C19).

`git replace` and `.git/info/grafts` change what git says of a commit, a tree or a file. Ours are built on
what was committed: after each, the tip has every log of its real parents, and its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.conftest import sampled
from tests.world import OWN_REPOSITORY, Place, World

REAL = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": "/dev/null/none"}


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Ask git in a place what was committed."""

    def real(where: Place, *arguments: str) -> str:
        with pytest.MonkeyPatch.context() as patch:
            for key, value in REAL.items():
                patch.setitem(os.environ, key, value)
            return where.git(*arguments)

    return real


Real = Callable[..., str]


def logs(real: Real, home: Place, commit: str) -> set[str]:
    """Return the names of the logs that a commit really has."""
    listed = real(home, "ls-tree", "-r", "--name-only", commit)
    return {line.rpartition("/")[2] for line in listed.split("\n") if "sessions/" in line}


def _folder(real: Real, home: Place, commit: str) -> str:
    listed = real(home, "ls-tree", "-r", "--name-only", commit).split("\n")
    path = next(line for line in listed if "sessions/" in line).rpartition("/")[0]
    return real(home, "rev-parse", f"{commit}:{path}")


def disguise(real: Real, home: Place, name: str) -> None:
    """Let git show something else than what memory's branch, with three logs, is made of."""
    tip = home.branch
    if name in ("grafts", "shallow"):
        common = home.common
        (common / "info").mkdir(exist_ok=True)
        commit, root, before = (
            real(home, "rev-parse", one) for one in (tip, f"{tip}~3", f"{tip}~1")
        )
        file, text = (
            (common / "info/grafts", f"{commit} {root}\n")
            if name == "grafts"
            else (common / "shallow", f"{before}\n")
        )
        file.write_text(text)
    elif name == "graft of git replace":
        real(home, "replace", "--graft", tip, f"{tip}~3")
    else:
        old, new = {
            "tip": lambda: (tip, f"{tip}~2"),
            "ancestor": lambda: (f"{tip}~1", f"{tip}~3"),
            "tip's tree": lambda: (f"{tip}^{{tree}}", f"{tip}~2^{{tree}}"),
            "a folder": lambda: (_folder(real, home, tip), _folder(real, home, f"{tip}~2")),
        }[name]()  # fmt: skip
        real(home, "replace", "-f", old, new)


DISGUISES = (
    "tip",
    "ancestor",
    "tip's tree",
    "a folder",
    "graft of git replace",
    "grafts",
    "shallow",
)

#: Each command that commits, and how many logs it brings.
COMMANDS = {
    ("note", "id=d fact: All about d."): 1, ("sync",): 1, ("check", "--publish"): 0, ("check", "--absorb"): 1,
    ("redact", "b", "--reason", "a slip", "--yes"): 1, ("import", "jsonl", "items.jsonl", "--write"): 1, ("undo", "--yes"): 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "command"),
    sampled([(one, words) for one in DISGUISES for words in COMMANDS], 6),
    ids=lambda case: case[0] if isinstance(case, tuple) else case,
)  # fmt: skip
def test_c19_so_is_the_commit_of_every_command(
    name: str, command: tuple[str, ...], world: World, real: Real
) -> None:
    """Each leaves every log that was there, and those of a colleague's that it joins."""
    home = world.home(OWN_REPOSITORY)
    for one in "abc":
        home.note(f"id={one} fact: Number {one} is told.")
    home.run("check", "--publish")
    if command[0] == "sync":
        home.join(world.hub())
        colleague = home.clone("b")
        colleague.note("id=theirs fact: A colleague's.")
        colleague.git("push", "-q")
    page = home.prefix + "continuity.md"
    if command == ("check", "--absorb"):
        home.write(page, home.read(page).replace("Number b", "Number 2"))
    if command == ("check", "--publish"):
        home.plant({"continuity.md": home.read(page).replace("- Facts", "- facts")})
        command = (*command, "--discard-edits")
    home.write("items.jsonl", '{"text": "Orders are never deleted."}\n')
    before = logs(real, home, home.branch)
    disguise(real, home, name)
    home.run(*command)
    after = logs(real, home, home.branch)
    assert before <= after
    assert len(after) - len(before) == COMMANDS[command if command in COMMANDS else command[:2]]
