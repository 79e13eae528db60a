"""Tasks and handoffs: in which order they stand, what waits for what, who has each, and what comes next."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.home import Home
from memory import Memory
from tests.conftest import examples
from tests.web_client import client_of
from tests.world import Place, World

_NAMES = count()


@pytest.fixture
def home(world: World) -> Place:
    return world.home()


def born(home: Place, agent: str = "", **tasks: str) -> None:
    """Record tasks in a log: id -> footers, as `priority=high depends=a,b`; `kind: …` for what is none."""
    new = []
    for id, said in tasks.items():
        kind, _, footers = said.rpartition(": ")
        given = dict(one.split("=") for one in footers.split())
        new.append({"id": id, "text": f"Do {id}.", "kind": kind or "task", "footers": given})
    more = {"agent": agent} if agent else {}
    home.session(f"Born {' '.join(tasks)}", new=new, anyway=True, **more)


def listed(home: Place, *options: str) -> dict[str, Any]:
    return {one["id"]: one for one in home.run("task", "list", *options).json["tasks"]}


def picked(home: Place, *options: str) -> str:
    found = home.run("task", "pick", *options).json["task"]
    return found["id"] if found else ""


def test_order_is_priority_then_age(home: Place) -> None:
    """What is urgent comes first, of that what is oldest; a priority that is none is the middle one."""
    odd = "# T\n\n## Memory References\n\n- Created: odd\n\n## Facts\n\n- [ ] Odd.\n  <!-- id: odd | kind: task | priority: urgent -->\n"
    home.plant({"sessions/2026-11-01-101500.md": odd})
    born(home, low="priority=low", a="", old="priority=high", none="thread: ")
    born(home, b="", young="priority=high")
    assert list(listed(home)) == ["old", "young", "odd", "a", "b", "low"]
    assert listed(home)["odd"]["priority"] == "medium"


def test_what_a_task_waits_for_is_told_with_the_reason(home: Place) -> None:
    """Nothing but what is done lets a task go; what was replaced stands for what replaced it."""
    names = "over open cancelled unknown thread settled decision untrue old row".split()
    born(home, **dict.fromkeys(("over", "open", "cancelled", "old", "new", "row", "left", "right"), ""),
         thread="thread: ", settled="thread: ", decision="decision: ", untrue="decision: ",
         t=f"depends={','.join(names)}")  # fmt: skip
    home.session("Said", close=["over", "settled", "left", "right"], invalidate=["untrue"],
                 move={"cancelled": "cancelled", "open": "blocked"},
                 supersede=[{"old": "old", "new": "new"}, {"old": "row", "new": "left"}, {"old": "row", "new": "right"}])  # fmt: skip
    waits = {one["id"]: one["why"] for one in listed(home)["t"]["waits"]}
    assert waits == {
        "open": "blocked", "cancelled": "cancelled", "unknown": "unknown", "thread": "open",
        "untrue": "invalidated", "old": "superseded",
    }  # fmt: skip
    home.session("Done", close=["new"])
    assert "old" not in {one["id"] for one in listed(home)["t"]["waits"]}


def test_pick_gives_what_nobody_has(home: Place) -> None:
    """Neither what another one claimed, nor what waits, is false, blocked, closed, handed or meant for others.

    Its owner has a task, else who works on it; while it is handed over nobody has it.
    """
    born(home, claimed="priority=high", blocked="priority=high owner=ada", over="priority=high",
         waits="priority=high depends=claimed", false="priority=high", meant="priority=high owner=ada",
         handed="", last="priority=low", given="priority=low owner=ada", own="priority=low owner=ada")  # fmt: skip
    moves = {"blocked": "blocked", "given": "in-progress", "own": "in-progress"}
    home.session("So", close=["over"], invalidate=["false"], move=moves, agent="bob")
    for name in ("claimed", "handed"):
        home.run("task", "start", name, "--agent", "codex")
    home.run("task", "handoff", "handed", "--next", "x", "--agent", "codex", "--to", "Judge")
    home.run("task", "handoff", "given", "--next", "x", "--agent", "ada", "--to", "Scribe")
    assert [picked(home), picked(home, "--agent", "ada"), picked(home, "--role", "judge")] == ["last", "meant", "handed"]  # fmt: skip
    claimants = {id: one["claimant"] for id, one in listed(home).items()}
    named = ("claimed", "handed", "meant", "last", "given", "own", "blocked")
    assert [claimants[id] for id in named] == ["codex", "", "ada", "", "", "ada", "ada"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with World(tmp_path_factory.mktemp("circles")) as world:
        yield world.home()


@settings(max_examples=examples(8, 40))
@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3)))
def test_circles_are_what_leads_back(shared: Place, follows: dict[str, list[str]]) -> None:
    """A task is in a circle when a way leads from it to itself: it says so, and is never picked."""
    mark = f"x{next(_NAMES)}-"
    nodes = sorted(set(follows) | {other for ahead in follows.values() for other in ahead})
    new = [{"id": mark + one, "text": f"Do {mark}{one}.", "kind": "task",
            "footers": {"depends": ", ".join(mark + other for other in follows[one])} if follows.get(one) else {}}
           for one in nodes]  # fmt: skip
    if not new:
        return
    shared.run("append", "--from-json", "-", stdin=json.dumps({"title": mark, "new": new}))

    def leads_back(start: str) -> bool:
        seen: set[str] = set()
        ahead = list(follows.get(start, ()))
        while ahead:
            node = ahead.pop()
            if node not in seen:
                seen.add(node)
                ahead += follows.get(node, ())
        return start in seen

    found = listed(shared)
    for node in nodes:
        why = {one["why"] for one in found[mark + node]["waits"]}
        assert ("in a circle" in why) == leads_back(node)
        assert why <= {"in a circle", "todo"} and bool(why) == bool(follows.get(node))


# ---- who says that it is done ----------------------------------------------------------------------------


KINDS = {f"{kind}-{at}": kind for kind in ("thread", "task", "handoff", "finding") for at in "ab"}


def stalled(world: World) -> None:
    """A home with two of each kind that can be open, half of them ended by a commit or a check, and idle."""
    home = world.home()
    home.set_policy(stale_thread_after=1)
    home.write("pay.py", "pass\n")
    home.commit_all("Pay")
    ends = {"a": "until='gone pay.py'", "b": "check='has pay.py'"}
    home.note(*[f"id={id} {ends[id[-1]]} {kind}: {id} is open." for id, kind in KINDS.items()])
    home.git("rm", "-q", "pay.py")
    home.git("commit", "-qm", "No pay")
    for at in range(2):
        home.note(f"fact: Work {at} went on elsewhere.")


@pytest.mark.parametrize("door", ("close", "tick", "accept", "sync", "note"))
def test_a_task_is_done_where_somebody_said_so_of_it(world: World, door: str) -> None:
    """Whatever group is closed, by whatever door: threads are closed, tasks are refused or cancelled."""
    world.laid("stalled", stalled)
    home, said = world.place("a"), set[str]()
    for seed in range(examples(1, 10)):
        rng = random.Random(f"{door} {seed}")
        group = ["task-a", *rng.sample(sorted(KINDS), rng.randint(1, 4))]
        if door in ("tick", "accept"):

            def opened(where: Home) -> Memory:
                return Memory(where, clock=lambda: int(home.clock.tick()))

            client = client_of(home.folder, writes=True, open_memory=opened).login()
            token = ("token", client.form_token())
        match door:
            case "close":
                before = home.tip()
                assert "done or cancelled?" in home.run("close", *group, code=1).err
                assert home.tip() == before
            case "tick":
                client.post("/act/shut", [token, *[("id", id) for id in group]])
            case "accept":
                keys = re.findall(r'name="key" value="([^"]+)"', client.get("/review").text)
                fields = [("key", key) for key in dict.fromkeys(keys)]
                client.post("/act/answer", [token, *fields, ("say", "accept")])
            case "sync":
                home.run("sync", code=None)  # what has ended is recorded
            case "note":
                said |= {
                    id for id in group[:1] if home.run("note", f"done {id}", code=None).code == 0
                }
        states = {id: task["state"] for id, task in listed(home, "--all").items()}
        assert {id for id, state in states.items() if state == "done"} == said & states.keys()
    assert (states["task-a"] == "cancelled") == (door in ("accept", "sync"))
