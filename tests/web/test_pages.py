"""All pages in a browser, at two widths, light and dark, over every home."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Server


def test_now(page: Page, server: Server) -> None:
    """The first page shows."""
    server("plain").open(page)
    assert page.locator("h1").count() == 1
