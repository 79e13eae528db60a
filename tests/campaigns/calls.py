"""The system calls of a command on a home beside a remote: learnt once by strace, chosen evenly."""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ledger.home import discover
from ledger.model.record import Record
from memory.api import Memory
from rituals.sync.sync_rounds import sync
from tests.campaigns.homes import (
    EMAIL,
    NAME,
    OWN_BRANCH,
    OWN_REPOSITORY,
    draft,
    git,
    make_home,
    sealed_environment,
)

ROOT = Path(__file__).resolve().parents[2]
KILL = "SIGKILL"
_DISK = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES")
#: What a call is answered; every call can also be the last one.
ERRORS = {
    "openat": (*_DISK, "EMFILE", "EINTR"),
    "read": ("EIO", "EINTR"),
    "pread64": ("EIO",),
    "write": ("EIO", "ENOSPC", "EDQUOT", "EINTR"),
    "pwrite64": ("EIO", "ENOSPC", "EDQUOT"),
    "fsync": ("EIO", "ENOSPC", "EDQUOT", "EINTR"),
    "fdatasync": ("EIO", "ENOSPC"),
    "rename": _DISK,
    "link": _DISK,
    "unlink": ("EIO", "EROFS", "EACCES"),
    "mkdir": _DISK,
    "ftruncate": ("EIO", "EROFS", "EINTR"),
    "close": ("EIO", "ENOSPC", "EDQUOT", "EINTR"),
    "flock": ("EIO", "EINTR"),
    "fcntl": ("EIO",),
    "mmap": ("ENOMEM",),
    "newfstatat": ("EIO", "EACCES"),
    "getdents64": ("EIO",),
    "pipe2": ("EMFILE",),
    "clone": ("EAGAIN", "ENOMEM"),
    "clone3": ("EAGAIN", "ENOMEM"),
    "vfork": ("EAGAIN", "ENOMEM"),
    "execve": ("ENOENT",),  # by the shim: git is not there, or dies as it starts
}
#: Calls that name no file: those that follow the opening of the home count.
_NAMELESS = ("mmap", "pipe2", "clone", "clone3", "vfork")
_CALL = re.compile(r"^(?:(\d+) +)?([a-z0-9_]+)\((.*)")
_FROM_HERE = re.compile(r"AT_FDCWD<[^>]*>")
_RELATIVE = re.compile(r'AT_FDCWD, "[^/]')
_LOG = """# Work on {0}

It went well.

## Memory References

- Created: {0}

## Facts

- The text of {0}.
  <!-- id: {0} -->
"""


class Site(Record):
    """One system call of an act: the `number`-th of its kind of a process."""

    act: Any  #: of which
    child: int  #: 0 for Diurna's own process, else the how manieth git it starts
    call: str  #: the system call
    number: int  #: counted from 1, in each process for itself
    error: str = ""  #: what it is answered, or `SIGKILL`
    what: str = ""  #: what the trace showed there

    def __str__(self) -> str:
        who = f"git {self.child}" if self.child else "diurna"
        return f"{self.act}, {who}: {self.call} {self.number} {self.error} ({self.what[:90]})"


def strace_works() -> bool:
    """Tell whether strace is there and may trace."""
    try:
        done = subprocess.run(
            ["strace", "-f", "-o", "/dev/null", "-e", "inject=chroot:error=EIO", "true"],
            capture_output=True,
        )
    except OSError:
        return False
    return done.returncode == 0


def make_template(folder: Path, kind: str) -> None:
    """Make a home with two logs of its own, and a bare remote that has two others.

    The user has something staged, something changed and something untracked.
    """
    hub, home, peer = folder / "hub.git", folder / "home", folder / "peer"
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--bare", "-b", "main", str(hub))
    make_home(home, kind)
    git(home, "remote", "add", "origin", "../hub.git")
    branches = ["main"] + (["memory"] if kind == OWN_BRANCH else [])
    git(home, "push", "-q", "-u", "origin", *branches)
    git(folder, "clone", "-q", "hub.git", "peer")
    git(peer, "config", "user.name", NAME)
    git(peer, "config", "user.email", EMAIL)
    for place, names in ((peer, ("there-1", "there-2")), (home, ("here-1", "here-2"))):
        memory = Memory(discover(str(place)), agent=place.name, in_process=False)
        for name in names:
            memory.append(draft(name))
        if place == peer:
            sync(memory)
        memory.close()
    shutil.rmtree(peer)
    (home / "staged.txt").write_text("staged\n")
    git(home, "add", "staged.txt")
    (home / "loose.txt").write_text("loose\n")
    if kind != OWN_REPOSITORY:
        (home / "code.py").write_text("print('changed')\n")
    for name in ("mine", "next"):
        (folder / f"{name}.md").write_text(_LOG.format(name))


def environment(folder: Path, shim: Path | None = None) -> dict[str, str]:
    """Return the environment of a command in a copy of a template."""
    found = {
        **sealed_environment(str(folder)),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder),
    }
    if shim is not None:
        found["PATH"] = f"{shim}:{found['PATH']}"
    return found


def write_shim(folder: Path, chosen: str) -> Path:
    """Put a `git` on a path of its own that numbers its calls and does `chosen` with the real one.

    In `chosen`, `$n` is the number and `$git` the real git. What is started behind the end of a test, when
    the folder is gone, ends.
    """
    shim = folder / "shim"
    shim.mkdir()
    text = (
        f"#!/bin/sh\ngit={shutil.which('git')}\nn=1\n"
        f'while ! mkdir "{shim}/$n" 2>/dev/null; do [ -d "{shim}" ] || exit 1; n=$((n + 1)); done\n'
        f'{chosen}\nexec "$git" "$@"\n'
    )
    (shim / "git").write_text(text)
    (shim / "git").chmod(0o755)
    return shim


def sites_of(act: Any, template: Path, scratch: Path) -> list[Site]:
    """Run an act once under strace and list its calls that have to do with the home."""
    folder = scratch / f"trace-{act}".replace(" ", "-")
    shutil.copytree(template, folder, symlinks=True)
    calls = ",".join(call for call in ERRORS if call != "execve")
    tracing = f"strace -f -y -o {folder}/git.$n -e trace={calls}"
    shim = write_shim(folder, f'exec {tracing} "$git" "$@"')
    done = subprocess.run(
        ["strace", "-y", "-o", str(folder / "own"), "-e", f"trace={calls}"]
        + act.command("../mine.md"),
        cwd=folder / "home", env=environment(folder, shim), capture_output=True,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{act} fails without a fault: {done.stderr.decode()}")
    found = list(_sites(act, 0, folder / "own", str(folder)))
    for number in sorted(int(path.suffix[1:]) for path in folder.glob("git.*")):
        found.append(Site(act, number, "execve", 1, "", "its start"))
        found += _sites(act, number, folder / f"git.{number}", str(folder))
    shutil.rmtree(folder, ignore_errors=True)  # what it left in the background may still write
    return found


def _sites(act: Any, child: int, trace: Path, folder: str) -> Iterator[Site]:
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[str, int]] = set()
    opened = False
    for line in trace.read_text(errors="replace").split("\n"):
        parts = _CALL.match(line)
        if parts is None or "resumed>" in line[:30]:
            continue
        process, call, rest = parts.groups()
        counts[process or "", call] += 1
        rest = _FROM_HERE.sub("AT_FDCWD", rest)
        here = folder in rest or _RELATIVE.match(rest) is not None
        opened = opened or here
        number = counts[process or "", call]
        # a close that fails has closed all the same: strace can not do that to a pipe's end
        if (here or (opened and call in _NAMELESS)) and (call, number) not in seen:
            seen.add((call, number))
            yield Site(act, child, call, number, "", rest.replace(folder, ""))


def evenly(strata: Mapping[Any, list[Site]], runs: int, rng: random.Random) -> list[Site]:
    """Choose so many, of each layer as many as of another where it has them."""
    layers = [rng.sample(layer, len(layer)) for _, layer in sorted(strata.items())]
    rng.shuffle(layers)
    return [site for row in zip_longest(*layers) for site in row if site is not None][:runs]


def injected(site: Site, folder: Path, *, to_all: bool = False) -> tuple[list[str], Path | None]:
    """Return the command of an act with a site's error in it, and the shim for git if that is where it is.

    With `to_all` Diurna dies with the git that is killed.
    """
    command = site.act.command("../mine.md")
    error = site.error or KILL
    how = f"signal={KILL}" if error == KILL else f"error={error}"
    inject = f"-e trace={site.call} -e inject={site.call}:{how}:when={site.number}"
    if not site.child:
        return ["strace", "-o", str(folder / "log"), *inject.split(" "), *command], None
    then = f'exec strace -f -o {folder}/log {inject} "$git" "$@"'
    if site.call == "execve":
        ends = "kill -9 $$" if error == KILL else "exit 127"
        then = f"echo INJECTED > {folder}/log; {ends}"
    elif to_all:
        dies = f'grep -q "killed by" {folder}/log && kill -9 $PPID; exit $code'
        then = f"{then.removeprefix('exec ')}; code=$?; {dies}"
    return command, write_shim(folder, f"if [ $n = {site.child} ]; then {then}; fi")


def campaign(
    module: str, doc: str | None, arguments: Sequence[str],
    run: Callable[[argparse.Namespace, Path], tuple[str, bool]], **options: float | str,
) -> int:  # fmt: skip
    """Run a campaign of the command line: `run` says the table, and whether all is as it should be."""
    name = module.rsplit(".", 1)[1]
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=doc)
    for option, value in {**options, "seed": 1, "jobs": 2, "only": ""}.items():
        parser.add_argument(f"--{option}", type=type(value), default=value)
    chosen = parser.parse_args(arguments)
    if not strace_works():
        print(f"{name}: strace is not here or may not trace; nothing was tried", file=sys.stderr)
        return 2
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.update(sealed_environment(temporary))
        said, well = run(chosen, Path(temporary))
    print(f"{said}\n{name}: {time.monotonic() - begun:.0f} s")
    return int(not well)
