"""One session of a host is one work session, however many logs an agent writes in it (T7, W12)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.codec.log import decode
from ledger.errors import WaitsInSpool
from ledger.model.event import FactArchived, FactCreated, FactReferenced
from ledger.model.session import WORK
from memory.api import Memory
from memory.write.draft import SessionDraft
from tests.campaigns import forks
from tests.campaigns.homes import KINDS, git, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import Repo, Run, examples

SESSION = "87bdddb9-cbd9-45fd-89ce-c0173229aac5"


def said(
    fact: str, *, session: str = SESSION, agent: str = "ada", type: str = WORK, new: bool = True
) -> SessionDraft:
    """A draft that names a fact, in a session."""
    event = FactCreated(fact, f"All about {fact}.") if new else FactReferenced(fact)
    header = (("session", session),) if session else ()
    return SessionDraft(f"On {fact}", "", (event,), agent, type, header)


def types(memory: Memory) -> list[str]:
    """The types of all logs, oldest first."""
    return [line.type for line in memory.log()][::-1]


# ---- laws ------------------------------------------------------------------------------------------

LOGS = st.lists(
    st.tuples(
        st.sampled_from(("work", "continued", "edit")), st.sampled_from(("ada", "bob")), st.sampled_from(("", "s", "t")),
        st.lists(st.sampled_from("abc"), max_size=3, unique=True),
    ), max_size=7,
)  # fmt: skip


@settings(max_examples=examples(2, 30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LOGS)
def test_what_a_log_counts_is_in_it_alone(
    tmp_path_factory: pytest.TempPathFactory, logs: list[tuple[str, str, str, list[str]]]
) -> None:
    """Sessions and uses add up log by log: the session and the agent of another change nothing (T7)."""

    def told(chosen: list[tuple[str, str, str, list[str]]]) -> Memory:
        home = tmp_path_factory.mktemp("law") / "home"
        make_home(home)
        memory = open_memory(home)
        born = tuple(FactCreated(one, f"All about {one}.") for one in "abc")
        memory.append(SessionDraft("Births", "", born, "eve"))
        for number, (type, agent, session, names) in enumerate(chosen):
            header = (("session", session),) if session else ()
            events = tuple(map(FactReferenced, names))
            memory.append(SessionDraft(f"Part {number}", "", events, agent, type, header))
        return memory

    one = told(logs)
    written = types(one)
    assert one.state().summary.sessions == written.count(WORK)
    other = told([
        (type, agent, "u" if type == "continued" else "", names)
        for type, (_, agent, _, names) in zip(written[1:], logs, strict=True)
    ])  # fmt: skip
    for fact in "abc":
        uses = sum(
            type != "edit" and fact in log[3] for type, log in zip(written[1:], logs, strict=True)
        )
        assert one.state()[fact].fact.uses == uses + 1
        if types(other) == written:
            assert one.state()[fact].tier == other.state()[fact].tier
    one.close()
    other.close()


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_first_log_of_a_session_is_a_work_session(tmp_path: Path, kind: str) -> None:
    """Of one agent in one session; another agent and another session begin their own."""
    make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home")
    for fact, session, agent in (
        ("a", SESSION, "ada"), ("b", SESSION, "ada"), ("c", SESSION, "bob"), ("d", "other", "ada"),
        ("e", SESSION, "ada"), ("f", "", "ada"), ("g", "", "ada"), ("h", SESSION, "bob"),
    ):  # fmt: skip
        memory.append(said(fact, session=session, agent=agent))
    expected = [WORK, "continued", WORK, WORK, "continued", WORK, WORK, "continued"]
    assert types(memory) == expected
    assert memory.state().summary.sessions == 5


@pytest.mark.deep(reason="the other tests here have few appends")
def test_twenty_one_appends_are_one_work_session(repo: Repo, run: Run) -> None:
    """On the command line, in all that counts sessions."""
    for number in range(21):
        done = run(
            "append",
            "--session",
            SESSION,
            "--new",
            f"id=fact-{number} fact: Number {number} is so.",
        )
        assert done.code == 0, done.err
        assert "review is due" not in done.err
    status = run("status", "--json").json
    assert (status["logs"], status["sessions"]) == (21, 1)
    assert [line["type"] for line in run("log", "--json", "-n", "30").json["sessions"]].count(
        "work"
    ) == 1
    assert run("review", "--report", "--json").json["sessions"] == 1
    assert run("review", "--dry-run", "--json").code == 0
    tiers = {one["tier"] for one in run("show", "--json").json["facts"]}
    assert tiers == {"working"}
    assert run("check", "--ci", "--strict").code == 0
    assert run("check", "--publish").code == 0
    assert run("check", "--replay").code == 0
    assert "continued" in run("log").out


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


def test_a_retry_of_either_log_is_answered_with_it(tmp_path: Path) -> None:
    """Whoever retries can not know whether the log began or continued the session (W6)."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    first = memory.append(said("a"))
    second = memory.append(said("b"))
    for draft, stem in ((said("a"), first.stem), (said("b"), second.stem)):
        again = memory.append(draft)
        assert (again.already, again.stem) == (True, stem)
    assert types(memory) == [WORK, "continued"]


def test_what_waits_in_the_spool_has_begun_its_session(tmp_path: Path) -> None:
    """Two logs that wait together land as one session."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    tip = memory.home.tip()
    git(tmp_path / "home", "checkout", "-q", "--detach")
    memory = open_memory(tmp_path / "home")
    for fact in "ab":
        with pytest.raises(Exception, match="detached"):
            memory.append(said(fact))
    assert memory.home.tip() == tip
    git(tmp_path / "home", "checkout", "-q", "main")
    memory = open_memory(tmp_path / "home")
    memory.drain()
    assert types(memory) == [WORK, "continued"]


def test_other_logs_begin_no_session(tmp_path: Path) -> None:
    """A review or an edit is no work; and who says `continued` too early has begun."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    for type in ("review", "edit", "checkpoint", "continued", "continued", WORK, "edit"):
        memory.append(said(f"f-{len(types(memory))}", type=type))
    assert types(memory) == [
        "review", "edit", "checkpoint", WORK, "continued", "continued", "edit",
    ]  # fmt: skip
    memory.append(said("lone", session="", type="continued"))
    assert types(memory)[-1] == WORK


def test_many_at_once_begin_one_session(tmp_path: Path) -> None:
    """Processes that append at the same moment: one log is the work session."""
    make_home(tmp_path / "home")
    command = ["-m", "rituals", "append", "--session", SESSION, "--agent", "ada", "--title"]
    running = [
        forks.Forked([*command, f"Part {number}"], tmp_path / "home", os.environ)
        for number in range(4)
    ]
    for process in running:
        _, err = process.communicate()
        assert process.wait() == 0, err.decode()
    assert sorted(types(open_memory(tmp_path / "home"))) == ["continued"] * 3 + [WORK]


def test_two_clones_of_one_session_count_twice(tmp_path: Path) -> None:
    """Neither knew of the other: each has its work log, whoever merges whom (T7)."""
    here, there = tmp_path / "here", tmp_path / "there"
    make_home(here)
    open_memory(here).append(said("start", session=""))
    git(tmp_path, "clone", "-q", str(here), str(there))
    open_memory(here).append(said("a"))
    open_memory(there).append(said("b"))
    open_memory(there).append(said("c"))
    git(there, "config", "user.name", "Ada")
    git(there, "config", "user.email", "ada@example.invalid")
    shutil.copytree(there, tmp_path / "second")
    git(there, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    git(tmp_path / "second", "pull", "-q", "--rebase", "origin", "main")
    merged, rebased = open_memory(there), open_memory(tmp_path / "second")
    assert sorted(types(merged)) == ["continued", WORK, WORK, WORK]
    assert merged.state().summary == rebased.state().summary
    assert merged.state().summary.sessions == 3
    merged.append(said("d"))
    assert sorted(types(merged)) == ["continued", "continued", WORK, WORK, WORK]


def test_a_lost_work_log_leaves_the_uses(tmp_path: Path) -> None:
    """Without its work log a session counts nothing; what its other logs name is used all the same."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    first = memory.append(said("a"))
    memory.append(said("b"))
    memory.append(said("b", new=False))
    git(tmp_path / "home", "rm", "-q", f"memory/{first.path}")
    git(tmp_path / "home", "commit", "-q", "-m", "take one out")
    memory = open_memory(tmp_path / "home")
    assert memory.state().summary.sessions == 0
    assert memory.state()["b"].fact.uses == 2
    memory.append(said("c"))
    assert types(memory)[-1] == WORK


@pytest.mark.parametrize("retired", [False, True])
def test_a_use_in_a_continued_log_brings_a_fact_back(tmp_path: Path, retired: bool) -> None:
    """Faded or put away by hand (T3, T6); and no clock moves by it."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    memory.append(said("old", session=""))
    if retired:
        memory.append(SessionDraft("Away", "", (FactArchived("old"),), "ada", "edit"))
    for number in range(0 if retired else 25):
        memory.append(said(f"f-{number}", session=""))
    memory.append(said("now"))
    assert memory.state()["old"].tier == "archived"
    before = memory.state().summary.sessions
    memory.append(said("old", new=False))
    assert types(memory)[-1] == "continued"
    assert memory.state()["old"].tier in ("working", "active")
    assert memory.state().summary.sessions == before


def test_json_says_the_session(repo: Repo, run: Run) -> None:
    """What `--from-json` says goes before the option and the environment."""
    for _ in range(2):
        run(
            "append",
            "--from-json",
            "-",
            "--again",
            stdin=json.dumps({"title": "T", "session": "j"}).encode(),
        )
    assert run("status", "--json").json["sessions"] == 1


def captured(fact: str, span: str, *, agent: str = "claude-code") -> SessionDraft:
    """A draft of a log that was captured."""
    header = (("session", SESSION), ("host", "claude"), ("transcript", span))
    return said(fact, agent=agent)._replace(header=header)


@pytest.mark.parametrize("first", (True, False))
@pytest.mark.parametrize("waits", (True, False))
def test_a_captured_log_is_of_its_session_whoever_wrote_the_others(
    tmp_path: Path, first: bool, waits: bool
) -> None:
    """Before or behind the agent's own log, in the tip or in the spool, it is the same work session."""
    make_home(tmp_path / "home", "in-tree")
    memory = open_memory(tmp_path / "home")
    drafts = [captured("a", "x.jsonl 0-9"), said("b", agent="ada")]
    if not first:
        drafts.reverse()
    if waits:
        git(tmp_path / "home", "checkout", "-q", "--detach")
    for draft in (*drafts, captured("c", "x.jsonl 9-12"), said("d", agent="ada")):
        try:
            memory.append(draft)
        except WaitsInSpool:
            assert waits
    if waits:
        git(tmp_path / "home", "checkout", "-q", "main")
        memory.drain()
    memory.append(said("e", agent="bob"))  # that ada was there says nothing of another agent
    assert types(memory)[:4] == ["work", "continued", "continued", "continued"]
    assert types(memory)[4] == ("continued" if first else "work")
    memory.append(captured("f", "y.jsonl 0-7", agent="other")._replace(header=(("session", "s2"),)))
    assert types(memory)[-1] == "work"
