"""What the fold says of small histories, rule by rule of section 4 of the format."""

from __future__ import annotations

from itertools import permutations

import pytest

from ledger.codec.log import decode, encode, entry_of, read_entry
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.session import SessionLog
from projection.fold.fact_history import Fact
from projection.fold.fold import collect
from projection.fold.full_replay import State
from projection.fold.projection_state import NOTHING
from projection.policy.model import Policy
from tests.conftest import each_row

A, B, C = (version_id(text) for text in ("A", "B", "C"))


def folded(*logs: tuple[Event, ...]) -> State:
    """Replay logs of one day each, one after the other."""
    entries = [
        entry_of(f"2026-05-{number:02d}-100000", SessionLog((), "T", "", events))
        for number, events in enumerate(logs, 1)
    ]
    return State(collect(entries), [entry.stem for entry in entries], NOTHING, Policy())


def fact_of(state: State, fact: str = "a") -> Fact:
    found = state.fact(fact)
    assert found is not None
    return found


def heads(*logs: Event) -> list[str]:
    """The texts of `a` that stand, where every log says one thing."""
    return sorted(head.text for head in fact_of(folded(*[(event,) for event in logs])).heads)


# ---- F3: texts ---------------------------------------------------------------------------------------


def test_a_version_that_came_once_is_taken_away_by_whoever_names_it() -> None:
    """`A; B (was A); C (was A, B)`: B came once, so the writer of C saw all of it."""
    assert heads(
        FactCreated("a", "A"), FactUpdated("a", "B", (A,)), FactUpdated("a", "C", (A, B))
    ) == ["C"]


def test_a_version_that_came_again_in_place_of_another_is_not() -> None:
    """Two choose differently between A and B: whoever chose B, or C, did not see that A was chosen."""
    split = (FactCreated("a", "A"), FactCreated("a", "B"), FactUpdated("a", "A", (A, B)))
    assert heads(*split) == ["A"]
    assert heads(*split, FactUpdated("a", "B", (A, B))) == ["A", "B"]
    assert heads(*split, FactUpdated("a", "C", (A, B))) == ["A", "C"]
    assert heads(*split, FactUpdated("a", "C", (A,))) == ["C"]


# ---- F5: birth ---------------------------------------------------------------------------------------


def test_the_checkbox_at_birth_is_the_first_that_a_birth_has() -> None:
    state = folded((FactCreated("a", "A"),), (FactCreated("a", "A", "x"),))
    assert (fact_of(state).kind, fact_of(state).closed) == ("thread", True)
    assert fact_of(state).closed_at == "2026-05-02-100000"
    state = folded((FactCreated("a", "A", " "),), (FactCreated("a", "A", "x"),))
    assert not fact_of(state).closed


# ---- C6: inside one log ------------------------------------------------------------------------------

SAID: tuple[tuple[Event, ...], ...] = (
    (FactSuperseded("a", "b"), FactSuperseded("b", "a"), FactReferenced("c")),
    (FactSuperseded("b", "c"), FactSuperseded("c", "a"), FactSuperseded("a", "b")),
    (ThreadClosed("a", "", (A,)), ThreadClosed("a", "", (B,)), ThreadClosed("a")),
    (ThreadClosed("a"), ThreadReopened("a"), ThreadClosed("b")),
    (ThreadClosed("a", "", (B,)), FactUpdated("a", "C", (A,)), FactReferenced("b")),
    (FactUpdated("a", "C", (B,)), FactUpdated("a", None, (A,)), FactCreated("d", "D")),
    (FactUpdated("a", None, (B,)), FactCreated("a", "C"), FactCreated("d", "D")),
)


@each_row("said", SAID)
@each_row("sealed", (True, False))
def test_the_order_inside_a_log_decides_nothing(said: tuple[Event, ...], sealed: bool) -> None:
    """Two opposite supersessions, closings, a birth beside an update: any written order reads alike."""
    born: tuple[Event, ...] = (
        FactCreated("a", "A", " "), FactCreated("b", "B", " "), FactCreated("c", "C"),
    )  # fmt: skip
    twice: tuple[Event, ...] = (FactUpdated("a", "B", (A,)),)
    stem = "2026-05-03-100000" + ("000-0123456789ab" if sealed else "-words")
    found = set()
    for order in permutations(range(len(said))):
        data = encode(SessionLog((), "T", "", tuple([said[place] for place in order])))
        first = [entry_of(f"2026-05-0{n}-100000", SessionLog((), "T", "", acts))
                 for n, acts in enumerate((born, twice), 1)]  # fmt: skip
        entry, _ = read_entry(stem, data)
        log, _ = decode(data, sealed=sealed)
        assert entry.acts == entry_of(stem, log).acts
        state = State(collect([*first, entry]), [], NOTHING, Policy())
        found.add((repr(state.standings()), _codes(state.findings())))
    assert len(found) == 1


def test_facts_stand_in_the_order_of_their_ids() -> None:
    """Whatever order the logs name them in."""
    told = [
        entry_of(f"2026-05-0{day}-100000", SessionLog((), "T", "", (FactCreated(id, id),)))
        for day, id in enumerate("cab", 1)
    ]
    state = State(collect(told), [], NOTHING, Policy())
    assert [one.fact.id for one in state.standings()] == list(state) == ["a", "b", "c"]


def _codes(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    return tuple(sorted(finding.code + finding.message for finding in findings))


def test_of_opposite_supersessions_in_one_log_the_last_by_id_is_left_out() -> None:
    state = folded(
        (FactCreated("a", "A"), FactCreated("b", "B")),
        (FactSuperseded("b", "a"), FactSuperseded("a", "b")),
    )
    assert fact_of(state, "a").superseded_by == ("b",)
    assert fact_of(state, "b").circle == ("a",) and fact_of(state, "b").contradicted


# ---- F6: truth ---------------------------------------------------------------------------------------


def test_a_fact_that_supersedes_itself_is_not_false_and_not_contradicted() -> None:
    found = fact_of(folded((FactCreated("a", "A"),), (FactSuperseded("a", "a"),)))
    assert not found.false and not found.contradicted


def test_a_pending_successor_makes_false_and_is_no_side_of_a_contradiction() -> None:
    state = folded(
        (FactCreated("a", "A"), FactCreated("b", "B")),
        (FactSuperseded("a", "b"),),
        (FactSuperseded("a", "pending"),),
    )
    assert fact_of(state).superseded_by == ("b", "pending")
    assert fact_of(state).rivals == () and not fact_of(state).contradicted


# ---- F10: called false and reworded ------------------------------------------------------------------


def denied(*logs: tuple[Event, ...]) -> tuple[tuple[str, str], ...]:
    """What stands against the text of `a`, born as A in a log before these; () where it is false or true."""
    found = fact_of(folded((FactCreated("a", "A"), FactCreated("b", "B")), *logs))
    assert found.contradicted == bool(found.denied)
    assert not (found.denied and found.false)
    return found.denied


CALL = FactSuperseded("a", "b", was=(A,))
REWORDS = FactUpdated("a", "B", (A,))
THIRD = "2026-05-03-100000"


@pytest.mark.parametrize("call", (CALL, FactInvalidated("a", was=(A,))))
def test_called_false_and_reworded_contradict_in_both_orders(call: Event) -> None:
    new = "b" if isinstance(call, FactSuperseded) else ""
    assert denied((call,), (REWORDS,)) == (("2026-05-02-100000", new),)
    assert denied((REWORDS,), (call,)) == ((THIRD, new),)
    late = FactCreated("a", "B")
    assert [head.text for head in fact_of(folded((FactCreated("a", "A"),), (call,), (late,))).heads]
    assert fact_of(folded((FactCreated("a", "A"),), (call,), (late,))).denied


def test_who_names_what_stands_or_knows_what_was_said_contradicts_nobody() -> None:
    says = FactUpdated("a", "B", (A,), said=("2026-05-02-100000",))
    for logs in (
        ((REWORDS,), (FactSuperseded("a", "b", was=(B,)),)),  # the superseder saw the rewording
        ((CALL,), (says,)),  # the rewording's writer saw the supersession
        ((CALL,), (FactUpdated("a", "B"),)),  # it names nothing: all before it
        ((CALL, REWORDS),),  # one log says both
        ((FactSuperseded("a", "b"),), (REWORDS,)),  # from before the rule
        ((REWORDS,), (FactSuperseded("a", "b"),)),
        ((CALL,), (REWORDS,), (FactSuperseded("a", "b", was=(B,)),)),  # decided since
        ((CALL,), (REWORDS,), (FactUpdated("a", "B", (B,), said=("2026-05-02-100000",)),)),
        ((CALL,), (FactUpdated("a", "B", (A,)),), (FactUpdated("a", "A", (B,)),)),  # as it was seen
    ):
        found = fact_of(folded((FactCreated("a", "A"), FactCreated("b", "B")), *logs))
        assert found.false and not found.contradicted, logs
    taken = FactReinstated("a", said=("2026-05-02-100000",))
    assert denied((CALL,), (REWORDS,), (taken,)) == ()


def test_an_update_without_was_knows_of_what_sorts_behind_it_what_it_names() -> None:
    assert denied((FactUpdated("a", "B"),), (CALL,)) == ((THIRD, "b"),)
    assert denied((FactUpdated("a", "B", said=(THIRD,)),), (CALL,)) == ()


def test_two_that_call_it_false_know_together() -> None:
    """Each of two heads is known to one of them: nothing that stands is new to both."""
    one, two = FactInvalidated("a", was=(A,)), FactInvalidated("a", was=(B,))
    logs = ((FactCreated("a", "A"),), (FactCreated("a", "B"),), (one,))
    assert fact_of(folded(*logs)).denied
    both = fact_of(folded(*logs, (two,)))
    assert both.false and len(both.heads) == 2 and not both.denied


# ---- F8: closed and reworded -------------------------------------------------------------------------


def test_a_thread_reworded_and_closed_in_one_log_says_the_new_text_alone() -> None:
    born: tuple[Event, ...] = (FactCreated("a", "A", " "),)
    update, closing = FactUpdated("a", "B", (A,)), ThreadClosed("a", "", (A,))
    for said in ((update, closing), (closing, update)):
        state = folded(born, said)
        assert [head.text for head in fact_of(state).heads] == ["B"]
        assert fact_of(state).closed


def test_a_closing_that_names_a_version_nobody_brought_lets_nothing_stand() -> None:
    state = folded((FactCreated("a", "A", " "),), (ThreadClosed("a", "", (C,)),))
    assert [head.text for head in fact_of(state).heads] == ["A"]


@pytest.mark.parametrize(
    ("redacted", "codes"),
    [
        (FactRedacted("a"), ["unknown-id"]),
        (FactRedacted("a", held=(("2026-05-01-090000", "1" * 40),)), []),
        (FactRedacted("2026-05-01-090000"), []),
    ],
)
def test_a_text_that_redaction_took_is_not_asked_for(redacted: Event, codes: list[str]) -> None:
    """A redaction names a log's words by its stem, and a fact whose logs may be gone by what held it."""
    assert [one.code for one in folded((redacted,)).findings()] == codes
