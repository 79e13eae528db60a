"""Facts that commits end, in scripted histories: each ends at the exact commit, or rightly never (FORMAT.md, U1).

`tests/test_until.py` makes them: people commit, branch, merge with messages of git, of forges and of their own, move branches forward, take things back, tag by both sorts of tag
what is new and what is old, and delete branches. In each some forty predicates are asked, of births at five
commits; the answer is compared with one that goes through every commit of a model of the history, and knows
nothing of git.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ledger.git.cli import Git
from memory.cache.landed_work import EndingFact
from memory.replay.ending_commits import ended_facts

_BEGAN = 1_760_000_000
PATHS = ("src/pay.py", "src/mail.py", "lib/a/b.txt", "README", "new.txt")
BRANCHES = ("feature/x", "fix", "topic/y", "never")
PREDICATES = (
    *[f"{word} {path}" for word in ("gone", "has") for path in (*PATHS, "src", "lib/a", "no/such")],
    *[f'file {path} {how} "{text}"' for path in ("README", "src/pay.py")
      for how in ("has", "lacks") for text in ("alpha", "beta")],
    *[f"version {name} {how} in package.json" for name in ("react", "vue")
      for how in (">= 3", "< 2.5", "= 3", "> 4.1")],
    "tag v1*", "tag v2.0", "tag *-rc", "tag no*",
    *[f"merged {branch}" for branch in BRANCHES],
)  # fmt: skip


class Commit(NamedTuple):
    """A commit of the model: its number is its place in the history."""

    parents: tuple[int, ...]
    files: dict[str, str]
    subject: str
    holds: frozenset[int]  #: it and all that it has, by number
    seconds: int


class Tag(NamedTuple):
    """A tag of the model."""

    name: str
    at: int
    made: int  #: 0 for one that does not tell


class History:
    """A history that people made, as a model.

    Args:
        rng: chooses what they do.
        acts: how much they do.
    """

    def __init__(self, rng: random.Random, acts: int) -> None:
        self.commits: list[Commit] = []
        self.tags: list[Tag] = []
        self.branches: dict[str, int] = {}
        self._rng, self._now = rng, _BEGAN
        self._commit("main", (), {"README": "alpha", "src/pay.py": "x", "package.json": self._versions()},
                     "Begin")  # fmt: skip
        for _ in range(acts):
            act = rng.choice((*[self._change] * 5, self._work, self._work, self._merge, self._merge,
                              self._forward, self._tag, self._tag, self._delete, self._revert))  # fmt: skip
            act()

    @property
    def line(self) -> list[int]:
        """The first-parent line of main, oldest first."""
        found, at = [], self.branches["main"]
        while True:
            found.append(at)
            if not self.commits[at].parents:
                return found[::-1]
            at = self.commits[at].parents[0]

    def _commit(self, branch: str, parents: tuple[int, ...], files: dict[str, str], subject: str) -> None:  # fmt: skip
        self._now += 60
        number = len(self.commits)
        holds = frozenset([number]).union(*[self.commits[one].holds for one in parents])
        self.commits.append(Commit(parents, files, subject, holds, self._now))
        self.branches[branch] = number

    def _versions(self) -> str:
        one, two = self._rng.choice(("2.0.1", "2.5", "3.0", "3", "4.2.0")), self._rng.choice("1235")
        return f'{{\n "react": "^{one}",\n "vue-x": "9",\n "vue": "{two}.0.0"\n}}'

    def _changed(self, files: dict[str, str]) -> dict[str, str]:
        files, rng = dict(files), self._rng
        for path in rng.sample(PATHS, rng.choice((0, 1, 1, 2))):
            if path in files and rng.random() < 0.5:
                del files[path]
            else:
                files[path] = rng.choice(("alpha", "beta", "alpha beta", "gamma")) + "\n"
        if rng.random() < 0.3:
            files["package.json"] = self._versions()
        return files

    def _change(self, branch: str = "main") -> None:
        tip = self.branches[branch]
        self._commit(branch, (tip,), self._changed(self.commits[tip].files), "Work")

    def _work(self) -> None:
        branch = self._rng.choice(BRANCHES[:3])
        if branch not in self.branches or self._rng.random() < 0.2:
            self.branches[branch] = self._rng.choice(self.line[-3:])
        for _ in range(self._rng.choice((0, 1, 1, 2, 3))):
            self._change(branch)

    def _merge(self) -> None:
        others = [one for one in self.branches if one != "main"]
        main = self.branches["main"]
        others = [one for one in others if self.branches[one] not in self.commits[main].holds]
        if not others:
            return
        branch = self._rng.choice(others)
        tip = self.branches[branch]
        subject = self._rng.choice((
            f"Merge branch '{branch}'", f"Merge branch '{branch}' into main", "Bring it",
            f"Merge pull request #7 from ada/{branch}", f"Merge remote-tracking branch 'origin/{branch}'",
            f"Merged in {branch} (pull request #7)",
        ))  # fmt: skip
        files = {**self.commits[main].files, **self.commits[tip].files}
        base = max(self.commits[main].holds & self.commits[tip].holds)
        gone = [one for one in self.commits[base].files if one not in self.commits[tip].files]
        self._commit("main", (main, tip), {path: text for path, text in files.items() if path not in gone},
                     subject)  # fmt: skip

    def _forward(self) -> None:
        main = self.branches["main"]
        ahead = [one for one, tip in self.branches.items() if main in self.commits[tip].holds]
        if ahead:
            self.branches["main"] = self.branches[self._rng.choice(ahead)]

    def _tag(self) -> None:
        self._now += 60
        name = self._rng.choice(("v1.0", "v1.1", "v2.0", "w-rc"))
        if name not in [one.name for one in self.tags]:
            line = self.line
            at = self._rng.choice((line[-1], self._rng.choice(line), *self.branches.values()))
            self.tags.append(Tag(name, at, self._rng.choice((0, self._now))))

    def _delete(self) -> None:
        others = [one for one in self.branches if one != "main"]
        if others:
            del self.branches[self._rng.choice(others)]

    def _revert(self) -> None:
        line = self.line
        if len(line) > 2:
            back = self.commits[self._rng.choice(line[-4:])].files
            self._commit("main", (line[-1],), dict(back), "Take it back")

    def written(self, folder: Path) -> list[str]:
        """Write the history into a repository of git; return the ids of the commits, by number."""
        parts = []
        for number, one in enumerate(self.commits):
            who = f"Ada <ada@example.invalid> {one.seconds} +0000"
            lines = [f"commit refs/work/{number}", f"mark :{number + 1}", f"committer {who}",
                     f"data {len(one.subject.encode())}", one.subject]  # fmt: skip
            lines += [f"{'merge' if at else 'from'} :{parent + 1}" for at, parent in enumerate(one.parents)]  # fmt: skip
            lines.append("deleteall")
            for path, text in one.files.items():
                lines += [f"M 100644 inline {path}", f"data {len(text.encode())}", text]
            parts.append("\n".join(lines) + "\n\n")
        parts += [f"reset refs/heads/{name}\nfrom :{at + 1}\n\n" for name, at in self.branches.items()]  # fmt: skip
        for tag in self.tags:
            who = f"Ada <ada@example.invalid> {tag.made} +0000"
            parts.append(
                f"tag {tag.name}\nfrom :{tag.at + 1}\ntagger {who}\ndata 1\nt\n" if tag.made
                else f"reset refs/tags/{tag.name}\nfrom :{tag.at + 1}\n\n"
            )  # fmt: skip
        folder.mkdir()
        _git(folder, "init", "-q", "-b", "main")
        marks = folder / ".git/marks"
        _git(folder, "fast-import", "--quiet", f"--export-marks={marks}", data="".join(parts).encode())  # fmt: skip
        ids = dict(line.split(" ") for line in marks.read_text().splitlines())
        return [ids[f":{number + 1}"] for number in range(len(self.commits))]

    def end_of(self, said: str, birth: int) -> int | None:
        """Return the number of the commit that ended what was born at one, by going through all."""
        born, line = self.commits[birth], self.line
        behind = [one for one in line if one not in born.holds]
        form, _, rest = said.partition(" ")
        here = self.commits[line[-1]].holds
        if form == "tag":
            named = [one for one in self.tags if fnmatchcase(one.name, rest) and one.at in here]
            late = [(one.made, one.name, one.at) for one in named
                    if one.made > born.seconds and one.at in born.holds]  # fmt: skip
            if late:
                return min(late)[2]
            new = [one.at for one in named if one.at not in born.holds]
            held = [one for one in behind if any(at in self.commits[one].holds for at in new)]
            return held[0] if held else None
        if form == "merged":
            tip = self.branches.get(rest, -1)
            told = [one for one in behind if _says(self.commits[one], rest)]
            came = [one for one in behind if tip in self.commits[one].holds]
            # of a tip on the line itself nobody knows here whether anybody worked on it
            came = [] if not came or tip in line or tip in born.holds else came[:1]
            return min([*told[:1], *came], key=line.index, default=None)
        true = _true_of(said)
        brings = next((one for one in behind if birth in self.commits[one].holds), None)
        for one in behind:
            parents = self.commits[one].parents
            before = bool(parents) and true(self.commits[parents[0]].files)
            before |= one == brings and true(born.files)
            if true(self.commits[one].files) and not before:
                return one
        return None


def _says(commit: Commit, branch: str) -> bool:
    return len(commit.parents) > 1 and any(
        one in f"{commit.subject} "
        for one in (f"'{branch}'", f"'origin/{branch}'", f"ada/{branch} ", f"Merged in {branch} ")
    )


def _true_of(said: str) -> Callable[[dict[str, str]], bool]:
    form, path, *rest = said.split(" ")
    if form in ("gone", "has"):

        def is_there(files: dict[str, str]) -> bool:
            return any(one == path or one.startswith(f"{path}/") for one in files)

        return is_there if form == "has" else lambda files: not is_there(files)
    if form == "file":
        text = rest[1].strip('"')
        return lambda files: path in files and (text in files[path]) == (rest[0] == "has")
    how, number = rest[0], float(rest[1])

    def compares(files: dict[str, str]) -> bool:
        found = [line for line in files.get("package.json", "").split("\n") if f'"{path}"' in line]
        words = found[0].split('"')[3].strip("^").split(".") if found else []
        value = float(".".join(words[:2])) if words else None
        if value is None:
            return False
        return {">=": value >= number, "<": value < number, ">": value > number,
                "=": int(words[0]) == number}[how]  # fmt: skip

    return compares


def _git(folder: Path, *arguments: str, data: bytes = b"") -> None:
    done = subprocess.run(["git", "-C", str(folder), *arguments], input=data, capture_output=True)
    assert not done.returncode, done.stderr


def differences(folder: Path, seed: int, acts: int) -> Iterator[str]:
    """Make a history and ask; yield what is answered otherwise than the model says. The last is "" and counts."""
    rng = random.Random(seed)
    history = History(rng, acts)
    ids, line = history.written(folder), history.line
    git = Git(str(folder))
    births = sorted(rng.sample(line[:-1], min(5, len(line) - 1))) or line
    if rng.random() < 0.3:
        births = [*births, rng.randrange(len(ids))]
    asked = {
        EndingFact(f"{number}-{birth}", "v", said, ids[birth][: rng.choice((7, 40))],
        history.commits[birth].seconds):
        (said, birth)
        for birth in births for number, said in enumerate(PREDICATES)
    }  # fmt: skip
    found = ended_facts(git, ids[line[-1]], asked, branch="main")
    for wait, (said, birth) in asked.items():
        right = history.end_of(said, birth)
        got = found[wait].commit if wait in found else None
        if got != (None if right is None else ids[right]):
            yield f"seed {seed}: {said} of {birth}: {got and ids.index(got)}, not {right}"
