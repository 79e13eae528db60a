"""Choosing among versions, circles, reinstating, restoring, confirming and redacting: what a person decides on one machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
)
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.document.page_renderer import render
from rituals.decide.confirmation import confirmation, due, reinstatement
from rituals.decide.decision import Author, record
from rituals.decide.fact_corrections import restoration, tellings
from rituals.decide.open_contradictions import CIRCLE, REWORDED, Dispute, disputes
from rituals.decide.redaction import redaction
from rituals.decide.resolution import Verdict, resolution
from rituals.record.request import because
from tests.campaigns.homes import Clock, git, hermetic, make_home, open_memory
from tests.teams import Clone
from tests.test_decide import BASE, V, decide, meet, pair

__all__ = ["hermetic", "pair"]


# ---- choosing ----------------------------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A home with the facts of `BASE`."""
    make_home(tmp_path / "r", "own-repository")
    memory = open_memory(tmp_path / "r", clock=Clock())
    memory.append(SessionDraft("Base", "", BASE))
    return memory


def say(memory: Memory, *events: Event, type: str = "work") -> str:
    return memory.append(SessionDraft("Said", "", events, type=type), again=True).stem


@pytest.fixture
def torn(memory: Memory) -> Memory:
    """Three versions of one fact stand."""
    was = (V("Ten seconds."),)
    for text in ("Twenty.", "Thirty.", "Forty."):
        say(memory, FactUpdated("limit", text, was))
    return memory


@pytest.mark.parametrize("how", ["id", "start", "number"])
def test_a_side_is_named_by_id_start_or_number(torn: Memory, how: str) -> None:
    """Each means the same version, and the event says its text."""
    said = {"id": V("Thirty."), "start": V("Thirty.")[:5], "number": "2"}[how]
    (event,) = resolution(torn, "limit", Verdict(said)).events
    assert isinstance(event, FactUpdated) and event.text == "Thirty."


@pytest.mark.parametrize(
    "said", [Verdict(), Verdict("4"), Verdict("0"), Verdict("zz"), Verdict("2", "x"),
             Verdict(closed=True), Verdict("2", closed=False)]
)  # fmt: skip
def test_what_tells_no_side_changes_nothing(torn: Memory, said: Verdict) -> None:
    """Nothing, a number or start that is none, two things at once, a state that is not in question."""
    with pytest.raises(WrongUsage):
        resolution(torn, "limit", said)
    assert len(torn.state()["limit"].fact.heads) == 3


def test_without_a_contradiction_only_what_holds_can_be_chosen(torn: Memory) -> None:
    """The same again is settled; anything else is no resolution, and the hint says what to do instead."""
    record(torn, resolution(torn, "limit", Verdict("2")), Author())
    for same in (Verdict(), Verdict(V("Thirty.")), Verdict(text="Thirty."), Verdict(closed=False)):
        assert resolution(torn, "limit", same).events == ()
    for other in (Verdict(V("Forty.")), Verdict(text="Fifty."), Verdict(closed=True)):
        with pytest.raises(DiurnaError, match="no contradiction about limit any more"):
            resolution(torn, "limit", other)
    with pytest.raises(NotFound):
        resolution(torn, "nothing", Verdict("2"))


def test_three_successors_leave_one(memory: Memory) -> None:
    """All others are superseded by the one that was chosen; a text is no answer."""
    say(memory, FactCreated("third", "A third way."))
    say(memory, *[FactSuperseded("old", new) for new in ("left", "right", "third")])
    with pytest.raises(WrongUsage):
        resolution(memory, "old", Verdict(text="Something."))
    decision = resolution(memory, "old", Verdict("right"))
    assert decision.events == (FactSuperseded("left", "right"), FactSuperseded("third", "right"))
    record(memory, decision, Author())
    assert disputes(memory) == ()
    assert resolution(memory, "old", Verdict("right")).events == ()


# ---- circles and reinstatement -----------------------------------------------------------------------


@pytest.mark.parametrize("holds", ["a", "b", "c"])
def test_h4_a_circle_is_resolved_by_what_holds(memory: Memory, holds: str) -> None:
    """Whichever of the circle is chosen stands, and no supersession is left out any more."""
    for fact in "abc":
        say(memory, FactCreated(fact, f"The text of {fact}."))
    for old, new in ("ab", "bc"):
        say(memory, FactSuperseded(old, new))
    path = Path(memory.home.repository.top, "sessions", "2027-01-01-101500.md")
    path.write_text("# Elsewhere\n\n## Memory References\n\n- Superseded: c → a\n")
    git(path.parent, "add", path.name)
    git(path.parent, "commit", "-q", "-m", "by hand")
    (found,) = disputes(memory)
    assert (found.fact, found.kind, [one.id for one in found.choices]) == (
        "c",
        CIRCLE,
        ["c", "a", "b"],
    )
    record(memory, resolution(memory, "c", Verdict(holds)), Author())
    state = memory.state()
    assert [fact for fact in "abc" if not state[fact].fact.false] == [holds]
    assert disputes(memory) == ()
    assert not [one for one in state.findings() if one.code == "supersession-cycle"]


@pytest.mark.parametrize("event", [FactSuperseded("old", "right"), FactInvalidated("old")])
def test_a_fact_that_was_called_false_holds_again(memory: Memory, event: Event) -> None:
    """By a person's act, with its reason; before and after are both still there, warm and cold."""
    said = say(memory, event)
    assert memory.state()["old"].tier == "superseded"
    decision = reinstatement(memory, "old", "It was a test (only), so → no.\n\nReally.")
    assert [one.said for one in decision.events if isinstance(one, FactReinstated)] == [(said,)]
    receipt = record(memory, decision, Author("Grace", "No, it holds"))
    assert receipt is not None
    fact = memory.state()["old"].fact
    assert (fact.false, fact.superseded_by, fact.invalidated_at) == (False, (), "")
    assert memory.state()["right"].fact.supersedes == ()
    assert memory.state(said)["old"].fact.false
    assert not memory.state(receipt.stem)["old"].fact.false
    assert memory.cold_state().standings() == memory.state().standings()
    step = memory.why("old").steps[-1]
    assert (step.event, step.agent, step.title) == ("Reinstated", "Grace", "No, it holds")
    assert reinstatement(memory, "old", "Again.").events == ()
    assert memory.log()[0].type == "edit"
    say(memory, event)
    assert memory.state()["old"].fact.false, "what is said later counts"


@pytest.mark.deep(reason="test_second_fold has it without a home")
def test_what_was_not_seen_is_not_taken_back(pair: tuple[Clone, Clone]) -> None:
    """One reinstates while the other supersedes for another reason: that one stands, on both sides."""
    one, two = pair
    one.append("False", FactInvalidated("old"))
    meet(one, two)
    decide(one, reinstatement(one.memory, "old", "It holds."))
    two.append("Other", FactSuperseded("old", "left"))
    one.append("More", FactReferenced("limit"))
    meet(one, two)
    assert one.memory.state()["old"].fact.superseded_by == ("left",)
    assert one.memory.state()["old"].fact.invalidated_at == ""


def test_a_reason_that_can_not_stand_beside_an_event_stands_in_the_prose() -> None:
    """Whatever the reason is, the event stays storable."""
    for reason in ("plain", "a, b (c) — d", "x → y", "(none)", "`q`", "\u2028", "<!-- c -->"):
        event = because(FactReinstated("a", said=("2026-05-01",)), reason)
        assert isinstance(event, FactReinstated) and event.said == ("2026-05-01",)


def test_a_chain_is_told_both_ways(memory: Memory) -> None:
    """From any fact of it: where it came from and what became of it, however many steps away."""
    for old, new in (("old", "left"), ("left", "right"), ("right", "limit")):
        say(memory, FactSuperseded(old, new))
    pairs = [("old", "left"), ("left", "right"), ("right", "limit")]
    for fact in ("old", "left", "right", "limit"):
        chain = memory.why(fact).chain
        assert [(link.old, link.new) for link in chain] == pairs
        assert all(link.counts for link in chain)
    assert memory.why("find").chain == ()
    record(memory, reinstatement(memory, "left", "It holds."), Author())
    assert [link.counts for link in memory.why("old").chain] == [True, False, True]


# ---- versions ----------------------------------------------------------------------------------------


def test_history_tells_each_version_and_restore_says_one_again(memory: Memory) -> None:
    """Nothing is rewritten: the old text comes back by a new log, and can go again the same way."""
    for text in ("Twenty.", "Thirty."):
        say(memory, FactUpdated("limit", text))
    first, second, third = tellings(memory, "limit")
    assert [one.stands for one in (first, second, third)] == [False, False, True]
    assert (first.step.title, third.step.was) == ("Base", (V("Twenty."),))
    logs = memory.state().summary.logs
    decision = restoration(memory, "limit", V("Ten seconds.")[:4])
    assert decision.events == (FactUpdated("limit", "Ten seconds.", (V("Thirty."),)),)
    record(memory, decision, Author())
    assert memory.state()["limit"].fact.text == "Ten seconds."
    assert memory.state().summary.logs == logs + 1
    assert [one.stands for one in tellings(memory, "limit")] == [True, False, False, True]
    assert restoration(memory, "limit", V("Ten seconds.")).already
    record(memory, restoration(memory, "limit", V("Thirty.")), Author())
    record(memory, restoration(memory, "limit", V("Ten seconds.")), Author())
    assert memory.state()["limit"].fact.text == "Ten seconds."


def test_restoring_is_refused_where_it_would_say_nothing_true(memory: Memory) -> None:
    """A version that is none, a false fact, a redacted one."""
    with pytest.raises(NotFound):
        restoration(memory, "limit", "zzz")
    say(memory, FactInvalidated("old"))
    with pytest.raises(DiurnaError, match="invalidated"):
        restoration(memory, "old", V("The old way."))
    record(memory, redaction(memory, ("limit",), "Secret.").decision, Author())
    with pytest.raises(DiurnaError, match="redacted"):
        restoration(memory, "limit", V("Ten seconds."))


# ---- confirming --------------------------------------------------------------------------------------


def test_what_is_due_is_confirmed_once(tmp_path: Path) -> None:
    """After so many work logs an invariant is due; a confirmation starts the count anew."""
    make_home(tmp_path / "r", "own-repository")
    memory = open_memory(tmp_path / "r", clock=Clock())
    policy = (tmp_path / "r" / "diurna.toml").read_text()
    every = "verify_invariants_every = "
    assert f"{every}40" in policy
    shorter = policy.replace(f"{every}40", f"{every}3").encode()
    memory.commit_files([("diurna.toml", shorter)], "diurna: sooner")
    say(memory, FactCreated("never", "Never do it.", "", (("kind", "invariant"),)), *BASE)
    for _ in range(2):
        say(memory, FactReferenced("limit"))
        assert due(memory.state()) == ()
    say(memory, FactReferenced("limit"))
    assert due(memory.state()) == ("never",)
    decision = confirmation(memory, ("never", "limit"))
    assert decision.events == (FactVerified("never"), FactVerified("limit"))
    record(memory, decision, Author())
    assert due(memory.state()) == ()
    assert confirmation(memory, ("never", "limit")).events == ()
    say(memory, FactReferenced("limit"))
    assert confirmation(memory, ("never",)).events == (FactVerified("never"),)
    say(memory, FactInvalidated("old"))
    with pytest.raises(DiurnaError, match="old is false"):
        confirmation(memory, ("never", "old"))


# ---- redacting ---------------------------------------------------------------------------------------


SECRET = "hunter2"


def everything(memory: Memory) -> Iterable[str]:
    """All that any reader shows."""
    yield render(memory.state().view())
    yield repr(memory.log())
    yield repr(memory.state().findings())
    yield repr(disputes(memory))
    for fact in memory.state():
        yield repr(memory.why(fact))
        yield repr(tellings(memory, fact))
        yield memory.state()[fact].fact.text


def test_e7_a_redacted_log_is_withheld_everywhere(memory: Memory) -> None:
    """Its title, its remarks and the texts that it brought; what others said of the facts is not."""
    stem = memory.append(
        SessionDraft(
            f"Log in with {SECRET}",
            f"It is {SECRET}.",
            (
                FactCreated("login", f"The password is {SECRET}."),
                FactReferenced("limit", f"with {SECRET}"),
            ),
        )
    ).stem
    assert any(SECRET in text for text in everything(memory))
    found = redaction(memory, (stem,), "It quotes a password.")
    assert [event.id for event in found.decision.events] == [stem, "login"]
    (holder,) = found.holders
    assert (stem in holder.path, len(holder.commit) >= 7, holder.remotes) == (True, True, ())
    record(memory, found.decision, Author())
    assert not [text for text in everything(memory) if SECRET in text]
    assert [line.title for line in memory.log() if line.stem == stem] == ["(redacted)"]
    assert memory.state()["limit"].fact.text == "Ten seconds."
    assert memory.state().findings() == ()
    again = redaction(memory, (stem,), "Again.")
    assert (again.decision.events, again.holders) == ((), found.holders)


def test_only_the_words_of_a_log_can_be_withheld(memory: Memory) -> None:
    """Its facts go on being shown then."""
    stem = memory.append(SessionDraft(f"About {SECRET}", "", (FactCreated("x", "Fine."),))).stem
    found = redaction(memory, (stem,), "Its title.", words_only=True)
    assert [event.id for event in found.decision.events] == [stem]
    record(memory, found.decision, Author())
    assert memory.state()["x"].fact.text == "Fine."
    assert not [text for text in everything(memory) if SECRET in text]


def test_a_redaction_says_which_remotes_have_it(pair: tuple[Clone, Clone]) -> None:
    """What was pushed is out: the plan names the branch that has it."""
    one, _ = pair
    one.create("login", f"It is {SECRET}.")
    (here,) = redaction(one.memory, ("login",), "Secret.").holders
    assert here.remotes == ()
    one.sync()
    (there,) = redaction(one.memory, ("login",), "Secret.").holders
    assert there.remotes == ("origin/main",)


def test_what_is_not_there_can_not_be_redacted(memory: Memory) -> None:
    """Neither a fact nor a log, and nothing changes."""
    before = memory.home.tip()
    for name in ("nothing", "2026-11-21-083012417-9c1f0a77d2e4"):
        with pytest.raises(NotFound):
            redaction(memory, (name,), "Secret.")
    assert memory.home.tip() == before


def test_a_contradiction_of_a_redacted_fact_shows_no_text(torn: Memory) -> None:
    """A side is chosen by its id; the text stays withheld, and no log says it again."""
    record(torn, redaction(torn, ("limit",), "Secret.").decision, Author())
    (found,) = disputes(torn)
    assert isinstance(found, Dispute)
    assert {choice.text for choice in found.choices} == {"(redacted)"}
    decision = resolution(torn, "limit", Verdict(V("Thirty.")))
    assert "Thirty" not in " ".join(decision.does)
    receipt = record(torn, decision, Author())
    assert receipt is not None and b"Thirty" not in receipt.data
    assert [head.id for head in torn.state()["limit"].fact.heads] == [V("(redacted)")]
    assert torn.state()["limit"].fact.text == "(redacted)"


def test_a_redacted_fact_that_was_called_false_gets_no_new_text(memory: Memory) -> None:
    """It may hold again, and says no more than before: what would be a text of it is refused."""
    seen = (V("The old way."),)
    say(memory, FactUpdated("old", "The old way, mended.", seen))
    say(memory, FactInvalidated("old", was=seen))
    assert [one.kind for one in disputes(memory)] == [REWORDED]
    record(memory, redaction(memory, ("old",), "Secret.").decision, Author())
    with pytest.raises(DiurnaError, match="old is redacted"):
        resolution(memory, "old", Verdict(text="The old way, told again."))
    record(memory, resolution(memory, "old", Verdict("1")), Author())
    fact = memory.state()["old"].fact
    assert (fact.false, fact.text, fact.redacted) == (False, "(redacted)", True)
