"""Read what forms send, of which nothing is believed; and exchange the terminal's token for a session."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ledger.errors import WrongUsage
from rituals.serve.access import Access
from rituals.serve.web.actions.form_fields import LIMIT_VALUES, Fields
from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.page_value import Page
from rituals.serve.web.server.guard import FORM_BYTES

#: What a browser reads as an address of this server: neither `//host` nor `/\\host`, and no line break.
_OURS = re.compile(r"/(?![/\\])[!-\[\]-~]*")


async def form_of(request: Request) -> Fields:
    """Read the form that a request carries.

    Raises:
        WrongUsage: it is none.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > FORM_BYTES:
            raise WrongUsage(f"a form has {FORM_BYTES // 1024} KiB at most")
    try:
        fields = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=2 * LIMIT_VALUES,
        )
    except ValueError:
        raise WrongUsage("the form can not be read") from None
    return Fields(tuple(fields))


def ours(address: str) -> str:
    """Return an address where it is one of this server, else that of the first page."""
    return address if _OURS.fullmatch(address) else "/"


def with_done(address: str, stem: str) -> str:
    """Return an address that says which log was recorded last."""
    parts = urlsplit(address)
    query = [one for one in parse_qsl(parts.query, keep_blank_values=True) if one[0] != "done"]
    if stem:
        query.append(("done", stem))
    return urlunsplit(("", "", parts.path, urlencode(query), parts.fragment))


_WRONG = (
    "This is not the token of this server. It changes with every start: "
    "the terminal shows the new address."
)


class Login:
    """The page that asks for the token, and what it sends.

    Args:
        access: what the server accepts.
        renderer: writes the page.
    """

    def __init__(self, access: Access, renderer: Renderer) -> None:
        self._access, self._renderer = access, renderer

    async def ask(self, request: Request) -> Response:
        """Show the page."""
        return self._page(ours(request.query_params.get("next", "/")))

    async def take(self, request: Request) -> Response:
        """Begin a session, where the token is the right one."""
        form = await form_of(request)
        go_on = ours(form.one("next"))
        if not self._access.knows(form.one("t")):
            return self._page(go_on, _WRONG, 403)
        answer = RedirectResponse(go_on, 303)
        answer.set_cookie(
            self._access.cookie, self._access.begin_session(), httponly=True, samesite="strict"
        )
        return answer

    def _page(self, go_on: str, said: str = "", status: int = 200) -> Response:
        page = Page("login", "Open", {"next": go_on, "said": said}, status)
        return HTMLResponse(self._renderer.render_alone(page), status)
