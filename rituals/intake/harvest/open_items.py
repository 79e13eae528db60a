"""Find what a document lists as open: unchecked boxes, and items below a heading that says "planned"."""

from __future__ import annotations

import re

from ledger.model.record import Record
from rituals.intake.harvest.document_choice import ROADMAP
from rituals.intake.harvest.document_statements import (
    LIMIT_CHARS,
    bare_title,
    sentences,
    standing_alone,
    subject,
)
from rituals.intake.harvest.harvested_document import ITEM, PARAGRAPH, Document, Passage

_PLANNED = re.compile(
    r"\b(?:roadmap|planned|plans?|next(?! to)|upcoming|future|in progress|backlog|to[- ]?dos?|not yet|"
    r"later|wish ?list|"
    r"short[- ]term|mid(?:dle)?[- ]term|long[- ]term|near[- ]term|remaining|pending|ideas|under "
    r"consideration|"
    r"open (?:issues|tasks|items)|coming|soon|unreleased|milestones?|goals)\b",
    re.IGNORECASE,
)
#: The same, where the document is no roadmap.
_SURELY_PLANNED = re.compile(
    r"^(?:project |our |the )?(?:road ?map|to[- ]?dos?|backlog|planned|plans for|upcoming|not (?:yet "
    r")?(?:done|implemented)|"
    r"future (?:work|enhancements?|improvements?|plans|directions?|features?|development)|next steps|"
    r"still open|"
    r"open (?:issues|tasks|items|work)|remaining (?:work|tasks|items)|follow-?ups?)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|completed?|shipped|released|finished|implemented|delivered|closed|past|achieved|"
    r"history|resolved|"
    r"non-?goals?|out of scope|rejected|won'?t|not planned|how to|contribut\w*|legend|process|template|"
    r"examples?|"
    r"checklists?|criteria|metrics|verification|acceptance|definition|tests?|testing|deliverables|"
    r"principles?|vision|themes?|about|overview|introduction|links?|resources?)\b|✅|✔|☑",
    re.IGNORECASE,
)
_TICKED = re.compile(
    r"✅|✔|☑|✓|~~|\((?:done|completed?|shipped|released|implemented|merged)\b|\b(?:done|completed|"
    r"shipped)[.!)]*$|^\W*done\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"^v?\d+\.\d+")
_CHECK_OF_FORM = re.compile(
    r"\b(?:I have|I've|my|please|this PR|this pull request|your)\b", re.IGNORECASE
)
_FEWEST = 3


class OpenItem(Record):
    """Something that is open: its line, as it stands there, and as a fact."""

    line: int
    said: str
    text: str


def open_items_of(document: Document, kind: str) -> list[OpenItem]:
    """Return what a document of a kind (`documents.kind_of`) lists as open."""
    roadmap = kind == ROADMAP
    found: list[OpenItem] = []
    group: Passage | None = None
    for passage in document.passages:
        titles = document.headings(passage.section)
        if passage.kind == PARAGRAPH:
            group = None
        if passage.kind != ITEM or any(_DONE.search(one) for one in titles[:-1] or titles):
            continue
        box = passage.mark == " "
        inner = (
            group is not None and passage.section == group.section and passage.indent > group.indent
        )
        if inner and group is not None and not (box and not group.mark):
            continue  # what it is made of
        group = passage
        planned = (
            any(_PLANNED.search(one) for one in titles[:-1])
            if roadmap
            else any(_SURELY_PLANNED.search(bare_title(one)) for one in titles[:2])
        )
        if not (box and (roadmap or planned)) and (passage.mark or not planned or not roadmap):
            continue
        item = _item(document, passage, titles)
        if item is not None:
            found.append(item)
    return found


def _item(document: Document, passage: Passage, titles: tuple[str, ...]) -> OpenItem | None:
    read = sentences(document, passage)
    whole = " ".join([one.text for one in read])
    if not read or _TICKED.search(whole) or _CHECK_OF_FORM.search(whole) or "{" in whole:
        return None
    text = read[0].text
    if len(text.split()) < _FEWEST and len(read) > 1:
        text = f"{text.rstrip('.')}: {read[1].text}"
    text = text.rstrip(":")
    if not _FEWEST <= len(text.split()) or len(text) > LIMIT_CHARS or text.endswith("?"):
        return None
    about = subject(titles[:-1])
    if about and _VERSION.match(bare_title(titles[0])) and not words_in(text, about):
        text = f"{about}: {text}"
    elif len(text.split()) < 2 * _FEWEST:
        text = standing_alone(text, tuple([t for t in titles if not _PLANNED.search(t)]), True)
    return OpenItem(read[0].line, read[0].text, text)


def words_in(text: str, about: str) -> bool:
    """Tell whether a text has a heading within it."""
    return about.lower() in text.lower()
