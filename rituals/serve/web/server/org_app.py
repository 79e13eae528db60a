"""Search an organisation's ledgers in a browser: one page, as whom the database lets in."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from memory.recall.recall_values import Answer, Filters
from rituals.org.org_search import Asker, Scope, recall
from rituals.serve.access import Access
from rituals.serve.request_limits import App
from rituals.serve.web.html.templates import Frame, Renderer
from rituals.serve.web.page_value import Page
from rituals.serve.web.server.page_routes import session_of
from rituals.serve.web.server.web_app import Files, Tell, guarded
from rituals.serve.worker import Worker

_FRAME = Frame("Organisation", None, "", "", (("/", "Search", "s"),))
#: So many hits are shown.
_HITS = 50


def org_app_of(
    asker: Asker, worker: Worker, access: Access, tell: Tell = lambda problem: None
) -> App:
    """Make the application; questions are asked one behind the other, on the thread of `worker`."""
    files = Files()
    renderer = Renderer(files.url)

    async def search(request: Request) -> Response:
        session_of(request)
        words = request.query_params.get("q", "").replace("\0", "\ufffd").strip()
        found = Answer()
        if words:
            found = await worker.run(lambda: recall(words, Filters(), Scope(), _HITS, asker=asker))
        hits = [(hit, hit.text.rpartition("\n")[2].strip()) for hit in found.hits]
        marked = tuple([word.lower() for word in re.findall(r"\w{4,}", words)])
        values = {"q": words, "hits": hits, "notes": found.notes, "marked": marked}
        return HTMLResponse(renderer.render(Page("org_search", words or "Search", values), _FRAME))

    routes = [(path, search, "GET") for path in ("/", "/search")]
    return guarded(access, renderer, files, tell, routes)
