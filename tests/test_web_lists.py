"""The filter that all lists share, the decisions by week, and the lists of facts that numbers lead to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

pytest.importorskip("jinja2")

from ledger.model.event import Event, FactCreated, FactReferenced, FactSuperseded
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.views.decision_view import numbered
from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.html.word_differences import word_marks
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages import (
    decisions_page,
    facts_page,
    health_page,
    now_page,
    search_page,
    timeline_page,
)
from rituals.serve.web.pages.fact_list import FIELDS, filter_bar, page_of
from rituals.serve.web.tip_view.tip_view import TipView, TipViews
from tests.conftest import Repo, Run, each_row
from tests.test_web_html import Read, frame_of

_DAY_MS = 86_400_000
#: A Wednesday.
_START_MS = 1_790_000_000_000


@pytest.fixture
def home(repo: Repo) -> Iterator[Memory]:
    """A home of two people and two agents, over three weeks."""
    days = iter(range(60))

    def say(person: str, agent: str, title: str, *events: Event) -> None:
        repo.git("config", "user.name", person)
        memory = Memory.open(str(repo.path), agent=agent)
        memory._clock = lambda: _START_MS + next(days) * 4 * _DAY_MS
        memory.append(SessionDraft(title, f"It went: {title}.", events, anyway=True))
        memory.close()

    decision, fact = ("kind", "decision"), ("kind", "fact")
    say("Ada Park", "claude", "One",
        FactCreated("once", "A webhook is sent once.", "", (decision, ("entity", "Kafka"))),
        FactCreated("port", "The port is 8080.", "", (fact,)))  # fmt: skip
    say("Ben Okafor", "codex", "Two",
        FactCreated("retries", "Webhooks retry thrice, because shops sleep at night.", "",
                    (decision, ("entity", "kafka, Redis"))),
        FactSuperseded("once", "retries"))  # fmt: skip
    say("Ada Park", "codex", "Three", FactReferenced("port"),
        FactCreated("judge-it", "Ask for figures.", "", (decision, ("role", "judge"))))  # fmt: skip
    memory = Memory.open(str(repo.path), agent="claude")
    yield memory
    memory.close()


Tip = Callable[[], TipView]


@pytest.fixture
def tip(home: Memory) -> Tip:
    """Return the tip of that home as it stands."""
    views = TipViews()
    return lambda: views.of(home)


def told(tip: TipView, page: Page) -> str:
    """Return a page as a browser is sent it."""
    return Renderer().render(page, frame_of(tip))


def words_of(html: str) -> str:
    """Return the words of a page's main part."""
    return " ".join(Read(html[html.index("<main") : html.index("</main>")]).text.split())


def ids(page: Page) -> list[str]:
    """Return the facts of a page, in its order."""
    if "weeks" in page.values:
        return [
            one["standing"].fact.id for week in page.values["weeks"] for one in week["decisions"]
        ]
    if "sections" in page.values:
        return [one.fact.id for part in page.values["sections"] for one in part.facts]
    return [one.fact.id for one in page.values["facts"]]


def test_a_filter_means_the_same_on_each_page(tip: Tip) -> None:
    """Kind, tier, agent, person, entity and role of the text that stands; false ones where they are asked for."""
    for asked, live in (
        ({}, ["judge-it", "port", "retries"]),
        ({"kind": "fact"}, ["port"]),
        ({"agent": "codex"}, ["judge-it", "retries"]),
        ({"person": "Ada Park"}, ["judge-it", "port"]),
        ({"person": "Ada Park", "agent": "codex"}, ["judge-it"]),
        ({"entity": "KAFKA"}, ["retries"]),
        ({"entity": "kafka", "false": "1"}, ["once", "retries"]),
        ({"role": "Judge"}, ["judge-it"]),
        ({"tier": "working", "kind": "decision"}, ["judge-it", "retries"]),
        ({"agent": "nobody"}, []),
    ):
        assert sorted(ids(now_page.now(tip(), asked))) == live, asked
        assert sorted(ids(facts_page.facts(tip(), asked))) == live, asked
    for asked, decided in (
        ({"person": "Ada Park"}, ["once"]),
        ({"agent": "codex"}, ["retries"]),
        ({"entity": "kafka"}, ["retries", "once"]),
    ):
        assert ids(decisions_page.decisions(tip(), asked)) == decided, asked


def test_a_time_is_taken_as_the_commands_take_it(tip: Tip) -> None:
    """A day, a month, a length of time; both bounds with the whole of their day."""
    first, second, third = [f"{stem[:10]}" for stem in tip().work]
    for page in (now_page.now, facts_page.facts):
        assert ids(page(tip(), {"since": third})) == ["judge-it"]
        assert set(ids(page(tip(), {"until": second}))) == {"retries", "port"}
        assert ids(page(tip(), {"since": second, "until": second})) == ["retries"]
    assert ids(decisions_page.decisions(tip(), {"since": first, "until": second})) == [
        "retries",
        "once",
    ]
    stem = tip().work[2]
    assert filter_bar(tip(), {"since": stem}, "/")[0].filter.begin == stem


def test_what_an_address_says_wrongly_is_told_and_left_out(tip: Tip) -> None:
    """Each wrong value in a sentence, on each page; the rest of the filter stands."""
    asked = {
        "kind": "poem",
        "tier": "<i>",
        "since": "one fine day",
        "until": "<b>",
        "agent": "codex",
    }
    for page in (now_page.now, facts_page.facts):
        made = page(tip(), asked)
        assert made.status == 200
        assert ids(made) == ids(page(tip(), {"agent": "codex"}))
        html = told(tip(), made)
        assert html.count('role="alert"') == 4
        assert "There is no kind poem: " in html
        assert "one fine day is neither a time nor a session log" in html
        assert "<b>" not in html[html.index("<main") : html.index("Take it out")].replace(
            "<b>codex", ""
        )


def test_every_link_of_a_list_keeps_the_filter(tip: Tip) -> None:
    """Orders, tiers, chips: each has all that is asked for but what it changes."""
    asked = {"q": "e", "kind": "decision", "agent": "codex", "sort": "new"}
    html = told(tip(), now_page.now(tip(), asked))
    main = html[html.index('<div id="facts"') : html.index('<section class="group"')]
    links = [
        dict(parse_qsl(urlsplit(unescape(one)).query))
        for one in re.findall(r'href="(/\?[^"]*)"', main)
    ]
    assert len(links) > 8
    changed = [{name for name in asked if link.get(name) != asked[name]} for link in links]
    assert max(len(one) for one in changed) <= 2, links
    out = {frozenset(one) for one in changed}
    assert {frozenset({"kind"}), frozenset({"agent"}), frozenset({"sort"})} <= out
    assert all(name in FIELDS or name in ("q", "sort", "rows") for link in links for name in link)


def test_what_is_offered_is_what_there_is(tip: Tip) -> None:
    """Agents, people, roles and entities of the logs."""
    offered = filter_bar(tip(), {}, "/", tuple(FIELDS))[0].offered
    assert offered["agent"] == ("claude", "codex")
    assert offered["person"] == ("Ada Park", "Ben Okafor")
    assert offered["role"] == ("judge",)
    assert {one.lower() for one in offered["entity"]} == {"kafka", "redis"}
    assert "decision" in offered["kind"]
    for name, value in (
        ("agent", "codex"),
        ("person", "Ben Okafor"),
        ("role", "judge"),
        ("kind", "fact"),
    ):
        assert value in told(tip(), facts_page.facts(tip(), {})), name


def test_decisions_say_what_why_by_whom_when_and_what_they_replaced(tip: Tip) -> None:
    """By week, newest first; those that the view `decisions` numbers, a false one marked."""
    page = decisions_page.decisions(tip(), {})
    assert ids(page) == ["retries", "once"]
    assert set(ids(page)) | {"judge-it"} == set(numbered(tip().state.histories))
    weeks = page.values["weeks"]
    assert [one["monday"].weekday() for one in weeks] == [0] * len(weeks)
    said = words_of(told(tip(), page))
    for part in (
        "Ben Okafor by codex", "Webhooks retry thrice", "Why: shops sleep at night.",
        "Replaced once : A webhook is sent once.", "Ada Park by claude", "superseded by retries",
    ):  # fmt: skip
        assert part.replace(" :", ":") in said.replace(" :", ":"), (part, said)
    assert page.values["persons"] == [("Ben Okafor", 1), ("Ada Park", 1)]
    assert ids(decisions_page.decisions(tip(), {"kind": "fact"})) == ["port"]
    assert ids(decisions_page.decisions(tip(), {"person": "Ben Okafor"})) == ["retries"]
    assert ids(decisions_page.decisions(tip(), {"role": "judge"})) == ["judge-it"]


def test_the_numbers_of_health_are_those_of_the_lists(tip: Tip, run: Run) -> None:
    """Each number links to a list of as many facts."""
    assert run("forget", "--archive", "port", "--reason", "nobody asks").code == 0
    html = told(tip(), health_page.health(tip(), {}))
    numbers = re.findall(r'<a href="(/facts[^"]*)">([\d,]+)</a>', html)
    assert len(numbers) > 8
    for address, number in numbers:
        said = dict(parse_qsl(urlsplit(unescape(address)).query))
        page = facts_page.facts(tip(), said)
        assert page.values["pages"].total == int(number.replace(",", "")), address


def test_facts_that_nobody_used_are_a_list(tip: Tip) -> None:
    """What no session named since it was recorded, the oldest first; `port` was named."""
    assert ids(facts_page.facts(tip(), {"list": "never"})) == ["retries", "judge-it"]
    assert ids(facts_page.facts(tip(), {"list": "false"})) == ["once"]
    assert set(ids(facts_page.facts(tip(), {"list": "all"}))) == {
        "once",
        "retries",
        "port",
        "judge-it",
    }
    assert ids(facts_page.facts(tip(), {"tier": "superseded"})) == ["once"]
    assert ids(facts_page.facts(tip(), {"list": "nonsense"})) == ids(facts_page.facts(tip(), {}))
    assert ids(facts_page.facts(tip(), {"sort": "old"})) == ["port", "retries", "judge-it"]
    assert ids(facts_page.facts(tip(), {"sort": "use"}))[0] == "port"


def test_pages_of_a_list_hold_all_of_it_once() -> None:
    """Whatever number stands in the address."""
    items = list(range(25))
    found = [page_of(items, {"page": str(number)}, 10)[0] for number in (1, 2, 3)]
    assert [one for part in found for one in part] == items
    assert page_of(items, {"page": "99"}, 10)[1].last == 25
    for said in ("", "0", "-1", "x", "9" * 30):
        assert page_of(items, {"page": said}, 10)[1].first == 1
    assert page_of([], {}, 10)[1].total == 0


def grouped(page: Page) -> dict[str, list[str]]:
    """Return the hits of a search by their headings."""
    return {one["title"]: [hit.id for hit in one["hits"]] for one in page.values["groups"]}


def test_a_search_finds_what_is_false_and_says_so(tip: Tip, run: Run) -> None:
    """Neither false nor archived facts stand among what holds; what stands instead is named."""
    assert run("forget", "--archive", "port", "--reason", "nobody asks").code == 0
    page = search_page.search(tip(), {"q": "webhook sent once"})
    found = grouped(page)
    assert found["What holds"] == ["retries"]
    assert found["Said once, and false"] == ["once"]
    said = words_of(told(tip(), page))
    assert "replaced by retries" in said
    assert said.index("What holds") < said.index("A webhook is sent once.")
    assert grouped(search_page.search(tip(), {"q": "port 8080"}))["In the archive"] == ["port"]
    for asked, hidden in (
        ({"kind": "decision"}, True),
        ({"kind": "decision", "false": "1"}, False),
    ):
        found = grouped(search_page.search(tip(), {"q": "webhook sent once", **asked}))
        assert ("Said once, and false" not in found) is hidden


def test_a_search_is_filtered_as_recall_is(tip: Tip) -> None:
    """By kind, agent, person, entity and time; the address keeps all of it."""
    for asked, facts in (
        ({"agent": "codex"}, ["retries"]),
        ({"person": "Ben Okafor"}, ["retries"]),
        ({"person": "Ada Park"}, []),
        ({"entity": "redis"}, ["retries"]),
        ({"kind": "fact"}, []),
        ({"since": tip().work[2][:10]}, []),
    ):
        found = grouped(search_page.search(tip(), {"q": "webhooks retry", **asked}))
        assert found.get("What holds", []) == facts, asked
    html = told(
        tip(), search_page.search(tip(), {"q": "webhooks", "agent": "codex", "in": "facts"})
    )
    links = [unescape(one) for one in re.findall(r'href="(/search\?[^"]*)"', html)]
    assert len([one for one in links if "agent=codex" in one and "q=webhooks" in one]) >= 5


def test_a_search_says_how_much_there_is_and_shows_more_of_it(tip: Tip, home: Memory) -> None:
    """All facts with such words are counted, and within reach."""
    made = [FactCreated(f"oak-{n}", f"Oak number {n} stands in park {n % 7}.") for n in range(60)]
    home.append(SessionDraft("Oaks", "Sixty oaks.", tuple(made), anyway=True))
    page = search_page.search(tip(), {"q": "oak", "in": "facts"})
    (group,) = page.values["groups"]
    assert (len(group["hits"]), group["total"]) == (search_page.HITS, 60)
    assert f"What holds {search_page.HITS} of 60" in words_of(told(tip(), page))
    asked = {"q": "oak", "in": "facts"}
    while page.values["more"]:
        asked["hits"] = page.values["more"]
        page = search_page.search(tip(), asked)
    assert len({hit.id for hit in page.values["groups"][0]["hits"]}) == 60
    for said in ("x", "-5", "9" * 9):
        assert (
            len(search_page.search(tip(), {**asked, "hits": said}).values["groups"][0]["hits"])
            == search_page.HITS
        )


def test_words_that_were_found_are_marked_in_any_form(tip: Tip) -> None:
    """Also plurals and beginnings, in facts and passages, in any case; passages are named by their title."""
    html = told(tip(), search_page.search(tip(), {"q": "webhook retr*"}))
    assert {one.lower() for one in re.findall("<mark>(.*?)</mark>", html)} >= {
        "webhook",
        "webhooks",
        "retry",
    }
    said = words_of(html)
    assert "it has webhook, retr; it has" in said or "% of the question" in said
    assert "covered with its neighbours" not in said
    html = told(tip(), search_page.search(tip(), {"q": "went", "in": "sessions"}))
    assert re.search(r'<a class="whole" href="/session/[^"]*">Two</a>', html)


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_marks_change_nothing_but_what_stands_between_tags(text: str, words: list[str]) -> None:
    """Without its marks it is what it was; no mark stands in a tag or a reference, and each holds a word."""
    written = Markup('<a href="/x?q=a&amp;b" title="amp">{}</a>').format(text)
    marked = str(word_marks(written, [*words, "amp", "a", "href"]))
    assert marked.replace("<mark>", "").replace("</mark>", "") == str(written)
    assert marked.startswith('<a href="/x?q=a&amp;b" title="amp">')
    known = {one.lower() for one in words} | {"amp", "a", "href"}
    for one in re.findall("<mark>(.*?)</mark>", marked):
        assert one.lower() in known or one.casefold() in {word.casefold() for word in known}
        assert escape(one) == one


def test_the_facts_about_an_entity_are_filtered_and_ordered(tip: Tip) -> None:
    """All of them, false ones too, unless something else is asked; its address holds any name."""
    for asked, shown in (
        ({}, {"once", "retries"}),
        ({"agent": "codex"}, {"retries"}),
        ({"tier": "superseded"}, {"once"}),
        ({"kind": "fact"}, set()),
    ):
        page = facts_page.facts(tip(), {"list": "all", "entity": "kafka", **asked})
        assert set(ids(page)) == shown, asked
    page = facts_page.facts(tip(), {"list": "all", "entity": "Kafka", "sort": "old"})
    assert ids(page) == ["once", "retries"]
    assert 'href="/facts?list=all&amp;sort=new&amp;entity=Kafka"' in told(tip(), page)


def test_each_list_is_as_it_stood_then(tip: Tip) -> None:
    """As of a log, with the texts of that time; a point that is none is told and left out."""
    first = tip().work[0]
    asked = {"as_of": first}
    assert sorted(ids(now_page.now(tip(), asked))) == ["once", "port"]
    assert sorted(ids(facts_page.facts(tip(), asked))) == ["once", "port"]
    assert ids(decisions_page.decisions(tip(), asked)) == ["once"]
    timeline = timeline_page.timeline(tip(), asked)
    assert [one["session"].title for day in timeline.values["days"] for one in day["sessions"]] == [
        "One"
    ]
    found = search_page.search(tip(), {"q": "webhook", **asked}).values["groups"]
    assert [hit.id for group in found for hit in group["hits"] if hit.id] == ["once"]
    html = told(tip(), now_page.now(tip(), asked))
    assert f"as of <b>{first}</b>" in html and "superseded" not in html
    assert f"as_of={first}" in html  # the other links keep it
    for page in (now_page.now, facts_page.facts, decisions_page.decisions, timeline_page.timeline):
        page_then = page(tip(), {"as_of": "<b>"})
        assert page_then.values["bar"].filter.wrong and "&lt;b&gt; is no time" in told(
            tip(), page_then
        )


@each_row("counts, each", (([], 0), ([60], 50), ([3, 60], 47), ([60, 60], 25), ([1] * 60, 1)))
def test_each_section_has_as_much_room(counts: list[int], each: int) -> None:
    """Fifty lines together; a small section leaves its room to the others."""
    assert now_page._each(counts) == each
