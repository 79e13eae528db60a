"""Putting memory right where one reads it: each job in a browser from the start page, its clicks counted.

The most clicks that a job may take stand in `MOST`; typing is none. Each is done by keys alone as well, and
without a script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.fold.full_replay import State
from tests.web.conftest import Clicks, Console, Served, Server
from tests.web.homes import CANARY, PAYLOADS
from tests.web.looking import LOOKS, active_in, faults_of, tab_to, without_policy
from tests.world import git

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

MOST = {"add a fact": 3, "undo": 1}
LOOK, WRITE = "Preview", "Save"


def state(served: Served) -> State:
    memory = Memory(discover(str(served.folder)))
    try:
        return memory.state()
    finally:
        memory.close()


def notice(page: Page) -> Locator:
    return page.get_by_role("status", name="Recorded")


class Desk:
    """Somebody at the pages.

    Args:
        page: of the browser, at the start page.
        clicks: does and counts them.
        served: the home.
    """

    def __init__(self, page: Page, clicks: Clicks, served: Served) -> None:
        self.page, self.clicks, self.served = page, clicks, served

    def begin(self) -> None:
        """Go to the start page, with nothing counted yet."""
        self.page.goto(self.served.address + "/")
        self.clicks.count = 0

    def press(self, name: str) -> None:
        """Click on a button or a link by its whole name."""
        main = self.page.get_by_role("button", name=name, exact=True)
        self.clicks.click(main.or_(self.page.get_by_role("link", name=name, exact=True)).first)

    def write(self, job: str, **typed: str) -> None:
        """Fill in a form, look at what it records, and write it."""
        for label, text in typed.items():
            self.page.get_by_label(label.replace("_", " "), exact=False).first.fill(text)
        if typed:
            self.press(LOOK)
        before = git(self.served.folder, "rev-parse", "HEAD")
        expect(self.page.get_by_text("Nothing is written yet.")).to_be_visible()
        expect(self.page.get_by_label("The log")).to_contain_text("## ")
        expect(self.page.locator("main code.command").last).to_contain_text("diurna ")
        assert git(self.served.folder, "rev-parse", "HEAD") == before
        self.press(WRITE)
        expect(notice(self.page)).to_be_visible()
        assert self.clicks.count <= MOST[job], (job, self.clicks.count)

    def undo(self) -> None:
        """Take back what was recorded a moment ago."""
        self.clicks.count = 0
        self.clicks.click(notice(self.page).get_by_role("button", name="Undo"))
        expect(notice(self.page)).to_contain_text("Undo: ")
        assert self.clicks.count <= MOST["undo"]


@pytest.fixture
def desk(server: Server, page: Page, clicks: Clicks) -> Desk:
    served = server("plain", write=True)
    served.open(page)
    return Desk(page, clicks, served)


def test_a_fact_is_added_and_taken_back(desk: Desk) -> None:
    """From the bar of any page; what it contradicts is said before it is written."""
    desk.begin()
    desk.press("Note")
    desk.page.get_by_label("Kind").select_option("fact")
    desk.write(
        "add a fact", What_holds="A shop sends at most 90 orders a second.", About="Payments API"
    )
    expect(notice(desk.page)).to_contain_text("diurna append --type edit")
    made = [one.fact for one in state(desk.served).standings() if "90 orders" in one.fact.text]
    assert [(one.kind, dict(one.meta)["entity"]) for one in made] == [("fact", "Payments API")]
    expect(notice(desk.page).get_by_role("link", name=made[0].id)).to_be_visible()
    desk.undo()
    assert state(desk.served)[made[0].id].fact.false


def test_what_the_next_agent_reads_is_seen_and_mended(desk: Desk, console: Console) -> None:
    """One click; for a task; pinned from there by three more. Back leads to what was looked at, a form says the end."""
    page = desk.page
    desk.begin()
    desk.press("Brief")
    assert desk.clicks.count == 1
    page.get_by_label("Task").fill("retry the webhooks")
    row = page.locator("#brief section", has_text="For this task").locator(".row").first
    expect(row).to_contain_text("Webhooks retry five times")
    desk.clicks.click(row.get_by_role("link", name="Pin"))
    expect(page.get_by_label("Kind")).to_have_value("invariant")
    desk.press(LOOK)
    expect(page.locator("main code.command").last).to_contain_text("--kind invariant")
    desk.press(WRITE)
    expect(notice(page)).to_be_visible()
    assert desk.clicks.count == 4 and "/brief?task=" in page.url
    expect(page.locator(".row", has_text="Webhooks retry five").first).to_contain_text("core")
    page.go_back()
    expect(page.get_by_role("heading", name="Nothing left to record")).to_be_visible()
    desk.press("Go back")
    expect(page.get_by_label("What it says from now on")).to_be_visible()
    page.route("**/tip?*", lambda asked: asked.abort())
    expect(page.locator(".fresh")).to_contain_text("The server has ended")
    console.clear()


def test_what_is_recorded_elsewhere_takes_no_words_away(desk: Desk, console: Console) -> None:
    """A form that one went back to, what it would record and what was refused stay as they stand."""
    page = desk.page
    desk.begin()
    desk.press("Note")
    page.get_by_label("What holds").fill("Shops are open on Sundays.")
    desk.press(LOOK)
    memory = Memory(discover(str(desk.served.folder)))
    for number, (button, shown) in enumerate((
        ("", page.get_by_role("heading", name="This would be recorded")),
        ("Go back", page.get_by_role("heading", name="Add a fact")),
    )):  # fmt: skip
        if button:
            desk.press(button)
        memory.append(SessionDraft(f"Elsewhere {number}"))
        page.wait_for_timeout(5_000)  # more than twice as long as until a page asks
        expect(shown).to_be_visible()
    expect(page.get_by_label("What holds")).to_have_value("Shops are open on Sundays.")
    memory.close()
    assert console.said == []


def test_the_desk_by_keys_alone(desk: Desk) -> None:
    """`g a` opens a new fact; Tab and Enter do the rest, with the focus where one goes on."""
    page = desk.page
    desk.begin()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_label("What holds")).to_be_focused()
    page.keyboard.type("Shops are open on Sundays.")
    tab_to(page, page.get_by_role("button", name=LOOK))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=WRITE)).to_be_focused()
    page.keyboard.press("Enter")
    expect(notice(page)).to_be_visible()
    assert desk.clicks.count == 0
    page.goto(desk.served.address + "/fact/webhook-retries")
    tab_to(page, page.get_by_role("link", name="Reword", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_label("What it says from now on")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Webhooks retry for ever.")
    tab_to(page, page.get_by_role("button", name=LOOK))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=WRITE)).to_be_focused()
    page.keyboard.press("Enter")
    expect(notice(page)).to_contain_text("says now: Webhooks retry for ever.")
    tab_to(page, notice(page).get_by_role("button", name="Undo"))
    page.keyboard.press("Enter")
    expect(notice(page)).to_contain_text("Undo: ")


def test_the_desk_without_a_script(server: Server, page: Page, browser: Browser) -> None:
    """Looked at, gone back, changed, written, undone: by ordinary forms; a refusal keeps what was typed."""
    served = server("plain", write=True)
    served.open(page)
    context = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    bare = context.new_page()
    bare.goto(served.address + "/fact/webhook-retries")
    bare.get_by_role("link", name="Mark as false").click()
    bare.get_by_label("What holds instead").fill("nobody-knows")
    bare.get_by_role("button", name=LOOK).click()
    expect(bare.get_by_role("alert")).to_contain_text("There is no fact nobody-knows")
    expect(bare.get_by_label("What holds instead")).to_have_value("nobody-knows")
    bare.get_by_label("What holds instead").fill("")
    bare.get_by_label("Why does it not hold?").fill("it <does> not")
    bare.get_by_role("button", name=LOOK).click()
    bare.get_by_role("button", name="Go back").click()
    expect(bare.get_by_label("Why does it not hold?")).to_have_value("it <does> not")
    bare.get_by_role("button", name=LOOK).click()
    bare.get_by_role("button", name=WRITE).click()
    expect(notice(bare)).to_contain_text("webhook-retries is false now")
    notice(bare).get_by_role("button", name="Undo").click()
    expect(notice(bare)).to_contain_text("Undo: ")
    assert not state(served)["webhook-retries"].fact.false
    context.close()


def test_forms_and_previews_can_be_used_by_all(
    server: Server, page: Page, console: Console
) -> None:
    """Each form, what it would record and what refuses it: labels, contrast, fingers, nothing too wide."""
    served = server("plain", write=True)
    addresses = (
        "/write/note", "/write/reword?id=webhook-retries", "/write/withhold?id=shop-limit",
        "/write/hand-over?id=wire-queue", "/tasks", "/facts?kind=finding", "/fact/wire-queue",
    )  # fmt: skip
    for number, address in enumerate(addresses):
        served.open(page, address)
        assert list(faults_of(page, [LOOKS[number % len(LOOKS)]])) == [], address
    served.open(page, "/write/withhold?id=shop-limit")
    page.get_by_label("Why?").fill("a name")
    page.get_by_role("button", name=LOOK).click()
    assert list(faults_of(page, LOOKS)) == []
    served.open(page, "/write/deny?id=shop-limit")
    page.get_by_label("What holds instead").fill("nobody-knows")
    page.get_by_role("button", name=LOOK).click()
    assert list(faults_of(page, LOOKS)) == []
    assert "409" in "".join(console.clear())


def test_nothing_typed_does_anything(server: Server, page: Page, console: Console) -> None:
    """In a home where every text is a payload, each field is filled with payloads; our escapes alone hold."""
    served = server("hostile", write=True)
    without_policy(page)
    served.open(page)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    facts = ("", "?id=hostile-0", "?id=hostile-1", "?id=hostile-7", "?id=hostile-21")
    names = ("note", "reword", "replace", "deny", "close")
    for name, query in zip(names, facts, strict=True):
        for payload in (PAYLOADS[0], PAYLOADS[3], PAYLOADS[11], PAYLOADS[21]):
            page.goto(f"{served.address}/write/{name}{query}")
            for field in page.locator("form.own textarea, form.own input[type=text]").all():
                field.fill(payload.replace("\n", " "))
            for button in (LOOK, "Go back", LOOK):
                assert active_in(page) == [], (name, payload)
                found = page.get_by_role("button", name=button)
                if found.count():  # else it was refused
                    found.click()
            assert active_in(page) == [], (name, payload)
            assert page.evaluate(f"window.{CANARY}") is None
    assert [one for one in asked if not one.startswith(served.address)] == []
    console.clear()  # what is refused is an answer of its own
