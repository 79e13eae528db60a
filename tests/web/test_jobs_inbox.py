"""What a lead does in the review, from the start page, by mouse and by keys: so many clicks, and no scrolling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from memory.api import Memory
from rituals.decide.open_contradictions import disputes
from tests.web.conftest import Clicks, Server
from tests.web.looking import LOOKS, faults_of
from tests.world import git

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECORDED = "Recorded"


def memory(folder: Path) -> Memory:
    return Memory(discover(str(folder)))


def logs_since(folder: Path, commit: str) -> int:
    """Count the logs that came behind a commit."""
    names = git(folder, "diff", "--name-only", "--diff-filter=A", commit, "HEAD", "--", "sessions")
    return len(names.split())


def stalled(folder: Path) -> int:
    """Count the threads that nobody named for long and that are open."""
    facts = [one.fact for one in memory(folder).state().standings()]
    return sum(fact.open for fact in facts if fact.id.startswith("idle-"))


def test_the_newest_contradiction_is_settled(server: Server, page: Page, clicks: Clicks) -> None:
    """Two clicks, and no pixel to scroll; then the next card has the focus. By keys: g r j 1."""
    served = server("crowded", write=True)
    served.open(page)
    clicks.click(page.get_by_role("link", name="7 contradictions to resolve"))
    cards = page.locator("article.card")
    newest, following = cards.nth(0), cards.nth(1)
    expect(newest).to_be_in_viewport()
    assert newest.get_attribute("id") == "c-wire"
    follows = following.get_attribute("id")
    clicks.click(newest.get_by_role("button").first)
    assert clicks.count == 2
    expect(page.get_by_role("status", name=RECORDED)).to_contain_text("Resolve wire")
    expect(page.locator(f"#{follows}")).to_be_focused()
    expect(page.locator(f"#{follows}")).to_be_in_viewport()
    assert page.url == f"{served.address}/review#{follows}"
    assert "wire" not in [one.fact for one in disputes(memory(served.folder))]
    page.reload()
    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    expect(page.get_by_role("status", name=RECORDED)).to_have_count(0)

    page.goto(f"{served.address}/")
    clicks.count = 0
    clicks.press("g", "r")
    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    clicks.press("j", "1")
    expect(page.get_by_role("status", name=RECORDED)).to_contain_text("Resolve")
    assert clicks.count == 4 and len(disputes(memory(served.folder))) == 5
    page.keyboard.press("j")
    page.keyboard.press("e")  # opens the words of the card that has the focus now
    expect(page.locator("article:focus-within textarea")).to_be_focused()
    page.keyboard.type("y n 1 u")  # where somebody writes no key answers
    assert len(disputes(memory(served.folder))) == 5

    page.goto(f"{served.address}/fact/limit")
    page.get_by_role("link", name="Resolve it in the review").click()
    expect(page.locator("#c-limit")).to_be_in_viewport()


def test_threads_that_stalled_are_closed(server: Server, page: Page, clicks: Clicks) -> None:
    """All 71 by three clicks with one log; undone by one, closed again by keys alone."""
    served = server("crowded", write=True)
    served.open(page)
    before = memory(served.folder).home.tip()
    clicks.click(page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review"))
    clicks.click(page.get_by_role("link", name="tick all 71"))
    clicks.click(page.get_by_role("button", name="Close what is ticked"))
    notice = page.get_by_role("status", name=RECORDED)
    expect(notice).to_contain_text("and 70 more")
    expect(notice).to_contain_text("diurna close")
    assert clicks.count == 3 and logs_since(served.folder, before) == 1
    assert stalled(served.folder) == 0
    page.keyboard.press("u")
    expect(notice).to_contain_text("Undo: Close")
    assert stalled(served.folder) == 70
    page.goto(f"{served.address}/review?rule=thread-stalled")
    page.keyboard.press("j")
    closed = page.locator("article:focus").get_attribute("id")
    page.keyboard.press("y")
    expect(notice).to_contain_text("Close ")
    assert page.locator("article:focus").get_attribute("id") != closed
    assert stalled(served.folder) == 69
    page.keyboard.press("a")
    expect(page.locator(".tick input:checked")).to_have_count(70)
    page.keyboard.press("j")
    page.keyboard.press("y")
    expect(notice).to_contain_text("and 69 more")
    assert stalled(served.folder) == 0


def test_the_lists_can_be_used_by_all(server: Server, page: Page) -> None:
    """In each width and scheme: labels, contrast, targets for fingers, nothing too wide; the keys are listed."""
    served = server("crowded", write=True)
    lists = (
        "/review?rule=thread-stalled&tick=all",
        "/review?rule=invariant-due&tick=some",
        "/review",
        "/brief?task=webhooks",
    )
    for number, look in enumerate(LOOKS):
        served.open(page, lists[number % len(lists)])
        for folded in page.locator("main summary").all():
            folded.click()
        assert list(faults_of(page, [look])) == []
    page.keyboard.press("?")
    for said in ("accept, reject", "keep that side", "tick all", "undo what was recorded last"):
        expect(page.get_by_role("dialog")).to_contain_text(said)
