"""The page of the timeline: its parts by count, what sessions did, and its addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from ledger.errors import NotFound
from ledger.model.event import Event, FactCreated
from ledger.model.order import key_of, stem_in
from ledger.model.session import Entry
from memory.api import Memory
from memory.query import visible_logs
from memory.query.session_timeline import Session, sessions_of
from projection.document.page_renderer import REDACTED
from projection.fold.fact_history import REDACTED_TEXT
from projection.policy.model import Policy
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages import timeline_page
from rituals.serve.web.pages.session_page import told_once
from rituals.serve.web.pages.timeline_page import SESSIONS
from rituals.serve.web.tip_view.tip_logs import LogWriters, folded, folded_in
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
        self.log_writers = LogWriters(self.entries, lambda stems: {})
        self.standings: dict[str, object] = {}
        self.state = SimpleNamespace(policy=Policy())
        self.folded = folded(self.entries)
        self.releases = ()
        self.read: list[str] = []

    def sessions(self, keys: list[str]) -> tuple[Session, ...]:
        """Tell sessions by their stems alone."""
        self.read += [key for key in keys if key not in self.read]
        return tuple(
            [Session(stem_in(key), "", "ada", "work", key, "", (), 0, False) for key in keys]
        )


def page_of(tip: Told, at: str = "") -> Page:
    """Return the page of a tip."""
    return timeline_page.timeline(cast("TipView", tip), {"at": at} if at else {})


def keys_on(page: Page) -> list[str]:
    """Return the keys of the logs that a page tells, newest first; `Told` has them as titles."""
    return [told["session"].title for day in page.values["days"] for told in day["sessions"]]


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
    """From the newest page on `older` meets each session once."""
    tip = Told(keys)
    seen: list[str] = []
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
        before, page = page, page_of(tip, older)
        back = page_of(tip, page.values["newer"])
        assert keys_on(back) == keys_on(before)
    assert seen == keys[::-1]
    assert page.values["all"] == len(keys)


def test_a_page_reads_its_own_sessions_alone() -> None:
    """Of 10,000 logs a page reads so many as it shows."""
    keys = [f"2026-05-{1 + number // 500:02d}-1015{number:05d}" for number in range(10_000)]
    tip = Told(keys)
    page = page_of(tip)
    assert tip.read == keys[-SESSIONS:]
    assert page.values["older"] == keys[-SESSIONS - 1][:20]


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


def told(day: int, kind: str, *events: Event, named: tuple[str, ...] = ()) -> Entry:
    """Return a log of a day of May, at ten."""
    return Entry(
        f"2026-05-{day:02d}-100000{len(events)}00", kind == "work", "ada", kind, named, events
    )


def test_an_import_stands_below_the_session_that_it_tells() -> None:
    """The nearest of about the same day that made or names a fact of it; what none names stands for itself.

    A clock of another zone may have put the session behind it.
    """
    made = FactCreated("c", "C.")
    entries = [
        told(1, "work", named=("a",)),
        told(2, "work", named=("a", "b")),
        told(2, "import", FactCreated("a", "A.")),
        told(2, "import", FactCreated("other", "O."), FactCreated("more", "M.")),
        told(3, "review", FactCreated("b", "B.")),
        told(4, "import", FactCreated("b", "B.")),
        told(7, "import", made),
        told(7, "work", made, FactCreated("d", "D.")),
        told(8, "work", named=("c",)),
    ]
    assert folded_in(entries) == {
        entries[2].stem: entries[1].stem,
        entries[6].stem: entries[7].stem,
    }


def test_a_session_is_told_in_the_words_of_its_facts(repo: Repo, run: Run) -> None:
    """As they were then, by kind; what replaced what, what was closed; and nothing of a redacted one."""
    for title, *words in (
        ("One", "--new", "id=ten decision: Ten seconds.", "--new", "id=t thread: Is it enough?", "--new", "id=s fact: Xaver."),
        ("Two", "--new", "id=note fact: A note.", "--new", "id=one decision: One minute.", "--supersede", "ten=one", "--close", "t"),
        ("Three", "--update", "one", "Two minutes.", "--update", "t", "Was it enough?", "--ref", "note"),
        ("Four", "--supersede", "note=one"),
    ):  # fmt: skip
        assert run("append", "--title", title, *words).code == 0
    assert run("redact", "s", "--reason", "a name of a person").code == 0
    memory = Memory.open(str(repo.path))
    page = timeline_page.timeline(TipView(memory, memory.state()), {})
    rows = [one for day in page.values["days"] for one in day["sessions"]][::-1]
    said = {
        row["session"].title: [(one.word, one.kind, one.text, one.instead) for one in row["said"]]
        for row in rows
    }
    assert said["Two"] == [
        ("new", "decision", "One minute.", ("ten",)), ("new", "fact", "A note.", ()),
        ("closed", "thread", "Is it enough?", ()),
    ]  # fmt: skip
    assert said["Three"] == [
        ("reworded", "decision", "Two minutes.", ()), ("reworded", "thread", "Was it enough?", ()),
    ]  # fmt: skip
    assert said["Four"] == [("replaces", "decision", "Two minutes.", ("note",))]
    assert ("new", "fact", REDACTED_TEXT, ()) in said["One"]
    assert [[(one.verb, one.facts) for one in row["deeds"]] for row in rows[1:3]] == [
        [],
        [("used", (("note",),))],
    ]
    assert page.values["said"] == "4 work sessions, 1 edit"
    memory.close()


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
    assert re.search(
        r"Sunday, 22 March 2026 1 review The review \w+ by eve 10:00 UTC review", shown
    )
    assert "by bob 10:00 UTC We wrote down what holds in nine facts." in shown
    words = " ".join([f"fact fact-{number} holds. fact-{number}" for number in range(5)])
    assert f"{words} and 4 more facts" in shown
    assert "fact, replaces fact-1 holds. fact-1 instead of fact-0 used fact-2 , fact-3" in shown
    assert f"{DAYS + DAYS // 5 + 2} work sessions, 1 review." in shown
    assert "The <code>first</code> decision about the queue fell" in page
    assert "<script>alert" not in page
    assert "One &lt;script&gt;alert(1)&lt;/script&gt; less" in page
    assert 'href="/session/2026-03-21-100000"' in page
    assert 'href="/fact/fact-1"' in page


def test_the_page_is_filtered_and_its_links_keep_that(browser: Client) -> None:
    """By agent, person, kind and time; an address that asks wrongly says so, and one without an answer, too."""

    def asked(query: str) -> tuple[str, list[str]]:
        page = browser.get(f"/timeline?{query}").text
        return page, re.findall(r'href="/session/([^"]+)"', page)

    assert asked("agent=bob")[1] == ["2026-03-20-100000"]
    assert asked("kind=fact")[1] == ["2026-03-21-100000", "2026-03-20-100000"]
    assert asked("since=2026-03-21&until=2026-03-21")[1] == ["2026-03-21-100000"]
    page, _ = asked("agent=ada")
    assert "84 work sessions." in page
    assert re.search(r'href="/timeline\?agent=ada&amp;at=[^"]+" rel="next"', page)
    assert all("agent=ada" in one for one in re.findall(r'href="(/timeline\?at=[^"]*)"', page))
    assert "No session was so." in asked("agent=nobody")[0]
    assert "No session was so." in asked("agent=nobody&at=2026-03-20")[0]
    assert "There is no kind nonsense" in asked("kind=nonsense")[0]


def test_pages_lead_to_each_other(browser: Client) -> None:
    """`Older` and `Newer` go through all sessions."""
    address, seen = "/timeline", []
    while address:
        page = browser.get(address)
        assert page.status == 200
        seen += re.findall(r'href="/session/([^"]+)"', page.text)
        found = re.search(r'href="([^"]+)" rel="next"', page.text)
        address = found[1] if found else ""
    assert len(seen) == len(set(seen)) == DAYS + DAYS // 5 + 3
    assert browser.get("/timeline?at=nonsense").status == 404


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
    """By their keys they are told as `diurna recall --level timeline` tells them; one that is not there is left out."""
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


def test_what_a_log_did_is_told_once_also_where_it_did_much() -> None:
    """A bullet of very many ids and remarks takes no longer for each of them."""
    ids = ", ".join([f"fact-{number} (was 00000000)" for number in range(2000)])
    log = f"## Memory References\n\n- Referenced: {ids} (all of them)\n- Created: {ids}\n"
    assert told_once(log, ()) == f"## Memory References\n\n- Referenced: {ids} (all of them)"
