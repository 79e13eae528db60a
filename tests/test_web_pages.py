"""What pages say: a table of addresses (`tests/web/pages.txt`), and laws over all that a page leads to."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest

from rituals.hosts.observation_spool import Observation, spool_of
from tests.conftest import Repo, Run
from tests.web import homes
from tests.web_client import Client, client_of, main_of

TABLE = Path(__file__).parent / "web" / "pages.txt"


class Row(NamedTuple):
    """An address, and what its page says: (sign, words) as the table has it."""

    address: str
    status: int
    claims: list[tuple[str, str]]


def rows_of(text: str) -> dict[str, list[Row]]:
    """Read the table, by home."""
    found: dict[str, list[Row]] = {}
    home = ""
    for line in text.split("\n"):
        sign, _, said = line.partition(" ")
        if sign in ("+", "-", "=", ">"):
            found[home][-1].claims.append((sign, said))
        elif line and sign != "#":
            address, _, status = said.partition(" ")
            home = sign
            found.setdefault(home, []).append(Row(address, int(status or 200), []))
    return found


ROWS = rows_of(TABLE.read_text("utf-8").partition("\n\n")[2])


def words_of(html: str) -> str:
    """Return the words of a page's main part, parted by single blanks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main_of(html).partition(">")[2])).split())


def links_of(html: str) -> list[str]:
    """Return the addresses that a page leads to."""
    return [unescape(one) for one in re.findall(r'href="([^"]+)"', html)]


def facts_of(html: str) -> list[str]:
    """Return the facts of the rows of a page, in their order."""
    return re.findall(r'<a class="id whole" href="/fact/([^"]+)"', main_of(html))


def alike(address: str) -> object:
    """Return what an address asks for, in whichever order."""
    parts = urlsplit(address)
    return parts.netloc, parts.path, sorted(parse_qsl(parts.query)), parts.fragment


def faults_of(client: Client, row: Row) -> Iterator[str]:
    """Say what a page does not say as the table has it."""
    answer = client.get(row.address)
    words, links, behind = words_of(answer.text), links_of(answer.text), 0
    if answer.status != row.status:
        yield f"{answer.status}"
    for sign, said in row.claims:
        at = words.lower().find(said.lower(), behind)
        if sign == "+" and at < 0:
            yield f"{said!r} stands not in {words[behind:][:400]!r}"
        elif sign == "+":
            behind = at + len(said)
        elif sign == "-" and said.lower() in words.lower():
            yield f"{said!r} stands there"
        elif sign == "=" and facts_of(answer.text) != said.split():
            yield f"{facts_of(answer.text)}, not {said}"
        elif sign == ">" and not any(
            alike(one) == alike(said) or (said[:4] == "http" and one.startswith(said))
            for one in links
        ):
            yield f"no link to {said} among {[one for one in links if one.startswith(said[:3])]}"


@pytest.fixture(scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """Of a home."""
    return str(request.param)


@pytest.fixture(scope="module")
def client(name: str, tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A browser of that home, which has seen its first page."""
    found = client_of(homes.laid(name, tmp_path_factory.mktemp("pages") / "one")).login()
    assert found.get("/").status == 200
    return found


@pytest.mark.parametrize("name", ROWS, indirect=True)
def test_each_page_says_what_the_table_says(client: Client, name: str) -> None:
    """Its words in their order, its facts, its links; and no address is a fault."""
    found = {row.address: list(faults_of(client, row)) for row in ROWS[name]}
    assert {address: faults for address, faults in found.items() if faults} == {}


@pytest.mark.deep(but="contradicted", reason="contradicted is small")
@pytest.mark.parametrize("name", ["contradicted", "plain", "people"], indirect=True)
def test_every_link_leads_to_a_page_and_every_number_to_so_many(client: Client, name: str) -> None:
    """From the first page on; each place that a link names is there, and each number of facts is that of its list."""
    pages: dict[str, str] = {}
    queue = ["/"]
    while queue:
        address = queue.pop(0)
        answer = client.get(address)
        assert answer.status == 200, address
        pages[address] = answer.text
        for link in links_of(answer.text):
            to = link.partition("#")[0]
            # of filters combined with filters there is no end; in the gate the numbers lead to those of one
            deep = to.count("=") > (name != "contradicted")
            if to.startswith("/") and not deep and to not in pages and to not in queue:
                queue.append(to)
    assert len(pages) > 25
    for address, html in pages.items():
        for link in links_of(main_of(html)):
            to, _, place = link.partition("#")
            if place and (to or address) in pages:
                assert f'id="{unescape(place)}"' in pages[to or address], (address, link)
    numbers = re.findall(r'<a href="(/facts[^"]*)">([\d,]+)</a>', pages["/health"])
    assert len(numbers) > 8
    for address, number in numbers:
        assert f"{number} fact" in words_of(client.get(unescape(address)).text), address


def test_now_is_the_page_that_is_published(repo: Repo, run: Run) -> None:
    """Its sections in their order, the most used first; what somebody writes is on the next page."""
    client = client_of(repo.path).login()
    assert "Nothing is remembered yet" in client.get("/").text
    new = ("id=a invariant: Rule A.", "id=b fact: It is B.", "id=c fact: It is C.")
    run("append", "--title", "One", *[word for one in new for word in ("--new", one)])
    run("append", "--title", "Two", "--ref", "c")
    assert run("check", "--publish").code == 0
    published = re.findall(
        r"^## (.+)$", (repo.path / "memory/continuity.md").read_text(), re.MULTILINE
    )
    html = client.get("/").text
    titles = [one for one in re.findall(r"<h2>(.*?) <small>", html) if one in published]
    assert titles == [one for one in published if one in titles] and len(titles) == 2
    assert facts_of(html) == ["a", "c", "b"]


@pytest.mark.deep(reason="each_page_says_what_the_table_says has lists of few")
def test_a_long_list_is_cut_into_pages_that_hold_all_of_it_once(repo: Repo, run: Run) -> None:
    """A hundred on a page, whatever number stands in the address; the first page shows the first of each section."""
    texts = [
        f"id=fact-{n} {('fact', 'decision', 'convention')[n % 3]}: Number {n}. {'Words. ' * 60}"
        for n in range(105)
    ]
    for start in range(0, len(texts), 35):
        words = [word for one in texts[start : start + 35] for word in ("--new", one)]
        assert run("append", "--title", f"Part {start}", *words).code == 0
    client = client_of(repo.path).login()
    first, second = (facts_of(client.get(f"/facts?page={page}").text) for page in (1, 2))
    assert (len(first), len(second), len({*first, *second})) == (100, 5, 105)
    for said in ("99", "9" * 30):
        assert facts_of(client.get(f"/facts?page={said}").text) in (second, first)
    for said in ("", "0", "-1", "x"):
        assert facts_of(client.get(f"/facts?page={said}").text) == first
    now = client.get("/").text
    assert len(now.encode()) <= 45_000 and len(facts_of(now)) <= 50
    whole = [one for one in links_of(now) if one.startswith("/facts?kind=")]
    assert len(whole) == 3
    assert sum(len(facts_of(client.get(one).text)) for one in whole) == 105


LOG = (
    "---\nagent: {}\ntype: {}\n---\n# {}\n\nIt went.\n\n## Memory References\n\n- Referenced: it\n"
)


def test_the_timeline_has_each_session_once(repo: Repo) -> None:
    """Its pages have all of them, whatever logs are called, and lead back."""
    names = "2026-05-01 2026-05-01-notes 2026-05-01-101500 2026-05-01-101500-refactor 2026-05-02-090000 2027-01-01".split()
    names += [f"2026-06-01-1015{number:05d}" for number in range(90)]
    for number, name in enumerate(names):
        repo.write(f"memory/sessions/{name}.md", LOG.format("ada", "work", f"Log {number}"))
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "logs")
    client, seen, pages = client_of(repo.path).login(), [], []
    address = "/timeline"
    while address:
        html = main_of(client.get(address).text)
        shown = re.findall(r'id="s-([^"]+)"', html)
        assert 0 < len(shown) <= 40
        pages.append((address, shown))
        seen += shown
        older = re.search(r'href="([^"]+)" rel="next"', html)
        address = unescape(older[1]) if older else ""
    assert sorted(seen) == sorted(names) and len(pages) == 3
    for (_, before), (address, _) in pairwise(pages):
        newer = re.search(r'href="([^"]+)" rel="prev"', client.get(address).text)
        assert (
            newer and re.findall(r'id="s-([^"]+)"', client.get(unescape(newer[1])).text) == before
        )


def test_how_a_fact_came_is_told_event_by_event(repo: Repo, run: Run) -> None:
    """Newest first, uses in a row as one; a text beside those that it replaced; each event has a place for good."""

    def tell(title: str, *words: str) -> None:
        assert run("append", "--title", title, "--agent", "claude", *words).code == 0

    tell("Born", "--new", "id=a fact: Ten seconds.")
    for number in range(3):
        tell(f"Used {number}", "--ref", "a")
    tell("Said", "--update", "a", "Twenty **seconds**.", "--ref", "a")
    client = client_of(repo.path).login()
    html = main_of(client.get("/fact/a").text)
    said = words_of(client.get("/fact/a").text)
    assert "Used in 4 sessions" in said
    assert (
        said.index("Twenty")
        < said.index("Said")
        < said.index("Used 2")
        < said.index("Used 0")
        < said.index("Born")
    )
    assert "<del>Ten</del><ins>Twenty</ins> seconds." in html
    places = re.findall(r'<li id="([^"]+)"', html)
    assert len(set(places)) == len(places) == 6
    assert all(html.count(f'href="#{place}"') == 1 for place in places)
    tell("Later", "--ref", "a")
    assert re.findall(r'<li id="([^"]+)"', client.get("/fact/a").text)[1:] == places


def test_how_long_nobody_was_seen_is_the_real_time(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whoever works at a task; rounded to one unit."""
    from tests.conftest import NOW_MS

    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS - 2 * 3_600_000))
    run("task", "add", "Wire it", "--id", "wire")
    assert run("task", "start", "wire").code == 0
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    listed = json.loads(run("task", "list", "--json").out)["tasks"]
    assert listed[0]["stale"]
    spool = spool_of(f"{repo.path}/.git", "codex", "one")
    spool.add(Observation(NOW_MS, "edit", "", "a.py"))
    os.utime(spool.path, (0, NOW_MS / 1000 - 180))
    said = words_of(client_of(repo.path).login().get("/tasks").text)
    assert "stale: no activity for 2 hours" in said
    assert "Sessions at work 1 codex active 3 minutes ago" in said


# ---- how pages look -------------------------------------------------------------------------------

_STYLE = Path(__file__).parent.parent / "rituals/serve/web/html/static/diurna.css"


def test_every_colour_can_be_read() -> None:
    """Of texts on each ground that they stand on, light and dark, a contrast of 4.5; of edges of inputs one of 3."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", _STYLE.read_text())
    colours = {name: both for name, *both in pairs}

    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join([2 * digit for digit in colour[1:]])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    words = "ink soft accent core working active fading archived superseded".split()
    asked = [
        (one, ground, 4.5) for one in words for ground in ("ground", "card", "hover", "attention")
    ]
    asked += [
        ("on-accent", "accent", 4.5),
        ("ink", "new", 4.5),
        ("ink", "gone", 4.5),
        ("edge", "ground", 3),
        ("edge", "card", 3),
    ]
    for one, other, least in asked:
        for scheme in (0, 1):
            light, dark = sorted(
                [luminance(colours[name][scheme]) for name in (one, other)], reverse=True
            )
            assert (light + 0.05) / (dark + 0.05) >= least, (one, other, scheme)
