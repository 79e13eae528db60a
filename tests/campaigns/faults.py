"""Let one system call of an append or a sync fail, or kill the process there; nothing acknowledged may be lost.

`python -m tests.campaigns.faults --runs 600` traces each act once to learn its system calls, then runs it again and
again, each time with one call that fails or is the last: calls of Diurna's own process, and of each git that it
starts (with all that this one starts). After each the next command must work without help. `--runs 0` takes every
call once. It needs strace. Prints a table; ends with 1 on any loss, hang or fault.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ledger.home import discover
from ledger.model.layout import LOCK_FILE
from ledger.model.record import Record
from ledger.wal.spool import Spool
from memory.api import Memory
from projection.document.render import render
from rituals.sync.sync import sync
from tests.campaigns.homes import (
    EMAIL,
    IN_TREE,
    KINDS,
    NAME,
    OWN_BRANCH,
    OWN_REPOSITORY,
    WRITERS,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    sealed_environment,
)

ROOT = Path(__file__).resolve().parents[2]
#: A command that takes longer hangs: the longest wait of ours, for a fetch or a push, is two minutes.
LIMIT_SECONDS = 200.0
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
_STEM = re.compile(r"\d{4}-\d\d-\d\d-\d{9}-[a-z0-9]{4,26}")  # people read the start of one
_USERS = ("code.py", "docs/guide.md", "staged.txt", "loose.txt")
_BUG = ("Traceback (most recent call last)", "a bug in Diurna")
_LOG = """# Work on {0}

It went well.

## Memory References

- Created: {0}

## Facts

- The text of {0}.
  <!-- id: {0} -->
"""


class Act(Record):
    """What is interrupted: `append` with a writer, or `sync`, in a home of a kind."""

    name: str
    kind: str
    writer: str

    def command(self, log: str) -> list[str]:
        """Return the command line, for a working directory in the home."""
        if self.name == "sync":
            return [sys.executable, "-P", "-m", "rituals", "sync"]
        if self.writer == "pygit2":
            return [sys.executable, "-P", "-m", "tests.campaigns.appender", log]
        return [sys.executable, "-P", "-m", "rituals", "append", log]

    def __str__(self) -> str:
        return f"{self.name} {self.kind} {self.writer}"


ACTS = (
    *(Act("append", kind, writer) for kind in (IN_TREE, OWN_BRANCH) for writer in WRITERS),
    *(Act("sync", kind, "git") for kind in KINDS),
)


class Site(Record):
    """One system call of an act: the `number`-th of its kind of a process.

    Args:
        act: of which.
        child: 0 for Diurna's own process, else the how manieth git it starts.
        call: the system call.
        number: counted from 1, in each process for itself.
        error: what it is answered, or `SIGKILL`.
        what: what the trace showed there.
    """

    act: Any
    child: int
    call: str
    number: int
    error: str = ""
    what: str = ""

    def __str__(self) -> str:
        who = f"git {self.child}" if self.child else "diurna"
        return f"{self.act}, {who}: {self.call} {self.number} {self.error} ({self.what[:90]})"


class Outcome(Record):
    """What one fault did.

    Args:
        site: where it was.
        reached: the process came to that call.
        acknowledged: the log was, in spite of it.
        waits: the log was said to wait in the spool.
        lost: acknowledged logs that are gone.
        stuck: a command did not end.
        faults: whatever else is not as it should be.
    """

    site: Site
    reached: bool
    acknowledged: bool = False
    waits: bool = False
    lost: tuple[str, ...] = ()
    stuck: bool = False
    faults: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether everything is where it should be."""
        return not (self.lost or self.stuck or self.faults)


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


# ---- learning the calls -----------------------------------------------------------------------------


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

    In `chosen`, `$n` is the number and `$git` the real git.
    """
    shim = folder / "shim"
    shim.mkdir()
    text = (
        f"#!/bin/sh\ngit={shutil.which('git')}\nn=1\n"
        f'while ! mkdir "{shim}/$n" 2>/dev/null; do n=$((n + 1)); done\n'
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
    shutil.rmtree(folder)
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


def choose(sites: list[Site], runs: int, seed: int) -> list[Site]:
    """Choose `runs` faults evenly: by act, process, system call and error; 0 for every call once."""
    rng = random.Random(seed)
    if not runs:
        turns: Counter[str] = Counter()
        every = []
        for site in sites:
            errors = (*ERRORS[site.call], KILL)
            every.append(site._replace(error=errors[turns[site.call] % len(errors)]))
            turns[site.call] += 1
        return every
    strata: defaultdict[tuple[Act, bool, str, str], list[Site]] = defaultdict(list)
    for site in sites:
        for error in (*ERRORS[site.call], KILL):
            strata[site.act, bool(site.child), site.call, error].append(site._replace(error=error))
    layers = [rng.sample(layer, len(layer)) for _, layer in sorted(strata.items())]
    rng.shuffle(layers)
    return [site for row in zip_longest(*layers) for site in row if site is not None][:runs]


# ---- one fault --------------------------------------------------------------------------------------


class _Stuck(Exception):
    """A command did not end."""


def _run(command: list[str], folder: Path, shim: Path | None = None) -> tuple[int, str, str]:
    child = subprocess.Popen(
        command, cwd=folder / "home", env=environment(folder, shim), start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        out, err = child.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise _Stuck(" ".join(command[3:])) from None
    return child.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def _faulty(site: Site, folder: Path) -> tuple[list[str], Path | None]:
    """Return the command with the fault in it, and the shim for git if that is where it is."""
    command = site.act.command("../mine.md")
    how = f"signal={KILL}" if site.error == KILL else f"error={site.error}"
    inject = f"-e trace={site.call} -e inject={site.call}:{how}:when={site.number}"
    if not site.child:
        return ["strace", "-o", str(folder / "log"), *inject.split(" "), *command], None
    ends = "kill -9 $$" if site.error == KILL else "exit 127"
    then = f'exec strace -f -o {folder}/log {inject} "$git" "$@"'
    if site.call == "execve":
        then = f"echo INJECTED > {folder}/log; {ends}"
    return command, write_shim(folder, f"if [ $n = {site.child} ]; then {then}; fi")


def _status(home: Path) -> str:
    return git(home, "status", "--porcelain", "-uall")


def _users(home: Path) -> dict[str, bytes | None]:
    return {name: (home / name).read_bytes() if (home / name).exists() else None for name in _USERS}


def inflict(site: Site, template: Path, folder: Path) -> Outcome:
    """Run an act with one fault in a copy of the template, then the next commands; say what came of it."""
    shutil.copytree(template, folder, symlinks=True)
    home = folder / "home"
    before, users = _status(home), _users(home)
    expected = set(logs_in(discover(str(home))))
    command, shim = _faulty(site, folder)
    faults: list[str] = []
    try:
        code, out, err = _run(command, folder, shim)
    except _Stuck:
        return Outcome(site, True, stuck=True)
    log = folder / "log"
    said = log.read_text(errors="replace") if log.exists() else ""
    if "INJECTED" not in said and "killed by SIGKILL" not in said:
        return Outcome(site, False)
    died = site.error == KILL and not site.child
    if code not in (0, 1) and not (died and code in (-9, 137)):
        faults.append(f"exit code {code}: {err.strip()}")
    if any(words in err for words in _BUG):
        faults.append(f"a bug: {err.strip()} {_bug_log(folder)}")
    acknowledged = waits = False
    if site.act.name == "append":
        stem = _STEM.search(out)
        acknowledged = stem is not None
        told = _STEM.search(err) if "waits in the spool" in err else None
        waits = not acknowledged and told is not None
        if stem is not None and _missing({stem.group()}, home):
            return Outcome(site, True, True, False, (stem.group(),), False, tuple(faults))
        expected |= {found.group() for found in (stem, told) if found is not None}
    if _users(home) != users:
        faults.append("a file of the user's changed")
    try:
        faults += _go_on(site, folder, expected)
    except _Stuck as problem:
        return Outcome(site, True, acknowledged, waits, (), True, (f"then {problem} hung",))
    lost = _missing(expected, home)
    try:
        assert_sound(discover(str(home)), [])
    except AssertionError as problem:
        faults.append(str(problem))
    if _users(home) != users:
        faults.append("a file of the user's changed by the next command")
    if _status(home) != before:
        faults.append(f"status: {before!r} became {_status(home)!r}")
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(site, True, acknowledged, waits, lost, False, tuple(faults))


def _missing(expected: set[str], home: Path) -> tuple[str, ...]:
    """Return the starts of stems that no log has."""
    logs = logs_in(discover(str(home)))
    return tuple(sorted(one for one in expected if not any(stem.startswith(one) for stem in logs)))


def _go_on(site: Site, folder: Path, expected: set[str]) -> list[str]:
    """Append and, where there was a sync, sync again; return what did not just work."""
    act, hub, home = site.act, folder / "hub.git", folder / "home"
    faults = []
    for path in sorted(hub.rglob("*.lock")):
        path.rename(folder / path.name)  # what dies on the server is the server's to mend
    command = Act("append", act.kind, act.writer).command("../next.md")
    code, out, err = _run(command, folder)
    stem = _STEM.search(out)
    if code or stem is None:
        faults.append(f"the next append ended with {code}: {err.strip()}")
    else:
        expected.add(stem.group())
    memory = Memory(discover(str(home)), in_process=False)
    if act.name == "sync":
        code, _, err = _run(act.command(""), folder)
        if code:
            faults.append(f"the next sync ended with {code}: {err.strip()}")
        there = git(hub, "rev-parse", memory.home.branch).strip()
        if there != memory.home.tip():
            faults.append(f"the remote has {there}, not {memory.home.tip()}")
        faults += [f"remote: {line}" for line in fsck_bare(hub)]
        names = set(memory.state())
        faults += [f"{fact} is gone" for fact in ("there-1", "there-2") if fact not in names]
    warm, cold = memory.continuity(), render(memory.cold_state().view())
    if warm != cold:
        faults.append("the cache differs from a cold replay")
    if memory.publishes() and memory.drift():
        faults.append(f"drift: {memory.drift()}")
    spool = Spool(memory.home.spool_folder)  # what was never written whole was never acknowledged
    faults += [f"still waits: {one}" for one in spool.waiting() if spool.read(one) is not None]
    left = {str(path.relative_to(home)) for path in (home / ".git").rglob("*.lock")}
    faults += [f"left behind: {path}" for path in sorted(left - {f".git/{LOCK_FILE}"})]
    memory.close()
    return faults


def fsck_bare(where: Path) -> list[str]:
    """Return what `git fsck` finds wrong with a bare repository."""
    done = subprocess.run(
        ["git", "-C", str(where), "fsck", "--full", "--no-dangling"], capture_output=True
    )
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").split("\n")
    return [line for line in lines if line and not line.startswith(("notice:", "Checking "))]


def _bug_log(folder: Path) -> str:
    found = [path for path in folder.rglob("bug-*.log") if path.is_file()]
    return found[0].read_text() if found else ""


# ---- the campaign -----------------------------------------------------------------------------------


def inflict_all(
    acts: tuple[Act, ...], runs: int, seed: int, scratch: Path, jobs: int = 1, told: bool = False
) -> list[Outcome]:
    """Inflict faults on acts, evenly; return what came of each."""
    for kind in sorted({act.kind for act in acts}):
        make_template(scratch / kind, kind)
    sites = [site for act in acts for site in sites_of(act, scratch / act.kind, scratch)]
    chosen = choose(sites, runs, seed)
    if told:
        print(f"faults: {len(sites)} calls in {len(acts)} acts; {len(chosen)} faults", flush=True)

    def one(numbered: tuple[int, Site]) -> Outcome:
        number, site = numbered
        found = inflict(site, scratch / site.act.kind, scratch / f"run-{number}")
        if told and not found.clean:
            said = "".join(f"\n    {fault}" for fault in (*found.lost, *found.faults))
            print(f"  {'STUCK ' if found.stuck else ''}{site}{said}", flush=True)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, enumerate(chosen)))


def table(outcomes: list[Outcome]) -> str:
    """Say by system call and error: runs, acknowledged, waiting, lost, stuck, faults."""
    rows: defaultdict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.reached:
            rows[outcome.site.call, outcome.site.error].append(outcome)
    lines = [
        f"{'call':<12}{'error':<9}{'runs':>5}{'ok':>5}{'waits':>6}{'lost':>5}{'stuck':>6}{'faults':>7}"
    ]
    for (call, error), found in sorted(rows.items()):
        lines.append(f"{call:<12}{error:<9}{_counts(found)}")
    everything = [outcome for found in rows.values() for outcome in found]
    lines.append(f"{'all':<21}{_counts(everything)}")
    return "\n".join(lines)


def _counts(found: list[Outcome]) -> str:
    return (
        f"{len(found):>5}{sum(one.acknowledged for one in found):>5}"
        f"{sum(one.waits for one in found):>6}{sum(len(one.lost) for one in found):>5}"
        f"{sum(one.stuck for one in found):>6}{sum(bool(one.faults) for one in found):>7}"
    )


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=600, help="0 for every call once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="acts whose name holds this")
    chosen = parser.parse_args(arguments)
    if not strace_works():
        print("faults: strace is not here or may not trace; nothing was tried", file=sys.stderr)
        return 2
    begun = time.monotonic()
    acts = tuple(act for act in ACTS if chosen.only in str(act))
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.update(sealed_environment(temporary))
        scratch = Path(temporary)
        outcomes = inflict_all(acts, chosen.runs, chosen.seed, scratch, chosen.jobs, told=True)
    print(table(outcomes))
    missed = sum(not outcome.reached for outcome in outcomes)
    print(f"faults: {missed} calls were not reached, {time.monotonic() - begun:.0f} s")
    return int(not all(outcome.clean for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
