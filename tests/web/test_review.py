"""Deciding in a browser: with script and without, beside another tab, and by the command that is copied."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from memory.api import Memory
from rituals.decide.open_contradictions import disputes
from tests.web.conftest import Server
from tests.web.looking import LOOKS, faults_of

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


def memory(folder: Path) -> Memory:
    return Memory(discover(str(folder)))


def test_two_tabs_decide_the_same(server: Server, page: Page) -> None:
    """The second one is told what holds by now, and leads back to the page."""
    served = server("undecided", write=True)
    served.open(page, "/review")
    other = page.context.new_page()
    other.goto(served.address + "/review")
    mark = other.locator("body").get_attribute("data-mark")
    other.route("**/tip?*", lambda asked: asked.fulfill(json={"tip": mark}))  # it stays as it was
    for tab in (page, other):
        old = tab.locator("article", has=tab.get_by_role("link", name="old", exact=True))
        old.get_by_role("button", name="This one replaces it").first.click()
    expect(page.get_by_role("status", name="Recorded")).to_contain_text("Resolve old")
    expect(other.get_by_role("heading", name="Nothing left to record")).to_be_visible()
    other.get_by_role("link", name="Back to the page").click()
    expect(other.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    assert "old" not in [one.fact for one in disputes(memory(served.folder))]


def test_the_command_is_copied(server: Server, page: Page) -> None:
    """Whoever only looks copies the command; it stands there as text, too."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    served = server("undecided")
    served.open(page, "/review")
    expect(page.locator("form[method=post]")).to_have_count(0)
    command = "diurna conflicts old --choose left"
    expect(page.get_by_text(command, exact=True)).to_be_visible()
    page.locator(f'[data-copy="{command}"]').click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == command


def test_forms_can_be_used_by_all(server: Server, page: Page) -> None:
    """With all that folds unfolded: labels, contrast, targets for fingers, and nothing too wide."""
    served = server("undecided", write=True)
    *turns, last = LOOKS  # each page in another width and scheme
    asked = ("/review", "/review?rule=invariant-due", "/review/learn")
    for address, look in zip(asked * 2, turns, strict=False):
        served.open(page, address)
        for folded in page.locator("main summary").all():
            folded.click()
        assert list(faults_of(page, [look])) == []
    served.open(page, "/review/learn")
    page.get_by_role("button", name="Remember it").first.click()
    expect(page.get_by_role("status", name="Recorded")).to_be_visible()
    assert list(faults_of(page, [last])) == []
