"""What a hook does for capture: it stamps the session, sees what is due, and starts a child that nobody waits for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts import processes
from rituals.hosts.capture import detached, stamps
from rituals.hosts.capture.stamps import PENDING, QUIET_MS, Told, is_due, note_told, stamp, told_of
from rituals.hosts.moments import Moment
from rituals.hosts.observed.observation_spool import Observation, spool_of
from tests.test_packaging import HEAVY, loaded_by

NOW = 1_800_000_000_000


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "now_ms", lambda: NOW)


def moment(event: str, **said: str) -> Moment:
    return Moment("claude", event, "s1", "/work")._replace(**said)  # type: ignore[arg-type]


def observe(common: Path, count: int, session: str = "s1", first: int = 0) -> None:
    spool = spool_of(str(common), "claude", session)
    for number in range(first, first + count):
        spool.add(Observation(NOW, "edit", "write", f"wrote {number}", once=f"t{number}"))


def seen_at(common: Path, session: str, at: int) -> None:
    """Let the last sign of a session be of a moment."""
    for file in common.glob(f"diurna/*/claude-{session}.*"):
        os.utime(file, ns=(at * 1_000_000, at * 1_000_000))


def test_the_child_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a session and a niceness of its own, no stream of ours, hooks that are off, and the folder."""
    program = tmp_path / "python"
    program.write_text(
        "#!/bin/sh\n"
        f"n=0; until [ -e {tmp_path}/go ]; do sleep 0.05; n=$((n + 1)); [ $n -lt 600 ] || exit; done\n"
        f'{{ printf "%s\\n" "$@"; pwd; echo "$DIURNA_HOOKS"; nice; ps -o sid= -p $$; echo $$; }} > {tmp_path}/said\n'
        f"for fd in 0 1 2; do readlink /proc/$$/fd/$fd; done >> {tmp_path}/said\n"
        f"ls /proc/$$/fd | tr '\\n' ' ' >> {tmp_path}/said\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    left = os.open(tmp_path, os.O_RDONLY)  # a host may leave one open in its hook
    os.set_inheritable(left, True)
    (tmp_path / "work").mkdir()
    detached.spawn(
        moment("stop", folder=str(tmp_path / "work"), session="-s", transcript="/t.jsonl")
    )
    (tmp_path / "go").touch()  # who waited for the child would wait until it gives up
    for _ in range(200):
        if (tmp_path / "said").exists() and (tmp_path / "said").read_text().count("\n") > 17:
            break
        time.sleep(0.02)
    os.close(left)
    said = (tmp_path / "said").read_text().split("\n")
    assert said[:9] == [
        "-P", "-m", "rituals", "capture", "--host", "claude", "--session=-s", "--why=stop", "--transcript=/t.jsonl",
    ]  # fmt: skip
    assert said[9:11] == [str(tmp_path / "work"), "off"]
    assert int(said[11]) >= 10 or os.nice(0) >= 10
    assert said[12].strip() == said[13]
    assert str(left) not in said[-1].split()


@pytest.mark.parametrize("said", ({"session": ""}, {"folder": "/not/there"}))
def test_where_nothing_can_be_told_nothing_is_started(
    said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a session, or a folder that is there, no process is made."""
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was made"))
    detached.spawn(moment("stop", **said))


def test_a_stop_is_due_with_enough_and_after_a_pause(tmp_path: Path) -> None:
    """Twenty observations behind what is told, and five minutes after the last boundary."""
    observe(tmp_path, PENDING - 1)
    assert not is_due(str(tmp_path), moment("stop"))
    observe(tmp_path, 1, first=PENDING - 1)
    assert is_due(str(tmp_path), moment("stop"))
    note_told(str(tmp_path), "claude", "s1", Told(NOW - 299_999))
    assert not is_due(str(tmp_path), moment("stop"))
    size = os.path.getsize(spool_of(str(tmp_path), "claude", "s1").path)
    note_told(str(tmp_path), "claude", "s1", Told(NOW - 300_000, size))
    assert not is_due(str(tmp_path), moment("stop"))
    observe(tmp_path, PENDING, first=PENDING)
    assert is_due(str(tmp_path), moment("stop"))


@pytest.mark.parametrize(
    "event, due",
    [("precompact", True), ("end", True), ("subagent_stop", True), ("tool", False), ("prompt", False),
     ("task", False), ("other", False)],
)  # fmt: skip
def test_which_events_are_boundaries(tmp_path: Path, event: str, due: bool) -> None:
    """Before a compaction, at an end and behind a subagent there is one, whatever waits."""
    assert is_due(str(tmp_path), moment(event)) is due
    assert not is_due(str(tmp_path), moment(event, session=""))


def test_a_start_picks_up_what_others_left(tmp_path: Path) -> None:
    """Not what is told already, nor what is alive, nor itself; a spool without a stamp counts as well."""
    start = moment("start", session="new")
    stamp(str(tmp_path), start)
    attempts = tmp_path / "diurna" / "captured" / "attempts.jsonl"
    attempts.write_text("{}\n")
    os.utime(attempts, (1, 1))
    assert not is_due(str(tmp_path), start)
    stamp(str(tmp_path), moment("stop", transcript="/a.jsonl"))
    seen_at(tmp_path, "new", NOW)
    seen_at(tmp_path, "s1", NOW - QUIET_MS)
    assert not is_due(str(tmp_path), start)
    seen_at(tmp_path, "s1", NOW - QUIET_MS - 1)
    assert is_due(str(tmp_path), start)
    assert not is_due(str(tmp_path), moment("start"))
    note_told(str(tmp_path), "claude", "s1", Told(NOW - QUIET_MS))
    assert not is_due(str(tmp_path), start)
    observe(tmp_path, 1, "s2")
    seen_at(tmp_path, "s2", NOW - QUIET_MS - 1)
    assert [one.session for one in stamps.unfinished(str(tmp_path))] == ["s2"]


def test_a_clock_that_went_back_lets_nothing_wait(tmp_path: Path) -> None:
    """What was told in the future counts as never told."""
    observe(tmp_path, PENDING)
    seen_at(tmp_path, "s1", NOW - QUIET_MS - 1)
    note_told(str(tmp_path), "claude", "s1", Told(NOW + 10**9))
    assert is_due(str(tmp_path), moment("stop"))
    assert is_due(str(tmp_path), moment("start", session="new"))
    note_told(str(tmp_path), "claude", "s1", Told(NOW + 1))
    assert not is_due(str(tmp_path), moment("start", session="new"))


def test_a_stamp_keeps_the_session_s_own_transcript(tmp_path: Path) -> None:
    """A subagent's is another file, and an event that names none takes none away."""
    for event in (
        moment("start", transcript="/a.jsonl"), moment("stop"),
        moment("subagent_stop", agent="x", transcript="/sub.jsonl"),
    ):  # fmt: skip
        stamp(str(tmp_path), event)
        found = stamps.seen_of(str(tmp_path), "claude", "s1")
        assert (found.transcript, found.folder) == ("/a.jsonl", "/work")


@given(
    st.one_of(
        st.binary(max_size=40),
        st.recursive(
            st.one_of(st.none(), st.integers(), st.text(max_size=3)),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(Told._fields), inner),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_a_damaged_stamp_says_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Whatever stands in the files, they read as something, and are written over."""
    common = tmp_path_factory.mktemp("c")
    stamp(str(common), moment("stop"))
    note_told(str(common), "claude", "s1", Told())
    for file in (common / "diurna/captured").iterdir():
        file.write_bytes(data)
    told_of(str(common), "claude", "s1")
    stamps.sessions(str(common))
    is_due(str(common), moment("stop"))
    stamp(str(common), moment("stop"))
    note_told(str(common), "claude", "s1", Told(1, 2, {"x": 3}))
    assert told_of(str(common), "claude", "s1") == Told(1, 2, {"x": 3})
    assert stamps.seen_of(str(common), "claude", "s1").folder == "/work"


def test_a_disk_that_refuses_costs_the_agent_nothing(tmp_path: Path) -> None:
    """A stamp that can not be written is none."""
    (tmp_path / "diurna").write_text("in the way")
    stamp(str(tmp_path), moment("stop"))
    assert stamps.sessions(str(tmp_path)) == []


@pytest.mark.parametrize("module", ("stamps", "detached"))
def test_a_hook_loads_the_standard_library_alone(module: str) -> None:
    """Nothing heavy comes with what a hook calls."""
    assert loaded_by(f"rituals.hosts.capture.{module}") & (HEAVY - {"json", "re", "enum"}) == set()


@pytest.mark.skipif(
    not os.path.exists("/proc/self/ns/pid"), reason="nobody tells of processes here"
)
def test_a_session_is_over_as_soon_as_its_program_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was killed is told at the next start; one that runs, or runs elsewhere, is not."""
    program = subprocess.Popen(["sleep", "60"])
    above = processes._stat(program.pid)
    assert above is not None
    monkeypatch.setattr(processes, "host_process", lambda: processes.Process(program.pid, above[2]))
    observe(tmp_path, 1)
    stamp(str(tmp_path), moment("start"))
    seen_at(tmp_path, "s1", NOW - 1000)
    new = moment("start", session="new")
    assert not is_due(str(tmp_path), new)
    program.kill()
    program.wait()
    assert is_due(str(tmp_path), new)
    assert [one.session for one in stamps.unfinished(str(tmp_path))] == ["s1"]
    with monkeypatch.context() as patch:
        patch.setattr(processes, "_machine", lambda: "another")
        assert not is_due(str(tmp_path), new)
