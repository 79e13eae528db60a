"""The page of the timeline: its calendar, its parts by count, what sessions did, and its addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import cast
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from ledger.errors import NotFound
from ledger.model.order import key_of, stem_in
from ledger.model.session import Entry
from memory.api import Memory
from memory.query import visible_logs
from memory.query.session_timeline import Session, sessions_of
from projection.document.page_renderer import REDACTED
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages import timeline_page
from rituals.serve.web.pages.timeline_page import SESSIONS, OneDay
from rituals.serve.web.pictures.heatmap_picture import WEEKS, Day, heatmap, level, weeks_of
from rituals.serve.web.tip_view.tip_view import TipView
from tests.conftest import Repo, Run, each_row, examples
from tests.test_query_timeline import log
from tests.web_client import Client, client_of

#: On how many days there is a session; each fifth of them has two.
DAYS = 70


class Told:
    """A tip of which the timeline asks no more than this.

    Args:
        keys: of its logs, in order.
    """

    def __init__(self, keys: list[str]) -> None:
        self.entries = tuple([Entry(key, True, "ada", "work", (), ()) for key in keys])
        self.read: list[str] = []

    def sessions(self, keys: list[str]) -> tuple[Session, ...]:
        """Tell sessions by their stems alone."""
        self.read += keys
        return tuple(
            [Session(stem_in(key), "", "ada", "work", key, "", (), 0, False) for key in keys]
        )


def page_of(tip: Told, at: str = "") -> Page:
    """Return the page of a tip."""
    return timeline_page.timeline(cast("TipView", tip), {"at": at} if at else {})


def keys_on(page: Page) -> list[str]:
    """Return the keys of the logs that a page tells, newest first; `Told` has them as titles."""
    days: tuple[OneDay, ...] = page.values["days"]
    return [told.session.title for day in days for told in day.sessions]


def keys_of(stems: list[str]) -> list[str]:
    """Return the keys of logs, in ledger order."""
    return sorted({key_of(stem) for stem in stems})


@st.composite
def ledgers(draw: st.DrawFn) -> list[str]:
    """Names of logs as they come: sealed, by the second, by the day, with a word behind it; also twins."""
    days = st.sampled_from(["2024-02-29", "2024-12-31", "2025-01-01", "2026-05-01", "9999-12-31", "0001-01-01"])  # fmt: skip
    clocks = st.sampled_from(["", "-101500", "-101500-refactor", "-101500001", "-101500001-" + "a" * 26, "-notes"])  # fmt: skip
    few = st.lists(st.tuples(days, clocks), min_size=1, max_size=20)
    stems = [day + clock for day, clock in draw(few)]
    crowd = draw(st.integers(0, 3 * SESSIONS))
    stems += [f"2026-05-01-1015{number:05d}" for number in range(crowd)]
    keys = keys_of(stems)
    return sorted({*keys, *[f"{key}~{'b' * 40}" for key in keys[:1]]})


@settings(max_examples=examples(40))
@given(ledgers())
def test_each_session_stands_on_one_page(keys: list[str]) -> None:
    """From the newest page on `older` meets each session once, and these are the addresses of a site."""
    tip = Told(keys)
    seen: list[str] = []
    walked: list[str] = []
    page = page_of(tip)
    while True:
        shown = keys_on(page)
        assert 0 < len(shown) <= SESSIONS
        assert (page.values["first"], page.values["last"]) == (
            len(seen) + 1,
            len(seen) + len(shown),
        )
        seen += shown
        older = page.values["older"]
        if not older:
            break
        walked.append(older)
        before, page = page, page_of(tip, older)
        back = page_of(tip, page.values["newer"])
        assert keys_on(back) == keys_on(before)
    assert seen == keys[::-1]
    assert page.values["all"] == len(keys)
    listed = list(timeline_page.addresses(cast("TipView", tip)))
    asked = [parse_qs(urlsplit(address).query).get("at", [""])[0] for address in listed]
    assert asked == ["", *walked]


@settings(max_examples=examples(30))
@given(ledgers())
def test_each_day_of_the_calendar_leads_to_its_newest_session(keys: list[str]) -> None:
    """The link of a day is the place on this page, or on that one of the site on which the day begins."""
    tip = Told(keys)
    page = page_of(tip)
    sites = {"", *[parse_qs(urlsplit(one).query).get("at", [""])[0]
                   for one in timeline_page.addresses(cast("TipView", tip))]}  # fmt: skip
    counted: dict[str, int] = {}
    for key in keys:
        counted[key[:10]] = counted.get(key[:10], 0) + 1
    last = keys[-1][:10]
    for week in page.values["weeks"]:
        for row, day in enumerate(week.days):
            if day is None:
                continue
            said = date.fromordinal(week.monday.toordinal() + row).isoformat()
            assert day.sessions == counted[said]
            assert day.at in sites
            newest = max(key for key in keys if key[:10] == said)
            assert newest in keys_on(page_of(tip, day.at))
            assert day.here == (newest in keys_on(page))
    shown = sum(week.sessions for week in page.values["weeks"])
    year = date.fromisoformat(last).toordinal() - 7 * WEEKS
    least = [key for key in keys if date.fromisoformat(key[:10]).toordinal() > year + 7]
    assert len(least) <= shown <= len(keys)


def test_a_page_reads_its_own_sessions_alone() -> None:
    """Of 10,000 logs a page reads so many as it shows."""
    keys = [f"2026-05-{1 + number // 500:02d}-1015{number:05d}" for number in range(10_000)]
    tip = Told(keys)
    page = page_of(tip)
    assert tip.read == keys[-SESSIONS:]
    assert page.values["older"] == keys[-SESSIONS - 1][:20]
    assert len(list(timeline_page.addresses(cast("TipView", tip)))) == 250


@each_row(
    "at, newest",
    [
        ("2026-05-02", "2026-05-02-090000"),
        ("2026-05-01", "2026-05-01-101500-refactor"),
        ("2026-05-01+", "2026-05-01"),
        ("2026-05-01-notes", "2026-05-01+notes"),
        ("2026-05-01+notes", "2026-05-01+notes"),
        ("2026-05-01-1015", "2026-05-01-101500-refactor"),
        ("2026-05-01-101500", "2026-05-01-101500"),
        ("2026-05", "2026-05-02-090000"),
        ("2027", "2026-06-01-120000"),
        ("2026-05-20", "2026-05-02-090000"),
    ],
)
def test_a_page_begins_at_a_time_or_a_session(at: str, newest: str) -> None:
    """A day, a month, a year, a stem, the key of one: the newest session of it, or the last before it."""
    stems = ["2026-05-01", "2026-05-01-notes", "2026-05-01-101500", "2026-05-01-101500-refactor",
             "2026-05-02-090000", "2026-06-01-120000"]  # fmt: skip
    assert keys_on(page_of(Told(keys_of(stems)), at))[0] == newest


@each_row("at", ["tomorrow", "2026-13-01x", "../etc", "<script>", "1999-01-01", "%00"])
def test_what_is_no_time_is_not_found(at: str) -> None:
    """What names nothing, or a time before all sessions, is no page; it says how a day is written."""
    with pytest.raises(NotFound) as refused:
        page_of(Told(["2026-05-01-101500"]), at)
    assert refused.value.hint


def test_the_calendar_of_an_older_page_is_that_of_its_year() -> None:
    """A page that lies years back shows the days around it."""
    old = [f"2021-03-{day:02d}-101500" for day in range(1, 20)]
    new = [f"2026-05-{1 + number % 28:02d}-1015{number:05d}" for number in range(60)]
    tip = Told(sorted([*old, *new]))
    weeks = page_of(tip, "2021-03-31").values["weeks"]
    days = {week.monday.year for week in weeks for day in week.days if day is not None}
    assert days == {2021}
    assert len(weeks) <= WEEKS
    assert {week.monday.year for week in page_of(tip).values["weeks"]} == {2026}


def test_a_day_is_as_dark_as_it_is_busy() -> None:
    """The busiest quarter of the days is darkest; where all are alike, all are."""
    ordered = [1, 1, 2, 3, 5, 8, 13, 200]
    assert [level(one, ordered) for one in ordered] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert {level(one, [7, 7, 7]) for one in (7, 7, 7)} == {4}


def test_the_picture_has_a_link_and_a_name_for_each_day() -> None:
    """Each day with sessions can be clicked and is named; months are written where they begin."""
    days = {
        "2026-01-05": Day(2, "", True),
        "2026-02-03": Day(1, "2026-02-03-1", False),
        "2026-03-01": Day(9, "", True),
    }
    weeks = weeks_of(days, date(2026, 3, 1).toordinal())
    drawn = heatmap(weeks, lambda path, at: f"[{path}|{at}]")
    assert re.findall(r'href="([^"]+)"', drawn) == [
        "#d2026-01-05",
        "[/timeline#d2026-02-03|2026-02-03-1]",
        "#d2026-03-01",
    ]
    assert re.findall(r"<title>([^<]+)</title>", drawn) == [
        "2 on Mon 5 Jan 2026",
        "1 on Tue 3 Feb 2026",
        "9 on Sun 1 Mar 2026",
    ]
    assert re.findall(r">(\w+)</text>", drawn) == ["2026", "Feb"]
    assert drawn.count("h11v11h-11z") + drawn.count("<rect") == sum(
        len(week.days) for week in weeks
    )


@pytest.fixture
def home(repo: Repo) -> Repo:
    """A home with sessions on many days: who worked, what was done, a review, and hostile words."""
    ids = [f"fact-{number}" for number in range(9)]
    many = "\n".join([f"- {id} holds.\n  <!-- id: {id} | kind: fact -->" for id in ids])
    first = date(2026, 1, 5).toordinal()
    logs = {
        f"{date.fromordinal(first + number)}-{hour}0000": log("ada", f"Work of day {number}")
        for number in range(DAYS)
        for hour in ("09", "17")[: 1 if number % 5 else 2]
    }
    logs["2026-03-20-100000"] = log(
        "bob", "Nine facts", "We wrote down what holds in nine facts.", f"- Created: {', '.join(ids)}", many
    )  # fmt: skip
    logs["2026-03-21-100000"] = log(
        "cyd", "One <script>alert(1)</script> less", "The `first` decision about the queue fell, because it lost orders.",
        "- Superseded: fact-0 → fact-1\n- Referenced: fact-2, fact-3",
    )  # fmt: skip
    logs["2026-03-22-100000"] = "---\nagent: eve\ntype: review\n---\n# The review\n"
    for stem, text in logs.items():
        repo.write(f"memory/sessions/{stem}.md", text)
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "logs")
    return repo


@pytest.fixture
def browser(home: Repo) -> Client:
    """A browser of that home."""
    return client_of(home.path).login()


def test_the_page_tells_sessions_by_day(browser: Client) -> None:
    """Newest first, by day: title, agent, time, type, summary, and what was done, at most six ids of it."""
    page = browser.get("/timeline").text
    days = re.findall(r'<section class="day" id="d([\d-]+)">', page)
    assert days == sorted(days, reverse=True)
    assert days[:3] == ["2026-03-22", "2026-03-21", "2026-03-20"]
    shown = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Sunday, 22 March 2026 1 log The review eve 10:00 UTC review" in shown
    assert "bob 10:00 UTC We wrote down what holds in nine facts." in shown
    assert "created fact-0 , fact-1 , fact-2 , fact-3 , fact-4 , fact-5 and 3 more" in shown
    assert "superseded fact-0 → fact-1 used fact-2 , fact-3" in shown
    assert "The <code>first</code> decision about the queue fell" in page
    assert "<script>alert" not in page
    assert "One &lt;script&gt;alert(1)&lt;/script&gt; less" in page
    assert 'href="/session/2026-03-21-100000"' in page
    assert 'href="/fact/fact-1"' in page


def test_pages_lead_to_each_other(browser: Client) -> None:
    """`Older` and `Newer` go through all sessions; a day in the calendar is found where it leads to."""
    address, seen = "/timeline", []
    while address:
        page = browser.get(address)
        assert page.status == 200
        seen += re.findall(r'href="/session/([^"]+)"', page.text)
        found = re.search(r'href="([^"]+)" rel="next"', page.text)
        address = found[1] if found else ""
    assert len(seen) == len(set(seen)) == DAYS + DAYS // 5 + 3
    first = browser.get("/timeline").text
    places = re.findall(r'<a href="([^"#]*)#(d[\d-]+)" tabindex="-1">', first)
    assert len(places) == DAYS + 3
    for path, place in (places[0], places[len(places) // 2]):
        assert f'id="{place}"' in browser.get(path).text
    assert browser.get("/timeline?at=nonsense").status == 404


def test_the_calendar_has_a_twin_in_words(browser: Client) -> None:
    """The table beside the picture has the same counts, week by week."""
    page = browser.get("/timeline").text
    rows = re.findall(r'<tr><th scope="row">.*?</tr>', page, re.S)
    cells = [re.findall(r"<td>(\d*)</td>", row) for row in rows]
    drawn = sum(int(one) for one in re.findall(r"<title>(\d+) on ", page))
    assert sum(int(row[-1]) for row in cells) == drawn == DAYS + DAYS // 5 + 3
    assert all(sum(int(one or 0) for one in row[:-1]) == int(row[-1]) for row in cells)


def test_a_home_without_a_session_says_what_to_do(repo: Repo) -> None:
    """The empty page has one sentence and a command; so has an address that asks for a day."""
    browser = client_of(repo.path).login()
    page = browser.get("/timeline")
    assert page.status == 200
    assert "diurna append" in page.text
    assert "<svg" not in page.text
    assert browser.get("/timeline?at=2026-01-01").status == 404


@pytest.fixture
def memory(home: Repo) -> Iterator[Memory]:
    """That home, open."""
    found = Memory.open(str(home.path))
    yield found
    found.close()


def test_sessions_are_those_of_the_timeline(memory: Memory) -> None:
    """By their keys they are told as `diurna timeline` tells them; one that is not there is left out."""
    told = memory.timeline("2026-03-21", before="24h", after="24h").sessions
    wanted = [key_of(one.stem) for one in told]
    found = sessions_of(memory.snapshot, [*wanted, "2020-01-01-000000"])
    assert list(found) == wanted
    assert [one._replace(anchor=False) for one in told] == list(found.values())


def test_a_redacted_session_says_nothing(home: Repo, run: Run, memory: Memory) -> None:
    """The words of a redacted log are on no page."""
    assert run("redact", "2026-03-20-100000", "--reason", "private").code == 0
    page = client_of(home.path).login().get("/timeline").text
    assert "Nine facts" not in page
    assert "what holds in nine" not in page
    assert REDACTED in page


def test_a_session_is_read_once_for_a_tip(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page told is kept: the next one that shows it reads no log."""
    tip = TipView(memory, memory.state())
    keys = [entry.stem for entry in tip.entries[-3:]]
    told = tip.sessions(keys)

    def refuse(*given: object) -> None:
        raise AssertionError("a log is read again")

    monkeypatch.setattr(visible_logs, "read_bytes", refuse)
    assert tip.sessions(keys) == told
    with pytest.raises(AssertionError):
        tip.sessions([tip.entries[0].stem])
