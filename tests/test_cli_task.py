"""`diurna task`: adding, claiming, moving, handing over and picking; what is refused is in `refusals.txt`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ledger.errors import DraftRefused, Outrun
from ledger.model.event import FactMoved
from memory import Memory, SessionDraft
from tests.conftest import Ran, Repo, Run


@pytest.fixture
def task(repo: Repo, run: Run) -> Run:
    """Run `diurna task` in a fresh home."""

    def task(*arguments: str) -> Ran:
        return run("task", *arguments)

    return task


def lines(ran: Ran) -> list[str]:
    """Return what a command printed, a line each."""
    assert ran.code == 0, ran.err
    return ran.out.splitlines()


def listed(task: Run, *options: str) -> dict[str, Any]:
    """Return the tasks that are listed, by their ids."""
    return {one["id"]: one for one in task("list", *options, "--json").json["tasks"]}


def test_a_task_goes_its_way(task: Run, repo: Repo) -> None:
    """Added, claimed, done: one log each, and the list says where it stands."""
    added = task(
        "add", "Wire the retry queue.", "--priority", "high", "--criterion", "No shop blocks."
    )
    assert lines(added)[1:] == ["created  lolilo", "created  nadepa"]
    assert lines(task()) == ["lolilo  todo  high  Wire the retry queue."]
    assert "moved    lolilo → in-progress" in task("start", "lolilo").out
    assert lines(task("list")) == [
        "lolilo  in-progress  high  claude-code since 2026-11-21 08:30  Wire the retry queue."
    ]
    before = repo.git("rev-list", "--count", "HEAD")
    assert task("done", "lolilo", "--why", "Measured with three shops.").code == 0
    assert int(repo.git("rev-list", "--count", "HEAD")) == int(before) + 1
    ran = task()
    assert (ran.out, ran.err.split("\n")[0]) == ("", "no task is open")
    assert [one.split()[:2] for one in lines(task("list", "--all"))] == [["lolilo", "done"]]


def test_what_serves_a_task_is_born_with_it(task: Run, run: Run) -> None:
    """Criteria and risks are facts, questions threads; each names the task; footers are kept."""
    ran = task(
        "add", "Ship it", "--id", "ship", "--criterion", "It runs.", "--risk", "It may burn.",
        "--question", "Who pays?", "--goal", "More shops", "--workstream", "launch", "--owner", "ada",
    )  # fmt: skip
    assert ran.code == 0
    facts = {one["id"]: one for one in run("show", "--json").json["facts"]}
    assert facts["ship"]["meta"] == {"owner": "ada", "goal": "More shops", "workstream": "launch"}
    assert {id: (one["kind"], one["tags"]) for id, one in facts.items() if id != "ship"} == {
        "pizive": ("fact", ["criterion"]), "vanozu": ("fact", ["risk"]), "zavomi": ("thread", []),
    }  # fmt: skip
    assert {one["meta"]["serves"] for one in facts.values() if one["id"] != "ship"} == {"ship"}


def test_planning_moves_no_clock(task: Run, run: Run) -> None:
    """Tasks that are added outside of a session age nothing; in a session they are part of its work."""
    for number in range(2):
        task("add", f"Do thing {number}.")
    assert run("status", "--json").json["sessions"] == 0
    task("add", "One", "--session", "s1")
    task("add", "Two", "--session", "s1")
    assert run("status", "--json").json["sessions"] == 1


def test_a_claim_of_somebody_else_is_refused(task: Run) -> None:
    """Who has it and since when stands in refusals.txt; `--take-over` goes on."""
    task("add", "Wire it", "--id", "wire")
    task("start", "wire", "--agent", "codex")
    assert task("start", "wire").code == 1
    assert task("start", "wire", "--take-over").code == 0
    assert task("--json").json["tasks"][0]["claimant"] == "claude-code"
    assert not task("--json").json["tasks"][0]["contradiction"]


def test_an_owner_keeps_others_from_starting(task: Run) -> None:
    """What is meant for somebody is theirs to begin; who takes it over is its owner then."""
    task("add", "Wire it", "--id", "wire", "--owner", "ada")
    task("add", "Measure it", "--id", "measure", "--owner", "ada")
    assert "ada is to do wire" in task("start", "wire").err
    assert task("start", "wire", "--agent", "ada", "--json").json["did"] == {
        "moved": ["wire → in-progress"]
    }
    assert task("start", "measure", "--take-over").code == 0
    found = {one["id"]: (one["owner"], one["claimant"]) for one in task("--json").json["tasks"]}
    assert found == {"wire": ("ada", "ada"), "measure": ("claude-code", "claude-code")}
    task("handoff", "wire", "--done", "All.", "--agent", "ada")
    assert task("start", "wire").code == 0
    assert task("--json").json["tasks"][0]["claimant"] == "claude-code"


def test_ones_own_claim_is_nothing_to_do(task: Run) -> None:
    """In the same session, or where one of them is not known; another session of the name is another one."""
    task("add", "Wire it", "--id", "wire")
    task("start", "wire", "--session", "s1")
    assert "nothing to do: you have wire" in task("start", "wire", "--session", "s1").out
    assert "nothing to do: you have wire" in task("start", "wire").out
    assert task("start", "wire", "--session", "s2").code == 1


def test_closed_tasks_are_not_started(task: Run, run: Run) -> None:
    """What is done says how it is opened again; what was superseded says by what."""
    for name in ("old", "new", "gone"):
        task("add", f"Do the {name} one", "--id", name)
    task("move", "gone", "cancelled")
    assert "`diurna append --reopen gone`" in task("start", "gone").err
    run("append", "--title", "Replace", "--supersede", "old=new")
    assert "old was superseded by new" in task("start", "old").err
    assert run("append", "--title", "Again", "--reopen", "gone").code == 0
    assert task("start", "gone").code == 0


def test_pick_goes_by_what_waits_and_by_priority(task: Run) -> None:
    """The first that nobody has and that waits for nothing; `--start` claims it."""
    task("add", "First", "--id", "first")
    task("add", "Second", "--id", "second", "--priority", "high", "--depends", "first")
    assert "waits for first (todo)" in lines(task())[0]
    assert lines(task("pick"))[0].startswith("first  todo")
    assert task("pick", "--start", "--json").json["task"]["id"] == "first"
    assert "no task is free: of 2 open ones 1 wait for others, 1 are claimed" in task("pick").out
    assert task("done", "first").code == 0
    assert lines(task("pick"))[0].startswith("second")


def test_starting_what_waits_is_told(task: Run) -> None:
    """Whoever starts it all the same is told what it waits for."""
    task("add", "First", "--id", "first")
    task("add", "Second", "--id", "second", "--depends", "first")
    ran = task("start", "second")
    assert (ran.code, ran.err) == (0, "second waits for first (todo)\n")


def test_what_was_planned_on_another_tip_is_outrun_and_not_refused(task: Run, repo: Repo) -> None:
    """A plan is made again where somebody was faster, whatever speaks against it by then."""
    task("add", "Wire it", "--id", "wire")
    one, other = Memory.open(str(repo.path), agent="a"), Memory.open(str(repo.path), agent="b")
    seen = one.snapshot.seen()
    start = SessionDraft("Start", events=(FactMoved("wire", "in-progress"),))
    other.append(start)
    with pytest.raises(Outrun):
        one.append(start, again=True, on=seen)
    with pytest.raises(DraftRefused, match="can not be moved"):
        one.append(start, again=True, on=one.snapshot.seen())


def test_two_clones_that_claim_one_task_see_a_contradiction(
    task: Run, run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither claim is lost, nobody else is given the task, and a person decides."""
    task("add", "Wire it", "--id", "wire")
    other = repo.path.parent / "other"
    repo.git("clone", "-q", str(repo.path), str(other))
    for key, value in (("user.name", "Bob"), ("user.email", "bob@example.invalid")):
        repo.git("-C", str(other), "config", key, value)
    task("start", "wire", "--agent", "ada")
    monkeypatch.chdir(other)
    assert task("start", "wire", "--agent", "bob").code == 0
    repo.git("-C", str(other), "pull", "-q", "--no-rebase", "--no-edit")
    found = task("--json").json["tasks"][0]
    assert (found["claimant"], found["contradiction"]) == ("ada or bob", True)
    assert "no task is free" in task("pick").out
    assert "ada or bob has wire" in task("start", "wire", "--agent", "bob").err
    assert run("conflicts", "wire", "--choose", "1", "--agent", "Eve").code == 0
    found = task("--json").json["tasks"][0]
    chosen = found["claimant"]
    assert (chosen in ("ada", "bob"), found["contradiction"]) == (True, False)
    assert "nothing to do: you have wire" in task("start", "wire", "--agent", chosen).out
    assert task("start", "wire", "--agent", "eve", "--take-over").code == 0
    found = task("--json").json["tasks"][0]
    assert (found["claimant"], found["contradiction"]) == ("eve", False)


def test_what_failed_before_is_told_to_who_takes_a_task(task: Run, run: Run) -> None:
    """By start and by pick, newest first, by the iteration in a log; not what worked, is elsewhere or false."""
    task("add", "Ship it.", "--id", "ship")
    run("note", "id=first about=ship outcome=failed iteration=1 attempt: Slept for a second.")
    run("note", "id=serving serves=ship outcome=failed attempt: Served it.",
        "id=gone about=ship outcome=failed attempt: Was false.")  # fmt: skip
    tried = 'about="other, ship" outcome=failed'
    run(
        "note", f"id=third {tried} iteration=3 attempt: Slept for three.",
        f"id=second {tried} iteration=2 attempt: Slept for two.",
        f"id=judges {tried} role=judge attempt: For the judge.",
        "id=worked about=ship outcome=worked attempt: Waited for the signal.",
        "id=open about=ship attempt: Nobody knows.", "id=elsewhere about=shipping outcome=failed attempt: Elsewhere.",
        "id=fact about=ship outcome=failed No attempt.", "--anyway",
    )  # fmt: skip
    run("append", "--title", "Off", "--invalidate", "gone")
    said = ("tried before at ship: third (failed, iteration 3), second (failed, iteration 2), judges (failed), "
            "serving (failed), first (failed, iteration 1)")  # fmt: skip
    picked = task("pick")
    assert said in picked.out + picked.err
    assert task("start", "ship", "--json").json["notes"] == [said]


def test_of_many_who_start_at_once_one_has_it(task: Run, spawn: Run) -> None:
    """Claims in one clone exclude each other: the others are told who was first."""
    task("add", "Wire it", "--id", "wire")
    with ThreadPoolExecutor() as pool:
        ran = list(
            pool.map(lambda n: spawn("task", "start", "wire", "--agent", f"a-{n}"), range(2))
        )
    assert sorted(one.code for one in ran) == [0, 1]
    claimant = listed(task)["wire"]["claimant"]
    assert all(f"{claimant} has wire" in one.err for one in ran if one.code)


def test_who_left_or_is_silent_is_marked(
    task: Run, run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim is stale after half an hour without a log of its session, and stays; another's log is no sign of it."""
    task("add", "Wire it", "--id", "wire")
    task("start", "wire", "--agent", "codex", "--session", "s1")
    now = int(os.environ["DIURNA_NOW"])

    def after(minutes: int) -> bool:
        monkeypatch.setenv("DIURNA_NOW", str(now + minutes * 60_000))
        return bool(listed(task)["wire"]["stale"])

    assert [after(29), after(31)] == [False, True]
    assert (
        "codex since 2026-11-21 08:30 (stale)" in task().out
        and "no task is free" in task("pick").out
    )
    assert run("note", "--agent", "codex", "--session", "s2", "fact: Another session.").code == 0
    assert after(76)
    assert run("note", "--agent", "codex", "--session", "s1", "fact: I am here.").code == 0
    assert not after(77)
    repo.publish_when("review")
    policy = repo.path / "memory" / "diurna.toml"
    text = policy.read_text()
    for name, old, new in (("working", 3, 1), ("active ", 8, 2), ("archive", 20, 3)):
        text = text.replace(f"{name} = {old}\n", f"{name} = {new}\n")
    policy.write_text(text)
    repo.git("commit", "-qam", "windows")
    for number in range(4):
        run("append", "--title", f"Work {number}", "--agent", "ada", "--session", str(number))
    task("add", "Young", "--id", "young", "--owner", "new-one")
    assert {id: one["left"] for id, one in listed(task).items()} == {"wire": True, "young": False}


def test_what_was_handed_to_me_is_mine(task: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before I took it, too; it is nobody else's meanwhile, and what is handed to nobody is no one's."""
    for name, to in (("a", ("--to", "Cy")), ("b", ())):
        task("add", f"Do {name}.", "--id", name)
        task("start", name, "--agent", "ada")
        task("handoff", name, "--next", "Go on.", "--agent", "ada", *to)
    for agent, mine in (("Cy", ["a"]), ("bob", [])):
        monkeypatch.setenv("DIURNA_AGENT", agent)
        assert [one["id"] for one in task("--mine", "--json").json["tasks"]] == mine


def handoff(task: Run, *more: str) -> str:
    """Hand the task `wire` over; return the id of the handoff."""
    ran = task("handoff", "wire", "--done", "A queue.", "--next", "Measure it.", *more, "--json")
    assert ran.code == 0, ran.out
    return str(ran.json["facts"][0])


@pytest.fixture
def begun(task: Run) -> Run:
    """A task that claude-code has begun in session s1."""
    task("add", "Wire it", "--id", "wire")
    task("start", "wire", "--session", "s1")
    return task


def test_a_handoff_says_what_is_left(begun: Run, run: Run, repo: Repo) -> None:
    """One log moves the task and tells the next one all of it, in its order."""
    before = int(repo.git("rev-list", "--count", "HEAD"))
    ran = begun(
        "handoff", "wire", "--to", "judge", "--next", "Measure it.", "--done", "A queue.", "--remaining",
        "Jitter.", "--remaining", "- Limits.\n- Docs.", "--warning", "Slow tests.", "--question",
        "Who pays?", "--confidence", "high", "--session", "s1",
    )  # fmt: skip
    assert ran.code == 0
    assert int(repo.git("rev-list", "--count", "HEAD")) == before + 1
    fact = run("show", "handoff-wire", "--json").json["facts"][0]
    assert fact["text"].split("\n") == [
        "wire is handed over to judge.", "- Done: A queue.", "- Remaining: Jitter.",
        "- Remaining: Limits.", "- Remaining: Docs.", "- Warning: Slow tests.",
        "- Question: Who pays?", "- Next: Measure it.",
    ]  # fmt: skip
    assert fact["meta"] == {
        "serves": "wire", "from": "claude-code", "to": "judge", "confidence": "high",
    }  # fmt: skip
    assert listed(begun)["wire"]["state"] == "handoff-ready"


def test_several_handoffs_of_a_task_have_ids_of_their_own(begun: Run) -> None:
    """The second has the hash of its text; a retry of the first has not."""
    assert handoff(begun) == "handoff-wire"
    begun("start", "wire", "--agent", "codex")
    ran = begun("handoff", "wire", "--agent", "codex", "--done", "Nothing.", "--json")
    assert ran.json["facts"][0].startswith("handoff-wire-")


def test_pick_leaves_what_was_handed_to_others(begun: Run) -> None:
    """A task that waits for a judge is the judge's."""
    handoff(begun, "--to", "judge")
    assert "no task is free" in begun("pick", "--agent", "codex").out
    assert lines(begun("pick", "--agent", "codex", "--role", "judge"))[0].startswith("wire")
    ran = begun("start", "wire", "--agent", "codex")
    assert (ran.code, "wire was handed to judge" in ran.err) == (0, True)
