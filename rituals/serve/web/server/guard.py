"""Refuse what no page of ours would send, before anything looks at it; and head every answer.

A page of another site can make a browser of this machine ask anything of this server (DNS rebinding,
forms, images, fetches); what it can not do is choose the headers that are looked at here, read the
token, or have the cookie sent along. Each rule stands alone: none relies on another one.
"""

from __future__ import annotations

from urllib.parse import quote

from rituals.serve.request_limits import App, Message, Receive, Send
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.head import LOGIN, Head, Refusal

METHODS = ("GET", "HEAD", "POST")
#: Of a form; the longest that a person writes is a text of some pages.
FORM_BYTES = 64 * 1024
FORM = "application/x-www-form-urlencoded"
#: The most digits of a length; Python refuses to read some thousands.
_LENGTH_DIGITS = 20
#: What is known of a request behind the guard: the session's cookie, in `scope`.
SESSION = "diurna.session"

#: With `no-referrer` a browser would send `Origin: null` with our own forms.
HEADERS = (
    ("content-security-policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
     "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
     "require-trusted-types-for 'script'; trusted-types diurna"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)  # fmt: skip
#: Where an answer says nothing else, nobody keeps it.
_UNKEPT = (b"cache-control", b"no-store")
#: A request that names one of these twice means to be read in two ways.
_SINGLE = (
    "host", "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "content-type",
    "content-length",
)  # fmt: skip


class Guard:
    """Stands before the pages.

    Args:
        app: is asked what may be asked.
        access: what the server accepts.
    """

    def __init__(self, app: App, access: Access) -> None:
        self._app, self._access = app, access
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is spoken here

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                if not any(name.lower() == _UNKEPT[0] for name, _ in headers):
                    headers.append(_UNKEPT)
                message = {**message, "headers": headers + self._headers}
            await send(message)

        request = Head(scope)
        refused = self._refusal(request)
        if refused is None:
            foreign = request.is_foreign
            session = (
                "" if foreign else self._access.session_of(request.cookies(self._access.cookie))
            )
            if session or (request.is_open and not (foreign and request.path != LOGIN)):
                scope[SESSION] = session
                await self._app(scope, receive, headed)
                return
            refused = _outside(request)
        await refused.send(headed)

    def _refusal(self, request: Head) -> Refusal | None:
        """Return why no page of ours can have sent a request, None where one can."""
        if request.method not in METHODS:
            return Refusal(405, "this method is not used here", (("allow", ", ".join(METHODS)),))
        if (twice := request.twice(_SINGLE)) or request.has("transfer-encoding", "upgrade"):
            return Refusal(400, f"no browser sends this: {twice or 'Transfer-Encoding, Upgrade'}")
        if not request.path.startswith("/"):
            return Refusal(400, "an address here begins with /")
        host = request.one("host")
        if host not in self._access.hosts:
            return Refusal(421, f"this server answers at {self._access.address} alone")
        origin = request.one("origin")
        if origin != f"http://{host}" and (request.has("origin") or request.method == "POST"):
            return Refusal(403, "this was sent by a page of another site (Origin)")
        return _fetch_refusal(request) or _body_refusal(request)


def _fetch_refusal(request: Head) -> Refusal | None:
    """Refuse what another site's page fetches or frames; a link there may be followed."""
    if request.one("sec-fetch-site") in ("", "same-origin", "none"):
        return None
    if request.is_foreign and request.method != "POST":
        return None
    return Refusal(403, "this was sent by a page of another site (Sec-Fetch-Site)")


def _body_refusal(request: Head) -> Refusal | None:
    length = request.one("content-length") or "0"
    if not (length.isascii() and length.isdigit() and len(length) <= _LENGTH_DIGITS):
        return Refusal(400, "this length is no number")
    if request.method != "POST":
        return Refusal(400, "a question has no body") if int(length) else None
    if int(length) > FORM_BYTES:
        return Refusal(413, f"a form has {FORM_BYTES // 1024} KiB at most")
    kind, _, more = request.one("content-type").lower().partition(";")
    if kind.strip() != FORM or more.strip() not in ("", "charset=utf-8"):
        return Refusal(415, f"a form is sent as {FORM}")
    return None


def _outside(request: Head) -> Refusal:
    """Show whoever has no session to the login, where a person has asked for a page."""
    if request.method == "POST" or request.path == "/tip":
        return Refusal(401, "log in first: open the address that the terminal shows")
    return Refusal(303, "log in first", (("location", f"{LOGIN}?next={quote(request.target)}"),))
