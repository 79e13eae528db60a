"""Route requests to pages, and answer with what they show."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

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
from rituals.serve.web.tip_view.preparing import Preparing
from rituals.serve.web.tip_view.tip_view import TipView


def app_of(opened: OpenMemory) -> Starlette:
    """Make the application.

    Args:
        opened: whose pages it shows.
    """
    preparing, renderer = Preparing(opened), Renderer()

    def answering(row: Row) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            asked = {**dict(request.query_params), **request.path_params}

            def shown(tip: TipView) -> Response:
                try:
                    page = row.page(tip, asked)
                except NotFound as problem:
                    page = missing(problem)
                return HTMLResponse(renderer.render(page, frame_of(tip, page)), page.status)

            return await preparing.ask(shown, row.needs)

        return answer

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        preparing.begin()
        yield
        await preparing.close()

    routes = [Route(row.path, answering(row)) for row in ROWS]
    return Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))], lifespan=running
    )


def frame_of(tip: TipView, page: Page) -> Frame:
    """Return what stands around a page."""
    menu = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
    return Frame(tip.state.policy.project, tip.state.summary, tip.tip, tip.mark, menu)
