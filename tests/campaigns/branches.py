"""How surely it is told by which commit the work of a branch came into the trunk, and that it has not yet.

`python -m tests.campaigns.branches --seeds 9` scripts each end of a branch (`tests.branch_histories`) with so
many seeds, and asks in the clone of who worked there, also without what was noted of the branch; then a
colleague who never had it, without and with what the author recorded. `--repository PATH` draws runs of
commits of a real history, lets the commits that follow them go on without them, brings them in by squash,
rebase or pick over the conflicts that there are, and asks one commit before that and at it. Prints a table;
ends with 1 where the author's clone says anything false.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ledger.git.cli import Git
from ledger.git.landing.branch_sightings import now
from ledger.git.landing.landing_search import Work, search
from ledger.git.landing.message_references import history
from ledger.git.landing.work_commits import Points, Seen
from ledger.home import Home, discover
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.record import Record
from memory.api import Memory
from memory.query.open_snapshot import open_snapshot
from memory.replay.head_view import here_of
from memory.write.draft import SessionDraft
from projection.document.branch_remarks import REVERTED as REVERTED_HERE
from rituals.review.recorded_landings import record
from tests.branch_histories import ENDS, LANDED, OPEN, PLACES, REVERTED, Asked, Story
from tests.campaigns.homes import OWN_BRANCH, git, make_home, sealed_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.cache.cache_file import Cache

#: Who asks: the author; the same where reflogs and notes are gone; a colleague who never had the branch,
#: before the author recorded what became of it, and behind that.
AUTHOR, FORGETFUL, COLLEAGUE, TOLD = "author", "notes gone", "colleague", "colleague, recorded"
#: The author before anything was looked for aside: what a reader finds out by itself.
AT_ONCE = "author, at once"
ASKERS = (AT_ONCE, AUTHOR, FORGETFUL, COLLEAGUE, TOLD)
#: A fact of the trunk, which each log rewords.
_SHARED = "shared"
_WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.editor=true")


class Outcome(Record):
    """What one history came to, and what each asker was told."""

    end: str
    place: str
    seed: int
    becomes: str
    said: dict[str, str]
    seconds: float  #: that the author's search took


class Told(Record):
    """A history with a memory, once it has ended."""

    story: Story
    asked: Asked
    home: Home

    def memory(self) -> Memory:
        """Open the memory, at the story's time."""
        return Memory(self.home, agent="ada", clock=lambda: self.story.now * 1000)


def told_of(folder: Path, end: str, place: str, seed: int) -> Told:
    """Script a history whose logs are those of a memory that has a branch of its own."""
    story = Story(folder, seed)
    told = Told(story, Asked(), make_home(folder, OWN_BRANCH))
    memory = told.memory()

    kind = (("kind", "decision"),)
    first = FactCreated(_SHARED, "What main says.", meta=kind)
    memory.append(SessionDraft("On main", "", (first,)), again=True)

    def log(at: Story) -> str:
        name = f"fact-{len(at.logs)}"
        events = (
            FactCreated(name, f"What {name} says.", meta=kind),
            FactUpdated(_SHARED, text=f"What {name} says of all."),
        )
        return memory.append(SessionDraft(f"On {name}", "", events), again=True).stem

    story.on_log = log
    asked = ENDS[end](story, place)
    memory.close()
    return told._replace(asked=asked)


def view_of(home: Home, stem: str) -> str:
    """Return what the here-view of a home says of the log that made a fact, and reworded another one."""

    def ask(cache: Cache) -> str:
        here, entry = here_of(home, cache), cache.entry(stem)
        name = (
            next(event.id for event in entry.acts if isinstance(event, FactCreated))
            if entry
            else ""
        )
        row, shared = here.rows.get(name), here.known(cache, _SHARED)
        if shared is None or (f"What {name} says of all." in shared.text) is not (row is None):
            return f"torn: {row}, {shared}"
        return LANDED if row is None else REVERTED if row.here == REVERTED_HERE else OPEN

    return open_snapshot(home).ask(ask)


def search_of(told: Told, seen: list[Seen]) -> str:
    """Return what the search alone finds, where these sightings of branches are all there is."""
    log, git = told.asked.log, told.home.repository.git()
    others = frozenset([one.commit for one in told.story.logs if one != log])
    work = Points(git, seen, "main").work(log, others)
    found = search(git, work, history(git, told.story.head())) if work else None
    if found is None or not found.commit:
        return OPEN
    return REVERTED if found.reverted else LANDED


def colleague(told: Told, folder: Path) -> Home:
    """Clone, or pull, what the author pushed: the trunk and the memory, and nothing of the branch."""
    bare = folder.with_suffix(".git")
    if not bare.exists():
        git(told.story.folder, "init", "-q", "--bare", "-b", "main", str(bare))
    git(told.story.folder, "push", "-q", str(bare), "main", "memory")
    if not folder.exists():
        git(folder.parent, "clone", "-q", "--no-local", str(bare), str(folder))
    git(folder, "pull", "-q", "--ff-only")
    return discover(str(folder))


def tried(folder: Path, end: str, place: str, seed: int) -> Outcome:
    """Script one history and ask everybody."""
    told = told_of(folder / "author", end, place, seed)
    stem, story = told.asked.log.stem, told.story
    said = {AT_ONCE: view_of(told.home, stem)}
    said |= {FORGETFUL: search_of(told, now(told.home.repository, story.now * 1000))}
    said[COLLEAGUE] = view_of(colleague(told, folder / "colleague"), stem)
    memory, began = told.memory(), time.monotonic()
    record(memory)
    seconds = time.monotonic() - began
    again = record(memory)
    memory.close()
    said[AUTHOR] = f"again: {again}" if again else view_of(told.home, stem)
    said[TOLD] = view_of(colleague(told, folder / "colleague"), stem)
    return Outcome(end, place, seed, told.asked.becomes, said, seconds)


def table(outcomes: list[Outcome]) -> str:
    """Say how often each asker was told what is so, and how often that something is here which is not."""
    head = ("asker", "landed found", "not landed told so", "reverted", 'false "here"')
    rows = [head, ("---",) * len(head)]
    for who in ASKERS:
        cells = [who]
        for becomes in (LANDED, OPEN, REVERTED):
            some = [one for one in outcomes if one.becomes == becomes]
            cells.append(f"{sum(one.said[who] == becomes for one in some)}/{len(some)}")
        false = [one for one in outcomes if one.becomes != LANDED and one.said[who] == LANDED]
        rows.append((*cells, str(len(false))))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join((*lines, _times("searched and recorded", [one.seconds for one in outcomes])))


def _times(what: str, seconds: list[float]) -> str:
    some = sorted(seconds)
    return f"{what}: p50 {some[len(some) // 2]:.3f} s, p95 {some[int(len(some) * 0.95)]:.3f} s"


class Drawn:
    """A run of commits of a real history as a branch; the trunk goes on with those that follow.

    Args:
        folder: of a clone.
        rng: draws.
    """

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder = folder
        line = git(folder, "rev-list", "--first-parent", "--reverse", "origin/HEAD").split()
        many, more = rng.choice((1, 1, 2, 2, 3, 4, 6)), rng.randint(3, 14)
        at = rng.randint(0, len(line) - many - more - 1)
        self.base, self.own = line[at], line[at + 1 : at + 1 + many]
        self.meanwhile = line[at + 1 + many : at + 1 + many + more]
        self.how = rng.choice(("squash", "squash", "rebase", "pick"))
        point = self.own[rng.randrange(many)] if rng.random() < 0.4 else self.own[-1]
        ended = int(git(folder, "log", "-1", "--format=%ct", point))
        self.work = Work(point, "feature/x", ended, self.own[-1])

    def brought_in(self) -> tuple[str, str] | None:
        """Bring it in; return the trunk before that and behind it, None where nothing came of it."""
        git(self.folder, "checkout", "-qf", "-B", "trunk", self.base)
        for commit in self.meanwhile:
            self._pick(commit, over=False)
        before = head_of(self.folder)
        if self.how == "squash":
            git(self.folder, *_WHO, "merge", "--squash", "-Xtheirs", self.own[-1], check=False)
            self._settle()
            git(self.folder, *_WHO, "commit", "-qm", "Something new", check=False)
        elif not all(self._pick(commit, over=True) for commit in self.own):
            return None
        after = head_of(self.folder)
        return None if after == before else (before, after)

    def _pick(self, commit: str, *, over: bool) -> bool:
        """Pick a commit: `over` what conflicts with it, else only where nothing does."""
        how = ("--keep-redundant-commits", "--allow-empty", *(("-Xtheirs",) if over else ()))
        before = head_of(self.folder)
        git(self.folder, *_WHO, "cherry-pick", *how, commit, check=False)
        if over and head_of(self.folder) == before:
            self._settle()
            git(self.folder, *_WHO, "cherry-pick", "--continue", check=False)
        done = head_of(self.folder) != before
        if not done:
            git(self.folder, "cherry-pick", "--abort", check=False)
            git(self.folder, "reset", "-q", "--hard", before)
        return done

    def _settle(self) -> None:
        """Take the branch's side of what is still in conflict."""
        for path in git(self.folder, "diff", "--name-only", "--diff-filter=U").split("\n")[:-1]:
            git(self.folder, "checkout", "-q", "--theirs", "--", path, check=False)
            how = ("add",) if (self.folder / path).exists() else ("rm", "-q", "--cached")
            git(self.folder, *how, "--", path, check=False)


def head_of(folder: Path) -> str:
    """Return the commit of HEAD."""
    return git(folder, "rev-parse", "HEAD").strip()


def real_histories(place: Path, repository: str, draws: int, seed: int) -> int:
    """Draw runs of commits of a real history, bring them in, and ask before that and at it."""
    folder = place / "real"
    git(place, "clone", "-q", "--no-local", repository, str(folder))
    rng, times = random.Random(seed), list[float]()
    counts: Counter[tuple[str, str, bool]] = Counter()
    for _ in range(draws):
        drawn = Drawn(folder, rng)
        moments = drawn.brought_in()
        for at, landed in zip(moments or (), (False, True), strict=False):
            began = time.monotonic()
            found = search(Git(str(folder)), drawn.work, history(Git(str(folder)), at))
            times.append(time.monotonic() - began)
            right = bool(found and found.commit) == landed
            counts[drawn.how, "at the landing" if landed else "before", right] += 1
            if not right:
                print(f"{drawn.how} {drawn.own[0]}..{drawn.own[-1]}: landed {landed}, told {found}")
    for (how, when, right), count in sorted(counts.items()):
        print(f"{how:8} {when:15} {'right' if right else 'WRONG':6} {count}")
    print(_times("a search", times))
    return int(any(not right for _, _, right in counts))


def scripted(place: Path, first: int, seeds: int) -> int:
    """Script histories, and print what everybody was told of them."""
    outcomes = []
    for seed in range(first, first + seeds):
        for number, end in enumerate(ENDS):
            where = PLACES[(seed + number) % len(PLACES)]
            folder = place / f"{seed}-{number}"
            one = tried(folder, end, where, seed)
            shutil.rmtree(folder)
            outcomes.append(one)
            wrong = {who: got for who, got in one.said.items() if got != one.becomes}
            if wrong:
                print(f"{end}, {where}, seed {seed}: {one.becomes}, told {wrong}", flush=True)
    print(table(outcomes))
    return int(any(one.said[AUTHOR] != one.becomes for one in outcomes))


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--repository", help="a real history to draw from, instead")
    parser.add_argument("--draws", type=int, default=60)
    asked = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="branches-"))
    os.environ.update(sealed_environment(str(place)))
    try:
        if asked.repository:
            return real_histories(place, asked.repository, asked.draws, asked.first)
        return scripted(place, asked.first, asked.seeds)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
