"""Answer what a form sends: it is recorded, and the page that it came from is shown again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ledger.errors import DiurnaError
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.actions.form_table import NoSuchForm, Notices
from rituals.serve.web.pages.form_result_page import already, refused
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.page_routes import PageRoutes, session_of
from rituals.serve.web.server.posted_forms import form_of, ours, with_done

#: What is for us among the fields, and not for the action.
_OWN = ("token", "next")


class ActRoute:
    """What forms can record.

    Args:
        opened: the memory.
        access: what the server accepts.
        pages: shows why something was refused.
        notices: records, and remembers what.
    """

    def __init__(
        self, opened: OpenMemory, access: Access, pages: PageRoutes, notices: Notices
    ) -> None:
        self._opened, self._access, self._pages, self._notices = opened, access, pages, notices

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
            recorded = await self._opened.ask(
                lambda memory: self._notices.record(memory, name, fields), writes=True
            )
        except NoSuchForm as problem:
            return await self._refuse(request, problem, go_on, 404)
        except DiurnaError as problem:
            return await self._refuse(request, problem, go_on, 409)
        if not recorded.stems:
            return await self._pages.show(request, lambda tip: already(recorded, go_on))
        return RedirectResponse(with_done(go_on, recorded.stems[-1]), 303)

    async def _refuse(
        self, request: Request, problem: DiurnaError, go_on: str, status: int
    ) -> Response:
        return await self._pages.show(request, lambda tip: refused(problem, go_on, status))


_READ_ONLY = DiurnaError("this server only shows", hint="`diurna web --write` has pages with forms")
_STALE = DiurnaError(
    "this form is of an earlier login, or of no page of ours",
    hint="go back to the page, load it anew, and send the form again",
)
