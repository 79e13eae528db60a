"""Answer requests for pages, each by the function of its row, and what forms send: it is recorded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ledger.environment import monotonic
from ledger.errors import DiurnaError, NotFound, WrongUsage
from memory.api import Memory
from rituals.review.remaining_questions import remaining
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_table import NEEDS, NoSuchForm, Notices
from rituals.serve.web.html.templates import Renderer, frame_of
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.form_result_page import already, missing, refused
from rituals.serve.web.pages.page_table import Row
from rituals.serve.web.pages.review_page import waiting
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.guard import SESSION
from rituals.serve.web.server.head import Head
from rituals.serve.web.server.posted_forms import form_of, ours, with_done
from rituals.serve.web.tip_view.preparing import Preparing
from rituals.serve.web.tip_view.tip_view import TipView

Answering = Callable[[Request], Awaitable[Response]]
#: What is for us among the fields, and not for the action.
_OWN = ("token", "next")


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
        """Say what memory holds now, in one word that changes when it does; and what came since."""
        since = request.query_params.get("since", "")
        mark = await self._preparing.ask(lambda tip: tip.mark)
        news = {"news": self._preparing.since(since)} if since not in ("", mark) else {}
        return JSONResponse({"tip": mark, **news})

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
                again=self._access.again,
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


class ActRoute:
    """What forms can record.

    Args:
        preparing: asks the memory.
        access: what the server accepts.
        pages: shows why something was refused.
        notices: records, and remembers what.
    """

    def __init__(
        self, preparing: Preparing, access: Access, pages: PageRoutes, notices: Notices
    ) -> None:
        self._preparing, self._access = preparing, access
        self._pages, self._notices = pages, notices

    async def take(self, request: Request) -> Response:
        """Record what a form says, and go on to the page that it names."""
        session = session_of(request)
        form = await form_of(request)
        go_on = ours(form.one("next"))
        if not self._access.writes:
            return await self._refuse(request, _READ_ONLY, go_on, 403)
        if not self._access.takes(session, form.one("token")):
            return await self._refuse(request, _STALE, go_on, 403)
        fields = form._replace(pairs=tuple([one for one in form.pairs if one[0] not in _OWN]))
        name = request.path_params["name"]
        try:
            recorded = await self._preparing.ask(
                lambda tip: self._record(tip.memory, name, fields), NEEDS.get(name, ()),
                foreseen=False, writes=True,
            )  # fmt: skip
        except NoSuchForm as problem:
            return await self._refuse(request, problem, go_on, 404)
        except DiurnaError as problem:
            return await self._refuse(request, problem, go_on, 409)
        if not recorded.stems:
            return await self._pages.show(request, lambda tip: already(recorded, go_on))
        self._preparing.begin()
        if recorded.publishes:
            self._preparing.publish_soon()
        return RedirectResponse(with_done(go_on, recorded.stems[-1]), 303)

    def _record(self, memory: Memory, name: str, fields: Fields) -> Recorded:
        """Record it, and foresee what is left to ask: the next page need not wait for a new plan."""
        asking = self._preparing.asking(memory)
        recorded = self._notices.record(memory, name, fields)
        if asking and recorded.events:
            left = remaining(asking, recorded.answered, recorded.events)
            self._preparing.foresee(memory, left)
        return recorded

    async def _refuse(
        self, request: Request, problem: DiurnaError, go_on: str, status: int
    ) -> Response:
        return await self._pages.show(request, lambda tip: refused(problem, go_on, status))


_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="go back to the page, load it anew, and send the form again",
)
