"""Contradictions between real clones, and what resolves them: nothing wins that nobody chose.

Each case of the format: both changed a fact, created an id, superseded a fact differently, closed and
reworded a thread. Both sides are kept, shown first, listed with who said what, and settle by one log.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.errors import WrongUsage
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.ids import version_id
from memory.write.draft import SessionDraft
from projection.policy.model import CONTRADICTIONS
from rituals.decide.decision import Author, Decision, record
from rituals.decide.open_contradictions import (
    BIRTH,
    CIRCLE,
    CLOSED,
    REWORDED,
    SUCCESSOR,
    TEXT,
    disputes,
)
from rituals.decide.resolution import Verdict, resolution
from tests.campaigns.homes import git, hermetic, make_home, open_memory
from tests.conftest import diagonal, sampled
from tests.teams import Clone, SyncedTeam

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
    team = SyncedTeam(tmp_path, "own-repository")
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


@pytest.mark.deep(reason="h3_a_plain_pull_shows_the_same is the small one")
@pytest.mark.parametrize(("case", "late"), diagonal(CASES, (False, True)))
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


@pytest.mark.deep(reason="test_merges and test_laws have it without clones")
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


@pytest.mark.deep(reason="test_merges and test_laws have it without clones")
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


@pytest.mark.deep(reason="test_decide_versions has it without clones")
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


@pytest.mark.deep(reason="test_decide_versions has it without clones")
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


MENDED = "The old way, mended."


@pytest.fixture
def mended(pair: tuple[Clone, Clone]) -> tuple[Clone, Clone]:
    """One invalidated what the other reworded."""
    one, two = pair
    one.append("It is false", FactInvalidated("old"))
    two.append("It is mended", FactUpdated("old", MENDED))
    meet(one, two)
    return pair


@pytest.mark.deep(reason="test_second_fold has it without clones")
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


@pytest.mark.deep(reason="test_second_fold has it without clones")
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


@pytest.mark.deep(reason="test_second_fold has it without clones")
def test_rewording_on_what_is_denied_decides_nothing(mended: tuple[Clone, Clone]) -> None:
    """Whoever updates a fact that stands in a contradiction has not said which side holds."""
    mended[0].append("Again", FactUpdated("old", "The old way, once more."))
    meet(*mended)
    assert [kind for _, kind, _ in listed(mended[1])] == [REWORDED]
    mended[1].append("No", FactSuperseded("old", "right"))
    meet(*mended)
    assert listed(mended[0]) == []
    assert mended[0].memory.state()["old"].fact.superseded_by == ("right",)


@pytest.mark.deep(reason="test_second_fold has it without clones")
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


@pytest.mark.deep(but=("said4--None", "said5--None"))
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


@pytest.mark.deep(reason="h6 keeps two cases in the gate")
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
