"""Ids that memory does not know: refused before anything is written, by one body for every way in."""

from __future__ import annotations

import pytest

from ledger.errors import DraftRefused, WaitsInSpool
from ledger.model.event import (
    Event,
    FactCreated,
    FactDemoted,
    FactInvalidated,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from memory.api import Memory
from memory.write.draft import SessionDraft
from tests.conftest import Repo

#: Each verb that changes a fact, of an id with a slip in it.
SLIPS: tuple[Event, ...] = (
    FactUpdated("api-timeots", "T."),
    FactSuperseded("api-timeots", "retry-queue"),
    FactSuperseded("retry-queue", "api-timeots"),
    FactInvalidated("api-timeots"),
    FactReactivated("api-timeots"),
    ThreadClosed("api-timeots"),
    ThreadReopened("api-timeots"),
    FactVerified("api-timeots"),
    FactPromoted("api-timeots"),
    FactDemoted("api-timeots"),
    FactRedacted("api-timeots"),
    FactReinstated("api-timeots"),
)


@pytest.fixture
def memory(repo: Repo) -> Memory:
    """An open home with two facts."""
    found = Memory.open(str(repo.path), agent="claude-code")
    born = FactCreated("api-timeouts", "All calls time out."), FactCreated("retry-queue", "Queued.")
    found.append(SessionDraft("First", events=born))
    return found


def say(memory: Memory, *events: Event, anyway: bool = False) -> list[str]:
    """Append a log and return the codes of what was noticed."""
    draft = SessionDraft("Next", events=events, anyway=anyway)
    return [one.code for one in memory.append(draft, again=True).findings]


@pytest.mark.parametrize("event", SLIPS, ids=lambda event: type(event).__name__)
def test_what_would_change_an_unknown_fact_is_refused(
    event: Event, memory: Memory, repo: Repo
) -> None:
    """Every verb that needs a known id is refused, with the id that was meant, and nothing is written."""
    before = repo.shape(), memory.waiting()
    for dry_run in (True, False):
        with pytest.raises(DraftRefused, match="there is no fact api-timeots") as caught:
            memory.append(SessionDraft("Next", events=(event,)), dry_run=dry_run)
        assert caught.value.hint.startswith("did you mean api-timeouts? ")
        assert caught.value.exit_code == 1
    assert (repo.shape(), memory.waiting()) == before


@pytest.mark.parametrize("event", SLIPS, ids=lambda event: type(event).__name__)
def test_what_is_meant_is_written_anyway(event: Event, memory: Memory) -> None:
    """With `anyway` the id is told and the log is written."""
    assert say(memory, event, anyway=True) == ["unknown-id"]


def test_a_reference_to_nothing_costs_no_log(memory: Memory, repo: Repo) -> None:
    """It is left out and told, so that nothing dangles; one that somebody typed is refused instead."""
    slip, draft = (
        FactReferenced("api-timeots"),
        SessionDraft("Next", events=(FactReferenced("re"),)),
    )
    found = memory.append(draft._replace(events=(slip, *draft.events)), again=True)
    assert [one.code for one in found.findings] == ["unknown-id"]
    assert found.findings[0].hint.startswith("did you mean api-timeouts? ")
    assert b"retry-queue" in found.data
    assert b"timeots" not in found.data
    before = repo.shape(), memory.waiting()
    with pytest.raises(DraftRefused, match="there is no fact api-timeots") as caught:
        memory.append(SessionDraft("Next", events=(slip,), typed=(slip.id,)))
    assert caught.value.hint.startswith("did you mean api-timeouts? ")
    assert (repo.shape(), memory.waiting()) == before
    assert say(memory, slip, anyway=True) == ["unknown-id"]
    assert "api-timeots" in memory.state().histories


def test_a_fact_that_the_log_brings_is_known(memory: Memory) -> None:
    """What a log creates it may use."""
    assert say(memory, FactCreated("new", "N."), FactSuperseded("retry-queue", "new")) == []
    assert say(memory, FactCreated("b", "B.", " ", (("kind", "thread"),)), ThreadClosed("b")) == []


def test_an_id_that_was_only_named_is_not_known(memory: Memory) -> None:
    """A reference without a text makes no fact, and is never proposed as one."""
    assert say(memory, FactReferenced("api-timeot"), anyway=True) == ["unknown-id"]
    with pytest.raises(DraftRefused) as caught:
        say(memory, FactInvalidated("api-timeot"))
    assert "api-timeot?" not in caught.value.hint
    assert "did you mean api-timeouts?" in caught.value.hint


def test_every_slip_is_named(memory: Memory) -> None:
    """All of them at once, so that one look is enough."""
    with pytest.raises(DraftRefused) as caught:
        say(memory, FactInvalidated("zzz"), FactUpdated("retry-qeue", "T."), FactReferenced("yyy"))
    assert [one.message for one in caught.value.findings] == [
        "there is no fact retry-qeue",
        "there is no fact zzz",
    ]
    assert caught.value.findings[1].hint.startswith("`diurna show --list` lists the ids; ")


def test_a_log_that_waits_is_known(memory: Memory, repo: Repo) -> None:
    """What the next command will commit can be changed already."""
    (repo.path / ".git" / "CHERRY_PICK_HEAD").write_text(repo.git("rev-parse", "HEAD"))
    with pytest.raises(WaitsInSpool):
        say(memory, FactCreated("waiting", "W."), FactSuperseded("retry-queue", "waiting"))
    assert len(memory.waiting()) == 1
    with pytest.raises(WaitsInSpool):
        say(memory, FactUpdated("waiting", "W, and more."), FactReferenced("waiting"))
    with pytest.raises(DraftRefused, match="there is no fact witing") as caught:
        say(memory, FactInvalidated("witing"))
    assert "waiting" in caught.value.hint
    started = memory.append(
        SessionDraft("Next", events=(FactInvalidated("wait"),)), dry_run=True, again=True
    )
    assert started.did == (("Invalidated", ("waiting",)),)
    with pytest.raises(DraftRefused, match="waiting → retry-queue → waiting"):
        say(memory, FactSuperseded("waiting", "retry-queue"))
    (repo.path / ".git" / "CHERRY_PICK_HEAD").unlink()
    assert say(memory, FactReferenced("waiting")) == []
    assert memory.standing("waiting").fact.text == "W, and more."


def test_a_circle_is_refused(memory: Memory) -> None:
    """A fact never replaces itself, over two steps or over four, in one log or in several, also anyway."""
    say(memory, FactCreated("a", "A."), FactCreated("b", "B."), FactSuperseded("a", "b"))
    say(memory, FactCreated("c", "C."), FactSuperseded("b", "c"))
    for anyway in (False, True):
        with pytest.raises(DraftRefused, match=r"a can not supersede c: .* c → a → b → c"):
            say(memory, FactSuperseded("c", "a"), anyway=anyway)
    with pytest.raises(DraftRefused, match="circle"):
        say(memory, FactSuperseded("c", "api-timeouts"), FactSuperseded("api-timeouts", "a"))
    with pytest.raises(DraftRefused, match="circle"):
        say(memory, FactCreated("x", "X."), FactCreated("y", "Y."), FactSuperseded("x", "y"),
            FactSuperseded("y", "x"))  # fmt: skip
    assert say(memory, FactSuperseded("c", "api-timeouts")) == []
    assert not [one for one in memory.state().findings() if one.code == "supersession-cycle"]


def test_what_was_taken_back_closes_no_circle(memory: Memory) -> None:
    """After a reinstatement, in an earlier log or the same one, the other way round is free."""
    say(memory, FactCreated("a", "A."), FactCreated("b", "B."), FactSuperseded("a", "b"))
    assert say(memory, FactReinstated("a"), FactSuperseded("b", "a")) == []
    assert memory.standing("b").fact.superseded_by == ("a",)
    assert not memory.standing("a").fact.false
    say(memory, FactReinstated("b"))
    assert say(memory, FactSuperseded("a", "b")) == []
    assert not [one for one in memory.state().findings() if one.code == "supersession-cycle"]
