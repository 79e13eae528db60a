"""Make the application of the pages: addresses, and what answers them."""

from __future__ import annotations

import contextlib
import hashlib
from collections import ChainMap
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from ledger.environment import monotonic
from ledger.errors import DiurnaError
from rituals.serve.open_memory import OpenMemory
from rituals.serve.request_limits import App
from rituals.serve.web.actions.form_fields import Action
from rituals.serve.web.actions.form_table import ACTIONS, Notices, answer, learn
from rituals.serve.web.html.templates import Renderer, static_files
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.page_table import ROWS
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.guard import Guard
from rituals.serve.web.server.head import LOGIN, STATIC
from rituals.serve.web.server.login import Login
from rituals.serve.web.server.page_routes import ActRoute, Answering, PageRoutes, TipQuestions

Tell = Callable[[Exception], None]
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}


def app_of(opened: OpenMemory, access: Access, tell: Tell = lambda problem: None) -> App:
    """Make the application; it needs no socket: a test calls it as it is.

    `tell` says a fault of ours to whoever started the server.
    """
    files, tips = Files(static_files()), TipQuestions(opened)
    renderer = Renderer(files.url)
    login = Login(access, renderer, monotonic)
    kept: dict[str, Action] = {
        "answer": partial(answer, kept=lambda memory: tips.views.of(memory).plan),
        "learn": partial(learn, kept=lambda memory: tips.views.of(memory).learn_plan),
    }
    notices = Notices(ChainMap(kept, ACTIONS))
    pages = PageRoutes(tips, access, renderer, notices)
    acts = ActRoute(tips, access, pages, notices)

    def route(path: str, answering: Answering, method: str = "GET") -> Route:
        return Route(path, whatever_happens(answering, renderer, tell), methods=[method])

    @contextlib.asynccontextmanager
    async def running(_: object) -> AsyncIterator[None]:
        yield
        await tips.close()

    routes = [
        route(LOGIN, login.ask),
        route(LOGIN, login.take, "POST"),
        route("/static/{name:path}", files.answer),
        route("/tip", pages.tip),
        route("/act/{name}", acts.take, "POST"),
        route("/preview/{name}", acts.look, "POST"),
        route("/write/{name}", acts.again, "POST"),
        *(route(row.path, pages.answering(row)) for row in ROWS),
        *(route(path, moved) for path in MOVED),
    ]
    unknown = route("/", pages.unknown).app
    return Guard(Router(routes, redirect_slashes=False, default=unknown, lifespan=running), access)


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


#: Pages that went, each with the list that has what they had; `{}` stands for what is asked of it.
MOVED = {
    "/then": "/?as_of={}", "/roles": "/facts", "/findings": "/facts?kind=finding",
    "/entities": "/facts", "/entities/{name:path}": "/facts?list=all&entity={}",
}  # fmt: skip


async def moved(request: Request) -> Response:
    """Lead from a page that went to the list that has what it had."""
    asked = request.path_params.get("name", request.query_params.get("at", ""))
    return RedirectResponse(MOVED[request.scope["route"].path].format(quote(asked, safe="")), 303)


class Files:
    """The files that pages load, read once: no name of a request ever reaches the disk.

    Args:
        files: what they hold, by name.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._held = {name: held for name, held in files.items() if Path(name).suffix in _TYPES}
        self._hashes = {
            name: hashlib.sha256(held).hexdigest()[:16] for name, held in self._held.items()
        }

    def url(self, address: str) -> str:
        """Return where an address of ours stands for the browser."""
        held = self._hashes.get(address.removeprefix(STATIC)) if address.startswith(STATIC) else ""
        return f"{address}?{held}" if held else address

    async def answer(self, request: Request) -> Response:
        """Send a file."""
        name = request.path_params["name"]
        if name not in self._held:
            return PlainTextResponse("there is no such file\n", 404)
        kept = (
            _KEPT if request.scope["query_string"].decode("latin-1") == self._hashes[name] else {}
        )
        kind = _TYPES[Path(name).suffix]
        return Response(self._held[name], media_type=kind, headers=kept)
