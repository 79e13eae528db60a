"""Nothing of a memory becomes markup, moves a page, hides in it, or is a secret: without any policy of a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from ledger.escape import MARKS, numbered, unseen_in, visible
from memory.api import Memory
from projection.fold.projection_state import NOTHING
from rituals.serve.web.html import html_markdown
from rituals.serve.web.html.html_markdown import block, line, plain, seen
from rituals.serve.web.html.templates import (
    STATIC,
    Frame,
    Renderer,
    address_of,
    drawn,
    static_files,
)
from rituals.serve.web.html.word_differences import GONE, NEW, differences, word_differences
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages.page_table import ROWS
from rituals.serve.web.tip_view.tip_view import TipView, TipViews
from tests.conftest import each_row
from tests.test_secrets_scanner import token as github_token
from tests.web import homes

if TYPE_CHECKING:
    pass

DOES = f"window.{homes.CANARY}=1"
#: Beside those of the hostile home: links in disguise, markdown that opens tags, entities, other parsers' quirks.
PAYLOADS = (
    *homes.PAYLOADS,
    f"[x](JaVaScRiPt:{DOES})",
    f"[x](&#106;avascript:{DOES})",
    f"[x](java\tscript:{DOES})",
    f"[x](<javascript:{DOES}>)",
    f"[x]: javascript:{DOES}\n\n[x]",
    f"<javascript:{DOES}>",
    f"[x](vbscript:{DOES})",
    f"[x](data:text/html;base64,PHNjcmlwdD4= '{DOES}')",
    f'[x](https://example.org/"onmouseover="{DOES})',
    f"[x](https://example.org '\" onmouseover={DOES} ')",
    "[x](//elsewhere.invalid/) [y](/act/undo) [z](file:///etc/passwd)",
    f"[[id|<img src=x onerror={DOES}>]]",
    f"![x](data:image/svg+xml,<svg onload={DOES}>)",
    f"&lt;script&gt;{DOES}&lt;/script&gt; &#60;img src=x onerror={DOES}&#62;",
    f"--><script>{DOES}</script><!--",
    f"<!--><script>{DOES}</script>-->",
    f'<noscript><p title="</noscript><img src=x onerror={DOES}>">',
    f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={DOES}&gt;">',
    f'<svg></p><style><a id="</style><img src=1 onerror={DOES}>">',
    f"<img src='{homes.ELSEWHERE}/?",
    f'```html"><script>{DOES}</script>\ncode\n```',
    f"| a | b |\n|---|---|\n| <img src=x onerror={DOES}> | `|` |",
    f"# </h3><script>{DOES}</script>",
    "a\x00b<scr\x00ipt>\x0b\x7f\x85",
    "&#x202E;txt.exe &#8203; &zwnj; &#xE0041;",
    "\ud800 alone",
    "w" * 100_000,
    "[" * 500 + "]" * 500,
    "{% raw %}{{ frame.token }}{% endraw %}{# #}",
    "x';alert(1)//\\u0022 onclick=1 `onclick=1`",
)
_TAGS = frozenset(
    "p br strong em a code pre ul ol li blockquote hr h3 table thead tbody tr th td ins del span div".split()
)
_ATTRIBUTES = frozenset(
    (*[(tag, "class") for tag in ("a", "h3", "code", "span")], ("a", "href"), ("a", "rel"), ("a", "title"),
     ("ol", "start"), *[(tag, "class") for tag in ("td", "th", "div")],
     *[("div", name) for name in ("tabindex", "role", "aria-label")])
)  # fmt: skip


class Read(HTMLParser):
    """What a parser makes of a page: its tags with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.ends: list[str] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a tag as well: one without a beginning closes one of ours."""
        self.ends.append(tag)

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data

    def handle_comment(self, data: str) -> None:
        """Note a comment."""
        self.comments.append(data)


def inert(html: str) -> Read:
    """Read what a text of memory became; fail where it is more than text, emphasis, code and links."""
    found = Read(html)
    assert not found.comments
    assert _TAGS.issuperset(found.ends)
    for tag, attributes in found.tags:
        assert tag in _TAGS, tag
        for name, value in attributes.items():
            assert (tag, name) in _ATTRIBUTES, (tag, name)
            if name == "href":
                assert re.match(r"https?://[^\s\"'<>]+$", value), value
                assert attributes["rel"] == "noreferrer noopener nofollow ugc"
    assert not hidden_in(html)
    return found


def hidden_in(html: str) -> list[str]:
    """Return what of a page nobody can see: what `visible` would still write otherwise."""
    texts = Read(html).text, re.sub(f"[{MARKS}]", "", html)
    return [one for text in texts if visible(text) != text for one in sorted(unseen_in(text))]


@each_row("payload", PAYLOADS)
def test_a_payload_is_inert_wherever_a_text_can_stand(payload: str) -> None:
    """As markdown, as a line, as it is, in an attribute, in the title, and in what changed."""
    for written in (block(payload), line(payload), seen(payload)):
        inert(written)
    assert not Read(seen(payload)).tags
    changed = Read(word_differences(payload, f"a {payload} b"))
    assert {tag for tag, _ in changed.tags} <= {"ins", "del", "span"}
    everywhere = '<title>{{ x }}</title><p title="{{ x }}" data-copy="{{ x }}">{{ x }}</p><b>{{ x | upper }}</b>'
    template = Renderer()._environment.from_string(everywhere)
    found = Read(template.render(x=payload))
    assert [(tag, sorted(attributes)) for tag, attributes in found.tags] == [
        ("title", []), ("p", ["data-copy", "title"]), ("b", [])
    ]  # fmt: skip
    shown = payload if payload.isascii() and payload.isprintable() else ""
    if shown:
        assert found.tags[1][1]["title"] == shown
    assert not hidden_in(template.render(x=payload))


@given(
    st.text(
        st.sampled_from("<>&\"'`[](){}:/#*_|!-\n \u202e\u200ba1\x00") | st.characters(), max_size=80
    )
)
def test_no_text_becomes_more_than_text(text: str) -> None:
    """Whatever somebody writes: no tag but those of markdown, no address but http(s), nothing unseen."""
    inert(block(text))
    inert(line(text))
    assert not Read(seen(text)).tags


def test_the_checks_have_teeth(monkeypatch: pytest.MonkeyPatch) -> None:
    """With HTML let through, or any link, or nothing made visible, they fail."""
    monkeypatch.setitem(html_markdown._WRITER.options, "html", True)
    for payload in homes.FIRING:
        with pytest.raises(AssertionError):
            inert(block(payload))
    monkeypatch.undo()
    monkeypatch.setattr(html_markdown._WRITER, "validateLink", lambda url: True)
    with pytest.raises(AssertionError):
        inert(block(f"[x](javascript:{DOES})"))
    monkeypatch.undo()
    with pytest.raises(AssertionError):
        inert(Markup("turned \u202e round"))


def test_what_nobody_sees_stands_there_by_its_number() -> None:
    """The same characters that a terminal is spared, in the notation that people look up."""
    assert plain("a\u202eb\u200bc\x00") == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩"
    assert block("x &#x202E; y") == "<p>x ⟨U+202E⟩ y</p>\n"
    assert plain("👩\u200d💻 নক্\u200dষত্র") == "👩\u200d💻 নক্\u200dষত্র"
    assert numbered(0xE0041) == "⟨U+E0041⟩"
    assert visible("\u202e") == "\\u202e"


def test_honest_hebrew_and_arabic_are_not_shown_as_attacks() -> None:
    """A mark beside such a letter stays, also behind emphasis; one that an entity hides is shown always."""
    assert line("**שלום**\u200f! نعم؟\u200f") == "<strong>שלום</strong>\u200f! نعم؟\u200f"
    assert line("5 \u200f- 3 **a**\u200e") == "5 ⟨U+200F⟩- 3 <strong>a</strong>⟨U+200E⟩"
    assert line("שלום&rlm; 5 &#x200f;- 3") == "שלום⟨U+200F⟩ 5 ⟨U+200F⟩- 3"
    assert 'title="t⟨U+200F⟩"' in line('[x](http://a.example "t&rlm;")')
    assert line("\u202eשלום\u202c") == "⟨U+202E⟩שלום⟨U+202C⟩"


def test_a_table_can_be_moved_and_its_columns_are_aligned_without_a_style() -> None:
    """A policy that allows no style drops one; a finger and the keys move what is too wide."""
    written = block("|a|b|c|\n|--:|:-:|---|\n|1|2|3|")
    assert "style" not in written
    tags = {(tag, one.get("class", "")) for tag, one in Read(written).tags}
    assert {("td", "right"), ("th", "center"), ("td", "")} <= tags
    assert '<div class="scroll" tabindex="0" role="group" aria-label="Table">' in written


def test_no_secret_of_an_old_log_is_shown() -> None:
    """In a text, in markdown, in a title, and in what changed."""
    token = github_token()
    for written in (block(f"use {token}."), line(token), seen(token), word_differences("a", token)):
        assert token not in written
        assert "redacted" in written
    template = Renderer()._environment.from_string("<p title='{{ x }}'>{{ x }}</p>")
    assert token not in template.render(x=f"it is {token}")


def test_links_to_facts_lead_where_there_is_one() -> None:
    """In texts, also in words of one's own; neither in code nor where there is no such fact."""
    renderer = Renderer(lambda address: f"..{address}.html")
    renderer._facts = frozenset(("retries", "a.b"))
    assert renderer.line("see [[retries]]") == (
        'see <a class="id" href="../fact/retries.html">retries</a>'
    )
    assert ">the rule</a>" in renderer.line("[[a.b|the rule]]")
    for text in ("[[nobody]]", "`[[retries]]`", "\\[[retries]]", "[[Retries]]"):
        assert "href" not in renderer.line(text)


def test_headings_of_a_text_are_of_one_level() -> None:
    """The outline of the page is its own."""
    found = Read(block("# A\n\n###### B\n\nC\n="))
    assert [(tag, at["class"]) for tag, at in found.tags if tag[0] == "h"] == [
        ("h3", "h1"), ("h3", "h6"), ("h3", "h1")
    ]  # fmt: skip


def test_addresses_are_percent_encoded() -> None:
    """A name parts nothing and begins no query; what is encoded stays so."""
    assert address_of("/fact/retries") == "/fact/retries"
    assert address_of("/fact", "a/b?c#d%20é\u202e") == "/fact/a%2Fb%3Fc%23d%2520%C3%A9%E2%80%AE"
    assert address_of("/search", q="a&b=c #", level="", at=0) == "/search?q=a%26b%3Dc+%23&at=0"
    assert address_of("/timeline?at=2026-09-30#d 1") == "/timeline?at=2026-09-30#d%201"
    assert address_of("/entity/C%23") == "/entity/C%23"
    assert address_of('/x"><script>') == "/x%22%3E%3Cscript%3E"
    assert address_of("/fact", "\ud800") == "/fact/%3F"


@given(st.text(max_size=60))
def test_an_address_stays_in_its_attribute(name: str) -> None:
    """Whatever an id is made of."""
    assert re.fullmatch(r"/fact/[\w%.~-]*", address_of("/fact", name), re.ASCII)
    written = Renderer().url("/fact", name)
    assert Read(f'<a href="{written}">x</a>').tags == [("a", {"href": address_of("/fact", name)})]


@given(*[st.lists(st.sampled_from(["a", "b", "is", " ", "\n", ".", "<i>", "é"])).map("".join)] * 2)
def test_differences_tell_both_texts(before: str, after: str) -> None:
    """What stayed and went is the one, what stayed and came the other."""
    found = differences(before, after)
    assert "".join([text for kind, text in found if kind != NEW]) == before
    assert "".join([text for kind, text in found if kind != GONE]) == after
    assert all(text for _, text in found)
    assert all(one[0] != other[0] for one, other in pairwise(found))


def test_differences_are_of_whole_words() -> None:
    """And what stands between two that changed changed with them."""
    assert str(word_differences("It waits ten long seconds.", "It waits two short seconds.")) == (
        "It waits <del>ten long</del><ins>two short</ins> seconds."
    )
    long = "word " * 200
    told = word_differences(f"old {long}", f"new {long}")
    assert len(told) < 300
    assert told.endswith('<span class="gap"> … </span>')


def test_long_texts_are_compared_in_no_time() -> None:
    """100 KB of words, all others, every second one other, and one word alone."""
    words = [f"w{number % 9000}" for number in range(18_000)]
    cases = (
        (" ".join(words), " ".join(reversed(words))),
        (" ".join(words), " ".join([w if n % 2 else "x" for n, w in enumerate(words)])),
        ("a" * 100_000, "b" * 100_000),
        ("\n".join(words), "\n".join(words[100:])),
    )
    for before, after in cases:
        found = differences(before, after)
        assert "".join([text for kind, text in found if kind != NEW]) == before


def test_pictures_show_no_character_that_nobody_sees() -> None:
    """Whatever a picture writes passes the same door."""
    assert drawn(lambda: "<b>\u202e</b>")() == "<b>⟨U+202E⟩</b>"


def frame_of(tip: TipView, token: str = "") -> Frame:
    """Return what stands around a page."""
    menu = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
    return Frame(
        tip.state.policy.project, tip.state.summary, tip.tip, tip.mark, menu, token=token, facts=tip.facts
    )  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[TipView]:
    """A home in which every text and name is a payload."""
    folder = tmp_path / "home"
    homes.hostile(folder)
    memory = Memory.open(str(folder))
    yield TipViews().of(memory)
    memory.close()


#: Tags that a page of ours has beside what texts become.
_OURS = frozenset(
    "html head meta title link script body header nav main footer dialog form input button label textarea h1 h2"
    " div section article aside dl dt dd details summary svg path circle rect text g b small kbd meter select"
    " option noscript time figure figcaption caption output fieldset legend tfoot colgroup col line polyline"
    " polygon defs use title mark abbr datalist".split()
)


@pytest.mark.deep(reason="the other tests here have each hostile text in one place")
def test_every_page_of_a_hostile_home_is_inert(hostile: TipView) -> None:
    """All addresses, reading or writing in turn: no tag or address that a template did not write.

    What was searched for stands in the field, in the title and in the links of the page.
    """
    renderer, count = Renderer(), 0
    asked = {
        "/fact/{id}": [{"id": one} for one in hostile.facts],
        "/session/{stem}": [{"stem": one.stem} for one in hostile.entries],
        "/facts": [{}, {"list": "all"}, *[{"entity": one} for one in homes.PAYLOADS]],
        "/review": [{}, *[{"rule": one} for one in hostile.questions]],
        "/file/{path:path}": [],
        "/write/{form}": [],
        "/": [{}, {"as_of": hostile.work[0]}],
    }
    for row in ROWS:
        for one in asked.get(row.path, [{}]):
            page = row.page(hostile, one)
            count += 1
            html = renderer.render(page, frame_of(hostile, "t" * 40 * (count % 2)))
            _check(html, f"{row.path} {one}")
    assert count > 2 * len(homes.PAYLOADS)
    search = {row.path: row for row in ROWS}["/search"].page
    for at, payload in enumerate((*PAYLOADS[:6], "hostile pwned x")):
        level = ("index", "timeline", "full")[at % 3]
        page = search(hostile, {"q": payload, "level": level})
        _check(renderer.render(page, frame_of(hostile)), payload)


def test_the_pages_of_an_empty_home_say_what_to_do(tmp_path: Path) -> None:
    """Each that would list something shows a command."""
    homes.empty(tmp_path / "home")
    memory = Memory.open(str(tmp_path / "home"))
    tip = TipViews().of(memory)
    rows = {row.path: row for row in ROWS}
    for path in ("/timeline", "/health", "/tasks"):
        html = Renderer().render(rows[path].page(tip, {}), frame_of(tip))
        assert "<code" in html.partition("<main")[2].partition("</main>")[0], path
    memory.close()


def _check(html: str, where: str) -> None:
    found = Read(html)
    assert not found.comments, where
    assert (_TAGS | _OURS).issuperset(found.ends), where
    scripts = [attributes.get("src") for tag, attributes in found.tags if tag == "script"]
    assert scripts == ["/static/diurna.js", "/static/live.js"], (where, scripts)
    for tag, attributes in found.tags:
        assert tag in _TAGS or tag in _OURS, (where, tag)
        for name, value in attributes.items():
            assert not name.startswith(
                ("on", "style", "srcdoc", "hx-", "formaction", "http-equiv")
            ), (where, tag, name)
            if name in ("href", "src", "action", "xlink:href"):
                away = (
                    tag == "a"
                    and re.match(r"https?://", value)
                    and "noopener" in attributes.get("rel", "")
                )
                assert away or re.match(r"/(?!/)|#|$", value) or value == "data:,", (
                    where,
                    tag,
                    value,
                )
    assert not hidden_in(html), where


def test_a_page_is_light() -> None:
    """Style, script and frame together leave a page room for its facts."""
    assert len(static_files()["diurna.js"]) <= 9000
    assert len(static_files()["diurna.css"]) <= 21_000
    frame = Frame("project", NOTHING, "", "", ())
    page = Page("missing", "Not here", {"said": "x", "hint": ""})
    assert len(Renderer().render(page, frame)) < 2500


@each_row(
    "name",
    ["ink", "soft", "accent", "core", "working", "active", "fading", "archived", "superseded"],
)
def test_every_colour_of_text_can_be_read(name: str) -> None:
    """On each ground that texts stand on, light and dark: a contrast of 4.5."""
    for ground in ("ground", "card", "hover", "attention"):
        for scheme in (0, 1):
            assert contrast(colours()[name][scheme], colours()[ground][scheme]) >= 4.5, (
                ground,
                scheme,
            )


def test_edges_of_inputs_are_seen() -> None:
    """A contrast of 3 with the page and the input; what stands on the accent, and on changes, is read."""
    for one, other, least in (
        ("edge", "ground", 3), ("edge", "card", 3), ("on-accent", "accent", 4.5), ("ink", "new", 4.5), ("ink", "gone", 4.5)
    ):  # fmt: skip
        for scheme in (0, 1):
            assert contrast(colours()[one][scheme], colours()[other][scheme]) >= least, (one, other)


def test_a_style_is_sent_as_it_is_written() -> None:
    """But for comments and blanks: each rule, each selector and each value is the same."""
    written = re.sub(r"/\*.*?\*/", "", (STATIC / "diurna.css").read_text(), flags=re.DOTALL)
    sent = static_files()["diurna.css"].decode()
    assert "".join(sent.split()) == "".join(written.split()).replace(";}", "}")
    assert sent.count("{") == sent.count("}")
    for kept in (
        "100vw - var(--wide)",
        ".text :not(pre)",
        "1px solid",
        "html{font:16px/1.55 Inter",
    ):
        assert kept in sent


def colours() -> dict[str, tuple[str, str]]:
    """Return the colours of the style sheet, (light, dark) each."""
    style = (STATIC / "diurna.css").read_text()
    return {
        name: (light, dark)
        for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", style)
    }


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as the WCAG define it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join([2 * digit for digit in colour[1:]])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
