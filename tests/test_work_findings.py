"""Findings: one bug is one fact everywhere, and where it stands follows from its history alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.model.event import Event, FactCreated, ThreadClosed, ThreadReopened
from ledger.model.ids import is_fact_id
from projection.fold.fact_history import Act, History
from projection.fold.fold import merge, resolve
from projection.policy.model import FINDING_KIND
from projection.work.finding_facts import (
    FIXED,
    OPEN,
    REGRESSED,
    BugFound,
    finding_of,
    without_numbers,
)

BUG = BugFound("sql-injection", "query built from `name` at line 12", "src/db.py", "find", 12)
BORN = FactCreated(BUG.id, BUG.text, " ", (("kind", FINDING_KIND), *BUG.footers))


def history(*events: Event) -> History:
    """What logs say of a finding, a log an event."""
    acts = [Act(f"2026-01-01-12000000{n}-{'a' * 26}", 0, event) for n, event in enumerate(events)]
    return History(0, "", tuple(acts))


def state_of(*events: Event) -> tuple[str, int]:
    """Where the finding stands, and how often it came back."""
    told = history(*events)
    fact = resolve(BUG.id, told)
    assert fact is not None
    found = finding_of(fact, told)
    assert found is not None and (found.rule, found.path) == (BUG.rule, BUG.path)
    return found.state, found.times_regressed


def test_a_finding_is_open_fixed_or_regressed() -> None:
    """Never closed it is open, closed fixed, opened behind that regressed, as often as it comes back."""
    closed, again = ThreadClosed(BUG.id), ThreadReopened(BUG.id)
    assert state_of(BORN) == (OPEN, 0)
    assert state_of(BORN, closed) == (FIXED, 0)
    assert state_of(BORN, closed, again) == (REGRESSED, 1)
    assert state_of(BORN, closed, again, closed) == (FIXED, 1)
    assert state_of(BORN, closed, again, closed, again, again) == (REGRESSED, 2)
    assert state_of(BORN, again) == (OPEN, 0), "nobody had closed it"


def test_the_state_does_not_depend_on_the_order_in_which_logs_arrive() -> None:
    """Joined from either side, a history tells the same."""
    whole = history(BORN, ThreadClosed(BUG.id), ThreadReopened(BUG.id))
    parts = [History(0, "", (act,)) for act in whole.acts]
    other = merge(merge(parts[2], parts[0]), parts[1])
    fact = resolve(BUG.id, other)
    assert fact is not None and finding_of(fact, other) == finding_of(fact, whole)


def test_what_is_no_finding_has_no_state() -> None:
    """A thread is none."""
    told = history(FactCreated("a", "Who?", " ", (("kind", "thread"),)))
    fact = resolve("a", told)
    assert fact is not None and finding_of(fact, told) is None


def test_numbers_lines_and_spellings_of_a_path_are_no_part_of_a_bug() -> None:
    """The same from everybody who meets it; another rule, file, symbol or message is another bug."""
    same = [
        BUG._replace(message="query built  from `name` at line 4711", line=4711),
        BUG._replace(path="./src/db.py"),
        BUG._replace(path="src\\db.py"),
        BUG._replace(rule="SQL-injection"),
    ]
    assert {one.id for one in same} == {BUG.id} and is_fact_id(BUG.id)
    assert same[0].text == BUG.text == "sql-injection: query built from `name` at line N"
    other = [
        BUG._replace(rule="x"), BUG._replace(path="src/db2.py"), BUG._replace(symbol="save"),
        BUG._replace(message="query built from `id` at line 12"),
    ]  # fmt: skip
    assert len({one.id for one in (*other, BUG)}) == 5
    assert without_numbers("took 1,024.5 ms at 10:32:01, 3x") == "took N ms at N, Nx"


@given(st.text(max_size=60), st.integers(0, 10**9), st.integers(0, 10**9))
def test_any_number_may_stand_for_another(message: str, one: int, two: int) -> None:
    """Whatever the message is, two numbers in its place are one bug, on one line."""
    first, second = (BugFound("r", f"{message} {number} {message}") for number in (one, two))
    assert first.id == second.id and "\n" not in first.text
