"""What people do most: filter, search, read a fact, move by keys; with script and without."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.conftest import Server, Site

#: What can be seen at once on a usual screen.
WIDE, HIGH, ROWS = 1280, 900, 5
#: How far below the top of the window the first fact may begin, also on a telephone.
TOP, NARROW, NARROW_TOP = 300, 390, 420
_TOP = "one => one.getBoundingClientRect().top"
_IN_SIGHT = "high => [...document.querySelectorAll('.row')].filter(one => one.getBoundingClientRect().bottom <= high).length"


def test_facts_are_filtered_while_somebody_types(page: Page, server: Server) -> None:
    """The address follows, so that it can be sent; a tier on top of it is a link."""
    server("plain").open(page)
    rows = page.locator(".row")
    whole = rows.count()
    page.keyboard.press("f")
    page.keyboard.type("AT most 40")
    expect(rows).to_have_count(1)
    expect(page).to_have_url("/".join([page.url.rsplit("/", 1)[0], "?q=AT+most+40"]))
    page.reload()
    expect(rows).to_have_count(1)
    page.get_by_label("Filter facts").fill("")
    expect(rows).to_have_count(whole)
    page.locator(".chip", has_text="core").click()
    expect(page.locator(".row .t-core")).to_have_count(rows.count())


def test_keys_lead_through_the_pages(page: Page, server: Server) -> None:
    """`j` and `k` from row to row, Enter into it, `g` and a letter to a page, `?` says all of that."""
    server("plain").open(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("[data-row]").first).to_be_focused()
    name = page.locator("[data-row] .whole").first.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(name)
    # its heading stands before its scripts
    page.locator("body[data-ready]").wait_for(state="attached")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next, previous")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("n")
    expect(page.locator("nav a[aria-current=page]")).to_have_text("Now")


def test_a_search_answers_while_somebody_types(page: Page, server: Server) -> None:
    """What holds before what was said, each with why it stands there."""
    server("plain").open(page, "/search")
    expect(page.get_by_label("Search memory")).to_be_focused()  # a browser does it once it draws
    page.keyboard.type("webhook")
    expect(page.locator("#hits .row .id").first).to_have_text("webhook-retries")
    expect(page).to_have_url(re.compile("q=webhook"))
    page.get_by_text("Why this rank").first.click()
    expect(page.locator("details .why").first).to_be_visible()
    page.locator("#hits .row .id").first.click()
    expect(page.locator(".text").first).to_have_text("Webhooks retry five times, with jitter.")
    expect(page.locator(".diff ins").first).to_have_text("five")


def test_without_script_all_is_there(browser: Browser, page: Page, server: Server) -> None:
    """The filter and the search are forms, tiers and levels links, a fact is whole."""
    served = server("plain")
    served.open(page)
    bare = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state(),
        viewport={"width": 390, "height": 800},
    )  # fmt: skip
    try:
        plain = bare.new_page()
        plain.goto(f"{served.address}/")
        expect(plain.locator("[data-keys]")).to_be_hidden()
        plain.get_by_label("Filter facts").fill("at most 40")
        plain.keyboard.press("Enter")
        expect(plain.locator(".row")).to_have_count(1)
        plain.locator(".chip").first.click()
        plain.goto(f"{served.address}/")
        whole = plain.locator(".row").count()
        plain.get_by_text("Filter", exact=True).click()
        plain.get_by_label("Kind").select_option("decision")
        plain.get_by_label("Include false").check()
        plain.get_by_role("button", name="Apply").click()
        expect(plain.locator(".row")).to_have_count(2)
        plain.get_by_title("Take it out").last.click()
        expect(plain.locator(".row")).to_have_count(1)
        plain.get_by_role("link", name="Clear all").click()
        expect(plain.locator(".row")).to_have_count(whole)
        for point, said in (("main~3", "as of main~3"), ("no such point", "is no time")):
            plain.goto(f"{served.address}/decisions")
            plain.get_by_text("Filter", exact=True).click()
            plain.get_by_label("As of").fill(point)
            plain.get_by_role("button", name="Apply").click()
            expect(plain.locator("#list")).to_contain_text(said)
        plain.get_by_label("Search memory").fill("webhook")
        plain.keyboard.press("Enter")
        expect(plain.locator("#hits .row .id").first).to_have_text("webhook-retries")
        plain.locator("#hits .row .id").first.click()
        plain.get_by_text("Used in 8 sessions").click()
        expect(plain.locator(".run li").first).to_be_visible()
        expect(plain.get_by_role("link", name="shop-limit").last).to_be_visible()
        expect(plain.locator("code.command").first).to_have_text(
            "diurna review --confirm webhook-retries"
        )
    finally:
        bare.close()


def test_a_site_filters_its_facts_by_itself(page: Page, site: Callable[[str], Site]) -> None:
    """From a file, where nobody can be asked."""
    page.goto(site("plain").by_file + "index.html")
    rows = page.locator(".row:visible")
    whole = rows.count()
    page.get_by_label("Filter facts").last.fill("at most 40")
    expect(rows).to_have_count(1)
    page.get_by_label("Filter facts").last.fill("sent once")
    expect(rows).to_have_count(0)
    expect(page.locator("main [role=status]")).to_have_text("0 facts")
    page.get_by_label("Filter facts").last.fill("")
    expect(rows).to_have_count(whole)
    page.locator(".chip").first.click()
    expect(page.locator(".chip[aria-current]")).to_have_count(1)


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
    # below the text, where nothing stands
    page.mouse.click(box["x"] + box["width"] - 10, box["y"] + box["height"] + 12)
    expect(page.locator("h1")).to_have_text(fact)
    page.goto(f"{served.address}/")
    row.locator(".text").click(position={"x": 8, "y": 8})
    expect(page.locator("h1")).to_have_text(fact)
