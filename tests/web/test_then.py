"""The page of the past in a browser: its slider, served, without script, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from tests.web.conftest import Server, Site


def test_the_slider_moves_through_the_past(page: Page, server: Server) -> None:
    """A key on it shows the session before, in the page and in the address."""
    server("plain").open(page, "/then?at=3")
    slider, status = page.get_by_role("slider"), page.locator("#then [role=status]")
    expect(status).to_contain_text("After session 3")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(status).to_contain_text("After session 2")
    page.wait_for_url("**/then?at=2")
    page.reload()
    expect(slider).to_have_value("2")


def test_without_script_there_is_a_button(browser: Browser, page: Page, server: Server) -> None:
    """It asks for the session that was chosen."""
    served = server("plain")
    served.open(page, "/then?at=1")
    plain = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    bare = plain.new_page()
    bare.goto(f"{served.address}/then?at=1")
    expect(bare.locator("#then [role=status]")).to_contain_text("After session 1")
    bare.get_by_role("slider").focus()
    bare.keyboard.press("ArrowRight")
    bare.get_by_role("button", name="Show", exact=True).click()
    expect(bare.locator("#then [role=status]")).to_contain_text("After session 2")
    plain.close()


def test_a_file_moves_as_the_server_does(
    page: Page, server: Server, site: Callable[[str], Site]
) -> None:
    """Of each session the script of the site shows what the server says, word by word."""
    served = server("plain")
    address = f"{site('plain').by_file}then.html"
    parts = page.locator("#then > :not(.whens, .lead)")

    def words() -> list[str]:
        page.locator("body[data-ready]").wait_for(state="attached")
        said = [one for text in parts.all_inner_texts() for one in text.split()]
        return [one for one in said if one not in ("Earlier", "Later")]

    for at in ("0", "1", "3", "v1.1", "2026-09-06", "2026-08"):
        served.open(page, f"/then?at={at}")
        said = words()
        page.goto(f"{address}?at={at}")
        assert words() == said, at


def test_a_file_lists_what_came_since(page: Page, site: Callable[[str], Site]) -> None:
    """With texts, word for word where one was reworded; from the summary by a click, and back."""
    page.goto(f"{site('plain').by_file}then.html?at=2")
    link = page.get_by_role("link", name="all with texts")
    expect(link).to_have_count(4)
    link.nth(1).click()
    expect(page.locator("#then h2", has_text="Reworded or false since")).to_be_visible()
    row = page.locator(".row", has_text="webhook-retries").first
    expect(row.locator("del")).to_have_text("three")
    expect(row.locator("ins")).to_have_text("five")
    release = page.get_by_role("combobox", name="Release")
    release.select_option("v1.0")
    page.get_by_role("button", name="Show that release").click()
    expect(page.locator("#then [role=status]")).to_contain_text("After session 1 of 30")
    expect(release).to_have_value("v1.0")
    expect(page.get_by_label("Day")).to_have_value("2026-08-29")
