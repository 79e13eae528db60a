"""The laws of capture: whatever comes in whatever order, and is killed wherever, each observation is told once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.wal.spool import Spool as LogSpool
from memory.write.spool_commits import Committer
from rituals.hosts.capture import boundary as bounds
from rituals.hosts.observed.observation_spool import spool_of
from tests.campaigns.homes import OWN_REPOSITORY, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import AT, SESSION, TALK, observe, say, spans_of, tell, told_of
from tests.conftest import examples


class Killed(BaseException):
    """The process was killed."""


@contextmanager
def killed_at(moment: int) -> Iterator[None]:
    """Kill a boundary at one of its moments: before or behind whatever it makes durable."""
    left = moment

    def beside(owner: Any, name: str) -> Callable[[], None]:
        real = getattr(owner, name)

        def reached(*given: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            found = real(*given, **named)
            left -= 1
            if left == 0:
                raise Killed
            return found

        setattr(owner, name, reached)
        return lambda: setattr(owner, name, real)

    ends = [
        beside(LogSpool, "put"), beside(Committer, "land_held"), beside(Committer, "write"),
        beside(LogSpool, "commit"), beside(bounds, "note_told"), beside(bounds, "note_attempt"),
    ]  # fmt: skip
    try:
        yield
    except Killed:
        pass
    finally:
        for end in ends:
            end()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    make_home(folder / "home", OWN_REPOSITORY)
    return folder / "home"


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("observe"), st.integers(1, 3)),
        st.tuples(st.just("observe"), st.just(210)),
        st.tuples(st.just("say"), st.just(0)),
        st.tuples(st.just("tell"), st.integers(0, 14)),
        st.tuples(st.just("tear"), st.just(0)),
        st.tuples(st.just("lose"), st.just(0)),
    ),
    max_size=10,
)


@settings(
    max_examples=examples(5, 12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ACTS, st.booleans())
def test_any_interleaving_tells_each_observation_once(
    model: Path, tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int]], old: bool
) -> None:
    """Events, kills at any moment, repeats, lost notes and removed spools give the same set, once each."""
    folder = tmp_path_factory.mktemp("law")
    home, transcript = folder / "home", folder / "t.jsonl"
    shutil.copytree(model, home)
    count = 0
    for what, number in acts:
        if what == "observe":
            observe(home, number, first=count, at=1_700_000_000_000 if old else AT)
            count += number
        elif what == "say":
            say(transcript, TALK)
        elif what == "tell":
            memory = open_memory(home)
            with killed_at(number):
                tell(memory, transcript)
            memory.close()
        elif (
            what == "tear"
            and (path := Path(spool_of(str(home / ".git"), "claude", SESSION).path)).exists()
        ):
            path.write_bytes(path.read_bytes() + b'{"at": 1, "ki')
        elif what == "lose":
            for file in (home / ".git/diurna/captured").glob("*.told"):
                file.unlink()
    memory = open_memory(home)
    tell(memory, transcript)
    memory.drain()
    assert told_of(memory) == sorted(f"toolu-{number}" for number in range(count))
    ends = sorted((start, end) for _, start, end in spans_of(memory, "transcript"))
    assert [start for start, _ in ends[1:]] == [end for _, end in ends[:-1]]
    assert tell(memory, transcript).said == "nothing new"
    memory.close()
    shutil.rmtree(folder)
