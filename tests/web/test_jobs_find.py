"""What a lead looks for, from the start page, by mouse, by keys and without script: so many clicks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.web.conftest import Clicks, Server

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: What can be seen at once on a usual screen.
WIDE, HIGH, ROWS = 1280, 900, 5
#: How far below the top of the window the first fact may begin, also on a telephone.
TOP, NARROW, NARROW_TOP = 300, 390, 420
_TOP = "one => one.getBoundingClientRect().top"
_IN_SIGHT = "high => [...document.querySelectorAll('.row')].filter(one => one.getBoundingClientRect().bottom <= high).length"


def test_everything_about_a_word(server: Server, page: Page, clicks: Clicks) -> None:
    """One click and typing: what holds, what is false and says by what it was replaced, what was said; all counted."""
    server("plain").open(page)
    clicks.click(page.get_by_label("Search memory"))
    page.keyboard.type("webhook")
    page.keyboard.press("Enter")
    assert clicks.count == 1
    heads = page.locator("#hits h2")
    expect(heads.first).to_contain_text("What holds")
    expect(page.locator("#hits mark").first).to_have_text(re.compile("webhook", re.I))
    false = page.locator(".found.gone")
    expect(false).to_have_count(1)
    expect(false).to_contain_text("replaced by webhook-retries")
    clicks.click(false.locator(".text"))
    expect(page.locator("h1")).to_have_text("webhook-once")
    assert clicks.count == 2
    page.go_back()
    page.get_by_label("Kind").select_option("invariant")
    expect(page.locator("#hits .found")).to_have_count(1)
    assert "kind=invariant" in page.url and "q=webhook" in page.url
    page.get_by_title("Take it out").click()
    expect(page.locator("#hits .found").nth(3)).to_be_visible()
    assert "kind" not in page.url and "q=webhook" in page.url


@pytest.mark.parametrize("name", ["real", "crowded"])
def test_now_shows_many_facts_at_once(server: Server, page: Page, name: str) -> None:
    """Two lines a text; the whole of it is a link, its text can be marked."""
    page.set_viewport_size({"width": WIDE, "height": HIGH})
    served = server(name)
    served.open(page)
    assert page.evaluate(_IN_SIGHT, HIGH) >= ROWS
    assert page.locator(".row").first.evaluate(_TOP) <= TOP
    page.set_viewport_size({"width": NARROW, "height": HIGH})
    assert page.locator(".row").first.evaluate(_TOP) <= NARROW_TOP
    page.set_viewport_size({"width": WIDE, "height": HIGH})
    row = page.locator(".row").nth(2)
    fact = row.locator(".whole").inner_text()
    box = row.locator(".text").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 10, steps=6)
    page.mouse.up()
    assert len(page.evaluate("String(getSelection())")) > 3
    assert page.url == f"{served.address}/"
    page.mouse.click(
        box["x"] + box["width"] + 20, box["y"] + 6
    )  # beside the text, where nothing stands
    expect(page.locator("h1")).to_have_text(fact)
    page.goto(f"{served.address}/")
    row.locator(".text").click(position={"x": 8, "y": 8})
    expect(page.locator("h1")).to_have_text(fact)
    page.goto(f"{served.address}/?sort=old")
    expect(page.get_by_label("Order")).to_have_value("old")


def test_the_filter_needs_no_script(browser: Browser, server: Server, page: Page) -> None:
    """Its form is sent by a button, a wrong value is told, what is asked is taken out by a link; also on a telephone."""
    served = server("plain")
    served.open(page)
    bare = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state(),
        viewport={"width": 390, "height": 800},
    )  # fmt: skip
    try:
        plain = bare.new_page()
        plain.goto(f"{served.address}/")
        whole = plain.locator(".row").count()
        expect(plain.get_by_label("Kind")).to_be_hidden()
        plain.get_by_text("Filter", exact=True).click()
        plain.get_by_label("Kind").select_option("decision")
        plain.get_by_label("Include false").check()
        plain.get_by_role("button", name="Apply").click()
        expect(plain.locator(".row")).to_have_count(2)
        assert "kind=decision" in plain.url and "false=1" in plain.url
        plain.get_by_title("Take it out").last.click()
        expect(plain.locator(".row")).to_have_count(1)
        plain.get_by_role("link", name="Clear all").click()
        expect(plain.locator(".row")).to_have_count(whole)
        plain.locator(".row .text").nth(1).click(force=True)  # the link lies above it
        expect(plain.locator("h1.id")).to_be_visible()
        plain.goto(f"{served.address}/?kind=poem")
        expect(plain.get_by_role("alert")).to_contain_text("There is no kind poem")
    finally:
        bare.close()
