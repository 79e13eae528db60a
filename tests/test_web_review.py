"""The page of what is to be decided, as a browser without script uses it: each form does what it says."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.home import discover
from ledger.model.event import FactUpdated
from ledger.model.ids import version_id
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.work.finding_facts import BugFound
from rituals.decide.open_contradictions import KINDS, SAYS, disputes
from rituals.review.finding_reports import report
from rituals.review.review_plan import plan_review
from rituals.review.review_question import RULES, Question
from rituals.serve.web.actions.form_fields import LIMIT_IDS
from rituals.serve.web.html.templates import STATIC, Renderer, frame_of
from rituals.serve.web.pages import review_page
from rituals.serve.web.pages.contradictions_page import torn
from rituals.serve.web.tip_view.tip_view import TipView
from tests.campaigns.homes import lay, logs_in
from tests.conftest import NOW_MS
from tests.web.homes import FIRING, PAYLOADS, crowded, empty, undecided
from tests.web_client import Client, client_of

WEIGHT_BYTES = 60 * 1024


class Form(NamedTuple):
    """A form of a page; `buttons` are what can be pressed: name, value and what stands there."""

    action: str
    fields: list[tuple[str, str]]
    ticks: list[tuple[str, str]]
    buttons: list[tuple[str, str, str]]


class _Forms(HTMLParser):
    """Reads the forms of a page as a browser does."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._text: tuple[str, list[str]] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attributes}
        assert "style" not in said and not any(name.startswith("on") for name in said), said
        if tag == "form" and said.get("method") == "post":
            self.found.append(Form(said["action"], [], [], []))
        elif tag == "input" and self.found and "name" in said:
            form, pair = self.found[-1], (said["name"], said.get("value", ""))
            if said["type"] in ("hidden", "text"):
                form.fields.append(pair)
            elif said["type"] == "checkbox":
                form.ticks.append(pair)
            elif said["type"] == "radio" and "checked" in said:
                form.fields.append(pair)
        elif tag in ("textarea", "button"):
            self._text = (tag, [said.get("name", ""), said.get("value", "")])

    def handle_data(self, data: str) -> None:
        if self._text:
            self._text[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._text is None or tag != self._text[0]:
            return
        name, value, *text = self._text[1]
        self._text = None
        if tag == "textarea":
            self.found[-1].fields.append((name, "".join(text).removeprefix("\n")))
        elif self.found:
            self.found[-1].buttons.append((name, value, "".join(text).strip()))


def forms_in(page: str) -> list[Form]:
    """Return the forms of a page that record something."""
    read = _Forms()
    read.feed(page)
    return [one for one in read.found if one.action.startswith("/act/")]


def form_with(page: str, button: str, value: str = "") -> Form:
    """Return the first form with a button of some words, and a field of some value perhaps."""
    return next(
        one
        for one in forms_in(page)
        if button in [words for *_, words in one.buttons]
        and (not value or value in [said for _, said in one.fields])
    )


def press(client: Client, form: Form, button: str, *more: tuple[str, str]) -> str:
    """Press a button of a form as a browser without script, and return the page that follows."""
    ((name, value, _),) = [one for one in form.buttons if one[2] == button]
    changed = {name for name, _ in more} - {"id"}
    fields = [one for one in form.fields if one[0] not in changed]
    answer = client.post(form.action, [*fields, *more, *([(name, value)] if name else [])])
    if answer.status == 303:
        return client.get(answer.headers["location"]).text
    return answer.text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    lay("what pages decide", folder, undecided)
    return folder


def client_in(folder: Path, *, writes: bool = True) -> Client:
    """Return a browser that has logged in; its clock goes on with each log."""
    ticks = iter(range(NOW_MS, NOW_MS + 10**8, 1000))
    return client_of(
        folder,
        writes=writes,
        open_memory=lambda home: Memory(home, agent="Ada", clock=lambda: next(ticks)),
    ).login()


def logs(folder: Path) -> dict[str, bytes]:
    return logs_in(discover(str(folder)))


@pytest.mark.deep(
    reason="the_newest_contradiction_comes_first_and_each_has_a_place is the small one"
)
def test_all_that_waits_stands_on_one_page(home: Path) -> None:
    """Each kind of contradiction with its sides, invariants as one list, questions, and proposals."""
    page = client_in(home).get("/review").text
    for kind in KINDS:
        assert SAYS[kind] in page
    forms = forms_in(page)
    (ticks,) = [one for one in forms if one.ticks]
    assert [value for _, value in ticks.ticks] == ["clocks", "doors", "keys", "money", "orders"]
    words = [button for one in forms for *_, button in one.buttons]
    for button in ("Keep this", "It is closed", "It is open, with this text", "This one holds",
                   "This one replaces it", "It holds, in these words", "It is false", "It is blocked",
                   "Keep sixty", "They agree"):  # fmt: skip
        assert button in words, button
    assert 'aria-current="page">Review <span class="badge">13</span>' in page
    loaded = [one for one in STATIC.iterdir() if f"/static/{one.name}" in page]
    styled = sum(len(one.read_bytes()) for one in loaded)
    assert len(page.encode()) + styled <= WEIGHT_BYTES


@pytest.mark.deep(reason="a_text_of_ones_own_settles_what_no_side_says is the small one")
def test_every_contradiction_can_be_settled_where_it_stands(home: Path) -> None:
    """The first side of each is kept; each is one log, said on top of the next page with its undo."""
    client = client_in(home)
    before = len(logs(home))
    while found := disputes(client_memory(home)):
        page = client.get("/review").text
        form = next(one for one in forms_in(page) if one.action == "/act/resolve")
        page = press(client, form, form.buttons[0][2])
        assert "<b>Recorded:</b> Resolve" in page and "diurna conflicts" in page
        assert len(disputes(client_memory(home))) < len(found)
    assert len(logs(home)) == before + len(KINDS)
    assert "Contradictions" not in client.get("/review").text


def client_memory(folder: Path) -> Memory:
    return Memory(discover(str(folder)))


def test_a_text_of_ones_own_settles_what_no_side_says(home: Path) -> None:
    client = client_in(home)
    form = form_with(client.get("/review").text, "Let this hold", "limit")
    press(client, form, "Let this hold", ("text", "A request may take\r\n25 seconds."))
    assert client_memory(home).state()["limit"].fact.text == "A request may take\n25 seconds."
    form = form_with(client.get("/review").text, "It is closed, so", "find")
    press(client, form, "It is closed, so", ("text", "Found: 25 seconds."))
    fact = client_memory(home).state()["find"].fact
    assert fact.closed and fact.text == "Found: 25 seconds."


def test_ticks_of_a_list_are_one_log(home: Path) -> None:
    client = client_in(home)
    before = logs(home)
    page = client.get("/review").text
    (form,) = [one for one in forms_in(page) if one.ticks]
    page = press(client, form, "Confirm what is ticked", ("id", "money"), ("id", "orders"))
    (new,) = set(logs(home)) - set(before)
    assert b"# Confirm money, orders\n" in logs(home)[new]
    assert new[:10] in page and "diurna review --confirm money orders" in page
    assert "Undo" not in page  # no log takes back that somebody looked
    left = next(one for one in forms_in(page) if one.ticks)
    assert [value for _, value in left.ticks] == ["clocks", "doors", "keys"]
    nothing = press(client, left, "Confirm what is ticked")
    assert "Nothing is ticked" in nothing and "Your memory is as it was" in nothing


@pytest.mark.deep(reason="ticks_of_a_list_are_one_log is the small one")
def test_questions_and_proposals_are_answered_and_undone(home: Path) -> None:
    """Answered where they stand, taken back by the notice, and asked again."""
    client = client_in(home)
    page = client.get("/review").text
    page = press(client, form_with(page, "Keep sixty"), "Keep sixty")
    assert "Superseded: forty" in page and "Facts that may contradict" not in page
    page = press(client, form_with(page, "Undo"), "Undo")
    assert "Facts that may contradict" in page and "<b>Recorded:</b> Undo:" in page
    page = press(client, form_with(page, "They agree"), "They agree")
    assert "Rejected: forty and sixty may contradict each other" in page
    page = client.get("/review/learn").text
    page = press(client, form_with(page, "Remember it"), "Remember it")
    assert "Created: " in page and "<h1>Worth keeping?" in page
    form = form_with(page, "Remember this")
    page = press(client, form, "Remember this", ("text", "In words of mine."))
    assert "Created: " in page
    assert "In words of mine." in {one.fact.text for one in client_memory(home).state().standings()}
    page = press(client, form_with(page, "Not worth keeping"), "Not worth keeping")
    assert "Nothing is proposed" in page and forms_in(page)[0].action == "/act/undo"


def test_an_invariant_that_does_not_hold_is_answered_on_the_page_of_its_rule(home: Path) -> None:
    client = client_in(home)
    page = client.get("/review?rule=invariant-due").text
    form = form_with(page, "It holds in these words")
    assert ("text", "Clocks are UTC.") in form.fields
    page = press(client, form, "It holds in these words", ("text", "Clocks are TAI."))
    assert "Updated: clocks" in page
    page = press(client, form_with(page, "It is false now"), "It is false now")
    assert "Invalidated: doors" in page
    state = client_memory(home).state()
    assert state["clocks"].fact.text == "Clocks are TAI." and state["doors"].fact.false


def test_a_stale_page_is_told_and_changes_nothing(home: Path) -> None:
    """The same form from two tabs, and a side that came behind the page."""
    client = client_in(home)
    page = client.get("/review").text
    keep = form_with(page, "Keep this", "limit")
    press(client, keep, "Keep this")
    shape = logs(home)
    again = press(client, keep, "Keep this")
    assert "Nothing left to record" in again and "limit has no contradiction" in again
    side = [value for name, value in keep.fields if name == "side"][-1]
    other = client.post(keep.action, [(n, side if n == "choose" else v) for n, v in keep.fields])
    assert other.status == 409 and "any more: it says" in other.text
    remember = form_with(client.get("/review/learn").text, "Remember it")
    press(client, remember, "Remember it")
    assert len(logs(home)) == len(shape) + 1
    assert "is not asked any more" in press(client, remember, "Not worth keeping")
    assert len(logs(home)) == len(shape) + 1


def test_whoever_only_looks_is_shown_the_commands(home: Path) -> None:
    page = client_in(home, writes=False).get("/review").text
    assert forms_in(page) == []
    for command in ("diurna conflicts old --choose left", "diurna review --confirm clocks doors keys money orders",
                    "diurna review", "diurna web --write"):  # fmt: skip
        assert f">{command}</code>" in page
    assert page.count("data-copy=") >= 2 * len(KINDS)


def test_the_newest_contradiction_comes_first_and_each_has_a_place(home: Path) -> None:
    """A fact's page leads to it; who said each side is named, and whether they knew of each other."""
    client = client_in(home)
    page = client.get("/review").text
    found = torn(client_memory(home).state(), disputes(client_memory(home)))
    stems = [one.newest for one in found]
    assert stems == sorted(stems, reverse=True) and len(set(stems)) > 2
    places = [page.index(f'id="{one.anchor}"') for one in found]
    assert places == sorted(places) and len({one.anchor for one in found}) == len(KINDS)
    assert 'href="/review#c-limit"' in client.get("/fact/limit").text
    assert page.count("Those who said them did not know of each other.") == len(KINDS)
    assert "<b>Ada by one</b>" in page and "<b>two</b>" in page and "used 3×" in page


def test_a_side_said_where_the_other_stood_is_told_as_that(home: Path) -> None:
    """One line of history has both: it was reworded from a text that another one had replaced."""
    was = (version_id("Nobody contradicts this one."),)
    for text in ("It is contradicted.", "It is not contradicted."):
        client_memory(home).append(SessionDraft(text, "", (FactUpdated("calm", text, was),)))
    page = client_in(home).get("/review").text
    card = page[page.index('id="c-calm"') :].partition("</article>")[0]
    assert "was said where the other stood in the history already" in card
    assert "did not know" not in card


def test_an_answer_goes_on_at_the_next_card(home: Path) -> None:
    """Never at the top; and what was recorded is said once, also to whoever loads the page anew."""
    client = client_in(home)
    page = client.get("/review").text
    cards = [one.partition('"')[0] for one in page.split('<article class="card asked" id="')[1:]]
    for here, following in pairwise(cards):
        card = page[page.index(f'id="{here}"') :].partition("</article>")[0]
        for form in forms_in(card):
            (goes_on,) = [value for name, value in form.fields if name == "next"]
            place = goes_on.removeprefix("/review#")
            assert place == following or (here.startswith("c-") and place == "g-invariant-due")
            assert f'id="{place}"' in page
    form = form_with(page, "Keep this", "limit")
    answer = client.post(form.action, form.fields)
    assert "#" in answer.headers["location"]
    assert "<b>Recorded:</b>" in client.get(answer.headers["location"]).text
    assert "<b>Recorded:</b>" not in client.get(answer.headers["location"]).text


@pytest.mark.deep(reason="ticks_of_a_list_are_one_log is the small one")
def test_all_of_a_group_are_answered_with_one_log(tmp_path: Path) -> None:
    """Ticked by the page, where one asks for it; undone as one."""
    home, names = (
        tmp_path / "one",
        ["storm", "wire", *[f"idle-{a}{b}" for a in "abcdefg" for b in "hijklmnopq"]],
    )
    lay("what a crowd decides", home, crowded)
    client, before = client_in(home), logs(home)
    assert 'href="/review?rule=thread-stalled&amp;tick=all"' in client.get("/review").text
    some = client.get("/review?rule=thread-stalled&tick=some").text
    page = client.get("/review?rule=thread-stalled&tick=all").text
    assert " checked>" not in some and page.count(" checked>") == len(names)
    form = form_with(page, "Close what is ticked")
    assert sorted(value for _, value in form.ticks) == sorted(names)
    page = press(client, form, "Close what is ticked", *form.ticks)
    (new,) = set(logs(home)) - set(before)
    assert "# Close idle-ah and 71 more" in logs(home)[new].decode()
    assert "diurna close idle-ah" in page and "Threads that stalled" not in page
    assert all(client_memory(home).state()[one].fact.closed for one in names)
    press(client, form_with(page, "Undo"), "Undo")
    state = client_memory(home).state()
    assert [one for one in names if state[one].fact.closed] == ["wire"]  # two said where it stands
    assert "Threads that stalled <small>71" in client.get("/review").text


def test_no_more_than_one_log_takes_are_ticked_and_that_is_said(home: Path) -> None:
    memory = client_memory(home)
    tip = TipView(memory, memory.state())
    many = tuple(
        Question("thread-stalled", f"k{n}", (f"t-{n}",), f"t-{n}: idle.") for n in range(250)
    )
    tip.__dict__["plan"] = plan_review(memory)._replace(questions=many, raised=())
    page = review_page.review(tip, {"rule": "thread-stalled", "tick": "all"})
    listed = page.values["list"]
    assert (len(listed.ticks), listed.total, listed.action) == (LIMIT_IDS, 250, "shut")
    html = Renderer().render(page, frame_of(tip, 0)._replace(token="t"))
    assert "The first 200 of 250; the others come when these are answered." in html


def test_an_empty_home_is_calm(tmp_path: Path) -> None:
    empty(tmp_path / "home")
    page = client_in(tmp_path / "home").get("/review").text
    assert "Nothing waits for anybody." in page and forms_in(page) == []


def test_many_questions_weigh_no_more(home: Path) -> None:
    """Hundreds of each rule: the page stays small, and each has an address where it stands."""
    memory = client_memory(home)
    tip = TipView(memory, memory.state())
    long = "It is said at length. " * 40
    memory.append(SessionDraft("Long", "", ()), again=True)
    plan = plan_review(memory)
    rules = [rule for rule in RULES if rule != "learn"]
    many = tuple(
        Question(rule, f"{rule}-{n}", ("sixty", "forty"), long[:300], (long[:200],), long[:100])
        for rule in rules
        for n in range(30)
    )
    tip.__dict__["plan"] = plan._replace(questions=many, raised=())
    page = review_page.review(tip, {})
    assert sum(len(one.cards) for one in page.values["groups"]) <= len(rules)
    assert page.values["asked"] == len(many) + len(KINDS)
    shown = [
        card.question.key
        for rule in rules
        for start in range(0, 30, 12)
        for card in review_page.review(tip, {"rule": rule, "from": str(start)})
        .values["group"]
        .cards
    ]
    assert sorted(shown) == sorted(one.key for one in many)
    assert review_page.review(tip, {"rule": "no-such-rule"}).template == "review"
    assert review_page.review(tip, {"rule": rules[0], "from": "99999"}).values["start"] < 30


@pytest.mark.deep(reason="test_web_html has the same texts in one card")
def test_no_side_can_put_markup_into_the_page(home: Path) -> None:
    """Texts, agents and footers of sides and of proposals, also where a text area begins with them."""
    was = (version_id("Nobody contradicts this one."),)
    for number, payload in enumerate(FIRING + (PAYLOADS[11], PAYLOADS[12])):
        client_memory(home).append(
            SessionDraft(f"Say {number}", "", (FactUpdated("calm", payload, was),), agent=payload)
        )
    bugs = tuple(
        [BugFound("unread", f"never run {PAYLOADS[11]} unread", f"src/{n}.py") for n in "abc"]
    )
    report(client_memory(home), bugs, SessionDraft(""))
    client = client_in(home)
    assert len(disputes(client_memory(home), ("calm",))[0].choices) == len(FIRING) + 2
    for address in ("/review", "/review/learn"):
        page = client.get(address).text
        assert len(forms_in(page)) > 2  # which looks at every attribute
        for payload in (*FIRING, PAYLOADS[11]):
            assert payload not in page
    form = next(one for one in forms_in(client.get("/review").text) if ("id", "calm") in one.fields)
    assert "calm has no" not in press(client, form, "Keep this")
    assert client_memory(home).state()["calm"].fact.text in (*FIRING, PAYLOADS[11], PAYLOADS[12])
