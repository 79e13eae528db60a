"""Tasks and handoffs as pure functions: what waits for what, who has it, what comes next."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.model.task_states import BLOCKED, CANCELLED, DONE, HANDOFF_READY, IN_PROGRESS, TODO
from projection.fold.fact_history import Fact, Move, Version
from projection.fold.projection_state import Standing
from projection.work.handoffs import handed_elsewhere, handed_to
from projection.work.tracked_tasks import Task, circles, pick, tasks
from tests.conftest import each_row, examples

STEM = "2026-11-2{}-083012417-aaaa"


def fact(
    id: str, kind: str = "task", born: int = 1, moves: tuple[Move, ...] = (), **more: object
) -> Standing:
    """Make a fact; what is no field of it is a footer."""
    fields = {key: more.pop(key) for key in [*more] if key in Fact._fields}
    more["from"] = more.pop("giver", "")
    meta = (("kind", kind), *[(key, str(value)) for key, value in more.items()])
    stem = STEM.format(born)
    return Standing(
        Fact(
            id, kind, (Version("v", id, stem),), meta, "2026-11-21", stem, "2026-11-21", 1, stem,
            stem, moves=moves, **fields,  # type: ignore[arg-type]
        ),
        "active",
    )  # fmt: skip


def moved(state: str, agent: str = "", day: int = 5) -> tuple[Move, ...]:
    """Make the one move of a task that stands."""
    return (Move(state, STEM.format(day), agent, ""),)


def over(id: str, **more: object) -> Standing:
    """Make a task that is done."""
    return fact(id, moves=moved(DONE), closed=True, **more)  # type: ignore[arg-type]


def by_id(*facts: Standing) -> dict[str, Task]:
    """Return the tasks among facts by their ids."""
    return {task.id: task for task in tasks(facts)}


def test_order_is_priority_then_age_then_id() -> None:
    """What is urgent comes first, of that what is oldest; a priority that is none is the middle one."""
    found = tasks(
        [
            fact("low", priority="low", born=0), fact("b", born=1), fact("a", born=1),
            fact("young", priority="HIGH", born=3), fact("old", priority="high", born=2),
            fact("odd", priority="urgent", born=0), fact("no-task", "thread"),
        ]
    )  # fmt: skip
    assert [task.id for task in found] == ["old", "young", "odd", "a", "b", "low"]
    assert found[2].priority == "medium"


def test_what_a_task_waits_for_is_told_with_the_reason() -> None:
    """Nothing but what is done lets a task go; what can not be closed is nothing to wait for."""
    names = "done open cancelled unknown thread settled decision untrue old"
    found = by_id(
        fact("t", depends=names.replace(" ", ", ")),
        over("done"), fact("open", moves=moved(BLOCKED)),
        fact("cancelled", moves=moved(CANCELLED), closed=True), fact("thread", "thread"),
        fact("settled", "thread", closed=True), fact("decision", "decision"),
        fact("untrue", "decision", invalidated_at="x"), fact("old", superseded_by=("new",)),
        fact("new"),
    )["t"]  # fmt: skip
    assert dict(found.waits) == {
        "open": "blocked", "cancelled": "cancelled", "unknown": "unknown", "thread": "open",
        "untrue": "invalidated", "old": "superseded",
    }  # fmt: skip
    assert found.waits_for == ("open", "cancelled", "unknown", "thread", "untrue", "old")


def test_what_was_superseded_is_over_when_its_successors_are() -> None:
    """A dependency that was replaced stands for what replaced it, in a row and by several."""
    row = [fact("a", superseded_by=("b", "c")), fact("b", superseded_by=("d",)), over("c")]
    assert by_id(fact("t", depends="a"), *row, fact("d"))["t"].waits_for == ("a",)
    assert by_id(fact("t", depends="a"), *row, over("d"))["t"].waits_for == ()
    assert by_id(fact("t", depends="a"), *row)["t"].waits_for == ("a",)


def test_circles_are_named_and_never_picked() -> None:
    """Each task of a circle says so; one that only leads into it waits; a done task breaks it."""
    ring = [fact("a", depends="b"), fact("b", depends="c"), fact("c", depends="a")]
    found = by_id(*ring, fact("into", depends="a"), fact("self", depends="self"))
    why = {id: [wait.why for wait in task.waits] for id, task in found.items()}
    circle = ["in a circle"]
    assert why == {"a": circle, "b": circle, "c": circle, "self": circle, "into": ["todo"]}
    assert pick(found.values()) is None
    broken = tasks([ring[0], ring[1], over("c", depends="a")])
    assert (chosen := pick(broken)) is not None
    assert chosen.id == "b"


def test_pick_gives_what_nobody_has() -> None:
    """Neither what another one claimed, nor what waits, is contradicted, blocked or closed."""
    claims = (Move(IN_PROGRESS, "s", "a", ""), Move(IN_PROGRESS, "t", "b", ""))
    listed = tasks(
        [
            fact("claimed", priority="high", moves=moved(IN_PROGRESS, "claude")),
            fact("twice", priority="high", moves=claims, ),
            fact("blocked", priority="high", moves=moved(BLOCKED)), over("done", priority="high"),
            fact("waits", priority="high", depends="claimed"),
            fact("false", priority="high", invalidated_at="x"),
            fact("for-ada", priority="high", owner="ada"),
            fact("handed", moves=moved(HANDOFF_READY, "claude"), owner="claude"),
            fact("last", priority="low"),
        ]
    )  # fmt: skip
    assert [task.id for task in listed if pick([task]) is not None] == ["handed", "last"]
    assert (mine := pick(listed, "ada")) is not None
    assert mine.id == "for-ada"
    assert (other := pick(listed, "", {"handed"})) is not None
    assert other.id == "last"


@each_row(
    "moves, owner, claimant",
    [
        ((), "", ""),
        ((), "ada", "ada"),
        (moved(IN_PROGRESS, "bob"), "", "bob"),
        (moved(IN_PROGRESS, "bob"), "ada", "ada"),
        (moved(IN_PROGRESS), "ada", "ada"),
        (moved(HANDOFF_READY, "bob"), "ada", ""),
        (moved(BLOCKED, "bob"), "ada", "ada"),
        ((*moved(IN_PROGRESS, "bob"), *moved(IN_PROGRESS, "ada", 6)), "", "ada or bob"),
    ],
)
def test_whose_a_task_is(moves: tuple[Move, ...], owner: str, claimant: str) -> None:
    """Its owner has it, else who works on it; while it is handed over nobody has it."""
    task = by_id(fact("t", moves=moves, owner=owner))["t"]
    assert task.claimant == claimant
    assert task.since == max([move.stem for move in moves], default=STEM.format(1))


def test_two_claims_are_a_contradiction() -> None:
    """Two who claimed one task are both told, and nobody else is given it."""
    claims = (Move(IN_PROGRESS, "s", "a", ""), Move(DONE, "t", "b", ""))
    task = by_id(fact("t", moves=claims))["t"]
    assert task.contradicted
    assert set(task.state.split(" or ")) == {IN_PROGRESS, DONE}


@pytest.mark.parametrize(("depends", "why"), [("", "todo"), ("t0", "in a circle")])
def test_thousands_of_tasks_take_a_moment(depends: str, why: str) -> None:
    """A chain and then a circle of 5,000, beside a row of supersessions, in the time that an item of the gate has."""
    many = 5_000
    chain = [fact(f"t{n}", depends=f"t{n + 1}") for n in range(many)]
    rows = [fact(f"o{n}", superseded_by=(f"o{n + 1}",)) for n in range(many // 5)]
    chain += [*rows, *[fact(f"u{n}", depends=f"o{n}") for n in range(0, many // 5, 10)]]
    found = tasks([*chain, fact(f"t{many}", depends=depends)])
    chosen = pick(found)
    assert {wait.why for task in found for wait in task.waits} == {why, "superseded"}
    assert (chosen and chosen.id) == (None if depends else f"t{many}")


@settings(max_examples=examples(40))
@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3)))
def test_circles_are_what_leads_back(follows: dict[str, list[str]]) -> None:
    """A node lies on a circle when a way leads from it to itself; two share one when ways lead both ways."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = list(follows.get(start, ()))
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += follows.get(node, ())
        return seen

    found = circles(follows)
    nodes = set(follows) | {other for ahead in follows.values() for other in ahead}
    assert set(found) == {node for node in nodes if node in reached(node)}
    for one in found:
        for other in found:
            together = one == other or (other in reached(one) and one in reached(other))
            assert (found[one] == found[other]) == together


def test_handoffs_go_to_who_is_named_or_to_anybody() -> None:
    """By agent or role, in any case; to nobody by name is for all; what is closed is for none."""
    facts = [
        fact("h1", "handoff", 1, serves="t1", to="Judge", giver="claude"),
        fact("h2", "handoff", 2, serves="t2", to="codex"),
        fact("h3", "handoff", 3, serves="t3 t4", confidence="low"),
        fact("h4", "handoff", 4, closed=True, to="codex"),
        fact("thread", "thread", to="codex"),
    ]

    def ids(agent: str, role: str) -> list[str]:
        return [one.standing.fact.id for one in handed_to(facts, agent, role)]

    assert ids("codex", "") == ["h3", "h2"]
    assert ids("Codex", "judge") == ["h3", "h2", "h1"]
    assert ids("", "") == ["h3"]
    anybody = handed_to(facts, "", "")[0]
    assert (anybody.tasks, anybody.giver, anybody.confidence) == (("t3", "t4"), "", "low")
    assert handed_elsewhere(facts, "codex", "") == {"t1": "Judge"}
    assert handed_elsewhere(facts, "claude", "judge") == {"t2": "codex"}
    assert TODO not in handed_elsewhere(facts, "", "")
