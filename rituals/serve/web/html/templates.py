"""Fill templates: the one place that makes markup, and where everything is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path as FilePath
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ledger.escape import numbered, visible
from ledger.git.repository import cut_commits
from ledger.model.ids import sha256
from ledger.model.record import Record
from ledger.remote.forge import Forge
from projection.document.archive_pages import summary_of
from projection.text.clipping import clipped
from rituals.serve.web.actions.form_fields import OWN_WORDS, FormPlan
from rituals.serve.web.actions.form_table import command
from rituals.serve.web.html import html_markdown
from rituals.serve.web.html.html_markdown import (
    plain,
    seen,
    shown,
    shown_whole,
    word_differences,
    word_marks,
)
from rituals.serve.web.pages.health_page import TIER_WORDS, meaning, ticks, tier_areas
from rituals.serve.web.tip_view import Page, TipView


def address_of(path: str, *parts: str, **query: object) -> str:
    """Return the address of a page.

    Args:
        path: from the root on.
        parts: of the path behind it, each encoded whole: what stands in a name parts nothing.
        query: by name; what is empty is left out.
    """
    whole = "/".join([path, *[quote(part, "", errors="replace") for part in parts]])
    said = {name: value for name, value in query.items() if value not in ("", None)}
    return f"{whole}?{urlencode(said, errors='replace')}" if said else whole


HERE = FilePath(__file__).parent
_BRIEF_CHARS, _COMMIT_DIGITS = 280, 7
_LINKED = Markup('<a class="id" href="{to}">{id}</a>')
_NAMED = Markup('<span class="id">{id}</span>')
_TIER = Markup('<span class="tier t-{}"{}>{}</span>')


class Frame(Record):
    """What stands around every page."""

    project: str  #: its name
    menu: tuple[tuple[str, str, str], ...] = ()  #: (address, name, key) of the navigation
    tip: TipView | None = None  #: None where pages are of many ledgers
    token: str = ""  #: that a form has to carry, "" where nothing can be written
    served: bool = True  #: by a server, which can be asked again; else by files
    again: str = ""  #: the command that starts such a server
    here: str = "/"  #: the address of the page, to which a form comes back
    notice: FormPlan | None = None  #: what the last form of this server recorded

    @property
    def work(self) -> list[tuple[str, str, str]]:
        """What stands below Work: whatever no key leads to."""
        return [one for one in self.menu if not one[2]]

    @property
    def cut(self) -> bool:
        """Whether the history is cut: nobody knows here who wrote what is older."""
        return self.tip is not None and bool(cut_commits(self.tip.memory.home.repository))

    def forge(self) -> Forge:
        """Return where others are shown commits and files; a site's links are those of all clones."""
        found = self.tip.forge if self.tip else Forge()
        return found if self.served else found._replace(unpushed=frozenset())


class Renderer:
    """Writes pages.

    Whatever a template writes by `{{ }}` is `plain` and escaped. `block` and `line` write markdown, `url`
    writes an address of ours (see `address_of`), `tier` the dot and the word of a tier, `seen` a text
    where markup is put together, `exact` what somebody typed a moment ago: escaped, and else as it was.
    """

    def __init__(self) -> None:
        files = {path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir())}
        #: what pages load, by name: style and script with the hash that stands in their address
        self.files = {name: (data, sha256(data).hexdigest()[:16]) for name, data in files.items()}
        self._frame = Frame("")
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True, finalize=shown, auto_reload=False,
        )  # fmt: skip
        ours = (
            self.url, self.static, self.block, self.line, self.sentence, self.fact_link,
            self.fact_links, self.fact_address, self.commit_link, self.file_link, seen, shown_whole,
            tier, meaning, brief, drawn, word_differences, word_marks, summary_of,
        )  # fmt: skip
        self._environment.globals.update(
            {one.__name__: one for one in ours}, exact=escape, tier_words=TIER_WORDS,
            ticks=ticks, tier_areas=tier_areas, twin=command, OWN_WORDS=OWN_WORDS,
            forge_file=lambda *place: self._frame.forge().file(*place),
        )  # fmt: skip

    def render(self, page: Page, frame: Frame | None = None) -> str:
        """Write a page whole; without a frame it shows nothing of a memory."""
        if frame is not None:  # a page without one is written beside another thread's
            self._frame = frame
        template = self._environment.get_template(f"{page.template}.html")
        return template.render(page.values, frame=frame, page=page)

    def static(self, name: str) -> str:
        """Write the address of a file that pages load, which names what it holds."""
        return f"/static/{name}?{self.files[name][1]}"

    def url(self, path: str, *parts: str, **query: object) -> Markup:
        """Write an address of ours."""
        return escape(address_of(path, *parts, **query))

    def fact_link(self, fact: str) -> Markup:
        """Write an id, as a link where it has a page."""
        to = self.fact_address(fact)
        return (_LINKED if to else _NAMED).format(id=seen(fact), to=to)

    def fact_links(self, facts: Iterable[str]) -> Markup:
        """Write ids beside each other."""
        return Markup(" ").join(map(self.fact_link, facts))

    def sentence(self, said: str) -> str:
        """Begin a sentence with a capital letter, unless that is part of a command or of an id."""
        word = said.partition(" ")[0].rstrip(",:;")
        plain = word.isalpha() and word != "diurna" and not self.fact_address(word)
        return said[:1].upper() + said[1:] if plain else said

    def commit_link(self, commit: str) -> Markup:
        """Write a commit by its first digits, as a link to the forge where that shows it."""
        to = self._frame.forge().commit(commit)
        return _away(to, commit[:_COMMIT_DIGITS], "Commit %s on the forge")

    def file_link(self, path: str, commit: str, said: str, line: int = 0) -> Markup:
        """Write a file, or a line of it, as a link to the forge; nothing where none shows it."""
        to = self._frame.forge().file(path, commit, line)
        return _away(to, said, "%s on the forge") if to else Markup("")

    def block(self, text: str) -> Markup:
        """Write a text of several paragraphs."""
        return html_markdown.block(text, self.fact_address)

    def line(self, text: str) -> Markup:
        """Write a text as one paragraph."""
        return html_markdown.line(text, self.fact_address)

    def fact_address(self, fact: str) -> str:
        """Return the address of the page of a fact, "" where it has none."""
        tip = self._frame.tip
        return address_of("/fact", fact) if tip is not None and fact in tip.facts else ""


def _away(to: str, said: str, title: str) -> Markup:
    """Write what leads to the forge, in digits or a name; without an address it leads nowhere."""
    named = Markup("<code>{}</code>").format(plain(said))
    where = Markup('<a href="{}" rel="noreferrer noopener nofollow" title="{}">{}</a>')
    return where.format(plain(to), title % plain(said), named) if to else named


def tier(name: str) -> Markup:
    """Write a tier: a dot in its colour, and its word, which says what it means."""
    word = TIER_WORDS.get(name, name)
    title = Markup(' title="{}"').format(meaning(word)) if meaning(word) else ""
    return _TIER.format(name, title, word)


def brief(text: str, chars: int = _BRIEF_CHARS) -> str:
    """Return what of a text is enough for three lines of a list."""
    cut = clipped((text.partition("\n\n")[0] or text).replace("\n- ", " • "), chars)
    cut = re.sub(r"\[([^][]*)\]\([^()\s]*…$", r"\1…", cut)
    for frame in ("**", "`"):  # what begins in front of the cut ends there
        if cut.count(frame) % 2 and not text.count(frame) % 2:
            cut += frame
    return cut


def drawn(picture: str) -> Markup:
    """Let a template write a picture as it is: pictures escape the names that they show."""
    return Markup(visible(picture, numbered))  # noqa: S704
