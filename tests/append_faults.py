"""A home in which a write is about to go wrong: a child process appends, and dies or fails at one precise point."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger.home import Home
from memory.api import Memory
from memory.write.draft import Receipt
from projection.document.page_renderer import render
from tests.campaigns import forks
from tests.campaigns.homes import (
    IN_TREE,
    OWN_REPOSITORY,
    START_MS,
    WRITERS,
    Clock,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    open_memory,
    users_files,
)

ROOT = Path(__file__).resolve().parents[1]
DIED = 77
both = pytest.mark.parametrize("writer", WRITERS)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder for a home, not below the user's home folder."""
    folder = tmp_path / "shop"
    yield folder


class Tried:
    """A home with one acknowledged log, in which something is about to go wrong."""

    def __init__(self, folder: Path, writer: str, kind: str = IN_TREE) -> None:
        self.folder = folder
        self.writer = writer
        self.home = make_home(folder, kind)
        self.clock = Clock(START_MS + 1_000_000)
        self.acknowledged: dict[str, bytes] = {}
        self.append("first")
        (folder / "notes.txt").write_text("mine, untracked\n")
        if kind == IN_TREE:
            (folder / "code.py").write_text("print('mine, not staged')\n")
            (folder / "staged.py").write_text("print('mine, staged')\n")
            git(folder, "add", "staged.py")
        self.settle()

    def settle(self) -> None:
        """Remember what is to stay as it is now."""
        self.kept_users = self.users()
        self.kept_status = self.status()
        self.tip = self.home.tip()

    def open(self) -> Memory:
        """Open the home as a new process would."""
        return open_memory(self.folder, self.writer, self.clock)

    def append(self, name: str) -> Receipt:
        """Append as a new process would, and remember what was acknowledged."""
        memory = self.open()
        try:
            receipt = memory.append(draft(name))
        finally:
            memory.close()
        self.acknowledged[receipt.stem] = receipt.data
        return receipt

    def users(self) -> dict[str, bytes]:
        """Return the bytes of everything in the work tree that is not Diurna's."""
        found = users_files(self.folder)
        if self.home.kind != OWN_REPOSITORY:
            return found
        ours = ("sessions/", "archive/", "continuity.md", "diurna.toml", ".gitattributes")
        return {path: data for path, data in found.items() if not path.startswith(ours)}

    def status(self) -> str:
        """Say what git would tell the user."""
        return git(self.folder, "status", "--porcelain")

    def die(self, setting: str, name: str = "second") -> None:
        """Let a child append, and die where `setting` (with `memory` at hand) makes it."""
        done = self.child(setting, name)
        assert done.returncode == DIED, done.stdout + done.stderr

    def child(
        self,
        setting: str,
        name: str = "second",
        *,
        prefix: tuple[str, ...] = (),
        preexec: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Let a child append; it prints what became of it."""
        script = _CHILD.format(
            folder=str(self.folder), writer=self.writer, name=name, died=DIED,
            now=self.clock(), setting=setting,
        )  # fmt: skip
        if not prefix and preexec is None:
            return forks.run(["-c", script], ROOT, os.environ)
        return subprocess.run(
            [*prefix, sys.executable, "-c", script],
            cwd=ROOT, capture_output=True, text=True, preexec_fn=preexec,
        )  # fmt: skip

    def waiting(self) -> list[str]:
        """Return the stems in the spool."""
        return self.open().waiting()

    def assert_nothing_moved(self) -> None:
        """Check that the ledger is as it was, and so is everything of the user's."""
        assert self.home.tip() == self.tip
        self.assert_whole()

    def assert_whole(self) -> None:
        """Check that all that was acknowledged is there, and the user's files are untouched."""
        assert_sound(self.home, self.acknowledged)
        assert self.users() == self.kept_users

    def assert_next_append_works(self, *names: str) -> None:
        """Append without anyone's help; `names` are the facts that must have come along."""
        memory = self.open()
        receipt = memory.append(draft("next"))
        self.acknowledged[receipt.stem] = receipt.data
        assert memory.waiting() == []
        self.assert_whole()
        assert self.status() == self.kept_status, "the user's status is as it was before"
        warm, cold = memory.state(), memory.cold_state()
        facts = [one.fact.id for one in cold.standings()]
        assert sorted(facts) == sorted(["first", "next", *names])
        assert render(warm.view()) == render(cold.view())
        assert warm.findings() == cold.findings()
        assert len(logs_in(self.home)) == 2 + len(names)
        assert not list((Path(self.home.repository.commondir) / "refs").rglob("*.lock"))


_CHILD = """
import os, resource, signal, sys
from tests.campaigns.homes import Clock, draft, open_memory
from ledger.errors import DiurnaError, WaitsInSpool
import ledger.git.fast_import, ledger.wal.spool, ledger.wal.atomic_files, memory.worktree.checkout, memory.write.spool_commits
memory = open_memory({folder!r}, {writer!r}, Clock({now}))
spool = memory._committer.spool
writer = memory._committer.writer()
def die(*args, **more):
    os._exit({died})
def limit(size):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
def after(thing, name, then):
    whole = getattr(thing, name)
    def both(*args, **more):
        result = whole(*args, **more)
        then()
        return result
    setattr(thing, name, both)
def before(thing, name, first):
    whole = getattr(thing, name)
    def both(*args, **more):
        first()
        return whole(*args, **more)
    setattr(thing, name, both)
{setting}
try:
    receipt = memory.append(draft({name!r}))
except WaitsInSpool as problem:
    print("waits", problem.stem, "|", problem, "|", problem.hint)
except DiurnaError as problem:
    print("refused", type(problem).__name__, "|", problem, "|", problem.hint)
else:
    print("ok", receipt.stem)
"""


def object_file(home: Home, oid: str) -> Path:
    """Return the file of a loose object, writable."""
    file = Path(home.repository.commondir) / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    return file
