"""Timelines and digests of a ledger: what lies around something, read from few logs, with nothing withheld shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.errors import NotFound, WrongUsage
from ledger.model.log_names import milliseconds_of, stamp_of
from memory.api import Memory
from memory.query import session_timeline as timelines
from memory.query.visible_logs import digest
from projection.text.session_digest import gist, lead
from tests.conftest import each_row
from tests.world import OWN_REPOSITORY, Place, World


def log(agent: str, title: str, prose: str = "", references: str = "", facts: str = "") -> str:
    """Write a session log by hand."""
    parts = [f"---\nagent: {agent}\n---\n# {title}\n", f"\n{prose}\n" if prose else ""]
    parts += [f"\n## Memory References\n\n{references}\n"] if references else []
    parts += [f"\n## Facts\n\n{facts}\n"] if facts else []
    return "".join(parts)


DISHES = "Nothing but the dishes were done today."
#: By the name of the log: unsealed ones, as people and other tools write them.
LOGS = {
    "2026-05-01": log("ada", "A day without a time"),
    "2026-05-01-090000": log(
        "ada", "Choose a queue", "We chose Redis for the queue because it is there already.",
        "- Created: queue-redis, limit-open",
        "- The queue is Redis.\n  <!-- id: queue-redis | kind: decision -->\n"
        "- [ ] Find the limit of the queue.\n  <!-- id: limit-open | kind: thread -->",
    ),
    "2026-05-02-120000": log("bob", "Session (2026-05-02)", DISHES),
    "2026-05-03-080000": log("bob", "Use the queue", references="- Referenced: queue-redis"),
    "2026-05-20-100000": log(
        "ada", "Postgres instead", "Redis lost jobs, so the queue moved into Postgres.",
        "- Created: queue-postgres\n- Superseded: queue-redis → queue-postgres\n- Closed: limit-open",
        "- The queue is a table in Postgres.\n  <!-- id: queue-postgres | kind: decision -->",
    ),
    "2026-05-20-100000-extra": log("cyd", "Tidy the dashboards", "The dashboards have new colours now."),
    "2026-06-30-235959": log("cyd", "Close the books", "The books were closed for the first half."),
}  # fmt: skip
ALL: dict[str, Any] = {"before": "999999w", "after": "999999w"}
NEAR = {"before": "0m", "after": "0m"}


def plant(home: Place, logs: dict[str, str]) -> None:
    """Commit logs by hand."""
    home.plant({f"sessions/{stem}.md": text for stem, text in logs.items()})


@pytest.fixture
def home(world: World) -> Place:
    """A home with the logs above."""
    home = world.home(OWN_REPOSITORY)
    plant(home, LOGS)
    return home


@pytest.fixture
def memory(home: Place) -> Iterator[Memory]:
    with closing(Memory.open(str(home.folder))) as memory:
        yield memory


def titles(found: Any) -> list[str]:
    """Return the titles of a timeline (or what stands for one), those of the anchor with an arrow."""
    return [("→ " if one.anchor else "") + (one.title or one.summary) for one in found.sessions]


@each_row(
    "anchor, more, expected",
    [
        (" ", {}, "→ Close the books"),  # the newest, and no clock takes part
        ("2026-05-01", NEAR, "→ A day without a time|→ Choose a queue"),
        ("2026-05-20T10:00", NEAR, "→ Postgres instead|→ Tidy the dashboards"),
        ("2026-05-20T10:00:00Z", NEAR, "→ Postgres instead|→ Tidy the dashboards"),
        ("2026-05-20T10:00:00.001", NEAR, ""), ("1999-01-01", NEAR, ""),
        ("2026-05-20-100000", NEAR, "→ Postgres instead|Tidy the dashboards"),
        ("2026-05-20-100000:7", NEAR, "→ Postgres instead|Tidy the dashboards"),
        ("2026-05-20-100000-e", NEAR, "Postgres instead|→ Tidy the dashboards"),
        # each event of a fact has its neighbours
        ("queue-redis", {"before": "1d", "after": "1d"},
         f"A day without a time|→ Choose a queue|{DISHES}|→ Use the queue|→ Postgres instead|Tidy the dashboards"),
        ("queue-redis", NEAR, "→ Choose a queue|→ Use the queue|→ Postgres instead|Tidy the dashboards"),
        ("why are the dashboards coloured", {"before": "1h", "after": "1h"}, "Postgres instead|→ Tidy the dashboards"),
        ("", {"before": "99w", "agent": "bob"}, f"{DISHES}|Use the queue"),
        ("", {"before": "99w", "agent": "nobody"}, ""),
        ("", {"before": "99w", "kinds": ("thread",)}, "Choose a queue|Postgres instead"),
        ("", {"before": "99w", "kinds": ("decision",), "agent": "bob"}, "Use the queue"),
        # a limit keeps the nearest
        ("2026-05-03-080000", {**ALL, "limit": 3}, f"Choose a queue|{DISHES}|→ Use the queue"),
        ("queue-redis", {"before": "1d", "after": "60d", "limit": 2}, "→ Use the queue|→ Postgres instead"),
    ],
)  # fmt: skip
def test_what_lies_around_something(
    memory: Memory, anchor: str, more: dict[str, Any], expected: str
) -> None:
    """A day, an instant, a stem, a place in a log, a fact or a question; what is left out is counted by side."""
    found = timelines.timeline(memory, anchor, **more)
    assert titles(found) == [one for one in expected.split("|") if one]
    if "limit" in more:
        assert found.left + len(found.sessions) == len(LOGS)


@each_row(
    "anchor, more, problem, said",
    [
        ("2026-05-20-1000", {}, NotFound, "begins several session logs"),
        ("xyzzy plugh", {}, NotFound, "nothing is named xyzzy plugh, and nothing answers to it"),
        *[("", {"before": said}, WrongUsage, "no length of time")
          for said in ("", "h", "3", "3x", "-3h", "1.5h", "٣h", "1000000000h", "3 months")],
        *[(said, {}, WrongUsage, "is no time")
          for said in ("2026-05-20T24:00", "2026-05-20T1:00", "2026-05-20T10:00:61", "2026-05-20Tnoon")],
    ],
)  # fmt: skip
def test_what_is_no_anchor_and_no_length(
    memory: Memory, anchor: str, more: dict[str, Any], problem: type[Exception], said: str
) -> None:
    """It is refused with what to write."""
    with pytest.raises(problem, match=said):
        timelines.timeline(memory, anchor, **more)


def test_what_a_session_did(home: Place, memory: Memory) -> None:
    """Each session says what it did to facts, in the order of the table, once; its summary, its cost; ends by id."""
    found = {one.stem: one for one in timelines.timeline(memory, **ALL).sessions}
    assert len(found) == len(LOGS)
    moved = found["2026-05-20-100000"]
    assert moved.did == (
        ("Created", ("queue-postgres",)),
        ("Superseded", ("queue-redis → queue-postgres",)),
        ("Closed", ("limit-open",)),
    )
    assert moved.summary == "Redis lost jobs, so the queue moved into Postgres."
    assert moved.tokens == -(-len(LOGS[moved.stem]) // 4)
    assert found["2026-05-03-080000"].did == (("Used", ("queue-redis",)),)
    assert found["2026-05-03-080000"].summary == ""  # no more than its title
    assert (found["2026-05-02-120000"].title, found["2026-05-02-120000"].summary) == ("", DISHES)
    assert (found["2026-05-01"].ended, moved.ended) == ("2026-05-01", "2026-05-20T10:00:00.000Z")
    ids = [f"thread-{letter}" for letter in "gcaebfd"]
    facts = "".join([f"- [ ] About {id}.\n  <!-- id: {id} | kind: thread -->\n" for id in ids])
    said = f"- Created: {', '.join(ids)}\n- Closed: {', '.join(ids[1:])}"
    plant(home, {"2026-07-01-100000": log("ada", "Ends", "", said, facts)})
    assert list(timelines.timeline(memory, "2026-07-01-100000").marks) == sorted(ids[1:])


def test_an_empty_ledger(world: World) -> None:
    """Nothing around nothing, and no failure; a date is answered too."""
    with closing(Memory.open(str(world.home(OWN_REPOSITORY).folder))) as memory:
        assert (
            timelines.timeline(memory).sessions
            == timelines.timeline(memory, "2026-05-01").sessions
            == ()
        )
        assert timelines.timeline(memory).start == ""


@given(
    st.lists(st.integers(0, 400), unique=True, max_size=80),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), min_size=1, max_size=4),
    st.integers(1, 12),
    st.sampled_from([1, 60_000]),
)
@example([2, 3], [(0, 2)], 1, 1)
def test_the_nearest_are_those_of_a_plain_sort(
    times: list[int], around: list[tuple[int, int]], limit: int, unit_ms: int
) -> None:
    """Whatever the anchor's spans, no session that is left out is nearer than one that is shown."""
    keys = sorted(stamp_of(time * unit_ms) for time in times)
    spans = [(begin * unit_ms, (begin + length) * unit_ms) for begin, length in around]
    joined = timelines._reaching(sorted(spans), 0, 0)
    kept = timelines._nearest(keys, timelines.Anchor("", "date", "", tuple(joined)), limit)

    def far(key: str) -> int:
        at = milliseconds_of(key)
        return min(max(first - at, at - last, 0) for first, last in spans)

    assert kept == sorted(kept) and len(kept) == min(limit, len(keys))
    left = [far(key) for key in keys if key not in kept]
    assert not left or not kept or max(far(key) for key in kept) <= min(left)


def test_a_log_is_digested_by_its_stem(home: Place, memory: Memory) -> None:
    """A stem, the start that only one log has and a place in a log mean the log; of several three are named."""
    for name in ("2026-05-02-120000", "2026-05-02", "2026-05-02-120000:6"):
        found = digest(memory.snapshot, name)
        assert found == gist(LOGS["2026-05-02-120000"])._replace(stem="2026-05-02-120000")
    assert lead(LOGS["2026-05-02-120000"])[:3] == found[:3]
    assert (
        digest(memory.snapshot, "2026-05-01").stem == "2026-05-01"
    )  # a whole stem, though others begin so
    for name, said in (
        ("2026-05-20-1", "begins several"),
        ("2027-01-01", "no session log"),
        ("x", "no session"),
    ):
        with pytest.raises(NotFound, match=said):
            digest(memory.snapshot, name)
    for count, more in ((3, ""), (4, " and others")):
        plant(
            home,
            {f"2026-07-01-10000{number}": log("ada", "One of some") for number in range(count)},
        )
        with pytest.raises(NotFound, match="2026-07-01 begins several session logs") as caught:
            digest(memory.snapshot, "2026-07-01")
        names = ", ".join([f"2026-07-01-10000{number}" for number in range(3)])
        assert caught.value.hint == f"say more of one: {names}{more}"


def test_nothing_withheld_is_digested(home: Place, memory: Memory) -> None:
    """A redacted fact's text is nowhere, also where prose repeats it; nor are a redacted log's words."""
    text = "The key of the vault lies below the third stone."
    logs = {
        f"2026-07-01-{hour}0000": log("ada", f"Log of {hour}", f"Intro of the log itself.\n\n{prose}",
                                      f"- Created: key-{hour}", f"- {text}\n  <!-- id: key-{hour} -->")
        for hour, prose in (("10", text), ("11", "The secret garden was weeded."))
    }  # fmt: skip
    plant(home, logs)
    assert "stone" in repr(digest(memory.snapshot, "2026-07-01-10"))
    home.run("redact", "key-10", "2026-07-01-110000", "--reason", "private")
    found = digest(memory.snapshot, "2026-07-01-10")
    assert found.summary == "Intro of the log itself." and "stone" not in repr(found)
    gone = digest(memory.snapshot, "2026-07-01-11")
    assert (gone.title, gone.summary, gone.points) == ("", "(redacted)", ())
    shown = {one.stem: one for one in timelines.timeline(memory, "2026-07-01").sessions}
    assert "stone" not in repr(shown)
    assert (shown[gone.stem].title, shown[gone.stem].summary) == ("(redacted)", "")
    assert shown[gone.stem].did == (("Created", ("key-11",)),)
