"""Exchange the token that the terminal shows for the cookie of a session."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.page_value import Page
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.posted_forms import form_of, ours

#: So many wrong tokens are heard in so many seconds: nobody guesses 32 bytes, and nobody tries for ever.
WRONG, SECONDS = 20, 60.0
_WRONG = (
    "This is not the token of this server. It changes with every start: "
    "the terminal shows the new address."
)
_TOO_MANY = "Too many wrong tokens. Wait a minute, then open the address that the terminal shows."


class Login:
    """The page that asks for the token, and what it sends.

    Args:
        access: what the server accepts.
        renderer: writes the page.
        clock: gives seconds.
    """

    def __init__(self, access: Access, renderer: Renderer, clock: Callable[[], float]) -> None:
        self._access, self._renderer, self._clock = access, renderer, clock
        self._wrong: list[float] = []

    async def ask(self, request: Request) -> Response:
        """Show the page."""
        return self._page(ours(request.query_params.get("next", "/")))

    async def take(self, request: Request) -> Response:
        """Begin a session, where the token is the right one."""
        now = self._clock()
        self._wrong = [one for one in self._wrong if now - one < SECONDS]
        form = await form_of(request)
        go_on = ours(form.one("next"))
        if len(self._wrong) >= WRONG:
            return self._page(go_on, _TOO_MANY, 429)
        if not self._access.knows(form.one("t")):
            self._wrong.append(now)
            return self._page(go_on, _WRONG, 403)
        answer = RedirectResponse(go_on, 303)
        answer.set_cookie(
            self._access.cookie, self._access.begin_session(), httponly=True, samesite="strict"
        )
        return answer

    def _page(self, go_on: str, said: str = "", status: int = 200) -> Response:
        page = Page("login", "Open", {"next": go_on, "said": said}, status)
        return HTMLResponse(self._renderer.render_alone(page), status)
