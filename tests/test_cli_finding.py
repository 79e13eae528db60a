"""`diurna note --rule`: one bug is one fact, open, fixed or regressed; and verdicts in the headers of logs."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.codec.validate import problems
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.work.finding_facts import BugFound
from rituals.review.finding_reports import report
from tests.conftest import Repo, Run, examples

RULE = ("note", "--rule", "sql-injection", "--path", "src/db.py", "--symbol", "find")


def found(run: Run) -> list[dict[str, Any]]:
    """Return the findings that are not false."""
    facts = run("show", "--list", "--all", "--kind", "finding", "--json").json["facts"]
    return [one for one in facts if not one["false"]]


def reported(run: Run, message: str) -> tuple[str, str]:
    """Report a bug; return its id, and what became of it."""
    ran = run(*RULE, message, "--json")
    assert ran.code == 0, ran.err
    one = ran.json["finding"]
    return one["id"], one["outcome"]


def test_a_bug_is_open_then_fixed_then_regressed(repo: Repo, run: Run) -> None:
    """Met again it is named; closed it is fixed, met behind that it is back, and each command says so."""
    bug, outcome = reported(run, "query built from `name` at line 12")
    assert outcome == "new"
    assert reported(run, "query built from `name` at line 4711") == (bug, "known")
    assert [one["state"] for one in found(run)] == ["open"]
    assert run("append", "--close", bug).code == 0
    assert [(one["id"], one["state"]) for one in found(run)] == [(bug, "fixed")]
    assert f"{bug}  fixed" in run("why", bug).out
    assert reported(run, "query built from `name` at line 12") == (bug, "regressed")
    (one,) = found(run)
    assert one["state"] == "regressed"
    assert f"{bug}  regressed" in run("why", bug).out
    assert "(regressed)" in run("show", "--list", "--kind", "finding").out
    assert "| state: regressed | known: said by claude-code -->" in run("show", bug).out
    assert run("show", bug, "--json").json["facts"][0]["state"] == "regressed"
    assert run("show", "--list", "--json").json["facts"][0]["state"] == "regressed"
    assert run("check", "--ci").out == "all in order\n"


def test_what_was_called_false_stays_so(repo: Repo, run: Run) -> None:
    """A false alarm that is met again is neither born nor opened, and no log is written."""
    bug, _ = reported(run, "looks odd")
    assert run("append", "--invalidate", bug).code == 0
    logs = len(run("log", "--json").json["sessions"])
    assert reported(run, "looks odd") == (bug, "dismissed")
    assert len(run("log", "--json").json["sessions"]) == logs and found(run) == []


def test_two_clones_that_meet_one_bug_have_one_fact(repo: Repo, run: Run, tmp_path: Any) -> None:
    """Reported on both sides with other numbers, joined it is one fact, and nothing is contradicted."""
    repo.git("clone", "-q", ".", str(tmp_path / "other"))
    for home, line in ((repo.path, 3), (tmp_path / "other", 4)):
        memory = Memory.open(str(home), agent=home.name)
        bug = BugFound("race", f"lock is not held, {line} times", "src/q.py", "push", line)
        report(memory, (bug,), SessionDraft(title=""))
        memory.close()
    repo.git("pull", "-q", "--no-rebase", "--no-edit", str(tmp_path / "other"), "main")
    (one,) = found(run)
    assert one["state"] == "open" and run("conflicts", "--json").json["contradictions"] == []


@settings(
    max_examples=examples(60, 200), suppress_health_check=[HealthCheck.too_slow], deadline=None
)
@given(st.text(min_size=1, max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_whatever_a_program_writes_can_be_stored(message: str, path: str, symbol: str) -> None:
    """Odd characters, headings, comments, footers: the log of a report is canonical, or refused in words."""
    from rituals.review.finding_reports import NEW, Taken, _events, _line, _plain

    bug = _plain(BugFound("R" + message[:9], message, path, symbol))
    if bug.message:
        events = tuple(_events(Taken(bug, NEW)))
        log = SessionLog((("agent", "a"),), "T", _line(Taken(bug, NEW)), events)
        assert problems(log) == ()


# ---- verdicts -------------------------------------------------------------------------------------


def test_a_verdict_stands_in_the_header_and_in_the_list_of_logs(repo: Repo, run: Run) -> None:
    """By options and by JSON; a title is made for it, and the same verdict about another fact is another log."""
    assert run("note", "thread: id=work Retry?", "thread: id=more Again?").code == 0
    said = ("--verdict", "fail", "--about", "work,more", "--tokens", "1200", "--role", "judge")
    assert run("append", *said).code == 0
    data = b'{"verdict": "pass", "about": "work", "role": "judge", "tokens": "80"}'
    assert run("append", "--from-json", "-", stdin=data).code == 0
    passed, failed, _ = run("log", "--json").json["sessions"]
    assert (failed["verdict"], failed["about"], failed["tokens"]) == (
        "fail",
        ["work", "more"],
        1200,
    )
    assert failed["title"] == "Verdict: fail on work,more" and failed["role"] == "judge"
    assert (passed["verdict"], passed["about"], passed["tokens"]) == ("pass", ["work"], 80)
    assert "(judge: fail)" in run("log").out
    assert run("append", "--title", "T", "--verdict", "pass", "--about", "work").code == 0
    assert run("append", "--title", "T", "--verdict", "fail", "--about", "work").code == 0
    assert len(run("log", "--json").json["sessions"]) == 5
