"""Make the application of the pages: addresses, and what answers them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, Router

from ledger.environment import monotonic
from ledger.errors import DiurnaError
from rituals.serve.open_memory import OpenMemory
from rituals.serve.request_limits import App
from rituals.serve.web.actions.form_table import Notices
from rituals.serve.web.html.templates import Renderer, static_files
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.page_table import ROWS
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.act_route import ActRoute
from rituals.serve.web.server.guard import Guard
from rituals.serve.web.server.head import LOGIN
from rituals.serve.web.server.login import Login
from rituals.serve.web.server.page_routes import Answering, PageRoutes
from rituals.serve.web.server.static_files import Files
from rituals.serve.web.tip_view.preparing import Preparing

Tell = Callable[[Exception], None]


def app_of(opened: OpenMemory, access: Access, tell: Tell = lambda problem: None) -> App:
    """Make the application; it needs no socket: a test calls it as it is.

    `tell` says a fault of ours to whoever started the server.
    """
    files, preparing = Files(static_files()), Preparing(opened)
    renderer = Renderer(files.url)
    login = Login(access, renderer, monotonic)
    notices = Notices()
    pages = PageRoutes(preparing, access, renderer, notices)
    acts = ActRoute(opened, access, pages, notices)

    def route(path: str, answering: Answering, method: str = "GET") -> Route:
        return Route(path, _whatever_happens(answering, renderer, tell), methods=[method])

    @contextlib.asynccontextmanager
    async def running(_: object) -> AsyncIterator[None]:
        preparing.begin()
        yield
        await preparing.close()

    routes = [
        route(LOGIN, login.ask),
        route(LOGIN, login.take, "POST"),
        route("/static/{name:path}", files.answer),
        route("/tip", pages.tip),
        route("/act/{name}", acts.take, "POST"),
        *(route(row.path, pages.answering(row)) for row in ROWS),
    ]
    unknown = route("/", pages.unknown).app
    return Guard(Router(routes, redirect_slashes=False, default=unknown, lifespan=running), access)


def _whatever_happens(answering: Answering, renderer: Renderer, tell: Tell) -> Answering:
    """Answer with a page also where something goes wrong: a browser is shown no trace of it."""

    async def answer(request: Request) -> Response:
        try:
            return await answering(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except DiurnaError as problem:
            status = 400 if problem.exit_code == 2 else 503
            page = Page("alone", "Not now", {"said": str(problem), "hint": problem.hint}, status)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the terminal says it
            tell(problem)
            values = {"said": "This is a fault of ours.", "hint": "The terminal says what it was."}
            page = Page("alone", "A fault", values, 500)
        return HTMLResponse(renderer.render_alone(page), page.status)

    return answer
