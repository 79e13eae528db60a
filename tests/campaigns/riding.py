"""A person works with plain git in a tree home whose logs go with their own commits (FORMAT.md, W20).

`python -m tests.campaigns.riding --acts 20000` does so many acts at random, in homes of 250 each: people
commit in every form, fail to, amend, stash, reset, switch, merge, rebase, pull, pick, revert, bisect and drop
branches; agents record; commits, hooks and appends are killed. Behind each act: every log is in the view, but for those
that a person set back or that are on another branch; recording changed nothing that git shows. At the end of each home:
no log is nowhere, none stands twice, and what a person commits is there. Ends with 1 on any fault.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ledger.home import discover
from ledger.model.layout import log_path, stem_of
from memory.api import Memory
from rituals.setup.home_setup import apply_setup, plan_setup, with_hooks
from rituals.setup.tree import riding
from tests.campaigns.homes import (
    draft,
    git,
    lay,
    logs_in,
    sealed_environment,
    user_repository,
)

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-P", "-m", "rituals")
_ACTS_A_HOME, _DAY_SECONDS = 250, 90_000


def make_riding_home(folder: Path, program: tuple[str, ...] = PROGRAM) -> Path:
    """Make a tree home whose logs go with a person's own commits, pushed to a remote, with the hook."""
    lay(
        f"riding {folder.name} {program}", folder.parent,
        lambda at: _make_riding_home(at / folder.name, program), folder.name,
    )  # fmt: skip
    return folder


def _make_riding_home(folder: Path, program: tuple[str, ...]) -> None:
    user_repository(folder)
    plan = with_hooks(riding(plan_setup(str(folder), "", "", "tried")), True, program)
    apply_setup(plan, lambda: time.time_ns() // 1_000_000).close()
    git(folder.parent, "init", "-q", "--bare", "-b", "main", f"{folder.name}-remote")
    git(folder, "remote", "add", "origin", f"../{folder.name}-remote")
    git(folder, "push", "-q", "-u", "origin", "main")


class Day:
    """What a person and agents do in one home.

    Args:
        folder: of the work tree.
        seed: of what they do.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.rng = make_riding_home(folder), random.Random(seed)
        self.recorded: dict[str, str] = {}  # stem -> path
        self.given_up: set[str] = set()  # what a person set back, or dropped with a branch
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.number = 0
        self.acts: dict[str, tuple[int, Callable[[], object]]] = {
            "record": (30, self.record),
            "record, killed": (2, self.record_killed),
            "commit": (14, lambda: self.commit("commit", "-q", "-m", "c")),
            "commit -a": (5, lambda: self.commit("commit", "-q", "-a", "-m", "c", stage=False)),
            "commit PATH": (
                5,
                lambda: self.commit("commit", "-q", "-m", "c", "--", "code.py", stage=False),
            ),
            "commit -i PATH": (
                2,
                lambda: self.commit("commit", "-q", "-m", "c", "-i", "--", "code.py", stage=False),
            ),
            "amend": (5, lambda: self.commit("commit", "-q", "--amend", "--no-edit")),
            "amend, message": (3, lambda: self.do("commit", "-q", "--amend", "-m", "reworded")),
            "add -A, commit": (5, self.commit_all),
            "commit --no-verify": (3, lambda: self.commit("commit", "-q", "-n", "-m", "c")),
            "commit that fails": (5, lambda: self.fails("commit", "-q", "-m", "")),
            "commit -a that fails": (
                3,
                lambda: self.fails("commit", "-q", "-a", "-m", "", stage=False),
            ),
            "commit, killed": (3, self.commit_killed),
            "hook, killed": (3, self.hook_killed),
            "stash, pop": (5, lambda: self.stash()),
            "stash -u, pop": (3, lambda: self.stash("-u")),
            "reset --hard": (3, lambda: self.do("reset", "-q", "--hard")),
            "reset": (3, lambda: self.do("reset", "-q")),
            "reset --hard HEAD~1": (2, lambda: self.set_back("reset", "-q", "--hard", "HEAD~1")),
            "reset HEAD~1": (2, lambda: self.set_back("reset", "-q", "HEAD~1", gives_up=False)),
            "reset --soft HEAD~1": (
                2,
                lambda: self.set_back("reset", "-q", "--soft", "HEAD~1", gives_up=False),
            ),
            "clean": (2, lambda: self.do("clean", "-q", "-f", "-d")),
            "switch -c": (4, self.begin),
            "switch": (6, self.switch),
            "merge": (4, lambda: self.join("merge", "-q", "--no-edit")),
            "rebase": (4, lambda: self.join("rebase", "-q")),
            "pull --rebase": (
                3,
                lambda: self.join("pull", "-q", "--rebase", "origin", named="main"),
            ),
            "push": (4, lambda: self.do("push", "-q", "-u", "--force", "origin", "HEAD")),
            "cherry-pick": (3, lambda: self.join("cherry-pick")),
            "revert": (2, lambda: self.set_back("revert", "--no-edit", "HEAD", gives_up=False)),
            "bisect": (1, self.bisect),
            "worktree": (3, self.worktree),
            "branch -D": (2, self.drop),
            "gc": (1, lambda: self.do("gc", "-q")),
            "a day later": (2, self.age),
            "ask": (6, self.ask),
            "sync": (2, lambda: self.diurna("sync")),
            "publish": (2, lambda: self.diurna("check", "--publish")),
        }

    # ---- what is asked ---------------------------------------------------------------------------

    def act(self) -> None:
        """Do something, and look at every log."""
        names = list(self.acts)
        name = self.rng.choices(names, [self.acts[one][0] for one in names])[0]
        self.counts[name] += 1
        self.acts[name][1]()
        self.settle_operation()
        self.look(name)

    def look(self, name: str) -> None:
        """Ask for every log: the view has it, another branch has it, or a person gave it up."""
        memory = self.open()
        try:
            memory.bring_back()
            cache = memory.snapshot.cache()
            gone = [stem for stem in self.recorded if cache.log_ref(stem) is None]
            there = self.on_branches() if gone else set()
            waits = set(memory.held()) | set(memory.waiting())
            gone = [stem for stem in gone if stem not in there | waits | self.given_up]
            # what a person set back in ways of their own git still has
            kept = git(self.folder, "log", "-g", "--format=", "--name-only", "HEAD") if gone else ""
            for stem in gone:
                if stem in kept:
                    self.given_up.add(stem)
                else:
                    self.fault(name, f"{stem} is nowhere")
            logs = logs_in(memory.home)  # none stands twice
            if memory.state().summary.logs != len(set(logs) | set(memory.held())):
                self.fault(name, "the view has other logs than tip and spool")
        except AssertionError as problem:
            self.fault(name, str(problem))
        finally:
            memory.close()

    def on_branches(self) -> set[str]:
        """Return the stems of logs that some branch has, here or at the remote."""
        found = set()
        for ref in git(
            self.folder, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"
        ).split():
            listed = git(self.folder, "ls-tree", "-r", "--name-only", ref, "--", "memory/sessions")
            found |= {stem_of(path) for path in listed.split("\n") if path}
        return found

    def fault(self, name: str, said: str) -> None:
        self.faults.append(f"behind {name!r} ({sum(self.counts.values())} acts): {said}")
        self.given_up |= set(self.recorded)  # once is enough

    def open(self) -> Memory:
        return Memory(
            discover(str(self.folder)),
            agent="agent",
            in_process=False,
            clock=lambda: time.time_ns() // 1_000_000,
        )

    # ---- what agents do --------------------------------------------------------------------------

    def record(self) -> None:
        self.number += 1
        before = self.shown()
        memory = self.open()
        try:
            receipt = memory.append(draft(f"fact-{self.number}"))
        finally:
            memory.close()
        self.recorded[receipt.stem] = receipt.path
        if receipt.waits and self.shown() != before:
            self.fault("record", f"git shows something else: {before} {self.shown()}")

    def shown(self) -> str:
        return git(self.folder, "rev-parse", "HEAD") + git(
            self.folder, "--no-optional-locks", "status", "--porcelain", "-uall"
        )

    def record_killed(self) -> None:
        self.number += 1
        running = subprocess.Popen(
            [*PROGRAM, "append", "--title", "t", "--new", f"id=fact-{self.number} Text {self.number}.", "--json"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        )  # fmt: skip
        self.end_within(running, 0.45)
        out, _ = running.communicate()
        if '"stem": "' in out:
            stem = out.partition('"stem": "')[2].partition('"')[0]
            self.recorded[stem] = log_path(stem)

    def end_within(self, running: subprocess.Popen[str], seconds: float) -> None:
        time.sleep(self.rng.random() * seconds)
        try:
            os.killpg(running.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def ask(self) -> None:
        self.diurna("recall", "text")

    def diurna(self, *arguments: str) -> None:
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True
        )
        if done.returncode not in (0, 1, 2, 3, 4, 5) or "Traceback" in done.stderr:
            self.fault(arguments[0], done.stderr)

    def age(self) -> None:
        """Let what waits have waited for more than a day."""
        memory = self.open()
        for stem in memory.held():
            old = time.time() - _DAY_SECONDS
            os.utime(f"{memory.home.held_folder}/{stem}", (old, old))
        memory.close()
        self.ask()

    # ---- what a person does ------------------------------------------------------------------------

    def do(self, *arguments: str) -> bool:
        """Run git; what it refuses is no fault, unless it is for a file of Diurna's."""
        done = self.git(*arguments)
        if done.returncode and "memory/sessions" in done.stderr:
            self.counts["refused for a log"] += 1
        return not done.returncode

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "GIT_EDITOR": "true"}
        return subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            capture_output=True,
            text=True,
            env=environment,
        )

    def edit(self) -> str:
        self.number += 1
        (self.folder / "code.py").write_text(f"print({self.number})\n")
        new = f"file-{self.number}.py"
        (self.folder / new).write_text("new\n")
        return new

    def commit(self, *arguments: str, stage: bool = True) -> None:
        new = self.edit()
        if stage:
            self.do("add", "code.py", new)
        said = (self.folder / "code.py").read_text()
        if self.do(*arguments) and git(self.folder, "show", "HEAD:code.py") != said:
            self.fault(" ".join(arguments), "the person's work is not in the commit")

    def commit_all(self) -> None:
        self.edit()
        self.do("add", "-A")
        self.do("commit", "-q", "-m", "all")

    def fails(self, *arguments: str, stage: bool = True) -> None:
        self.edit()
        if stage:
            self.do("add", "code.py")
        if self.do(*arguments):
            self.fault("commit that fails", "it did not")

    def commit_killed(self) -> None:
        self.edit()
        self.do("add", "code.py")
        running = self.start_commit()
        self.end_within(running, 0.5)
        running.wait()
        self.unlock()

    def start_commit(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["git", "-C", str(self.folder), "commit", "-q", "-m", "killed"], text=True, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def hook_killed(self) -> None:
        """Kill Diurna in the hook, and let git go on."""
        self.edit()
        self.do("add", "code.py")
        running = self.start_commit()
        until = time.monotonic() + 0.05 + self.rng.random() * 0.4
        while running.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        for process in _below(running.pid):
            try:
                if b"rituals" in Path(f"/proc/{process}/cmdline").read_bytes():
                    os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        running.wait()
        self.unlock()

    def unlock(self) -> None:
        """Take away what a killed git left in the way, as git says."""
        for lock in (self.folder / ".git").rglob("*.lock"):
            lock.unlink(missing_ok=True)

    def stash(self, *more: str) -> None:
        self.edit()
        if self.do("stash", "-q", *more) and self.rng.random() < 0.8:
            if self.rng.random() < 0.3:
                self.record()
            if not self.do("stash", "pop", "-q"):
                self.do("checkout", "-q", "-f", "HEAD", "--", ".")

    def set_back(self, *arguments: str, gives_up: bool = True) -> None:
        if self.git("cat-file", "-e", "HEAD~1:memory/diurna.toml").returncode:
            return  # there would be no home
        before = set(logs_in(discover(str(self.folder))))
        self.do(*arguments)
        self.settle_operation()
        if gives_up:
            self.given_up |= before - set(logs_in(discover(str(self.folder))))

    def begin(self) -> None:
        self.number += 1
        self.do("switch", "-q", "-c", f"topic-{self.number}")

    def branches(self) -> list[str]:
        found = git(self.folder, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        here = self.git("branch", "--show-current").stdout.strip()
        return [one for one in found if one != here and not one.startswith("tree-")]

    def switch(self) -> None:
        if found := self.branches():
            branch = self.rng.choice(found)
            self.do("switch", "-q", branch) or self.do("switch", "-q", "-f", branch)

    def join(self, *arguments: str, named: str = "") -> None:
        found = [named] if named else self.branches()
        if found:
            self.do("checkout", "-q", "--", ".")
            before = set(logs_in(discover(str(self.folder))))
            self.do(*arguments, self.rng.choice(found))
            self.settle_operation()
            if arguments[0] in (
                "rebase",
                "pull",
            ):  # it may leave out a commit that a person's revert emptied
                self.given_up |= (
                    before - set(logs_in(discover(str(self.folder)))) if self.reverted() else set()
                )

    def reverted(self) -> bool:
        return bool(self.counts["revert"] or self.counts["cherry-pick"])

    def settle_operation(self) -> None:
        """Give up what is in conflict."""
        for name in ("merge", "rebase", "cherry-pick", "revert"):
            self.git(name, "--abort")
        if not self.git("branch", "--show-current").stdout.strip():
            self.git("switch", "-q", "-f", "main")

    def bisect(self) -> None:
        self.do("bisect", "start", "HEAD", "HEAD~2")
        self.record()
        self.do("bisect", "reset")

    def worktree(self) -> None:
        """Work in another work tree, and take it away."""
        self.number += 1
        tree = self.folder.parent / f"{self.folder.name}-tree-{self.number}"
        if not self.do("worktree", "add", "-q", "-b", f"tree-{self.number}", str(tree)):
            return
        here, self.folder = self.folder, tree
        try:
            self.record()
            if self.rng.random() < 0.7:
                self.commit("commit", "-q", "-m", "in the tree")
        finally:
            self.folder = here
        if self.rng.random() < 0.5:
            self.record()
            self.commit("commit", "-q", "-m", "beside the tree")
        self.do("worktree", "remove", "--force", str(tree))

    def drop(self) -> None:
        found = git(self.folder, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        here = self.git("branch", "--show-current").stdout.strip()
        if found := [one for one in found if one not in (here, "main")]:
            before = self.on_branches()
            self.do("branch", "-q", "-D", self.rng.choice(found))
            self.given_up |= before - self.on_branches()

    def end(self) -> None:
        """Share what waits on the trunk, and look once more."""
        self.do("switch", "-q", "-f", "main")
        self.diurna("check", "--fix")
        self.look("the end")
        done = subprocess.run(
            [*PROGRAM, "check", "--ci"], cwd=self.folder, capture_output=True, text=True
        )
        wrong = [
            line for line in (done.stdout + done.stderr).split("\n") if line.startswith("error")
        ]
        self.faults += [f"verify: {line}" for line in wrong]


def _below(process: int) -> Iterator[int]:
    """Yield the processes that a process has started, and theirs."""
    for name in os.listdir("/proc"):
        try:
            if (
                name.isdigit()
                and int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
                == process
            ):
                yield int(name)
                yield from _below(int(name))
        except (OSError, IndexError):
            continue


def run(place: Path, acts: int, seed: int) -> Day:
    """Let a day pass in a new home; return what became of it."""
    day = Day(place / "home", seed)
    for _ in range(acts):
        day.act()
    day.end()
    return day


def main() -> int:
    """Run the campaign; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--acts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    counts, recorded, faults, given_up = Counter[str](), 0, 0, 0
    for seed in range(asked.seed, asked.seed + -(-asked.acts // _ACTS_A_HOME)):
        with tempfile.TemporaryDirectory() as directory:
            os.environ.update(sealed_environment(directory))
            os.environ["PYTHONPATH"] = str(ROOT)
            day = run(Path(directory), min(asked.acts, _ACTS_A_HOME), seed)
        for one in day.faults:
            print(f"seed {seed}: {one}", flush=True)
        counts += day.counts
        recorded, faults, given_up = (
            recorded + len(day.recorded),
            faults + len(day.faults),
            given_up + len(day.given_up),
        )
        print(
            f"riding: {sum(counts.values())} acts, {recorded} logs, {given_up} given up, {faults} faults",
            flush=True,
        )
    print(dict(sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
