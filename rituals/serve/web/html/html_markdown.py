"""Write texts of memory as HTML: nothing invisible or secret, no markup of their own.

`[[id]]` becomes a link to the page of that fact, where there is one. Headings in a text do not stand in
the outline of the page: they all are of one level, and differ in their class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, entity
from markdown_it.token import Token
from markupsafe import Markup, escape

from ledger.escape import MARKS, numbered, visible
from ledger.secrets.scanner import without_secrets

#: A secret that has fewer characters is a word that anybody may write.
_TELLING_CHARS = 12
_KEPT_TEXTS = 8192


@lru_cache(_KEPT_TEXTS)
def plain(text: str) -> str:
    """Return a text as a page may show it: what nobody can see by its number, and no secret."""
    return visible(without_secrets(text) if len(text) >= _TELLING_CHARS else text, numbered)


def seen(text: str) -> Markup:
    """Write a text as it is: no markup of its own passes."""
    return escape(plain(text))


def shown_whole(text: str) -> bool:
    """Tell whether a page shows a text as it is, so that what a form sends back is the text itself."""
    return plain(text) == text


def shown(value: object) -> object:
    """Prepare what a template writes: all that is not markup already is `plain`."""
    if type(value) is Markup or not isinstance(value, str):
        return value
    return plain(value)


#: Gives the address of the page of a fact, "" where there is none.
Address = Callable[[str], str]

#: Of a link that leads away: it tells nobody where it was, and vouches for nothing.
_AWAY = {"rel": "noreferrer noopener nofollow ugc"}
_LINK = re.compile(r"\[\[([a-z0-9][a-z0-9._-]*)(?:\|([^\[\]\n]+))?\]\]")
_HEADING = "h3"
_TABLE_OPEN = '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>\n'


def nowhere(fact: str) -> str:
    """Link nothing."""
    return ""


def block(text: str, address: Address = nowhere) -> Markup:
    """Write a text of several paragraphs."""
    return _written(_WRITER.render(plain(text), {"address": address}))


def line(text: str, address: Address = nowhere) -> Markup:
    """Write a text as one paragraph without its frame: emphasis, code and links alone."""
    return _written(_WRITER.renderInline(plain(text), {"address": address}))


def _written(html: str) -> Markup:
    """Show what an entity of markdown has brought in that nobody can see."""
    return Markup(visible(html, _unmarked))  # noqa: S704 - markdown-it escapes all that it does not make


def _unmarked(code: int) -> str:
    """Number a character; marks of direction were looked at in the text, where no tags stood between."""
    return chr(code) if chr(code) in MARKS else numbered(code)


def _entity(state: StateInline, silent: bool) -> bool:
    """Read an entity as markdown does; a mark that it stands for is shown, whatever stands beside it."""
    found = entity(state, silent)
    if found and not silent and state.tokens[-1].type == "text_special":
        state.tokens[-1].content = visible(state.tokens[-1].content, numbered)
    return found


def _leads_away(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _fact_link(state: StateInline, silent: bool) -> bool:
    """Read `[[id]]` and `[[id|words]]`."""
    found = _LINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    address = state.env["address"](found[1])
    if not address:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"class": "id", "href": address}
        state.push("text", "", 0).content = found[2] or found[1]
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _open_link(
    writer: Any,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    if tokens[at].attrGet("class") is None:  # it is none of ours
        for name, value in _AWAY.items():
            tokens[at].attrSet(name, value)
        if title := tokens[at].attrGet("title"):
            tokens[at].attrSet("title", visible(str(title), numbered))
    return str(writer.renderToken(tokens, at, options, env))


def _heading(
    writer: Any,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    said, tokens[at].tag = tokens[at].tag, _HEADING
    if tokens[at].nesting == 1:
        tokens[at].attrSet("class", said)
    return str(writer.renderToken(tokens, at, options, env))


def _table(
    writer: Any,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    """Let a table that is too wide be moved, by keys as well; a column is aligned by its class."""
    token = tokens[at]
    if token.type == "table_open":
        return _TABLE_OPEN
    if token.type == "table_close":
        return "</table>\n</div>\n"
    if style := token.attrs.pop("style", None):
        token.attrSet("class", str(style).rpartition(":")[2])
    return str(writer.renderToken(tokens, at, options, env))


def _writer() -> MarkdownIt:
    writer = MarkdownIt("commonmark", {"html": False, "linkify": False})
    writer.enable("table").disable("image")
    writer.validateLink = _leads_away  # type: ignore[method-assign]
    writer.inline.ruler.before("link", "fact_link", _fact_link)
    writer.add_render_rule("link_open", _open_link)
    writer.add_render_rule("heading_open", _heading)
    writer.add_render_rule("heading_close", _heading)
    writer.inline.ruler.at("entity", _entity)
    for part in ("table_open", "table_close", "th_open", "td_open"):
        writer.add_render_rule(part, _table)
    return writer


_WRITER = _writer()
