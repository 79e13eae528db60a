"""`diurna review --report`: what it says of lives, and of how facts were met."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from ledger.codec.log import entry_of
from ledger.home import discover
from ledger.model.event import (
    Event,
    FactCreated,
    FactReferenced,
)
from ledger.model.session import Entry, SessionLog
from memory import Memory, SessionDraft
from projection.lifecycle.lives import lives_of
from projection.lifecycle.statistics import reviews_of
from projection.policy.model import Policy
from projection.policy.model import Review as Limits
from rituals.report.lifecycle_report import MOST_POINTS, Report, report_on
from tests.conftest import laid_once
from tests.web_client import client_of

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

DAY_MS = 86_400_000
START_MS = 1_793_000_000_000  # 2026-10-26


@laid_once
def lived(repo: Repo, run: Run) -> None:
    """Fourteen work sessions, one a day, with windows of 1, 2 and 3; three facts fade."""
    home = repo.path / "memory" / "diurna.toml"
    text = home.read_text()
    for key, number in (("working", 1), ("active", 2), ("archive", 3), ("every", 4)):
        old = next(line for line in text.split("\n") if line.startswith(f"{key} "))
        text = text.replace(old, f"{key} = {number}")
    home.write_text(text)
    repo.git("commit", "-qam", "policy")
    born = [f"id=fact-{number} decision: Number {number} is chosen." for number in range(4)]
    sessions: list[tuple[str, ...]] = [
        ("--new", born[0], "--new", born[1]), ("--new", born[2]), ("--ref", "fact-1"),
        ("--new", born[3], "--agent", "codex"), (), (), (), (), ("--ref", "fact-0"),
        ("--supersede", "fact-3=fact-0"), (), (), (), (),
    ]  # fmt: skip
    for number, said in enumerate(sessions):
        os.environ["DIURNA_NOW"] = str(START_MS + number * DAY_MS)
        assert run("append", "--title", f"Session {number + 1}", *said).code == 0


WHOLE = """\
shop: 4 facts, 14 work sessions, 2026-10-26 to 2026-11-08
cost: not known yet

how they lived, with medians
  decision  4 facts: 3 faded, 1 false
  uses        1 (1–2)
  faded       5 times, at the age of 4 sessions, 4 days
  superseded  1 time
  came back   1 time

who created what is false now
  codex  1 of 1 fact
  claude-code  0 of 3 facts; 1 faded without a use

reviews
  0 held, 2 skipped
  one is due every 4 work sessions; one is due now
"""


def test_report_as_text(lived: Repo, run: Run) -> None:
    """By kind, by agent, and the reviews; it writes nothing."""
    before = lived.shape()
    ran = run("review", "--report")
    assert (ran.code, ran.out) == (0, WHOLE)
    assert "no fact" not in ran.err
    assert lived.shape() == before


def test_report_as_json(lived: Repo, run: Run) -> None:
    """The numbers, the course of the tiers, and each fact's moments; few numbers have no quartiles."""
    found = run("review", "--report", "--json").json
    (decision,) = found["kinds"]
    assert found["format"] == 1
    assert decision == {"kind": "decision", **found["all"]}
    assert decision["standing"] == {"live": 0, "faded": 3, "closed": 0, "false": 1}
    assert decision["faded"]["age_sessions"] == {"lower": 4, "median": 4, "upper": 6}
    assert decision["superseded"] == {"count": 1, "age_sessions": None, "age_days": None}
    assert found["reviews"] == {"every": 4, "held": 0, "early": 0, "skipped": 2, "due": True}
    course = found["course"]
    assert course["sessions"] == list(range(1, 15))
    assert course["tiers"]["archived"] == [0, 0, 0, 0, 1, 2, 3, 4, 3, 2, 2, 2, 2, 3]
    facts = {one["id"]: one for one in found["facts"]}
    told = [(one["what"], one["session"], one["age_days"]) for one in facts["fact-0"]["moments"]]
    assert told == [("faded", 5, 4), ("returned", 9, 8), ("faded", 14, 13)]
    assert facts["fact-3"]["agent"] == "codex"
    tiers = run("status", "--json").json["tiers"]
    assert {tier: row[-1] for tier, row in course["tiers"].items()} == tiers


def test_nothing_to_tell(repo: Repo, run: Run) -> None:
    """No fact is no failure."""
    ran = run("review", "--report")
    assert (ran.code, ran.err) == (0, "no fact yet\n")
    assert ran.out.startswith("shop: 0 facts, 0 work sessions\n")


def entries(count: int, *, reviews: tuple[int, ...] = ()) -> list[Entry]:
    """Make work logs that each create a fact and use that of ten before, and reviews behind some."""
    found = []
    for number in range(count):
        day, month, year = number % 28 + 1, number // 28 % 12 + 1, 2000 + number // 336
        stem = f"{year:04d}-{month:02d}-{day:02d}-100000"
        events = (FactCreated(f"f{number}", "One."), FactReferenced(f"f{max(number - 10, 0)}"))
        found.append(entry_of(stem, SessionLog((("agent", "ada"),), "T", "", events)))
        if number + 1 in reviews:
            found.append(entry_of(f"{stem}-r", SessionLog((("type", "review"),), "T", "", ())))
    return found


def told(count: int) -> Report:
    """Report on so many work logs."""
    logs = entries(count)
    return report_on(lives_of(logs, Policy()), logs, Policy())


def test_long_ledgers_have_few_points_and_whole_ends() -> None:
    """However many sessions: few points, the first and the last among them, and counts that add up."""
    assert told(2).course.sessions == (1, 2)
    found = told(2000)
    course = found.course
    assert len(course.sessions) == MOST_POINTS == len(set(course.sessions))
    assert (course.sessions[0], course.sessions[-1]) == (1, 2000)
    assert [sum(column) for column in zip(*[row for _, row in course.tiers], strict=True)] == list(
        course.sessions
    )


@pytest.mark.parametrize(
    ("count", "reviews", "told"),
    [
        (9, (), (0, 0, 0, False)),
        (10, (), (0, 0, 0, True)),
        (20, (), (0, 0, 1, True)),
        (20, (10, 20), (2, 0, 0, False)),
        (35, (19, 22), (2, 1, 0, True)),
        (45, (35,), (1, 0, 2, True)),
    ],
)
def test_skipped_reviews(count: int, reviews: tuple[int, ...], told: tuple[int, ...]) -> None:
    """One that fell due and was not held before the next fell due; early ones are told."""
    assert reviews_of(entries(count, reviews=reviews), Policy())[1:] == told
    never = Policy(review=Limits(every=0))
    assert reviews_of(entries(count, reviews=reviews), never)[1:] == (len(reviews), 0, 0, False)


# ---- how facts were met ---------------------------------------------------------------------------


def tell(title: str, *events: Event, **header: str) -> None:
    """Append a log with these keys in its header."""
    memory = Memory(discover("."), agent="claude-code", clock=lambda: START_MS)
    session = header.pop("session", "")
    pairs = (*((("session", session),) if session else ()), *header.items())
    memory.append(SessionDraft(title, "", events, header=pairs), again=True)
    memory.close()


def facts_of(said: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the facts of a report by id."""
    return {one["id"]: one for one in said["facts"]}


@laid_once
def met(repo: Repo, run: Run) -> None:
    """Three facts that were shown to 20 sessions."""
    assert run("note", "id=retries decision: Webhooks retry.", "id=quiet Nobody needs this.",
               "id=q question: expect=retries Do webhooks retry?").code == 0  # fmt: skip
    for number in range(20):
        tell("Work", session=f"s{number}", shown="retries, quiet, gone")
    tell("More", session="s1", shown="quiet, +7", told="retries", characters="40, told 90")
    tell("Used", FactReferenced("retries"), session="s1", told="quiet", characters="1000")
    tell("Odd", session="s2", characters="many, told -3")


def test_report_tells_how_facts_were_met(met: Repo, run: Run) -> None:
    """Shown and told count sessions, not logs; what was shown to 20 since its last use rests; sums of characters."""
    said = run("review", "--report", "--json").json
    assert said["shown"] == {"sessions": 20, "resting": ["quiet"]}
    costs = {one["session"]: (one["shown"], one["told"]) for one in said["costs"]}
    assert costs == {"s1": (1040, 90), "s2": (0, 0)}
    facts = facts_of(said)
    assert (facts["retries"]["shown"], facts["retries"]["uses"]) == (20, 2)
    assert facts["quiet"]["shown"] == 20
    assert {id: one["told"] for id, one in facts.items() if one["told"]} == {
        "retries": 1,
        "quiet": 1,
    }
    ran = run("review", "--report")
    assert "\n  shown  2 facts to 20 sessions\n  told   2 facts when needed\n" in ran.out
    assert "\n  rests  shown often since the last use, and no longer in briefs: quiet\n" in ran.out
    assert (
        "0 characters shown and 0 told a session, 1,130 a day (medians of 2 sessions on 1 day)"
        in ran.out
    )


def test_pages_list_how_facts_were_met(met: Repo) -> None:
    pages, row = client_of(met.path).login(), 'class="id whole" href="/fact/'
    lists = [pages.get(f"/facts?list={one}").text for one in ("resting", "never")]
    assert [[f'{row}{id}"' in html for id in ("quiet", "retries")] for html in lists] == [
        [True, False]
    ] * 2


def test_headers_that_say_nonsense_are_passed_over(repo: Repo, run: Run) -> None:
    """Whatever a log has there, the report is made."""
    for value in ("-1/2", "7", "1/2/3", "९/9", "9" * 400 + "/1", "/", "x"):
        tell("Odd", shown=f"{value}, ../x, +-3, +9e9", told="‮" + value, characters=value)
        tell("Odd", quiz=value, shown=value, verdict=value, tokens=value)
    assert run("review", "--report", "--json").json["facts"] == []
    assert run("review", "--report").code == 0
