"""Make the application of an organisation's pages: they read, as one person, and ask no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, Router

from ledger.environment import monotonic
from ledger.errors import NotFound
from rituals.org.org_recall import OrgReader
from rituals.org.org_search import Asker
from rituals.serve.request_limits import App
from rituals.serve.web.html.templates import Frame, Renderer, static_files
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.form_result_page import missing
from rituals.serve.web.pages.org_pages import ORG_MENU, PAGES
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.guard import Guard
from rituals.serve.web.server.head import LOGIN
from rituals.serve.web.server.login import Login
from rituals.serve.web.server.page_routes import Answering, session_of
from rituals.serve.web.server.web_app import Files, Tell, whatever_happens
from rituals.serve.worker import Worker

FRAME = Frame("Organisation", None, "", "", ORG_MENU)
T = TypeVar("T")


class Asking:
    """A reader, and the thread that asks it.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self.reader, self._worker = OrgReader(), Worker(name)

    async def run(self, question: Callable[[Asker], T]) -> T:
        """Answer a question behind those that were asked before."""
        return await self._worker.run(lambda: self.reader.ask(question))

    def end(self, seconds: float) -> bool:
        """Close the reader, and tell whether that was done in time."""
        return self._worker.end(seconds, self.reader.close)


def org_app_of(
    usual: Asking, slow: Asking, access: Access, tell: Tell = lambda problem: None
) -> App:
    """Make the application; nobody waits for the pages that may take long but who asks for such a one."""
    files = Files(static_files())
    renderer = Renderer(files.url)
    login = Login(access, renderer, monotonic)

    def shown(page: Callable[[Asker, dict[str, str]], Page], asking: Asking = usual) -> Answering:
        async def answer(request: Request) -> Response:
            session_of(request)
            given = {**dict(request.query_params), **request.path_params}
            asked = {name: str(value).replace("\0", "\ufffd") for name, value in given.items()}

            def show(asker: Asker) -> Response:
                try:
                    made = page(asker, asked)
                except NotFound as problem:
                    made = missing(problem)
                return HTMLResponse(renderer.render(made, FRAME), made.status)

            begun = monotonic()
            found = await asking.run(show)
            found.headers["Server-Timing"] = f"page;dur={1000 * (monotonic() - begun):.1f}"
            return found

        return answer

    def route(path: str, answering: Answering, method: str = "GET") -> Route:
        return Route(path, whatever_happens(answering, renderer, tell), methods=[method])

    routes = [
        route(LOGIN, login.ask),
        route(LOGIN, login.take, "POST"),
        route("/static/{name:path}", files.answer),
        *(route(row.path, shown(row.page, slow if row.slow else usual)) for row in PAGES),
    ]
    unknown = route("/", shown(_unknown)).app
    return Guard(Router(routes, redirect_slashes=False, default=unknown), access)


def _unknown(asker: Asker, asked: dict[str, str]) -> Page:
    raise NotFound("there is no page at this address", hint="the pages stand in the menu above")
