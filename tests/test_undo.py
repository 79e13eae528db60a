"""Undo: what a log did is taken back by a log, and done again by another; nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import DiurnaError, NotFound
from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactInvalidated,
    FactPromoted,
    FactReactivated,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from ledger.wal.spool import Spool
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.fold.reversal import Irreversible
from rituals.decide.decision import Author, record
from rituals.decide.undo import undoing
from tests.campaigns.homes import Clock, hermetic, make_home, open_memory
from tests.conftest import Repo, Run, examples
from tests.teams import SyncedTeam

__all__ = ["hermetic"]

BASE = (
    FactCreated("a", "A."),
    FactCreated("b", "B.", "", (("kind", "decision"),)),
    FactCreated("c", "C."),
    FactCreated("t", "Find it.", " ", (("kind", "thread"),)),
)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Make homes, each with a folder of its own."""
    numbers = iter(range(10_000))

    def fresh() -> Memory:
        folder = tmp_path_factory.mktemp("undo") / f"r{next(numbers)}"
        make_home(folder, "own-repository")
        return open_memory(folder, clock=Clock())

    yield fresh


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A home with the facts of `BASE`."""
    make_home(tmp_path / "r", "own-repository")
    memory = open_memory(tmp_path / "r", clock=Clock())
    say(memory, *BASE)
    return memory


def say(memory: Memory, *events: Event, type: str = "work") -> str:
    return memory.append(SessionDraft("Said", "", events, type=type, anyway=True), again=True).stem


def undo(memory: Memory) -> tuple[str, ...]:
    """Undo the last log, and return what that says it does."""
    decision, _ = undoing(memory)
    assert record(memory, decision, Author()) is not None
    return decision.does[1:]


def live(memory: Memory) -> dict[str, tuple[str, bool]]:
    """Return what stands in continuity.md: the text of each fact, and whether it is closed."""
    return {one.fact.id: (one.fact.text, one.fact.closed) for one in memory.state().view().live}


def shown(memory: Memory) -> dict[str, tuple[object, ...]]:
    """Return all that an undo is to bring back, of every fact that is not false."""
    return {
        one.fact.id: (one.fact.text, one.fact.kind, one.fact.closed, one.fact.promoted, one.live)
        for one in memory.state().standings()
        if not one.fact.false
    }


@pytest.mark.parametrize(
    ("events", "does"),
    [
        ((FactCreated("n", "New."),), "n, which it brought, is false now"),
        ((FactUpdated("a", "A2."),), "a says again: A."),
        ((FactInvalidated("a"),), "a holds again"),
        ((FactSuperseded("a", "b"),), "a holds again"),
        ((ThreadClosed("t"),), "t is open again"),
        ((FactArchived("a"),), "a is out of the archive again"),
        ((FactPromoted("a"),), "a is core no more"),
        ((FactUpdated("a", "A2.", None, "", (("kind", "pattern"),)),), "a says again: A."),
    ],
)  # fmt: skip
def test_each_verb_is_taken_back_and_done_again(
    events: tuple[Event, ...], does: str, memory: Memory
) -> None:
    """After an undo all stands as before; after another one as if there had been none; and so on."""
    before = shown(memory)
    say(memory, *events, type="edit")
    after = shown(memory)
    assert before != after
    assert undo(memory) == (does,)
    assert shown(memory) == before
    undo(memory)
    assert shown(memory) == after
    undo(memory)
    assert shown(memory) == before


def test_a_whole_log_is_taken_back_at_once(memory: Memory) -> None:
    """What was superseded holds again, and what was to replace it is false; every log is still there."""
    before, logs = live(memory), len(memory.log())
    say(memory, FactReferenced("c"), FactCreated("n", "New."), FactSuperseded("a", "n"),
        FactUpdated("b", "B2."), ThreadClosed("t"))  # fmt: skip
    assert set(undo(memory)) == {
        "n, which it brought, is false now", "a holds again", "b says again: B.", "t is open again",
    }  # fmt: skip
    assert live(memory) == before and len(memory.log()) == logs + 2
    redo = undoing(memory)[0]
    assert redo.title == "Redo: Said"
    assert "a is superseded by n again" in redo.does
    undo(memory)
    assert memory.state()["a"].fact.superseded_by == ("n",)
    assert undoing(memory)[0].title == "Undo: Said"


def test_what_is_archived_goes_back_there(memory: Memory) -> None:
    """A use brings a faded fact back; undone, it is put away again, whatever brought it."""
    for _ in range(22):
        say(memory, FactReferenced("b"))
    assert not memory.state()["a"].live
    for event in (FactReferenced("a"), FactReactivated("a"), FactUpdated("a", "A2.")):
        say(memory, event)
        assert memory.state()["a"].live
        assert undo(memory)[-1] == "a goes back into the archive"
        assert not memory.state()["a"].live and memory.state()["a"].fact.text == "A."


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ((FactReferenced("a"),), "it changed no fact; words and uses of a log stay"),
        ((), "it changed no fact"),
        ((FactVerified("a"),), "it confirms a"),
        ((FactVerified("a"), FactUpdated("b", "B2.")), "it confirms a"),
        ((FactUpdated("a", "A2.", None, "", (("tags", "x"),)),), "the footer tags"),
        ((FactUpdated("torn", "One."),), "it settles what was contradicted about torn"),
        ((FactReinstated("denied"),), "it settles what was contradicted about denied"),
    ],
)  # fmt: skip
def test_what_no_event_can_say_is_refused(
    events: tuple[Event, ...], why: str, memory: Memory
) -> None:
    """Refused whole, with the reason; nothing is recorded."""
    say(memory, FactCreated("torn", "Torn."), FactCreated("denied", "So."))
    so = tuple(version.id for version in memory.state()["denied"].fact.heads)
    say(memory, FactInvalidated("denied", was=so))
    say(memory, FactUpdated("denied", "Not so.", so))
    was = tuple(version.id for version in memory.state()["torn"].fact.heads)
    say(memory, FactUpdated("torn", "Left.", was))
    say(memory, FactUpdated("torn", "Right.", was))
    say(memory, *events)
    tip = memory.home.tip()
    with pytest.raises(Irreversible, match=why):
        undoing(memory)
    assert memory.home.tip() == tip


@pytest.mark.parametrize(
    "event",
    [FactUpdated("a", "A3."), FactVerified("a"), FactSuperseded("c", "n"), FactArchived("n")],
)
def test_what_somebody_built_on_is_refused(event: Event, memory: Memory) -> None:
    """A fact that another agent reworded, confirmed, put away or relied on since stays as it is."""
    memory.append(SessionDraft("Mine", "", (FactUpdated("a", "A2."), FactCreated("n", "New."))))
    other = memory.append(SessionDraft("Theirs", "", (event,), "codex"))
    with pytest.raises(Irreversible, match=rf"was changed since, by {other.stem}") as caught:
        undoing(memory)
    assert "diurna why" in caught.value.hint
    say(memory, FactUpdated("b", "B2."))
    assert undo(memory) == ("b says again: B.",)


def test_redacted_texts_do_not_come_back(memory: Memory) -> None:
    """A redaction is for good, and so is what it withholds."""
    from rituals.decide.redaction import redaction

    say(memory, FactUpdated("a", "A2."))
    record(memory, redaction(memory, ("a",), "It names a customer.").decision, Author("codex"))
    with pytest.raises(Irreversible):
        undoing(memory)
    with pytest.raises(Irreversible, match="withheld for good"):
        undoing(memory, "codex")


def test_only_what_was_committed_here_is_ones_own(tmp_path: Path) -> None:
    """Another clone's log by an agent of the same name is not taken back, however new it is."""
    team = SyncedTeam(tmp_path)
    ada, bob = team.clone("ada"), team.clone("bob")
    mine = ada.memory.append(SessionDraft("Mine", "", (FactCreated("mine", "M."),), "codex"))
    ada.sync()
    bob.sync()
    bob.memory.append(SessionDraft("Theirs", "", (FactCreated("theirs", "T."),), "codex"))
    bob.sync()
    ada.sync()
    assert "theirs" in ada.memory.state()
    decision, stem = undoing(ada.memory, "codex")
    assert stem == mine.stem and decision.events[0].id == "mine"
    with pytest.raises(NotFound, match="no log of nobody was committed by"):
        undoing(ada.memory, "nobody")


def test_what_names_an_id_that_nobody_knows_is_taken_back_too(memory: Memory) -> None:
    """A fact that a log of elsewhere superseded holds again, and undoing that names its successor anew."""
    said = say(memory, FactSuperseded("a", "of-elsewhere"))
    say(memory, FactReinstated("a", said=(said,)))
    assert not memory.state()["a"].fact.false
    record(memory, undoing(memory)[0], Author())
    assert memory.state()["a"].fact.superseded_by == ("of-elsewhere",)


_IDS = st.sampled_from(("a", "b", "c", "t"))
_TEXTS = st.sampled_from(("One.", "Two.", "Three."))
_EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(FactReferenced, _IDS),
    st.builds(FactUpdated, _IDS, _TEXTS),
    st.builds(FactSuperseded, _IDS, _IDS).filter(lambda event: event.id != event.new),
    st.builds(FactInvalidated, _IDS),
    st.builds(FactReinstated, _IDS),
    st.builds(FactArchived, _IDS),
    st.builds(FactReactivated, _IDS),
    st.builds(FactPromoted, _IDS),
    st.builds(FactDemoted, _IDS),
    st.builds(ThreadClosed, st.just("t")),
    st.builds(ThreadReopened, st.just("t")),
    st.builds(FactCreated, st.sampled_from(("n", "m")), _TEXTS),
)
_LOGS = st.lists(st.lists(_EVENTS, min_size=1, max_size=4), min_size=1, max_size=4)


@settings(max_examples=examples(40))
@given(logs=_LOGS, kind=st.sampled_from(("work", "edit")))
def test_undo_is_the_inverse_and_its_own(homes: Any, logs: list[list[Event]], kind: str) -> None:
    """Law: what holds after append and undo is what held before, and undo of the undo gives the append.

    Where an undo is refused, nothing was recorded.
    """
    memory: Memory = homes()
    say(memory, *BASE)
    for events in logs:
        before = shown(memory)
        try:
            say(memory, *events, type=kind)
        except DiurnaError:
            continue
        after, tip = shown(memory), memory.home.tip()
        try:
            undo(memory)
        except Irreversible:
            assert memory.home.tip() == tip
            continue
        assert shown(memory) == before
        undo(memory)
        assert shown(memory) == after
    cold = {one.fact.id: one.fact.text for one in memory.cold_state().view().live}
    assert cold == {id: said[0] for id, said in live(memory).items()}
    memory.close()


# ---- as it is typed ----------------------------------------------------------------------------------


def test_undo_as_it_is_typed(repo: Repo, run: Run) -> None:
    """A transcript: the plan, the undo, what it says, the redo, and its JSON."""
    run("note", "id=uv decision: We use uv.")
    first = run("append", "--update", "uv", "We use pip.", "--title", "Back to pip", "--json").json
    before = repo.shape()
    dry = run("undo", "--dry-run")
    assert dry.code == 0 and repo.shape() == before
    assert dry.said == (
        "would record: takes back STEM of claude-code, “Back to pip”\n"
        "would record: uv says again: We use uv.\n"
    )
    ran = run("undo")
    assert (ran.code, ran.said) == (
        0,
        "STEM  committed in COMMIT on main\ntakes back STEM of claude-code, “Back to pip”\n"
        "uv says again: We use uv.\n",
    )
    assert ran.err == (
        "hint: that log stays, with its words and uses; `diurna undo` again brings back what it did\n"
    )
    assert run("log", "-n", "1", "--json").json["sessions"][0]["title"] == "Undo: Back to pip"
    told = run("undo", "--json").json
    assert told["events"][0]["text"] == "We use pip." and told["undone"] != first["stem"]
    assert "We use pip." in run("show", "uv").out
    assert run("verify").code == 0


def test_a_log_that_waits_is_committed_and_taken_back(repo: Repo, run: Run) -> None:
    """What a writer left in the spool is one's last log as well."""
    run("note", "id=uv We use uv.")
    home = open_memory(repo.path).home
    waits = run("note", "id=pip We use pip for now.", "--dry-run", "--json").json
    Spool(home.spool_folder).put(waits["stem"], waits["log"].encode())
    assert run("undo", "--json").json["undone"] == waits["stem"]
    assert run("show", "pip", "--json").json["facts"][0]["invalidated"]


def test_a_refused_undo_says_why(repo: Repo, run: Run) -> None:
    """Exit 1, the log, the reason, a hint that changes nothing; and where there is nothing, that."""
    assert "no log of claude-code was committed by" in run("undo").err
    run("append", "--title", "Words", "--body", "-", stdin=b"Nothing but words.\n")
    before = repo.shape()
    ran = run("undo")
    assert ran.code == 1 and repo.shape() == before
    assert "of claude-code, “Words” is not taken back: it changed no fact" in ran.err
    assert "hint: `diurna log 2026-11-21-" in ran.err
    assert run("undo", "--json").json["error"]["code"] == "Irreversible"
