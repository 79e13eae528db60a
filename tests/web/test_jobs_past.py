"""What a lead asks of the past, from the start page: by mouse, by keys alone, without a script, and in a site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.web.conftest import Clicks, Server
from tests.web.homes import FORGE
from tests.web.looking import LOOKS, faults_of, tab_to

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


def step_to(clicks: Clicks, row: Locator, most: int = 12) -> None:
    """Press j until a row has the focus."""
    for _ in range(most):
        if row.evaluate("one => one === document.activeElement"):
            break
        clicks.press("j")
    expect(row).to_be_focused()


def test_what_was_true_at_a_release(
    page: Page, server: Server, clicks: Clicks, browser: Browser
) -> None:
    """Two clicks, by the picture of Health; in the filter of any list, by keys alone, and without a script."""
    served = server("plain")
    served.open(page)
    clicks.click(page.get_by_role("link", name="Health", exact=True))
    clicks.click(page.locator("svg.moments a", has_text="v1.1"))
    assert clicks.count == 2
    expect(page.locator("#facts .asked-for")).to_contain_text("as of v1.1")
    expect(page.locator(".row", has_text="Wire the queue").first).to_be_visible()
    expect(page.locator(".row", has_text="40 orders a second")).to_have_count(0)

    page.goto(f"{served.address}/decisions")
    clicks.count = 0
    page.locator("body[data-ready]").wait_for(state="attached")
    tab_to(page, page.get_by_label("As of"))
    clicks.count += 1  # as people hold it
    clicks.press("v", "1", ".", "0")
    page.wait_for_url(re.compile("as_of=v1.0"))
    expect(page.locator(".row", has_text="A webhook is sent once")).to_be_visible()
    expect(page.locator(".row", has_text="with jitter")).to_have_count(0)
    assert clicks.count == 5

    with browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    ) as context:
        bare = context.new_page()
        bare.goto(served.address)
        if bare.locator("details.filter > summary").is_visible():
            bare.locator("details.filter > summary").click()
        for point in ("2026-08-30", "main~3", "no such point"):
            bare.get_by_label("As of").fill(point)
            bare.get_by_role("button", name="Apply").click()
            said = "is no time" if point == "no such point" else f"as of {point}"
            expect(bare.locator("#facts")).to_contain_text(said)


def test_two_weeks_are_compared(page: Page, server: Server, clicks: Clicks) -> None:
    """Two clicks: counts beside each other, and each decision as a change with its person; any two weeks by their days."""
    served = server("plain")
    served.open(page)
    clicks.click(page.get_by_role("link", name="Decisions", exact=True))
    clicks.click(page.get_by_role("link", name="compare", exact=True).first)
    assert clicks.count == 2
    heads = page.locator("thead th")
    expect(heads).to_have_text(["2026-08-24 to 2026-08-30", "2026-08-31 to 2026-09-06"])
    expect(page.locator("tr", has_text="Decisions made")).to_contain_text("21")
    expect(page.locator(".side").last).to_contain_text("Ada, with claude-code2026-09-03")
    expect(page.locator(".side").last).to_contain_text("three → five")
    page.get_by_label("The week of", exact=True).fill("2026-09-22")
    page.get_by_role("button", name="Compare").click()
    expect(heads).to_have_text(["2026-08-31 to 2026-09-06", "2026-09-21 to 2026-09-27"])
    page.goto(f"{served.address}/facts")
    page.get_by_label("Pick a day").last.fill("2026-08-30")
    expect(page).to_have_url(re.compile("as_of=2026-08-30"))


def test_the_reason_is_shown_to_a_colleague(page: Page, server: Server, clicks: Clicks) -> None:
    """One click to the fact; its commit and its log lead to the forge; an event has a link to be copied."""
    served = server("plain")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    served.open(page)
    page.set_viewport_size({"width": 1280, "height": 860})
    clicks.click(page.get_by_role("link", name="webhook-retries", exact=True).first)
    event = page.locator(".chain > li", has_text="Updated")
    expect(event).to_contain_text("Ada, with claude-code")
    commit = event.get_by_role("link", name=re.compile(r"^[0-9a-f]{7}$"))
    sha = (commit.get_attribute("href") or "").removeprefix(f"{FORGE}/commit/")
    assert re.fullmatch(r"[0-9a-f]{40}", sha)
    assert set((commit.get_attribute("rel") or "").split()) == {
        "noreferrer",
        "noopener",
        "nofollow",
    }
    log = event.get_by_role("link", name="log", exact=True)
    assert (log.get_attribute("href") or "").startswith(f"{FORGE}/blob/{sha}/sessions/2026-09/")
    clicks.click(event.get_by_role("link", name="Link to this event"))
    assert clicks.count == 2
    place = event.get_attribute("id")
    assert page.url == f"{served.address}/fact/webhook-retries#{place}"
    clicks.click(page.get_by_role("button", name="link", exact=True))
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="as text").click()
    said = page.evaluate("navigator.clipboard.readText()")
    assert said.startswith(
        "Webhooks retry five times, with jitter.\n\ndecision webhook-retries, Ada, with claude-code, 2026-09-03"
    )
    assert f"\n{FORGE}/blob/" in said

    page.goto(f"{served.address}/")
    clicks.count = 0
    page.locator("body[data-ready]").wait_for(state="attached")
    step_to(clicks, page.locator("[data-row]", has_text="Webhooks retry five").first)
    clicks.press("Enter")
    expect(page.locator("h1")).to_have_text("webhook-retries")
    tab_to(page, page.get_by_role("button", name="link", exact=True))
    clicks.count += 1  # as people hold it
    clicks.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert (
        page.evaluate("navigator.clipboard.readText()") == f"{served.address}/fact/webhook-retries"
    )


@pytest.mark.parametrize("looks", [pytest.param(LOOKS[-1:], marks=pytest.mark.smoke), LOOKS])
def test_these_pages_have_no_fault(
    page: Page, server: Server, looks: tuple[tuple[int, str], ...]
) -> None:
    """They fit, and axe finds nothing, at each width."""
    addresses = (
        "/fact/webhook-once", "/?as_of=v1.0", "/facts?list=all&as_of=2026-08-30", "/timeline?agent=codex", "/session/2026-08-29",
    )  # fmt: skip
    for address in addresses[: len(looks)]:
        server("plain").open(page, address)
        assert not list(faults_of(page, looks)), address
