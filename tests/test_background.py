"""What is due is done by itself: one process at a time, a minute at most, killed without harm, in nobody's way."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.home import Home, discover
from ledger.model.layout import MAINTAIN_FILE
from ledger.wal.atomic_files import Lock
from memory.api import Memory
from memory.replay.broken_truth import truth_of, truth_path
from rituals.hosts import due_steps
from rituals.hosts.due_steps import DAY_MS, Run, last_run, look_after, note_run
from rituals.hosts.session_files import faults
from rituals.review import background_steps as job
from rituals.review.background_steps import STEPS, Step, work
from tests.campaigns import forks
from tests.conftest import NOW_MS, Repo, sampled
from tests.conftest import Run as Command
from tests.dated_commits import commit, note

GONE = "1 fact names what is gone"
#: Runs the real steps, and is killed before the Nth file is put in its place, or the Nth step has its
#: turn noted.
_KILLED = """
import os, signal, sys
from ledger.home import discover
from rituals.review import background_steps as background
from rituals.review.background_steps import work
put, count = os.replace, 0
def replace(*given, **more):
    global count
    if str(count) == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
    count += 1
    return put(*given, **more)
os.replace = replace
assert work(discover("."))
print(count)
"""
_HANGS = """
from ledger.environment import is_offline
from rituals.review import background_steps as background
background.SECONDS, work = 0.3, background.work
def hang(memory):  # where no git of it fetches what a partial clone lacks
    while is_offline(): pass
background.work = lambda home: work(home, (background.Step("hangs", hang),))
background._main()
"""


@pytest.fixture
def home(repo: Repo, run: Command, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with a fact that names a file which is gone since."""
    monkeypatch.setattr(job, "now_ms", lambda: NOW_MS)
    repo.write("src/pay.py", "def pay():\n    return 1\n")
    commit(repo, "pay", "2026-11-21T08:00:00Z")
    note(run, gone="decision: Payments are made by `src/pay.py`.")
    repo.git("rm", "-q", "src/pay.py")
    commit(repo, "no pay")
    return discover(str(repo.path))


@pytest.fixture
def awake(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a person's machine: the clock is its own, and it is no CI."""
    monkeypatch.delenv("DIURNA_NOW", raising=False)
    monkeypatch.delenv("CI", raising=False)


def tomorrow(monkeypatch: pytest.MonkeyPatch, days: int = 1) -> None:
    monkeypatch.setattr(job, "now_ms", lambda: NOW_MS + days * DAY_MS)


def taking(done: list[str], clock: list[float], **seconds: float) -> tuple[Step, ...]:
    """Steps that take so long each, on a clock of the test's, and say so."""

    def step(name: str) -> Callable[[Memory], str]:
        def do(memory: Memory) -> str:
            done.append(name)
            clock[0] += seconds[name]
            return f"{name} done"

        return do

    return tuple([Step(name, step(name)) for name in seconds])


@pytest.mark.deep(reason="a_process_that_nobody_waits_for_does_it is the small one")
def test_background_lock_and_sixty_seconds(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds the lock held goes; no step is begun after a minute, and the one that took it is last next time.

    A step that hangs ends with its process, leaves the lock free, and has its turn behind all others.
    """
    done: list[str] = []
    clock = [0.0]
    steps = taking(done, clock, long=59.0, longer=2.0, rest=1.0)
    lock = Lock(f"{home.repository.commondir}/{MAINTAIN_FILE}", wait_seconds=0.0)
    with lock, monkeypatch.context() as patch:
        patch.setattr(time, "sleep", lambda _: pytest.fail("it is waited for"))
        assert not work(home, steps, lambda: clock[0])
    assert (done, last_run(home)) == ([], Run())
    assert work(home, steps, lambda: clock[0])
    assert done == ["long", "longer"]
    assert last_run(home)[:4] == (NOW_MS, 61_000, ("long done", "longer done"), "")
    assert work(home, steps, lambda: clock[0]), "once a day"
    assert done == ["long", "longer"]
    tomorrow(monkeypatch)
    assert work(home, steps, lambda: clock[0])
    assert done[2:] == ["rest", "long"]
    os.unlink(due_steps._path(home))
    hung = forks.run(["-c", _HANGS], home.folder, os.environ)
    assert hung.returncode == -signal.SIGALRM
    assert last_run(home).doing == "hangs"
    tomorrow(monkeypatch, 400)
    (hanging,) = taking(done, clock, hangs=0.0)
    assert work(home, (hanging, *steps), lambda: 0.0)
    assert done[4:] == ["long", "longer", "rest", "hangs"]
    assert last_run(home).doing == ""


@pytest.mark.deep(reason="what is killed between two commands: test_deaths")
def test_killed_before_each_of_its_writes_nothing_is_lost_or_stuck(
    repo: Repo, home: Home, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refs, index and files are as they were, the lock is free, and the next one does all there is to do."""
    shape, logs, state = repo.shape(), run("log", "--json").json, Path(home.state_dir)
    before = {one.name for one in state.iterdir()}
    whole = forks.run(["-c", _KILLED, "none"], home.folder, os.environ)
    assert int(whole.stdout) > len(STEPS), "each step notes its turn, and some keep files"
    for number in sampled(range(int(whole.stdout)), 3):
        for one in state.iterdir():
            if one.name not in before:
                one.unlink()
        shutil.rmtree(state / "cache")
        killed = forks.run(["-c", _KILLED, str(number)], home.folder, os.environ)
        assert killed.returncode == -signal.SIGKILL
        assert repo.shape() == shape
        assert run("log", "--json").json == logs
    tomorrow(monkeypatch, 400)
    shutil.rmtree(state / "cache")
    assert work(home)
    assert last_run(home)[2:4] == ((GONE, "verified"), "")
    assert {one.fact for one in truth_of(home)} == {"gone"}
    assert run("check", "--replay").code == 0
    assert not faults(home.repository.commondir)


def test_what_it_did_stands_in_status(home: Home, run: Command) -> None:
    """Nothing before it ran; then when, what came of it, and how long it took, and what ended it."""
    assert "by itself" not in run("status").out
    clock = iter([0.0, *[2.6] * 99])
    assert work(home, clock=lambda: next(clock))
    assert f"by itself 2026-11-21 08:30: {GONE}, verified, 3 s\n" in run("status").out
    assert run("status", "--json").json["by_itself"] == {
        "at": "2026-11-21T08:30:12.417Z", "took_ms": 2600, "did": [GONE, "verified"],
        "doing": "", "because": "",
    }  # fmt: skip
    note_run(home, last_run(home)._replace(doing="verify", doing_at=NOW_MS, did=()))
    assert "nothing new, verify did not end, or not yet, 3 s" in run("status").out
    Path(due_steps._path(home)).write_text('{"at": "soon"}')
    assert last_run(home) == Run()


def test_errors_of_the_ledger_are_said(home: Home, repo: Repo, run: Command) -> None:
    """What `verify` finds stands there, with the command that names it; what fails is noted, and others go on."""
    (log,) = Path(home.folder, "sessions").rglob("*.md")
    log.write_text(log.read_text() + "More.\n")
    repo.git("commit", "-q", "-a", "-m", "forged")

    def fails(memory: Memory) -> str:
        raise OSError("no room")

    assert work(home, (Step("first", fails), *STEPS))
    assert last_run(home).did[1] == "first failed"
    assert last_run(home).did[2].endswith(": `diurna check`")
    assert [one.said for one in faults(home.repository.commondir)] == [
        "first, by itself: OSError('no room')"
    ]


@pytest.mark.parametrize("why", ["off", "rebase", "bisect", "merge"])
def test_where_something_is_in_the_way_nothing_is_done(
    why: str, home: Home, repo: Repo, run: Command, awake: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy, or an operation of git's: nothing is started or written, and `status` says what it is."""
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was made"))
    if why == "off":
        repo.write("memory/diurna.toml", 'format = 1\n[background]\nrun = "off"\n')
        repo.git("commit", "-q", "-a", "-m", "off")
        said = 'not now: `[background] run = "off"` in diurna.toml'
    else:
        name = {"rebase": "rebase-apply", "bisect": "BISECT_LOG", "merge": "MERGE_HEAD"}[why]
        text = {"merge": "0" * 40}.get(why, "x")
        Path(home.repository.gitdir, name).write_text(text + "\n")
        said = f"not now: a {why}" + (" or `git am`" if why == "rebase" else "") + " is in progress"
    look_after(home, Memory(home).snapshot.cache().policy.background.run)
    assert not work(home)
    assert last_run(home) == Run()
    assert f"by itself {said}\n" in run("status").out


def test_a_process_that_nobody_waits_for_does_it(
    home: Home, repo: Repo, awake: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a day, and where code or ledger moved; not in CI, nor with a set clock, nor again while it is at it."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "fork", lambda: pytest.fail("a process was made"))
        for name, value in (("CI", "true"), ("DIURNA_NOW", str(NOW_MS))):
            with monkeypatch.context() as env:
                env.setenv(name, value)
                look_after(home)
    look_after(home)
    for _ in range(2_400):
        if "verified" in last_run(home).did:
            break
        time.sleep(0.025)
    assert last_run(home).did == (GONE, "verified")
    assert {one.fact for one in truth_of(home)} == {"gone"}
    started: list[str] = []
    monkeypatch.setattr(
        "rituals.hosts.capture.detached_process.run",
        lambda given, folder, module: started.append(module),
    )
    look_after(home)
    assert started == []
    daily = last_run(home).daily
    for moment, due in ((daily + DAY_MS - 1, 0), (daily + DAY_MS, 1), (daily - 1, 1)):
        monkeypatch.setattr(due_steps, "now_ms", lambda moment=moment: moment)
        look_after(home)
        assert len(started) == due, moment
        started.clear()
    os.unlink(truth_path(home))
    monkeypatch.setattr(due_steps, "now_ms", lambda: daily + 1)
    note_run(home, last_run(home)._replace(doing="verify", doing_at=daily))
    look_after(home)
    assert started == []
    note_run(home, last_run(home)._replace(doing=""))
    look_after(home)
    assert started == ["rituals.review.background_steps"]
    for name in ("code.py", "src"):
        repo.git("rm", "-rq", "--ignore-unmatch", name)
    look_after(home)
    assert started == ["rituals.review.background_steps"]


def test_what_landed_and_what_ended_is_recorded_once(
    bare_repo: Repo, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In logs of the memory alone, and on no branch of code; the next turn has nothing to record."""
    monkeypatch.setattr(job, "now_ms", lambda: NOW_MS)
    repo = bare_repo
    repo.write("src/pay.py", "def pay():\n    return 1\n")
    commit(repo, "pay")
    assert run("init", "--branch", "memory").code == 0
    repo.git("checkout", "-q", "-b", "feature/x")
    repo.write("src/queue.py", "def queue():\n    return 2\n\n\ndef drain():\n    return 3\n")
    commit(repo, "queue", "2026-11-21T08:20:00Z")
    note(run, queue="until='gone src/pay.py' decision: Queues drain at night.")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "feature/x")
    commit(repo, "queue (#1)")
    repo.git("rm", "-q", "src/pay.py")
    commit(repo, "no pay")
    home, shape = discover(str(repo.path)), repo.shape()
    assert work(home)
    assert last_run(home).did == ("1 landing", "1 fact ended", "verified")
    recorded = home.tip()
    tomorrow(monkeypatch)
    assert work(home)
    assert (last_run(home).did, home.tip()) == (("verified",), recorded)
    refs, *rest = zip(shape, repo.shape(), strict=True)
    assert all(before == after for before, after in rest)
    assert {*refs[1].split("\n")} - {*refs[0].split("\n")} == {f"{recorded} refs/heads/memory"}
    assert run("check", "--replay").code == 0
