"""Histories of a branch, scripted with real git: how work is done on it, how it ends, and who is told what of that."""

from __future__ import annotations

import os
import random
import subprocess
from typing import Any, NamedTuple

from tests.world import OWN_BRANCH, Place, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LANDED, OPEN, REVERTED = "landed", "open", "reverted"
#: 2026-01-05 09:00 UTC, in seconds since 1970, and what passes between two acts.
_START, _STEP = 1_767_603_600, 600
_LINES = 60
#: By its seed: how late it is when a story has begun, and what it says next.
_BEGUN: dict[int, tuple[int, int, Any]] = {}


class Asked(NamedTuple):
    """A fact that a log brought, and what becomes of its work."""

    fact: str
    becomes: str  #: `LANDED`, `OPEN` or `REVERTED`
    commit: str = ""  #: that landed or reverted it, "" where several would do


class Story:
    """One repository with a trunk, a branch and a log of the work on it.

    Args:
        place: a folder that is made, with a memory on a branch of its own.
        seed: of texts and sizes.
    """

    def __init__(self, place: Place, seed: int) -> None:
        self.random = random.Random(seed)
        self.facts: list[str] = []

        def make(apart: World) -> None:
            self._begin(apart.place(place.folder.name))
            _BEGUN[seed] = self.now, self._words, self.random.getstate()

        place.world.laid(f"story {place.folder.name} {seed}", make)
        self.place, self.folder = place, place.folder
        self.now, self._words, state = _BEGUN[seed]
        self.random.setstate(state)
        place.clock.now_ms = self.now * 1000

    def _begin(self, place: Place) -> None:
        self.place, self.folder = place, place.folder
        self.now, self._words = _START, 0
        self.folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        for name in ("src/api.py", "src/db.py", "src/web.py", "CHANGES.md"):
            self.write(name, self.lines(_LINES))
        self.commit("Start")
        for number in range(self.random.randint(1, 3)):
            self.trunk_work(number)
        self.at_its_time(lambda: place.init(OWN_BRANCH))
        self.at_its_time(lambda: place.note("id=shared decision: What main says."))

    def at_its_time(self, act: Callable[[], object]) -> None:
        """Give a command of Diurna's when it is that time in the story."""
        self.place.clock.now_ms = self.now * 1000
        act()

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git at the story's time; time passes."""
        self.now += _STEP
        stamp = f"{self.now} +0000"
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
        env = {**os.environ, **who, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        env |= {"GIT_EDITOR": "true", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], capture_output=True, text=True, env=env
        )
        if check and done.returncode:
            raise AssertionError(f"git {arguments}: {done.stderr}{done.stdout}")
        return done.stdout.strip()

    def lines(self, count: int) -> list[str]:
        """Return lines that nobody wrote before."""
        self._words += count
        return [f"value_{self._words - at} = {self.random.getrandbits(40)}" for at in range(count)]

    def read(self, name: str) -> list[str]:
        """Return the lines of a file."""
        return (self.folder / name).read_text().splitlines()

    def write(self, name: str, lines: list[str]) -> None:
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")

    def put(self, name: str, lines: list[str], at: int) -> None:
        """Put lines into a file, before one of its lines."""
        there = self.read(name)
        self.write(name, [*there[:at], *lines, *there[at:]])

    def commit(self, message: str) -> str:
        """Commit all that differs."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.head()

    def head(self) -> str:
        """Return the commit of HEAD."""
        return self.git("rev-parse", "HEAD")

    def trunk_work(self, number: int) -> str:
        """Let somebody else commit on what is checked out, where the branch does not work."""
        name = ("CHANGES.md", "src/web.py", "docs/guide.md")[number % 3]
        self.write(
            name, [*(self.read(name) if (self.folder / name).exists() else ()), *self.lines(2)]
        )
        return self.commit(f"Somebody else's work {self._words}")

    def work(self, branch: str, commits: int, *, size: int = 0, start: str = "main") -> list[str]:
        """Make a branch with some commits."""
        self.git("switch", "-q", "-c", branch, start)
        return [self.one_commit(branch, number, size) for number in range(commits)]

    def one_commit(self, branch: str, number: int, size: int = 0) -> str:
        """Commit once to what is checked out: new lines in one file, or a new file."""
        count = size or self.random.randint(3, 14)
        self.change(branch, number, count)
        return self.commit(f"{branch}: step {number} of {self._words}")

    def change(self, branch: str, number: int, count: int) -> None:
        """Change files as the branch does, and commit nothing."""
        if number % 3 == 2:
            self.write(f"src/{branch.replace('/', '_')}_{number}.py", self.lines(count))
        else:
            self.put(("src/api.py", "src/db.py")[number % 2], self.lines(count), 20 + 5 * number)

    def log(self) -> str:
        """Record a log now, of a fact that it brings and one that it rewords; return the first."""
        self.now += _STEP
        name = f"fact-{len(self.facts)}"
        self.facts.append(name)
        new = ("--new", f"id={name} decision: What {name} says.")
        given = ("append", "--again", "--title", name, *new, "--update", "shared")
        self.at_its_time(lambda: self.place.run(*given, f"What {name} says of all."))
        self.ended = self.place.clock.now_ms // 1000
        return name

    def squash(self, branch: str, title: str = "", edit: Callable[[], None] | None = None) -> str:
        """Squash a branch into what is checked out, under a message that names nothing of it."""
        self.git("merge", "--squash", branch)
        if edit:
            edit()
        return self.commit(title or f"Something new (#{self.random.randint(10, 99)})")

    def main(self, moves: int = 1) -> None:
        """Go to the trunk, where others went on meanwhile."""
        self.git("switch", "-q", "main")
        for number in range(moves):
            self.trunk_work(number)


X = "feature/x"


def _place(story: Story, place: str) -> str:
    """Work on a branch and record a log: at its tip, in its middle, or before what is committed."""
    commits = story.random.randint(2, 4)
    if place == "dirty":
        story.work(X, commits - 2)
        story.change(X, 0, 6)  # in a file that git knows
        log = story.log()
        story.commit(f"{X}: what was not committed")
        story.one_commit(X, commits - 1)
        return log
    story.work(X, commits - (place == "middle"))
    log = story.log()
    if place == "middle":
        story.one_commit(X, commits - 1)
    return log


def _merge(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main()
    story.git("merge", "-q", "--no-ff", "-m", f"Merge branch '{X}'", X)
    return Asked(log, LANDED)


def _fast_forward(story: Story, place: str) -> Asked:
    """In the very second of the log: git's notes tell no less."""
    log = _place(story, "tip" if place == "middle" else place)
    story.now = story.ended - 2 * _STEP
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--ff-only", X)
    story.git("branch", "-D", X)
    return Asked(log, LANDED)


def _squash(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main()
    return Asked(log, LANDED, story.squash(X))


def _squash_after_trunk(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main(2)
    story.git("switch", "-q", X)
    story.git("merge", "-q", "-m", "Merge branch 'main' into feature/x", "main")
    story.one_commit(X, 5)
    story.main()
    return Asked(log, LANDED, story.squash(X))


def _rebase(story: Story, place: str) -> Asked:
    """Twice: where it was before the first time, its reflog alone tells."""
    log = _place(story, place)
    story.git("rebase", "-q", "--force-rebase", "main")
    story.main(2)
    story.git("rebase", "-q", "main", X)
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--ff-only", X)
    return Asked(log, LANDED)


def _rebase_merge(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main(2)
    story.git("rebase", "-q", "main", X)
    story.main()
    story.git("merge", "-q", "--no-ff", "-m", "Bring in what was done", X)
    return Asked(log, LANDED)


def _pick(story: Story, place: str) -> Asked:
    log = _place(story, place)
    picked = story.git("rev-list", "--reverse", f"main..{X}").split()
    story.main()
    story.git("cherry-pick", *(["-x"] if story.random.random() < 0.5 else []), *picked)
    return Asked(log, LANDED)


def _named(story: Story, place: str) -> Asked:
    """The squash has the words that git proposes, and none of the branch's lines."""
    story.work(X, 1, size=12)
    log = story.log()
    story.main()
    edit = _edit(story, 1)
    story.git("merge", "--squash", X)
    edit()
    story.git("commit", "-q", "-a", "--no-edit")
    return Asked(log, LANDED, story.head())


def _pull_request_merge(story: Story, place: str) -> Asked:
    """The forge rebases, merges and rewrites all of it; its message tells the branch."""
    story.work(X, 1, size=12)
    log = story.log()
    story.main()
    story.git("switch", "-q", "-c", "staged")
    story.squash(X, "Staged", _edit(story, 1))
    story.main()
    story.git(
        "merge", "-q", "--no-ff", "-m", f"Merge pull request #9 from ada/{X}\n\nWork", "staged"
    )
    return Asked(log, LANDED)


def _stacked_child(story: Story, place: str) -> Asked:
    """The parent lands; its child is open."""
    story.work("feature/parent", story.random.randint(1, 3), size=story.random.randint(4, 30))
    if place != "tip":
        story.log()
    story.work(X, 1, size=story.random.randint(2, 14), start="feature/parent")
    log = story.log()
    story.main()
    story.squash("feature/parent")
    story.git("branch", "-D", "feature/parent")
    return Asked(log, OPEN)


def _dropped(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main(2)
    story.at_its_time(story.place.aside)
    story.git("branch", "-D", X)
    story.trunk_work(1)
    return Asked(log, OPEN)


def _open(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main(2)
    return Asked(log, OPEN)


def _fresh(story: Story, place: str) -> Asked:
    """The first log on a fresh branch, before any commit; perhaps with work since, behind a rebase."""
    story.work(X, 0)
    story.change(X, 2 * (place == "middle"), 8)
    log = story.log()
    if place == "middle":
        story.commit("Work that was not committed")
    else:
        story.git("stash", "-q")
    story.main(2)
    if place == "middle":
        story.git("rebase", "-q", "main", X)
        story.git("switch", "-q", "main")
    return Asked(log, OPEN)


def _alike(story: Story, place: str) -> Asked:
    """Somebody else writes half of the same."""
    story.work(X, 1, size=20)
    log = story.log()
    theirs = story.read("src/api.py")
    story.main()
    ours = set(story.read("src/api.py"))
    fresh = [line for line in theirs if line not in ours]
    part = {"tip": 0.25, "middle": 0.5, "dirty": 0.7}[place]
    same = fresh[: int(len(fresh) * part)]
    story.put("src/api.py", [*same, *story.lines(len(fresh) - len(same))], 20)
    story.commit("The same idea, by somebody else")
    return Asked(log, OPEN)


def _changelog(story: Story, place: str) -> Asked:
    """The last commit of a branch brings its changelog up to date, which the trunk is already."""
    story.work(X, 2, size=12)
    story.main(0)
    entry = story.lines(1)
    story.put("CHANGES.md", entry, 3)
    story.commit("Changelog")
    story.git("switch", "-q", X)
    story.put("CHANGES.md", entry, 3)
    story.commit("Changelog")
    log = story.log()
    story.main()
    return Asked(log, OPEN)


def _force_pushed(story: Story, place: str) -> Asked:
    """The branch is rewritten without the work, and merged."""
    log = _place(story, place)
    story.git("reset", "-q", "--hard", "main")
    story.write("src/other.py", story.lines(9))
    story.commit("Another way")
    story.main()
    story.git("merge", "-q", "--no-ff", "-m", f"Merge branch '{X}'", X)
    return Asked(log, OPEN)


def _amended(story: Story, place: str) -> Asked:
    """The branch is amended and force-pushed, then squashed."""
    story.work(X, 2)
    log = story.log()
    story.put("src/web.py", story.lines(2), 30)
    story.git("commit", "-q", "-a", "--amend", "-m", "Reworded")
    story.main()
    return Asked(log, LANDED, story.squash(X))


def _reverted(story: Story, place: str) -> Asked:
    log = _place(story, place)
    story.main()
    if story.random.random() < 0.5:
        landed = story.squash(X)
        story.git("revert", "--no-edit", landed)
    else:
        story.git("merge", "-q", "--no-ff", "-m", f"Merge branch '{X}'", X)
        story.git("revert", "--no-edit", "-m", "1", "HEAD")
    reverting = story.head()
    story.trunk_work(0)
    return Asked(log, REVERTED, reverting)


def _revert_of_revert(story: Story, place: str) -> Asked:
    asked = _reverted(story, place)
    story.git("revert", "--no-edit", asked.commit)
    return Asked(asked.fact, LANDED)


def _landed_again(story: Story, place: str) -> Asked:
    """What was reverted comes in once more, by picks."""
    log = _place(story, place)
    picked = story.git("rev-list", "--reverse", f"main..{X}").split()
    story.main()
    landed = story.squash(X)
    story.git("revert", "--no-edit", landed)
    story.git("cherry-pick", *picked)
    return Asked(log, LANDED)


def _rewritten_later(story: Story, place: str) -> Asked:
    """The branch itself rewrites the lines of the log, and is squashed."""
    story.work(X, 1, size=10)
    log = story.log()
    _anew(story, range(20, 30))
    story.commit("All of it otherwise")
    story.main()
    return Asked(log, LANDED, story.squash(X))


def _edit(story: Story, part: int) -> Callable[[], None]:
    """Return what writes anew one in so many of the lines that a branch brings."""
    before = set(story.read("src/api.py"))

    def edit() -> None:
        fresh = [at for at, line in enumerate(story.read("src/api.py")) if line not in before]
        _anew(story, fresh[: len(fresh) // part])

    return edit


def _anew(story: Story, places: Iterable[int]) -> None:
    """Write lines of the file that the branch changes first anew."""
    there = story.read("src/api.py")
    for at in places:
        there[at] = story.lines(1)[0]
    story.write("src/api.py", there)


def _two_remotes(story: Story, place: str) -> Asked:
    """One remote has the branch squashed, the other not; the trunk here follows the first."""
    log = _place(story, place)
    story.main()
    fork = story.head()
    landed = story.squash(X)
    story.git("update-ref", "refs/remotes/origin/main", landed)
    story.git("update-ref", "refs/remotes/fork/main", fork)
    story.git("update-ref", f"refs/remotes/fork/{X}", X)
    return Asked(log, LANDED, landed)


#: What a branch can come to.
ENDS: dict[str, Callable[[Story, str], Asked]] = {
    "merge": _merge, "fast-forward": _fast_forward, "squash": _squash,
    "squash after trunk": _squash_after_trunk, "rebase": _rebase,
    "rebase and merge": _rebase_merge, "cherry-pick": _pick,
    "pull request": _pull_request_merge, "stacked child": _stacked_child, "dropped": _dropped,
    "open": _open, "fresh": _fresh, "alike": _alike, "changelog": _changelog,
    "force-pushed away": _force_pushed, "amended": _amended, "reverted": _reverted,
    "revert of revert": _revert_of_revert, "landed again": _landed_again,
    "rewritten later": _rewritten_later,
    "two remotes": _two_remotes, "named": _named,
}  # fmt: skip
PLACES = ("tip", "middle", "dirty")
