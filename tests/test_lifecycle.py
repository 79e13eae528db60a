"""How facts lived, against an oracle that replays the ledger anew up to every log."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import entry_of
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import version_id
from ledger.model.order import is_stem
from ledger.model.session import Entry, SessionLog
from projection.fold.fact_history import Act, History
from projection.fold.fold import collect
from projection.fold.full_replay import State
from projection.fold.projection_state import NOTHING, TIERS
from projection.lifecycle import lives
from projection.lifecycle.life import Life
from projection.lifecycle.lives import Lives, counts_from, lives_of, tier_counts
from projection.policy.model import Policy, Windows
from tests.conftest import examples
from tests.test_laws import Logged, ledgers, policies, replayed

CASES = settings(max_examples=examples(50, 200), print_blob=True)
SMALL = Policy(windows=Windows(working=1, active=2, archive=3))


def counted_from(act: Act) -> str:
    """Say when an event counts, from the text of the format (T5)."""
    if isinstance(act.event, FactCreated):
        said = dict(act.event.meta)
        if is_stem(said.get("origin", "")):
            return min(act.stem, said["origin"])
        if said.get("created"):
            return min(act.stem, said["created"] + "~")
    return act.stem


def state_up_to(entries: list[Entry], point: str, policy: Policy) -> State:
    """Replay what counts up to a place of the ledger: every fact, from nothing."""
    upto = [entry for entry in entries if entry.stem <= point]
    counts = collect(upto)
    histories = {}
    for fact, history in collect(entries).items():
        acts = tuple(act for act in history.acts if counted_from(act) <= point)
        seen = counts.get(fact, History())
        if acts or seen.uses:
            histories[fact] = History(seen.uses, seen.last, acts)
    work = sorted(entry.stem for entry in upto if entry.work)
    return State(histories, work, NOTHING, policy)


Told = dict[str, list[tuple[str, str]]]


def told_by_replays(entries: list[Entry], policy: Policy) -> tuple[Told, dict[int, list[int]]]:
    """Replay up to every log; return what changed of each fact at which, and the tiers by session."""
    points = {entry.stem for entry in entries}
    points |= {counted_from(act) for one in collect(entries).values() for act in one.acts}
    before: dict[str, tuple[str, bool]] = {}
    found: Told = {}
    sessions: dict[int, list[int]] = {}
    for point in sorted(points):
        state = state_up_to(entries, point, policy)
        for standing in state.standings():
            fact, tier = standing.fact, standing.tier
            was, was_closed = before.get(fact.id, ("", True))
            before[fact.id] = tier, fact.closed
            told = found.setdefault(fact.id, [])
            if tier == "archived" != was:
                told.append(("faded", point))
            elif tier == "superseded" != was:
                told.append(("superseded" if fact.superseded_by else "invalidated", point))
            elif tier != was and was == "archived":
                told.append(("returned", point))
            elif tier != was == "superseded":
                told.append(("reinstated", point))
            if fact.closed and not was_closed:
                told.append(("closed", point))
        sessions[len(state.work)] = [
            sum(1 for one in state.standings() if one.tier == name) for name in TIERS
        ]
    return found, sessions


def moments(life: Life) -> list[tuple[str, str]]:
    return [(moment.what, moment.stem) for moment in life.moments]


def check(entries: list[Entry], policy: Policy) -> None:
    """Compare lives with replays, log by log and session by session."""
    lives = lives_of(entries, policy)
    told, sessions = told_by_replays(entries, policy)
    assert {life.id: moments(life) for life in lives.lives} == told
    numbers = sorted(sessions)
    counts = tier_counts(lives.lives, numbers, TIERS)
    assert [list(column) for column in zip(*counts, strict=True)] == [
        sessions[number] for number in numbers
    ]


@CASES
@given(ledgers(), policies)
def test_lives_are_what_a_replay_up_to_each_log_shows(logs: list[Logged], policy: Policy) -> None:
    """Each moment is the log at which a replay up to it first differs; so are the counts by tier."""
    check([log.entry for log in logs], policy)


@CASES
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_plain_facts_live_as_the_long_way_says(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """The short way for facts that were created and used, and no more, gives the very same lives."""
    entries = [log.entry for log in logs]
    until = rng.choice(["", *[entry.stem for entry in entries]])
    short = lives_of(entries, policy, until)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lives, "plain_kind", lambda id, acts: "")
        assert lives_of(entries, policy, until) == short


@given(st.lists(st.sampled_from(["use", "name", "note", "-"]), max_size=14), policies)
def test_a_plain_fact_between_many_sessions(said: list[str], policy: Policy) -> None:
    """Used, or named by more work of a session, or named by nobody, before its birth and behind it."""
    entries = []
    for number, how in enumerate(said):
        stem = f"2026-01-{number + 1:02d}-101500000-aaaaaaaaaaaaaaaaaaaaaaaaaa"
        named = ("a",) if how != "-" else ()
        work = how in ("use", "-")
        kind = {"use": "work", "-": "work", "name": "continued", "note": "edit"}[how]
        acts = (FactCreated("a", "A text."),) if number == len(said) // 3 else ()
        entries.append(Entry(stem, work, "", kind, named, acts))
    check(entries, policy)


@CASES
@given(ledgers(), policies)
def test_without_imports_the_oracle_is_the_state_as_of_each_log(
    logs: list[Logged], policy: Policy
) -> None:
    """What the oracle replays is `--as-of`, where nobody tells of earlier births; and lives end now."""
    plain = [log for log in logs if log.type != "import"]
    entries = [log.entry for log in plain]
    for log in plain:
        point = log.ref.key
        upto = replayed([other for other in plain if other.ref.key <= point], policy)
        assert state_up_to(entries, point, policy).standings() == upto.standings()
    now = replayed(logs, policy)
    assert [
        (one.id, one.kind, one.tier, one.reason, one.uses, one.born)
        for one in lives_of([log.entry for log in logs], policy).lives
    ] == [
        (one.fact.id, one.fact.kind, one.tier, one.reason, one.fact.uses, one.fact.born)
        for one in now.standings()
    ]


@CASES
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_until_is_the_ledger_without_what_came_later(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """Lives up to a log are those of the ledger that ends there; arrival means nothing."""
    entries = [log.entry for log in logs if log.type != "import"]
    if not entries:
        return
    limit = rng.choice(entries).stem
    shorter = lives_of([entry for entry in entries if entry.stem <= limit], policy)
    rng.shuffle(entries)
    assert lives_of(entries, policy, limit) == shorter


def logged(*said: tuple[str, tuple[Event, ...]] | tuple[Event, ...]) -> list[Entry]:
    """Make a log a day of what each says; a pair names another type than `work`."""
    found = []
    for number, one in enumerate(said, 1):
        type, events = (one[0], one[1]) if one and isinstance(one[0], str) else ("work", one)
        header = (("agent", f"agent-{number}"), *(() if type == "work" else (("type", type),)))
        stem = f"2026-05-{number:02d}-100000"
        found.append(entry_of(stem, SessionLog(header, "T", "", events)))
    return found


def test_a_fact_fades_comes_back_and_becomes_false() -> None:
    """Named on day 1 and 6: archived with the fourth session unused, back by a reference, then false."""
    nothing: tuple[Event, ...] = ()
    entries = logged(
        (FactCreated("a", "One."),), nothing, nothing, nothing, nothing,
        (FactReferenced("a"),), ("edit", (FactInvalidated("a"),)), ("edit", (FactReinstated("a"),)),
    )  # fmt: skip
    (life,) = lives_of(entries, SMALL).lives
    assert (life.agent, life.uses, life.tier, life.session) == ("agent-1", 2, "active", 1)
    assert [tuple(moment) for moment in life.moments] == [
        ("faded", "2026-05-05-100000", 5, 4, 4),
        ("returned", "2026-05-06-100000", 6, 5, 5),
        ("invalidated", "2026-05-07-100000", 6, 5, 6),
        ("reinstated", "2026-05-08-100000", 6, 5, 7),
    ]
    assert life.spans == (
        (1, "working"), (3, "active"), (4, "archive-candidate"), (5, "archived"), (6, "active"),
    )  # fmt: skip


def test_an_imported_fact_lives_from_the_birth_that_the_import_tells() -> None:
    """The text came on day 7, the fact was born on day 1: it faded on day 5, before the import."""
    born = (("kind", "decision"), ("origin", "2026-05-01-100000"))
    nothing: tuple[Event, ...] = ()
    entries = logged(
        nothing, nothing, nothing, nothing, nothing, nothing,
        ("import", (FactCreated("a", "One.", "", born),)),
    )  # fmt: skip
    (life,) = lives_of(entries, SMALL).lives
    assert moments(life) == [("faded", "2026-05-05-100000")]
    assert (life.agent, life.kind, life.session) == ("agent-1", "decision", 1)
    assert lives_of(entries, SMALL, "2026-05-03~").lives[0].tier == "active"


def test_an_imported_fact_of_which_only_a_date_is_known_lives_from_that_day_on() -> None:
    """Born on day 2, at its end: session 2; it faded with the fourth session after that."""
    born = (("created", "2026-05-02"),)
    nothing: tuple[Event, ...] = ()
    entries = logged(
        nothing, nothing, nothing, nothing, nothing, nothing, nothing,
        ("import", (FactCreated("a", "One.", "", born),)),
    )  # fmt: skip
    (life,) = lives_of(entries, SMALL).lives
    assert (life.agent, life.born, life.session) == ("", "2026-05-02~", 2)
    assert [tuple(moment) for moment in life.moments] == [
        ("faded", "2026-05-06-100000", 6, 4, 4),
    ]  # fmt: skip


def test_a_fact_whose_supersession_is_taken_back_was_false_meanwhile() -> None:
    """Superseded on day 2, reinstated on day 3, superseded again on day 4."""
    entries = logged(
        (FactCreated("a", "One."), FactCreated("b", "Two.")), (FactSuperseded("a", "b"),),
        ("edit", (FactReinstated("a"),)), (FactSuperseded("a", "b"),),
    )  # fmt: skip
    check(entries, SMALL)
    a, _ = lives_of(entries, SMALL).lives
    assert moments(a) == [
        ("superseded", "2026-05-02-100000"),
        ("reinstated", "2026-05-03-100000"),
        ("superseded", "2026-05-04-100000"),
    ]


def test_threads_close_and_invariants_stay() -> None:
    """An open thread does not fade; closed, it fades by its last use; an invariant has no moment."""
    nothing: tuple[Event, ...] = ()
    entries = logged(
        (FactCreated("t", "Do it.", " "), FactCreated("i", "Always.", "", (("kind", "invariant"),))),
        nothing, nothing, nothing, nothing, ("edit", (ThreadClosed("t"),)),
    )  # fmt: skip
    invariant, thread = lives_of(entries, SMALL).lives
    assert (invariant.tier, invariant.moments) == ("core", ())
    assert moments(thread) == [("faded", "2026-05-06-100000"), ("closed", "2026-05-06-100000")]


def test_in_a_circle_each_taking_back_counts_from_its_own_log_on() -> None:
    """Both supersessions of a circle are taken back, one after the other: in between only the first is."""
    entries = logged(
        (FactCreated("a", "One."), FactCreated("b", "Two.")),
        (FactSuperseded("a", "b"),), (FactSuperseded("b", "a"),),
        ("edit", (FactReinstated("b", said=("2026-05-03-100000",)),)),
        ("edit", (FactReinstated("a", said=("2026-05-02-100000",)),)),
    )  # fmt: skip
    check(entries, SMALL)
    a, b = lives_of(entries, SMALL).lives
    assert moments(a) == [("superseded", "2026-05-02-100000"), ("reinstated", "2026-05-05-100000")]
    assert moments(b) == []


def test_takings_back_in_several_circles_count_in_the_order_of_their_logs() -> None:
    """Each fact of three circles is taken back by a log of its own, the ones in an order of their own."""
    pairs = (("a", "b"), ("c", "d"), ("e", "f"))
    entries = logged(
        tuple(FactCreated(one, f"Text {one}.") for pair in pairs for one in pair),
        tuple(FactSuperseded(one, two) for one, two in pairs),
        tuple(FactSuperseded(two, one) for one, two in pairs),
        *(("edit", (FactReinstated(one),)) for one in "dafcbe"),
    )  # fmt: skip
    check(entries, SMALL)
    day = "2026-05-{:02d}-100000".format
    assert {life.id: moments(life) for life in lives_of(entries, SMALL).lives} == {
        "a": [("superseded", day(2)), ("reinstated", day(5))],
        "b": [("superseded", day(5)), ("reinstated", day(8))],
        "c": [("superseded", day(2)), ("reinstated", day(7))],
        "d": [],
        "e": [("superseded", day(2)), ("reinstated", day(9))],
        "f": [],
    }


def test_a_fact_that_was_reworded_by_who_did_not_know_is_not_false_from_then_on() -> None:
    """Superseded on day 2, reworded unaware on day 3, superseded by one who knows the new text on day 4."""
    one, two = version_id("One."), version_id("Two.")
    entries = logged(
        (FactCreated("a", "One."), FactCreated("b", "B.")), (FactSuperseded("a", "b", was=(one,)),),
        (FactUpdated("a", "Two.", (one,)),), (FactSuperseded("a", "b", was=(two,)),),
    )  # fmt: skip
    check(entries, SMALL)
    a, _ = lives_of(entries, SMALL).lives
    assert moments(a) == [
        ("superseded", "2026-05-02-100000"),
        ("reinstated", "2026-05-03-100000"),
        ("superseded", "2026-05-04-100000"),
    ]


def test_a_circle_that_a_person_opens_changes_a_fact_that_the_log_does_not_name() -> None:
    """Once a → b is taken back, b → a closes no circle any more: b is false then, by a log on a."""
    entries = logged(
        (FactCreated("a", "One."), FactCreated("b", "Two.")),
        (FactSuperseded("a", "b"),), (FactSuperseded("b", "a"),), ("edit", (FactReinstated("a"),)),
    )  # fmt: skip
    check(entries, SMALL)
    a, b = lives_of(entries, SMALL).lives
    assert moments(a) == [("superseded", "2026-05-02-100000"), ("reinstated", "2026-05-04-100000")]
    assert ("superseded", "2026-05-04-100000") in moments(b)


def test_no_log_no_life() -> None:
    """An empty ledger has no lives, and an id without a text is no fact."""
    assert lives_of([], SMALL) == Lives((), ())
    assert lives_of(logged((FactReferenced("a"),)), SMALL).lives == ()
    assert tier_counts((), (0,), TIERS) == ((0,),) * len(TIERS)


def test_counts_from_is_never_behind_the_log() -> None:
    """A birth said to be in the future of its log counts from the log."""
    later = Act("2026-05-01-100000", 0, FactCreated("a", "One.", "", (("created", "2026-06-01"),)))
    assert counts_from(later) == "2026-05-01-100000"
