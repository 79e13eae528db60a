"""Undo: what logs did is taken back by a log, step by step, and done again by another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.errors import DiurnaError, NotFound, WrongUsage
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
    facts_in,
)
from ledger.wal.spool import Spool
from memory.api import Memory
from memory.replay.as_of import logs_in, state_by
from memory.write.draft import SessionDraft
from projection.fold.full_replay import State
from projection.fold.reversal import Irreversible
from rituals.decide.decision import Author, record
from rituals.decide.log_undo import Asked, redoing, taking_back, undoing
from rituals.decide.undo_plan import Undoing
from tests.campaigns import forks
from tests.campaigns.homes import Clock, hermetic, make_home, open_memory
from tests.conftest import Repo, Run, examples
from tests.teams import SyncedTeam
from tests.terminals import Terminal

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
    return told(memory, undoing(memory))


def redo(memory: Memory) -> tuple[str, ...]:
    """Do again what the last undo took back."""
    return told(memory, redoing(memory))


def told(memory: Memory, found: Undoing) -> tuple[str, ...]:
    """Record an undo, and return what it says that it does."""
    assert record(memory, found.decision, Author()) is not None
    return found.decision.does[len(found.logs) :]


def live(memory: Memory) -> dict[str, tuple[str, bool]]:
    """Return what stands in continuity.md: the text of each fact, and whether it is closed."""
    return {one.fact.id: (one.fact.text, one.fact.closed) for one in memory.state().view().live}


def shown(memory: Memory) -> dict[str, tuple[object, ...]]:
    """Return all that an undo is to bring back, of every fact that is not false."""
    return held(memory.state())


def held(state: State) -> dict[str, tuple[object, ...]]:
    return {
        one.fact.id: (one.fact.text, one.fact.kind, one.fact.closed, one.fact.promoted, one.live)
        for one in state.standings()
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
    """After an undo all stands as before; after a redo as if there had been none; and so on."""
    before = shown(memory)
    say(memory, *events, type="edit")
    after = shown(memory)
    assert before != after
    assert undo(memory) == (does,)
    assert shown(memory) == before
    redo(memory)
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
    found = redoing(memory).decision
    assert found.title == "Redo: Said"
    assert "a is superseded by n again" in found.does
    redo(memory)
    assert memory.state()["a"].fact.superseded_by == ("n",)
    assert undoing(memory).decision.title == "Undo: Said"


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
        ((FactVerified("a"),), "it confirms a"),
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


def test_what_changed_no_fact_is_passed_over(memory: Memory) -> None:
    """Words and uses of a log stay, and the step goes to the log before; a first one alone is refused."""
    say(memory, FactUpdated("a", "A2."))
    say(memory, FactReferenced("a"))
    say(memory)
    assert undo(memory) == ("a says again: A.",)
    assert set(undo(memory)) == {f"{id}, which it brought, is false now" for id in "abct"}
    with pytest.raises(Irreversible, match="it changed no fact; words and uses of a log stay"):
        undoing(memory)


@pytest.mark.parametrize(
    "event",
    [FactUpdated("a", "A3."), FactVerified("a"), FactSuperseded("c", "n"), FactArchived("n")],
)
def test_what_somebody_built_on_is_refused(event: Event, memory: Memory) -> None:
    """A fact that another agent reworded, confirmed, put away or relied on since stays as it is, and is said."""
    memory.append(SessionDraft("Mine", "", (FactUpdated("a", "A2."), FactCreated("n", "New."))))
    other = memory.append(SessionDraft("Theirs", "", (event,), "codex"))
    of = "a" if event.id == "a" else "n"
    (left,) = undoing(memory).left
    assert left == (of, f"{of} was changed since, by {other.stem}")
    assert undo(memory)[-1] == f"left as it is: {left[1]}"
    assert memory.state()["a"].fact.text == (
        "A." if of == "n" else event.text if isinstance(event, FactUpdated) else "A2."
    )
    assert memory.state()["n"].fact.false == (of == "a")
    say(memory, FactCreated("whole", "W."))
    memory.append(SessionDraft("Theirs", "", (FactUpdated("whole", "X."),), "codex"))
    with pytest.raises(Irreversible, match="whole was changed since") as caught:
        undoing(memory)
    assert "diurna why" in caught.value.hint


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
    found = undoing(ada.memory, "codex")
    assert found.logs[0].stem == mine.stem and found.decision.events[0].id == "mine"
    with pytest.raises(NotFound, match="no log of nobody was committed by"):
        undoing(ada.memory, "nobody")


def test_what_names_an_id_that_nobody_knows_is_taken_back_too(memory: Memory) -> None:
    """A fact that a log of elsewhere superseded holds again, and undoing that names its successor anew."""
    said = say(memory, FactSuperseded("a", "of-elsewhere"))
    say(memory, FactReinstated("a", said=(said,)))
    assert not memory.state()["a"].fact.false
    record(memory, undoing(memory).decision, Author())
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


@settings(max_examples=examples(3, 12))
@given(logs=_LOGS, kind=st.sampled_from(("work", "edit")))
def test_undo_is_the_inverse_and_its_own(homes: Any, logs: list[list[Event]], kind: str) -> None:
    """Law: as many undos lead back through all that held, as many redos lead forth again.

    Where an undo is refused, nothing was recorded; what it left stands as it stood.
    """
    memory: Memory = homes()
    say(memory, *BASE)
    states = [shown(memory)]
    for events in logs:
        try:
            say(memory, *events, type=kind)
        except DiurnaError:
            continue
        if shown(memory) != states[-1]:  # what changed nothing is passed over
            states.append(shown(memory))
    steps: list[set[str]] = []
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        tip = memory.home.tip()
        try:
            found = undoing(memory)
        except Irreversible:
            assert memory.home.tip() == tip
            break
        told(memory, found)
        left = {id for id, _ in found.left}
        assert but(shown(memory), left) == but(before, left)
        assert {id: shown(memory).get(id) for id in left} == {id: after.get(id) for id in left}
        steps.append(left)
        if left:
            break
    for number, left in enumerate(reversed(steps)):
        redo(memory)
        after = states[len(states) - len(steps) + number]
        assert but(shown(memory), left) == but(after, left)
    with pytest.raises(NotFound, match=r"no undo of .* waits to be done again"):
        redoing(memory)
    cold = {one.fact.id: one.fact.text for one in memory.cold_state().view().live}
    assert cold == {id: said[0] for id, said in live(memory).items()}
    memory.close()


def but(facts: dict[str, tuple[object, ...]], ids: set[str]) -> dict[str, tuple[object, ...]]:
    """Return what holds of all facts but some."""
    return {id: said for id, said in facts.items() if id not in ids}


# ---- what a session wrote ------------------------------------------------------------------------------

BAD, GOOD, PERSON = ("codex", "bad", "work"), ("codex", "good", "work"), ("Ada", "", "edit")
_NAMES = st.sampled_from(("n", "x", "y", "a"))
_DERIVED: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        FactCreated, st.sampled_from(("x", "y")), st.sampled_from(("See [[n]].", "As [[x]].", "Y."))
    ),
    st.builds(FactSuperseded, _NAMES, _NAMES).filter(lambda event: event.id != event.new),
    st.builds(FactUpdated, _NAMES, _TEXTS),
    st.one_of([st.builds(kind, _NAMES) for kind in (FactVerified, FactPromoted, FactReferenced)]),
    st.one_of(
        [st.builds(kind, _NAMES) for kind in (FactInvalidated, FactReinstated, FactArchived)]
    ),
    st.builds(ThreadClosed, st.just("t")),
)
_SESSIONS = st.lists(
    st.tuples(st.sampled_from((BAD, GOOD, PERSON)), st.lists(_DERIVED, min_size=1, max_size=3)),
    min_size=1, max_size=6,
)  # fmt: skip


def by(memory: Memory, whose: tuple[str, str, str], *events: Event) -> str:
    agent, session, type = whose
    header = (("session", session),) if session else ()
    draft = SessionDraft("Said", "", events, agent, type, header, anyway=True)
    return memory.append(draft, again=True).stem


def without(
    memory: Memory, stems: set[str], took: tuple[str, ...]
) -> dict[str, tuple[object, ...]]:
    """Replay all logs but some, and nothing of what is said of some facts."""
    cache = memory.snapshot.cache()
    logs = logs_in(cache)
    kept = [
        entry._replace(acts=(), named=())
        if ref.stem in stems
        else entry._replace(
            acts=tuple([one for one in entry.acts if not {*facts_in(one)} & {*took}])
        )
        for ref, entry in logs
    ]
    return held(state_by(cache, [ref for ref, _ in logs], kept))


@settings(max_examples=examples(2, 10))
@example(said=[(GOOD, [FactArchived("a")]), (BAD, [FactReferenced("a")])])
@given(said=_SESSIONS)
def test_what_a_session_wrote_is_as_if_it_had_not(homes: Any, said: Any) -> None:
    """Law: what holds then is the replay without its logs and what was derived, but for what is left.

    What is left stands as it stood, and for a reason; a redo brings back what held.
    """
    memory: Memory = homes()
    say(memory, *BASE)
    stems = {by(memory, BAD, FactCreated("n", "New."))}
    for whose, events in said:
        try:
            stem = by(memory, whose, *events)
        except DiurnaError:
            continue
        stems |= {stem} if whose is BAD else set()
    before = shown(memory)
    try:
        found = taking_back(memory, Asked(session="bad"))
    except Irreversible:
        memory.close()
        return
    assert {one.stem for one in found.logs} == stems
    aim = without(memory, stems, found.took)
    told(memory, found)
    after, left = shown(memory), {id for id, _ in found.left}
    assert but(after, left) == but(aim, left)
    assert {id: after.get(id) for id in left} == {id: before.get(id) for id in left}
    assert not [one for one in found.took if one in after and one not in left]
    for id, why in found.left:
        assert _touched(memory, id, stems) or re.search(
            "confirms|settles|would not|several|left", why
        )
    again = redoing(memory)
    told(memory, again)
    left |= {id for id, _ in again.left}
    assert but(shown(memory), left) == but(before, left)
    memory.close()


def _touched(memory: Memory, fact: str, stems: set[str]) -> bool:
    """Tell whether a log of somebody else speaks of a fact behind the first of some logs."""
    logs = [(ref.stem, entry) for ref, entry in logs_in(memory.snapshot.cache())]
    return any(
        stem > min(stems) and stem not in stems and fact in facts_in(event)
        for stem, entry in logs
        for event in entry.acts
    )


def test_what_was_derived_goes_with_it(memory: Memory) -> None:
    """What links to it, supersedes it, serves it, asks about it; what a person decided is left, and said."""
    bad = by(memory, BAD, FactCreated("n", "Deploy on Fridays."), FactSuperseded("a", "n"))
    by(memory, GOOD, FactUpdated("n", "Deploy on Fridays at noon."), FactPromoted("n"))
    by(memory, GOOD, FactCreated("link", "As [[n]] says."), FactCreated("deep", "As [[link]] says."),
       FactCreated("served", "S.", "", (("serves", "n"),)), FactCreated("next", "On Mondays."),
       FactSuperseded("n", "next"), FactCreated("against", "No.", "", (("conflicts", "n"),)))  # fmt: skip
    by(memory, ("Ada", "", "review"), FactCreated("asked", "So?", " ", (("kind", "thread"), ("about", "n"))),
       FactCreated("learned", "L.", "", (("source", f"codex {bad}:7"),)))  # fmt: skip
    by(memory, PERSON, FactCreated("own", "I looked at [[n]]."))
    found = taking_back(memory, Asked(stems=(bad,)))
    assert set(found.took) == {"n", "link", "deep", "served", "next", "asked"}
    assert {id for id, _ in found.left} == {"own", "learned"}
    told(memory, found)
    now = shown(memory)
    assert {"a", "b", "against", "own", "learned"} <= now.keys() and not now.keys() & set(
        found.took
    )
    assert taking_back(memory, Asked(stems=(bad,))).decision.already.startswith("taken back before")
    redo(memory)
    assert shown(memory).keys() >= {"link", "deep", "served", "next"}


def test_logs_are_chosen_by_session_agent_and_time(memory: Memory) -> None:
    """By the start of a stem, a session, an agent since a time; an undo is none of them."""
    one, two = by(memory, BAD, FactCreated("n", "N.")), by(memory, GOOD, FactCreated("m", "M."))
    for asked, stems in (
        (Asked((one[:22],)), {one}), (Asked((one, two)), {one, two}), (Asked(session="good"), {two}),
        (Asked(agent="codex", since=one), {one, two}), (Asked(agent="codex", since=two), {two}),
        (Asked(session="bad", agent="codex"), {one}),
    ):  # fmt: skip
        assert {line.stem for line in taking_back(memory, asked).logs} == stems
    for asked in (
        Asked(session="none"),
        Asked(session="bad", agent="Ada"),
        Asked(agent="x", since=one),
    ):
        with pytest.raises(NotFound):
            taking_back(memory, asked)
    decision = taking_back(memory, Asked(session="bad")).decision
    receipt = record(memory, decision, Author())
    assert receipt is not None
    with pytest.raises(WrongUsage, match="is an undo"):
        taking_back(memory, Asked((receipt.stem,)))


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
        "hint: the log stays, with its words and uses; `diurna undo --redo` does it again\n"
    )
    (log, *_) = run("log", "--json").json["sessions"]
    assert log["title"] == "Undo: Back to pip"
    for command in (("undo", "--redo"), ("undo",), ("undo", "--redo")):
        told = run(*command, "--json").json
        assert told["logs"][0]["stem"] == first["stem"]
    assert told["events"][0]["text"] == "We use pip." and told["undone"] != first["stem"]
    assert "We use pip." in run("show", "uv").out
    assert run("check", "--ci").code == 0


def test_a_log_that_waits_is_committed_and_taken_back(repo: Repo, run: Run) -> None:
    """What a writer left in the spool is one's last log as well."""
    run("note", "id=uv We use uv.")
    home = open_memory(repo.path).home
    waits = run("note", "id=pip We use pip for now.", "--dry-run", "--json").json
    Spool(home.spool_folder).put(waits["stem"], waits["log"].encode())
    assert run("undo", "--json").json["undone"] == waits["stem"]
    assert run("show", "pip", "--json").json["facts"][0]["invalidated"]


def test_an_import_is_taken_back_and_done_again(repo: Repo, run: Run) -> None:
    """What came by lines of JSON, unlike a ledger that was taken over whole."""
    lines = b'{"text": "Never use floats for money."}\n{"text": "Always run ruff."}\n'
    assert run("import", "jsonl", "-", "--write", stdin=lines).code == 0
    for word, false in (("undo", True), ("undo --redo", False)):
        assert run(*word.split()).code == 0
        facts = run("show", "--list", "-a", "--json").json["facts"]
        assert [one["tier"] == "superseded" for one in facts] == [false, false]


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


@pytest.mark.deep(reason="a_whole_log_is_taken_back_at_once is the small one")
def test_a_bad_session_is_taken_back_as_one_plan(repo: Repo, run: Run) -> None:
    """The plan is shown; off a terminal nothing is done without `--yes`, on one it is asked for."""
    run("note", "id=days decision: We deploy on Mondays.")
    run("append", "--agent", "codex", "--session", "bad", "--title", "Deploys",
        "--new", "id=friday decision: We deploy on Fridays.", "--supersede", "days=friday")  # fmt: skip
    run("note", "--agent", "gemini-cli", "id=page The page on call says [[friday]].")
    before = repo.shape()
    dry = run("undo", "--session", "bad", "--dry-run")
    assert dry.code == 0 and dry.said == (
        "would record: takes back STEM of codex, “Deploys”\n"
        "would record: friday, which it brought, is false now\n"
        "would record: days holds again\n"
        "would record: page, which came of it, is false now\n"
    )
    refused = run("undo", "--session", "bad")
    assert refused.code == 2 and "--dry-run shows the plan; --yes does it" in refused.err
    assert run("undo", "--redo", "--session", "bad").code == 2 and repo.shape() == before
    environment = {**os.environ, "TERM": "dumb"}
    command = [forks.program(), "undo", "--session", "bad"]
    for typed in ("n", "y"):
        terminal = Terminal(command, repo.path, environment)
        shown = terminal.answer("take this back?", typed)
        assert "page, which came of it, is false now" in shown
        assert terminal.finish() == 0 and ("committed in" in terminal.shown) == (typed == "y")
    assert holding(run) == {"days"}
    assert "nothing to do: taken back before" in run("undo", "--session", "bad", "--yes").out
    again = run("undo", "--redo", "--json").json
    assert (
        again["took"] == ["page"] and again["left"] == [] and again["logs"][0]["agent"] == "codex"
    )
    assert holding(run) == {"friday", "page"} and run("check", "--ci").code == 0


def holding(run: Run) -> set[str]:
    facts = run("show", "--json").json["facts"]
    return {one["id"] for one in facts if not (one["invalidated"] or one["superseded_by"])}
