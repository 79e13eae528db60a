"""A world to test Diurna in from outside: a clock, homes, clones, a remote, and faults of git and of the disk.

What stands on it alone knows the command line, JSON, git and the file system, and nothing of how Diurna is
made:

    def test_it(world):
        shop = world.home(facts={"uv": "Use uv."})         # a repository with code, and memory/ in it
        shop.clock.go(days=1)
        stem = shop.note("id=ci fact: CI has two cores.")   # answers with the stem
        assert shop.run("show", "ci").json["facts"][0]["tier"] == "working"
        assert shop.run("close", "ci", code=1).said == "not-a-thread"
        assert shop.logs()[stem].startswith(b"# ")

A command answers with JSON and has to end with 0 where a test does not say otherwise. Homes are laid: made
once in a process by `init`, and copied from then on.
"""

from __future__ import annotations

import atexit
import base64
import errno
import hashlib
import io
import json
import os
import re
import resource
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
)
from pathlib import Path
from typing import Any, Self
from warnings import catch_warnings

from rituals.cli.app import main
from tests.campaigns import forks

ROOT = Path(__file__).resolve().parents[1]
IN_TREE, OWN_BRANCH, OWN_REPOSITORY = KINDS = ("in-tree", "own-branch", "own-repository")
#: Where Diurna commits by itself.
COMMITTING = (OWN_REPOSITORY, OWN_BRANCH)
#: A home beside code whose logs nobody commits; in `IN_TREE` somebody does behind each command.
FOLDER = "folder"
#: Says in the environment whether somebody does.
COMMITTED = "TESTS_COMMITTED"
NAME, EMAIL = "Ada", "ada@example.invalid"
START_MS = 1_795_249_812_417  # 2026-11-21T08:30:12.417Z
#: Exit code of a process that a fault let die.
DIED = 77
#: Variables by which agents' programs say whose session it is; the tests may run in one.
_HOSTS = ("CLAUDE", "CODEX", "GEMINI", "QWEN", "OPENCODE", "COPILOT", "CURSOR", "AGENT", "AI_AGENT")
_OURS = ("GIT_", "DIURNA_", "XDG_", "PAGER", "EDITOR", "VISUAL", *_HOSTS)
#: What a user's git is told: after a commit or fetch it starts no second git that looks for garbage.
PLAIN_GIT = "[maintenance]\n\tauto = false\n"
#: What stands between `git` and its command.
_OPTIONS = "((-C|-c) [^ ]* |--no-pager )*"
#: What makes facts fade by days.
_PLAIN = re.compile(r"(?m)^(?P<key>\w+_days|stretch_hours)( *)= \d+")


class Clock:
    """The time that commands are told, in milliseconds; it goes on by a second with each."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms

    def go(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Go on, or back."""
        self.now_ms += round(1000 * (seconds + 3600 * (hours + 24 * days)))

    def tick(self) -> str:
        """Return the time, and go on by a second."""
        self.now_ms += 1000
        return str(self.now_ms)


class Answer:
    """What a command did: its exit code, and what it printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        """The one object of the standard output."""
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """The code of the error by which it refused."""
        return str(self.json["error"]["code"])

    def codes(self) -> list[str]:
        """The codes of its findings."""
        return [one["code"] for one in self.json["findings"]]

    def __repr__(self) -> str:
        return f"exit code {self.code}\n{self.out}{self.err}"


class World:
    """A machine on which nobody has set anything up, below a folder; it is this process's until it is closed.

    Args:
        folder: where all of it is.
        kept: variables of the environment, or how they begin, that stay.
    """

    def __init__(self, folder: Path, kept: Sequence[str] = ()) -> None:
        self.folder = folder
        self.clock = Clock()
        self.user = folder / "user"
        self._before = dict(os.environ), os.getcwd()
        self.user.mkdir(parents=True, exist_ok=True)
        settings = self.user / "gitconfig"
        settings.write_text(PLAIN_GIT)
        for key in [one for one in os.environ if one.startswith(_OURS)]:
            if not key.startswith(("DIURNA_LAW", "DIURNA_WHOLE", "DIURNA_WRITE", *kept)):
                del os.environ[key]
        os.environ.update(
            HOME=str(self.user),
            GIT_CONFIG_GLOBAL=str(settings),
            GIT_CONFIG_NOSYSTEM="1",
            GIT_CEILING_DIRECTORIES=str(folder.parent),
            LC_ALL="C",
            DIURNA_AGENT="claude-code",
        )
        os.environ[COMMITTED] = "1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        environment, folder = self._before
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)

    # ---- places -------------------------------------------------------------------------------------

    def place(self, name: str, agent: str = "") -> Place:
        """Return a place that is there, or is yet to be made."""
        return Place(self, self.folder / name, agent)

    def repository(self, name: str = "a", commits: int = 1) -> Place:
        """Make a user's repository with code in it, and no home."""
        lay(f"code {commits}", self.folder / name, lambda at: _make_code(at, commits))
        return self.place(name)

    def home(
        self, kind: str = IN_TREE, name: str = "a", *, facts: Mapping[str, str] | None = None,
        policy: Mapping[str, object] | None = None, paced: bool = False,
    ) -> Place:  # fmt: skip
        """Make a home.

        Args:
            kind: of home: beside code, on a branch of its own, a repository of its own, or `FOLDER`.
            name: of its folder.
            facts: id -> text, recorded as notes in one log; a kind may stand before a text.
            policy: key -> value, put in place of what `init` wrote.
            paced: whether facts fade as `init` says it, by sessions and by days; else each log is a session.
        """
        wanted = {"paced": paced, **(policy or {})}
        os.environ[COMMITTED] = "" if kind == FOLDER else "1"

        def make(apart: World) -> None:
            if not facts:
                apart.laid(f"init {kind} {name}", lambda at: at.place(name).init(kind))
                apart.place(name).set_policy(**wanted)
            else:
                made = apart.home(kind, name, policy=policy, paced=paced)
                made.note(*(f"id={fact} {text}" for fact, text in facts.items()))
                if wanted.get("publish") != "review":
                    made.run("check", "--publish")
            apart.place(name).commit_all("as made")

        self.laid(f"home {kind} {name} {sorted(wanted.items())} {facts}", make)
        return self.place(name)

    def laid(self, key: str, make: Callable[[World], object]) -> None:
        """Have what `make` makes in a world: done once, from then on copied, with all its folders, as if made here."""

        def made(above: Path) -> None:
            with World(above) as apart:
                make(apart)
                _CLOCKS[key] = apart.clock.now_ms
            shutil.rmtree(above / "user")

        laid = _once(key, "", made)
        for folder in filter(Path.is_dir, laid.iterdir()):
            _copy_repository(laid, folder, self.folder)
        self.clock.now_ms = max(self.clock.now_ms, _CLOCKS[key])

    def hub(self, name: str = "hub.git") -> Place:
        """Make a bare repository, as a forge has it."""
        git(self.folder, "init", "-q", "--bare", "-b", "main", name)
        return self.place(name)

    def team(
        self, kind: str = OWN_REPOSITORY, *names: str, unsent: str = "", **more: Any
    ) -> list[Place]:
        """Make a home `a` that was sent to a hub, and clones of that; `names` of them.

        `unsent` names facts that were noted since, each behind where: `a:ci two:uv`.
        """

        def make(apart: World) -> None:
            first = apart.home(kind, "a", **more)
            first.join(apart.hub())
            for name in names:
                first.clone(name)
            for name, _, fact in (one.partition(":") for one in unsent.split()):
                place = apart.place(name, "" if name == "a" else name)
                place.note(f"id={fact} fact: The text of {fact}.")

        self.laid(f"team {kind} {names} {unsent} {sorted(more.items())}", make)
        return [self.place("a"), *(self.place(name, name) for name in names)]

    # ---- faults of git ------------------------------------------------------------------------------

    @contextmanager
    def git_does(self, does: str, at: int = 0, only: str = "") -> Iterator[Path]:
        """Let each git that is started meanwhile do something first: give the file in which they are told.

        Args:
            does: of a shell; `$n` is how manieth git it is, `$git` the real one. `exit 1` fails, `kill -9 $$` dies.
            at: only the so manieth does it.
            only: only those do it whose command line holds these words.
        """
        shim = Path(tempfile.mkdtemp(dir=self.folder, prefix="shim"))
        told = shim / "told"
        told.touch()
        asked = (
            f'[ {at} = 0 -o "$n" = {at} ]'
            + f' && case "$*" in *{shlex.quote(only)}*) ;; *) false;; esac'
        )
        number = f'while ! mkdir "{shim}/$n" 2>/dev/null; do [ -d "{shim}" ] || exit 1; n=$((n + 1)); done'
        (shim / "git").write_text(
            f"#!/bin/sh\ngit={shutil.which('git')}\nn=1\n{number if at or '$n' in does else ''}\n"
            f'words="$*"; echo "${{words##*maintenance.auto=false }}" >> "{told}"\n'
            f'if {asked}; then\n:\n{does}\nfi\nexec "$git" "$@"\n'
        )
        (shim / "git").chmod(0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{shim}:{before}"
        try:
            yield told
        finally:
            os.environ["PATH"] = before


class Place:
    """A folder of the world: a home in a user's repository, a clone, a bare one, or one that is none yet.

    Args:
        agent: who writes here; else whoever the environment names.
    """

    def __init__(self, world: World, folder: Path, agent: str = "") -> None:
        self.world, self.folder, self.agent = world, folder, agent
        self._branches: dict[tuple[object, ...], str] = {}

    @property
    def clock(self) -> Clock:
        """The clock of the world."""
        return self.world.clock

    # ---- the command line ---------------------------------------------------------------------------

    def run(
        self, *arguments: str, code: int | None = 0, stdin: str | bytes = b"", json: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        """Run a command here, in this process; it has to end with `code`, where that is not None."""
        with self._standing(env):
            answer = run(*self._given(arguments, json), stdin=stdin)
            commit_written(self.folder)
        assert code is None or answer.code == code, f"diurna {shlex.join(arguments)}: {answer}"
        return answer

    def text(self, *arguments: str, **more: Any) -> str:
        """Run a command here, and return what it prints for people."""
        return self.run(*arguments, json=False, **more).out

    def spawn(self, *arguments: str, env: Mapping[str, str] | None = None) -> forks.Forked:
        """Start a command here as a process of its own."""
        with self._standing(env):
            return forks.Forked(["-m", "rituals", *arguments], self.folder, os.environ)

    def process(
        self, *arguments: str, code: int | None = 0, stdin: bytes = b"", json: bool = True,
        env: Mapping[str, str] | None = None, module: str = "rituals",
    ) -> Answer:  # fmt: skip
        """Run a command here to its end, as a process of its own."""
        with self._standing(env):
            given = ["-m", module, *self._given(arguments, json)]
            done = forks.run(given, self.folder, os.environ, stdin)
            commit_written(self.folder)
        answer = Answer(done.returncode, done.stdout, done.stderr)
        assert code is None or answer.code == code, f"diurna {shlex.join(arguments)}: {answer}"
        return answer

    def aside(self) -> None:
        """Have done here what is due: what the start of a session has done in a process that nobody waits for."""
        with self._standing(None), catch_warnings(action="ignore"):
            runpy.run_module("rituals.review.background_steps", run_name="__main__")
        signal.setitimer(signal.ITIMER_REAL, 0)

    @contextmanager
    def _standing(self, env: Mapping[str, str] | None) -> Iterator[None]:
        before, folder = dict(os.environ), os.getcwd()
        os.environ["DIURNA_NOW"] = self.clock.tick()
        if self.agent:
            os.environ["DIURNA_AGENT"] = self.agent
        os.environ.update(env or {})
        os.chdir(self.folder if self.folder.is_dir() else self.folder.parent)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
            os.chdir(folder)

    @staticmethod
    def _given(arguments: Sequence[str], json: bool) -> list[str]:
        return [*arguments, *(["--json"] if json and "--json" not in arguments else [])]

    # ---- what is done with it -----------------------------------------------------------------------

    def init(self, kind: str = IN_TREE, *more: str) -> Place:
        """Make a home here; beside code a repository with code, where there is none."""
        if kind == OWN_REPOSITORY:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            above = Place(self.world, self.folder.parent)
            above.run("init", self.folder.name, *more)
            self.git("config", "user.name", NAME)
            self.git("config", "user.email", EMAIL)
            return self
        if not (self.folder / ".git").exists():
            _make_code(self.folder, 1)
        self.run("init", *([] if kind == OWN_BRANCH else ["--folder", "memory"]), *more)
        return self

    def note(self, *texts: str, **more: Any) -> str:
        """Record facts, each as `note` takes it; return the stem of the log."""
        return str(self.run("note", *texts, **more).json["stem"])

    def session(self, title: str = "Work", *options: str, **written: Any) -> str:
        """Record a session: `options` of `append`, or the keys of its JSON by name; return the stem."""
        given = ["append", "--again"]
        if options:
            return str(self.run(*given, "--title", title, *options).json["stem"])
        whole = json.dumps({"title": title, **written})
        return str(self.run(*given, "--from-json", "-", stdin=whole).json["stem"])

    def append(self, log: str | bytes, **more: Any) -> Answer:
        """Append a log that is written in markdown."""
        return self.run("append", "-", stdin=log, **more)

    def sync(self, *options: str, **more: Any) -> Any:
        """Share with the remote; return what it answers."""
        return self.run("sync", *options, **more).json

    def set_policy(self, **values: object) -> None:
        """Put values in the place of those of `diurna.toml`, and commit that."""
        text = before = self.show_file("diurna.toml").decode()
        if values.pop("paced", True) is False:
            text = plain(text)
        for key, value in values.items():
            said = json.dumps(value)
            line = re.compile(rf"(?m)^(# )?{key}( *)= .*$")
            assert line.search(text), f"{key} is in no policy that init writes"
            text = line.sub(lambda found, k=key, v=said: f"{k}{found[2]}= {v}", text, count=1)  # type: ignore[misc]
        if text != before:
            self.plant({"diurna.toml": text}, "policy")

    def plant(self, files: Mapping[str, str | bytes | None], message: str = "planted") -> str:
        """Commit files of the home by hand, past Diurna; None takes one away. Return the commit."""
        if self.kind == OWN_BRANCH:
            self.commit_on(self.branch, files, message)
            return self.tip()
        paths = [self.prefix + path for path in files]
        for path, data in zip(paths, files.values(), strict=True):
            if data is None:
                (self.folder / path).unlink()
            else:
                self.write(path, data)
        self.git("add", "-f", "--", *paths)
        self.git("commit", "-q", "--allow-empty", "-m", message, "--", *paths)
        return self.tip()

    def commit_on(
        self, branch: str, files: Mapping[str, str | bytes | None], message: str = "planted",
        *, when: str = "", parents: Sequence[str] | None = None, author: str = "",
    ) -> str:  # fmt: skip
        """Commit files on a branch that is not checked out; return the commit.

        Args:
            branch: its name, or a whole reference.
            files: path -> bytes; None takes one away.
            message: of the commit.
            when: seconds since 1970 and a zone, as git writes them.
            parents: of the commit; else the branch as it is.
            author: name and address, where that is another.
        """
        when = when or f"{self.clock.now_ms // 1000} +0000"
        reference = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        head = self.git("rev-parse", "-q", "--verify", reference, ok=False)
        parents = ([head] if head else []) if parents is None else parents
        rows = [f"commit {reference}".encode()]
        who = author or f"{NAME} <{EMAIL}>"
        rows += [f"author {who} {when}".encode(), f"committer {NAME} <{EMAIL}> {when}".encode()]
        rows += [b"data %d" % len(message.encode()), message.encode()]
        rows += [f"{('from', 'merge')[at > 0]} {one}".encode() for at, one in enumerate(parents)]
        for path, data in files.items():
            named = json.dumps(path, ensure_ascii=False).encode()
            if data is None:
                rows.append(b"D " + named)
                continue
            held = data.encode() if isinstance(data, str) else data
            rows += [b"M 100644 inline " + named, b"data %d" % len(held), held]
        self.git("fast-import", "--quiet", "--force", data=b"\n".join([*rows, b"", b"done", b""]))
        return self.git("rev-parse", reference)

    def commit_all(self, message: str = "by hand") -> str:
        """Commit what lies here, as a person does; return the commit."""
        if self.git("status", "--porcelain"):
            self.git("add", "-A")
            self.git("commit", "-q", "-m", message)
        return self.tip(self._head) if self._head else self.git("rev-parse", "HEAD")

    def join(self, hub: Place, *, sync: bool = True) -> None:
        """Have a remote `origin`, and send it what is here."""
        self.git("remote", "add", "origin", str(hub.folder))
        self.git("push", "-q", "-u", "origin", "main")
        if sync:
            self.sync()

    def clone(self, name: str, *options: str) -> Place:
        """Clone the remote of this one, as a colleague does who is called like the folder."""
        url = self.git("config", "remote.origin.url")
        git(self.world.folder, "clone", "-q", *options, url, name)
        made = Place(self.world, self.world.folder / name, name)
        made.git("config", "user.name", name.title())
        made.git("config", "user.email", f"{name}@example.invalid")
        return made

    def fork(self, name: str = "fork") -> Place:
        """Copy all of it, with what Diurna keeps beside it; what is in a cache is read anew there."""
        shutil.copytree(self.folder, self.world.folder / name, symlinks=True)
        return Place(self.world, self.world.folder / name, self.agent)

    # ---- what stands there --------------------------------------------------------------------------

    def show(self, *options: str, **more: Any) -> dict[str, Any]:
        """Return the facts of `show --json`, by their ids."""
        found = self.run("show", *options, **more).json["facts"]
        return {one["id"]: one for one in found}

    def texts(self) -> dict[str, str]:
        """Return id -> text of all facts."""
        return {fact: one["text"] for fact, one in self.show().items()}

    def status(self) -> Any:
        """Return what `status` answers."""
        return self.run("status").json

    def check(self, *options: str) -> list[str]:
        """Return the codes of what `check` finds."""
        return self.run("check", *options, code=None).codes()

    def waiting(self) -> list[str]:
        """Return the stems of whole logs that wait for a commit (W1), also for a person's (W21)."""
        beside = f"@{self.branch}" if self.kind == OWN_BRANCH else ""
        spool = self.common / f"diurna/spool{beside}"
        files = [one for folder in (spool, spool / "held") for one in sorted(folder.glob("2*"))]
        return [one.name for one in files if one.name[21:] == sealed(one.read_bytes())]

    def page(self) -> str:
        """Return the page as memory would write it now."""
        return self.text("show")

    @property
    def kind(self) -> str:
        """Of the home, as git's configuration and trees tell."""
        if self.branch != self._head:
            return OWN_BRANCH
        if not self._plain and self.git("rev-parse", "--is-bare-repository") == "true":
            return IN_TREE if self.git("ls-tree", "HEAD", "memory") else OWN_REPOSITORY
        if (self.top / "memory").is_dir():
            return IN_TREE
        alone = (self.top / "diurna.toml").is_file() or not self.git("ls-files", "--", ":/memory/")
        return OWN_REPOSITORY if alone else IN_TREE

    @property
    def branch(self) -> str:
        """The branch on which memory is."""
        told = self._told_by()
        if told and told in self._branches:
            return self._branches[told]
        refs = "refs/heads/memory", "refs/remotes/*/memory"
        named = self.git("config", "diurna.branch", ok=False)
        if not named:
            found = self.git("for-each-ref", "--format=%(refname)", *refs)
            named = "memory" if found else self._head
        self._branches[told] = named
        return named

    @property
    def _plain(self) -> Path | None:
        """The git directory of a work tree, where that is a folder in it as git makes it."""
        git_dir = self.folder / ".git"
        if self.folder.is_symlink() or not (git_dir / "HEAD").is_file():
            return None
        settings = (git_dir / "config").read_text("utf-8", "replace")
        return None if re.search(r"(?i)bare *= *true|worktree|reftable", settings) else git_dir

    def _told_by(self) -> tuple[object, ...]:
        """Return what tells the branch: HEAD, the configuration, and references of that name."""
        if not (git_dir := self._plain):
            return ()
        packed = git_dir / "packed-refs"
        names = [git_dir / "refs/heads/memory", *git_dir.glob("refs/remotes/*/memory")]
        there = tuple(str(one) for one in names if one.exists())
        texts = [one.read_bytes() if one.exists() else b"" for one in (git_dir / "config", packed)]
        return self._head, *texts, there

    @property
    def _head(self) -> str:
        if git_dir := self._plain:
            text = (git_dir / "HEAD").read_text("utf-8", "replace").strip()
            return text.removeprefix("ref: refs/heads/") if text.startswith("ref: ") else ""
        return self.git("symbolic-ref", "-q", "--short", "HEAD", ok=False)

    @property
    def prefix(self) -> str:
        """Where memory is in the tree of its branch: nothing, or a folder with its slash."""
        return "memory/" if self.kind == IN_TREE else ""

    @property
    def top(self) -> Path:
        """The top of the work tree."""
        return self.folder if self._plain else Path(self.git("rev-parse", "--show-toplevel"))

    @property
    def common(self) -> Path:
        """The git directory that all work trees share."""
        return self._plain or Path(
            self.git("rev-parse", "--path-format=absolute", "--git-common-dir")
        )

    def tip(self, branch: str = "") -> str:
        """Return the commit that memory's branch is at, or another; nothing where there is none."""
        name = branch or self.branch
        if name and (git_dir := self._plain):
            loose = git_dir / "refs/heads" / name
            if loose.is_file() and re.fullmatch(r"[0-9a-f]{40}\n", said := loose.read_text()):
                return said.strip()
        wanted = f"refs/heads/{name}" if name else "HEAD"
        return self.git("rev-parse", "-q", "--verify", wanted, ok=False)

    def show_file(self, path: str, at: str = "") -> bytes:
        """Return the bytes of a file of the home in git."""
        return self.git_bytes("cat-file", "blob", f"{at or self.tip()}:{self.prefix}{path}")

    def logs(self, at: str = "") -> dict[str, bytes]:
        """Return stem -> bytes of the logs that git has at memory's tip, with git alone."""
        tip = at or self.tip()
        if not tip:
            return {}
        rows = self.git_bytes(
            "ls-tree", "-r", "-z", "--full-tree", tip, "--", self.prefix + "sessions"
        ).decode("utf-8", "surrogateescape")
        found = [row.split("\t", 1) for row in rows.split("\0") if row]
        wanted = "".join(f"{meta.split(' ')[2]}\n" for meta, _ in found).encode()
        answer = self.git_bytes("cat-file", "--batch", data=wanted)
        logs: dict[str, bytes] = {}
        at_byte = 0
        for _, path in found:
            end = answer.index(b"\n", at_byte)
            size = int(answer[at_byte:end].rsplit(b" ", 1)[1])
            stem = path.rsplit("/", 1)[1].removesuffix(".md")
            assert stem not in logs, f"{stem} stands twice in the tree"
            logs[stem] = answer[end + 1 : end + 1 + size]
            at_byte = end + 2 + size
        return logs

    def fsck(self) -> list[str]:
        """Return what git complains about; objects that nothing names are harmless."""
        lines: list[str] = []
        harmless = ("notice:", "dangling ", "Checking ")
        # a loose object that git packs meanwhile is missed by the first one alone
        for _ in range(2):
            said = self.tries("fsck", "--full", "--no-dangling")[1].split("\n")
            lines = [one for one in said if one and not one.startswith(harmless)]
            if not lines:
                break
        return lines

    def holds(self, acknowledged: Iterable[str]) -> dict[str, bytes]:
        """Check that logs stand in git once, each with the bytes of its name, and that git finds no fault; return them."""
        logs = self.logs()
        missing = [stem for stem in acknowledged if stem not in logs]
        assert not missing, f"acknowledged and not in the ledger: {missing}"
        for stem, data in logs.items():
            assert stem[21:] in ("", sealed(data)), f"{stem} holds other bytes"
        assert self.fsck() == []
        return logs

    def warm_is_cold(self) -> None:
        """Check that a reader without a cache has the same answer."""
        warm = self.run("show").json
        cache = self.common / "diurna" / "cache"
        aside = cache.with_name("cache-aside")
        cache.rename(aside)
        assert self.run("show").json == warm
        shutil.rmtree(cache, ignore_errors=True)
        aside.rename(cache)

    # ---- git and files ------------------------------------------------------------------------------

    def git(self, *arguments: str, data: bytes = b"", ok: bool = True) -> str:
        """Run git here, as a person does; return what it prints. With `ok` False it may fail."""
        return git(self.folder, *arguments, data=data, ok=ok).strip("\n")

    def git_bytes(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run git here; return the bytes that it prints."""
        return git(self.folder, *arguments, data=data).encode("utf-8", "surrogateescape")

    def tries(self, *arguments: str) -> tuple[int, str]:
        """Run git where it may stop; return its exit code and what it said."""
        done = subprocess.run(["git", "-C", str(self.folder), *arguments], capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")

    def read(self, path: str) -> str:
        """Return the text of a file here."""
        return (self.folder / path).read_text("utf-8")

    def write(self, path: str, data: str | bytes) -> Path:
        """Write a file here."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def files(self) -> dict[str, bytes]:
        """Return path -> bytes of everything here outside of git directories."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.folder).parts
        }

    def users_files(self) -> dict[str, bytes]:
        """Return those of them that are not memory's."""
        ours = ("memory/", ".memory/")
        if self.kind == OWN_REPOSITORY:
            ours = ("sessions/", "archive/", "continuity.md", "diurna.toml", ".gitattributes")  # type: ignore[assignment]
        return {path: data for path, data in self.files().items() if not path.startswith(ours)}

    def tree(self, at: str = "") -> dict[str, str]:
        """Return path -> blob of everything at memory's tip."""
        rows = self.git("ls-tree", "-r", "--full-tree", at or self.tip()).split("\n")
        return {row.split("\t")[1]: row.split()[2] for row in rows if row}

    def shape(self) -> dict[str, object]:
        """Return all that what changes nothing leaves as it is, but for what Diurna keeps for itself in the git directory.

        References, HEAD, status, index, configuration and attributes, and every file of the work tree.
        """
        common = self.common
        plain = self._plain
        gitdir = plain or Path(self.git("rev-parse", "--path-format=absolute", "--git-dir"))
        kept = ("config", "config.worktree", "info/exclude", "info/attributes", "packed-refs")
        files = [*(common / name for name in kept), gitdir / "HEAD", gitdir / "ORIG_HEAD"]
        found: dict[str, object] = {
            path.name: path.read_bytes() if path.exists() else None for path in files
        }
        rows = self.git("show-ref", ok=False).split("\n")
        found["refs"] = [row for row in rows if " refs/diurna/" not in row]
        if plain or self.git("rev-parse", "--is-bare-repository") != "true":
            found["index"] = self.git("ls-files", "-s", "-t", "-v")
            found["status"] = self.git("--no-optional-locks", "status", "--porcelain", "-uall")
            found["files"] = Place(self.world, self.top).files()
        return found

    # ---- faults at the edge of the process -----------------------------------------------------------

    def steps(self, *arguments: str, **more: Any) -> list[str]:
        """Return what a command does with files and other processes, step by step; it is done."""
        file = self.world.folder / "steps"
        file.unlink(missing_ok=True)
        self._faulty(arguments, {"told": str(file)}, code=0, **more)
        return file.read_text().splitlines()

    def at_step(
        self, step: int, does: str, *arguments: str, on: str = "", behind: bool = False, **more: Any
    ) -> Answer:
        """Run a command as a process of its own that something happens to.

        Args:
            step: the so manieth, from 1, as `steps` tells them; 0 each one.
            does: `die`, the name of an error such as `ENOSPC` that it is answered, or `$ …`: what a shell runs first.
            *arguments: of the command.
            on: only steps count whose line holds these words.
            behind: whether the step is done before that happens.
            **more: `stdin` of the command, and `module`, the program that it is for, where that is another.
        """
        fault = {"step": step, "does": does, "on": on, "behind": behind}
        return self._faulty(arguments, fault, code=None, **more)

    def limited(self, name: str, size: int, *arguments: str, **more: Any) -> Answer:
        """Run a command under a limit of the kernel, `FSIZE`, `NOFILE` or `CPU`, as a process of its own."""
        return self._faulty(arguments, {"limit": name, "size": size}, code=None, **more)

    def _faulty(
        self, arguments: Sequence[str], fault: Mapping[str, object], code: int | None,
        stdin: bytes = b"", module: str = "",
    ) -> Answer:  # fmt: skip
        env = {"DIURNA_TEST_FAULT": json.dumps({**fault, "module": module})}
        return self.process(
            *arguments, code=code, stdin=stdin, json=not module, env=env, module="tests.world"
        )


# ---- below that ----------------------------------------------------------------------------------------


def run(*arguments: str, stdin: str | bytes = b"") -> Answer:
    """Run the command line in this process."""
    given = io.TextIOWrapper(
        io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin), "utf-8"
    )
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before, sys.stdin = sys.stdin, given
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(list(arguments))
    finally:
        sys.stdin = before
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Answer(code, *printed)


def git(where: str | Path, *arguments: str, data: bytes = b"", ok: bool = True) -> str:
    """Run git as a user would, and return what it prints."""
    done = subprocess.run(["git", "-C", str(where), *arguments], input=data, capture_output=True)
    assert done.returncode == 0 or not ok, f"git {arguments}: {done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape")


def commit_written(folder: str | Path) -> None:
    """Commit the logs that a command wrote beside code, as a person does right behind it."""
    above = (one for one in (Path(folder), *Path(folder).parents) if (one / ".git").exists())
    at = next(above, None) if os.environ.get(COMMITTED) else None
    if at is None:
        return
    where = at / ".git"
    if where.is_file():
        where = at / where.read_text()[len("gitdir: ") :].strip()
        where = where.parents[1] if (where / "commondir").exists() else where
    logs = [f"*/{one.name}.md" for one in (where / "diurna/spool/held").glob("2*")]
    if not (logs and shutil.which("git")):
        return
    rows = git(at, "status", "--porcelain", "-z", "-uall", "--ignored", "--", *logs, ok=False)
    paths = [row[3:] for row in rows.split("\0") if row and row[1] != "D"]
    if paths:
        when = f"{int(os.environ.get('DIURNA_NOW', START_MS)) // 1000} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        git(at, "add", "-f", "--", *paths, ok=False)
        given = ["git", "-C", str(at), "commit", "-q", "-n", "-m", "memory", "--", *paths]
        subprocess.run(given, capture_output=True, env={**os.environ, **dates})


def sealed(data: bytes) -> str:
    """Return what the name of a log ends with that holds these bytes."""
    return base64.b32encode(hashlib.sha256(data).digest()).decode().lower()[:26]


def plain(policy: str) -> str:
    """Return a policy by which each log is a session, and no fact fades by days."""
    return _PLAIN.sub(r"\g<key>\g<2>= 0", policy)


def _make_code(folder: Path, commits: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", NAME)
    git(folder, "config", "user.email", EMAIL)
    for number in range(commits):
        (folder / "code.py").write_text(f"print({number})\n")
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs" / "guide.md").write_text("how to\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"code {number}")


_LAID: dict[str, Path] = {}
#: Stands around what is made once.
once: Callable[[], AbstractContextManager[None]] = nullcontext
#: What the clock said when a home was made.
_CLOCKS: dict[str, int] = {}


def lay(name: str, folder: Path, make: Callable[[Path], object]) -> None:
    """Make a repository in a folder: once by `make`, from then on as a copy of that, as if made there.

    What Diurna keeps in a cache is not copied: that belongs to a file of one machine, and is read anew.
    """
    copy_folder(str(_once(name, folder.name, make)), str(folder))
    for one in (*folder.glob(".git"), *folder.glob("*/.git")):
        git(one.parent, "update-index", "-q", "--refresh", ok=False)  # a copy has other inodes


def _once(key: str, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder of a name that was made once in this process."""
    if key not in _LAID:
        above = Path(tempfile.mkdtemp(prefix="laid-"))
        atexit.register(shutil.rmtree, above, ignore_errors=True)
        with once():
            make(above / name)
        for needless in [*above.rglob("hooks/*.sample"), *above.rglob("diurna/cache")]:
            shutil.rmtree(needless) if needless.is_dir() else needless.unlink()
        _LAID[key] = above / name
    return _LAID[key]


def _copy_repository(above: Path, folder: Path, to: Path) -> None:
    """Copy a folder to where it would have been made: git says of remotes and work trees where they are."""
    made = to / folder.name
    copy_folder(str(folder), str(made))
    git_dir = made / ".git" if (made / ".git").is_dir() else made
    naming = [git_dir / "config", git_dir / "FETCH_HEAD", made / ".git", *git_dir.glob("worktrees/*/gitdir")]  # fmt: skip
    for file in naming:
        if file.is_file() and str(above).encode() in (data := file.read_bytes()):
            file.write_bytes(data.replace(str(above).encode(), str(to).encode()))
    if (git_dir / "index").exists():
        git(made, "update-index", "-q", "--refresh", ok=False)  # a copy has other inodes


def copy_folder(source: str, target: str) -> None:
    """Copy a folder of small files: `shutil.copytree`, which keeps more of each, takes twice as long."""
    os.makedirs(target, os.stat(source).st_mode & 0o777, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            there = f"{target}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), there)
            elif entry.is_dir():
                copy_folder(entry.path, there)
            else:
                was = entry.stat()
                with open(entry.path, "rb", buffering=0) as file:
                    data = file.read()
                made = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, was.st_mode & 0o777)
                with open(made, "wb", buffering=0) as file:
                    file.write(data)
                os.utime(there, ns=(was.st_atime_ns, was.st_mtime_ns))


# ---- the process that a fault happens to ----------------------------------------------------------------

#: What is a step: it changes files, makes them durable, or starts another process.
_STEPS = ("open", "write", "fsync", "rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir", "truncate",
          "ftruncate", "posix_spawn", "posix_spawnp")  # fmt: skip
_WRITES = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_RDWR


def _line(name: str, given: Sequence[Any]) -> str:
    """Return what a step does, and with what: a command of git, or a file by its path from here."""
    if name.startswith("posix"):
        return re.sub(f"^git {_OPTIONS}", "git ", " ".join(map(os.fsdecode, given[1])))
    what = given[-1] if name in ("rename", "replace", "link") else given[0]
    path = os.readlink(f"/proc/self/fd/{what}") if isinstance(what, int) else os.fsdecode(what)
    return f"{name} {os.path.relpath(path) if path[:1] == '/' else path}"


def _stand_in(
    name: str, whole: Callable[..., Any], fault: Mapping[str, Any], count: list[int]
) -> Callable[..., Any]:
    """Return what is called in place of a function of `os`."""

    def happens(line: str) -> None:
        """Raise, end, or come back: then the step is done."""
        if fault["does"] == "die":
            os._exit(DIED)
        if fault["does"].startswith("$ "):
            subprocess.run(["sh", "-c", fault["does"][2:]], check=True, env=fault["env"])
            return
        number = getattr(errno, fault["does"])
        raise OSError(number, os.strerror(number), line.split(" ")[1])

    def step(*given: Any, **more: Any) -> Any:
        if name == "open" and not given[1] & _WRITES:
            return whole(*given, **more)
        line = _line(name, given)
        if told := fault.get("told"):
            with open(told, "a", encoding="utf-8") as file:
                file.write(line.replace("\n", " ") + "\n")
        if "step" not in fault or fault["on"] not in line:
            return whole(*given, **more)
        count[0] += 1
        if fault["step"] not in (0, count[0]):
            return whole(*given, **more)
        done = whole(*given, **more) if fault["behind"] else None
        happens(line)
        return done if fault["behind"] else whole(*given, **more)

    return step


def _become_faulty(arguments: Sequence[str]) -> int:
    """Be a command that something happens to, as the environment says it."""
    fault = json.loads(os.environ.pop("DIURNA_TEST_FAULT"))
    fault["env"] = dict(os.environ)
    if "limit" in fault:
        sys.dont_write_bytecode = True  # a compiled file that is cut off would be read by others
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        which = getattr(resource, f"RLIMIT_{fault['limit']}")
        resource.setrlimit(which, (fault["size"], resource.getrlimit(which)[1]))
    count = [0]
    for name in _STEPS if "limit" not in fault else ():
        setattr(os, name, _stand_in(name, getattr(os, name), fault, count))
    if fault["module"]:
        sys.argv = [fault["module"], *arguments]
        runpy.run_module(fault["module"], run_name="__main__")
    return main(list(arguments))


if __name__ == "__main__":
    sys.exit(_become_faulty(sys.argv[1:]))
