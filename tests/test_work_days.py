"""Work sessions are stretches of work, and windows are passed by sessions and by work days (T8, W12)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.home import Home
from ledger.model.event import FactCreated, FactReferenced
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.fold.decay import Decay
from projection.fold.projection_state import DecayClock
from projection.policy.model import PACED, Windows
from tests.campaigns.homes import OWN_REPOSITORY, Clock, git, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import NOW_MS, Repo, Run
from tests.test_laws import LAW

HOUR, DAY = 3_600_000, 86_400_000
START = 1_789_000_000_000 // DAY * DAY + 6 * HOUR
PACED_POLICY = b"""format = 1
project = "tried"
[windows]
working_days = 2
active_days = 10
archive_days = 30
stretch_hours = 4
"""
_works = st.lists(
    st.tuples(st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=30, unique=True
).map(lambda days: sorted(f"2026-05-{day:02d}-1200{more:05d}" for day, more in days))
_limits = st.tuples(st.integers(0, 4), st.integers(0, 4))


def set_policy(home: Home, data: bytes) -> None:
    """Commit a policy as a user would."""
    Path(home.folder, "diurna.toml").write_bytes(data)
    git(home.folder, "add", "diurna.toml")
    git(home.folder, "commit", "-q", "--allow-empty", "-m", "policy")


class Desk:
    """A home of the policy that `init` writes, and a clock that tests set."""

    def __init__(self, folder: Path) -> None:
        home = make_home(folder, OWN_REPOSITORY)
        set_policy(home, PACED_POLICY)
        self.folder, self.now = folder, START

    def open(self) -> Memory:
        """The memory as a process of now has it."""
        return open_memory(self.folder, "pygit2", Clock(self.now))

    def note(self, *uses: str, new: str = "", agent: str = "ada") -> Memory:
        """Append a log that names facts."""
        events = (*[FactReferenced(fact) for fact in uses],)
        born = (FactCreated(new, f"What {new} says."),) if new else ()
        memory = self.open()
        title = f"Work at {self.now}"
        memory.append(SessionDraft(title, "", (*born, *events), agent=agent))
        return memory


def types(memory: Memory) -> list[str]:
    """The types of the logs that tell of work, oldest first."""
    return [line.type for line in memory.log() if line.type in ("work", "continued")][::-1]


@pytest.mark.deep(reason="the other tests here have few notes")
def test_thirty_notes_are_one_session(tmp_path: Path) -> None:
    """Notes in a row are one stretch of their agent; five hours later another one begins."""
    desk = Desk(tmp_path / "home")
    for number in range(30):
        desk.note(new=f"note-{number}")
        desk.now += 700
    assert types(desk.open()) == ["work"] + ["continued"] * 29
    desk.note(agent="bob")
    assert types(desk.open())[-1] == "work"
    desk.now += 3 * HOUR
    desk.note()
    assert types(desk.open())[-1] == "continued"
    desk.now += 5 * HOUR
    memory = desk.note()
    assert types(memory)[-1] == "work"
    assert memory.state().summary.sessions == 3
    set_policy(memory.home, PACED_POLICY.replace(b"stretch_hours = 4\n", b""))
    for _ in range(2):
        desk.now += 700
        desk.note()
    assert types(desk.open())[-2:] == ["work", "work"], "without a stretch each log is a session"


@pytest.mark.deep(reason="test_laws has it without a home")
def test_two_hundred_sessions_a_day_fade_nothing_early(tmp_path: Path) -> None:
    """Twenty-nine work days behind its use a fact lives, whatever the pace; two days later it has faded."""
    desk = Desk(tmp_path / "home")
    desk.note(new="kept")
    for _ in range(29):
        desk.now += DAY
        for agent in ("ada", "bob", "eve"):
            desk.note(agent=agent)
    memory = desk.open()
    assert memory.state().summary.sessions == 88
    assert memory.standing("kept").live
    assert memory.standing("kept").tier == "archive-candidate"
    for _ in range(2):
        desk.now += DAY
        memory = desk.note()
    assert memory.standing("kept").tier == "archived"
    assert memory.cold_state().standings() == memory.state().standings()


def test_what_fades_soon_is_said_once_a_day(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the first log of a day, and by `status` at any time."""
    policy = repo.path / "memory/diurna.toml"
    kept = policy.read_text().partition("[windows]")
    rest = kept[2].partition("\n\n")[2]
    policy.write_text(
        f"{kept[0]}[windows]\nworking = 0\nactive = 0\narchive = 0\narchive_days = 2\n\n{rest}"
    )
    repo.git("commit", "-qam", "days")
    run("append", "--title", "First", "--new", "fact kept: It holds.")
    (kept_id,) = [one["id"] for one in json.loads(run("show", "--list", "--json").out)["facts"]]
    told = []
    for day in (1, 2):
        for minute in (10, 20):
            at = NOW_MS + day * DAY + minute
            monkeypatch.setenv("DIURNA_NOW", str(at))
            told.append("fades-soon" in run("append", "--title", f"At {at}", "--json").out)
    assert told == [True, False, True, False]
    assert json.loads(run("status", "--json").out)["fading"] == [kept_id]
    assert f"{kept_id}, soonest first" in run("status").out


@settings(LAW)
@given(_works, _limits, st.integers(1, 21))
def test_passing_is_what_the_clock_says(work: list[str], limit: tuple[int, int], day: int) -> None:
    """The session with which a window is passed is the first whose cut lies behind the stem."""
    sessions, days = limit
    decay = Decay(work, Windows(sessions, sessions, sessions, days, days, days))
    stem = f"2026-05-{day:02d}-110000000"
    passed = [number for number in range(len(work) + 1) if stem < decay.clock(number).archive]
    found = decay.passed(stem, "archive")
    assert found == passed[0] if passed else found > len(work)


@settings(LAW)
@given(_works, _limits, st.data())
def test_a_late_log_makes_nothing_younger(
    work: list[str], limit: tuple[int, int], data: st.DataObject
) -> None:
    """No cut moves back by a log more, wherever it sorts in."""
    late = data.draw(st.integers(1, 21)), data.draw(st.integers(0, 9))
    more = sorted([*work, f"2026-05-{late[0]:02d}-1300{late[1]:05d}"])
    sessions, days = limit
    windows = Windows(sessions, sessions, sessions, days, days, days)

    def cuts(stems: list[str]) -> DecayClock:
        return Decay(stems, windows).clock()

    before, after = cuts(work), cuts(more)
    assert all(old <= new for old, new in zip(before[1:], after[1:], strict=True))
    assert PACED.of("archive") == (20, 30)
