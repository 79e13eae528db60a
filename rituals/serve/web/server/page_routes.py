"""Answer requests for pages, each by the function of its row, and what forms send: it is recorded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ledger.environment import monotonic
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.record import Record
from memory.api import Memory
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_plan import preview
from rituals.serve.web.actions.form_shapes import FORMS
from rituals.serve.web.actions.form_table import NEEDS, NoSuchForm, Notices
from rituals.serve.web.html.templates import Renderer, frame_of
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.form_result_page import already, missing, working
from rituals.serve.web.pages.page_table import Row
from rituals.serve.web.pages.review_page import waiting
from rituals.serve.web.pages.write_page import filled, previewed, refused
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.guard import SESSION
from rituals.serve.web.server.head import Head
from rituals.serve.web.server.posted_forms import form_of, ours, with_done
from rituals.serve.web.tip_view.preparing import Preparing
from rituals.serve.web.tip_view.tip_view import TipView

Answering = Callable[[Request], Awaitable[Response]]
#: What is for us among the fields, and not for the action.
_OWN = ("token", "next")
#: So many times as long waits the page behind a form: its reader is in the middle of something.
_BEHIND_FORM = 6


class PageRoutes:
    """The pages of a memory.

    Args:
        preparing: asks the memory.
        access: what the server accepts.
        renderer: writes pages.
        notices: what forms recorded.
        patience: for so many seconds a page waits for what is slow, before it says that it works.
    """

    def __init__(
        self,
        preparing: Preparing,
        access: Access,
        renderer: Renderer,
        notices: Notices,
        patience: float,
    ) -> None:
        self._preparing, self._access, self._renderer = preparing, access, renderer
        self._notices, self._patience = notices, patience
        #: how many questions waited when that was known last, -1 where it never was
        self._due = -1

    def answering(self, row: Row) -> Answering:
        """Return what answers requests of one address."""

        async def answer(request: Request) -> Response:
            asked = {**dict(request.query_params), **request.path_params}
            looks = request.headers.get("sec-fetch-dest") == "document"
            patience = self._patience * (_BEHIND_FORM if "done" in asked else 1)
            if looks and not await self._preparing.ready(row.needs, patience):
                shown = await self.show(request, lambda tip: working())
                shown.headers["Refresh"] = "1"
                return shown
            if looks and self._due < 0:
                await self._preparing.ready(("plan",), self._patience)
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
            self._due = waiting(tip) if tip.serves("plan") else self._due
            frame = frame_of(tip, self._due)._replace(
                token=self._access.form_token(session), done=done, here=with_done(ours(here), ""),
                again=self._access.again,
                notice=None if page.template == "working" else self._notices.of(done),
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


class Sent(Record):
    """A form as it came."""

    name: str  #: of what it asks for
    fields: Fields  #: without those that are for us
    go_on: str  #: where it goes on, an address of ours


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

        async def record(sent: Sent) -> Response:
            recorded = await self._preparing.ask(
                lambda tip: self._record(tip.memory, sent), NEEDS.get(sent.name, ()),
                foreseen=False, writes=True,
            )  # fmt: skip
            if not recorded.stems:
                return await self._pages.show(request, lambda tip: already(recorded, sent.go_on))
            self._preparing.begin()
            if recorded.publishes:
                self._preparing.publish_soon()
            return RedirectResponse(with_done(sent.go_on, recorded.stems[-1]), 303)

        return await self._answer(request, record)

    async def look(self, request: Request) -> Response:
        """Show what a form would record; nothing is written."""

        async def look(sent: Sent) -> Response:
            if sent.name not in FORMS:
                raise NoSuchForm
            plan = FORMS[sent.name].plan
            seen = await self._preparing.ask(lambda tip: preview(tip.memory, plan, sent.fields))
            page = previewed(sent.name, seen, sent.fields, sent.go_on)
            return await self._pages.show(request, lambda tip: page)

        return await self._answer(request, look)

    async def again(self, request: Request) -> Response:
        """Show a form as it was filled in: whoever saw what it would record goes back to it."""

        async def show(sent: Sent) -> Response:
            asked = sent.name, sent.fields, sent.go_on
            return await self._pages.show(request, lambda tip: filled(tip, *asked))

        return await self._answer(request, show)

    def _record(self, memory: Memory, sent: Sent) -> Recorded:
        """Record it, and foresee what is left to learn: the next page need not wait for a new plan."""
        recorded = self._notices.record(memory, sent.name, sent.fields)
        self._preparing.foresee(memory, "learn_plan", recorded.learnable)
        return recorded

    async def _answer(
        self, request: Request, answer: Callable[[Sent], Awaitable[Response]]
    ) -> Response:
        """Answer a form of ours; one that is refused comes back as it was filled in."""
        session = session_of(request)
        form = await form_of(request)
        fields = form._replace(pairs=tuple([one for one in form.pairs if one[0] not in _OWN]))
        sent = Sent(request.path_params["name"], fields, ours(form.one("next")))
        problem, status = _READ_ONLY, 403
        if self._access.takes(session, form.one("token")):
            try:
                return await answer(sent)
            except DiurnaError as refusal:
                problem, status = refusal, 404 if isinstance(refusal, NoSuchForm) else 409
        elif self._access.writes:
            problem = _STALE
        asked = sent.name, sent.fields, sent.go_on, status
        return await self._pages.show(request, lambda tip: refused(tip, problem, *asked))


_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="what you typed stands here: look at it, and send it again",
)
