"""One session of a host is one work session, however many logs an agent writes in it (T7, W12)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.codec.log import decode
from tests.conftest import Repo, Run, examples
from tests.world import IN_TREE, KINDS, OWN_REPOSITORY, Place, World

SESSION = "87bdddb9-cbd9-45fd-89ce-c0173229aac5"


def add(
    place: Place, fact: str, *, session: str = SESSION, agent: str = "ada", type: str = "",
    new: bool = True, code: int | None = 0,
) -> Any:  # fmt: skip
    """Record a log that names a fact, in a session."""
    named = ("--new", f"id={fact} fact: All about {fact}.") if new else ("--ref", fact)
    options = {"--session": session, "--type": type, "--agent": agent, "--title": f"On {fact}"}
    given = [word for option, value in options.items() if value for word in (option, value)]
    return place.run("append", *given, *named, code=code).json


def capture(place: Place, fact: str, session: str = SESSION) -> None:
    """Let a session of Claude end that said something."""
    said = f"We looked at the queue of {fact}, and at how it behaves when its broker is slow. " * 6
    message = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    file = place.world.folder / f"{session}.jsonl"
    with file.open("a") as lines:
        lines.write(json.dumps({"type": "assistant", "message": message}) + "\n")
    given = ("--session", session, "--host", "claude", "--transcript", str(file), "--why", "end")
    place.run("capture", *given, json=False)


def types(place: Place) -> list[str]:
    """The types of all logs, oldest first."""
    return [one["type"] for one in place.run("log", "-n", "99").json["sessions"]][::-1]


def sessions(place: Place) -> int:
    return int(place.status()["sessions"])


def log(type: str, agent: str, session: str, names: list[str]) -> str:
    """Write a log by hand."""
    header = f"type: {type}\nagent: {agent}\n" + (f"session: {session}\n" if session else "")
    named = f"\n## Memory References\n\n- Referenced: {', '.join(names)}\n" if names else ""
    return f"---\n{header}---\n# Part\n{named}"


# ---- laws ------------------------------------------------------------------------------------------

LOGS = st.lists(
    st.tuples(
        st.sampled_from(("work", "continued", "edit")), st.sampled_from(("ada", "bob")), st.sampled_from(("", "s", "t")),
        st.lists(st.sampled_from("abc"), max_size=3, unique=True),
    ), max_size=7,
)  # fmt: skip


@settings(max_examples=examples(4, 30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LOGS)
def test_what_a_log_counts_is_in_it_alone(
    world: World, logs: list[tuple[str, str, str, list[str]]]
) -> None:
    """Sessions and uses add up log by log: the session and the agent of another change nothing (T7)."""
    home = world.place("a")
    if not home.folder.exists():
        world.home(OWN_REPOSITORY, facts={one: f"All about {one}." for one in "abc"})
        home.git("tag", "born")

    def show(chosen: list[tuple[str, str, str, list[str]]]) -> dict[str, Any]:
        home.git("reset", "-q", "--hard", "born")
        home.plant({f"sessions/2026-11-22-1015{at:02}.md": log(*one) for at, one in enumerate(chosen)} or {"x": ""})  # fmt: skip
        return home.show()

    shown = show(logs)
    assert sessions(home) == 1 + [type for type, *_ in logs].count("work")
    for fact in "abc":
        named = [type != "edit" and fact in names for type, _, _, names in logs]
        assert shown[fact]["uses"] == 1 + sum(named)
    assert show([(type, "eve", "u", names) for type, _, _, names in logs]) == shown


@pytest.mark.deep(but=OWN_REPOSITORY)
@pytest.mark.parametrize("kind", KINDS)
def test_only_the_first_log_of_a_session_is_a_work_session(world: World, kind: str) -> None:
    """Of one agent in one session; another agent and another session begin their own."""
    home = world.home(kind)
    for fact, session, agent in (
        ("a", SESSION, "ada"), ("b", SESSION, "bob"), ("c", "other", "ada"), ("d", SESSION, "ada"), ("e", "", "ada"),
        ("f", "", "ada"), ("g", SESSION, "bob"),
    ):  # fmt: skip
        add(home, fact, session=session, agent=agent)
    assert types(home) == ["work", "work", "work", "continued", "work", "work", "continued"]
    assert sessions(home) == 5


@pytest.mark.deep(reason="the other tests here have few appends")
def test_twenty_one_appends_are_one_work_session(world: World) -> None:
    """On the command line, in all that counts sessions."""
    home = world.home()
    for number in range(21):
        new = f"id=fact-{number} fact: Number {number} is so."
        done = home.run("append", "--session", SESSION, "--new", new, json=False)
        assert "review is due" not in done.err
    assert (home.status()["logs"], sessions(home), types(home).count("work")) == (21, 1, 1)
    assert home.run("review", "--report").json["sessions"] == 1
    home.run("review", "--dry-run")
    assert {one["tier"] for one in home.show().values()} == {"working"}
    for words in (("--ci", "--strict"), ("--publish",), ("--replay",)):
        home.run("check", *words)
    assert "continued" in home.text("log")


def test_the_session_comes_from_the_environment(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the option, `$DIURNA_SESSION` and the host's variable the first that is there."""

    def session(*options: str) -> str:
        shown = run("append", "--title", "T", "--dry-run", "--json", *options).json["log"]
        return decode(shown.encode(), sealed=True)[0].get("session")

    assert session() == ""
    monkeypatch.setenv("GEMINI_SESSION_ID", "of-gemini")
    assert session() == "of-gemini"
    for odd in ("", "   ", "a\nb", "\x1b[31m", "x" * 201):  # what no header can hold is passed over
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", odd)
        assert session() == "of-gemini"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    assert session() == SESSION
    monkeypatch.setenv("DIURNA_SESSION", "mine")
    assert session() == "mine"
    assert session("--session", "this") == "this"
    assert session("--type", "review") == ""
    run("append", "--title", "One")
    run("append", "--title", "Two")
    assert run("status", "--json").json["sessions"] == 1


@pytest.mark.deep(reason="the other tests here have few appends")
def test_a_file_is_of_the_session_too(repo: Repo, spawn: Run) -> None:
    """The quick path of the command line groups as the long one does."""
    for number in range(3):
        said = f"# Part {number}\n\nIt went well.\n".encode()
        done = spawn("append", "-", stdin=said, CLAUDE_CODE_SESSION_ID=SESSION)
        assert done.code == 0, done.err
    assert json.loads(spawn("status", "--json").out)["sessions"] == 1


def test_a_retry_of_either_log_is_answered_with_it(world: World) -> None:
    """Whoever retries can not know whether the log began or continued the session (W6)."""
    home = world.home()
    first, second = add(home, "a"), add(home, "b")
    for fact, before in (("a", first), ("b", second)):
        again = add(home, fact)
        assert (again["already"], again["stem"]) == (True, before["stem"])
    assert types(home) == ["work", "continued"]


def test_what_waits_in_the_spool_has_begun_its_session(world: World) -> None:
    """Two logs that wait together land as one session."""
    home = world.home()
    tip = home.tip()
    home.git("checkout", "-q", "--detach")
    for fact in "ab":
        assert "detached" in add(home, fact, code=1)["error"]["message"]
    assert home.tip() == tip
    home.git("checkout", "-q", "main")
    home.run("sync", code=None)
    assert types(home) == ["work", "continued"]


def test_other_logs_begin_no_session(world: World) -> None:
    """A review or an edit is no work; and who says `continued` too early has begun."""
    home = world.home()
    for at, type in enumerate(("review", "edit", "checkpoint", "continued", "continued", "work")):
        add(home, f"f-{at}", type=type)
    add(home, "lone", session="", type="continued")
    assert types(home) == ["review", "edit", "checkpoint", "work", "continued", "continued", "work"]


def test_many_at_once_begin_one_session(world: World) -> None:
    """Processes that append at the same moment: one log is the work session."""
    home = world.home()
    given = ("append", "--session", SESSION, "--agent", "ada", "--title")
    for process in [home.spawn(*given, f"Part {number}") for number in range(4)]:
        _, err = process.communicate()
        assert process.wait() == 0, err.decode()
    assert sorted(types(home)) == ["continued"] * 3 + ["work"]


def test_two_clones_of_one_session_count_twice(world: World) -> None:
    """Neither knew of the other: each has its work log, whoever merges whom (T7)."""
    here = world.home(facts={"start": "All about it."})
    here.git("config", "remote.origin.url", str(here.folder))
    there = here.clone("there")
    add(here, "a")
    add(there, "b", agent="ada")
    add(there, "c", agent="ada")
    second = there.fork("second")
    there.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    second.git("pull", "-q", "--rebase", "origin", "main")
    assert sorted(types(there)) == sorted(types(second)) == ["continued", "work", "work", "work"]
    assert there.show() == second.show()
    assert sessions(there) == sessions(second) == 3
    add(there, "d")
    assert sorted(types(there)) == ["continued", "continued", "work", "work", "work"]


def test_a_lost_work_log_leaves_the_uses(world: World) -> None:
    """Without its work log a session counts nothing; what its other logs name is used all the same."""
    home = world.home()
    first = add(home, "a")
    add(home, "b")
    add(home, "b", new=False)
    home.plant({first["path"]: None})
    assert (sessions(home), home.show()["b"]["uses"]) == (0, 2)
    add(home, "c")
    assert types(home)[-1] == "work"


@pytest.mark.parametrize("retired", [False, True])
def test_a_use_in_a_continued_log_brings_a_fact_back(world: World, retired: bool) -> None:
    """Faded or put away by hand (T3, T6); and no clock moves by it."""
    home = world.home(facts={"old": "fact: All about it."})
    if retired:
        home.run("forget", "old", "--archive")
    else:
        others = {f"sessions/2026-11-21-0901{at:02}.md": log("work", "ada", "", []) for at in range(25)}  # fmt: skip
        home.plant(others)
    add(home, "now")

    def tier() -> str:
        return str(home.run("show", "old").json["facts"][0]["tier"])

    assert tier() == "archived"
    before = sessions(home)
    add(home, "old", new=False)
    assert types(home)[-1] == "continued"
    assert tier() in ("working", "active") and sessions(home) == before


def test_json_says_the_session(world: World) -> None:
    """What `--from-json` says goes before the option and the environment."""
    home = world.home()
    for _ in range(2):
        home.session("T", session="j")
    assert sessions(home) == 1


@pytest.mark.parametrize("first", (True, False))
@pytest.mark.parametrize("waits", (True, False))
def test_a_captured_log_is_of_its_session_whoever_wrote_the_others(
    world: World, first: bool, waits: bool
) -> None:
    """Before or behind the agent's own log, in the tip or in the spool, it is the same work session."""
    home = world.home(IN_TREE)
    if waits:
        home.git("checkout", "-q", "--detach")
    for fact in "ab" if first else "ba":
        capture(home, fact) if fact == "a" else add(home, fact, code=int(waits))
    capture(home, "c")
    add(home, "d", code=int(waits))
    if waits:
        home.git("checkout", "-q", "main")
    add(home, "e", agent="bob")  # that ada was there says nothing of another agent
    last = "continued" if first else "work"
    assert types(home) == ["work", "continued", "continued", "continued", last]
    capture(home, "f", "s2")
    home.run("capture", "--land")
    assert types(home)[-1] == "work"
