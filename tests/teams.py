"""Clones of one bare remote, as a team has them: some with Diurna, some with git alone."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.model.event import Event, FactCreated
from ledger.model.findings import severe
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.check.check_registry import verify
from rituals.sync.backoff import Timer
from rituals.sync.sync_report import Report
from rituals.sync.sync_rounds import sync
from tests.campaigns.homes import (
    IN_TREE,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    fsck,
    git,
    lay,
    make_home,
)

#: One clock for all, so that no two logs of a test share a stamp.
_TICKS = count(START_MS, 1000)
#: Kinds of homes, each with how it publishes.
WAYS = [
    (OWN_REPOSITORY, "append"), (IN_TREE, "append"), (IN_TREE, "trunk"), (IN_TREE, "review"),
]  # fmt: skip
MARKERS = (b"<<<<<<<", b">>>>>>>", b"=======")


class Clone:
    """A home in a folder; every question opens it anew.

    Args:
        folder: the work tree.
        agent: who appends; the name of the folder, where none is given.
        ticks: the clock, in milliseconds; the one that all share, where none is given.
    """

    def __init__(self, folder: Path, agent: str = "", ticks: Iterator[int] = _TICKS) -> None:
        self.folder, self.agent = folder, agent or folder.name
        self._ticks = ticks

    @property
    def memory(self) -> Memory:
        home = discover(str(self.folder))
        clock = lambda: next(self._ticks)  # noqa: E731
        return Memory(home, agent=self.agent, clock=clock, in_process=False)

    def append(self, title: str, *events: Event) -> str:
        return self.memory.append(SessionDraft(title, "It went.", events)).stem

    def create(self, fact: str, text: str = "") -> str:
        return self.append(f"On {fact}", FactCreated(fact, text or f"The text of {fact}."))

    def sync(self, remote: str = "", *, dry_run: bool = False, adopt: bool = False) -> Report:
        return sync(
            self.memory,
            remote,
            dry_run=dry_run,
            adopt=adopt,
            timer=Timer(sleep=lambda seconds: None),
        )

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments).strip()

    def tries(self, *arguments: str) -> tuple[int, str]:
        """Run git where it may stop; return its exit code and what it said."""
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    def facts(self) -> set[str]:
        return set(self.memory.state())

    def tip(self) -> str:
        return self.memory.home.tip()

    def files(self) -> dict[str, str]:
        """Return path -> blob id of everything at the tip."""
        rows = self.git("ls-tree", "-r", "--full-tree", self.tip()).split("\n")
        return {row.split("\t")[1]: row.split()[2] for row in rows}

    def published(self) -> dict[str, str]:
        """Return path -> blob id of the logs and the projection at the tip."""
        prefix = self.memory.home.prefix
        return {path: blob for path, blob in self.files().items() if path.startswith(prefix)}

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
        self._lay(folder, kind, url, partial(self._begin, publish, policy), f"{publish} {policy}")
        self.one = Clone(folder / "one")

    def _lay(
        self, folder: Path, kind: str, url: str, begin: Callable[[Clone], None], name: str = ""
    ) -> None:
        """Make the remote and the first clone, which has begun to work with it."""
        self.folder, self.kind = folder, kind
        self.branch = "memory" if kind == OWN_BRANCH else "main"
        self.hub = folder / "hub.git"
        self.url = url.format(self.hub)

        def make(at: Path) -> None:
            at.mkdir(exist_ok=True)
            git(at, "init", "-q", "--bare", "-b", "main", str(at / "hub.git"))
            make_home(at / "one", kind)
            one = Clone(at / "one", ticks=count(START_MS, 1000))
            one.git("remote", "add", "origin", url.format(at / "hub.git"))
            begin(one)

        lay(f"{type(self).__name__} {kind} {url} {name}", folder, make, "one")
        config = folder / "one/.git/config"
        config.write_text(
            re.sub(r"(?m)^\turl = .*", lambda _: f"\turl = {self.url}", config.read_text())
        )

    def _begin(self, publish: str, policy: tuple[tuple[str, int], ...], one: Clone) -> None:
        if self.kind != OWN_BRANCH and (publish or policy):
            path = Path(discover(str(one.folder)).folder) / "diurna.toml"
            text = path.read_text()
            if publish:
                text = re.sub(r'publish = "\w+"', f'publish = "{publish}"', text)
            for key, number in policy:
                text = re.sub(rf"(?m)^{key}( *)= .*", rf"{key}\1= {number}", text)
            path.write_text(text)
            if one.git("status", "--porcelain"):
                one.git("commit", "-q", "-a", "-m", "policy")
        if self.kind == OWN_BRANCH:
            one.git("push", "-q", "origin", "memory")
        one.git("push", "-q", "-u", "origin", "main")

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


class SyncedTeam(Team):
    """A team whose first clone has synced, and whose clones have clocks of their own."""

    def __init__(self, folder: Path, kind: str = OWN_REPOSITORY, url: str = "{}") -> None:
        self._lay(folder, kind, url, self._begin_in_step)
        self.one = Clone(folder / "one", ticks=count(START_MS, 1000))

    def _begin_in_step(self, one: Clone) -> None:
        if self.kind != OWN_REPOSITORY:
            one.git("push", "-q", "-u", "origin", "main")
        one.sync()

    def clone(self, name: str) -> Clone:
        return Clone(super().clone(name).folder, ticks=count(START_MS + 100, 1000))

    def there(self) -> str:
        return git(self.hub, "rev-parse", self.branch).strip()


MakeTeam = Callable[..., SyncedTeam]


@pytest.fixture
def make_team(tmp_path: Path) -> MakeTeam:
    return lambda kind=OWN_REPOSITORY, url="{}": SyncedTeam(tmp_path, kind, url)


@pytest.fixture
def pair(make_team: MakeTeam) -> tuple[SyncedTeam, Clone, Clone]:
    """Two clones of a repository of its own."""
    team = make_team()
    return team, team.one, team.clone("two")


def settled(*clones: Clone) -> None:
    """Check that clones hold the same bytes, in step with what is published, and nothing is amiss."""
    first = clones[0]
    for clone in clones:
        assert clone.tip() == first.tip()
        memory = clone.memory
        assert memory.drift() == ()
        assert not severe(verify(memory))
        assert fsck(memory.home) == []
        if memory.home.checked_out:
            assert clone.git("status", "--porcelain") == ""
        if memory.home.kind == OWN_BRANCH and memory.home.repository.top:
            mirrored = clone.folder / ".memory" / "continuity.md"
            assert mirrored.read_text() == memory.continuity()


@pytest.fixture(name="team", params=WAYS)
def published(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    """A remote, a clone `one` that published a fact, and what `clone` makes."""
    return publish_one(tmp_path, *request.param)


def publish_one(folder: Path, kind: str, publish: str) -> Team:
    """Make a team whose first clone has published a fact."""
    team = Team(folder, kind, publish)
    team.one.create("alpha", "As it was.")
    team.one.memory.publish()
    team.one.sync()
    return team


def edits(clone: Clone) -> list[str]:
    """Return the logs of type `edit`."""
    return [line.stem for line in clone.memory.log() if line.type == "edit"]
