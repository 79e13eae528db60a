"""Answer what a form sends: it is recorded, and the page that it came from is shown again."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ledger.errors import DiurnaError, NotFound
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.actions.action import Action
from rituals.serve.web.page import Page
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.forms import form_of, ours, with_done
from rituals.serve.web.server.guard import SESSION
from rituals.serve.web.server.page_routes import PageRoutes
from rituals.serve.web.tip_view.tip_view import TipView

#: What is for us among the fields, and not for the action.
_OWN = ("token", "next")


class ActRoute:
    """What forms can record.

    Args:
        opened: the memory.
        access: what the server accepts.
        pages: shows why something was refused.
        actions: by their names in addresses.
    """

    def __init__(
        self, opened: OpenMemory, access: Access, pages: PageRoutes, actions: Mapping[str, Action]
    ) -> None:
        self._opened, self._access, self._pages, self._actions = opened, access, pages, actions

    async def take(self, request: Request) -> Response:
        """Record what a form says, and go on to the page that it names."""
        form = await form_of(request)
        go_on = ours(form.one("next"))
        if not self._access.writes:
            return await self._refuse(request, _READ_ONLY, go_on, 403)
        if not self._access.takes(request.scope[SESSION], form.one("token")):
            return await self._refuse(request, _STALE, go_on, 403)
        action = self._actions.get(request.path_params["name"])
        if action is None:
            return await self._refuse(request, _UNKNOWN, go_on, 404)
        fields = form._replace(pairs=tuple([one for one in form.pairs if one[0] not in _OWN]))
        try:
            recorded = await self._opened.ask(
                lambda memory: action.record(memory, fields), writes=True
            )
        except DiurnaError as problem:
            return await self._refuse(request, problem, go_on, 409)
        return RedirectResponse(with_done(go_on, recorded.stems[-1] if recorded.stems else ""), 303)

    async def _refuse(
        self, request: Request, problem: DiurnaError, go_on: str, status: int
    ) -> Response:
        said = problem.message if problem.where in problem.message else str(problem)
        values = {"said": said, "hint": problem.hint, "back": go_on}

        def refused(tip: TipView) -> Page:
            return Page("refused", "Not recorded", values, status)

        return await self._pages.show(request, refused)


_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="go back to the page, load it anew, and send the form again",
)
_UNKNOWN = NotFound("there is no such form here", hint="go back to the page, and load it anew")
