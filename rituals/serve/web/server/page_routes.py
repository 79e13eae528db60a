"""Answer requests for pages, each by the function of its row, and what forms send: it is recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ledger.errors import DiurnaError, NotFound, WrongUsage
from memory.api import Memory
from rituals.review.review_record import settle_answers
from rituals.serve.access import Access
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_table import NoSuchForm, Notices, recorded_by
from rituals.serve.web.html.templates import Renderer, frame_of
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.page_table import Row
from rituals.serve.web.pages.review_page import waiting
from rituals.serve.web.pages.write_page import already, filled, missing, previewed, refused
from rituals.serve.web.server.guard import SESSION, target_of
from rituals.serve.web.server.login import form_of, ours, with_done
from rituals.serve.web.tip_view.tip_view import TipView, TipViews

T = TypeVar("T")
#: How long nobody may have answered before pages are published: whoever answers is in the middle of it.
_PUBLISH_SECONDS = 4.0


class TipQuestions:
    """Asks one view of the tip after the other. Used in the event loop.

    Args:
        opened: the memory, and its thread.
    """

    def __init__(self, opened: OpenMemory) -> None:
        self._opened = opened
        self._behind: asyncio.Task[None] | None = None
        self.views = TipViews()

    async def ask(self, question: Callable[[TipView], T], *, writes: bool = False) -> T:
        """Answer a question about the tip as it stands.

        `writes` as `OpenMemory.ask` has it.

        Raises:
            DiurnaError: as `OpenMemory.ask`.
        """

        def answer(memory: Memory) -> T:
            return question(self.views.of(memory))

        return await self._opened.ask(answer, writes=writes)

    def publish_soon(self) -> None:
        """Publish the pages that people read, once nobody has answered for a moment."""
        if self._behind is not None:
            self._behind.cancel()
        self._behind = asyncio.ensure_future(self._publish(_PUBLISH_SECONDS))

    async def close(self) -> None:
        """Publish now what waits for it."""
        if self._behind is not None and not self._behind.done():
            self._behind.cancel()
            await self._publish(0.0)

    async def _publish(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        with contextlib.suppress(DiurnaError):  # what is in the way is said by `diurna status`
            await self._opened.ask(settle_answers, writes=True)


Answering = Callable[[Request], Awaitable[Response]]
#: What is for us among the fields, and not for the action.
_OWN = ("token", "next")


class PageRoutes:
    """The pages of a memory.

    Args:
        tips: asks the memory.
        access: what the server accepts.
        renderer: writes pages.
        notices: what forms recorded.
    """

    def __init__(
        self, tips: TipQuestions, access: Access, renderer: Renderer, notices: Notices
    ) -> None:
        self._tips, self._access, self._renderer = tips, access, renderer
        self._notices = notices

    def answering(self, row: Row) -> Answering:
        """Return what answers requests of one address."""

        async def answer(request: Request) -> Response:
            asked = {**dict(request.query_params), **request.path_params}
            return await self.show(request, lambda tip: row.page(tip, asked))

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
        mark = await self._tips.ask(lambda tip: tip.mark)
        news = {"news": self._tips.views.news(since)} if since not in ("", mark) else {}
        return JSONResponse({"tip": mark, **news})

    async def show(self, request: Request, page_of: Callable[[TipView], Page]) -> Response:
        """Answer with the page that `page_of` makes."""
        session = session_of(request)
        here = target_of(request.scope) if request.method != "POST" else "/"

        def shown(tip: TipView) -> Response:
            try:
                page = page_of(tip)
            except NotFound as problem:
                page = missing(problem)
            frame = frame_of(tip, waiting(tip), served=not self._access.files)._replace(
                token=self._access.form_token(session), here=with_done(ours(here), ""),
                again=self._access.again, notice=self._notices.of(request.query_params.get("done", "")),
            )  # fmt: skip
            return HTMLResponse(self._renderer.render(page, frame), page.status)

        return await self._tips.ask(shown)


def session_of(request: Request) -> str:
    """Return the session of a request: a second lock, for the guard lets nobody else come here.

    Raises:
        WrongUsage: it has none.
    """
    session: str = request.scope.get(SESSION, "")
    if not session:
        raise WrongUsage("log in first", hint="open the address that the terminal shows")
    return session


class ActRoute:
    """What forms can record.

    Args:
        tips: asks the memory.
        access: what the server accepts.
        pages: shows why something was refused.
        notices: records, and remembers what.
    """

    def __init__(
        self, tips: TipQuestions, access: Access, pages: PageRoutes, notices: Notices
    ) -> None:
        self._tips, self._access = tips, access
        self._pages, self._notices = pages, notices

    async def take(self, request: Request, name: str, fields: Fields, go_on: str) -> Response:
        """Record what a form says, and go on to the page that it names."""
        recorded = await self._tips.ask(
            lambda tip: self._notices.record(tip, name, fields), writes=True
        )
        if not recorded.stems:
            return await self._pages.show(request, lambda tip: already(recorded, go_on))
        if recorded.publishes:
            self._tips.publish_soon()
        return RedirectResponse(with_done(go_on, recorded.stems[-1]), 303)

    async def look(self, request: Request, name: str, fields: Fields, go_on: str) -> Response:
        """Show what a form would record; nothing is written."""
        seen = await self._tips.ask(lambda tip: recorded_by(tip, name, fields, dry_run=True))
        page = previewed(name, seen, fields, go_on)
        return await self._pages.show(request, lambda tip: page)

    async def again(self, request: Request, name: str, fields: Fields, go_on: str) -> Response:
        """Show a form as it was filled in: whoever saw what it would record goes back to it."""
        return await self._pages.show(request, lambda tip: filled(tip, name, fields, go_on))

    def answering(
        self, answer: Callable[[Request, str, Fields, str], Awaitable[Response]]
    ) -> Answering:
        """Return what answers a form of ours; one that is refused comes back as it was filled in."""

        async def answered(request: Request) -> Response:
            session = session_of(request)
            form = await form_of(request)
            fields = form._replace(pairs=tuple([one for one in form.pairs if one[0] not in _OWN]))
            sent = request.path_params["name"], fields, ours(form.one("next"))
            problem, status = _STALE if self._access.writes else _READ_ONLY, 403
            if self._access.takes(session, form.one("token")):
                try:
                    return await answer(request, *sent)
                except DiurnaError as refusal:
                    problem, status = refusal, 404 if isinstance(refusal, NoSuchForm) else 409
            return await self._pages.show(request, lambda tip: refused(tip, problem, *sent, status))

        return answered


_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="what you typed stands here: look at it, and send it again",
)
