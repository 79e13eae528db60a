"""Read what a form sends, and where it wants to go on: nothing of it is believed."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from starlette.requests import Request

from ledger.errors import WrongUsage
from rituals.serve.web.actions.form_fields import LIMIT_VALUES, Fields
from rituals.serve.web.server.guard import FORM_BYTES

#: What a browser reads as an address of this server: neither `//host` nor `/\\host`, and no line break.
_OURS = re.compile(r"/(?![/\\])[!-\[\]-~]*")


async def form_of(request: Request) -> Fields:
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
        fields = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=2 * LIMIT_VALUES,
        )
    except ValueError:
        raise WrongUsage("the form can not be read") from None
    return Fields(tuple(fields))


def ours(address: str) -> str:
    """Return an address where it is one of this server, else that of the first page."""
    return address if _OURS.fullmatch(address) else "/"


def with_done(address: str, stem: str) -> str:
    """Return an address that says which log was recorded last."""
    parts = urlsplit(address)
    query = [one for one in parse_qsl(parts.query, keep_blank_values=True) if one[0] != "done"]
    if stem:
        query.append(("done", stem))
    return urlunsplit(("", "", parts.path, urlencode(query), parts.fragment))
