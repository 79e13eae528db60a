"""Find what a document lists as open: unchecked boxes, and items below a heading that says "planned"."""

from __future__ import annotations

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
from rituals.intake.intake_cues import cue

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
        if passage.kind != ITEM or any(cue.DONE_BELOW.search(one) for one in titles[:-1] or titles):
            continue
        box = passage.mark == " "
        inner = (
            group is not None and passage.section == group.section and passage.indent > group.indent
        )
        if inner and group is not None and not (box and not group.mark):
            continue  # what it is made of
        group = passage
        planned = (
            any(cue.PLANNED.search(one) for one in titles[:-1])
            if roadmap
            else any(cue.SURELY_PLANNED.search(bare_title(one)) for one in titles[:2])
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
    if not read or cue.TICKED.search(whole) or cue.CHECK_OF_FORM.search(whole) or "{" in whole:
        return None
    text = read[0].text
    if len(text.split()) < _FEWEST and len(read) > 1:
        text = f"{text.rstrip('.')}: {read[1].text}"
    text = text.rstrip(":")
    if not _FEWEST <= len(text.split()) or len(text) > LIMIT_CHARS or text.endswith("?"):
        return None
    about = subject(titles[:-1])
    if about and cue.VERSION.match(bare_title(titles[0])) and not words_in(text, about):
        text = f"{about}: {text}"
    elif len(text.split()) < 2 * _FEWEST:
        text = standing_alone(text, tuple([t for t in titles if not cue.PLANNED.search(t)]), True)
    return OpenItem(read[0].line, read[0].text, text)


def words_in(text: str, about: str) -> bool:
    """Tell whether a text has a heading within it."""
    return about.lower() in text.lower()
