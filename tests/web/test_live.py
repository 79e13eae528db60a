"""What is recorded elsewhere comes by itself, and takes nothing away from whoever reads or writes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.campaigns import forks
from tests.web.conftest import Console, Served, Server

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def append(folder: Path, name: str, text: str) -> None:
    """Record a fact, as an agent beside the page does."""
    told = [
        "append",
        "--agent",
        "codex",
        "--title",
        "Elsewhere",
        "--new",
        f"id={name} decision: {text}",
    ]
    assert forks.run(["-m", "rituals", *told], folder, os.environ).returncode == 0


def test_what_comes_is_marked_and_the_reader_stays(page: Page, server: Server) -> None:
    """No reload: the notice says who and what, the row is marked, place, focus and open parts are kept."""
    served = server("plain", own=True)
    served.open(page)
    row = page.locator("[data-row]", has=page.get_by_role("link", name="shop-limit", exact=True))
    row.scroll_into_view_if_needed()
    page.evaluate("scrollBy({top: 300, behavior: 'instant'})")
    row.focus()
    page.evaluate("window.stayed = true")
    before = row.evaluate("each => each.getBoundingClientRect().top")
    append(served.folder, "newest", "It is new.")
    notice = page.get_by_role("status")
    expect(notice.filter(has_text="codex recorded 1 fact.")).to_be_visible()
    came = page.locator(".came")
    expect(came).to_have_count(1)
    expect(came).to_contain_text("new")
    expect(came).to_contain_text("It is new.")
    expect(row).to_be_focused()
    after = row.evaluate("each => each.getBoundingClientRect().top")
    assert abs(after - before) < 2 and page.evaluate("window.stayed")
    expect(notice.filter(has_text="codex")).to_be_hidden()
    append(served.folder, "newer", "It is newer.")
    expect(came).to_contain_text("It is newer.")


def test_nothing_is_taken_from_whoever_types(page: Page, server: Server) -> None:
    """The notice has a link instead; the words stand there."""
    served = server("undecided", write=True)
    served.open(page, "/review")
    page.get_by_text("Neither: write what holds").first.click()
    field = page.get_by_label("What holds").first
    field.fill("My own words.")
    append(served.folder, "newest", "It is new.")
    expect(page.get_by_role("link", name="Show it")).to_be_visible()
    expect(field).to_have_value("My own words.")
    expect(field).to_be_focused()


def test_a_page_that_nobody_sees_asks_nothing(page: Page, server: Server) -> None:
    """It asks when it is looked at again."""
    served = server("plain", own=True)
    served.open(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    hide = "hidden => Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden})"
    page.evaluate(hide, True)
    append(served.folder, "newest", "It is new.")
    page.wait_for_timeout(2500)
    assert asked == []
    page.evaluate(f"({hide})(false); document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".came")).to_contain_text("It is new.")


def test_a_server_that_ended_is_said_and_one_that_is_started_again_goes_on(
    page: Page, console: Console, home: Callable[[str], Path], tmp_path: Path
) -> None:
    """The page says the command; the same user is not asked to log in again, and what came meanwhile is shown."""
    folder = shutil.copytree(home("plain"), tmp_path / "own", symlinks=True)
    served = Served(folder, write=False)
    served.open(page)
    port = urlsplit(served.address).port
    served.stop()
    ended = page.get_by_role("status").filter(has_text="The server has ended")
    expect(ended).to_contain_text(f"diurna web --port {port}")
    append(folder, "newest", "It is new.")
    again = Served(folder, write=False, port=port or 0)
    try:
        expect(ended).to_be_hidden()
        expect(page.locator(".came")).to_contain_text("It is new.")
        page.reload()
        expect(page.get_by_text("It is new.")).to_have_count(1)
    finally:
        again.stop()
        console.clear()


@pytest.mark.smoke
def test_the_search_of_every_page_answers_while_typing(page: Page, server: Server) -> None:
    """Below the field, by keys alone; Escape closes it, Enter goes on to all of it."""
    served = server("plain")
    served.open(page, "/tasks")
    page.keyboard.press("/")
    page.keyboard.type("webhook")
    answers = page.get_by_role("region", name="Answers")
    expect(answers.locator(".row .id").first).to_have_text("webhook-retries")
    assert urlsplit(page.url).path == "/tasks"
    page.keyboard.press("Escape")
    expect(answers).to_be_hidden()
    page.get_by_label("Search memory").fill("webhook")
    expect(answers).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{served.address}/fact/webhook-retries")


def test_a_form_keeps_its_words(page: Page, server: Server, console: Console) -> None:
    """What is recorded elsewhere takes none away; Back leads to what was looked at; a server that ended is said."""
    served = server("plain", write=True)
    served.open(page, "/write/note")
    page.get_by_label("What holds").fill("Shops are open on Sundays.")
    page.get_by_role("button", name="Preview").click()
    for button, shown in (("", "This would be recorded"), ("Go back", "Add a fact")):
        if button:
            page.get_by_role("button", name=button).click()
        append(served.folder, f"other-{len(button)}", "It is new.")
        page.wait_for_timeout(5_000)  # more than twice as long as until a page asks
        expect(page.get_by_role("heading", name=shown)).to_be_visible()
    expect(page.get_by_label("What holds")).to_have_value("Shops are open on Sundays.")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status", name="Recorded")).to_be_visible()
    page.route("**/tip?*", lambda asked: asked.abort())  # not while a page comes: then it is lost
    page.go_back()
    expect(page.get_by_role("heading", name="Nothing left to record")).to_be_visible()
    page.get_by_role("button", name="Go back").click()
    expect(page.locator(".fresh")).to_contain_text("The server has ended")
    console.clear()
