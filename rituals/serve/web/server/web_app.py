"""Make the application of the pages: addresses, and what answers them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from ledger.errors import DiurnaError
from ledger.model.sha256 import sha256
from rituals.serve.access import Access
from rituals.serve.open_memory import OpenMemory
from rituals.serve.request_limits import App
from rituals.serve.web.actions.form_table import Notices
from rituals.serve.web.html.templates import Renderer, static_files
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.page_table import ROWS
from rituals.serve.web.server.guard import LOGIN, STATIC, Guard
from rituals.serve.web.server.login import Login
from rituals.serve.web.server.page_routes import ActRoute, Answering, PageRoutes, TipQuestions

Tell = Callable[[Exception], None]
_TYPES = {".css": "text/css", ".js": "text/javascript"}
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}


def app_of(opened: OpenMemory, access: Access, tell: Tell = lambda problem: None) -> App:
    """Make the application; it needs no socket: a test calls it as it is.

    `tell` says a fault of ours to whoever started the server.
    """
    tips, notices = TipQuestions(opened), Notices()
    files = Files()
    renderer = Renderer(files.url)
    pages = PageRoutes(tips, access, renderer, notices)
    acts = ActRoute(tips, access, pages, notices)

    @contextlib.asynccontextmanager
    async def running(_: object) -> AsyncIterator[None]:
        yield
        await tips.close()

    routes = [
        ("/tip", pages.tip, "GET"),
        ("/act/{name}", acts.answering(acts.take), "POST"),
        ("/preview/{name}", acts.answering(acts.look), "POST"),
        ("/write/{name}", acts.answering(acts.again), "POST"),
        *((row.path, pages.answering(row), "GET") for row in ROWS),
    ]
    return guarded(access, renderer, files, tell, routes, unknown=pages.unknown, lifespan=running)


def guarded(
    access: Access, renderer: Renderer, files: Files, tell: Tell,
    routes: Iterable[tuple[str, Answering, str]], unknown: Answering | None = None, lifespan: Any = None,
) -> App:  # fmt: skip
    """Make an application of these routes, behind the guard and a login."""
    login = Login(access, renderer)

    def route(path: str, answering: Answering, method: str) -> Route:
        return Route(path, whatever_happens(answering, renderer, tell), methods=[method])

    own = (
        (LOGIN, login.ask, "GET"), (LOGIN, login.take, "POST"),
        ("/static/{name:path}", files.answer, "GET"),
    )  # fmt: skip
    nowhere = route("/", unknown, "GET").app if unknown else None
    router = Router(
        [route(*one) for one in (*own, *routes)], redirect_slashes=False, default=nowhere,
        lifespan=lifespan,
    )  # fmt: skip
    return Guard(router, access)


def whatever_happens(answering: Answering, renderer: Renderer, tell: Tell) -> Answering:
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


class Files:
    """The files that pages load, read once: no name of a request ever reaches the disk."""

    def __init__(self) -> None:
        self._held = static_files()
        self._hashes = {name: sha256(held).hexdigest()[:16] for name, held in self._held.items()}

    def url(self, address: str) -> str:
        """Return where an address of ours stands for the browser."""
        held = self._hashes.get(address.removeprefix(STATIC)) if address.startswith(STATIC) else ""
        return f"{address}?{held}" if held else address

    async def answer(self, request: Request) -> Response:
        """Send a file."""
        name, asked = request.path_params["name"], request.scope["query_string"].decode("latin-1")
        if name not in self._held:
            return PlainTextResponse("there is no such file\n", 404)
        kept, kind = _KEPT if asked == self._hashes[name] else {}, _TYPES[Path(name).suffix]
        return Response(self._held[name], media_type=kind, headers=kept)
