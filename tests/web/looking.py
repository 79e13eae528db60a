"""What a browser is asked about a page: whether it fits, can be read by all, and does nothing of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import anyio

from ledger.environment import now_ms
from ledger.home import discover
from memory.api import Memory
from rituals.serve.web.site import Fetching

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

T = TypeVar("T")
#: The last one is also a window of 1280 pixels that is shown four times as large.
WIDTHS = 1280, 640, 390, 320  #: the second is the first at 200 %
LOOKS = tuple((width, scheme) for width in WIDTHS for scheme in ("light", "dark"))
#: The rules of axe that hold here.
_RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
#: What a finger is to hit, in pixels: the least height where the window is narrow.
_FINGER = 36
_TOO_SMALL = """least => [...document.querySelectorAll("button:not(.quiet, .copies *), .chip, input:not([type=hidden])")]
    .filter(one => one.checkVisibility() && !one.matches("[type=checkbox], [type=radio], [type=range]"))
    .filter(one => one.getBoundingClientRect().height < least)
    .map(one => one.outerHTML.slice(0, 80) + " " + one.getBoundingClientRect().height)"""
_TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return "";
    const wide = [...document.body.querySelectorAll("*")]
        .filter(one => one.getBoundingClientRect().right > width + 1 && !one.closest(".scroll, pre, svg"));
    return wide.map(one => one.outerHTML.slice(0, 80)).slice(-2).join(" | ") || "something";
}"""
#: The headings of a page by how deep they lie.
_RANKS = "all => all.map(one => Number(one.tagName[1]))"
_ACTIVE = """() => [...document.querySelectorAll("*")].flatMap(one => [
    ...one.getAttributeNames().filter(name => name.startsWith("on") || name === "style" || name === "srcdoc"),
    ...["href", "src", "action"].map(name => one.getAttribute(name) ?? "")
        .filter(value => /^\\s*(javascript|vbscript|data:text)/i.test(value)),
    ...(one.matches("iframe, object, embed, base, img, style, [hx-get]") ? [one.outerHTML.slice(0, 60)] : []),
])"""


@cache
def axe() -> str:
    """Return the script of axe."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def apart(folder: Path, ask: Callable[[Memory], T], clock: Callable[[], int] = now_ms) -> T:
    """Ask a home on a thread of its own: this one runs an event loop already, that of the browser."""

    def asked() -> T:
        memory = Memory(discover(str(folder)), clock=clock)
        try:
            return ask(memory)
        finally:
            memory.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asked).result()


def addresses(folder: Path, of_each: int = 0) -> dict[str, str]:
    """Return the addresses of a home's pages, as its site lists them, each with its file there.

    `of_each` is how many of one row, from all over its list; 0 for all.
    """

    def known(memory: Memory) -> dict[str, str]:
        fetching = Fetching(memory, "", lambda done, known: None)
        anyio.run(fetching.all)
        return fetching.known

    files = apart(folder, known)
    rows: dict[str, list[str]] = {}
    for address in files:
        rows.setdefault(urlsplit(address).path.split("/")[1], []).append(address)
    found: dict[str, str] = {}
    for listed in rows.values():
        step = max(1, -(-len(listed) // of_each)) if of_each else 1
        found |= {address: files[address] for address in listed[::step]}
    return found


def faults_of(page: Page, looks: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Say what is wrong with the page that is shown.

    `looks` are the widths and schemes in which axe is asked; it fits at each width in any case.
    """
    if page.locator("h1").count() != 1:
        yield f"{page.locator('h1').count()} h1"
    if not re.fullmatch(r"\S.* · \S.*", page.title()):
        yield f"the title is {page.title()!r}"
    ranks = page.locator("main :is(h1, h2, h3, h4)").evaluate_all(_RANKS)
    if any(after - before > 1 for before, after in pairwise([0, *ranks])):
        yield f"headings of the ranks {ranks}"
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 860})
        if wide := page.evaluate(_TOO_WIDE):
            yield f"at {width}: too wide: {wide}"
        if width == min(WIDTHS):
            for small in page.evaluate(_TOO_SMALL, _FINGER):
                yield f"at {width}: too small for a finger: {small}"
        for scheme in (scheme for at, scheme in looks if at == width):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for said in violations(page):
                yield f"at {width}, {scheme}: {said}"


def violations(page: Page) -> Iterator[str]:
    """Ask axe, and say what keeps somebody from reading the page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{axe()};0")
    answer = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, preload: false, resultTypes: ['violations']})",
        _RULES,
    )
    for one in answer["violations"]:
        nodes = one["nodes"]
        why = " ".join(nodes[0]["failureSummary"].split())[:160]
        yield f"{one['id']} ({len(nodes)}): {nodes[0]['html'][:90]}: {why}"


def active_in(page: Page) -> list[str]:
    """Return what in a page could do something that no template of ours wrote."""
    found: list[str] = page.evaluate(_ACTIVE)
    return found


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError("Tab does not lead there")


def without_policy(page: Page) -> None:
    """Take the policy off all that a page loads: what is inert then is so by our escapes alone."""

    def pass_on(route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        kept = {
            name: value
            for name, value in answer.headers.items()
            if name not in ("content-security-policy", "cross-origin-opener-policy")
        }
        route.fulfill(response=answer, headers=kept)

    page.route("**/*", pass_on)
