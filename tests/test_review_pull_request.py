"""A review is asked by a pull request, and its merge is the answer: the job's script, on a forge that is plain git."""

from __future__ import annotations

import json
import os
import re
import subprocess
from itertools import repeat
from pathlib import Path

import pytest

from ledger.git.commit_record import FALLBACK_EMAIL, FALLBACK_NAME
from ledger.model.findings import severe
from memory.api import Memory
from rituals.check.check_runner import verify
from rituals.review.pull_request import WAIT_SECONDS, Request, request, take_in
from rituals.review.ticks import Refused
from tests.campaigns import forks
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, START_MS, git, hermetic
from tests.pages import ROOT
from tests.teams import Clone, Team
from tests.test_review import new
from tests.test_review_ticks import keys_of, ticked

__all__ = ["hermetic"]
ACTION = ROOT / ".github" / "actions" / "review"
POLICY = 'format = 1\npublish = "append"\n[review]\nverify_invariants_every = 1\nask = "{}"\n'
ROBOT = "forge[bot] <41+forge[bot]@users.example.invalid>"
#: What the forge's program is asked, a line each.
_FORGE = '#!/bin/sh\nprintf "%s\\t" "$@" >>{log}\necho >>{log}\n'
pytestmark = pytest.mark.skipif(not ACTION.exists(), reason="the source tree's")


class Asked(Team):
    """A remote with a memory of three invariants, two of which nobody confirmed for long, and its job."""

    def __init__(self, folder: Path, kind: str = IN_TREE, ask: str = "pull-request") -> None:
        super().__init__(folder, kind)
        self.asks(ask)
        texts = {
            "stay": "Orders are never deleted.",
            "card": "Everybody pays by card.",
            "euro": "Prices are in euros.",
        }
        self.one.append(
            "Rules", *[new(name, text, kind="invariant") for name, text in texts.items()]
        )
        self.one.create("first")
        self.one.create("second", "Quite another thing is second.")
        self.one.git("push", "-q", "origin", self.branch)
        self.programs, self.log = folder / "programs", folder / "asked"
        self.programs.mkdir()
        forks.put_program(self.programs / "diurna")
        (self.programs / "gh").write_text(_FORGE.format(log=self.log))
        (self.programs / "gh").chmod(0o755)
        self.runs = 0

    def asks(self, how: str) -> None:
        self.one.memory.commit_files([("diurna.toml", POLICY.format(how).encode())], "policy")
        self.one.git("push", "-q", "origin", self.branch)

    def job(self, **more: str) -> list[str]:
        """Run the script in a checkout of one commit, as a workflow makes it; return what it asked of the forge."""
        self.runs += 1
        folder = self.folder / f"job-{self.runs}"
        git(self.folder, "clone", "-q", "--depth=1", f"file://{self.hub}", str(folder))
        git(folder, "config", "user.name", "forge[bot]")
        git(folder, "config", "user.email", ROBOT.partition(" ")[2].strip("<>"))
        self.log.write_text("")
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [str(ACTION / "review.sh")], cwd=folder, capture_output=True, text=True,
            env={**os.environ, "PATH": path, **more},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.said = done.stdout + done.stderr
        assert not git(folder, "status", "--porcelain").strip()
        return self.log.read_text().splitlines()

    def begin(self) -> str:
        """Ask as the job does, without a forge; return the branch."""
        branch = request(self.one.memory).asks.branch
        self.one.git("push", "-q", "origin", branch)
        return branch

    def branches(self) -> list[str]:
        listed = git(
            self.hub, "for-each-ref", "--format=%(refname:short)", "refs/heads/diurna-review/"
        )
        return sorted(listed.split())

    def file(self, at: str) -> str:
        prefix = self.one.memory.home.prefix
        return git(self.hub, "show", f"{at}:{prefix}REVIEW.md")

    def tick(self, name: str, branch: str, *answers: tuple[int, str], say: str = "") -> Clone:
        """Answer in a clone of a person's, and push."""
        clone = self.clone(name)
        clone.git("checkout", "-q", branch)
        path = clone.folder / self.one.memory.home.prefix / "REVIEW.md"
        text = path.read_text()
        keys = keys_of(text)
        for number, word in answers:
            text = ticked(text, keys[number], word, say if word == "reword" else "")
        path.write_text(text)
        clone.git("commit", "-q", "-a", "-m", "What holds")
        clone.git("push", "-q", "origin", branch)
        return clone

    def merge(self, clone: Clone, branch: str, how: str) -> None:
        """Merge as a forge does; a squash is its robot's, who names who wrote it with it."""
        person = f"{clone.git('config', 'user.name')} <{clone.git('config', 'user.email')}>"
        clone.git("checkout", "-q", self.branch)
        clone.git("pull", "-q", "--ff-only")
        if how == "merge":
            clone.git("merge", "-q", "--no-ff", "-m", f"Merge {branch}", branch)
        elif how == "squash":
            clone.git("merge", "-q", "--squash", branch)
            also = f"Co-authored-by: {FALLBACK_NAME} <{FALLBACK_EMAIL}>\nCo-authored-by: {person}"
            clone.git("commit", "-q", "--author", ROBOT, "-m", f"Memory has questions\n\n{also}")
        else:
            clone.git("rebase", "-q", self.branch, branch)
            clone.git("checkout", "-q", self.branch)
            clone.git("merge", "-q", "--ff-only", branch)
        clone.git("push", "-q", "origin", self.branch)

    def look(self) -> Memory:
        """A clone of what the remote has now."""
        self.runs += 1
        return self.clone(f"look-{self.runs}").memory


@pytest.mark.parametrize(
    "kind, how", [(IN_TREE, "merge"), (IN_TREE, "squash"), (OWN_BRANCH, "rebase")]
)
def test_a_merged_answer_is_recorded_in_the_name_of_who_ticked_it(
    tmp_path: Path, kind: str, how: str
) -> None:
    """One request at a time; its ticks become one log and their file goes; what has no tick is asked again."""
    team = Asked(tmp_path, kind)
    before = git(team.hub, "rev-parse", team.branch)
    if kind == IN_TREE:
        branch = team.begin()
    else:
        (created,) = team.job()
        (branch,) = team.branches()
        assert created.startswith(f"pr\tcreate\t--base\tmemory\t--head\t{branch}\t")
        assert "Memory has questions (3)" in created
    assert git(team.hub, "rev-parse", team.branch) == before
    secret = "ghp_" + "Zk3Wq9Lm2Xc7Vb5Nn8Rt4Yp6Hd1Js0Fg2Qa3"
    ada = team.tick(
        "Ada", branch, (0, "accept"), (1, "reword"), say=f"Prices are in francs, key {secret}."
    )
    team.merge(ada, branch, how)
    (created,) = team.job()
    memory = team.look()
    state = memory.tip_state()
    first, second, third = (state.fact(id) for id in ("card", "euro", "stay"))
    assert first is not None and second is not None and third is not None
    assert (bool(first.verified), bool(third.verified)) == (True, False)
    assert second.text.startswith("Prices are in francs, key ")
    assert not Path(memory.home.folder, "REVIEW.md").exists()
    assert not severe(verify(memory))
    logs = git(team.hub, "log", "-p", f"{before.strip()}..{team.branch}", "--", "*sessions*")
    assert "+agent: Ada\n" in logs and secret not in logs
    assert "Memory has questions (1)" in created
    assert len(team.branches()) == 2


def test_ticks_of_the_job_itself_are_no_answer(tmp_path: Path) -> None:
    """Nor those of a robot alone; they are said, the file goes, and all is asked again."""
    team = Asked(tmp_path)
    branch = team.begin()
    robot = team.tick("forge[bot]", branch, (0, "false"))
    team.merge(robot, branch, "merge")
    assert len(team.job()) == 1
    assert "the tick is no person's" in team.said
    assert not any(one.fact.false for one in team.look().tip_state().standings())
    assert len(team.branches()) == 2


def test_after_thirty_days_the_next_asks(tmp_path: Path) -> None:
    """Before, and where nothing changed since, the old one waits; its branch is named and stays."""
    team = Asked(tmp_path)

    def asked(after: int) -> Request:
        return request(Clone(team.one.folder, ticks=repeat(START_MS + 10**9 + after * 1000)).memory)

    old = asked(0).asks.branch
    assert asked(WAIT_SECONDS).waits == old
    team.one.create("third", "The third is quite another.")
    assert asked(WAIT_SECONDS - 1)[1:] == ("", old, ())
    found = asked(WAIT_SECONDS)
    assert found.commit and found[2:] == ("", (old,))
    assert asked(WAIT_SECONDS + 1)[1:] == ("", found.asks.branch, (old,))
    assert team.one.git("branch", "--list", old)


def test_the_policy_says_how_it_asks(tmp_path: Path) -> None:
    """Nothing, or an issue that names what is asked; no branch is pushed."""
    team = Asked(tmp_path, ask="off")
    assert (team.job(), team.branches()) == ([], [])
    team.asks("issue")
    listed, created = team.job()
    assert listed.startswith("issue\tlist") and created.startswith("issue\tcreate")
    assert team.branches() == []


def test_the_job_waits_then_closes_what_nobody_answered(tmp_path: Path) -> None:
    """One is open at a time; the one that waited for 30 days gives way, and its branch stays."""
    team, now = Asked(tmp_path), START_MS + 10**9
    ticks = Clone(team.one.folder, ticks=repeat(now))
    old = request(ticks.memory).asks.branch
    team.one.git("push", "-q", "origin", old)
    assert team.job(DIURNA_NOW=str(now)) == []
    assert (f"{old} waits for its answers" in team.said, team.branches()) == (True, [old])
    team.one.create("third", "The third is quite another.")
    team.one.git("push", "-q", "origin", "main")
    made, closed = team.job(DIURNA_NOW=str(now + WAIT_SECONDS * 1000))
    assert made.startswith("pr\tcreate") and closed.startswith(f"pr\tclose\t{old}\t")
    assert old in team.branches() and len(team.branches()) == 2


def test_a_refused_file_changes_nothing_and_is_asked_anew(tmp_path: Path) -> None:
    """`absorb` says the line and fails; the next request brings a file that is asked."""
    team = Asked(tmp_path)
    branch = team.begin()
    ada = team.tick("Ada", branch, (0, "false"))
    path = ada.folder / "memory/REVIEW.md"
    path.write_text(path.read_text() + "<<<<<<< ours\n")
    ada.git("commit", "-q", "-a", "-m", "Half merged")
    team.merge(ada, branch, "merge")
    tip, lines = ada.tip(), len(path.read_text().splitlines())
    where = f"memory/REVIEW.md, line {lines}: a merge conflict is not resolved"
    with pytest.raises(Refused, match=re.escape(where)):
        take_in(ada.memory)
    assert (ada.tip(), ada.clean()) == (tip, False), "the markers stand there as before"
    assert len(team.job()) == 1
    assert where in team.said
    (new_branch,) = set(team.branches()) - {branch}
    assert "<<<<<<<" not in team.file(new_branch)
    team.merge(team.tick("Bob", new_branch, (0, "accept")), new_branch, "merge")
    taken = take_in(team.look())
    assert taken is not None and taken.by == ("Bob",) and len(taken.events) == 1


def test_killed_between_answer_and_file_it_is_answered_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one finds the answers recorded, takes the file out, and records nothing twice; so does a second clone."""
    team = Asked(tmp_path)
    branch = team.begin()
    ada = team.tick("Ada", branch, (0, "accept"), (1, "later"), (2, "false"))
    team.merge(ada, branch, "merge")
    dry = take_in(ada.memory, dry_run=True)
    assert dry is not None and len(dry.events) == 3 and not dry.stem
    tip = ada.tip()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Memory, "commit_files", _killed)
        take_in(ada.memory)
    logs = ada.memory.tip_state().summary.logs
    again = take_in(ada.memory)
    assert ada.tip() != tip
    assert again is not None and not again.events and len(again.void) == 2
    assert ada.memory.tip_state().summary.logs == logs
    assert not (ada.folder / "memory/REVIEW.md").exists() and ada.clean()
    assert take_in(ada.memory) is None


def _killed(*given: object, **more: object) -> None:
    raise KeyboardInterrupt


def test_the_command_says_what_it_asks_and_takes_in(tmp_path: Path) -> None:
    """On a branch of this clone alone; `absorb` records the answers; both as JSON, too."""
    team = Asked(tmp_path)

    def run(*arguments: str, errors: bool = False) -> str:
        done = forks.run(["-m", "rituals", *arguments], str(team.one.folder), os.environ)
        assert done.returncode == 0, done.stderr
        return done.stderr if errors else done.stdout

    dry = run("review", "--pull-request", "--dry-run")
    branch = re.findall(r"would ask 3 questions on (\S+):", dry)[0]
    assert not team.one.git("branch", "--list", branch)
    assert run("review", "--pull-request") == f"{branch}  3 questions, in REVIEW.md\n"
    assert team.one.clean()
    said = json.loads(run("review", "--pull-request", "--json"))
    assert (said["waits"], said["commit"], said["ask"], said["taken"]) == (
        branch,
        "",
        "pull-request",
        None,
    )
    team.one.git("push", "-q", "origin", branch)
    team.merge(team.tick("Ada", branch, (0, "accept")), branch, "squash")
    team.one.git("pull", "-q", "--ff-only")
    hint = "`diurna absorb` records what the merged REVIEW.md answers"
    assert hint in run("status", errors=True) and json.loads(run("status", "--json"))["answered"]
    told = run("absorb").splitlines()
    assert hint not in run("status", errors=True)
    assert told[0] == f"took in the answers of {branch}, by Ada"
    assert told[2:] == ["Verified    card"]
    assert json.loads(run("absorb", "--json"))["review"] is None


def test_the_action_runs_the_script() -> None:
    """It installs the tree it is in, and runs what is tested here; nothing in it forces or deletes."""
    action = (ACTION / "action.yml").read_text()
    assert '"$GITHUB_ACTION_PATH/review.sh"' in action
    assert 'pip" install --quiet "$GITHUB_ACTION_PATH/../../.."' in action
    assert os.access(ACTION / "review.sh", os.X_OK)
    script = (ACTION / "review.sh").read_text()
    assert not re.search(r"--force|--hard|--delete|push [^\n]*\+", script)
    assert "uses: OWNER/diurna/.github/actions/review@REF" in (ACTION / "workflow.yml").read_text()
