"""Timeline, health and the pages of the work in a browser: what is clicked leads to what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install -e '.[dev]'")

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Server


def test_pictures_scroll_in_their_own_box(page: Page, server: Server) -> None:
    """On a telephone the page is as wide as the screen, and a picture may be wider; all is said in a table."""
    page.set_viewport_size({"width": 390, "height": 800})
    server("plain").open(page, "/health")
    box = page.locator(".scroll").first
    assert box.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("As a table").click()
    cells = page.locator("details td.number")
    assert cells.count() % 6 == 0
    sync_api.expect(cells.first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
