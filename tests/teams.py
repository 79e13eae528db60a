"""Clones of one bare remote, as a team has them: some with Diurna, some with git alone."""

from __future__ import annotations

import re
import subprocess
from itertools import count
from pathlib import Path

from ledger.home import discover
from ledger.model.event import Event, FactCreated
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.sync.report import Report
from rituals.sync.sync import sync
from tests.campaigns.homes import OWN_BRANCH, OWN_REPOSITORY, START_MS, git, make_home

#: One clock for all, so that no two logs of a test share a stamp.
_TICKS = count(START_MS, 1000)
MARKERS = (b"<<<<<<<", b">>>>>>>", b"=======")


class Clone:
    """A home in a folder; every question opens it anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def memory(self) -> Memory:
        home = discover(str(self.folder))
        return Memory(home, agent=self.folder.name, clock=lambda: next(_TICKS), in_process=False)

    def append(self, title: str, *events: Event) -> str:
        return self.memory.append(SessionDraft(title, "It went.", events)).stem

    def create(self, fact: str, text: str = "") -> str:
        return self.append(f"On {fact}", FactCreated(fact, text or f"The text of {fact}."))

    def sync(self, remote: str = "") -> Report:
        return sync(self.memory, remote, sleep=lambda seconds: None)

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments).strip()

    def tries(self, *arguments: str) -> tuple[int, str]:
        """Run git where it may stop; return its exit code and what it said."""
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    def facts(self) -> set[str]:
        return set(self.memory.state())

    def published(self) -> dict[str, str]:
        """Return path -> blob id of the logs and the projection at the tip."""
        home = self.memory.home
        rows = self.git("ls-tree", "-r", "--full-tree", home.tip()).split("\n")
        found = {row.split("\t")[1]: row.split()[2] for row in rows}
        return {path: blob for path, blob in found.items() if path.startswith(home.prefix)}

    def unmerged(self) -> list[str]:
        """Return the paths in which git left a conflict."""
        return self.git("diff", "--name-only", "--diff-filter=U").split()

    def marked(self) -> list[str]:
        """Return the files of the work tree that hold conflict markers."""
        found = []
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and ".git" not in path.relative_to(self.folder).parts:
                lines = path.read_bytes().split(b"\n")
                if any(line.startswith(MARKERS) for line in lines):
                    found.append(path.relative_to(self.folder).as_posix())
        return found

    def clean(self) -> bool:
        """Tell whether git has nothing to say about the work tree, and no file holds a marker."""
        return not (self.git("status", "--porcelain") or self.unmerged() or self.marked())


class Team:
    """A bare remote and clones of it.

    Args:
        folder: where all of them are.
        kind: of the home.
        publish: `append` or `review`, "" for what the kind of home has at first.
        policy: (key, number) of windows to set.
        url: of the remote, with `{}` for its folder.
    """

    def __init__(
        self,
        folder: Path,
        kind: str = OWN_REPOSITORY,
        publish: str = "",
        policy: tuple[tuple[str, int], ...] = (),
        url: str = "{}",
    ) -> None:
        self.folder, self.kind = folder, kind
        self.branch = "memory" if kind == OWN_BRANCH else "main"
        self.hub = folder / "hub.git"
        self.url = url.format(self.hub)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.hub))
        home = make_home(folder / "one", kind)
        self.one = Clone(folder / "one")
        if kind != OWN_BRANCH and (publish or policy):
            path = Path(home.folder) / "diurna.toml"
            text = path.read_text()
            if publish:
                text = re.sub(r'publish = "\w+"', f'publish = "{publish}"', text)
            for key, number in policy:
                text = re.sub(rf"(?m)^{key}( *)= .*", rf"{key}\1= {number}", text)
            path.write_text(text)
            if self.one.git("status", "--porcelain"):
                self.one.git("commit", "-q", "-a", "-m", "policy")
        self.one.git("remote", "add", "origin", self.url)
        if kind == OWN_BRANCH:
            self.one.git("push", "-q", "origin", "memory")
        self.one.git("push", "-q", "-u", "origin", "main")

    def clone(self, name: str) -> Clone:
        folder = self.folder / name
        git(self.folder, "clone", "-q", self.url, str(folder))
        git(folder, "config", "user.name", name)
        git(folder, "config", "user.email", f"{name}@example.invalid")
        return Clone(folder)


def level(*clones: Clone) -> None:
    """Check that clones with the same logs hold, once published, the same bytes."""
    first = clones[0]
    for clone in clones:
        clone.memory.publish()
        assert clone.memory.drift() == ()
        assert clone.clean()
        assert clone.memory.continuity() == first.memory.continuity()
        assert clone.published() == first.published()
