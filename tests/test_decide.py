"""Contradictions between real clones, and what resolves them: nothing wins that nobody chose.

Each case of the format: both changed a fact, created an id, superseded a fact differently, closed and
reworded a thread. Both sides are kept, shown first, listed with who said what, and settle by one log.
"""

from __future__ import annotations

import re
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
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.ids import version_id
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.document.render import render
from projection.policy.model import CONTRADICTIONS
from rituals.decide.confirmation import confirmation, due, reinstatement
from rituals.decide.contradictions import (
    BIRTH,
    CIRCLE,
    CLOSED,
    REWORDED,
    SUCCESSOR,
    TEXT,
    Dispute,
    disputes,
)
from rituals.decide.decision import Author, Decision, because, record
from rituals.decide.redaction import redaction
from rituals.decide.resolution import Verdict, resolution
from rituals.decide.versions import restoration, tellings
from tests.campaigns.homes import Clock, git, hermetic, make_home, open_memory
from tests.conftest import sampled
from tests.test_sync import Clone, Team

__all__ = ["hermetic"]

Side = tuple[Event, ...]
BASE = (
    FactCreated("limit", "Ten seconds."),
    FactCreated("find", "Find the limit.", " ", (("kind", "thread"),)),
    FactCreated("old", "The old way."),
    FactCreated("left", "The left way."),
    FactCreated("right", "The right way."),
)


def decide(clone: Clone, decision: Decision) -> None:
    """Record a decision in a clone."""
    assert record(clone.memory, decision, Author()) is not None


def resolve(clone: Clone, fact: str, choose: str = "", **more: object) -> None:
    decide(clone, resolution(clone.memory, fact, Verdict(choose, **more)))  # type: ignore[arg-type]


def meet(*clones: Clone) -> None:
    """Sync until everybody has everything, and check that they hold the same bytes."""
    for clone in (*clones, *clones):
        clone.sync()
    assert len({clone.tip() for clone in clones}) == 1
    assert len({clone.memory.continuity() for clone in clones}) == 1
    assert all(clone.memory.drift() == () for clone in clones)


def listed(clone: Clone) -> list[tuple[str, str, tuple[str, ...]]]:
    """What a clone says is contradicted: (fact, kind, sides)."""
    return [
        (one.fact, one.kind, tuple(choice.id for choice in one.choices))
        for one in disputes(clone.memory)
    ]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Clone, Clone]:
    """Two clones that hold the same facts."""
    team = Team(tmp_path, "own-repository")
    team.one.append("The base", *BASE)
    team.one.sync()
    return team.one, team.clone("two")


V = version_id
CASES: dict[str, tuple[str, Side, Side, str, str, set[str]]] = {
    "both changed one fact": (
        "limit",
        (FactUpdated("limit", "Twenty seconds."),),
        (FactUpdated("limit", "Thirty seconds."),),
        TEXT,
        V("Thirty seconds."),
        {V("Twenty seconds."), V("Thirty seconds.")},
    ),
    "both created one id": (
        "new",
        (FactCreated("new", "Left of it."),),
        (FactCreated("new", "Right of it."),),
        BIRTH,
        V("Left of it."),
        {V("Left of it."), V("Right of it.")},
    ),
    "both superseded one fact": (
        "old",
        (FactSuperseded("old", "left"),),
        (FactSuperseded("old", "right"),),
        SUCCESSOR,
        "right",
        {"left", "right"},
    ),
    "one closed a thread that the other reworded": (
        "find",
        (ThreadClosed("find"),),
        (FactUpdated("find", "Find both limits."),),
        CLOSED,
        V("Find both limits."),
        {V("Find the limit."), V("Find both limits.")},
    ),
    "one superseded what the other reworded, and the new text holds": (
        "old",
        (FactSuperseded("old", "left"),),
        (FactUpdated("old", "The old way, mended."),),
        REWORDED,
        V("The old way, mended."),
        {V("The old way, mended."), "left"},
    ),
    "one superseded what the other reworded, and it is false": (
        "old",
        (FactSuperseded("old", "left"),),
        (FactUpdated("old", "The old way, mended."),),
        REWORDED,
        "left",
        {V("The old way, mended."), "left"},
    ),
}


@pytest.mark.parametrize(
    ("case", "late"), sampled([(case, late) for case in CASES for late in (False, True)], 3)
)
def test_h3_both_sides_are_kept_shown_and_settled(
    pair: tuple[Clone, Clone], case: str, late: bool
) -> None:
    """Whoever wrote first: both clones show it first, list it alike, and one log settles both."""
    one, two = pair
    fact, first, second, kind, chosen, sides = CASES[case]
    one.append("One side", *(second if late else first))
    two.append("Other side", *(first if late else second))
    meet(one, two)
    for clone in pair:
        ((found, what, ids),) = listed(clone)
        assert (found, what, set(ids)) == (fact, kind, sides)
        (dispute,) = disputes(clone.memory, (fact,))
        assert {choice.agent for choice in dispute.choices} <= {"one", "two"}
        assert all(choice.stem[:10] == choice.date[:10] for choice in dispute.choices)
        text = clone.memory.continuity()
        assert text.index(f"## {CONTRADICTIONS}\n\n- `{fact}`") < text.index(
            "\n## ", text.index(fact)
        )
        assert text.index(CONTRADICTIONS) < text.index("## Facts")
    resolve(one, fact, chosen)
    meet(one, two)
    assert listed(one) == listed(two) == []
    assert CONTRADICTIONS not in two.memory.continuity()
    again = resolution(two.memory, fact, Verdict(chosen))
    assert (again.events, again.already) == ((), f"{fact} has no contradiction")


@pytest.mark.parametrize("case", sampled(CASES, 4))
def test_h3_a_plain_pull_shows_the_same(pair: tuple[Clone, Clone], case: str) -> None:
    """With git alone, no sync: what is contradicted shows right after the pull."""
    one, two = pair
    fact, first, second, kind, *_ = CASES[case]
    one.append("One side", *first)
    two.append("Other side", *second)
    one.git("push", "-q", "origin", "main")
    two.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert [(found, what) for found, what, _ in listed(two)] == [(fact, kind)]


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_the_same_choice_on_both_sides_settles(pair: tuple[Clone, Clone], case: str) -> None:
    """Two who resolve apart and choose alike have resolved it."""
    one, two = pair
    fact, first, second, _, chosen, _ = CASES[case]
    one.append("One side", *first)
    two.append("Other side", *second)
    meet(one, two)
    resolve(one, fact, chosen)
    resolve(two, fact, chosen)
    meet(one, two)
    assert listed(one) == []


@pytest.mark.parametrize(
    ("case", "swap"),
    sampled(
        [
            (case, swap)
            for case in CASES
            if CASES[case][3] not in (CLOSED, REWORDED)
            for swap in (False, True)
        ],
        3,
    ),
)
def test_different_choices_are_a_contradiction_again(
    pair: tuple[Clone, Clone], case: str, swap: bool
) -> None:
    """Two who choose differently, unseen by each other, are told; and that can be resolved, too."""
    one, two = pair
    fact, first, second, kind, _, sides = CASES[case]
    one.append("One side", *first)
    two.append("Other side", *second)
    meet(one, two)
    a, b = sorted(sides, reverse=swap)
    resolve(one, fact, a)
    resolve(two, fact, b)
    meet(one, two)
    ((found, what, ids),) = listed(one)
    assert set(ids) == sides
    assert what == (CIRCLE if kind == SUCCESSOR else kind)
    assert CONTRADICTIONS in one.memory.continuity()
    resolve(two, found, a)
    meet(one, two)
    assert listed(one) == []
    state = one.memory.state()
    if kind == SUCCESSOR:
        assert (state[a].fact.false, state[b].fact.superseded_by) == (False, (a,))
    else:
        assert [head.id for head in state[fact].fact.heads] == [a]


def test_a_side_that_came_after_the_plan_goes_on_standing(pair: tuple[Clone, Clone]) -> None:
    """Between reading and writing a sync brings a third text: only what was named is resolved."""
    one, two = pair
    one.append("One", FactUpdated("limit", "Twenty seconds."))
    two.append("Two", FactUpdated("limit", "Thirty seconds."))
    meet(one, two)
    planned = resolution(one.memory, "limit", Verdict(V("Thirty seconds.")))
    two.append("Three", FactUpdated("limit", "Forty seconds.", (V("Twenty seconds."),)))
    meet(one, two)
    decide(one, planned)
    heads = {head.text for head in one.memory.state()["limit"].fact.heads}
    assert heads == {"Thirty seconds.", "Forty seconds."}


def test_a_new_text_resolves_and_names_all_heads(pair: tuple[Clone, Clone]) -> None:
    """The event names every version that stood, so nothing of them stands any more."""
    one, two = pair
    one.append("One", FactUpdated("limit", "Twenty seconds."))
    two.append("Two", FactUpdated("limit", "Thirty seconds."))
    meet(one, two)
    decision = resolution(one.memory, "limit", Verdict(text="  Twenty-five seconds. "))
    (event,) = decision.events
    heads = {V("Twenty seconds."), V("Thirty seconds.")}
    assert isinstance(event, FactUpdated)
    assert (event.text, set(event.was or ())) == ("Twenty-five seconds.", heads)
    decide(one, decision)
    meet(one, two)
    assert two.memory.state()["limit"].fact.text == "Twenty-five seconds."


# ---- superseded or invalidated here, reworded there -------------------------------------------------

MENDED = "The old way, mended."


@pytest.fixture
def mended(pair: tuple[Clone, Clone]) -> tuple[Clone, Clone]:
    """One invalidated what the other reworded."""
    one, two = pair
    one.append("It is false", FactInvalidated("old"))
    two.append("It is mended", FactUpdated("old", MENDED))
    meet(one, two)
    return pair


def test_an_invalidated_fact_that_was_reworded_elsewhere_stands_until_somebody_decides(
    mended: tuple[Clone, Clone],
) -> None:
    """It is live and in the list of contradictions; the sides are its text and the log that denies it."""
    for clone in mended:
        standing = clone.memory.state()["old"]
        assert standing.live and standing.fact.text == MENDED
        ((stem, new),) = standing.fact.denied
        assert listed(clone) == [("old", REWORDED, (V(MENDED), stem))] and new == ""
        text = clone.memory.continuity()
        assert f"- invalidated in {stem}" in text and f"- {MENDED}\n" in text
        assert [one.code for one in clone.memory.state().findings()] == ["contradiction"]
        brief = clone.memory.brief()
        assert "old" in str(brief) and MENDED in str(brief)
    resolve(mended[0], "old", listed(mended[0])[0][2][1])
    meet(*mended)
    assert mended[1].memory.state()["old"].reason == "invalidated"
    assert listed(mended[1]) == []


def test_a_new_text_resolves_what_was_called_false_and_reworded(
    mended: tuple[Clone, Clone],
) -> None:
    resolve(mended[0], "old", text="The old way, mended twice.")
    meet(*mended)
    fact = mended[1].memory.state()["old"].fact
    assert (fact.text, fact.contradicted, fact.false) == (
        "The old way, mended twice.",
        False,
        False,
    )


def test_rewording_on_what_is_denied_decides_nothing(mended: tuple[Clone, Clone]) -> None:
    """Whoever updates a fact that stands in a contradiction has not said which side holds."""
    mended[0].append("Again", FactUpdated("old", "The old way, once more."))
    meet(*mended)
    assert [kind for _, kind, _ in listed(mended[1])] == [REWORDED]
    mended[1].append("No", FactSuperseded("old", "right"))
    meet(*mended)
    assert listed(mended[0]) == []
    assert mended[0].memory.state()["old"].fact.superseded_by == ("right",)


@pytest.mark.parametrize("said", (FactSuperseded("old", "left"), FactInvalidated("old")))
def test_who_saw_the_other_side_contradicts_nobody(pair: tuple[Clone, Clone], said: Event) -> None:
    """Reworded and then called false, or called false and then reworded: by one who saw that, all is said."""
    one, two = pair
    one.append("Mend", FactUpdated("old", MENDED))
    meet(one, two)
    two.append("False", said)
    meet(one, two)
    assert listed(one) == [] and one.memory.state()["old"].fact.false
    one.append("Reword what is false", FactUpdated("old", "The old way, as it was."))
    meet(one, two)
    assert listed(two) == []
    fact = two.memory.state()["old"].fact
    assert fact.false and fact.text == "The old way, as it was."


def test_a_bullet_taken_away_here_and_reworded_there(pair: tuple[Clone, Clone]) -> None:
    """A person deletes a bullet of the file that they read; the new text of the other clone stays."""
    one, two = pair
    two.append("Mend", FactUpdated("old", MENDED))
    path = one.folder / "continuity.md"
    block = re.search(r"- The old way\.\n  <!-- id: old [^\n]*\n\n", path.read_text())
    assert block is not None
    path.write_text(path.read_text().replace(block[0], ""))
    one.memory.absorb()
    meet(one, two)
    assert [kind for _, kind, _ in listed(one)] == [REWORDED]
    assert MENDED in one.memory.continuity()


@pytest.mark.parametrize(
    ("said", "text", "closed"),
    [
        (Verdict(closed=True), "Find both limits.", True),
        (Verdict(closed=False), "Find both limits.", False),
        (Verdict(V("Find the limit.")), "Find the limit.", True),
        (Verdict(V("Find the limit."), closed=False), "Find the limit.", False),
        (Verdict(V("Find both")), "", None),
        (Verdict(text="Find three."), "", None),
        (Verdict(text="Find three.", closed=True), "Find three.", True),
    ],
)
def test_h6_a_thread_that_was_closed_and_reworded(
    pair: tuple[Clone, Clone], said: Verdict, text: str, closed: bool | None
) -> None:
    """Both texts are shown under a ticked box; a side is a text and a state, and either can be said."""
    one, two = pair
    one.append("Close", ThreadClosed("find"))
    two.append("Reword", FactUpdated("find", "Find both limits."))
    meet(one, two)
    assert "- [x] **Contradiction**: 2 versions stand" in one.memory.continuity()
    if closed is None:
        with pytest.raises(WrongUsage):
            resolution(one.memory, "find", said)
        return
    decide(one, resolution(one.memory, "find", said))
    meet(one, two)
    fact = two.memory.state()["find"].fact
    assert (fact.text, fact.closed, listed(two)) == (text, closed, [])


def test_a_closed_thread_may_be_reworded_by_who_knows(pair: tuple[Clone, Clone]) -> None:
    """Saw it closed, changed its text: no contradiction, in the same log or later."""
    one, two = pair
    one.append("Close", ThreadClosed("find"))
    meet(one, two)
    two.append("Say it better", FactUpdated("find", "The limit was found."))
    meet(one, two)
    fact = one.memory.state()["find"].fact
    assert (fact.text, fact.closed, listed(one)) == ("The limit was found.", True, [])
    one.append("Again", ThreadReopened("find"))
    one.append("And", FactUpdated("find", "Find it again."), ThreadClosed("find"))
    assert one.memory.state()["find"].fact.text == "Find it again."
    assert listed(one) == []


def test_a_closing_that_names_no_version_says_nothing_of_texts(tmp_path: Path) -> None:
    """Logs of other tools and older ones: the last word counts, as it always did."""
    make_home(tmp_path / "r")
    memory = open_memory(tmp_path / "r")
    born = memory.append(SessionDraft("Base", "", BASE))
    path = tmp_path / "r" / "memory" / "sessions" / "2027-01-01-101500.md"
    path.write_text("# Closed\n\n## Memory References\n\n- Closed: find\n")
    later = path.with_name("2027-01-02-101500.md")
    later.write_text(
        f"# Reworded\n\n## Memory References\n\n- Updated: find (was {V('Find the limit.')})\n\n"
        "## Facts\n\n- Find both.\n  <!-- id: find -->\n"
    )
    git(tmp_path / "r", "add", "memory/sessions")
    git(tmp_path / "r", "commit", "-q", "-m", "by hand")
    fact = open_memory(tmp_path / "r").state()["find"].fact
    assert born.commit and (fact.text, fact.closed, fact.contradicted) == (
        "Find both.",
        True,
        False,
    )


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
