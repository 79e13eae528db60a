"""What sessions left is told in logs: once, whatever comes between, when a hook says so or somebody asks."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rituals.hosts.capture import detached_process
from tests.campaigns import forks
from tests.conftest import Repo, Run, examples
from tests.host_door import TALK, Door, named, say
from tests.host_door import door as door
from tests.world import DIED, OWN_REPOSITORY, World


@pytest.fixture
def transcript(repo: Repo) -> Path:
    return repo.path.parent / "s-1.jsonl"


def logs(repo: Repo) -> list[str]:
    """The texts of the captured logs that are there, recorded or waiting, oldest first."""
    found = {
        one.name.removesuffix(".md"): one for one in repo.path.rglob("2026-*-*-*") if one.is_file()
    }
    texts = [found[name].read_text() for name in sorted(found)]
    return [text for text in texts if "\nhost: " in text]


def told(repo: Repo) -> list[str]:
    """The files that logs tell of, as often as they do."""
    observed = "".join(text.partition("\n## Observed")[2] for text in logs(repo))
    found = re.findall(r"\b(f-\d+\.py)(?: \((\d+) times)?", observed)
    return sorted(path for path, times in found for _ in range(int(times or 1)))


def files(*numbers: int) -> list[str]:
    return sorted(f"f-{number}.py" for number in numbers)


def header(text: str, name: str) -> str:
    return "".join(re.findall(rf"^{name}: (.*)$", text.partition("\n---\n")[0], re.MULTILINE))


def spans(repo: Repo, name: str) -> list[list[int]]:
    found = [header(text, name).rpartition(" ")[2].split("-") for text in logs(repo)]
    return [[int(end) for end in one] for one in found if one != [""]]


def forget(repo: Repo, *what: str) -> None:
    """Lose notes or caches of ours."""
    for file in (repo.path / ".git/diurna").rglob("*"):
        if file.is_file() and (file.suffix in what or file.parent.name in what):
            file.unlink()


def test_a_session_is_one_log(door: Door, run: Run, transcript: Path) -> None:
    """It says whose it is, how far it tells and what was observed; what is shown is what is written, once."""
    session = door.session(transcript_path=str(transcript))
    session.start()
    session.edits(*files(0, 1, 2))
    say(transcript, "Why does it fail?", role="user")
    say(transcript, "I look.", TALK)
    shown = run("capture", "--show").out
    assert "claude s-1  would be told in 2026" in shown and logs(door.repo) == []
    assert run("capture", "--dry-run", "--json").json["dry_run"] is True and logs(door.repo) == []
    (one,) = run("capture", "--json").json["sessions"]
    (text,) = logs(door.repo)
    assert text.rpartition("\n---\n")[2].strip() in shown
    assert (header(text, "agent"), header(text, "session")) == ("claude-code", "s-1")
    assert header(text, "observed").endswith(" 0-3")
    assert header(text, "transcript") == f"{transcript.name} 0-{transcript.stat().st_size}"
    assert "## Observed\n\n- 2026-11-21 08:30 edited f-0.py, f-1.py, f-2.py\n" in text
    assert f"### Turn 1 of 1\n\n{TALK.strip()}\n" in text and "I look." not in text
    (line,) = run("log", "--json").json["sessions"]
    assert (line["type"], [log["stem"] for log in one["logs"]]) == ("work", [line["stem"]])
    assert run("capture").out == "nothing new in any session\n"
    assert run("capture", "--session", "s-1").out == "claude s-1  nothing new\n"
    assert run("check", "--ci").code == 0


def test_a_repeated_boundary_tells_nothing(door: Door, run: Run) -> None:
    """The ledger is the watermark: without notes and caches it is as well known, and what is withheld counts."""
    door.session().edits(*files(0, 1))
    run("capture")
    forget(door.repo, ".told", "cache")
    assert run("capture", "--session", "s-1").out.endswith("nothing new\n")
    (line,) = run("log", "--json").json["sessions"]
    assert run("redact", line["stem"], "--reason", "It names a customer.").code == 0
    forget(door.repo, ".told", "cache")
    assert run("capture", "--session", "s-1").out.endswith("nothing new\n")
    assert "f-0.py" not in run("log", line["stem"]).out


#: Where a capture dies, but for the deep ones, which die at each step.
KILLS = [".git/objects/", "replace .git/diurna/captured/claude-s-1.told"]


@pytest.mark.deep(but=("precompact-False-some", "end-True-some"))
@pytest.mark.parametrize("kills", [KILLS, []], ids=["some", "each"])
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("why", ["end", "precompact"])
def test_killed_anywhere_each_is_told_once(
    world: World, kills: list[str], behind: bool, why: str
) -> None:
    """Before or behind whatever is done; with a torn line and lost notes between."""
    home, transcript = world.home(OWN_REPOSITORY), world.folder / "s-1.jsonl"
    asked, repo = ("capture", *named(transcript)), Repo(home.folder)
    kills = ["", *kills]
    for number, step in enumerate(
        kills
    ):  # the first is not killed, and says how many steps there are
        edit = {"file_path": f"{home.folder}/f-{number}.py"}
        payload = {"session_id": "s-1", "cwd": str(home.folder), "hook_event_name": "PostToolUse",
                   "tool_name": "Edit", "tool_input": edit, "tool_use_id": f"t-{number}"}  # fmt: skip
        data, kept = json.dumps(payload).encode(), home.common / "diurna/observed/claude-s-1.jsonl"
        while f"f-{number}.py" not in (kept.read_text() if kept.exists() else ""):
            # on a busy machine it is kept behind the hook, by another process; a call counts once
            home.process("hook", "claude", "PostToolUse", stdin=data, json=False)
        say(transcript, f"Does part {number} hold?", role="user")
        say(transcript, f"Part {number} holds.")
        if not step:
            done = home.steps(*asked, "--why", why)
            kills += [] if kills[1:] else [f"{at}" for at in range(1, len(done) + 1)]
            continue
        at, on = (int(step), "") if step.isdigit() else (1, step)
        died = home.at_step(at, "die", *asked, "--why", why, on=on, behind=behind)
        assert died.code == DIED or on == "", (step, died)
        if number == 1:
            forget(repo, ".told")
            (spool,) = (home.common / "diurna/observed").iterdir()
            spool.write_bytes(spool.read_bytes() + b'{"at": 1, "ki')
    home.run(*asked)
    assert told(repo) == files(*range(len(kills)))
    reports = re.findall(r"(?m)^Part (\d+) holds\.$", "\n".join(logs(repo)))
    assert sorted(map(int, reports)) == [*range(len(kills))]
    ends = sorted(spans(repo, "transcript"))
    assert [first for first, _ in ends] == [0, *(last for _, last in ends[:-1])]
    assert ends[-1][1] == transcript.stat().st_size
    assert home.run(*asked).json["sessions"][0]["said"] == "nothing new"


def test_a_branch_without_the_log_does_not_tell_again(door: Door, run: Run) -> None:
    """What was told on one branch is not told on another one, whatever is merged later."""
    door.repo.git("branch", "other")
    session = door.session()
    session.edits(*files(0, 1))
    run("capture")
    door.repo.git("checkout", "-q", "other")
    forget(door.repo, ".told")
    assert run("capture", "--session", "s-1").out.endswith("nothing new\n")
    door.at(1)
    session.edits(*files(2))
    run("capture")
    door.repo.git("checkout", "-q", "main")
    door.repo.git("merge", "-q", "other", "-m", "join")
    assert told(door.repo) == files(0, 1, 2) and run("check", "--ci").code == 0


STEPS = st.tuples(st.integers(1, 3), st.sampled_from([0, 3_000, 400_000]), st.booleans())


@settings(max_examples=examples(2, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=1, max_size=9))
def test_the_pieces_hold_what_the_whole_would(
    door: Door, run: Run, transcript: Path, turns: list[tuple[int, int, bool]]
) -> None:
    """However much tools print between the words, and wherever a compaction cuts: each report is told once.

    Where nothing cuts it a session is one log.
    """
    name = f"s-{len(list(transcript.parent.glob('*.jsonl')))}"
    path = transcript.with_name(f"{name}.jsonl")
    for number, (steps, printed, cut) in enumerate(turns):
        say(path, f"Does part {number} hold?", role="user")
        for step in range(steps):
            say(path, f"Part {number} holds at step {step}.")
            result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * printed}
            line = {"type": "user", "message": {"role": "user", "content": [result]}}
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
            if cut and step == steps // 2:
                assert run("capture", *named(path, name), "--why", "precompact").code == 0
        say(path, f"Part {number} holds in all of its steps.")
    whole = run("capture", *named(path, f"{name}-whole"))
    assert whole.code == run("capture", *named(path, name), "--why", "end").code == 0
    found = {"": list[str](), "-whole": list[str]()}
    for text in logs(door.repo):
        if (one := header(text, "session").removeprefix(name)) in found:
            found[one].append(text)
    told = re.findall(r"(?m)^Part .*$", "".join(found[""]))
    assert told == re.findall(r"(?m)^Part .*$", found["-whole"][0])
    assert told == [f"Part {number} holds in all of its steps." for number in range(len(turns))]
    assert (len(found["-whole"]), len(found[""])) == (1, 1 + sum(one[2] for one in turns[1:]))


def test_a_transcript_that_began_anew_is_told_once(door: Door, run: Run, transcript: Path) -> None:
    """A file that shrank is another one under the same name; it is read from its start, and then no more."""
    say(transcript, TALK * 3)
    run("capture", *named(transcript))
    for _ in range(2):
        transcript.unlink()
        for text in (f"{TALK} Again.", TALK):
            say(transcript, text)
            assert " told in " in run("capture", *named(transcript)).out
            assert run("capture", *named(transcript)).out.endswith("nothing new\n")
    names = [
        header(text, "transcript").split(" ")[0].removeprefix(transcript.name)
        for text in logs(door.repo)
    ]
    assert names == ["", "~2", "~2", "~3", "~3"]


@pytest.mark.parametrize(
    "odd", ["missing", "folder", "pipe", "link", "/dev/zero", "a\0b", "t.jsonl", "/" + "x" * 5000, "/\ud800"], ids=range(9)
)  # fmt: skip
def test_an_odd_transcript_costs_nothing(door: Door, run: Run, transcript: Path, odd: str) -> None:
    """What is no file of ours is not waited for, and the observations are told all the same."""
    if odd == "folder":
        transcript.mkdir()
    elif odd == "pipe":
        os.mkfifo(transcript)
    elif odd == "link":
        say(transcript.with_suffix(".x"), TALK)
        transcript.symlink_to(transcript.with_suffix(".x"))
    named = odd if "/" in odd or "\0" in odd or "." in odd else str(transcript)
    session = door.session(transcript_path=named)
    session.start()
    session.edits(*files(0, 1))
    assert run("capture").code == 0
    assert (told(door.repo), spans(door.repo, "transcript")) == (files(0, 1), [])


@pytest.mark.parametrize(
    "name", ["ghp_hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w.jsonl", "a\nb.jsonl", "x" * 230 + ".jsonl", " .jsonl"]
)  # fmt: skip
def test_a_name_that_no_header_holds_is_told_by_its_digest(
    door: Door, run: Run, transcript: Path, name: str
) -> None:
    """One that looks like a secret, has a line break, or is too long; it is told once all the same."""
    path = transcript.with_name(name)
    say(path, TALK)
    assert run("capture", *named(path)).code == 0
    forget(door.repo, ".told")
    assert run("capture", *named(path)).out.endswith("nothing new\n")
    (text,) = logs(door.repo)
    assert "ghp_" not in text and len(header(text, "transcript")) < 200


def test_a_log_that_must_hold_no_secret_is_told_without_it(door: Door, run: Run) -> None:
    """Nobody is there to take it out where the policy would refuse the log."""
    file = door.repo.path / "memory/diurna.toml"
    file.write_text(re.sub(r'secrets\s+= "redact"', 'secrets = "refuse"', file.read_text()))
    door.repo.git("commit", "-qam", "policy")
    door.session().edits(*files(0))
    (spool,) = (door.repo.path / ".git/diurna/observed").iterdir()
    line = spool.read_text().splitlines()[-1]
    with spool.open("a") as lines:  # as an older program left it
        lines.write(
            line.replace("f-0.py", "password=hTg5-Kq8z-Wv2x-Rb7m").replace("s-1-1", "s-1-2") + "\n"
        )
    run("capture")
    assert told(door.repo) == files(0) and "hTg5-Kq8z" not in "".join(logs(door.repo))


def test_two_at_once_make_one(door: Door) -> None:
    """Whoever comes second finds nothing left."""
    door.session().edits(*files(*range(4)))
    command = ["-m", "rituals", "capture", "--session", "s-1"]
    running = [forks.Forked(command, door.repo.path, os.environ) for _ in range(3)]
    said = [process.communicate()[0].decode() for process in running]
    assert sorted("nothing new" in one for one in said) == [False, True, True]
    assert told(door.repo) == files(*range(4))


# ---- when hooks tell -------------------------------------------------------------------------------


def test_a_session_is_over_when_its_program_is_killed(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next start tells what it left, without a rest; not of one whose program runs."""
    with subprocess.Popen(["sleep", "60"]) as program:
        with monkeypatch.context() as above:
            above.setattr(os, "getppid", lambda: program.pid)
            door.session().start()
        door.session().edits(*files(0))
        door.at(1)
        door.session(session="new").start()
        assert door.left == []
        program.kill()
    door.session(session="newer").start()
    assert told(door.repo) == files(0)


def test_a_boundary_behind_a_lock_is_told_later(
    door: Door, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the session is waited for, no longer than that; the next boundary tells all of it."""
    monkeypatch.setattr("rituals.hosts.capture.session_boundary.LOCK_SECONDS", 0.01)
    session = door.session()
    session.edits(*files(0))
    run("capture")
    session.edits(*files(1))
    (lock,) = (door.repo.path / ".git/diurna/captured").glob("session-*.lock")
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        door.at(1)
        session.hook("end", reason="other")
        assert run("capture", "--session", "s-1", "--json").json["error"]["code"] == "Busy"
    assert told(door.repo) == files(0)
    door.at(12)
    door.session(session="new").start()
    assert told(door.repo) == files(0, 1)


#: Runs a command; says behind it how much memory that took at most, in KiB, and how many seconds.
WEIGHED = """
import re, resource, sys
from rituals.cli.app import main
main(sys.argv[1:])
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
peak = re.findall(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[0]
print(peak, sum(one.ru_utime + one.ru_stime for one in used))
"""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("role", "times", "size"), [("user", 20, 120_000_000), ("assistant", 600, 6_000_000)]
)
def test_a_long_session_is_told_in_little_time_and_memory(
    repo: Repo, transcript: Path, role: str, times: int, size: int
) -> None:
    """One of 120 MB, of which nearly all is what tools printed; and one with 25,000 short words of an agent."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "It is so.\n" * 3_000}
    said = result if role == "user" else {"type": "text", "text": "I look. " * 18}
    message = json.dumps({"type": role, "message": {"role": role, "content": [said]}})
    for number in range(size // (len(message) * times) + 1):
        say(transcript, f"Does part {number} hold?", role="user")
        with transcript.open("a") as file:
            file.write(f"{message}\n" * times)
        say(transcript, f"Part {number} holds.")
    assert transcript.stat().st_size > size
    command = [sys.executable, "-c", WEIGHED, "capture", *named(transcript)]
    done = subprocess.run(command, cwd=repo.path, check=True, capture_output=True, text=True)
    peak, seconds = map(float, done.stdout.split()[-2:])
    assert "told in" in done.stdout and (peak < 200 << 10, seconds < 2) == (True, True)


PROBE = """
import json, os, sys
told = {
    "folder": os.getcwd(), "given": sys.argv[1:], "hooks": os.environ["DIURNA_HOOKS"], "way": os.nice(0),
    "ids": [os.getpid(), os.getsid(0)], "parent": os.getppid(), "files": sorted(os.listdir("/proc/self/fd")),
    "streams": sorted({os.readlink(f"/proc/self/fd/{number}") for number in range(3)}),
}
with open("told", "w") as file:
    json.dump(told, file)
"""


def test_what_nobody_waits_for_is_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a session of its own, which gives way, without a stream or file of its starter, hooks off."""
    (tmp_path / "probe.py").write_text(PROBE)
    os.mkfifo(tmp_path / "told")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    told = os.open(tmp_path / "told", os.O_RDONLY | os.O_NONBLOCK)
    os.dup2(told, 200, inheritable=True)
    detached_process.run(["a", "b"], str(tmp_path), "probe")
    os.close(200)
    assert select.select([told], [], [], 60)[0]
    os.set_blocking(told, True)
    with open(told) as file:
        found = json.load(file)
    with suppress(ChildProcessError):  # nobody who ended is left
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)
    assert (found["folder"], found["given"], found["hooks"]) == (str(tmp_path), ["a", "b"], "off")
    assert found["way"] == min(os.nice(0) + 10, 19) and found["streams"] == ["/dev/null"]
    assert found["ids"][0] == found["ids"][1] and found["parent"] != os.getpid()
    assert "200" not in found["files"]
