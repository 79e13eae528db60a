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
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ledger.home import discover
from ledger.model.layout import LOCK_FILE
from ledger.model.record import Record
from ledger.wal.spool import Spool
from memory.api import Memory
from projection.document.page_renderer import render
from tests.campaigns.calls import (
    ERRORS,
    KILL,
    Site,
    campaign,
    environment,
    evenly,
    injected,
    make_template,
    sites_of,
)
from tests.campaigns.homes import IN_TREE, KINDS, OWN_BRANCH, WRITERS, assert_sound, git, logs_in

#: A command that takes longer hangs: the longest wait of ours, for a fetch or a push, is two minutes.
LIMIT_SECONDS = 200.0
_STEM = re.compile(r"\d{4}-\d\d-\d\d-\d{7,9}(?:-[a-z0-9]{1,26})?")  # people read the start of one
_USERS = ("code.py", "docs/guide.md", "staged.txt", "loose.txt")
_BUG = ("Traceback (most recent call last)", "a bug in Diurna")


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


class Outcome(Record):
    """What one fault did."""

    site: Site  #: where it was
    reached: bool  #: the process came to that call
    acknowledged: bool = False  #: the log was, in spite of it
    waits: bool = False  #: the log was said to wait in the spool
    lost: tuple[str, ...] = ()  #: acknowledged logs that are gone
    stuck: bool = False  #: a command did not end
    faults: tuple[str, ...] = ()  #: whatever else is not as it should be

    @property
    def clean(self) -> bool:
        """Whether everything is where it should be."""
        return not (self.lost or self.stuck or self.faults)


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
    return evenly(strata, runs, rng)


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
    command, shim = injected(site, folder)
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

    def run(chosen: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
        acts = tuple(act for act in ACTS if re.search(chosen.only, str(act)))
        found = inflict_all(acts, chosen.runs, chosen.seed, scratch, chosen.jobs, told=True)
        missed = sum(not outcome.reached for outcome in found)
        return f"{table(found)}\n{missed} calls were not reached", all(one.clean for one in found)

    return campaign("tests.campaigns.faults", __doc__, arguments, run, runs=600)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
