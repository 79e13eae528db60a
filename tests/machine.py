"""Commands, hosts, gits and pages on one to three clones, in any order, with deaths and faults; and what must hold.

A Hypothesis state machine. What a step is told stands in the names of its rules; behind each of them no log
may be gone and nothing of a person's may have changed, and behind the last one each clone is looked at whole:
its answer is the second fold's of the logs that git and the spool have, with the cache and without, each log
stands once, and clones that sync hold the same. It knows the command line, JSON, git and what FORMAT.md says
of the spool and of names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from pytest import MonkeyPatch

from tests.campaigns.second_fold import normal, path_of, unlike
from tests.conftest import NOW_MS
from tests.host_door import MINUTE, Door, say
from tests.second_fold import answer
from tests.world import COMMITTED, Answer, Place, World, git, sealed

FOLDER, BRANCH, REPOSITORY = KINDS = ("folder", "branch", "repository")
NAMES = ("one", "two", "three")
IDS = ("a", "b", "c", "d")
#: What was done so far in this process, for those who count.
COUNTS: Counter[str] = Counter()
_STEM = re.compile(r"\d{4}-\d\d-\d\d-\d{9}-[a-z2-7]{26}")
_BULLET = re.compile(r"^- (\[.\] )?.*\n  <!-- id: (\S+) ", re.MULTILINE)
_POLICY = re.compile(
    r"(?m)^(working|active|archive|working_days|active_days|archive_days|stretch_hours)( *)=.*"
)
_WINDOWS = {"working": 1, "active": 2, "archive": 4}
#: What a command dies of, or is answered.
ENDS = ("die", "ENOSPC", "EIO", "EACCES", "git dies", "git dies behind its work")


class Wrong(AssertionError):
    """Something that must hold does not."""


class Lost(Wrong):
    """A log that was acknowledged is nowhere."""


class Differs(Wrong):
    """An answer is another than the second fold's, or than the same question's without a cache."""


class Touched(Wrong):
    """Bytes of a person's are not what they were."""


class Shown(Wrong):
    """A word that is withheld stands in an answer."""


class Apart(Wrong):
    """Clones that have synced hold something else."""


# ---- the clones ----------------------------------------------------------------------------------------


class Clone(Place):
    """A clone with a home, as git, the spool and a person see it.

    Args:
        world: where it is.
        name: of its folder, and of who works there.
        kind: of the home.
    """

    kind = prefix = ""

    def __init__(self, world: World, name: str, kind: str) -> None:
        super().__init__(world, world.folder / name, f"agent-{name}")
        self.kind, self.name, self.beside = kind, name, kind == BRANCH
        self.prefix = "" if kind in (BRANCH, REPOSITORY) else "memory/"
        place = {BRANCH: ".memory", REPOSITORY: ""}.get(kind, "memory")
        self.spool = self.folder / ".git/diurna" / f"spool{'@memory' * self.beside}"
        self.sheet = self.folder / place / "continuity.md"
        self.acknowledged: set[str] = set()
        self.set_back: set[str] = set()  # a person's git took them off all branches
        self.typed: set[str] = set()  # words on the page that no command has heard yet
        self.withheld: set[str] = set()

    @property
    def theirs(self) -> tuple[str, ...]:
        """The person's own: one that is tracked, one that is staged, one that is neither."""
        return f"code-{self.name}.py", f"staged-{self.name}.txt", f"loose-{self.name}.txt"

    def heads(self) -> dict[str, str]:
        """Return reference -> commit of the branches and the stash."""
        found, gitdir = dict[str, str](), self.folder / ".git"
        if (gitdir / "packed-refs").exists():
            for row in (gitdir / "packed-refs").read_text().splitlines():
                if not row.startswith(("#", "^")):
                    commit, _, name = row.partition(" ")
                    found[name] = commit
        loose = [path for path in (gitdir / "refs/heads").rglob("*") if path.suffix != ".lock"]
        for path in (*loose, gitdir / "refs/stash"):
            if path.is_file():
                found[path.relative_to(gitdir).as_posix()] = path.read_text().strip()
        return {
            name: at for name, at in found.items() if name.startswith(("refs/heads/", "refs/stash"))
        }

    def tip(self, branch: str = "") -> str:
        """Return the commit of the home's branch, "" for none."""
        head = (self.folder / ".git/HEAD").read_text().strip()
        name = "refs/heads/memory" if self.beside else head.removeprefix("ref: ")
        return self.heads().get(name, "" if name.startswith("refs/") else name)

    def stems_at(self, commit: str) -> set[str]:
        """Return the logs of a commit, each of which stands there once."""
        return _stems(self.folder, commit, self.prefix)

    def spooled(self, *folders: str) -> dict[str, bytes]:
        """Return stem -> bytes of what waits whole in the spool: for the next command (W1), or `held` (W14, W21)."""
        found = {}
        for folder in folders or ("", "held"):
            for path in sorted(self.spool.joinpath(folder).glob("2*")):
                data = path.read_bytes()
                if path.name[21:] == sealed(data):
                    found[path.name] = data
        return found

    def logs(self, at: str = "") -> dict[str, bytes]:
        """Return stem -> bytes of the logs that answers come from: at the tip, and those held (W15)."""
        return super().logs(self.tip()) | self.spooled("held")

    def persons(self) -> tuple[Any, ...]:
        """Return what no command may change: the person's files, and their entries in the index."""
        there = [self.folder / name for name in self.theirs]
        return (
            [path.read_bytes() if path.exists() else None for path in there],
            _entries(self.folder, sealed((self.folder / ".git/index").read_bytes()), self.theirs),
        )

    def settled(self) -> bool:
        """Tell whether a commit would be made of what is there: on a branch, of an index that has no half of a log."""
        staged = self.git("diff", "--cached", "--name-only", "--", f"{self.prefix}sessions")
        return (self.folder / ".git/HEAD").read_text().startswith("ref:") and not staged

    def drop_cache(self) -> None:
        """Throw away what is computed from the logs."""
        shutil.rmtree(self.folder / ".git/diurna/cache", ignore_errors=True)


@cache
def _stems(folder: Path, commit: str, prefix: str) -> set[str]:
    rows = git(folder, "ls-tree", "-r", "--full-tree", "--name-only", commit, f"{prefix}sessions")
    found = [Path(row).stem for row in rows.splitlines()]
    if len(found) > len(set(found)):
        raise Wrong(f"a log stands twice in {commit}: {found}")
    return set(found)


@cache
def _entries(folder: Path, index: str, files: Sequence[str]) -> str:
    return git(folder, "ls-files", "-s", "--", *files)


def lay(world: World, kind: str, count: int) -> list[Clone]:
    """Make a bare hub and so many clones with a home: once in this process, then as copies of that."""
    world.laid(f"machine {kind} {count}", lambda apart: _make(apart, kind, count))
    return [Clone(world, name, kind) for name in NAMES[:count]]


def _make(world: World, kind: str, count: int) -> None:
    os.environ[COMMITTED] = ""
    place = world.folder
    first = place / "one"
    branch = ["main", *["memory"] * (kind == BRANCH)]
    world.hub()
    if kind == REPOSITORY:
        Place(world, place).run("init", "one", "--project", "tried")
    else:
        git(place, "init", "-q", "-b", "main", "one")
    for name in NAMES[:count]:
        clone = Clone(world, name, kind)
        if name == "one":
            clone.git("remote", "add", "origin", "../hub.git")
        else:
            git(place, "clone", "-q", "hub.git", name)
            clone.git("remote", "set-url", "origin", "../hub.git")
        clone.git("config", "user.name", name)
        clone.git("config", "user.email", f"{name}@example.invalid")
        if name == "one":
            for other in NAMES[:count]:
                (first / f"code-{other}.py").write_text("begun\n")
            clone.git("add", "-A")
            clone.git("commit", "-q", "-m", "code")
        elif kind == BRANCH:
            clone.git("branch", "-q", "memory", "origin/memory")
        how = () if kind == BRANCH else ("--folder", "memory")
        if kind != REPOSITORY:
            clone.run("init", *how)
        if name == "one":
            _set_policy(clone)
            clone.git("push", "-q", "-u", "origin", *branch)


def _set_policy(clone: Clone) -> None:
    """Let facts fade within a few logs, of which each is a session."""
    where = clone.folder
    if clone.beside:
        where = clone.folder.parent / "policy"
        clone.git("worktree", "add", "-q", str(where), "memory")
    path = where / clone.prefix / "diurna.toml"
    path.write_text(
        _POLICY.sub(lambda row: f"{row[1]}{row[2]}= {_WINDOWS.get(row[1], 0)}", path.read_text())
    )
    git(where, "commit", "-q", "-a", "-m", "policy")
    if clone.beside:
        clone.git("worktree", "remove", str(where))


# ---- what must hold ------------------------------------------------------------------------------------


def judged(step: Callable[..., Any]) -> Callable[..., Any]:
    """Remember that a step failed, so that nothing is asked at the end; in an idle example do nothing."""

    @wraps(step)
    def judge(machine: Any, *arguments: Any, **named: Any) -> Any:
        if machine.idle:
            return None
        try:
            return step(machine, *arguments, **named)
        except BaseException:
            machine.failed = True
            raise

    return judge


def act(**given: Any) -> Callable[[Callable[..., None]], Any]:
    """Make a rule."""
    rules: Any = rule(**given)
    return lambda step: rules(judged(step))


# ---- the machine ---------------------------------------------------------------------------------------

_SUBJECTS = (
    "Webhooks of",
    "A card for",
    "Nobody but",
    "Queues behind",
    "Each shop near",
    "Tests beside",
)
#: Commands that record: the stems that they name are there.
_WRITING = "note append edit close capture forget redact undo conflicts task".split()
#: What a host hands over beside whose session it is.
HOOKS = {
    "start": {"source": "startup"}, "prompt": {"prompt": "TEXT"}, "tool": {"tool_name": "Edit"},
    "stop": {"last_assistant_message": "It is done: TEXT"},
}  # fmt: skip
clones = st.integers(0, len(NAMES) - 1)
ids = st.sampled_from(IDS)
#: Most commands come to their end.
endings = st.sampled_from(("",) * 12 + ENDS)
boundaries = st.integers(1, 40)

Words = Callable[["Machine", str, str], tuple[str, ...]]
EVENTS: dict[str, Words] = {
    "ref": lambda m, id, other: ("--ref", id),
    "new": lambda m, id, other: ("--new", f"id={id} decision: {m.text(id)}"),
    "update": lambda m, id, other: ("--update", id, m.text(id)),
    "supersede": lambda m, id, other: ("--supersede", f"{id}={other}"),
    "invalidate": lambda m, id, other: ("--invalidate", id),
    "close": lambda m, id, other: ("--close", id),
    "reopen": lambda m, id, other: ("--reopen", id),
    "reactivate": lambda m, id, other: ("--reactivate", id),
    "start": lambda m, id, other: ("--move", f"{id}=in-progress"),
    "block": lambda m, id, other: ("--move", f"{id}=blocked"),
    "helped": lambda m, id, other: ("--helped", f"{id}=pytest -q: exit 0"),
    "ignored": lambda m, id, other: ("--ignored", f"{id}=judge"),
}  # fmt: skip
CHANGES: dict[str, Callable[[Machine, str], tuple[str, ...]]] = {
    "false": lambda m, id: ("forget", id, "--false", "--reason", "no"),
    "archive": lambda m, id: ("forget", id, "--archive", "--reason", "rests"),
    "back": lambda m, id: ("forget", id, "--back"),
    "restore": lambda m, id: ("edit", id, "--restore", "--reason", "after all"),
    "choose": lambda m, id: ("conflicts", id, "--choose", "1"),
    "settle": lambda m, id: ("conflicts", id, "--text", m.text(id)),
    "close": lambda m, id: ("close", id),
    "confirm": lambda m, id: ("review", "--confirm", id),
    "invariant": lambda m, id: ("edit", id, "--kind", "invariant"),
    "done": lambda m, id: ("task", "done", id),
}  # fmt: skip
COMMITS: dict[str, tuple[tuple[str, ...], ...]] = {
    "add, commit": (("add", "FILE"), ("commit", "-q", "-m", "theirs")),
    "commit -a": (("commit", "-q", "-a", "-m", "theirs"),),
    "commit PATH": (("commit", "-q", "-m", "theirs", "--", "FILE"),),
    "add -A, commit": (("add", "-A"), ("commit", "-q", "-m", "theirs")),
    "amend": (("add", "FILE"), ("commit", "-q", "--amend", "-m", "theirs")),
    "no-verify": (("add", "FILE"), ("commit", "-q", "-n", "-m", "theirs")),
    "stash, pop": (("stash", "-q"), ("stash", "pop", "-q")),
    "stash -u, drop": (("stash", "-q", "-u"), ("stash", "drop", "-q")),
    "clean": (("clean", "-q", "-f", "-d", "-x"),),
}


class Machine(RuleBasedStateMachine):
    """What people and agents do."""

    kind, count, looks = FOLDER, 1, False
    #: The first example that Hypothesis makes of a machine is the simplest one, and says nothing.
    begun = False

    def __init__(self) -> None:
        super().__init__()
        self.idle = not type(self).begun
        type(self).begun = True
        if self.idle:
            return
        self._scratch = TemporaryDirectory(prefix="m-")
        self.world = World(Path(self._scratch.name)).__enter__()
        os.environ[COMMITTED] = ""
        self.clones = lay(self.world, self.kind, self.count)
        self.words, self.words_of = 0, dict[str, set[str]]()
        self.failed = self.forced = self.coded = False
        COUNTS["examples"] += 1

    # ---- how a step is done and judged -------------------------------------------------------------

    def word(self) -> str:
        """Return a word that stands nowhere yet."""
        self.words += 1
        return f"zq{self.words}x"

    def text(self, id: str) -> str:
        """Return a text with such a word, for a fact."""
        word = self.word()
        self.words_of.setdefault(id, set()).add(word)
        return f"{_SUBJECTS[self.words % len(_SUBJECTS)]} {word} is told."

    @judged
    def does(
        self, clone: Clone, *words: str, data: bytes = b"", end: str = "", at: int = 0
    ) -> Answer:
        """Give a command, perhaps one that ends at some boundary; judge what it left."""
        told = f"{clone.name}: diurna {' '.join(words)}{f', {end} at {at}' if end else ''}"
        given: dict[str, Any] = {"stdin": data, "code": None, "json": False}
        with self.judging(clone, told, [*words, data.decode()]) as said:
            if not end:
                answer = clone.run(*words, **given)
            elif end.startswith("git"):
                work = '"$git" "$@"; ' * ("behind" in end)
                with self.world.git_does(f"{work}kill -9 $$", at=at):
                    answer = clone.run(*words, **given)
            else:
                answer = clone.at_step(at, end, *words, stdin=data)
            said.append(answer.out + answer.err)
        COUNTS["kills" if end == "die" else "faults"] += bool(end)
        if words[0] in _WRITING and answer.code == 0:
            self.acknowledge(clone, told, answer, named=not end.startswith("git"))
        if self.looks:
            self.look(clone)
        return answer

    def acknowledge(self, clone: Clone, told: str, answer: Answer, named: bool = True) -> None:
        """Check that the logs are there which an answer says it wrote, and those which it names."""
        there = self._present(clone)
        lost = set(_STEM.findall(answer.out + answer.err)) - there - clone.set_back
        if named and lost:
            raise Lost(f"{told}: {sorted(lost)} are named and nowhere; {answer}")
        found = answer.json if answer.out.startswith("{") else {}
        captured = (log["stem"] for one in found.get("sessions", ()) for log in one["logs"])
        for stem in filter(None, (found.get("stem"), *captured)):
            COUNTS["logs acknowledged"] += stem not in clone.acknowledged
            clone.acknowledged.add(stem)
            if stem not in there:
                raise Lost(f"{told}: {stem} is acknowledged and nowhere")

    @contextmanager
    def judging(self, clone: Clone, told: str, given: Sequence[str] = ()) -> Iterator[list[str]]:
        """Judge what a command or hook leaves, and what it has said, which stands in the list then.

        Args:
            clone: in which.
            told: what it is.
            given: words that it may repeat.
        """
        persons, before, said = clone.persons(), self._there(clone), list[str]()
        yield said
        COUNTS["commands"] += 1
        whole = "".join(said)
        if "Traceback" in whole or "a bug in Diurna" in whole:
            raise Wrong(f"{told}: {whole}")
        if clone.persons() != persons:
            raise Touched(f"{told}: {persons} became {clone.persons()}")
        for word in clone.withheld:
            if word in whole and not any(word in one for one in given):
                raise Shown(f"{told}: {word} is withheld, and stands in {whole}")
        self._grown(clone, before, told)

    @judged
    def plays(self, clone: Clone, *words: str, drops: bool = False, leaves: bool = False) -> bool:
        """Give a git command as a person; tell whether git did it.

        Args:
            clone: in which.
            words: of the command.
            drops: whether it may take logs off a branch.
            leaves: whether what it takes off stays in the work tree.
        """
        before, there = self._there(clone), self._present(clone)
        done = subprocess.run(
            ["git", *words],
            cwd=clone.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "DIURNA_NOW": self.world.clock.tick(), "GIT_EDITOR": "true"},
        )
        COUNTS["acts of git"] += 1
        self.coded = True
        told = f"{clone.name}: git {' '.join(words)}"
        if drops:
            gone = there - self._present(clone)
            if leaves and gone:
                raise Lost(f"{told}: {sorted(gone)} are nowhere")
            clone.set_back |= gone
            clone.typed.clear()  # with them goes what they had heard
        else:
            self._grown(clone, before, told)
        clone.withheld = set()  # until it is looked at anew
        clone.typed = {
            one for one in clone.typed if clone.sheet.exists() and one in clone.sheet.read_text()
        }
        return not done.returncode

    def _there(self, clone: Clone) -> dict[str, set[str]]:
        """Return which logs each branch of a clone has."""
        return {
            name: set(clone.stems_at(commit))
            for name, commit in clone.heads().items()
            if name != "refs/stash"
        }

    def _present(self, clone: Clone) -> set[str]:
        """Return the logs that any branch or stash has, that wait, or that lie in the work tree."""
        found = set(clone.spooled())
        if not clone.beside:
            found |= {
                path.stem for path in (clone.folder / clone.prefix / "sessions").glob("*/*/*.md")
            }
        commits = clone.heads().values()
        return found.union(*(clone.stems_at(commit) for commit in set(commits)))

    def _grown(self, clone: Clone, before: dict[str, set[str]], told: str) -> None:
        """Check that no branch lost a log, and that no acknowledged one is nowhere."""
        after = self._there(clone)
        for name, stems in before.items():
            if stems - after.get(name, set()):
                raise Lost(f"{told}: {name} has lost {sorted(stems - after.get(name, set()))}")
        gone = clone.acknowledged - self._present(clone) - clone.set_back
        if gone:
            raise Lost(f"{told}: {sorted(gone)} are nowhere")

    def ask(self, clone: Clone) -> dict[str, Any]:
        """Return what is shown, whatever HEAD is."""
        return normal(clone.run("show", "--everywhere").json)

    @judged
    def look(self, clone: Clone) -> dict[str, Any]:
        """Check all that must hold of a clone; return what it shows."""
        if clone.spooled(""):  # some command was stopped: whatever writes next commits it
            clone.run("check", "--fix", code=None)
            if clone.spooled(""):
                raise Lost(f"{clone.name}: {clone.spooled('')} still waits")
        shown = self.ask(clone)
        logs = clone.logs()
        for stem, data in logs.items():
            if stem[21:] != sealed(data):
                raise Lost(f"{clone.name}: {stem} has other bytes")
        files = {path_of(stem): data for stem, data in logs.items()}
        policy = clone.git("show", f"{clone.tip()}:{clone.prefix}diurna.toml").encode()
        if wrong := unlike(clone.name, shown, answer({"diurna.toml": policy, **files})):
            raise Differs("; ".join(wrong))
        COUNTS["comparisons with the second fold"] += 1
        listed = [row["stem"] for row in clone.run("log", "-n", "999").json["sessions"]]
        if sorted(listed) != sorted(logs):
            raise Lost(
                f"{clone.name}: the list has {set(listed) ^ set(logs)} besides, or some twice: {listed}"
            )
        clone.drop_cache()
        if wrong := unlike(f"{clone.name}, warm or cold", shown, self.ask(clone)):
            raise Differs("; ".join(wrong))
        COUNTS["comparisons of warm and cold"] += 1
        clone.set_back -= set(logs)
        self._heard(clone, logs)
        self.withhold(clone, shown)
        for command in (
            (("show",), ("brief",), ("recall", "told"), ("log",)) if clone.withheld else ()
        ):
            said = clone.run(*command, code=None, json=False)
            for word in clone.withheld:
                if word in said.out + said.err:
                    raise Shown(f"{clone.name}: {command} shows {word}")
        return shown

    def withhold(self, clone: Clone, shown: dict[str, Any]) -> None:
        """Learn which words no answer may have: those of texts of redacted facts."""
        held = " ".join(fact["text"] for fact in shown["facts"] if not fact["redacted"])
        clone.withheld = {
            word
            for fact in shown["facts"] if fact["redacted"]
            for word in self.words_of.get(fact["id"], ()) if word not in held
        }  # fmt: skip

    def _heard(self, clone: Clone, logs: dict[str, bytes]) -> None:
        """Check that each word which a person typed is on the page still, in a log, or kept aside."""
        if not clone.typed:
            return
        kept = [path.read_bytes() for path in (clone.folder / ".git/diurna/dropped").glob("*")]
        if not clone.beside:  # a reset leaves logs in the work tree
            kept += [
                path.read_bytes() for path in (clone.folder / clone.prefix).glob("sessions/*/*/*")
            ]
        page = clone.sheet.read_bytes() if clone.sheet.exists() else b""
        for word in clone.typed:
            if any(word.encode() in data for data in (page, *logs.values(), *kept)):
                continue
            heads = set(clone.heads().values())  # of another branch, on which it was typed
            if not clone.git("grep", "-l", word, *heads, "--", "*.md", ok=False):
                raise Touched(f"{clone.name}: {word} was typed, and is nowhere")
        clone.typed = {word for word in clone.typed if word.encode() in page}

    def at(self, number: int) -> Clone:
        return self.clones[number % len(self.clones)]

    def teardown(self) -> None:
        if self.idle:
            return
        try:
            if not self.failed:
                if self.count == 1 or self.looks:
                    for clone in self.clones:
                        self.look(clone)
                if self.count > 1:
                    self.converge()
        finally:
            self.world.__exit__()
            self._scratch.cleanup()

    # ---- rules: what agents record -----------------------------------------------------------------

    @initialize(kind=st.sampled_from(("decision", "thread", "task")))
    @judged
    def begin(self, kind: str) -> None:
        """Two facts are told."""
        facts = f"id=a {kind}: {self.text('a')}", f"id=b fact: {self.text('b')}"
        self.does(self.at(0), "note", "--json", *facts)

    @act(number=clones, id=ids, kind=st.sampled_from(("fact", "decision", "invariant", "thread", "task")),
          end=endings, at=boundaries)  # fmt: skip
    def note(self, number: int, id: str, kind: str, end: str, at: int) -> None:
        """A fact is told, or told otherwise by who does not know it."""
        self.does(
            self.at(number),
            "note",
            "--json",
            "--anyway",
            f"id={id} {kind}: {self.text(id)}",
            end=end,
            at=at,
        )

    @act(number=clones, id=ids, end=endings, at=boundaries)
    def reword(self, number: int, id: str, end: str, at: int) -> None:
        self.does(self.at(number), "edit", "--json", id, self.text(id), end=end, at=at)

    @act(number=clones, acts=st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), ids, ids), min_size=1, max_size=4),
          end=endings, at=boundaries)  # fmt: skip
    def append(self, number: int, acts: list[tuple[str, str, str]], end: str, at: int) -> None:
        """A session that says several things of what it knows."""
        words = [word for act, id, other in acts for word in EVENTS[act](self, id, other)]
        title = ("--title", f"Work {self.word()}", "--anyway", "--again")
        self.does(self.at(number), "append", "--json", *title, *words, end=end, at=at)

    @act(number=clones, act=st.sampled_from(sorted(CHANGES)), id=ids, end=endings, at=boundaries)
    def change(self, number: int, act: str, id: str, end: str, at: int) -> None:
        """A person decides of a fact."""
        self.does(self.at(number), *CHANGES[act](self, id), "--json", end=end, at=at)

    @act(number=clones, id=ids, end=endings, at=boundaries)
    def redact(self, number: int, id: str, end: str, at: int) -> None:
        """A fact is withheld, at once."""
        clone = self.at(number)
        said = self.does(clone, "redact", "--json", id, "--reason", "a slip", end=end, at=at)
        if not end and not said.code:
            self.withhold(clone, self.ask(clone))

    @act(number=clones, end=endings, at=boundaries)
    def undo(self, number: int, end: str, at: int) -> None:
        self.does(self.at(number), "undo", "--json", end=end, at=at)

    @act(number=clones, how=st.sampled_from(("absorb", "publish", "")), edits=st.lists(
        st.tuples(st.sampled_from(("reword", "tick", "delete", "add", "remark", "core")), st.integers(0, 9)),
        min_size=1, max_size=2), end=endings, at=boundaries)  # fmt: skip
    def edit_page(
        self, number: int, how: str, edits: list[tuple[str, int]], end: str, at: int
    ) -> None:
        """A person edits the page, and lets a command read it, or not yet."""
        clone = self.at(number)
        if not clone.sheet.exists():
            return
        for act, place in edits:
            self._edit(clone, act, place)
        clone.typed = {word for word in clone.typed if word in clone.sheet.read_text()}
        if how:
            self.does(clone, "check", f"--{how}", "--json", end=end, at=at)

    def _edit(self, clone: Clone, act: str, place: int) -> None:
        text = clone.sheet.read_text()
        found = list(_BULLET.finditer(text))
        if act == "add" or not found:
            word = self.word()
            clone.typed.add(word)
            clone.sheet.write_text(
                f"{text.rstrip()}\n\n## Facts\n\n- A person says {word}.\n"
                if "## Facts" not in text
                else text.replace("## Facts\n\n", f"## Facts\n\n- A person says {word}.\n\n", 1)
            )
            return
        bullet = found[place % len(found)]
        old, id = bullet[0], bullet[2]
        new = {
            "tick": old.replace("- [ ]", "- [x]"), "delete": "", "core": re.sub("tier: [a-z-]+",
            "tier: core", old),
        }.get(act, "")  # fmt: skip
        if act == "reword":
            word = self.word()
            clone.typed.add(word)
            self.words_of.setdefault(id, set()).add(word)
            new = old.replace("\n", f" And {word}.\n", 1)
        elif act == "remark":
            word = self.word()
            clone.typed.add(word)
            new = f"{old}"
            clone.sheet.write_text(f"{text.rstrip()}\n\nA remark {word}.\n")
            return
        clone.sheet.write_text(text.replace(old, new, 1))

    @act(number=clones, session=st.integers(1, 2), ends=st.booleans(),
         events=st.lists(st.sampled_from(sorted(HOOKS)), min_size=1, max_size=3))  # fmt: skip
    def hooks(self, number: int, session: int, events: list[str], ends: bool) -> None:
        """A host's session goes on, and may end: all that was said is told in logs then (W13)."""
        clone = self.at(number)
        name = f"{clone.name}-{session}"
        path = self.transcript(name)
        with MonkeyPatch.context() as patch:
            where: Any = SimpleNamespace(path=clone.folder)
            door = Door(where, patch)
            its = door.session("claude", name, transcript_path=str(path))
            # a clone in which no command ran and no session began keeps nothing of one
            begins = [] if clone.spool.parent.is_dir() else ["start"]
            for event in [*begins, *events, *["end"] * ends]:
                door.at((self.world.clock.now_ms - NOW_MS + 1000) / MINUTE)
                self.world.clock.go(seconds=1)
                text = self.text(name)
                say(path, text, role="user")
                with self.judging(clone, f"{clone.name}: hook {event} of {name}", [text]) as said:
                    given = {
                        key: one.replace("TEXT", text) for key, one in HOOKS.get(event, {}).items()
                    }
                    file = {"file_path": str(clone.folder / "a.py")}
                    input = {"tool_input": file} if event == "tool" else {}
                    said.append(its.hook(event, **given, **input).decode())
        if ends:
            span = re.compile(rf"(?m)^transcript: {name}.jsonl \d+-(\d+)$")
            logs = b"".join({**clone.logs(), **clone.spooled()}.values()).decode()
            told = max([0, *map(int, span.findall(logs))])
            if told != path.stat().st_size:
                raise Lost(f"{clone.name}: {name} is told up to {told} of {path.stat().st_size}")

    def transcript(self, name: str) -> Path:
        """Let what a session said grow, and return where it stands."""
        path = self.world.folder / f"{name}.jsonl"
        say(path, f"We found out: {self.text(name)} " * 10)  # of less talk nothing is told
        return path

    @act(number=clones, session=st.integers(1, 2), end=endings, at=boundaries)
    def capture(self, number: int, session: int, end: str, at: int) -> None:
        """What a session left is told because somebody asks."""
        clone = self.at(number)
        name = f"{clone.name}-{session}"
        given = ("--host", "claude", "--session", name, "--transcript", str(self.transcript(name)))
        self.does(clone, "capture", *given, "--json", end=end, at=at)

    @act(number=clones)
    def gc(self, number: int) -> None:
        """A person's git throws away what no reference has."""
        self.plays(self.at(number), "gc", "-q", "--prune=now")

    @act(number=clones, other=st.sampled_from(("note", "edit")))
    def beside(self, number: int, other: str) -> None:
        """Something is recorded while another agent records."""
        clone, note = self.at(number), ("note", "--json", "--anyway")
        told = f"{clone.name}: a note beside {other}"
        with self.judging(clone, told) as said:
            words = (*note, f"id=d fact: {self.text('d')}")
            forked = clone.spawn(
                *(("edit", "--json", "a", self.text("a")) if other == "edit" else words)
            )
            mine = clone.run(*note, f"id=c fact: {self.text('c')}", code=None)
            out, err = forked.communicate()
            theirs = Answer(forked.wait(), out.decode(), err.decode())
            said += map(str, (mine, theirs))
        for heard in (mine, theirs):
            if heard.code == 0:
                self.acknowledge(clone, told, heard)
        if mine.code or str(mine) == str(theirs):
            raise Lost(f"{told}: {mine}{theirs}")

    @act(number=clones)
    def drop_cache(self, number: int) -> None:
        self.at(number).drop_cache()

    # ---- rules: what is shared ---------------------------------------------------------------------

    @act(number=clones, end=endings, at=boundaries)
    def sync(self, number: int, end: str, at: int) -> None:
        self.does(self.at(number), "sync", "--json", end=end, at=at)

    @act(number=clones, how=st.sampled_from(("--no-rebase", "--rebase")))
    def pull(self, number: int, how: str) -> None:
        """A person pulls and pushes with git alone, in their own branch."""
        clone = self.at(number)
        # git takes what the hub had once, and has no more, for dropped there
        drops = self.forced and how == "--rebase"
        self.plays(clone, "pull", "-q", "--no-edit", how, "origin", "main", drops=drops)
        self.settle(clone)
        self.plays(clone, "push", "-q", "origin", "HEAD:main")

    @act(number=clones, back=st.integers(1, 2))
    def force(self, number: int, back: int) -> None:
        """Somebody sets the hub back."""
        clone = self.at(number)
        branch = "memory" if clone.beside else "main"
        if self.is_home(clone, f"{branch}~{back}"):
            self.forced = True
            self.plays(clone, "push", "-q", "-f", "origin", f"{branch}~{back}:refs/heads/{branch}")

    # ---- rules: what a person does with git --------------------------------------------------------

    @act(number=clones, name=st.integers(0, 2), stage=st.booleans())
    def work(self, number: int, name: int, stage: bool) -> None:
        """A file is changed, and staged or not."""
        clone = self.at(number)
        (clone.folder / clone.theirs[name]).write_text(f"{self.word()}\n")
        if stage and name < 2:
            self.plays(clone, "add", clone.theirs[name])

    @act(number=clones, how=st.sampled_from(sorted(COMMITS)))
    def commit(self, number: int, how: str) -> None:
        """A person commits, in some form; what they staged is in it."""
        clone = self.at(number)
        (clone.folder / clone.theirs[0]).write_text(f"{self.word()}\n")
        for words in COMMITS[how]:
            self.plays(clone, *(word.replace("FILE", clone.theirs[0]) for word in words))
        self.settle(clone)

    @act(
        number=clones, how=st.sampled_from(("--soft", "--mixed", "--hard")), back=st.integers(0, 2)
    )
    def reset(self, number: int, how: str, back: int) -> None:
        """A branch is set back."""
        clone = self.at(number)
        if not self.is_home(clone, f"{'memory' if clone.beside else 'HEAD'}~{back}"):
            return
        if clone.beside:
            self.plays(clone, "update-ref", "refs/heads/memory", f"memory~{back}", drops=True)
        else:
            self.plays(
                clone, "reset", "-q", how, f"HEAD~{back}", drops=True, leaves=how != "--hard"
            )

    def is_home(self, clone: Clone, commit: str) -> bool:
        """Tell whether a commit has the policy that all have."""
        policy = f"{clone.prefix}diurna.toml"
        there = clone.git("rev-parse", "-q", "--verify", f"{commit}:{policy}", ok=False)
        return bool(there) and there == clone.git("rev-parse", f"{clone.tip()}:{policy}")

    @act(number=clones, branch=st.sampled_from(("main", "feature")))
    def switch(self, number: int, branch: str) -> None:
        clone = self.at(number)
        self.plays(clone, "switch", "-q", branch) or self.plays(clone, "switch", "-q", "-c", branch)

    @act(number=clones)
    def merge(self, number: int) -> None:
        """The other branch comes in."""
        clone = self.at(number)
        here = clone.git("branch", "--show-current").strip()
        self.plays(clone, "merge", "-q", "--no-edit", "feature" if here == "main" else "main")
        self.settle(clone)

    def settle(self, clone: Clone) -> None:
        """End what git left open: it asked something, or was refused."""
        gitdir = clone.folder / ".git"
        for name, words in (
            ("MERGE_HEAD", "merge"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
        ):
            if (gitdir / name).exists():
                self.plays(clone, words, "--abort")

    def commits(self, clone: Clone) -> None:
        """A person commits all that lies here, and what they took out of it."""
        self.does(clone, "check", "--restore", "--json")
        self.plays(clone, "add", "-A")
        self.plays(clone, "commit", "-q", "-m", "all")

    # ---- the end -----------------------------------------------------------------------------------

    @judged
    def converge(self) -> None:
        """Let all clones sync until nothing moves: then they hold the same."""
        for clone in self.clones:
            if clone.kind == FOLDER:  # a person commits what is theirs, on either branch
                for words in (("switch", "-q", "feature"), ("switch", "-q", "main")):
                    self.commits(clone)
                    self.plays(clone, *words)
                self.plays(clone, "merge", "-q", "--no-edit", "-X", "ours", "feature")
                self.commits(clone)
            elif self.coded and not clone.beside:
                self.plays(clone, "add", "-A")
                self.plays(clone, "stash", "-q")
                self.plays(clone, "switch", "-q", "main")
                self.plays(clone, "merge", "-q", "--no-edit", "-X", "ours", "feature")
            self.does(clone, "check", "--publish", "--discard-edits", "--json")
        for _ in range(5):
            said = []
            for clone in self.clones:
                if not clone.beside and self.coded:  # what a person does with their own commits
                    self.plays(
                        clone,
                        "pull",
                        "-q",
                        "--no-edit",
                        "--no-rebase",
                        "-X",
                        "ours",
                        "origin",
                        "main",
                    )
                    self.settle(clone)
                    self.plays(clone, "push", "-q", "origin", "main")
                said.append(self.does(clone, "sync", "--json"))
            if len({clone.tip() for clone in self.clones}) == 1:
                break
        for clone, one in zip(self.clones, said, strict=True):
            if one.code:
                raise Apart(f"{clone.name} can not sync: {one.out}{one.err}{clone.git('status')}")
        shown = [self.look(clone) for clone in self.clones]
        for clone, other in zip(self.clones[1:], shown[1:], strict=True):
            if wrong := unlike(f"one and {clone.name}", shown[0], other):
                raise Apart("; ".join(wrong))
            if clone.tip() != self.clones[0].tip():
                raise Apart(f"{clone.name} is at {clone.tip()}, one at {self.clones[0].tip()}")
        COUNTS["convergences"] += 1


def machine_of(home: str, clones: int, looking: bool = False) -> type[Machine]:
    """Return the machine for a kind of home and so many clones; with `looking` it looks behind each command."""
    name = f"{home.title()}{clones}"
    return type(
        name, (Machine,), {"kind": home, "count": clones, "looks": looking, "__module__": __name__}
    )
