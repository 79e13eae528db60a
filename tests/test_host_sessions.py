"""One session of a host is one work session, however many logs an agent writes in it (T7, W12)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import WaitsInSpool
from ledger.model.event import FactCreated
from memory import Memory, SessionDraft
from tests.world import FOLDER, IN_TREE, OWN_BRANCH, Answer, Place, World

SESSION = "87bdddb9-cbd9-45fd-89ce-c0173229aac5"
WORK, MORE = "work", "continued"


def writes(
    home: Place, fact: str, session: str = SESSION, agent: str = "ada", *more: str, code: int = 0
) -> Answer:
    """Record a fact in a session."""
    said = ["--new", f"id={fact} fact: All about {fact}.", "--title", f"On {fact}", *more]
    by = ["--agent", agent, *(["--session", session] if session else [])]
    return home.run("append", *said, *by, code=code)


def logs(home: Place) -> list[Any]:
    """All logs, oldest first."""
    found: list[Any] = home.run("log", "-n", "99").json["sessions"]
    return found[::-1]


def types(home: Place) -> list[str]:
    return [one["type"] for one in logs(home)]


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH, FOLDER])
def test_only_the_first_log_of_a_session_is_a_work_session(world: World, kind: str) -> None:
    """Of one agent in one session, also while logs wait; another of either begins its own."""
    home = world.home(kind)
    for row in (
        ("a",), ("b",), ("c", SESSION, "bob"), ("d", "other"), ("e",), ("f", ""), ("g", ""), ("h", SESSION, "bob"),
    ):  # fmt: skip
        writes(home, *row)
    wanted = [WORK, MORE, WORK, WORK, MORE, WORK, WORK, MORE]
    assert types(home) == wanted
    assert home.status()["sessions"] == home.run("review", "--report").json["sessions"] == 5


def test_the_session_comes_from_the_environment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of JSON, the option, `$DIURNA_SESSION` and the host's variable the first that is there."""
    home = world.home()

    def session(*options: str, said: bytes = b"") -> str:
        given = ["--from-json", "-"] if said else ["--title", "T", *options]
        head = (
            home.run("append", "--dry-run", *given, stdin=said).json["log"].partition("\n---\n")[0]
        )
        return str(f"{head}\n".partition("\nsession: ")[2].partition("\n")[0])

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
    assert (
        session("--session", "this") == session(said=b'{"title": "T", "session": "this"}') == "this"
    )
    assert session("--type", "review") == ""
    home.run("append", "--title", "One")
    home.append("# A file\n\nIt went well.\n")
    assert types(home) == [WORK, MORE]


def test_a_retry_of_either_log_is_answered_with_it(world: World) -> None:
    """Whoever retries can not know whether the log began or continued the session (W6)."""
    home = world.home()
    stems = [writes(home, fact).json["stem"] for fact in "ab"]
    for fact, stem in zip("ab", stems, strict=True):
        again = writes(home, fact).json
        assert (again["already"], again["stem"]) == (True, stem)
    assert types(home) == [WORK, MORE]


def test_other_logs_begin_no_session(world: World) -> None:
    """A review or an edit is no work; and who says `continued` too early has begun."""
    home = world.home()
    said = ["review", "edit", "checkpoint", MORE, MORE, WORK, "edit"]
    for number, type in enumerate(said):
        writes(home, f"f-{number}", SESSION, "ada", "--type", type)
    assert types(home) == ["review", "edit", "checkpoint", WORK, MORE, MORE, "edit"]
    writes(home, "lone", "", "ada", "--type", MORE)
    assert types(home)[-1] == WORK


def test_many_at_once_begin_one_session(world: World) -> None:
    """Processes that append at the same moment: one log is the work session."""
    home = world.home()
    begun = [
        home.spawn("append", "--session", SESSION, "--agent", "ada", "--title", f"Part {number}")
        for number in range(2)
    ]
    for child in begun:
        assert (child.communicate(), child.returncode)[1] == 0
    assert sorted(types(home)) == [MORE, WORK]


def test_two_clones_of_one_session_count_twice(world: World) -> None:
    """Neither knew of the other: each has its work log, whoever merges whom (T7)."""
    here, there = world.team(IN_TREE, "b")
    writes(here, "a")
    writes(there, "b")
    writes(there, "c")
    here.sync()
    other = there.fork("c")
    there.git("pull", "-q", "--no-rebase", "--no-edit")
    other.git("pull", "-q", "--rebase")
    for clone in (there, other):
        assert sorted(types(clone)) == [MORE, WORK, WORK]
    writes(there, "d")
    assert sorted(types(there)) == [MORE, MORE, WORK, WORK]


def test_a_lost_work_log_leaves_the_uses(world: World) -> None:
    """Without its work log a session counts nothing; what its other logs name is used all the same."""
    home = world.home()
    writes(home, "a")
    writes(home, "b")
    home.run("append", "--title", "Again", "--ref", "b", "--agent", "ada", "--session", SESSION)
    home.plant({logs(home)[0]["path"]: None})
    assert home.status()["sessions"] == 0 and home.show()["b"]["uses"] == 2
    writes(home, "c")
    assert types(home)[-1] == WORK


@pytest.mark.parametrize("retired", [False, True])
def test_a_use_in_a_continued_log_brings_a_fact_back(world: World, retired: bool) -> None:
    """Faded or put away by hand (T3, T6); and no clock moves by it."""
    home = world.home(policy={"working": 1, "active": 1, "archive": 1})
    writes(home, "old", "")
    if retired:
        home.run("forget", "old", "--archive", "--reason", "Later.")
    for number in range(0 if retired else 3):
        writes(home, f"f-{number}", "")
    writes(home, "now")
    before = home.status()["sessions"]
    assert home.show("old")["old"]["tier"] == "archived"
    home.run("append", "--title", "Used", "--ref", "old", "--agent", "ada", "--session", SESSION)
    assert types(home)[-1] == MORE and home.status()["sessions"] == before
    assert home.show("old")["old"]["tier"] in ("working", "active")


def captured(fact: str, span: str, session: str = SESSION, agent: str = "") -> SessionDraft:
    """A draft of a log that was captured, or, without a span, of the agent's own."""
    header = [("session", session), *([("host", "claude"), ("transcript", span)] if span else [])]
    event = FactCreated(fact, f"All about {fact}.")
    return SessionDraft(f"On {fact}", "", (event,), agent or "claude-code", WORK, tuple(header))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("waits", [True, False])
def test_a_captured_log_is_of_its_session_whoever_wrote_the_others(
    world: World, first: bool, waits: bool
) -> None:
    """Before or behind the agent's own log, in the tip or in the spool, it is the same work session."""
    home = world.home()
    memory = Memory.open(str(home.folder))
    drafts = [captured("a", "x.jsonl 0-9"), captured("b", "", agent="ada")]
    if not first:
        drafts.reverse()
    if waits:
        home.git("checkout", "-q", "--detach")
    for draft in (*drafts, captured("c", "x.jsonl 9-12"), captured("d", "", agent="ada")):
        try:
            memory.append(draft)
        except WaitsInSpool:
            assert waits
    if waits:
        home.git("checkout", "-q", "main")
        memory.drain()
    memory.append(captured("e", "", agent="bob"))  # that ada was there says nothing of another
    assert types(home) == [WORK, MORE, MORE, MORE, MORE if first else WORK]
    memory.append(captured("f", "y.jsonl 0-7", "s2", "other"))
    assert types(home)[-1] == WORK
    memory.close()
