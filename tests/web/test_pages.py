"""All pages in a browser: at two widths, light and dark, over every home, served and as a site."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import expect

from tests.conftest import WHOLE
from tests.web.conftest import Console
from tests.web.homes import CANARY, ELSEWHERE, FIRING, LOADING, PAYLOADS
from tests.web.looking import LOOKS, active_in, addresses, faults_of, without_policy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request

    from tests.web.conftest import Server, Site

Homes = Callable[[str], Path]
#: All pages in all ways: in a campaign.
_WHOLE = WHOLE in os.environ


def watching(page: Page) -> Callable[[str], list[str]]:
    """Return what a page did that none of ours does, since the last time: asked elsewhere, spoke up, ran."""
    did: list[str] = []

    def speak(dialog: Dialog) -> None:
        did.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def ask(request: Request) -> None:
        if ELSEWHERE in request.url:
            did.append(request.url)

    page.on("dialog", speak)
    page.on("request", ask)
    page.on("popup", lambda popup: did.append(f"popup {popup.url}"))

    def since(where: str) -> list[str]:
        if page.evaluate(f"window.{CANARY} ?? 0"):
            did.append("a script ran")
        found = [f"{where}: {one}" for one in did]
        did.clear()
        return found

    return since


def found_in(
    page: Page,
    console: Console,
    visits: Iterable[tuple[str, str]],
    looks: int = 1,
    look: Callable[[str], Iterable[str]] = lambda name: (),
) -> list[str]:
    """Go to addresses and say what is wrong with each page.

    Visits are (name, address). `looks` is in how many ways axe looks at each page, in turns; in all of
    them in a campaign. `look` says more of a page by its name.
    """
    found = []
    for number, (name, address) in enumerate(visits):
        answer = page.goto(address)
        if answer is not None and answer.status not in (0, 200):
            found.append(f"{name}: {answer.status}")
        page.locator("body[data-ready]").wait_for(state="attached")
        turn = [LOOKS[(number + more) % len(LOOKS)] for more in range(looks)]
        found += [f"{name}: {one}" for one in faults_of(page, LOOKS if _WHOLE else turn)]
        found += [f"{name}: {one}" for one in look(name)]
        found += [f"{name}: the console: {one}" for one in console.clear()]
    return found


@pytest.mark.parametrize("name", ["plain", *["contradicted", "empty", "hostile"] * _WHOLE])
def test_served_pages_fit_and_can_be_read_by_all(
    page: Page, console: Console, server: Server, home: Homes, name: str
) -> None:
    """No overflow, a silent console, axe content, targets for fingers, headings; each link of each page answers."""
    served = server(name)
    served.open(page)
    links: dict[str, str] = {}

    def follow(name: str) -> Iterable[str]:
        for link in page.eval_on_selector_all(
            "a[href]", "all => all.map(one => new URL(one.getAttribute('href'), location).href)"
        ):
            links.setdefault(link.partition("#")[0], name)
        return ()

    visits = [(one, served.address + one) for one in addresses(home(name), 0 if _WHOLE else 1)]
    found = found_in(page, console, visits, look=follow)
    for link, where in links.items():
        ours = link.startswith(served.address)
        if ours and (status := page.request.get(link).status) != 200:
            found.append(f"{where}: {link} answers {status}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["hostile", *["plain"] * _WHOLE])
def test_the_pages_of_a_site_fit_and_are_inert_without_the_policy(
    browser: Browser, site: Callable[[str], Site], home: Homes, name: str
) -> None:
    """The policy is the second lock: without it escapes alone hold. From a disk, and from below an address."""
    context = browser.new_context(bypass_csp=True)
    context.set_default_timeout(60_000)
    page, console, made = context.new_page(), Console(context), site(name)
    since = watching(page)
    page.goto(made.by_file)  # the lock is off: what a template wrote of it would not have run
    page.evaluate(f"document.body.insertAdjacentHTML('beforeend', {FIRING[1]!r})")
    assert _until(page, lambda: since("")), "the policy was there"
    console.clear()
    asked = list(addresses(home(name), 0 if _WHOLE else 1).values())
    by_file = [(one, made.by_file + one) for one in asked]
    by_http = [(f"http: {one}", made.by_http + one) for one in asked[:: 1 if _WHOLE else 4]]
    found = found_in(
        page,
        console,
        [*by_file, *by_http],
        looks=0,
        look=lambda name: [*active_in(page), *since(name)],
    )
    shown = "\n".join(page.locator("body").all_inner_texts())
    context.close()
    assert found == [] and shown


def _until(page: Page, done: Callable[[], object], seconds: float = 30) -> bool:
    until = time.monotonic() + seconds
    while not (holds := bool(done())) and time.monotonic() < until:
        page.wait_for_timeout(20)
    return holds


@pytest.mark.skipif(
    not _WHOLE, reason="the site of it is looked at instead; in a campaign this, too"
)
def test_payloads_are_inert_without_the_policy(
    page: Page, console: Console, server: Server, home: Homes
) -> None:
    """The policy is the second lock: with its header taken off, escapes alone hold, on all pages."""
    served = server("hostile")
    served.open(page)
    without_policy(page)
    watched, found = watching(page), []
    for one in addresses(home("hostile"), 0):
        answer = page.goto(served.address + one)
        assert answer is not None and "content-security-policy" not in answer.headers
        page.locator("body[data-ready]").wait_for(state="attached")
        found += [f"{one}: {what}" for what in active_in(page)] + watched(one)
    shown = "\n".join(page.locator("body").all_inner_texts())
    assert found == [] and console.clear() == [] and shown


def test_the_same_payloads_fire_where_they_stand_raw(
    page: Page, console: Console, server: Server
) -> None:
    """So what is silent above is silent for its escapes: each that fires by itself does, and is seen."""
    address = server("empty").address
    watched, shown = watching(page), ""
    page.route("**/raw", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.route(f"{ELSEWHERE}/**", lambda route: route.abort())
    for shown in (*FIRING, *LOADING):
        page.goto(f"{address}/raw")
        assert _until(page, partial(watched, shown)), shown
    for shown in PAYLOADS:
        if shown.startswith("<") and "<script" not in shown and "meta" not in shown:
            page.goto(f"{address}/raw")
            assert active_in(page) or "link" in shown or "form" in shown, shown
            watched(shown)
    console.clear()


def test_pages_read_without_script(browser: Browser, server: Server, home: Homes) -> None:
    """Every page says what it says, and its links and forms are there."""
    served = server("plain")
    scripted = browser.new_context()
    served.open(scripted.new_page())
    scripted.close()
    context: BrowserContext = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    found = []
    served.open(page)
    for one in addresses(home("plain"), 1):
        page.goto(served.address + one)
        if page.locator("h1").count() != 1 or len(page.locator("main").inner_text()) < 40:
            found.append(one)
    for form in page.locator("form").all():
        action = urljoin(page.url, form.get_attribute("action") or "")
        assert urlsplit(action).netloc == urlsplit(served.address).netloc
    context.close()
    assert not found, "\n".join(found)


def test_a_site_is_searched_without_a_server(page: Page, site: Callable[[str], Site]) -> None:
    """From a disk, and from the header of any page: all words; a hit leads to its page."""
    made = site("plain")
    page.goto(f"{made.by_file}fact/uv.html")
    page.fill(".ask input", "webhook")
    page.keyboard.press("Enter")
    hits = page.locator("#hits .row:visible")
    expect(hits).to_have_count(4)
    assert page.url.startswith(f"{made.by_file}search.html?")
    assert all("webhook" in one.lower() for one in hits.all_inner_texts())
    page.fill("[data-filter]", "orders never")
    expect(hits).to_have_count(1)
    expect(hits.first).to_contain_text("Orders are never deleted")
    page.fill("[data-filter]", "orders zebra")
    expect(hits).to_have_count(0)
    page.fill("[data-filter]", "uv")
    hits.get_by_role("link", name="uv", exact=True).click()
    expect(page.locator("h1")).to_have_text("uv")


@pytest.mark.parametrize(
    ("name", "write", "addresses"),
    [
        pytest.param("plain", False, ("/?as_of=v1.0",), marks=pytest.mark.smoke),
        ("plain", False, ("/fact/webhook-once", "/facts?list=all&as_of=2026-08-30", "/timeline?agent=codex",
                          "/session/2026-08-29", "/weeks", "/brief?task=webhooks")),
        ("crowded", True, ("/review?rule=thread-stalled&tick=all", "/review?rule=invariant-due&tick=some", "/review")),
        ("plain", True, ("/write/note", "/write/reword?id=webhook-retries", "/write/hand-over?id=wire-queue", "/tasks",
                         "/facts?kind=finding", "/fact/wire-queue", "/write/withhold?id=shop-limit", "/write/deny?id=shop-limit")),
    ],
)  # fmt: skip
def test_these_can_be_used_by_all(
    page: Page, console: Console, server: Server, name: str, write: bool, addresses: tuple[str, ...]
) -> None:
    """Lists, forms, what they would record and what refuses them: labels, contrast, fingers, nothing too wide."""
    served = server(name, write=write)
    for number, address in enumerate(addresses):
        served.open(page, address)
        for folded in page.locator("main summary").all() if name == "crowded" else ():
            folded.click()
        assert list(faults_of(page, [LOOKS[-1 - number % len(LOOKS)]])) == [], address
        for field, text in (("Why?", "a name"), ("What holds instead", "nobody-knows")):
            if page.get_by_label(field).count() and "id=shop-limit" in address:
                page.get_by_label(field).fill(text)
                page.get_by_role("button", name="Preview").click()
                assert list(faults_of(page, LOOKS)) == [], address
    console.clear()  # what is refused is an answer of its own


def test_nothing_typed_does_anything(server: Server, page: Page, console: Console) -> None:
    """In a home where every text is a payload, each field is filled with payloads; our escapes alone hold."""
    served = server("hostile", write=True)
    without_policy(page)
    served.open(page)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    facts = ("", "?id=hostile-0", "?id=hostile-1", "?id=hostile-7", "?id=hostile-21")
    names = ("note", "reword", "replace", "deny", "close")
    for name, query in zip(names, facts, strict=True):
        for payload in (PAYLOADS[0], PAYLOADS[3], PAYLOADS[11], PAYLOADS[21]):
            page.goto(f"{served.address}/write/{name}{query}")
            for field in page.locator("form.own textarea, form.own input[type=text]").all():
                field.fill(payload.replace("\n", " "))
            for button in ("Preview", "Go back", "Preview"):
                assert active_in(page) == [], (name, payload)
                found = page.get_by_role("button", name=button)
                if found.count():  # else it was refused
                    found.click()
            assert active_in(page) == [], (name, payload)
            assert page.evaluate(f"window.{CANARY}") is None
    assert [one for one in asked if not one.startswith(served.address)] == []
    console.clear()  # what is refused is an answer of its own
