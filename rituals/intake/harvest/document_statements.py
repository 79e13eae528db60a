"""Read the sentences of a document, and make one stand by itself."""

from __future__ import annotations

import re

from ledger.model.record import Record
from projection.text.sentence_cutter import cut_sentences
from rituals.intake.harvest.harvested_document import Document, Passage
from rituals.intake.intake_cues import cue, cue_words

#: Longer ones are cut off nowhere: they are left out.
LIMIT_CHARS = 480
#: The same, with its markup: links have addresses.
_RAW_CHARS = 2_000
_WORD = re.compile(r"[^\W\d_]{3,}")


class Sentence(Record):
    """A sentence of a document, as it reads, and the line that it begins on."""

    line: int
    text: str


def sentences(document: Document, passage: Passage) -> list[Sentence]:
    """Return the sentences of a passage."""
    found = [
        Sentence(line, document.plain(text))
        for line, text in cut_sentences(list(passage.rows))
        if len(text) <= _RAW_CHARS
    ]
    return [one for one in found if one.text]


def words(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, by their first six letters."""
    common = cue_words("COMMON")
    return frozenset([word[:6] for word in _WORD.findall(text.lower()) if word not in common])


def without_lead(text: str) -> str:
    """Return a sentence without the words that only tie it to the one before."""
    while True:
        lead = cue.LEADING.match(text)
        if not lead or lead.end() >= len(text):
            return text
        text = text[lead.end() :]
        text = text[:1].upper() + text[1:]


def points(text: str) -> bool:
    """Tell whether a sentence begins by pointing at what stands before it."""
    return bool(cue.POINTING.match(text))


def leans(text: str) -> bool:
    """Tell whether a sentence says little without what stands around it."""
    return bool(cue.LEANS.search(text))


def bare_title(title: str) -> str:
    """Return a heading without its number, mark or colon."""
    title = " ".join(title.split())
    while True:
        shorter = cue.TITLE_MARK.sub("", title, count=1)
        if shorter == title or not shorter:
            return title.strip(" :.#*")
        title = shorter


def subject(titles: tuple[str, ...]) -> str:
    """Return the nearest heading that names a subject, "" for none."""
    for title in titles:
        bare = bare_title(title)
        if bare and len(bare) <= 80 and not cue.EMPTY_TITLE.match(bare) and "?" not in bare:
            return bare
    return ""


def standing_alone(text: str, titles: tuple[str, ...], needs: bool) -> str:
    """Put the heading that names its subject before a sentence which does not name one.

    Args:
        text: of the sentence.
        titles: the headings above it, the nearest first.
        needs: it surely names none; otherwise a heading whose words it has is enough.
    """
    about = subject(titles)
    if not about or (not needs and words(about) & words(text)) or words(about) <= words(text):
        return text
    return f"{about}: {text}"
