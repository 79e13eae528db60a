"""Refuse what no page of ours would send, before anything looks at it; and head every answer.

A page of another site can make a browser of this machine ask anything of this server (DNS rebinding,
forms, images, fetches); what it can not do is choose the headers that are looked at here, read the
token, or have the cookie sent along. Each rule stands alone: none relies on another one.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response

from rituals.serve.login_tokens import Access
from rituals.serve.loopback import App, Message, Receive, Send

LOGIN, STATIC = "/login", "/static/"

METHODS = ("GET", "HEAD", "POST")
#: Of a form; the longest that a person writes is a text of some pages.
FORM_BYTES = 64 * 1024
FORM = "application/x-www-form-urlencoded"
#: The most digits of a length; Python refuses to read some thousands.
_LENGTH_DIGITS = 20
#: What is known of a request behind the guard: the session's cookie, in `scope`.
SESSION = "diurna.session"

#: With `no-referrer` a browser would send `Origin: null` with our own forms.
HEADERS = {
    "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types diurna",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}  # fmt: skip
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

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is spoken here

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                head = MutableHeaders(scope=message)
                head.setdefault("cache-control", "no-store")  # nobody keeps what says nothing else
                head.update(HEADERS)
            await send(message)

        headers, path, posted = Headers(scope=scope), scope["path"], scope["method"] == "POST"
        foreign = _is_foreign(headers)
        refused = self._refusal(scope, headers, foreign)
        if refused is None:
            session = "" if foreign else self._access.session_of(self._cookies(headers))
            # what is no part of the memory: the login, style and script
            is_open = path == LOGIN or (path.startswith(STATIC) and not posted and not foreign)
            if session or is_open:
                scope[SESSION] = session
                await self._app(scope, receive, headed)
                return
            if posted or path == "/tip":  # no person has asked for a page
                refused = _refuse(401, "log in first: open the address that the terminal shows")
            else:
                target = {"location": f"{LOGIN}?next={quote(target_of(scope))}"}
                refused = PlainTextResponse("log in first\n", 303, target)
        await refused(scope, receive, headed)

    def _cookies(self, headers: Headers) -> list[str]:
        """Return all values of our cookie: several paths and servers may have set one."""
        pairs = [
            one.partition("=") for line in headers.getlist("cookie") for one in line.split(";")
        ]
        return [value.strip() for key, _, value in pairs if key.strip() == self._access.cookie]

    def _refusal(self, scope: Message, headers: Headers, foreign: bool) -> Response | None:
        """Return why no page of ours can have sent a request, None where one can."""
        method, twice = scope["method"], [one for one in _SINGLE if len(headers.getlist(one)) > 1]
        if method not in METHODS:
            return _refuse(405, "this method is not used here", allow=", ".join(METHODS))
        if twice or "transfer-encoding" in headers or "upgrade" in headers:
            said = twice[0] if twice else "Transfer-Encoding, Upgrade"
            return _refuse(400, f"no browser sends this: {said}")
        if not scope["path"].startswith("/"):
            return _refuse(400, "an address here begins with /")
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._access.hosts:
            return _refuse(421, f"this server answers at {self._access.address} alone")
        if origin != f"http://{host}" and (origin is not None or method == "POST"):
            return _refuse(403, "this was sent by a page of another site (Origin)")
        # what another site's page fetches or frames; a link there may be followed
        own = headers.get("sec-fetch-site", "") in ("", "same-origin", "none")
        if not own and not (foreign and method != "POST"):
            return _refuse(403, "this was sent by a page of another site (Sec-Fetch-Site)")
        return _body_refusal(method, headers)


def target_of(scope: Message) -> str:
    """Return what was asked for, with its query, as it stood in the request."""
    path = scope.get("raw_path") or quote(scope["path"]).encode()
    query = scope["query_string"]
    said: bytes = path + (b"?" + query if query else b"")
    return said.decode("latin-1")


def _is_foreign(headers: Headers) -> bool:
    """Tell whether a link on another site's page was followed: nothing here is shown to that click."""
    return (
        headers.get("sec-fetch-site") in ("cross-site", "same-site")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "") in ("", "document")
    )


def _refuse(status: int, said: str, **headers: str) -> Response:
    """Answer without a page; what the client sends beside it is not read."""
    return PlainTextResponse(f"{said}\n", status, {"connection": "close", **headers})


def _body_refusal(method: str, headers: Headers) -> Response | None:
    length = headers.get("content-length") or "0"
    if not (length.isascii() and length.isdigit() and len(length) <= _LENGTH_DIGITS):
        return _refuse(400, "this length is no number")
    if method != "POST":
        return _refuse(400, "a question has no body") if int(length) else None
    if int(length) > FORM_BYTES:
        return _refuse(413, f"a form has {FORM_BYTES // 1024} KiB at most")
    kind, _, more = headers.get("content-type", "").lower().partition(";")
    if kind.strip() != FORM or more.strip() not in ("", "charset=utf-8"):
        return _refuse(415, f"a form is sent as {FORM}")
    return None
