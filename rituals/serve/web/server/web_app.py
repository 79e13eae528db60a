"""Answer requests: pages, the login, and what forms send, of which nothing is believed."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from secrets import token_urlsafe
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route, Router

from ledger.errors import DiurnaError, NotFound, WrongUsage
from memory import Answer, Filters
from rituals.review.review_record import settle_answers
from rituals.serve.login_tokens import Access
from rituals.serve.loopback import App
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.actions.form_answers import NoSuchForm, recorded_by
from rituals.serve.web.actions.form_fields import LIMIT_VALUES, Fields, FormPlan
from rituals.serve.web.html.templates import Frame, Renderer
from rituals.serve.web.pages import (
    fact_page,
    facts_page,
    health_page,
    review_page,
    search_page,
    sessions_page,
    tasks_page,
)
from rituals.serve.web.pages.write_page import already, filled, missing, previewed, refused, write
from rituals.serve.web.server.guard import FORM_BYTES, LOGIN, SESSION, STATIC, Guard, target_of
from rituals.serve.web.tip_view import Asked, Page, TipView, TipViews

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.org.org_search import Asker
    from rituals.serve.open_memory import Worker

T = TypeVar("T")
Answering = Callable[[Request], Awaitable[Response]]
Tell = Callable[[Exception], None]
#: Shows a form that was filled in: of a tip, its name, what it says, and where it goes on.
FormPage = Callable[[TipView, str, Fields, str], Page]
#: The pages: address, what makes it, its name in the menu, and the key that goes there behind `g`.
PAGES: tuple[tuple[str, Callable[[TipView, Asked], Page], str, str], ...] = (
    ("/", facts_page.now, "Now", "n"),
    ("/brief", tasks_page.brief, "Brief", "b"),
    ("/decisions", facts_page.decisions, "Decisions", "d"),
    ("/weeks", facts_page.weeks, "", ""),
    ("/review", review_page.review, "Review", "r"),
    ("/fact/{id}", fact_page.fact, "", ""),
    ("/session/{stem}", sessions_page.session, "", ""),
    ("/search", search_page.search, "", ""),
    ("/timeline", sessions_page.timeline, "Timeline", "t"),
    ("/health", health_page.health, "Health", "h"),
    ("/tasks", tasks_page.tasks, "Tasks", ""),
    ("/facts", facts_page.facts, "Facts", ""),
    ("/write/{form}", write, "", ""),
    ("/help", health_page.help, "", ""),
)
MENU = tuple([(path, name, key) for path, _, name, key in PAGES if name])
#: What a site has not: it is for whoever asks.
_SERVED = ("/brief",)

#: So many recorded logs and filled forms are remembered: pages of many tabs, looked at again.
_NOTICES = 50
#: How long nobody may have answered before pages are published: whoever answers is in the middle of it.
_PUBLISH_SECONDS = 4.0
_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="what you typed stands here: look at it, and send it again",
)
_WRONG = (
    "This is not the token of this server. It changes with every start: "
    "the terminal shows the new address."
)
#: What a browser reads as an address of this server: neither `//host` nor `/\\host`, and no line break.
_OURS = re.compile(r"/(?![/\\])[!-\[\]-~]*")
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}


def app_of(opened: OpenMemory, access: Access, tell: Tell = lambda problem: None) -> App:
    """Make the application of a memory; it needs no socket: a test calls it as it is.

    `tell` says a fault of ours to whoever started the server.
    """
    renderer = Renderer()
    desk = Desk(opened, access, renderer)
    routes: list[tuple[str, Answering, str]] = [("/tip", desk.tip, "GET")]
    routes += [(path, desk.page(page), "GET") for path, page, *_ in PAGES]
    routes += [("/draft/{key}", desk.draft, "GET")]
    routes.append(("/act/{name}", desk.form(desk.record), "POST"))
    for step, shows in (("preview", previewed), ("write", filled)):
        routes.append((f"/{step}/{{name}}", desk.form(partial(desk.keep, shows)), "POST"))
    return _guarded(access, renderer, tell, routes, desk.unknown, desk.running)


def org_app_of(
    asker: Asker, worker: Worker, access: Access, tell: Tell = lambda problem: None
) -> App:
    """Make the application that searches an organisation's ledgers, as whom the database lets in.

    Questions are asked one behind the other, on the thread of `worker`.
    """
    from rituals.org.org_search import filters_of, recall

    renderer, many = Renderer(), 50
    frame = Frame("Organisation", menu=(("/", "Search", "s"),))

    async def search(request: Request) -> Response:
        words = request.query_params.get("q", "").replace("\0", "\ufffd").strip()
        found = Answer()
        if words:
            wanted = filters_of(Filters())
            asked = worker.run(lambda: recall(words, wanted, many, asker=asker))
            found = await asyncio.wrap_future(asked)
        hits = [(hit, hit.text.rpartition("\n")[2].strip()) for hit in found.hits]
        marked = tuple([word.lower() for word in re.findall(r"\w{4,}", words)])
        values = {"q": words, "hits": hits, "notes": found.notes, "marked": marked}
        return _shown(renderer, Page("org_search", words or "Search", values), frame)

    return _guarded(access, renderer, tell, [(path, search, "GET") for path in ("/", "/search")])


class Desk:
    """The pages of a memory, and what their forms record. Used in the event loop.

    Args:
        opened: the memory, and its thread.
        access: what the server accepts.
        renderer: writes pages.
    """

    def __init__(self, opened: OpenMemory, access: Access, renderer: Renderer) -> None:
        self._opened, self._access, self._renderer = opened, access, renderer
        self._views = TipViews()
        #: what this process recorded and did not say yet, by the stem of the log
        self._notices: dict[str, FormPlan] = {}
        #: forms as they were filled in, each with what shows it, by session and key
        self._drafts: dict[tuple[str, str], tuple[FormPage, str, Fields, str]] = {}
        self._publishing: asyncio.Task[None] | None = None

    async def show(self, request: Request, page_of: Callable[[TipView], Page]) -> Response:
        """Answer with the page that `page_of` makes of the tip as it stands."""
        formed = request.method == "POST" or "key" in request.path_params
        here = "/" if formed else target_of(request.scope)

        def shown(tip: TipView) -> Response:
            try:
                page = page_of(tip)
            except NotFound as problem:
                page = missing(problem)
            served = not self._access.files
            frame = Frame(
                project=tip.state.policy.project,
                menu=tuple([one for one in MENU if served or one[0] not in _SERVED]),
                tip=tip,
                token=self._access.form_token(_session(request)),
                served=served,
                again=self._access.again,
                here=_with_done(_ours(here), ""),
                notice=self._notices.pop(request.query_params.get("done", ""), None),
            )
            return _shown(self._renderer, page, frame)

        return await self._ask(shown)

    def page(self, page_of: Callable[[TipView, Asked], Page]) -> Answering:
        """Return what answers requests of one address."""

        async def answer(request: Request) -> Response:
            asked = {**request.query_params, **request.path_params}
            return await self.show(request, lambda tip: page_of(tip, asked))

        return answer

    async def unknown(self, request: Request) -> Response:
        """Say that there is no such page."""
        problem = NotFound(
            "there is no page at this address", hint="the pages stand in the menu above"
        )
        return await self.show(request, lambda tip: missing(problem))

    async def tip(self, request: Request) -> Response:
        """Say what memory holds now, in one word that changes when it does; and what came since."""
        since = request.query_params.get("since", "")
        mark = await self._ask(lambda tip: tip.mark)
        news = {"news": self._views.news(since)} if since not in ("", mark) else {}
        return JSONResponse({"tip": mark, **news})

    def form(self, does: Callable[..., Awaitable[Response]]) -> Answering:
        """Return what answers a form of ours; one that is refused comes back as it was filled in."""

        async def answer(request: Request) -> Response:
            form = await _form_of(request)
            pairs = tuple([one for one in form.pairs if one[0] not in ("token", "next")])
            sent = request.path_params["name"], Fields(pairs), _ours(form.one("next"))
            problem, status = _STALE if self._access.writes else _READ_ONLY, 403
            if self._access.takes(_session(request), form.one("token")):
                try:
                    return await does(request, *sent)
                except DiurnaError as refusal:
                    problem, status = refusal, _status(refusal)
            return await self.show(request, lambda tip: refused(tip, problem, *sent, status))

        return answer

    async def record(self, request: Request, name: str, fields: Fields, go_on: str) -> Response:
        """Record what a form says, and go on to the page that it names."""
        done = await self._ask(lambda tip: recorded_by(tip, name, fields), writes=True)
        if not done.stem:
            return await self.show(request, lambda tip: already(done, go_on))
        self._notices[done.stem] = done
        for old in [*self._notices][:-_NOTICES]:
            self._notices.pop(old, None)
        if done.publishes:
            if self._publishing is not None:
                self._publishing.cancel()
            self._publishing = asyncio.ensure_future(self._publish(_PUBLISH_SECONDS))
        return RedirectResponse(_with_done(go_on, done.stem), 303)

    async def keep(self, shows: FormPage, request: Request, *sent: Any) -> Response:
        """Keep a form as it was filled in, and go to its page, to which a browser can come back.

        Nothing is written: the page says what would be recorded, or is the form to go on with.
        """
        key = token_urlsafe(16)
        self._drafts[_session(request), key] = shows, *sent
        for old in [*self._drafts][:-_NOTICES]:
            del self._drafts[old]
        return RedirectResponse(f"/draft/{key}", 303)

    async def draft(self, request: Request) -> Response:
        """Show a form that was kept, of the same session, as memory is by now."""

        def page_of(tip: TipView) -> Page:
            kept = self._drafts.get((_session(request), request.path_params["key"]))
            if kept is None:
                hint = "the page that it was opened from has it"
                raise NotFound("this form is not kept any more", hint=hint)
            try:
                return kept[0](tip, *kept[1:])
            except DiurnaError as refusal:
                return refused(tip, refusal, *kept[1:], _status(refusal))

        return await self.show(request, page_of)

    @contextlib.asynccontextmanager
    async def running(self, app: object) -> AsyncIterator[None]:
        """Publish at the end what waits for it."""
        yield
        if self._publishing is not None and not self._publishing.done():
            self._publishing.cancel()
            await self._publish(0.0)

    async def _ask(self, question: Callable[[TipView], T], *, writes: bool = False) -> T:
        asked = self._opened.ask(lambda memory: question(self._views.of(memory)), writes=writes)
        return await asyncio.wrap_future(asked)

    async def _publish(self, seconds: float) -> None:
        """Publish the pages that people read, once nobody has answered for a moment."""
        await asyncio.sleep(seconds)
        with contextlib.suppress(DiurnaError):  # what is in the way is said by `diurna status`
            await asyncio.wrap_future(self._opened.ask(settle_answers, writes=True))


def _status(refusal: DiurnaError) -> int:
    """Return what a form that is refused answers with."""
    return 404 if isinstance(refusal, NoSuchForm) else 409


def _guarded(
    access: Access, renderer: Renderer, tell: Tell,
    routes: Iterable[tuple[str, Answering, str]], unknown: Answering | None = None, lifespan: Any = None,
) -> App:  # fmt: skip
    """Make an application of these routes, behind the guard and a login."""

    def login(go_on: str, said: str = "", status: int = 200) -> Response:
        return _shown(renderer, Page("login", "Open", {"next": go_on, "said": said}, status))

    async def ask(request: Request) -> Response:
        return login(_ours(request.query_params.get("next", "/")))

    async def take(request: Request) -> Response:
        form = await _form_of(request)
        go_on = _ours(form.one("next"))
        if not access.knows(form.one("t")):
            return login(go_on, _WRONG, 403)
        answer = RedirectResponse(go_on, 303)
        session = access.begin_session()
        answer.set_cookie(access.cookie, session, httponly=True, samesite="strict")
        return answer

    async def static(request: Request) -> Response:
        name, asked = request.path_params["name"], request.scope["query_string"].decode("latin-1")
        if name not in renderer.files:  # no name of a request ever reaches the disk
            return PlainTextResponse("there is no such file\n", 404)
        data, digest = renderer.files[name]
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(data, media_type=kind, headers=_KEPT if asked == digest else {})

    def route(path: str, answering: Answering, method: str, locked: bool = True) -> Route:
        async def answer(request: Request) -> Response:
            try:
                # a second lock: the guard lets nobody come here
                if locked and not _session(request):
                    hint = "open the address that the terminal shows"
                    raise WrongUsage("log in first", hint=hint)
                return await answering(request)
            except ClientDisconnect:
                return Response(status_code=400)  # nobody reads it
            except DiurnaError as problem:
                status = 400 if problem.exit_code == 2 else 503
                said = "Not now", str(problem), problem.hint
            except Exception as problem:  # noqa: BLE001 - a browser is shown no trace of it
                tell(problem)
                status = 500
                said = "A fault", "This is a fault of ours.", "The terminal says what it was."
            values = {"said": said[1], "hint": said[2]}
            return _shown(renderer, Page("alone", said[0], values, status))

        return Route(path, answer, methods=[method])

    own = (
        route(LOGIN, ask, "GET", False), route(LOGIN, take, "POST", False),
        route(f"{STATIC}{{name:path}}", static, "GET", False),
    )  # fmt: skip
    nowhere = route("/", unknown, "GET").app if unknown else None
    every = [*own, *[route(*one) for one in routes]]
    return Guard(Router(every, redirect_slashes=False, default=nowhere, lifespan=lifespan), access)


def _shown(renderer: Renderer, page: Page, frame: Frame | None = None) -> Response:
    return HTMLResponse(renderer.render(page, frame), page.status)


def _session(request: Request) -> str:
    """Return the session that the guard has found."""
    found: str = request.scope.get(SESSION, "")
    return found


async def _form_of(request: Request) -> Fields:
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
        pairs = parse_qsl(body.decode("ascii"), True, errors="strict", max_num_fields=LIMIT_VALUES)
        return Fields(tuple(pairs))
    except ValueError:
        raise WrongUsage("the form can not be read") from None


def _ours(address: str) -> str:
    """Return an address where it is one of this server, else that of the first page."""
    return address if _OURS.fullmatch(address) else "/"


def _with_done(address: str, stem: str) -> str:
    """Return an address that says which log was recorded last."""
    parts = urlsplit(address)
    query = [one for one in parse_qsl(parts.query, keep_blank_values=True) if one[0] != "done"]
    query += [("done", stem)] * bool(stem)
    return urlunsplit(("", "", parts.path, urlencode(query), parts.fragment))
