"""Which moves of a task stand: two who do not know of each other both do (FORMAT.md, F11)."""

from __future__ import annotations

import itertools

import pytest

from ledger.codec.log import decode, encode, entry_of
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactReinstated,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.session import Entry, SessionLog
from ledger.model.task_states import FOLLOWS, STATES, may_follow
from memory.replay.replayed_state import state_from
from projection.document.edit_events import absorb
from projection.document.page_renderer import render
from projection.fold.checks import fact_findings
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve
from projection.fold.full_replay import State
from projection.lifecycle.lives import lives_of
from projection.policy.model import Policy
from tests.conftest import each_row

BORN = FactCreated("t", "Wire it.", " ", (("kind", "task"),))
SAID = version_id("Wire it.")


def stem(number: int) -> str:
    return f"2026-11-2{number}-100000"


def log(number: int, *events: Event, agent: str = "", type: str = "work") -> Entry:
    header = (("agent", agent or f"agent-{number}"), *((("type", type),) if type != "work" else ()))
    return entry_of(stem(number), SessionLog((*header, ("branch", "main")), "T", "", events))


def folded(*entries: Entry) -> Fact:
    """Fold logs in every grouping of two, which all have to say the same."""
    whole = collect(entries)
    for cut in range(len(entries) + 1):
        first, second = collect(entries[cut:]), collect(entries[:cut])
        assert {**first, **merged(first, second)} == whole
    found = resolve("t", whole["t"])
    assert found is not None
    return found


def codes(*entries: Entry) -> list[str]:
    fact = folded(*entries)
    return [
        f"{one.code} {one.message}"
        for one in fact_findings(fact, collect(entries)["t"], Policy(), frozenset())
    ]


def moved(state: str, *was: int, blind: bool = False) -> FactMoved:
    return FactMoved("t", state, "", None if blind else tuple(map(stem, was)))


def test_two_claims_that_do_not_know_each_other_both_stand() -> None:
    """Neither wins, whoever was later; a move that names both does."""
    claims = log(1, BORN), log(2, moved("in-progress")), log(3, moved("in-progress"))
    fact = folded(*claims)
    assert fact.contradicted and fact.torn and fact.state == "in-progress" and not fact.closed
    assert [(move.stem, move.agent) for move in fact.moves] == [
        (stem(2), "agent-2"), (stem(3), "agent-3"),
    ]  # fmt: skip
    assert "2 moves that stand side by side" in codes(*claims)[0]
    half = folded(*claims, log(4, moved("blocked", 3)))
    assert half.contradicted and half.state == "in-progress or blocked"
    whole = folded(*claims, log(4, moved("in-progress", 2, 3)))
    assert codes(*claims, log(4, moved("in-progress", 2, 3))) == []
    assert not whole.contradicted and [move.agent for move in whole.moves] == ["agent-4"]


@pytest.mark.parametrize("state", ["blocked", "done", "cancelled", "handoff-ready"])
def test_several_moves_to_one_other_state_are_no_contradiction(state: str) -> None:
    """Two who say that it is done agree."""
    fact = folded(log(1, BORN), log(2, moved(state)), log(3, moved(state)))
    assert len(fact.moves) == 2 and not fact.contradicted and fact.state == state
    assert fact.closed is (state in ("done", "cancelled"))
    assert fact.closed_at == (stem(3) if fact.closed else "")


def test_a_closing_takes_away_what_it_saw() -> None:
    """A ticked box is done; what its writer did not see stands against it."""
    logs = log(1, BORN), log(2, moved("in-progress")), log(3, moved("blocked", 2))
    assert folded(*logs, log(4, ThreadClosed("t"))).state == "done"
    seen = folded(*logs, log(4, ThreadClosed("t", was=(SAID, stem(3)))))
    assert (seen.state, seen.closed, seen.contradicted) == ("done", True, False)
    unseen = folded(*logs, log(4, ThreadClosed("t", was=(SAID, stem(2)))))
    assert (unseen.state, unseen.closed, unseen.contradicted) == ("blocked or done", False, True)
    opened = folded(*logs, log(4, ThreadClosed("t")), log(5, ThreadReopened("t")))
    assert (opened.state, opened.closed) == ("todo", False)


def test_a_box_that_is_ticked_at_birth_is_done() -> None:
    """And whoever moves it on without having seen that contradicts it."""
    done = log(1, BORN._replace(mark="x"))
    assert (folded(done).state, folded(done).closed_at) == ("done", stem(1))
    assert folded(done, log(2, moved("in-progress"))).contradicted


def test_what_was_moved_counts_once_it_is_a_task() -> None:
    """Until then it has no state, and a finding."""
    thread = log(1, BORN._replace(meta=(("kind", "thread"),)))
    claim = log(2, moved("in-progress"))
    assert folded(thread, claim).state == "" and folded(thread, claim).moves == ()
    assert codes(thread, claim) == ["task-move t was moved to in-progress and is of kind thread"]
    task = log(3, FactUpdated("t", "Wire it.", (SAID,), meta=(("kind", "task"),)))
    assert folded(thread, claim, task).state == "in-progress"


@each_row("before, after", list(itertools.product(STATES, STATES)))
def test_what_can_not_follow_counts_with_a_finding(before: str, after: str) -> None:
    """The state is what was said last; where the table does not lead there, that is told."""
    logs = [log(1, BORN)]
    if before != "todo":
        logs.append(log(2, moved(before), type="edit"))
    logs.append(log(3, moved(after, *([2] if before != "todo" else []))))
    assert folded(*logs).state == after
    told = [f"task-move t was moved to {after} and was {before}"]
    assert codes(*logs) == ([] if after in FOLLOWS[before] else told)
    blind = [*logs[:-1], log(3, moved(after, blind=True))]
    assert codes(*blind) == codes(*logs)


def test_a_person_moves_it_anywhere() -> None:
    """A log of type edit decides, and nothing is odd about it."""
    logs = log(1, BORN), log(2, moved("cancelled")), log(3, moved("in-progress", 2), type="edit")
    assert folded(*logs).state == "in-progress" and codes(*logs) == []


def test_a_move_that_answers_what_another_answered_is_judged_by_it() -> None:
    """Two answers to one claim: both may follow it, though the first took it away."""
    logs = (
        log(1, BORN), log(2, moved("in-progress")), log(3, moved("done", 2)), log(4, moved("blocked", 2)),
    )  # fmt: skip
    assert [one.split()[0] for one in codes(*logs)] == ["contradiction"]
    late = log(1, BORN), log(3, moved("done", 2))
    assert codes(*late) == []  # the log that it answers has not arrived


def test_one_of_several_states_may_be_chosen() -> None:
    """Who sees two states may stay in one of them; the table alone would not lead there."""
    assert may_follow(("in-progress", "blocked")) == (
        "in-progress", "handoff-ready", "blocked", "done", "cancelled",
    )  # fmt: skip
    assert may_follow(("done",)) == () and may_follow(("in-progress",) * 2)[0] == "in-progress"


def test_moves_are_written_and_read() -> None:
    """With what their writer saw, nothing of it, and without saying."""
    events = (
        FactMoved("a", "in-progress", "for ada", ()), FactMoved("b", "done", "", (stem(1), stem(2))),
        FactMoved("c", "blocked"), FactMoved("d", "blocked", "no key"),
    )  # fmt: skip
    data = encode(SessionLog((("agent", "x"),), "T", "", events))
    assert decode(data, sealed=True)[0].events == events
    assert b"- Moved: a \xe2\x86\x92 in-progress (was none) \xe2\x80\x94 for ada\n" in data
    read, findings = decode(b"# T\n\n## Memory References\n\n- Moved: a -> asleep\n", sealed=True)
    assert read.events == () and [one.code for one in findings] == ["bad-id"]


def test_ten_thousand_moves_take_linear_time() -> None:
    """Each of many moves answers the one before; all of many claims stand."""
    stems = [
        f"2026-01-01-{10 + n // 3600:02d}{n // 60 % 60:02d}{n % 60:02d}" for n in range(10_000)
    ]
    first = Entry(stems[0], True, "", "work", ("t",), (BORN,))
    chain = [
        Entry(
            one, True, "", "work", ("t",), (FactMoved("t", STATES[1 + n % 2 * 2], "", (before,)),)
        )
        for n, (before, one) in enumerate(itertools.pairwise(stems))
    ]
    fact = resolve("t", collect([first, *chain])["t"])
    assert fact is not None and len(fact.moves) == 1
    claims = [
        Entry(one, True, "", "work", ("t",), (FactMoved("t", "in-progress", "", ()),))
        for one in stems
    ]
    torn = resolve("t", collect([first, *claims])["t"])
    assert torn is not None and len(torn.moves) == 10_000 and torn.torn
    (life,) = lives_of([first, *claims[1:]], Policy()).lives
    assert life.tier == "active" and life.uses == 10_000


# ---- a person's edits ------------------------------------------------------------------------------


def _edited(entries: tuple[Entry, ...], old: str, new: str) -> tuple[Event, ...]:
    """Return what an edit of the rendered page says."""
    state = _state(*entries)
    page = render(state.view())
    assert page.count(old) == 1, page
    found = absorb(page, page.replace(old, new), state.policy, state.get)
    assert found.findings == ()
    return found.events


def _state(*entries: Entry) -> State:
    refs = [LogRef(one.stem, log_path(one.stem), "0" * 40) for one in entries]
    return state_from(refs, entries, Policy())


def test_a_ticked_box_names_the_moves_that_the_page_shows() -> None:
    """So a claim that came meanwhile stands against it; an unticked one is todo again."""
    logs = log(1, BORN), log(2, moved("in-progress"))
    (done,) = _edited(logs, "- [ ] Wire it.", "- [x] Wire it.")
    assert done == ThreadClosed("t", was=(SAID, stem(2)))
    assert folded(*logs, log(4, done)).state == "done"
    late = folded(*logs, log(3, moved("blocked", 2)), log(4, done))
    assert late.contradicted and late.state == "blocked or done"
    (todo,) = _edited((*logs, log(4, done)), "- [x] Wire it.", "- [ ] Wire it.")
    assert folded(*logs, log(4, done), log(5, todo)).state == "todo"


def test_a_ticked_box_of_a_torn_task_settles_it() -> None:
    """The page shows every move, so the closing names them all; the list of contradictions follows."""
    logs = log(1, BORN), log(2, moved("in-progress")), log(3, moved("blocked"))
    assert "- moved to blocked in " + stem(3) in render(_state(*logs).view())
    (done,) = _edited(logs, "- [ ] Wire it.", "- [x] Wire it.")
    fact = folded(*logs, log(4, done))
    assert (fact.state, fact.contradicted) == ("done", False)


@pytest.mark.parametrize(
    ("old", "new"), [("in-progress in", "done in"), (" | moves: ", " | moved: ")]
)
def test_the_moves_in_a_footer_are_computed(old: str, new: str) -> None:
    """A person ticks the box; what is written there is refused with a hint, and nothing is taken."""
    state = _state(log(1, BORN), log(2, moved("in-progress")))
    page = render(state.view())
    found = absorb(page, page.replace(old, new), state.policy, state.get)
    if new == "done in":
        assert [one.code for one in found.findings] == ["hand-edited"]
    assert all(isinstance(event, FactUpdated) for event in found.events)


def test_footers_of_a_task_are_edited_like_others() -> None:
    """Another owner is an update; the state stays."""
    logs = (
        log(1, BORN._replace(meta=(("kind", "task"), ("owner", "ada")))),
        log(2, moved("blocked")),
    )
    (update,) = _edited(logs, "owner: ada", "owner: bob")
    fact = folded(*logs, log(3, update))
    assert (dict(fact.meta)["owner"], fact.state) == ("bob", "blocked")


def test_a_task_that_becomes_a_thread_keeps_its_tick() -> None:
    """What closes one is a move, what closes the other a last word: the edit says it anew."""
    logs = log(1, BORN), log(2, moved("done"))
    events = _edited(logs, "## Tasks", "## Open Threads")
    fact = folded(*logs, log(3, *events))
    assert (fact.kind, fact.closed, fact.state) == ("thread", True, "")
    back = _edited((*logs, log(3, *events)), "## Open Threads", "## Tasks")
    again = folded(*logs, log(3, *events), log(4, *back))
    assert (again.kind, again.closed, again.state) == ("task", True, "done")


def test_false_and_restored_tasks_keep_their_state() -> None:
    """A task that is false is in the archive; restored it is where it was; the past has its own state."""
    logs = (
        log(1, BORN), log(2, moved("in-progress")), log(3, FactInvalidated("t", was=(SAID,))),
        log(4, moved("blocked", 2)), log(5, FactReinstated("t", said=(stem(3),))),
    )  # fmt: skip
    states = [(folded(*logs[:n]).state, folded(*logs[:n]).false) for n in range(1, 6)]
    assert states == [
        ("todo", False), ("in-progress", False), ("in-progress", True), ("blocked", True), ("blocked", False),
    ]  # fmt: skip
    assert _state(*logs[:3])["t"].tier == "superseded" and _state(*logs)["t"].live


def test_an_open_task_stays_and_a_done_one_is_swept() -> None:
    """Like a thread: at least active while it is open; in the archive a window after it was closed."""
    work = [
        Entry(f"2026-12-{day:02d}-10{minute:02d}00", True, "", "work", (), ())
        for day in (1, 2) for minute in range(30)
    ]  # fmt: skip
    assert _state(log(1, BORN), *work)["t"].tier == "active"
    done = _state(log(1, BORN), log(2, moved("cancelled")), *work)["t"]
    assert (done.live, done.reason) == (False, "closed")
