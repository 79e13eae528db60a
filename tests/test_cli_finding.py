"""`diurna note --rule`: one bug is one fact, open, fixed or regressed; verdicts in the headers of logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Repo, Run, examples
from tests.world import OWN_REPOSITORY, Place, World

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


def test_what_was_called_false_stays_so(repo: Repo, run: Run) -> None:
    """A false alarm that is met again is neither born nor opened, and no log is written."""
    bug, _ = reported(run, "looks odd")
    assert run("append", "--invalidate", bug).code == 0
    logs = len(run("log", "--json").json["sessions"])
    assert reported(run, "looks odd") == (bug, "dismissed")
    assert len(run("log", "--json").json["sessions"]) == logs and found(run) == []


def test_two_clones_that_meet_one_bug_have_one_fact(world: World) -> None:
    """Reported on both sides with other numbers, joined it is one fact, and nothing is contradicted."""
    one = world.home(OWN_REPOSITORY, "one")
    two = one.fork("two")
    said = ("--rule", "race", "--path", "src/q.py", "--symbol", "push")
    bugs = {
        place.run("note", *said, f"lock is not held, {number} times").json["finding"]["id"]
        for number, place in ((3, one), (4, two))
    }
    one.git("pull", "-q", "--no-rebase", "--no-edit", str(two.folder), "main")
    assert {id: fact["state"] for id, fact in one.show().items()} == dict.fromkeys(bugs, "open")
    assert len(bugs) == 1 and one.run("conflicts").json["contradictions"] == []


def test_numbers_lines_and_spellings_of_a_path_are_no_part_of_a_bug(repo: Repo, run: Run) -> None:
    """The same from everybody who meets it; another rule, file, symbol or message is another bug."""

    def bug(
        message: str, rule: str = "sql-injection", path: str = "src/db.py", symbol: str = "find"
    ) -> Any:
        said = ("--rule", rule, "--path", path, "--symbol", symbol, message, "--dry-run", "--json")
        return run("note", *said).json["finding"]

    first = bug("query built from `name` at line 12")
    assert first["text"] == "sql-injection: query built from `name` at line N"
    assert bug("took 1,024.5 ms at 10:32:01, 3x")["text"] == "sql-injection: took N ms at N, Nx"
    text = "query built from `name` at line 4711"
    for same in (bug("query built  from `name` at line 4711"), bug(text, path="./src/db.py"),
                 bug(text, path="src\\db.py"), bug(text, rule="SQL-injection")):  # fmt: skip
        assert same["id"] == first["id"]
    others = (
        bug(text, rule="x"),
        bug(text, path="src/db2.py"),
        bug(text, symbol="save"),
        bug("by `id`"),
    )
    assert len({one["id"] for one in (*others, first)}) == 5


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with World(tmp_path_factory.mktemp("findings")) as world:
        yield world.home()


_WORDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=40)


@settings(max_examples=examples(12, 200))
@given(_WORDS, _WORDS, _WORDS, st.integers(0, 10**9), st.integers(0, 10**9))
def test_whatever_a_program_writes_can_be_stored(
    home: Place, message: str, path: str, symbol: str, one: int, two: int
) -> None:
    """Odd characters, headings, comments, footers: a log, or refused in words; any number may stand for another."""
    ids = set()
    for number in (one, two):
        said = (
            "--rule",
            f"R{message[:9]}",
            f"--path={path}",
            f"--symbol={symbol}",
            f"{message} {number} {message}",
        )
        answer = home.run("note", *said, "--dry-run", code=None)
        assert answer.code in (0, 1, 2), answer
        ids |= {answer.json["finding"]["id"] if answer.code == 0 else answer.said}
    assert len(ids) == 1


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
