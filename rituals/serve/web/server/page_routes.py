"""Answer requests for pages: each by the function that its row names, in the frame that all have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from ledger.environment import monotonic
from ledger.errors import NotFound, WrongUsage
from rituals.serve.web.actions.form_table import Notices
from rituals.serve.web.html.templates import Renderer, frame_of
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.form_result_page import missing
from rituals.serve.web.pages.page_table import Row
from rituals.serve.web.pages.review_page import waiting
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.guard import SESSION
from rituals.serve.web.server.head import Head
from rituals.serve.web.server.posted_forms import ours, with_done
from rituals.serve.web.tip_view.preparing import Preparing
from rituals.serve.web.tip_view.tip_view import TipView

Answering = Callable[[Request], Awaitable[Response]]


class PageRoutes:
    """The pages of a memory.

    Args:
        preparing: asks the memory.
        access: what the server accepts.
        renderer: writes pages.
        notices: what forms recorded.
    """

    def __init__(
        self, preparing: Preparing, access: Access, renderer: Renderer, notices: Notices
    ) -> None:
        self._preparing, self._access, self._renderer = preparing, access, renderer
        self._notices = notices

    def answering(self, row: Row) -> Answering:
        """Return what answers requests of one address."""

        async def answer(request: Request) -> Response:
            asked = {**dict(request.query_params), **request.path_params}
            return await self.show(request, lambda tip: row.page(tip, asked), row.needs)

        return answer

    async def unknown(self, request: Request) -> Response:
        """Say that there is no such page."""
        return await self.show(request, _unknown)

    async def tip(self, request: Request) -> Response:
        """Say what memory holds now, in one word that changes when it does."""
        return JSONResponse({"tip": await self._preparing.ask(lambda tip: tip.mark)})

    async def show(
        self, request: Request, page_of: Callable[[TipView], Page], needs: tuple[str, ...] = ()
    ) -> Response:
        """Answer with the page that `page_of` makes.

        `needs` are slow parts of the tip that it asks for.
        """
        begun = monotonic()
        session = session_of(request)
        here = Head(request.scope).target if request.method != "POST" else "/"
        done = request.query_params.get("done", "")

        def shown(tip: TipView) -> Response:
            try:
                page = page_of(tip)
            except NotFound as problem:
                page = missing(problem)
            frame = frame_of(tip, waiting(tip) if tip.has("plan") else 0)._replace(
                token=self._access.form_token(session), done=done, here=with_done(ours(here), ""),
                notice=self._notices.of(done),
            )  # fmt: skip
            return HTMLResponse(self._renderer.render(page, frame), page.status)

        answer = await self._preparing.ask(shown, needs)
        answer.headers["Server-Timing"] = f"page;dur={1000 * (monotonic() - begun):.1f}"
        return answer


def session_of(request: Request) -> str:
    """Return the session of a request: a second lock, for the guard lets nobody else come here.

    Raises:
        WrongUsage: it has none.
    """
    session: str = request.scope.get(SESSION, "")
    if not session:
        raise WrongUsage("log in first", hint="open the address that the terminal shows")
    return session


def _unknown(tip: TipView) -> Page:
    raise NotFound("there is no page at this address", hint="the pages stand in the menu above")
