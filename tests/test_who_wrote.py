"""Who wrote a log, through whatever people do to a history: nobody is named who did not."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conftest import examples
from tests.world import IN_TREE, OWN_REPOSITORY, Place, World, sealed

_PEOPLE = ("Ada", "Ben", "Cem", "Dua")


class History:
    """A repository in which several people work, and who truly wrote the log of each fact.

    Args:
        home: with memory beside code.
        seed: of what they do.
    """

    def __init__(self, home: Place, seed: int) -> None:
        self.home, self.random = home, random.Random(seed)
        self.wrote: dict[str, tuple[str, str]] = {}  # fact -> path of its log, who wrote it
        self.numbers = itertools.count(1)
        self.branches = ["main"]
        self.clock = 1_790_000_000

    def git(self, *arguments: str, by: str = "Ada", check: bool = True) -> str:
        """Run git as somebody, at a time of its own that may go back."""
        self.clock += self.random.choice((-40, 30, 60, 90))
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")
               for key, value in (("NAME", by), ("EMAIL", f"{by.lower()}@example.invalid"), ("DATE", f"{self.clock} +0000"))}  # fmt: skip
        done = subprocess.run(
            ["git", "-C", str(self.home.folder), "-c", "rerere.enabled=false", *arguments],
            env={**os.environ, **who, "GIT_EDITOR": "true"}, capture_output=True, text=True,
        )  # fmt: skip
        assert not check or not done.returncode, done.stderr
        return done.stdout

    def write(self, by: str) -> None:
        """Commit one log or two as Diurna does."""
        self.clock += 300
        logs = self.random.choice((1, 1, 1, 2))
        for _ in range(logs):
            number = next(self.numbers)
            fact = f"f{number}"
            data = f"---\nagent: codex\n---\n# Log {number}\n\n## Memory References\n\n- Created: {fact}\n\n## Facts\n\n- Fact {number}.\n  <!-- id: {fact} -->\n"
            stem = f"{datetime.fromtimestamp(self.clock, UTC):%Y-%m-%d-%H%M%S}{number:03}-{sealed(data.encode())}"
            path = f"memory/sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"
            self.home.write(path, data)
            self.wrote[fact] = path, by
        said = f"{logs} session logs" if logs > 1 else "1 decision by codex"
        self.git("add", "-A", by=by)
        self.git("commit", "-q", "-m", f"diurna: {said}", by=by)

    def step(self) -> None:
        """Let somebody do one thing."""
        by, other = self.random.choice(_PEOPLE), self.random.choice(self.branches)
        here = self.git("branch", "--show-current").strip()
        match self.random.choice(
            ("write", "write", "write", "branch", "switch", "merge", "squash", "rebase", "pick",
             "drop", "meld", "join")
        ):  # fmt: skip
            case "write":
                self.write(by)
            case "branch":
                self.branches.append(f"side-{len(self.branches)}")
                self.git("switch", "-q", "-c", self.branches[-1])
            case "switch":
                self.git("switch", "-q", other)
            case "merge":
                self.git("merge", "-q", "--no-ff", "--no-edit", other, by=by, check=False)
            case "join":
                said = "diurna: join two tips of the ledger"
                self.git("merge", "-q", "--no-ff", "-m", said, other, by="Diurna", check=False)
            case "squash":
                self.git("merge", "-q", "--squash", other, by=by, check=False)
                words = self.random.choice((["-m", "Feature (#3)"], ["-m", "the feature"], ["--no-edit"]))  # fmt: skip
                self.git("commit", "-q", *words, by=by, check=False)
            case "rebase":
                self.git("rebase", "-q", other, by=by, check=False)
                self.git("rebase", "--abort", check=False)
            case "pick":
                self.git("cherry-pick", other, by=by, check=False)
                self.git("cherry-pick", "--abort", check=False)
            case "drop":
                logs = sorted((self.home.folder / "memory/sessions").rglob("*.md"))
                if logs:
                    self.git("rm", "-q", str(self.random.choice(logs)), by=by)
                    self.git("commit", "-q", "-m", "take it away", by=by)
            case "meld":
                before = self.git(
                    "show", "--format=", "--diff-filter=A", "--name-only", "HEAD~1", check=False
                )
                if here != "main" and ".md" in before:
                    self.git("reset", "-q", "--soft", "HEAD~1", by=by)
                    self.git("commit", "-q", "--amend", "--no-edit", by=by, check=False)
        self.git("reset", "-q", "--hard", check=False)

    def firsts(self) -> dict[str, str]:
        """Return the commit that first had each log that stands, by looking into every one."""
        rows = [
            line.split()
            for line in self.git("log", "--topo-order", "--format=%H %at %P", "HEAD").splitlines()
        ]
        parents, dates = {row[0]: row[2:] for row in rows}, {row[0]: int(row[1]) for row in rows}
        above: dict[str, set[str]] = {}
        for commit, *_ in reversed(rows):
            above[commit] = set().union(*({one, *above[one]} for one in parents[commit]))
        holds = {one: set(self.git("ls-tree", "-r", "--name-only", one).split()) for one in parents}
        found = {}
        for fact, (path, _) in self.wrote.items():
            has = {one for one in parents if path in holds[one]}
            added = [one for one in has if not has & set(parents[one])]
            first = [one for one in added if not above[one] & set(added)]
            if path in holds[rows[0][0]]:
                found[fact] = min(first, key=lambda one: (dates[one], one))
        return found


def born(home: Place, fact: str) -> Any:
    """Return the step by which a fact came."""
    return home.run("why", fact).json["events"][0]


@pytest.mark.deep(but=("00", "03"))
@pytest.mark.parametrize("seed", range(examples(4)), ids="{:02}".format)
def test_nobody_is_named_who_did_not_write(world: World, seed: int) -> None:
    """Merges, squashes, rebases, picks, joins and cuts: the first commit of the bytes, or none."""
    history, small = History(world.home(), seed), seed in (0, 3)
    for _ in range(18 if small else 30):
        history.step()
    found, firsts = {}, history.firsts()
    for fact, first in firsts.items():
        found[fact] = step = born(history.home, fact)
        assert first.startswith(step["commit"]) and step["commit"]
        assert step["author"] in ("", history.wrote[fact][1])
        assert bool(step["author"]) == (step["via"] == "")
    for depth in (2,) if small else (1, 2, 4, 9):
        history.git(
            "clone", "-q", "--depth", str(depth), f"file://{history.home.folder}", f"../cut-{depth}"
        )
        for fact in firsts:
            step = born(world.place(f"cut-{depth}"), fact)
            assert step["via"] == "cut" or step == found[fact] or step["author"] == found[fact]["author"] != ""  # fmt: skip
            assert bool(step["commit"]) == (step["via"] != "cut")


def append(home: Place, title: str, by: str = "") -> str:
    """Record a fact of a name, as somebody; return the commit."""
    if by:
        home.git("config", "user.name", by)
    home.session(title, "--new", f"id={title} fact: {title} holds.")
    if home.kind == IN_TREE:  # as Diurna committed there before
        home.git("commit", "-q", "--amend", "-m", "diurna: 1 fact by claude-code")
    return home.git("rev-parse", "--short=7", "HEAD")


def test_a_merge_a_squash_and_a_moved_home(world: World) -> None:
    """The writer's commit is named, never who pressed merge; of a squash nobody; moving is no writing."""
    home = world.home()
    home.git("switch", "-q", "-c", "side")
    written = append(home, "ben", "Ben")
    home.git("switch", "-q", "main")
    append(home, "ada", "Ada")
    home.git("merge", "-q", "--no-ff", "-m", "merge it", "side")
    step = born(home, "ben")
    assert (step["commit"], step["author"], step["via"]) == (written, "Ben", "")
    home.git("switch", "-q", "-c", "other")
    append(home, "squashed", "Ben")
    home.git("switch", "-q", "main")
    home.git("config", "user.name", "Ada")
    home.git("merge", "-q", "--squash", "other")
    home.git("commit", "-q", "-m", "Feature (#7)")
    step, tip = born(home, "squashed"), home.git("rev-parse", "--short=7", "HEAD")
    assert (step["author"], step["via"], step["commit"]) == ("", "squash", tip)
    assert "Ada" not in home.text("why", "squashed").split("\n\n")[1]
    (home.folder / "docs").mkdir(exist_ok=True)
    home.git("mv", "memory", "docs/memory")
    home.git("commit", "-q", "-m", "move the memory")
    step = home.run("--home", "docs/memory", "why", "ben").json["events"][0]
    assert (step["commit"], step["author"]) == (written, "Ben")


def test_a_decision_names_the_commit_that_has_it(world: World) -> None:
    """A log of type `edit` was made at a commit of the code, which did not bring it; a committed edit was."""
    home = world.home(OWN_REPOSITORY, facts={"one": "decision: Three tries."})
    page = "continuity.md"
    for command in ("edit one Four --agent codex", "review --confirm one", "check --absorb"):
        if command == "check --absorb":
            home.run("check", "--publish")
            home.write(page, home.read(page).replace("Four", "Five"))
        home.run(*command.split())
        step = home.run("why", "one").json["events"][-1]
        assert [step["commit"], step["author"]] == home.git("log", "-1", "--format=%h %an", "--abbrev=7").split()  # fmt: skip
    home.write(page, home.read(page).replace("Five", "Six"))
    home.git("commit", "-q", "-a", "-m", "Six", "--author", "Ben <ben@example.invalid>")
    edited = home.git("rev-parse", "--short=7", "HEAD")
    home.run("check", "--absorb")
    step = home.run("why", "one").json["events"][-1]
    assert (step["commit"], step["author"]) == (edited, "Ben")


def test_a_join_of_a_sync_is_nobody(world: World) -> None:
    """Two clones that sync name each other's people, and never Diurna."""
    one, two = world.team(OWN_REPOSITORY, "two")
    append(two, "theirs")
    two.sync()
    append(one, "mine")
    one.sync()
    joined = one.git("log", "-1", "--format=%an %p").split()
    assert joined[0] == "Diurna" and len(joined) == 3
    assert [born(one, fact)["author"] for fact in ("theirs", "mine")] == ["Two", "Ada"]


def test_a_cut_history_names_no_commit(world: World) -> None:
    """What the clone has not is said; what came since is named, and a later deepening is seen."""
    home = world.home()
    for title in ("old", "older", "new"):
        append(home, title)
    home.git("clone", "-q", "--depth", "2", f"file://{home.folder}", "../cut")
    cut = world.place("cut")
    step = born(cut, "old")
    assert (step["commit"], step["author"], step["via"]) == ("", "", "cut")
    assert "the history is cut here" in cut.text("why", "old") and born(cut, "new")["commit"]
    cut.git("fetch", "-q", "--unshallow")
    assert born(cut, "old")["commit"]
