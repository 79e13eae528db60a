"""Write addresses of our own pages: whatever stands in them is percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, urlencode

#: What stands in an address as it is, beside letters, digits and `-._~`; it may be encoded already.
_IN_PATH, _IN_QUERY = "/%", "/=&+,:%"


def address_of(path: str, *parts: str, **query: object) -> str:
    """Return the address of a page.

    Args:
        path: from the root on, with its query or the place on the page perhaps.
        parts: of the path behind it, each encoded whole: what stands in a name parts nothing.
        query: by name; what is empty is left out.
    """
    path, _, place = path.partition("#")
    path, _, asked = path.partition("?")
    whole = "".join([_quoted(path, _IN_PATH), *[f"/{_quoted(part, '')}" for part in parts]])
    wanted = {name: value for name, value in query.items() if value not in ("", None)}
    said = [_quoted(asked, _IN_QUERY), urlencode(wanted, errors="replace")]
    if any(said):
        whole += f"?{'&'.join([one for one in said if one])}"
    return f"{whole}#{_quoted(place, '')}" if place else whole


def _quoted(said: str, safe: str) -> str:
    return quote(said, safe, errors="replace")
