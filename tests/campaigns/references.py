"""References set elsewhere by any git, and what becomes of the logs that they led to (L6).

`python -m tests.campaigns.references --acts 1000 --logs 200 --seed 1 --only revert`; `tests/test_references.py`
makes a few. Behind each act a command is given: each acknowledged log is there then, or it is kept and was named;
and what somebody took out on purpose has not come back.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
from collections import Counter
from pathlib import Path

from tests.campaigns.second_fold import path_of
from tests.world import COMMITTED, FOLDER, OWN_BRANCH, OWN_REPOSITORY, Answer, Place, World, sealed

HEADS = "for-each-ref", "refs/heads"
BARE = "bare"  #: its branch is in a bare clone with a work tree beside
COMMANDS = ("status", "show", "brief", "check", "recall logs", "log", "why begun")
#: What a person does in a folder home, by the act.
PLAIN = {
    "commit": ("add -A", "commit -q -m logs"),
    "switch": ("switch -q -c side{n}",),
    "back": ("switch -q main",),
    "delete": ("switch -q main", "branch -q -D side{n}"),
    "reset": ("reset -q {how} HEAD~{back}",),
    "stash": ("stash -q -u",),
    "drop": ("stash -q -u", "stash drop -q"),
    "clean": ("clean -qfdx",),
    "amend": ("add -A", "commit -q --amend -m again"),
    "revert": ("add -A", "commit -q -m logs", "revert --no-edit HEAD"),
}
#: How a branch is rewritten without a log before it was ever sent, and how all references are.
UNSENT = {
    "amend": ("rm -q {path}", "commit -q --amend --no-edit --allow-empty"),
    "drop": ("rebase -q -X theirs --onto HEAD~2 HEAD~1",),
    "recommit": ("reset -q --soft HEAD~2", "rm -q -f --cached {path}", "commit -q -m anew"),
}
EVERY = ("filter", "replace", "export", "mirror")


class Clone:
    """A clone whose references are set elsewhere, and a colleague's.

    Args:
        world: where they are.
        kind: of the home.
        logs: how many there are at first.
    """

    def __init__(self, world: World, kind: str, logs: int = 3) -> None:
        world.laid(f"references {kind} {logs}", lambda apart: _make(apart, kind, logs))
        os.environ[COMMITTED] = "" if kind == FOLDER else "1"
        os.environ["FILTER_BRANCH_SQUELCH_WARNING"] = "1"  # it would wait for ten seconds
        self.kind, self.hub = kind, world.place("hub.git")
        self.place, self.colleague = world.place("a"), world.place("two", "two")
        self.branch = "memory" if kind in (OWN_BRANCH, BARE) else "main"
        self.acknowledged = set(self.place.logs())
        self.removed: set[str] = set()  #: what somebody took out on purpose
        self.named: set[str] = set()
        self.purged: list[str] = []  #: words that were taken out of all histories
        self.counts: Counter[str] = Counter()

    def note(self, rng: random.Random) -> None:
        """A few logs are acknowledged, and perhaps sent."""
        for _ in range(rng.randint(1, 3)):
            self.acknowledged.add(self.place.note("--again", f"fact: It is {rng.random()}."))
        if rng.random() < 0.4 and self.kind != FOLDER:
            self.told(self.place.run("sync", json=False, code=None))

    def set_back(self, rng: random.Random) -> None:
        """To an older commit, or to where the remote has it, by a branch or by a fetch that is forced."""
        if self.kind == OWN_BRANCH and rng.random() < 0.3:
            self._git("fetch", "-q", "origin", "+memory:memory")
        elif rng.random() < 0.3:
            self._git("fetch", "-q")
            self._point(f"origin/{self.branch}")
        else:
            self._point(f"{self.branch}~{rng.randint(1, 5)}")

    def forced_push(self, rng: random.Random) -> None:
        """A colleague takes logs off the remote, and this clone follows."""
        if rng.random() < 0.3:  # what is sent is known by git alone
            self._git("push", "-q", "origin", self.branch)
        before = set(self.hub.logs(self.branch))
        back = self._resolved(self.hub, f"{self.branch}~{rng.randint(1, 3)}")
        if back and self.kind != BARE and self.hub.git("ls-tree", back, "diurna.toml"):
            self.hub.git("update-ref", f"refs/heads/{self.branch}", back)
            self.removed |= before - set(self.hub.logs(self.branch))
            self._git("fetch", "-q")
            self._point(f"origin/{self.branch}")

    def rewrite(self, rng: random.Random) -> None:
        """The branch is made anew without its last logs, by hand or by `git filter-branch`."""
        base = self._resolved(self.place, f"{self.branch}~{rng.randint(1, 3)}")
        if not base or not self.place.git("ls-tree", base, "diurna.toml"):
            return
        before = self._there()
        if rng.random() < 0.3:
            gone = f"git rm -q --cached --ignore-unmatch '*{max(before)}.md'"
            filtered = ("filter-branch", "-f", "--index-filter", gone, self.branch)
            self._git("-c", "core.quotePath=false", *filtered)
        else:
            tree = f"{base}^{{tree}}"
            made = self.place.git("commit-tree", tree, "-p", base, "-m", f"anew {rng.random()}")
            self._point(made)
        self.removed |= before - self._there()

    def unsent(self, rng: random.Random) -> None:
        """The branch is rewritten before its first push: nothing here tells of a remote meanwhile."""
        way, sent = rng.choice(tuple(UNSENT)), f"refs/diurna/sent/{self.branch}"
        where, had = ("-C", "../edit") * (self.branch == "memory"), self._resolved(self.place, sent)
        self._git("remote", "rm", "origin")
        self._git("update-ref", "-d", sent)
        self.note(rng)
        self.note(rng)
        before = self._there()
        if where:
            self._git("worktree", "add", "-q", "-f", "../edit", "memory")
        for line in UNSENT[way]:
            self._git(*where, *line.format(path=self._path(max(before))).split())
        if where:
            self._git("worktree", "remove", "--force", "../edit")
        self._took(before, f"unsent {way}")
        self.next(rng)
        self._git("remote", "add", "origin", "../hub.git")
        self._git("update-ref", sent, had)
        own = ("config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
        self._git(*(own if self.kind == BARE else ("fetch", "-q")))

    def every(self, rng: random.Random) -> None:
        """All references are rewritten without a log, Diurna's own too, or are the remote's."""
        before, way = self._there(), rng.choice(EVERY)
        way = "export" if self.kind == FOLDER else way
        path = self._path(rng.choice(sorted(before - set(self.hub.logs(self.branch)) or before)))
        if way == "mirror" and self.branch == "memory":
            own = "+refs/diurna/*:refs/diurna/*"
            self._git("fetch", "-q", "-p", "origin", "+refs/heads/memory:refs/heads/memory", own)
        elif way == "replace":
            tip = self._resolved(self.place, self.branch)
            less = self.place.git("commit-tree", f"{tip}~^{{tree}}", "-m", "less")
            self._git("replace", tip, less)
            self._git("filter-branch", "-f", "--", "--all")
            self._git("replace", "-d", tip)
        elif way == "filter":
            gone = f"git rm -q --cached --ignore-unmatch {path}"
            self._git("filter-branch", "-f", "--index-filter", gone, "--", "--all")
        else:
            rows = self.place.git("fast-export", "--all", "--no-data").split("\n")
            kept = "\n".join([row for row in rows if not row.endswith(f" {path}")]) + "\n"
            self.place.git("fast-import", "--quiet", "--force", data=kept.encode())
        for name in self.place.git("for-each-ref", "--format=%(refname)", "refs/original").split():
            self._git("update-ref", "-d", name)
        if self.branch == "main":
            self._git("reset", "-q", "--hard")
        self._took(before, f"every {way}")

    def _took(self, before: set[str], what: str) -> None:
        gone = before - self._there()
        self.removed |= gone
        self.counts[what] += bool(gone)

    def _path(self, stem: str) -> str:
        return ("memory/" if self.kind == FOLDER else "") + path_of(stem)

    def delete(self, rng: random.Random) -> None:
        """The branch is deleted, or has another name for a while."""
        if self.kind == OWN_REPOSITORY or not self._resolved(self.place, "refs/heads/memory"):
            return
        before, renamed = self._there(), rng.random() < 0.5
        way = ("-m", "memory", "elsewhere") if renamed else ("-D", "memory")
        self._git("branch", "-q", *way)
        self.next(rng)
        if renamed:
            self._git("branch", "-q", "-M", "elsewhere", "memory")
        else:
            self._git("fetch", "-q")
            self.removed |= before - self._there()

    def revert(self, rng: random.Random) -> None:
        """A commit takes a log out, as `git revert` does."""
        if there := sorted(self._there()):
            gone = there[-1]
            self.place.plant({path_of(gone): None}, "taken out")
            self.removed.add(gone)
            self.acknowledged.discard(gone)  # the history of the branch tells of it

    def forward(self, rng: random.Random) -> None:
        """A colleague records something, and git alone brings it."""
        self.colleague.run("sync", code=None)
        self.colleague.note("--again", f"fact: The other says {rng.random()}.")
        self.colleague.run("sync", code=None)
        self._git("fetch", "-q")
        if self.kind == OWN_BRANCH:
            self._git("fetch", "-q", "origin", "memory:memory")
        elif self.kind == OWN_REPOSITORY:
            self._git("merge", "-q", "--no-edit", "origin/main")

    def purge(self, rng: random.Random) -> None:
        """What both have is taken out of all history in the colleague's clone, and this one follows."""
        word = f"vault{rng.randrange(10**9)}"
        self.colleague.run("sync", code=None)
        self.colleague.note("--again", f"id={word} fact: The {word} is open.")
        self.colleague.run("sync", code=None)
        self.told(self.place.run("sync", json=False, code=None))
        self.colleague.run("sync", code=None)
        purge = ("redact", word, "--reason", "Private.", "--purge", "--yes")
        if not self.colleague.run(*purge, code=None).code:
            self.colleague.git("push", "-q", "-f", "origin", self.branch, ok=False)
            self._git("fetch", "-q")
            if self.kind != BARE:  # there the fetch has moved it
                self._point(f"origin/{self.branch}")
            self.purged.append(f"The {word} is open")

    def restore(self, rng: random.Random) -> None:
        """What went is put back because somebody asks for it."""
        before = self._there()
        self.place.run("check", "--restore", code=None)
        self.removed -= self._there() - before

    def prune(self, rng: random.Random) -> None:
        """Nothing but references keeps anything."""
        self._git("reflog", "expire", "--expire=now", "--all")
        self._git("gc", "-q", "--prune=now")

    def act(self, rng: random.Random, name: str) -> None:
        """Do something, perhaps prune, and judge the next command."""
        self.counts[name] += 1
        if self.kind == FOLDER and name in PLAIN:
            given: dict[str, object] = {"n": rng.randint(1, 3), "back": rng.randint(1, 3)}
            given["how"] = rng.choice(("--soft", "--mixed", "--hard"))
            for line in PLAIN[name]:
                self._git(*line.format(**given).split())
        else:
            getattr(self, name)(rng)
        if rng.random() < 0.2:
            self.prune(rng)
        self.next(rng)

    def next(self, rng: random.Random) -> None:
        """Give a command, and judge what it found and named."""
        heads = self.place.git(*HEADS)
        command = rng.choice(COMMANDS if self.kind != FOLDER else ("check",))
        self.told(self.place.run(*command.split(), code=None, json=False))
        assert self.kind != FOLDER or heads == self.place.git(*HEADS), f"{command} moves a branch"

    def told(self, answer: Answer) -> None:
        """Judge an answer."""
        there, whole = self._there(), answer.out + answer.err
        if re.search("taken off|not here any more|no reference any more", whole):
            self.place.run("status", code=None)  # `check` alone changes nothing
            for name in (self.branch, "memory%2F"):
                self.named |= self._logs(f"refs/diurna/lost/{name}")
                self.named |= self._logs(f"refs/diurna/seen/{name}")
        lost = self.acknowledged - there - set(self.place.waiting()) - self.named
        if lost and self.kind == FOLDER:
            asked = ("--exclude=refs/diurna/*", "--all", "--reflog", "--full-history", "-m")
            said = self.place.git("log", *asked, "--format=", "--name-only")
            lost -= {Path(line).stem for line in said.split("\n")}
        assert not lost, f"{sorted(lost)} are neither found nor named: {whole}"
        self.removed -= set(self.hub.logs(self.branch))  # what the remote has again is everybody's
        assert not there & self.removed, f"{sorted(there & self.removed)} came back: {whole}"
        if self.purged and (tip := self._resolved(self.place, self.branch)):
            held = b"".join(self.place.logs(tip).values()).decode()
            assert not [word for word in self.purged if word in held], "purged words came back"
        self.counts["judged"] += 1

    def _git(self, *words: str) -> None:
        self.place.git(*words, ok=False)

    def _resolved(self, place: Place, name: str) -> str:
        return place.git("rev-parse", "-q", "--verify", f"{name}^{{commit}}", ok=False)

    def _point(self, to: str) -> None:
        at = self._resolved(self.place, to)
        if not at or not self.place.git("ls-tree", at, "diurna.toml"):
            return
        if self.kind == OWN_REPOSITORY:
            self._git("reset", "-q", "--hard", at)
        else:
            self._git("update-ref", f"refs/heads/{self.branch}", at)
        self.removed -= self._there()  # what stood there stands there again

    def _there(self) -> set[str]:
        tip = f"refs/heads/{self.branch}"
        return self._logs(tip if self._resolved(self.place, tip) else f"origin/{self.branch}")

    def _logs(self, reference: str) -> set[str]:
        at = self._resolved(self.place, reference)
        names = self.place.git("ls-tree", "-r", "--name-only", at).split("\n") if at else []
        return {Path(name).stem for name in names if "sessions/" in name}


def _make(world: World, kind: str, logs: int) -> None:
    first = world.home(OWN_BRANCH if kind == BARE else kind, "first")
    first.note("id=begun fact: It has begun.")
    older = dict[str, str | bytes | None]()
    for number in range(logs):
        data = f"---\nended: 2026-11-20T10:15:00.{number:03}Z\n---\n# Number {number}\n".encode()
        older[f"sessions/2026-11/20/2026-11-20-101500{number:03}-{sealed(data)}.md"] = data
    first.plant(older)
    if kind == FOLDER:
        first.commit_all()
    first.join(world.hub(), sync=kind != FOLDER)
    if kind == BARE:
        world.place(".").git("clone", "-q", "--bare", "hub.git", "bare.git")
        bare = world.place("bare.git")
        bare.git("config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
        bare.git("worktree", "add", "-q", "../a", "-b", "work")
    else:
        first.clone("a")
    first.clone("two")
    for name in ("a", "two"):
        world.place(name).git("config", "user.name", name)
        world.place(name).git("config", "user.email", f"{name}@example.invalid")
        if kind in (OWN_BRANCH, BARE):
            world.place(name).run("init", "--branch", "memory")
    world.place("a").note("--again", "fact: One more.")
    if kind == FOLDER:
        world.place("a").commit_all()


_ACTS = "note set_back forward restore forced_push rewrite unsent every delete revert purge".split()
ACTS = dict.fromkeys((OWN_BRANCH, OWN_REPOSITORY, BARE), _ACTS) | {
    FOLDER: ["note", *PLAIN, "every"]
}


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("--acts", 1000), ("--logs", 200), ("--seed", 1)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--only", default="", help="this act of those that there are")
    given = parser.parse_args()
    rng, counts = random.Random(given.seed), Counter[str]()
    while counts["judged"] < given.acts:
        for kind, acts in ACTS.items():
            wanted = [one for one in acts if given.only in ("", one)]
            with tempfile.TemporaryDirectory() as folder, World(Path(folder)) as world:
                clone, done = Clone(world, kind, given.logs), list[str]()
                try:
                    for _ in range(20 if wanted else 0):
                        done += ["note", rng.choice(wanted)]
                        clone.act(rng, done[-2])
                        clone.act(rng, done[-1])
                except BaseException as problem:
                    problem.add_note(" ".join((kind, *done)))
                    raise
                counts += clone.counts
        print(dict(counts), flush=True)


if __name__ == "__main__":
    main()
