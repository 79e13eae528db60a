"""Write texts of memory as HTML: nothing invisible or secret, no markup of their own; and how two differ.

`[[id]]` becomes a link to the page of that fact, where there is one. Headings in a text do not stand in
the outline of the page: they all are of one level, and differ in their class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, entity
from markdown_it.token import Token
from markupsafe import Markup, escape

from ledger.escape import MARKS, numbered, visible
from ledger.secrets.scanner import without_secrets
from projection.text.normalize import changes

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


def block(text: str, address: Address = lambda fact: "") -> Markup:
    """Write a text of several paragraphs."""
    return _written(_WRITER.render(plain(text), {"address": address}))


def line(text: str, address: Address) -> Markup:
    """Write a text as one paragraph without its frame: emphasis, code and links alone."""
    return _written(_WRITER.renderInline(plain(text), {"address": address}))


def _written(html: str) -> Markup:
    """Show what an entity of markdown has brought in that nobody can see."""
    # marks of direction were looked at in the text, where no tags stood between
    said = visible(html, lambda code: chr(code) if chr(code) in MARKS else numbered(code))
    return Markup(said)  # noqa: S704 - markdown-it escapes all that it does not make


def _entity(state: StateInline, silent: bool) -> bool:
    """Read an entity as markdown does; a mark that it stands for is shown, whatever stands beside it."""
    found = entity(state, silent)
    if found and not silent and state.tokens[-1].type == "text_special":
        state.tokens[-1].content = visible(state.tokens[-1].content, numbered)
    return found


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


def _open_link(writer: Any, tokens: Sequence[Token], at: int, *more: Any) -> str:
    if tokens[at].attrGet("class") is None:  # it is none of ours
        for name, value in _AWAY.items():
            tokens[at].attrSet(name, value)
        if title := tokens[at].attrGet("title"):
            tokens[at].attrSet("title", visible(str(title), numbered))
    return str(writer.renderToken(tokens, at, *more))


def _heading(writer: Any, tokens: Sequence[Token], at: int, *more: Any) -> str:
    said, tokens[at].tag = tokens[at].tag, _HEADING
    if tokens[at].nesting == 1:
        tokens[at].attrSet("class", said)
    return str(writer.renderToken(tokens, at, *more))


def _table(writer: Any, tokens: Sequence[Token], at: int, *more: Any) -> str:
    """Let a table that is too wide be moved, by keys as well; a column is aligned by its class."""
    token = tokens[at]
    if token.type == "table_open":
        return _TABLE_OPEN
    if token.type == "table_close":
        return "</table>\n</div>\n"
    if style := token.attrs.pop("style", None):
        token.attrSet("class", str(style).rpartition(":")[2])
    return str(writer.renderToken(tokens, at, *more))


_WRITER = MarkdownIt("commonmark", {"html": False, "linkify": False})
_WRITER.enable("table").disable("image")
_WRITER.validateLink = re.compile("https?://", re.IGNORECASE).match  # type: ignore[assignment]
_WRITER.inline.ruler.before("link", "fact_link", _fact_link)
_WRITER.inline.ruler.at("entity", _entity)
for _part, _written_by in (
    ("link_open", _open_link), ("heading_open", _heading), ("heading_close", _heading),
    ("table_open", _table), ("table_close", _table), ("th_open", _table), ("td_open", _table),
):  # fmt: skip
    _WRITER.add_render_rule(_part, _written_by)

#: A word has the blanks before it: what changed is not parted by them.
_WORD = re.compile(r"[^\S\n]*\w+|[^\S\n]*[^\w\s]|\s+")
_BLOCK_END = re.compile(r"</(?:p|li|h3|td|th|tr|pre|blockquote)>|<br ?/?>")
#: Ends of blocks that follow each other.
_ENDS = re.compile(r" ?\0[\0 ]*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
#: What two texts may have of pairs of words to be compared by words, else by lines: 12 MB, 30 ms.
_MOST_PAIRS = 100_000_000
#: Of what stayed the same so much is shown beside a change.
_AROUND_CHARS = 160

SAME, GONE, NEW = "", "del", "ins"


def word_differences(before: str, after: str) -> Markup:
    """Write the words of a text with what is new in it and what is gone from it, as people read them."""
    old, new = words_of(before), words_of(after)
    if old == new:
        return Markup('<span class="gap">The same words; they are set otherwise.</span>')
    found = differences(old, new)
    last = len(found) - 1
    return Markup("").join(
        Markup("<{0}>{1}</{0}>").format(kind, text) if kind else _near(text, at > 0, at < last)
        for at, (kind, text) in enumerate(found)
    )


def words_of(text: str) -> str:
    """Return what people read of markdown: a line a paragraph, however it was wrapped."""
    ended = _BLOCK_END.sub("\0", block(text))
    return _ENDS.sub("\n", Markup(ended).striptags()).strip()  # noqa: S704 - its tags are taken out


def differences(before: str, after: str) -> list[tuple[str, str]]:
    """Return what stayed, went and came, in the order of the text: (`SAME`, `GONE` or `NEW`, words)."""
    for unit in (_WORD, _LINE):
        old, new = unit.findall(before), unit.findall(after)
        steps = [(0, len(old), 0, len(new))]  # where they are too long for words and for lines
        if len(old) * len(new) <= _MOST_PAIRS:
            steps = changes(old, new)
            break
    found, here, gone, came = list[tuple[str, str]](), 0, "", ""
    for begin, past, to, upto in [*steps, (len(old), len(old), 0, 0)]:
        if same := "".join(old[here:begin]):
            found += [(GONE, gone), (NEW, came), (SAME, same)]
            gone = came = ""
        gone, came = gone + "".join(old[begin:past]), came + "".join(new[to:upto])
        here = past
    found += [(GONE, gone), (NEW, came)]
    return [one for one in found if one[1]]


def _near(text: str, behind_change: bool, before_change: bool) -> Markup:
    """Leave out the middle of what stayed the same: only what stands beside a change is looked at."""
    if len(text) <= 2 * _AROUND_CHARS or not (behind_change or before_change):
        return escape(text)
    head, tail = text[:_AROUND_CHARS], text[-_AROUND_CHARS:]
    head = (head.rpartition(" ")[0] or head) if behind_change else ""
    tail = (tail.partition(" ")[2] or tail) if before_change else ""
    return Markup('{}<span class="gap"> … </span>{}').format(head, tail)


#: What is no text: tags, and references such as `&amp;`. Whoever wrote the markup has escaped `<` and `&`.
_NO_TEXT = re.compile(r"(<[^>]*>|&[#\w]+;)")


def word_marks(written: Markup, words: Iterable[str]) -> Markup:
    """Put `<mark>` around words and their forms; of writing without blanks also inside of others."""
    pattern = _pattern(tuple(words))
    if pattern is None:
        return written
    parts = _NO_TEXT.split(str(written))
    parts[::2] = [pattern.sub(r"<mark>\g<0></mark>", part) for part in parts[::2]]
    return Markup("".join(parts))  # noqa: S704 - around letters and digits that stood there


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    # a form has at most three letters behind all but the last two
    whole = [
        word if len(word) < 4 else f"{word[: max(4, len(word) - 2)]}[^\\W_]{{0,3}}"
        for word in words
        if word.isalnum() and word.isascii()
    ]
    other = [re.escape(word) for word in words if word.isalnum() and not word.isascii()]
    found = [rf"(?<![^\W_])(?:{'|'.join(whole)})(?![^\W_])"] if whole else []
    found += sorted(other, key=len, reverse=True)
    return re.compile("|".join(found), re.IGNORECASE) if found else None
