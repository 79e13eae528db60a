"""No text of a log becomes active on any page: neither by markdown, nor in an attribute, nor in what changed.

Browsers show the same in `tests/web`, with the policy of our pages taken off.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.escape import MARKS, unseen_in, visible
from rituals.serve.web.html.html_markdown import (
    GONE,
    NEW,
    block,
    differences,
    line,
    plain,
    seen,
    word_differences,
    word_marks,
)
from tests.conftest import each_row
from tests.planted_secrets import tokens
from tests.web import homes
from tests.web_client import Client, client_of

DOES = f"window.{homes.CANARY}=1"
#: Beside those of the hostile home: links in disguise, markdown that opens tags, entities, other
#: parsers' quirks.
_MORE = (
    (Path(__file__).parent / "web" / "payloads.txt").read_text("utf-8").rstrip("\n").split("\n~\n")
)
PAYLOADS = (
    *homes.PAYLOADS, "w" * 100_000, "[" * 500 + "]" * 500,
    *[one.replace("DOES", DOES).replace("ELSEWHERE", homes.ELSEWHERE)
      .encode("latin-1", "backslashreplace").decode("unicode_escape") for one in _MORE],
)  # fmt: skip
_TAGS = frozenset(
    "p br strong em a code pre ul ol li blockquote hr h3 table thead tbody tr th td ins del span div".split()
)
_ATTRIBUTES = frozenset(
    (*[(tag, "class") for tag in ("a", "h3", "code", "span", "td", "th", "div")], ("a", "href"), ("a", "rel"),
     ("a", "title"), ("ol", "start"), *[("div", name) for name in ("tabindex", "role", "aria-label")])
)  # fmt: skip
#: Tags that a page of ours has beside what texts become.
_OURS = frozenset(
    "html head meta title link script body header nav main footer dialog form input button label textarea h1 h2"
    " section article aside dl dt dd details summary svg path text small kbd meter select option b"
    " time mark datalist line g".split()
)


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


def hidden_in(html: str) -> list[str]:
    """Return what of a page nobody can see."""
    texts = Read(html).text, re.sub(f"[{MARKS}]", "", html)
    return [one for text in texts if visible(text) != text for one in sorted(unseen_in(text))]


def inert(html: str) -> Read:
    """Read what a text of memory became; fail where it is more than text, emphasis, code and links."""
    found = Read(html)
    assert not found.comments and _TAGS.issuperset(found.ends)
    for tag, attributes in found.tags:
        assert tag in _TAGS, tag
        for name, value in attributes.items():
            assert (tag, name) in _ATTRIBUTES, (tag, name)
            if name == "href":
                assert re.match(r"https?://[^\s\"'<>]+$", value), value
                assert attributes["rel"] == "noreferrer noopener nofollow ugc"
    assert not hidden_in(html)
    return found


def nowhere(fact: str) -> str:
    return ""


TEXTS = st.text(
    st.sampled_from("<>&\"'`[](){}:/#*_|!-\n \u202e\u200ba1\x00") | st.characters(), max_size=80
)


def _becomes_no_more(text: str) -> None:
    inert(block(text))
    inert(line(text, nowhere))
    assert not Read(seen(text)).tags and not hidden_in(seen(text))
    inert(
        word_marks(block(text), ["window", "a", "ö"])
        .replace("<mark>", "<em>")
        .replace("</mark>", "</em>")
    )
    changed = Read(word_differences(text, f"a {text} b"))
    assert {tag for tag, _ in changed.tags} <= {"ins", "del", "span"}


@each_row("payload", PAYLOADS)
def test_a_payload_becomes_no_more_than_text(payload: str) -> None:
    _becomes_no_more(payload)


@given(TEXTS)
def test_no_text_becomes_more_than_text(text: str) -> None:
    """Whatever somebody writes: no tag but those of markdown, no address but http(s), nothing unseen."""
    _becomes_no_more(text)


@each_row("text, written", [
    ("x &#x202E; y", "<p>x ⟨U+202E⟩ y</p>\n"),
    ("a\u202eb\u200bc\x00", "<p>a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩</p>\n"),
    ("**שלום**\u200f! نعم؟\u200f", "<p><strong>שלום</strong>\u200f! نعم؟\u200f</p>\n"),
    ("5 \u200f- 3 **a**\u200e", "<p>5 ⟨U+200F⟩- 3 <strong>a</strong>⟨U+200E⟩</p>\n"),
    ("שלום&rlm; 5 &#x200f;- 3", "<p>שלום⟨U+200F⟩ 5 ⟨U+200F⟩- 3</p>\n"),
    ("\u202eשלום\u202c", "<p>⟨U+202E⟩שלום⟨U+202C⟩</p>\n"),
    ("👩\u200d💻", "<p>👩\u200d💻</p>\n"),
    ('[a](https://b.de "t&rlm;")', '<p><a href="https://b.de" title="t⟨U+200F⟩" rel="noreferrer noopener nofollow ugc">a</a></p>\n'),
    ("```x&#x200b;\nz\n```", '<pre><code class="language-x⟨U+200B⟩">z\n</code></pre>\n'),
    ("# A\n\n###### B", '<h3 class="h1">A</h3>\n<h3 class="h6">B</h3>\n'),
    ("see [[known]], [[known|the rule]], [[nobody]], `[[known]]`, \\[[known]] [[Known]]",
     '<p>see <a class="id" href="/fact/known">known</a>, <a class="id" href="/fact/known">the rule</a>, '
     "[[nobody]], <code>[[known]]</code>, [[known]] [[Known]]</p>\n"),
    ("|a|b|\n|--:|---|\n|1|2|",
     '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>\n<thead>\n<tr>\n<th class="right">a</th>\n'
     '<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td class="right">1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n</div>\n'),
])  # fmt: skip
def test_how_a_text_is_written(text: str, written: str) -> None:
    """What nobody sees by its number, honest Hebrew and Arabic as they are; links to facts that are there."""
    assert block(text, lambda fact: "/fact/known" if fact == "known" else "") == written


def test_no_secret_of_an_old_log_is_written() -> None:
    """In a text, in markdown, in a title, and in what changed."""
    for planted in tokens(7)[:12]:
        for written in (
            block(planted.text),
            plain(planted.text),
            word_differences("a", planted.text),
        ):
            assert planted.value not in unescape(written), planted


WORDS = st.lists(st.sampled_from(["a", "b", "is", " ", "\n", ".", "<i>", "é"])).map("".join)


@given(WORDS, WORDS)
@example("It waits ten long seconds.", "It waits two short seconds.")
def test_differences_tell_both_texts(before: str, after: str) -> None:
    """What stayed and went is the one, what stayed and came the other; nothing is said in two pieces."""
    found = differences(before, after)
    assert "".join([text for kind, text in found if kind != NEW]) == before
    assert "".join([text for kind, text in found if kind != GONE]) == after
    assert all(text for _, text in found) and all(
        one[0] != other[0] for one, other in pairwise(found)
    )


def test_differences_are_of_the_words_that_people_read() -> None:
    """Not of markup, nor of where lines were wrapped; of what stayed the middle is left out, between words."""
    many = " ".join([f"word{number}" for number in range(99)])
    for before, after, written in (
        ("It waits ten long seconds.", "It waits two short seconds.",
         "It waits<del> ten long</del><ins> two short</ins> seconds."),
        ("**Retries** are for\nwebhooks, see [the *queue*](https://a.example).\n\n- ten\n- two",
         "Retries are for webhooks,\nsee the `queue`.\n\n- ten\n- three",
         "Retries are for webhooks, see the queue.\nten\n<del>two</del><ins>three</ins>"),
        ("**a**\nb", "a *b*", '<span class="gap">The same words; they are set otherwise.</span>'),
    ):  # fmt: skip
        assert word_differences(before, after) == written
    gap = word_differences(f"{many} old {many}", f"{many} new {many}").split("<del>")[0]
    assert re.fullmatch(r'<span class="gap"> … </span>(word\d+ )*word\d+', gap)
    words = [f"w{number % 9000}" for number in range(18_000)]
    long, other = " ".join(words), " ".join(reversed(words))
    assert "".join([text for kind, text in differences(long, other) if kind != NEW]) == long


# ---- pages ----------------------------------------------------------------------------------------


def faults_of(html: str) -> list[str]:
    """Return what of a page no template of ours wrote, or nobody sees."""
    found = Read(html)
    wrong = [*found.comments, *({*found.ends} - _TAGS - _OURS), *hidden_in(html)]
    scripts = [
        attributes.get("src", "").partition("?")[0]
        for tag, attributes in found.tags
        if tag == "script"
    ]
    wrong += [one for one in scripts if one not in ("/static/diurna.js", "/static/live.js")]
    for tag, attributes in found.tags:
        wrong += [tag] if tag not in _TAGS and tag not in _OURS else []
        for name, value in attributes.items():
            if name.startswith(("on", "style", "srcdoc", "hx-", "http-equiv")):
                wrong.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action", "xlink:href", "formaction"):
                away = (
                    tag == "a"
                    and re.match(r"https?://", value)
                    and "noopener" in attributes.get("rel", "")
                )
                if not (away or re.match(r"/(?!/)|#|$", value) or value == "data:,"):
                    wrong.append(f"{tag} {name}={value}")
    return wrong


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A browser of a home in which every text and name is a payload; it may write, so that forms stand there."""
    folder = homes.laid("hostile", tmp_path_factory.mktemp("hostile") / "one")
    return client_of(folder, writes=True).login()


def ask_all(client: Client, most: int) -> int:
    """Look at so many pages that lead on from the first one, each sort in turn; return how many there were."""
    queue, asked = (
        ["/", "/facts?list=all", "/review", "/tasks", "/timeline", "/decisions"],
        set[str](),
    )
    while queue and len(asked) < most:
        address = queue.pop(0)
        asked.add(address)
        answer = client.get(address)
        assert answer.status in (200, 404), address
        assert faults_of(answer.text) == [], address
        found = [
            unescape(one).partition("#")[0] for one in re.findall(r'href="(/[^"]*)"', answer.text)
        ]
        fresh = [one for one in dict.fromkeys(found) if one not in asked and one not in queue]
        queue += [one for one in fresh if "/static/" not in one and one.count("=") < 3]
    return len(asked)


def test_pages_of_a_hostile_home_are_inert(hostile: Client) -> None:
    """Of each sort some; what was searched for stands in the field, in the title and in the links of the page."""
    for payload in (PAYLOADS[0], "hostile pwned x"):
        said = "".join(f"%{byte:02x}" for byte in payload.encode())
        answer = hostile.get(f"/search?q={said}")
        assert answer.status == 200 and faults_of(answer.text) == [], payload
    assert ask_all(hostile, 10) == 10


@pytest.mark.deep(reason="pages_of_a_hostile_home_are_inert is the small one")
def test_every_page_of_a_hostile_home_is_inert(hostile: Client) -> None:
    """All that its pages lead to, and searches for each payload; and `faults_of` sees what is none."""
    assert ask_all(hostile, 900) > 150
    for payload in PAYLOADS:
        said = "".join(f"%{byte:02x}" for byte in payload[:300].encode("utf-8", "replace"))
        for address in (
            f"/search?q={said}",
            f"/?q={said}",
            f"/facts?list=all&entity={said}",
            f"/timeline?until={said}",
        ):
            answer = hostile.get(address)
            assert answer.status in (200, 404) and faults_of(answer.text) == [], address
    for raw in homes.FIRING:
        assert faults_of(f"<p>{raw}</p>"), raw
