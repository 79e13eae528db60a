"""Timeline, health and the pages of the work in a browser: what is clicked leads to what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install -e '.[dev]'")

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Server, Site


def lead_to(page: Page, day: int) -> str:
    """Click a day of the calendar, counted from the last one; return the date that its name says."""
    cell = page.locator("svg.heat a").nth(-day)
    name = cell.locator("title").text_content() or ""
    cell.click()
    return name.partition(" on ")[2]


def test_a_day_of_the_calendar_leads_to_its_sessions(
    page: Page, server: Server, site: Callable[[str], Site]
) -> None:
    """By a click, on the server and in files: its heading is in sight, below what stays on top."""
    served = server("plain")
    served.open(page)
    for address in (f"{served.address}/timeline", f"{site('plain').by_file}timeline.html"):
        page.goto(address)
        for day in (8, 20):
            said = lead_to(page, day)
            found = re.fullmatch(r"\w+ (\d+ )(\w+)( \d+)", said)
            assert found is not None, said
            place = page.url.partition("#")[2]
            heading = page.locator(f"#{place} h2")
            text = heading.inner_text()
            assert found[1] in text and found[2] in text and found[3] in text
            sync_api.expect(heading).to_be_in_viewport()
            top, head = heading.bounding_box(), page.locator(".top").bounding_box()
            assert top is not None and head is not None
            assert top["y"] >= head["y"] + head["height"] - 1


def test_the_calendar_is_no_hurdle_for_the_keyboard(page: Page, server: Server) -> None:
    """From its box the next stops are the table that says the same, and the first session."""
    server("plain").open(page, "/timeline")
    page.locator(".course").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "The same by week"
    page.keyboard.press("Enter")
    cells = page.locator(".weeks tbody tr")
    assert cells.count() > 1
    sync_api.expect(cells.first).to_be_visible()
    page.keyboard.press("Enter")
    sync_api.expect(cells.first).not_to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.day .title a')")


def test_pictures_scroll_in_their_own_box(page: Page, server: Server) -> None:
    """On a telephone the page is as wide as the screen, and a picture may be wider; all is said in a table."""
    page.set_viewport_size({"width": 390, "height": 800})
    server("plain").open(page, "/health")
    box = page.locator(".scroll").first
    assert box.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("Both as a table").click()
    cells = page.locator("details td.number")
    assert cells.count() % 6 == 0
    sync_api.expect(cells.first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
