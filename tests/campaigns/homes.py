"""Real homes in a folder, and what every test of durability asks of one afterwards."""

from __future__ import annotations

import atexit
import base64
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.home import Home, discover
from ledger.model.event import FactCreated
from memory.api import Memory
from memory.cache.stamp import Stamp
from memory.write.draft import SessionDraft
from memory.write.host_session import VARIABLES
from projection.policy.model import Windows
from rituals.setup.home_setup import apply_setup, plan_setup

WRITERS = ("pygit2", "fast-import")
IN_TREE, OWN_BRANCH, OWN_REPOSITORY = KINDS = ("in-tree", "own-branch", "own-repository")
NAME, EMAIL = "Ada", "ada@example.invalid"
START_MS = 1_790_000_000_000


def sealed_environment(home: str) -> dict[str, str]:
    """Return the environment of a machine on which nobody has set anything up."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") and key not in VARIABLES
    }
    return {
        **kept,
        "HOME": home,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }


@pytest.fixture(autouse=True)
def hermetic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep a test away from the machine's own git settings and home."""
    for key in [key for key in os.environ if key.startswith("GIT_")]:
        monkeypatch.delenv(key)
    for key, value in sealed_environment(str(tmp_path)).items():
        monkeypatch.setenv(key, value)
    yield


class Clock:
    """A clock that only goes on when it is asked."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        self.now_ms += 1000
        return self.now_ms


def git(where: str | Path, *arguments: str, data: bytes = b"", check: bool = True) -> str:
    """Run git as a user would and return what it prints."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C")
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], input=data, capture_output=True, env=environment
    )
    if check and done.returncode:
        raise AssertionError(f"git {arguments}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "surrogateescape")


def as_left(file: str | Path) -> None:
    """Stamp a file of the cache that a test has changed: as if a fault of Diurna's own had done it."""
    with Stamp(str(file)).replacing():
        pass


class _Made(NamedTuple):
    """What was made once in this process."""

    folder: Path
    #: `HOME`: the key lies there that its caches are signed with.
    user: str
    caches: tuple[Path, ...]


_MADE: dict[str, _Made] = {}


def lay(name: str, folder: Path, make: Callable[[Path], object], top: str = "") -> None:
    """Make a repository in a folder: once by `make`, from then on as a copy of that, as if made there.

    A copy takes a tenth of the time. Where git is set up in a way of its own, nothing is copied. `top` is
    where in the folder the work tree is.
    """
    if not _is_plain_git():
        make(folder)
        return
    if name not in _MADE:
        place = tempfile.mkdtemp(prefix="made-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        made = Path(place, folder.name)
        make(made)
        for sample in made.rglob("hooks/*.sample"):
            sample.unlink()
        caches = tuple(one.relative_to(made).with_suffix("") for one in made.rglob("*.stamp"))
        _MADE[name] = _Made(made, os.environ["HOME"], caches)
    found = _MADE[name]
    _copy(str(found.folder), str(folder))
    git(folder / top, "update-index", "-q", "--refresh")  # a copy has other inodes
    if found.user == os.environ["HOME"]:
        for cache in found.caches:
            as_left(folder / cache)


def lay_in_place(name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder made once in this process, as it was then: for what knows where it lies."""
    if name not in _MADE:
        place = Path(tempfile.mkdtemp(prefix="kept-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        (place / "now").mkdir()
        make(place / "now")
        stamps = (place / "now").rglob("*.stamp")
        caches = tuple(one.relative_to(place / "now").with_suffix("") for one in stamps)
        _copy(str(place / "now"), str(place / "then"))
        _MADE[name] = _Made(place, os.environ["HOME"], caches)
    found = _MADE[name]
    now = found.folder / "now"
    shutil.rmtree(now)
    _copy(str(found.folder / "then"), str(now))
    for repository in now.glob("*/.git"):
        git(repository.parent, "update-index", "-q", "--refresh")
    if found.user == os.environ["HOME"]:
        for cache in found.caches:
            as_left(now / cache)
    return now


def _copy(source: str, target: str) -> None:
    from tests.world import (
        copy_folder,  # a process that becomes faulty runs that module, and has not loaded it
    )

    copy_folder(source, target)


def _is_plain_git() -> bool:
    """Tell whether git is set up as for every test: with no settings of a user."""
    config = os.environ.get("GIT_CONFIG_GLOBAL", "")
    ours = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}
    others = {key for key in os.environ if key.startswith("GIT_")} - ours
    return not others and os.path.exists(config) and not Path(config).read_bytes()


def user_repository(folder: Path, *, commits: int = 1, named: bool = True) -> Path:
    """Make a repository with a user's files in it."""
    lay(f"{commits} commits, {named}", folder, lambda at: _user_repository(at, commits, named))
    return folder


def _user_repository(folder: Path, commits: int, named: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    if named:
        git(folder, "config", "user.name", NAME)
        git(folder, "config", "user.email", EMAIL)
    for number in range(commits):
        (folder / "code.py").write_text(f"print({number})\n")
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs" / "guide.md").write_text("how to\n")
        git(folder, "add", "-A")
        git(
            folder, "-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}",
            "commit", "-q", "-m", f"code {number}",
        )  # fmt: skip


def make_home(folder: Path, kind: str = IN_TREE) -> Home:
    """Make a home of a kind: inside a user's repository, or `folder` itself becomes one."""
    with sessions_alone():
        if folder.exists():
            _make_home(folder, kind)
        else:
            lay(f"{kind} {folder.name}", folder, lambda at: _make_home(at, kind))
    return discover(str(folder))


@contextmanager
def sessions_alone() -> Iterator[None]:
    """Let `init` write the windows of before: each log is a session, and days are not asked for.

    Tests write a dozen sessions in a second; those of `init` have a file of their own (test_work_days.py).
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in ("home_setup", "tree"):
            patch.setattr(f"rituals.setup.{module}.PACED", Windows())
        yield


def _make_home(folder: Path, kind: str) -> None:
    if kind == OWN_REPOSITORY:
        folder.parent.mkdir(parents=True, exist_ok=True)
        plan = plan_setup(str(folder.parent), folder.name, "", "tried")
    else:
        if not (folder / ".git").exists():
            user_repository(folder)
        plan = plan_setup(str(folder), "", "memory" if kind == OWN_BRANCH else "", "tried")
    apply_setup(plan, Clock()).close()
    if kind == OWN_REPOSITORY:
        git(folder, "config", "user.name", NAME)
        git(folder, "config", "user.email", EMAIL)


def open_memory(folder: str | Path, writer: str = "pygit2", clock: Clock | None = None) -> Memory:
    """Open the home of a folder with one of the two writers."""
    home = discover(str(folder))
    return Memory(home, agent="tester", clock=clock or Clock(), in_process=writer == "pygit2")


def draft(name: str, prose: str = "It went well.") -> SessionDraft:
    """Return a draft that creates one fact of a name of its own."""
    return SessionDraft(f"Work on {name}", prose, (FactCreated(name, f"The text of {name}."),))


def logs_in(home: Home) -> dict[str, bytes]:
    """Read stem -> bytes of the logs at the tip, with git alone."""
    tip = git(home.repository.where, "rev-parse", "--verify", "-q", home.reference, check=False)
    if not tip:
        return {}
    rows = git(
        home.repository.where, "ls-tree", "-r", "-z", "--full-tree", tip.strip(),
        "--", home.prefix + "sessions",
    )  # fmt: skip
    found = [row.split("\t", 1) for row in rows.split("\0") if row]
    wanted = "".join(meta.split(" ")[2] + "\n" for meta, _ in found).encode()
    answer = subprocess.run(
        ["git", "-C", home.repository.where, "cat-file", "--batch"],
        input=wanted, capture_output=True, check=True,
    ).stdout  # fmt: skip
    logs: dict[str, bytes] = {}
    at = 0
    for _, path in found:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].rsplit(b" ", 1)[1])
        stem = path.rsplit("/", 1)[1].removesuffix(".md")
        assert stem not in logs, f"{stem} stands twice in the tree"
        logs[stem] = answer[end + 1 : end + 1 + size]
        at = end + 2 + size
    return logs


def fsck(home: Home) -> list[str]:
    """Return what `git fsck --full` complains about twice; leftover objects are harmless.

    A loose object that git's own maintenance packs and removes meanwhile is missed by the first one alone.
    """
    for _ in range(2):
        done = subprocess.run(
            ["git", "-C", home.repository.where, "fsck", "--full", "--no-dangling"],
            capture_output=True,
        )
        lines = (done.stdout + done.stderr).decode("utf-8", "replace").split("\n")
        harmless = ("notice:", "dangling ", "Checking ")
        faults = [line for line in lines if line and not line.startswith(harmless)]
        if not faults:
            break
    return faults


def assert_sound(home: Home, acknowledged: Mapping[str, bytes] | list[str]) -> None:
    """Check that the ledger holds what was acknowledged, byte for byte, and git finds no fault."""
    logs = logs_in(home)
    missing = [stem for stem in acknowledged if stem not in logs]
    assert not missing, f"acknowledged and not in the ledger: {missing}"
    for stem, data in logs.items():
        sealed = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()[:26]
        assert stem[21:] == sealed, f"{stem} holds other bytes"
    if isinstance(acknowledged, Mapping):
        for stem, data in acknowledged.items():
            assert logs[stem] == data
    assert fsck(home) == []


def users_files(folder: str | Path) -> dict[str, bytes]:
    """Return the bytes of everything in the work tree that is not ours."""
    found: dict[str, bytes] = {}
    for path in sorted(Path(folder).rglob("*")):
        inside = path.relative_to(folder).parts
        if inside[0] in (".git", "memory", ".memory") or not path.is_file():
            continue
        found["/".join(inside)] = path.read_bytes()
    return found


def shape(where: str | Path) -> dict[str, object]:
    """Return all that an action which changes nothing in a repository must leave as it is.

    That is its references, HEAD, status, index, configuration and attributes, and every file of its
    work tree; not what Diurna keeps for itself in the git directory.
    """
    common = Path(git(where, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    gitdir = Path(git(where, "rev-parse", "--path-format=absolute", "--git-dir").strip())
    bare = git(where, "rev-parse", "--is-bare-repository").strip() == "true"
    kept = ("config", "config.worktree", "info/exclude", "info/attributes", "packed-refs")
    files = [common / name for name in kept] + [gitdir / "HEAD", gitdir / "ORIG_HEAD"]
    found: dict[str, object] = {
        str(path): path.read_bytes() if path.exists() else None for path in files
    }
    found["refs"] = git(where, "show-ref", check=False)
    if not bare:
        # no refresh: asking must not write the index
        found["index"] = git(where, "ls-files", "-s", "-t", "-v")
        found["status"] = git(where, "--no-optional-locks", "status", "--porcelain", "-uall")
        top = Path(git(where, "rev-parse", "--show-toplevel").strip())
        found["files"] = {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(top).parts
        }
    return found
