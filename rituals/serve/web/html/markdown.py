"""Write the markdown of memory as HTML: no markup of its own passes, no image, links lead to http(s)."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

#: Of a link that leads away: it tells nobody where it was, and vouches for nothing.
_AWAY = {"rel": "noreferrer noopener nofollow ugc", "target": "_blank"}


def block(text: str) -> Markup:
    """Write a text of several paragraphs."""
    return Markup(_WRITER.render(text))  # noqa: S704 - markdown-it escapes all that it does not make


def line(text: str) -> Markup:
    """Write a text as one paragraph without its frame: emphasis, code and links alone."""
    return Markup(_WRITER.renderInline(text))  # noqa: S704 - as above


def _leads_away(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _open_link(
    writer: Any,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    for name, value in _AWAY.items():
        tokens[at].attrSet(name, value)
    return str(writer.renderToken(tokens, at, options, env))


_WRITER = (
    MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
)
_WRITER.validateLink = _leads_away  # type: ignore[method-assign]
_WRITER.add_render_rule("link_open", _open_link)
