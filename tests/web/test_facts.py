"""What people do most: filter, search, read a fact, move by keys; with script and without."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.conftest import Server, Site


def test_facts_are_filtered_while_somebody_types(page: Page, server: Server) -> None:
    """The address follows, so that it can be sent; a tier on top of it is a link."""
    server("plain").open(page)
    rows = page.locator(".row")
    whole = rows.count()
    page.keyboard.press("/")
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
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    try:
        plain = bare.new_page()
        plain.goto(f"{served.address}/")
        expect(plain.locator("[data-keys]")).to_be_hidden()
        plain.get_by_label("Filter facts").fill("at most 40")
        plain.keyboard.press("Enter")
        expect(plain.locator(".row")).to_have_count(1)
        plain.locator(".chip").first.click()
        assert "q=at" in plain.url
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
