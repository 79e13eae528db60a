"""Route requests to pages, and answer with what they show."""

from __future__ import annotations

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ledger.errors import NotFound
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.html.render import STATIC, Frame, Renderer
from rituals.serve.web.page import Page
from rituals.serve.web.pages.missing import missing
from rituals.serve.web.pages.table import ROWS, Row
from rituals.serve.web.tip_view.tip_view import TipView, TipViews

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory


def app_of(opened: OpenMemory) -> Starlette:
    """Make the application.

    Args:
        opened: whose pages it shows.
    """
    views, renderer = TipViews(), Renderer()

    def answering(row: Row) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            asked = {**dict(request.query_params), **request.path_params}

            def shown(memory: Memory) -> Response:
                tip = views.of(memory)
                try:
                    page = row.page(tip, asked)
                except NotFound as problem:
                    page = missing(problem)
                return HTMLResponse(renderer.render(page, frame_of(tip, page)), page.status)

            return await opened.ask(shown)

        return answer

    routes = [Route(row.path, answering(row)) for row in ROWS]
    return Starlette(routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))])


def frame_of(tip: TipView, page: Page) -> Frame:
    """Return what stands around a page."""
    menu = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
    return Frame(tip.state.policy.project, tip.state.summary, tip.tip, tip.mark, menu)
