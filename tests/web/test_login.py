"""The way in, in a browser: by the address, by hand, from elsewhere; and what pages of others can not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.web.conftest import Console, Server


def _evil(context: BrowserContext, body: str) -> Page:
    """Open a page of another site."""
    page = context.new_page()
    page.route(
        "http://evil.example/*",
        lambda route: route.fulfill(body=f"<!doctype html>{body}", content_type="text/html"),
    )
    page.goto("http://evil.example/")
    return page


def test_the_token_stays_nowhere(page: Page, server: Server) -> None:
    """It leaves the address before it is sent; neither the history nor the cookie has it."""
    served = server("plain")
    token = served.announced.partition("#")[2]
    page.goto(served.announced)
    page.wait_for_url(f"{served.address}/")
    (cookie,) = page.context.cookies()
    assert token not in cookie["value"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    page.go_back()
    assert token not in page.url


def test_a_wrong_token_is_said_and_the_right_address_opens(
    page: Page, console: Console, server: Server
) -> None:
    """Pasted where the login stands already, an address changes only its fragment."""
    served = server("plain")
    page.goto(f"{served.address}/search?q=x")
    assert "/login?next=/search" in page.url
    page.fill("[name=t]", "wrong")
    page.click("button")
    page.wait_for_selector("[role=alert]")
    assert "403" in console.clear()[0]
    page.goto(served.announced)
    page.wait_for_url(f"{served.address}/search?q=x")


def test_without_script_the_token_is_pasted(browser: object, server: Server) -> None:
    """The form works as any form does, and leads to the page that was asked for."""
    served = server("plain")
    context = browser.new_context(java_script_enabled=False)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(f"{served.address}/search?q=a%20b")
    page.fill("[name=t]", served.announced.partition("#")[2])
    page.click("button")
    page.wait_for_url(f"{served.address}/search?q=a%20b")
    context.close()


def test_a_link_on_another_site_leads_to_the_login_and_on(
    page: Page, context: BrowserContext, console: Console, server: Server
) -> None:
    """That click is shown nothing, though the browser has a session; one more click, of our own page, is."""
    served = server("plain")
    served.open(page)
    other = _evil(context, f'<a href="{served.address}/search?q=x">look</a>')
    other.click("a")
    other.click("text=Go on")
    other.wait_for_url(f"{served.address}/search?q=x")
    console.clear()  # of a transition between the pages that was in the way


def test_pages_of_others_reach_nothing(
    page: Page, context: BrowserContext, console: Console, server: Server
) -> None:
    """A form, a fetch, a frame and an image, with a session in the same browser."""
    served = server("plain", write=True)
    served.open(page)
    form = f'<form method="post" action="{served.address}/act/archive"><input name="id" value="x"></form>'
    other = _evil(context, form)
    other.evaluate("document.forms[0].submit()")
    other.wait_for_url(f"{served.address}/act/archive")
    assert "another site" in other.inner_text("body")
    other = _evil(context, f'<iframe src="{served.address}/"></iframe>')
    for mode in ("cors", "no-cors"):
        tried = f"fetch('{served.address}/tip', {{mode: '{mode}', credentials: 'include'}})"
        said = other.evaluate(f"{tried}.then(one => one.type + one.status, () => 'failed')")
        assert said == "failed"
    assert other.frames[1].url in ("chrome-error://chromewebdata/", "", f"{served.address}/")
    assert served.address not in (other.frames[1].evaluate("document.body?.innerText ?? ''"))
    page.reload()
    assert page.locator("h1").count() == 1
    console.clear()
