"""Timelines and digests of a ledger: what lies around something, read from few logs, with nothing withheld shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.errors import NotFound, WrongUsage
from ledger.model.event import (
    Event,
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.instants import duration_ms
from ledger.model.order import milliseconds_of, stamp_of
from ledger.model.session import Entry
from memory.api import Memory
from memory.query import session_timeline as timelines
from memory.query.session_timeline import Anchor, Timeline
from memory.replay.log_bytes import read_bytes
from memory.write.draft import did
from projection.document.page_renderer import REDACTED
from projection.text.session_digest import gist, lead

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


def log(agent: str, title: str, prose: str = "", references: str = "", facts: str = "") -> str:
    """Write a session log by hand."""
    parts = [f"---\nagent: {agent}\n---\n# {title}\n"]
    parts += [f"\n{prose}\n"] if prose else []
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


@pytest.fixture
def memory(repo: Repo) -> Memory:
    """A home with the logs above."""
    for stem, text in LOGS.items():
        repo.write(f"memory/sessions/{stem}.md", text)
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "logs")
    return Memory.open(str(repo.path))


def titles(found: Timeline) -> list[str]:
    """Return the titles of a timeline (or what stands for one), those of the anchor with an arrow."""
    return [("→ " if one.anchor else "") + (one.title or one.summary) for one in found.sessions]


def test_the_newest_without_an_anchor(memory: Memory) -> None:
    """The window ends at the newest session, and no clock takes part."""
    found = memory.timeline(" ")
    assert found == memory.timeline()
    assert titles(found) == ["→ Close the books"]
    assert (found.anchor.kind, found.anchor.id) == ("now", "2026-06-30-235959")
    assert (found.start, found.end) == ("2026-06-28T23:59:59.000Z", "2026-07-01T23:59:59.000Z")
    assert titles(memory.timeline(before="42d"))[0] == "→ Postgres instead".removeprefix("→ ")


def test_around_a_fact_is_around_each_of_its_events(memory: Memory) -> None:
    """Birth, last use and end of a fact each have their neighbours, and are marked."""
    found = memory.timeline("queue-redis", before="1d", after="1d")
    assert titles(found) == [
        "A day without a time", "→ Choose a queue", DISHES, "→ Use the queue",
        "→ Postgres instead", "Tidy the dashboards",
    ]  # fmt: skip
    assert found.anchor.kind == "fact"
    assert titles(memory.timeline("queue-redis", before="0m", after="0m")) == [
        "→ Choose a queue", "→ Use the queue", "→ Postgres instead", "Tidy the dashboards",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("anchor", "expected"),
    [
        ("2026-05-01", ["→ A day without a time", "→ Choose a queue"]),
        ("2026-05-20T10:00", ["→ Postgres instead", "→ Tidy the dashboards"]),
        ("2026-05-20T10:00:00Z", ["→ Postgres instead", "→ Tidy the dashboards"]),
        ("2026-05-20T10:00:00.001", []),
        ("2026-05-20-1000", None),
        ("2026-05-20-100000", ["→ Postgres instead", "Tidy the dashboards"]),
        ("2026-05-20-100000:7", ["→ Postgres instead", "Tidy the dashboards"]),
        ("2026-05-20-100000-e", ["Postgres instead", "→ Tidy the dashboards"]),
        ("1999-01-01", []),
    ],
)
def test_anchors_in_time(memory: Memory, anchor: str, expected: list[str] | None) -> None:
    """A day, an instant, a stem, a place in a log and the start of a stem that only one log has."""
    if expected is None:
        with pytest.raises(NotFound, match="begins several session logs"):
            memory.timeline(anchor)
    else:
        assert titles(memory.timeline(anchor, before="0m", after="0m")) == expected


def test_what_is_over_is_marked_by_id(repo: Repo, memory: Memory) -> None:
    """In the order of ids: the same ledger has the same bytes, whichever process is asked."""
    ids = [f"thread-{letter}" for letter in "gcaebfd"]
    facts = "".join([f"- [ ] About {id}.\n  <!-- id: {id} | kind: thread -->\n" for id in ids])
    said = f"- Created: {', '.join(ids)}\n- Closed: {', '.join(ids[1:])}"
    repo.write("memory/sessions/2026-07-01-100000.md", log("ada", "Ends", "", said, facts))
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "more")
    assert list(memory.timeline("2026-07-01-100000").marks) == sorted(ids[1:])


def test_a_question_is_an_anchor_too(memory: Memory) -> None:
    """Anything else is asked, and its best hit is what the timeline is around."""
    found = memory.timeline("why are the dashboards coloured", before="1h", after="1h")
    assert found.anchor.kind == "query"
    assert titles(found) == ["Postgres instead", "→ Tidy the dashboards"]
    assert found.anchor.id.startswith("2026-05-20-100000-extra:")
    fact = memory.timeline("table in Postgres", before="1h", after="1h")
    assert "→ Postgres instead" in titles(fact)
    with pytest.raises(NotFound, match="nothing is named xyzzy plugh, and nothing answers to it"):
        memory.timeline("xyzzy plugh")


@pytest.mark.parametrize(
    "said", ["", "h", "3", "3x", "-3h", "1.5h", "٣h", "1000000000h", "3 months"]
)
def test_what_is_no_length_of_time(memory: Memory, said: str) -> None:
    """It is refused with what to write; whatever is one may reach beyond all calendars."""
    with pytest.raises(WrongUsage, match="no length of time"):
        memory.timeline(before=said)
    assert [duration_ms(one) for one in ("1m", "2h", "3d", "4w", "3 days", "an hour")] == [
        60_000, 7_200_000, 259_200_000, 2_419_200_000, 259_200_000, 3_600_000,
    ]  # fmt: skip
    assert len(memory.timeline(before="999999w", after="999999w").sessions) == len(LOGS)


@pytest.mark.parametrize("said", ["2026-05-20T24:00", "2026-05-20T1:00", "2026-05-20T10:00:61", "2026-05-20Tnoon"])  # fmt: skip
def test_what_is_no_time_of_day(memory: Memory, said: str) -> None:
    """A date that goes on as no time is wrong usage, and no question."""
    with pytest.raises(WrongUsage, match="is no time"):
        memory.timeline(said)


def test_what_a_session_did(memory: Memory) -> None:
    """Each session says what it did to facts, in the order of the table, its summary and its cost."""
    found = {one.stem: one for one in memory.timeline(before="99w").sessions}
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
    assert found["2026-05-02-120000"].title == "" and found["2026-05-02-120000"].summary == DISHES
    assert (found["2026-05-01"].ended, moved.ended) == ("2026-05-01", "2026-05-20T10:00:00.000Z")


def test_each_verb_once() -> None:
    """What was acted on is not used as well; an id stands once."""
    acts: tuple[Event, ...] = (
        FactUpdated("b", "B."), FactCreated("a", "A."), FactUpdated("b", "B."),
        FactSuperseded("old", "a"), ThreadClosed("t"),
    )  # fmt: skip
    entry = Entry("s", True, "ada", "work", ("a", "b", "t", "used"), acts)
    assert did(entry) == (
        ("Created", ("a",)), ("Updated", ("b",)), ("Superseded", ("old → a",)), ("Closed", ("t",)),
        ("Used", ("used",)),
    )  # fmt: skip
    assert did(Entry("s", True, "", "work", (), (FactReferenced("x"),)))[0][0] == "Referenced"


def test_filters(memory: Memory) -> None:
    """Only of one agent; only those that named a fact of a kind."""
    assert titles(memory.timeline(before="99w", agent="bob")) == [
        DISHES, "Use the queue",
    ]  # fmt: skip
    assert titles(memory.timeline(before="99w", kinds=("thread",))) == [
        "Choose a queue", "Postgres instead",
    ]  # fmt: skip
    assert titles(memory.timeline(before="99w", kinds=("decision",), agent="bob")) == [
        "Use the queue"
    ]
    assert memory.timeline(before="99w", agent="nobody").sessions == ()


def test_a_limit_keeps_the_nearest(memory: Memory) -> None:
    """Those nearest to the anchor are shown, and how many are left out on which side."""
    found = memory.timeline("2026-05-03-080000", before="99w", after="99w", limit=3)
    assert titles(found) == ["Choose a queue", DISHES, "→ Use the queue"]
    assert (found.older, found.between, found.newer) == (1, 0, 3)
    sides = memory.timeline("queue-redis", before="1d", after="60d", limit=2)
    assert titles(sides) == ["→ Use the queue", "→ Postgres instead"]
    assert sides.older + sides.between + sides.newer + 2 == len(LOGS)


def test_only_the_logs_that_are_shown_are_read(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many logs a window has, git is asked for those of the answer alone."""
    asked: list[str] = []

    def counted(home: Any, refs: Sequence[Any]) -> Any:
        asked.extend(ref.stem for ref in refs)
        return read_bytes(home, refs)

    monkeypatch.setattr("memory.query.visible_logs.read_bytes", counted)
    memory.timeline("2026-05-03-080000", before="99w", after="99w", limit=2)
    assert asked == ["2026-05-02-120000", "2026-05-03-080000"]


def test_an_empty_ledger(repo: Repo) -> None:
    """Nothing around nothing, and no failure; a date is answered too."""
    memory = Memory.open(str(repo.path))
    assert memory.timeline().sessions == memory.timeline("2026-05-01").sessions == ()
    assert memory.timeline().start == ""


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
    kept = timelines._nearest(keys, Anchor("", "date", "", tuple(joined)), limit)

    def far(key: str) -> int:
        at = milliseconds_of(key)
        return min(max(first - at, at - last, 0) for first, last in spans)

    assert kept == sorted(kept) and len(kept) == min(limit, len(keys))
    left = [far(key) for key in keys if key not in kept]
    assert not left or not kept or max(far(key) for key in kept) <= min(left)


# ---- digests of the ledger ---------------------------------------------------------------------------


def test_a_log_is_digested_by_its_stem(memory: Memory) -> None:
    """A stem, the start that only one log has and a place in a log mean the log; its digest is the gist."""
    for name in ("2026-05-02-120000", "2026-05-02", "2026-05-02-120000:6"):
        found = memory.digest(name)
        assert found == gist(LOGS["2026-05-02-120000"])._replace(stem="2026-05-02-120000")
    assert lead(LOGS["2026-05-02-120000"]) == (found.title, found.summary, found.line)
    assert memory.digest("2026-05-01").stem == "2026-05-01"  # a whole stem, though others begin so
    for name, said in (
        ("2026-05-20-1", "begins several"),
        ("2027-01-01", "no session log"),
        ("x", "no session"),
    ):
        with pytest.raises(NotFound, match=said):
            memory.digest(name)


def test_logs_that_begin_alike_are_named(repo: Repo, memory: Memory) -> None:
    """Of the start of several stems three are named, and that there are others."""
    for count, more in ((3, ""), (4, " and others")):
        for number in range(count):
            repo.write(f"memory/sessions/2026-07-01-10000{number}.md", log("ada", "One of some"))
        repo.git("add", "memory")
        repo.git("commit", "-q", "-m", "more")
        with pytest.raises(NotFound, match="2026-07-01 begins several session logs") as caught:
            memory.digest("2026-07-01")
        names = ", ".join([f"2026-07-01-10000{number}" for number in range(3)])
        assert caught.value.hint == f"say more of one: {names}{more}"


def test_nothing_withheld_is_digested(repo: Repo, run: Run, memory: Memory) -> None:
    """A redacted fact's text is nowhere, also where prose repeats it; nor are a redacted log's words."""
    text = "The key of the vault lies below the third stone."
    for name, prose in (
        ("2026-07-01-100000", text),
        ("2026-07-01-110000", "The secret garden was weeded."),
    ):
        body = log("ada", f"Log of {name[11:13]}", f"Intro of the log itself.\n\n{prose}",
                   f"- Created: key-{name[11:13]}", f"- {text}\n  <!-- id: key-{name[11:13]} -->")  # fmt: skip
        path = repo.write(f"memory/sessions/{name}.md", body)
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "more")
    assert "stone" in repr(memory.digest("2026-07-01-10"))
    assert run("redact", "key-10", "--reason", "private").code == 0
    assert run("redact", "2026-07-01-110000", "--reason", "private").code == 0
    found = memory.digest("2026-07-01-10")
    assert found.summary == "Intro of the log itself." and "stone" not in repr(found)
    gone = memory.digest("2026-07-01-11")
    assert (gone.title, gone.summary, gone.points, gone.entities) == ("", REDACTED, (), ())
    shown = {one.stem: one for one in memory.timeline("2026-07-01").sessions}
    assert "stone" not in repr(shown)
    assert (shown[gone.stem].title, shown[gone.stem].summary) == (REDACTED, "")
    assert shown[gone.stem].did == (("Created", ("key-11",)),)
    # copies of the logs in the work tree are no way around it
    copy = path.read_text()
    assert memory.digest_text(copy, str(path)).summary == REDACTED
    assert "stone" not in repr(memory.digest_text(copy.replace("key-11", "key-10"), "copy.md"))
    assert "garden" in repr(memory.digest_text(copy, "copy.md"))
