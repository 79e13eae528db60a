"""The spool of a host session: nothing is lost, nothing is in it twice, and line numbers mean the same for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.moments import file_name
from rituals.hosts.observed import observation_spool as module
from rituals.hosts.observed.observation_spool import (
    LINE_BYTES,
    Observation,
    Spool,
    spool_of,
    spools,
)
from rituals.hosts.payloads import lock

ROOT = Path(__file__).parent.parent


def observation(number: int, **more: Any) -> Observation:
    found = Observation(1000 + number, "edit", "Write", f"wrote {number}", (f"src/{number}.py",))
    return found._replace(once=f"call_{number}")._replace(**more)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return spool_of(str(tmp_path), "claude", "87bd-1")


def test_what_is_added_is_read_back(spool: Spool) -> None:
    """In order, with where it began; the file is the user's alone and is made with its first line."""
    assert spool.read().count == 0 and not os.path.exists(spool.path)
    assert [spool.add(observation(number), "/repo") for number in range(3)] == [True] * 3
    held = spool.read()
    assert held.observations == tuple(observation(number) for number in range(3))
    assert (held.count, held.folder) == (3, "/repo") and held.began > 1_700_000_000_000
    assert spool.read(2).observations == (observation(2),) and spool.read(2).count == 3
    assert spool.read(9).observations == ()
    assert os.stat(spool.path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(spool.path)).st_mode & 0o777 == 0o700


def test_the_same_call_counts_once(spool: Spool) -> None:
    """By its id for ever; by its content only while it can be the same moment; "" always counts."""
    assert spool.add(observation(1)) and not spool.add(observation(1, at=9_999_999))
    content = observation(2, once="~abc")
    assert spool.add(content) and not spool.add(content._replace(at=content.at + 1500))
    assert spool.add(content._replace(at=content.at + 60_000))
    assert spool.add(observation(3, once="")) and spool.add(observation(3, once=""))
    assert spool.read().count == 5
    assert spool.add(observation(4, what='"once": "call_77"')) and spool.add(observation(77))


def test_a_torn_line_is_closed_and_keeps_its_number(spool: Spool) -> None:
    """What a kill left of a line is skipped; the numbers of all others stay."""
    spool.add(observation(0))
    with open(spool.path, "ab") as file:
        file.write(b'{"at": 5, "kind": "ed')
    assert spool.read().count == 1
    assert spool.add(observation(1))
    held = spool.read()
    assert held.observations == (observation(0), observation(1)) and held.count == 3
    assert spool.read(1).observations == (observation(1),)
    seen, offset = spool.since(0)
    assert seen == held.observations and spool.since(offset) == ((), offset)
    spool.add(observation(2))
    assert spool.since(offset)[0] == (observation(2),)


def test_a_torn_head_is_begun_anew(spool: Spool) -> None:
    """It is torn only where nothing was acknowledged."""
    os.makedirs(os.path.dirname(spool.path))
    Path(spool.path).write_bytes(b'{"began": 12')
    assert spool.read().count == 0
    assert spool.add(observation(0)) and spool.read().observations == (observation(0),)


def test_it_goes_only_when_nothing_in_it_is_missing_or_new(spool: Spool) -> None:
    """The watermark has to be of this file and of all of it."""
    spool.add(observation(0))
    began = spool.read().began
    assert not spool.remove(began, 0, 9_999_999) and not spool.remove(began - 1, 1, 9_999_999)
    assert not spool.remove(began, 1, 1000) and spool.read().count == 1
    assert spool.remove(began, 1, 9_999_999) and not os.path.exists(spool.path)
    assert not spool.remove(began, 1, 9_999_999)
    time.sleep(0.002)
    spool.add(observation(0))
    assert spool.read().began > began


def test_a_full_disk_leaves_all_or_nothing(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refused line leaves no part behind, and what was there before stays."""
    spool.add(observation(0))
    before = Path(spool.path).read_bytes()
    real = os.write

    def full(fd: int, data: bytes) -> int:
        if len(data) > 20:
            return real(fd, bytes(data)[:20])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError):
        spool.add(observation(1))
    assert Path(spool.path).read_bytes() == before


def test_who_waited_for_a_removed_file_opens_a_new_one(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking it was removed: nothing is written into a file without a name."""
    spool.add(observation(0))
    began = spool.read().began
    removed: list[int] = []

    def late(fd: int, deadline: float) -> None:
        if not removed:
            removed.append(1)
            os.unlink(spool.path)
        lock(fd, deadline)

    monkeypatch.setattr(module, "lock", late)
    assert spool.add(observation(1))
    assert spool.read().observations == (observation(1),) and spool.read().began >= began


def test_a_link_or_a_pipe_in_its_place_is_not_written_to(spool: Spool, tmp_path: Path) -> None:
    """Neither followed nor waited for."""
    os.makedirs(os.path.dirname(spool.path))
    (tmp_path / "elsewhere").write_text("mine\n")
    os.symlink(tmp_path / "elsewhere", spool.path)
    for _ in range(2):
        with pytest.raises(OSError):
            spool.add(observation(0))
        assert spool.read().count == 0 and spool.since(0) == ((), 0)
        os.unlink(spool.path)
        os.mkfifo(spool.path)
    assert (tmp_path / "elsewhere").read_text() == "mine\n"
    assert spools(str(tmp_path)) == []


def test_spools_are_listed_newest_first(tmp_path: Path) -> None:
    """With the host and session that they are of, also where no file can be called so."""
    odd = "../../etc/\0 and" + "x" * 300
    for age, session in enumerate(["plain-1", odd, "x" * 300]):
        spool = spool_of(str(tmp_path), "codex", session)
        spool.add(observation(0))
        os.utime(spool.path, ns=(0, (10 - age) * 10**9))
    found = spools(str(tmp_path))
    assert [spool.session for spool in found] == ["plain-1", odd, "x" * 300]
    assert {spool.host for spool in found} == {"codex"}
    assert os.listdir(tmp_path / "diurna") == ["observed"]
    assert found[0].changed_ms == 10_000 and found[0].size == os.stat(found[0].path).st_size
    assert found[1].read().observations == (observation(0),)
    assert spools(str(tmp_path / "none")) == []


@given(st.text(), st.text())
def test_two_sessions_have_two_files(one: str, other: str) -> None:
    """And no file lies elsewhere, whatever an id says."""
    assert (file_name("claude", one) == file_name("claude", other)) == (one == other)
    assert "/" not in file_name("claude", one) and "\0" not in file_name("claude", one)
    assert len(file_name("claude", one * 50).encode()) < 200


@given(st.text(max_size=400), st.lists(st.text(max_size=300), max_size=40), st.text(max_size=300))
def test_a_line_is_never_too_long(what: str, paths: list[str], once: str) -> None:
    """And always one line of JSON."""
    line = module._encoded(Observation(1, "edit", what, what, tuple(paths), once, once))
    assert len(line) <= LINE_BYTES and line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line)["kind"] == "edit"


def test_writers_beside_each_other_lose_nothing(tmp_path: Path) -> None:
    """Four processes write the same calls, one is killed again and again, one takes the file away."""
    code = (
        "import sys, random\n"
        "from rituals.hosts.observed import observation_spool as m\n"
        "m.PATIENCE_SECONDS = 60\n"
        "s = m.spool_of(sys.argv[1], 'claude', 's')\n"
        "numbers = list(range(60)); random.Random(sys.argv[2]).shuffle(numbers)\n"
        "for n in numbers: s.add(m.Observation(n, 'edit', 'w', f'wrote {n}', (), '', f'call_{n}'))\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(seed)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for seed in range(4)
    ]
    time.sleep(0.15)
    children[0].kill()
    assert [child.wait(60) for child in children[1:]] == [0, 0, 0]
    children[0].wait()
    held = spool_of(str(tmp_path), "claude", "s").read()
    assert sorted(one.at for one in held.observations) == list(range(60))
    assert held.count == 60
