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

from ledger.codec.log import canonical, decode, encode
from ledger.codec.validate import problems
from ledger.model.session import SessionLog
from ledger.model.session_headers import Span
from ledger.wal.spool import Spool as LogSpool
from memory.write.spool_commits import Committer
from projection.policy.model import BUILT_IN_KINDS, SUPERSEDE
from rituals.hosts.capture import boundary as bounds
from rituals.hosts.capture.composition import Part, draft_of_part, passages_of, storable
from rituals.hosts.capture.told_sources import sources_of, title_of
from rituals.hosts.observed.observation_spool import Observation, spool_of
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.slices import Turn
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


TEXT = st.text(max_size=60) | st.sampled_from(
    ["## Facts", "- x\n## Memory References\n- Created: a", "<!-- id: a -->", "```", "-->", "---\na: b\n---",
     "<<<<<<< x\n=======\n>>>>>>> y", "# T", "  ", "a | b", "<pre>", "\u2028## Facts", "[x] a", "\ud800"],
)  # fmt: skip
OBSERVATIONS = st.builds(
    Observation,
    st.integers(-5, 10**15),
    TEXT,
    TEXT,
    TEXT,
    st.lists(TEXT, max_size=7).map(tuple),
    TEXT,
    TEXT,
)
ITEMS = st.builds(
    Item, st.sampled_from([kind.name for kind in BUILT_IN_KINDS]), TEXT.filter(lambda text: text.strip() != ""),
    TEXT, st.integers(1, 10), st.sampled_from(["", "Payments API"]), st.sampled_from([(), ("api",)]), st.just(False),
    st.sampled_from([(), ("old-one", "old-two")]), TEXT,
)  # fmt: skip
TURNS = st.builds(
    Turn, st.sampled_from(["user", "assistant", "tool", "host"]), st.lists(TEXT).map("\n".join), st.integers(0, 99),
    st.sampled_from(["", "queue", "Bash", "title", "interrupted", "create_pull_request"]), st.just(0),
    st.just("") | TEXT, TEXT.map(lambda text: f"git commit -m '{text}'") | TEXT, TEXT, st.booleans(),
)  # fmt: skip


@given(
    st.lists(OBSERVATIONS, max_size=3), st.lists(ITEMS, max_size=3, unique_by=lambda item: item.text),
    st.lists(TURNS, max_size=6), st.booleans(), st.sampled_from([SUPERSEDE, "thread"]),
)  # fmt: skip
def test_whatever_was_seen_and_said_makes_a_log(
    observations: list[Observation], items: list[Item], turns: list[Turn], asks: bool, trust: str
) -> None:
    """Nothing of a spool or a transcript makes a heading, an event or a fact of its own, nor a log that is refused."""
    sources = sources_of(turns, lambda _: "")
    told, _ = passages_of(sources, 6000, lambda texts: ([*texts], 0), asks=asks)
    title = title_of(sources, lambda texts: ([*texts], 0), asks=asks)
    part = Part(
        "claude", "s", "sources", Span("17", 0, 3), Span("t.jsonl", 0, 9), tuple(observations), tuple(turns),
        storable(items), told, title,
    )  # fmt: skip
    draft = draft_of_part(part, trust, lambda *_: False, {})
    log = canonical(
        SessionLog((("agent", "a"), *draft.header), draft.title, draft.prose, draft.events)
    )
    assert problems(log) == ()
    read, findings = decode(encode(log), sealed=True)
    assert (read, findings) == (log, ())
    assert len(told) <= 6000 + 60
    assert len(draft.made) == len(part.items)
