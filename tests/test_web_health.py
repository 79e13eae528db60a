"""The page of how a memory lives: its numbers are those of the report, its pictures have them as a table."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from memory.api import Memory
from projection.fold.projection_state import TIERS
from rituals.report.lifecycle_report import Course, report
from rituals.review.review_plan import plan_review
from rituals.serve.web.pages.health_page import points
from rituals.serve.web.pictures import NARROW, WIDE, Tick, evenly, steps, ticks, tier_areas
from tests.conftest import Repo, Run, examples
from tests.test_query_timeline import log
from tests.web_client import Client, client_of

#: How many sessions follow the one in which the facts are born.
SESSIONS = 14


def write(repo: Repo, logs: list[str]) -> None:
    """Commit logs by hand, one a day."""
    for number, text in enumerate(logs):
        day = date.fromordinal(date(2026, 3, 1).toordinal() + number)
        repo.write(f"memory/sessions/{day}-100000.md", text)
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "logs")


def born(*ids: str) -> str:
    """Write what a log says of facts that it brings."""
    return "\n".join([f"- {id} holds.\n  <!-- id: {id} | kind: fact -->" for id in ids])


@pytest.fixture
def home(repo: Repo) -> Repo:
    """A home in which one fact is used on and on, and the others fade; two agents."""
    ids = ("fact-0", "fact-1", "fact-2", "fact-3")
    logs = [
        log("ada", "Begin", references=f"- Created: {', '.join(ids)}", facts=born(*ids)),
        log("bob", "Doubt", references="- Created: other", facts=born("other")),
    ]
    used = log("ada", "Work", references="- Referenced: fact-0")
    write(repo, [*logs, *[used] * SESSIONS])
    return repo


@pytest.fixture
def browser(home: Repo) -> Client:
    """A browser of that home."""
    return client_of(home.path).login()


def words(page: str) -> str:
    """Return what a page says, without markup."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_the_numbers_are_those_of_the_report(browser: Client, home: Repo) -> None:
    """Facts, live, faded, closed, false; by agent and by kind; the reviews."""
    memory = Memory.open(str(home.path))
    told = report(memory)
    page = words(browser.get("/health").text)
    whole = told.whole
    assert (
        f"facts in {told.sessions} work sessions {whole.facts} live {whole.live} faded {whole.faded} "
        f"closed {whole.closed} false now {whole.false}"
    ) in page
    for author in told.authors:
        assert f"{author.agent} {author.facts} {author.false} {author.unused}" in page
    for group in told.groups:
        assert f"{group.kind} {group.facts} {group.live} {group.faded}" in page
    assert f"{told.reviews.held} held, {told.reviews.skipped} skipped" in page
    assert "One is due now." in page
    memory.close()


def test_what_fades_next_is_what_a_review_says(browser: Client, home: Repo) -> None:
    """Each fact that goes to the archive soon, with the sessions that are left to it."""
    memory = Memory.open(str(home.path))
    soon = plan_review(memory).ageing.fading
    memory.close()
    page = browser.get("/health").text
    table = page.partition("Fading next")[2].partition("</section>")[0]
    rows = re.findall(r'href="/fact/([^"]+)".*?<td class="number">(-?\d+)</td>', table, re.S)
    assert rows == [(one.id, str(one.left)) for one in soon]
    assert rows


def test_what_rests_is_named(repo: Repo) -> None:
    """It is told from the headers of captured logs."""
    shown = log("ada", "Work", references="- Referenced: used")
    begin = log("ada", "Begin", references="- Created: loud, used", facts=born("loud", "used"))
    logs = [
        shown.replace("---\n#", f"session: s-{one}\nshown: loud, used\n---\n#") for one in range(20)
    ]
    write(repo, [begin, *logs])
    memory = Memory.open(str(repo.path))
    told = report(memory)
    memory.close()
    assert [one.id for one in told.resting] == ["loud"]
    page = browser_page(repo)
    section = words(page.partition("Resting")[2].partition("</section>")[0])
    assert section.endswith("loud 20")


def browser_page(repo: Repo) -> str:
    """Return the page of a home."""
    return client_of(repo.path).login().get("/health").text


def test_a_home_without_a_fact_says_what_to_do(repo: Repo) -> None:
    """One sentence and a command, no empty picture."""
    page = browser_page(repo)
    assert "diurna note" in page
    assert "<svg" not in page


def test_a_young_home_has_no_numbers_that_mean_nothing(repo: Repo, run: Run) -> None:
    """After one session nothing fades, nobody reviewed, and no median is made up."""
    assert run("append", "--title", "One", "--new", "id=one fact: The first.").code == 0
    page = words(browser_page(repo))
    assert "Nothing goes to the archive before the next review." in page
    assert "fact 1 1 0 –" in page


counts = st.lists(st.integers(0, 3000), min_size=6, max_size=6)


@settings(max_examples=examples(30))
@given(st.lists(counts, min_size=1, max_size=300))
def test_areas_lie_upon_each_other(rows: list[list[int]]) -> None:
    """At each point an area ends where the sum of the tiers up to it is, and the last one is drawn."""
    dates = [f"2026-01-{1 + number % 28:02d}" for number in range(len(rows))]
    tiers = [(tier, [row[place] for row in rows]) for place, tier in enumerate(TIERS)]
    drawn = tier_areas(dates, tiers, 220)
    areas = re.findall(r'<path class="t-([\w-]+)" d="M48 196L([^V]*)V196z">', drawn)
    assert [name for name, _ in areas] == list(reversed(TIERS))
    tops = [[int(point.split(" ")[1]) for point in line.split("L")] for _, line in reversed(areas)]
    assert all(8 <= y <= 196 for top in tops for y in top)
    for under, over in pairwise(tops):
        assert all(upper <= lower for lower, upper in zip(under, over, strict=True))
    most = max(1, *[sum(row) for row in rows])
    assert abs(tops[-1][-1] - (196 - sum(rows[-1]) * 188 / most)) <= 0.5
    for tier, row in tiers:
        assert f"<title>{tier}: {row[-1]:,} now</title>" in drawn


@given(st.integers(1, 10**7))
def test_the_axis_has_few_round_numbers(top: int) -> None:
    """From 0 on, at most six of them, and the next one would be too many."""
    found = steps(top)
    assert found[0] == 0
    assert 2 <= len(found) <= 6
    assert found[-1] <= top < found[-1] + found.step


@given(st.integers(0, 1000), st.integers(2, 240))
def test_points_are_chosen_evenly(count: int, most: int) -> None:
    """The first and the last one are among them, each once, in order."""
    found = evenly(count, most)
    assert len(found) == min(count, most)
    assert found == sorted(set(found))
    if count > 1:
        assert (found[0], found[-1]) == (0, count - 1)


def test_the_table_has_what_the_picture_shows() -> None:
    """Its first row is the last session; all rows are points of the course."""
    sessions = tuple(range(1, 101))
    rows = tuple(
        [(tier, tuple([one * place for one in sessions])) for place, tier in enumerate(TIERS)]
    )
    told = points(Course(sessions, tuple(["2026-01-01"] * 100), rows))
    assert (told[0][0], told[-1][0]) == (100, 1)
    assert all(
        counts == tuple([place * session for place in range(6)]) for session, _, counts in told
    )


@given(st.lists(st.tuples(st.integers(0, 40), st.text(max_size=30)), max_size=30))
def test_names_below_the_tiers_stand_apart(marks: list[tuple[int, str]]) -> None:
    """None above another one, on the narrowest screen; each mark has its link, and no name is markup."""
    rows = [[Tick(session, name, name) for session, name in sorted(marks)]]
    svg = ticks(rows, 40, lambda path, as_of: f"/?{len(as_of)}")
    assert svg.count("<line") == len(marks)
    names = re.findall(
        r'<text( class="roomy")? x="([\d.]+)%" y="15" text-anchor="(\w+)">([^<]*)</text>', svg
    )
    for letter, there in ((WIDE, names), (NARROW, [one for one in names if not one[0]])):
        spans = []
        for _, x, anchor, name in there:
            wide = letter * len(unescape(name))
            left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            spans.append((left, left + wide))
        spans.sort()
        assert all(one[1] <= other[0] + 0.01 for one, other in pairwise(spans))
    assert set(re.findall(r"<(\w+)", svg)) <= {"svg", "a", "title", "line", "text"}
