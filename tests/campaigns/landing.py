"""A person works with plain git all day beside agents whose sessions are captured, in one in-tree repository.

`python -m tests.campaigns.landing --acts 400` lets a person commit, amend, rebase, stash, merge, pick, switch and push at
random, each act after a moment of thought, beside three processes that record captured logs (and with
`--kills` die now and then). Asked of each log, at once: is it in the view of the branch that is checked out, or on another one?
Asked at the end: is every commit of the person's there once, with their files and nothing else; and every
captured log once, where all was merged? A git command that fails, and works when it is given again, was delayed.
Prints the counts; ends with 1 on any loss. Both sides take what time they take, so no seed can repeat a run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ledger.errors import WaitsInSpool
from ledger.home import discover
from ledger.model.layout import COMMIT_SUBJECT
from ledger.model.record import Record
from memory.api import Memory
from tests.campaigns.homes import draft, git, logs_in, make_home, sealed_environment

ROOT = Path(__file__).resolve().parents[2]
AGENTS = 3
#: How long an agent works between two logs, and a person thinks between two acts: milliseconds.
_WORK_MS, _THOUGHT_MS = (20, 400), (0, 250)


class Outcome(Record):
    """What a day left behind: counts, and what is wrong."""

    acts: int
    captured: int
    landings: int
    waited: int
    killed: int
    delayed: tuple[str, ...]
    failed: tuple[str, ...]
    unseen: tuple[str, ...]
    lost: tuple[str, ...]
    spoiled: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, unseen or spoiled."""
        return not (self.failed or self.unseen or self.lost or self.spoiled)


class Person:
    """Somebody who works with git, on a trunk and topic branches, and pushes.

    Args:
        folder: of the work tree.
        seed: of what they do.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.made: dict[str, str] = {}  # file -> subject of the commit that has it
        self.delayed: list[str] = []
        self.failed: list[str] = []
        self.topics = 0

    def git(self, *arguments: str) -> str:
        """Run git; give a command that failed again, as a person would."""
        for tried in range(3):
            done = subprocess.run(
                ["git", "-C", str(self.folder), *arguments], capture_output=True, text=True
            )
            if not done.returncode:
                return done.stdout
            said = f"git {' '.join(arguments)}: {done.stderr.strip()}"
            (self.failed if tried == 2 else self.delayed).append(said)
            if arguments[0] in ("cherry-pick", "merge", "rebase"):
                git(self.folder, arguments[0], "--abort", check=False)
            time.sleep(0.3)
        return ""

    def act(self) -> None:
        """Do something that fits where things stand."""
        branch = self.git("branch", "--show-current").strip()
        acts: list[Callable[[], None]] = [
            self.commit,
            self.commit,
            self.commit,
            self.push,
            self.stash,
        ]
        if self._own_tip():
            acts += [self.amend, self.reword]
        acts += (
            [self.topic, self.detour] if branch == "main" else [self.merge, self.rebase, self.pick]
        )
        self.rng.choice(acts)()

    def _own_tip(self) -> bool:
        """Tell whether HEAD is a commit of theirs that is nowhere else: the only kind that they amend."""
        subject = self.git("log", "-1", "--format=%s").strip()
        ahead = self.git("rev-list", "-n1", "HEAD", "--not", "--remotes").strip()
        branches = self.git("branch", "--contains", "HEAD", "--format=%(refname)").split()
        return bool(ahead) and subject.startswith("work") and len(branches) == 1

    def _file(self, subject: str) -> str:
        name = f"file-{len(self.made)}.py"
        (self.folder / name).write_text(f"{name}\n")
        self.made[name] = subject
        self.git("add", name)
        return name

    def commit(self) -> None:
        """Commit a file, now and then after a while with the message."""
        subject = f"work {len(self.made)}"
        self._file(subject)
        if self.rng.random() < 0.2:
            slow = f'{sys.executable} -S -c "import time; time.sleep(.4)"'
            self.git("-c", f"core.editor={slow}", "commit", "-q", "-e", "-m", subject)
        else:
            self.git("commit", "-q", "-m", subject)

    def amend(self) -> None:
        """Put another file into the last commit."""
        subject = self.git("log", "-1", "--format=%s").strip()
        self._file(subject)
        self.git("commit", "-q", "--amend", "--no-edit")

    def reword(self) -> None:
        """Give the last commit another subject."""
        old = self.git("log", "-1", "--format=%s").strip()
        new = f"{old}, reworded"
        self.git("commit", "-q", "--amend", "-m", new)
        if self.git("log", "-1", "--format=%s").strip() == new:
            self.made = {name: new if said == old else said for name, said in self.made.items()}

    def push(self) -> None:
        """Push the branch, by force where it was rebased."""
        self.git("push", "-q", "-u", "--force-with-lease", "origin", "HEAD")

    def stash(self) -> None:
        """Put work aside, and take it up again after a while."""
        (self.folder / "code.py").write_text(f"print({self.rng.random()})\n")
        self.git("stash", "-q")
        time.sleep(self.rng.random() / 4)
        self.git("stash", "pop", "-q")
        self.git("checkout", "-q", "--", "code.py")

    def topic(self) -> None:
        """Begin a topic branch."""
        self.topics += 1
        self.git("checkout", "-q", "-b", f"topic-{self.topics}")

    def detour(self) -> None:
        """Look at an old commit for a while."""
        self.git("checkout", "-q", "--detach", "HEAD~1")
        time.sleep(self.rng.random() / 4)
        self.git("checkout", "-q", "main")

    def merge(self) -> None:
        """Merge the topic branch into the trunk, and delete it."""
        branch = self.git("branch", "--show-current").strip()
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "--no-edit", branch)
        git(self.folder, "branch", "-q", "-d", branch, check=False)  # kept where it has more

    def rebase(self) -> None:
        """Put the topic branch on top of the trunk."""
        self.git("rebase", "-q", "main")

    def pick(self) -> None:
        """Take the last commit of the topic branch over to the trunk, if it is theirs, and merge the rest."""
        branch = self.git("branch", "--show-current").strip()
        if self._own_tip() and self.git("rev-list", "-n1", "main..HEAD").strip():
            last = self.git("rev-parse", "HEAD").strip()
            self.git("checkout", "-q", "main")
            self.git("cherry-pick", last)
            self.push()
            self.git("checkout", "-q", branch)
            self.git("rebase", "-q", "main")


def agent(folder: str, name: str, seed: int) -> None:
    """Record captured logs until the process is ended; say what was acknowledged, and whether it is seen."""
    rng = random.Random(seed)
    number = 0
    while True:
        number += 1
        memory = Memory(
            discover(folder), agent=name, in_process=False,
            clock=lambda: time.time_ns() // 1_000_000,
        )  # fmt: skip
        receipt = memory.hold(draft(f"{name}-{os.getpid()}-{number}"))
        seen = memory.snapshot.cache().log_ref(receipt.stem) is not None or _elsewhere(
            folder, receipt.path
        )
        memory.close()
        print(json.dumps([receipt.stem, bool(receipt.commit), seen]), flush=True)
        time.sleep(rng.uniform(*_WORK_MS) / 1000)


def _elsewhere(folder: str, path: str) -> bool:
    """Tell whether a log landed on another branch, for it was another one that was checked out then."""
    return bool(git(folder, "log", "--all", "--format=%H", "-n1", "--", f"memory/{path}").strip())


class Agents:
    """Processes that record captured logs, and what they said.

    Args:
        folder: of the work tree.
        seed: of when they do.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed, self.killed = folder, seed, 0
        self._running: list[subprocess.Popen[str]] = []
        self.said: list[tuple[str, bool, bool]] = []
        self.errors = ""

    def start(self) -> None:
        """Start as many as are missing."""
        while len(self._running) < AGENTS:
            self._seed += 1
            command = [sys.executable, "-P", "-m", "tests.campaigns.landing"]
            command += ["--agent", f"agent-{self._seed}", "--seed", str(self._seed)]
            self._running.append(
                subprocess.Popen(
                    [*command, "--folder", str(self._folder)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    cwd=ROOT,
                )
            )

    def stop(self, how: int, count: int = AGENTS) -> None:
        """End some, and hear what they said."""
        for process in self._running[:count]:
            process.send_signal(how)
            out, err = process.communicate()
            self.said += [tuple(json.loads(line)) for line in out.split("\n") if line[-1:] == "]"]
            self.errors += err
        del self._running[:count]


def day(folder: Path, acts: int, seed: int, kills: bool = False) -> Outcome:
    """Let a person and agents work; return what became of it."""
    make_home(folder)
    git(folder.parent, "init", "-q", "--bare", "-b", "main", "remote")
    git(folder, "remote", "add", "origin", str(folder.parent / "remote"))
    git(folder, "push", "-q", "-u", "origin", "main")
    person, agents = Person(folder, seed), Agents(folder, seed * 1000)
    agents.start()
    for _ in range(1200):  # until the first of them is at work
        if os.path.isdir(discover(str(folder)).held_folder):
            break
        time.sleep(0.05)
    for number in range(acts):
        person.act()
        if kills and number % 25 == 24:
            agents.stop(signal.SIGKILL, 1)
            agents.killed += 1
            agents.start()
        time.sleep(person.rng.uniform(*_THOUGHT_MS) / 1000)
    agents.stop(signal.SIGTERM)
    (folder / ".git/index.lock").unlink(missing_ok=True)  # of an agent's git that was killed
    return _look(person, agents, acts)


def _look(person: Person, agents: Agents, acts: int) -> Outcome:
    """Merge everything, land what waits, and say what is not as it should be."""
    folder = person.folder
    person.git("checkout", "-q", "main")
    for branch in person.git("branch", "--format=%(refname:short)").split():
        person.git("merge", "-q", "--no-edit", branch)
    memory = Memory.open(str(folder), agent="person")
    memory.bring_back()  # as every command does
    waited = memory.held()
    view = {stem for stem, _, _ in agents.said if memory.snapshot.cache().log_ref(stem) is not None}
    try:
        memory.drain()
    except WaitsInSpool as problem:
        person.failed.append(str(problem))
    memory.close()
    there = logs_in(discover(str(folder)))  # none stands twice
    told = {stem for stem, _, _ in agents.said}
    unseen = [stem for stem, _, seen in agents.said if not seen]
    unseen += sorted(told - view)
    landed = git(folder, "log", f"--grep=^{COMMIT_SUBJECT}", "--format=%H", "main").split()
    return Outcome(
        acts, len(told), len(landed), len(waited), agents.killed, tuple(person.delayed),
        (*person.failed, *[line for line in agents.errors.split("\n") if "Error" in line]),
        tuple(unseen), tuple(sorted(told - there.keys())), tuple(_spoiled(person)),
    )  # fmt: skip


def _spoiled(person: Person) -> list[str]:
    """Return what is wrong with the person's commits: gone, twice, or with anything in them that is not theirs."""
    found = []
    brought: dict[str, list[str]] = {}
    listing = git(
        person.folder, "log", "--no-merges", "--name-only", "--format=%x01%s", "main", "--", "."
    )
    for block in listing.split("\x01")[1:]:
        subject, _, rest = block.partition("\n")
        names = rest.split()
        ours = [name for name in names if name.startswith("memory/")]
        if subject.startswith(COMMIT_SUBJECT):
            found += [f"{subject}: {name}" for name in names if name not in ours]
        elif subject.startswith("work"):
            found += [f"{subject}: {name}" for name in ours]
            for name in names:
                brought.setdefault(name, []).append(subject)
    for name, subject in person.made.items():
        if brought.get(name) != [subject]:
            found.append(f"{name} of {subject!r} is in {brought.get(name)}")
    return found


def main() -> int:
    """Run the campaign, or one agent; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--acts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", action="store_true", help="kill an agent now and then")
    parser.add_argument("--agent", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.agent:
        agent(asked.folder, asked.agent, asked.seed)
    with tempfile.TemporaryDirectory() as directory:
        os.environ.update(sealed_environment(directory))
        found = day(Path(directory) / "home", asked.acts, asked.seed, asked.kills)
    for what in ("delayed", "failed", "unseen", "lost", "spoiled"):
        for one in getattr(found, what):
            print(f"{what}: {one}")
    print(
        f"landing: {found.acts} acts of a person beside {found.captured} captured logs ({found.killed} agents killed, "
        f"{found.landings} landings, {found.waited} logs waited at the end): {len(found.delayed)} commands delayed, "
        f"{len(found.failed)} failed, {len(found.unseen)} logs unseen, {len(found.lost)} lost, "
        f"{len(found.spoiled)} commits spoiled"
    )
    return 0 if found.sound else 1


if __name__ == "__main__":
    sys.exit(main())
