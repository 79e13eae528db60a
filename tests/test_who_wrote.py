"""Who wrote a log, through whatever people do to a history: nobody is named who did not."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from ledger.model.layout import COMMIT_SUBJECT, log_path
from ledger.model.order import seal
from memory.api import Memory
from memory.query.origins import CUT, SQUASH, all_origins, origins_of
from tests.conftest import examples

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

_PEOPLE = ("Ada", "Ben", "Cem", "Dua")


class History:
    """A repository in which several people work, and who truly wrote each log.

    Args:
        folder: its top, with a home in `memory/`.
        seed: of what they do.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.wrote: dict[str, str] = {}
        self.numbers = itertools.count(1)
        self.branches = ["main"]
        self.clock = 1_790_000_000

    def git(self, *arguments: str, by: str = "Ada", check: bool = True) -> str:
        """Run git as somebody, at a time of its own that may go back."""
        self.clock += self.random.choice((-40, 30, 60, 90))
        moment = f"{self.clock} +0000"
        done = subprocess.run(
            ["git", "-C", str(self.folder), "-c", "rerere.enabled=false", *arguments],
            env={
                "PATH": os.environ["PATH"], "HOME": str(self.folder.parent),
                "GIT_AUTHOR_NAME": by, "GIT_AUTHOR_EMAIL": f"{by.lower()}@example.invalid",
                "GIT_COMMITTER_NAME": by, "GIT_COMMITTER_EMAIL": f"{by.lower()}@example.invalid",
                "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_EDITOR": "true",
            },
            capture_output=True, text=True,
        )  # fmt: skip
        assert not check or not done.returncode, done.stderr
        return done.stdout

    def write(self, by: str) -> None:
        """Commit one log or two as Diurna does."""
        self.clock += 300
        logs = self.random.choice((1, 1, 1, 2))
        for _ in range(logs):
            number = next(self.numbers)
            data = f"---\nagent: codex\n---\n# Log {number}\n".encode()
            stem = seal(
                f"{datetime.fromtimestamp(self.clock, UTC):%Y-%m-%d-%H%M%S}{number:03}", data
            )
            path = self.folder / "memory" / log_path(stem)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            self.wrote[stem] = by
        said = f"{logs} session logs" if logs > 1 else "1 decision by codex"
        self.git("add", "-A", by=by)
        self.git("commit", "-q", "-m", f"{COMMIT_SUBJECT}{said}", by=by)

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
                name = f"side-{len(self.branches)}"
                self.git("switch", "-q", "-c", name)
                self.branches.append(name)
            case "switch":
                self.git("switch", "-q", other)
            case "merge":
                self.git("merge", "-q", "--no-ff", "--no-edit", other, by=by, check=False)
            case "join":
                self.git("merge", "-q", "--no-ff", "-m", "diurna: join two tips of the ledger", other,
                         by="Diurna", check=False)  # fmt: skip
            case "squash":
                self.git("merge", "-q", "--squash", other, by=by, check=False)
                said = self.random.choice(
                    (["-m", "Feature (#3)"], ["-m", "the feature"], ["--no-edit"])
                )
                self.git("commit", "-q", *said, by=by, check=False)
            case "rebase":
                self.git("rebase", "-q", other, by=by, check=False)
                self.git("rebase", "--abort", check=False)
            case "pick":
                self.git("cherry-pick", other, by=by, check=False)
                self.git("cherry-pick", "--abort", check=False)
            case "drop":
                logs = sorted((self.folder / "memory/sessions").rglob("*.md"))
                if logs:
                    self.git("rm", "-q", str(self.random.choice(logs)), by=by)
                    self.git("commit", "-q", "-m", "take it away", by=by)
            case "meld":
                before = self.git("show", "--format=", "--diff-filter=A", "--name-only", "HEAD~1")
                if here != "main" and ".md" in before:
                    self.git("reset", "-q", "--soft", "HEAD~1", by=by)
                    self.git("commit", "-q", "--amend", "--no-edit", by=by, check=False)
        self.git("reset", "-q", "--hard", check=False)

    def first(self, path: str, blob: str) -> str:
        """Return the commit that first had a blob at a path, by looking into every one."""
        tips = {}
        for line in self.git("rev-list", "--parents", "HEAD").splitlines():
            commit, *parents = line.split()
            tips[commit] = parents
        has = {
            one for one in tips
            if self.git("ls-tree", one, "--", path).split()[2:3] == [blob]
        }  # fmt: skip
        added = [one for one in has if not has & set(tips[one])]
        firsts = [
            one for one in added
            if not any(
                other != one and other in self.git("rev-list", one).split() for other in added
            )
        ]  # fmt: skip
        return min(firsts, key=lambda one: (int(self.git("show", "-s", "--format=%at", one)), one))


@pytest.mark.deep(only=("1", "2"))
@pytest.mark.parametrize("seed", range(examples(6)))
def test_nobody_is_named_who_did_not_write(repo: Repo, tmp_path: Path, seed: int) -> None:
    """Merges, squashes, rebases, picks, joins and cuts: the first commit of the bytes, or none."""
    history = History(repo.path, seed)
    for _ in range(30):
        history.step()
    memory = Memory.open(str(repo.path))
    home, refs = memory.home, memory.snapshot.cache().log_refs()
    memory.close()
    found = all_origins(home, home.tip(), refs)
    assert len(found.commits) == len(refs)
    for ref in refs:
        origin = found.commits[ref.path]
        assert origin.commit == history.first(f"memory/{ref.path}", ref.blob)
        assert origin.author in ("", history.wrote[ref.stem])
        assert bool(origin.author) == (origin.via == "")
        assert origins_of(home, [ref]) == {ref.path: origin}
    for depth in (1, 2, 4, 9):
        cut = tmp_path / f"cut-{depth}"
        history.git("clone", "-q", "--depth", str(depth), f"file://{repo.path}", str(cut))
        there = discover(str(cut))
        for path, origin in all_origins(there, there.tip(), refs).commits.items():
            assert (
                origin.via == CUT
                or origin == found.commits[path]
                or (
                    origin.author == found.commits[path].author != ""  # by a later pick of it
                )
            )
            assert bool(origin.named) == (origin.via != CUT)
        shutil.rmtree(cut)


def _append(run: Run, title: str) -> None:
    assert run("append", "--title", title, "--new", f"id={title} fact: {title} holds.").code == 0


def _said(run: Run, fact: str) -> str:
    return run("why", fact).said.split("\n\n")[1].splitlines()[1].strip()


def test_a_merge_a_squash_and_a_moved_home(repo: Repo, run: Run, tmp_path: Path) -> None:
    """The writer's commit is named, never who pressed merge; of a squash nobody; moving is no writing."""
    repo.git("config", "user.name", "Ben")
    repo.git("switch", "-q", "-c", "side")
    _append(run, "ben")
    written = repo.git("rev-parse", "--short=7", "HEAD").strip()
    repo.git("switch", "-q", "main")
    repo.git("config", "user.name", "Ada")
    _append(run, "ada")
    repo.git("merge", "-q", "--no-ff", "-m", "merge it", "side")
    step = run("why", "ben", "--json").json["events"][0]
    assert (step["commit"], step["author"], step["via"]) == (written, "Ben", "")
    repo.git("switch", "-q", "-c", "other")
    repo.git("config", "user.name", "Ben")
    _append(run, "squashed")
    repo.git("switch", "-q", "main")
    repo.git("config", "user.name", "Ada")
    repo.git("merge", "-q", "--squash", "other")
    repo.git("commit", "-q", "-m", "Feature (#7)")
    step = run("why", "squashed", "--json").json["events"][0]
    assert (step["author"], step["via"]) == ("", SQUASH)
    assert step["commit"] == repo.git("rev-parse", "--short=7", "HEAD").strip()
    assert "Ada" not in _said(run, "squashed")
    (repo.path / "docs").mkdir()
    repo.git("mv", "memory", "docs/memory")
    repo.git("commit", "-q", "-m", "move the memory")
    home = str(repo.path / "docs" / "memory")
    step = run("--home", home, "why", "ben", "--json").json["events"][0]
    assert (step["commit"], step["author"]) == (written, "Ben")
    memory = Memory.open(home)
    found = all_origins(memory.home, memory.home.tip(), memory.snapshot.cache().log_refs())
    assert sorted(one.author for one in found.commits.values()) == ["", "Ada", "Ben"]
    memory.close()


def test_a_decision_names_the_commit_that_has_it(repo: Repo, run: Run) -> None:
    """A log of type `edit` was made at a commit of the code, which did not bring it; a committed edit was."""
    assert run("note", "id=one decision: Three tries.").code == 0
    page = repo.path / "memory" / "continuity.md"
    for command in (
        ("edit", "one", "Four tries.", "--agent", "codex"),
        ("review", "--confirm", "one"),
        (
            "check",
            "--absorb",
        ),
    ):
        if command == (
            "check",
            "--absorb",
        ):
            page.write_text(page.read_text().replace("Four", "Five"))
        assert run(*command).code == 0
        step = run("why", "one", "--json").json["events"][-1]
        named = repo.git("log", "-1", "--format=%h %an", "--abbrev=7").split()
        assert [step["commit"], step["author"]] == [named[0], " ".join(named[1:])]
    page.write_text(page.read_text().replace("Five", "Six"))
    repo.git("commit", "-q", "-a", "-m", "Six", "--author", "Ben <ben@example.invalid>")
    edited = repo.git("rev-parse", "--short=7", "HEAD").strip()
    assert run("check", "--absorb").code == 0
    step = run("why", "one", "--json").json["events"][-1]
    assert (step["commit"], step["author"]) == (edited, "Ben")


def test_a_join_of_a_sync_is_nobody(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clones that sync name each other's people, and never Diurna."""
    hub, other = tmp_path / "hub.git", tmp_path / "other"
    repo.git("clone", "-q", "--bare", str(repo.path), str(hub))
    repo.git("remote", "add", "origin", str(hub))
    repo.git("clone", "-q", str(hub), str(other))
    subprocess.run(["git", "-C", str(other), "config", "user.name", "Ben"], check=True)
    subprocess.run(
        ["git", "-C", str(other), "config", "user.email", "b@example.invalid"], check=True
    )
    monkeypatch.chdir(other)
    _append(run, "ben")
    assert run("sync").code == 0
    monkeypatch.chdir(repo.path)
    _append(run, "mine")
    assert run("sync", "origin").code == 0
    joined = repo.git("log", "-1", "--format=%an %p").split()
    assert joined[0] == "Diurna" and len(joined) == 3
    assert run("why", "ben", "--json").json["events"][0]["author"] == "Ben"
    mine = run("why", "mine", "--json").json["events"][0]["author"]
    assert mine == repo.git("config", "user.name").strip() != "Diurna"


def test_a_cut_history_names_no_commit(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the clone has not is said; what came since is named, and a later deepening is seen."""
    _append(run, "old")
    _append(run, "older")
    _append(run, "new")
    cut = tmp_path / "cut"
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(cut))
    monkeypatch.chdir(cut)
    step = run("why", "old", "--json").json["events"][0]
    assert (step["commit"], step["author"], step["via"]) == ("", "", CUT)
    assert "the history is cut here" in _said(run, "old")
    assert run("why", "new", "--json").json["events"][0]["commit"]
    memory = Memory.open(str(cut))
    refs = memory.snapshot.cache().log_refs()
    memory.origins = all_origins(memory.home, memory.home.tip(), refs)
    assert memory.why("old").steps[0].via == CUT
    subprocess.run(["git", "-C", str(cut), "fetch", "-q", "--unshallow"], check=True)
    assert memory.why("old").steps[0].commit
    memory.close()
