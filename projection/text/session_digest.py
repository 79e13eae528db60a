"""Digest a session log by rules alone: what it was about, what was decided, what is left to do.

A pure function of the log's text: the same text gives the same digest everywhere. Nothing is made up:
what a digest says stands in the log, on the line that it names, but for white space, the marks of bold
type and what was cut off behind `…`, which leaves the word that turns a sentence round. Secrets are out
before anything is read. Linear in the text.
"""

from __future__ import annotations

from ledger.codec.outline import tells
from ledger.codec.outline_by_lines import code_ranges
from ledger.model.record import Record
from ledger.secrets.scanner import Lines, find_secrets, stand_in
from projection.text.clipping import clipped
from projection.text.mentions import Mention, mentions
from projection.text.passage_cues import ACTIONS, CHECKS, SUMMARY
from projection.text.salience import (
    LINE_CHARS,
    Quote,
    Weighed,
    actions,
    best,
    decisions,
    said,
    weigh,
)
from projection.text.sentence_cutter import Reading, read_sentences, says_little
from projection.text.session_lines import parts_in_short, report_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SUMMARY_CHARS = 500
POINTS, TODOS, CHOICES, ENTITIES = 20, 10, 10, 15
#: A summary goes on with the next sentence while it is shorter.
_SHORT_SUMMARY_CHARS = 80
#: The points of a digest take at most this part of the log, or so many characters.
_PART, _FEW_CHARS = 6, 300
#: What weighs less fills no gap.
_LIGHT = 20


class Lead(Record):
    """How a digest begins: the title, the summary and its line."""

    title: str
    summary: str
    line: int


class Digest(Record):
    """What a session log comes to."""

    title: str  #: of the log, "" where it says nothing ("Session (2026-07-15)")
    summary: str  #: one line, at most 500 characters; "" for a log that says nothing
    line: int  #: of the summary
    points: tuple[Quote, ...]  #: what else it says, at most 20, in the order of the log
    actions: tuple[Quote, ...]  #: what is still to be done, at most 10
    decisions: tuple[Quote, ...]  #: what was decided, at most 10
    entities: tuple[Mention, ...]  #: what it names, at most 15, the most telling first
    log_chars: int  #: the length of the log
    stem: str = ""  #: of the log, "" for another text

    @property
    def headline(self) -> str:
        """The title where it says something, else the summary."""
        return self.title or self.summary

    @property
    def chars(self) -> int:
        """The length of all that the digest quotes and names."""
        quotes = (*self.points, *self.actions, *self.decisions)
        said = len(self.summary) + sum([len(quote.text) for quote in quotes])
        return said + sum([len(one.name) for one in self.entities])

    @property
    def ratio(self) -> float:
        """Characters of the digest / of the log, 0 for an empty log."""
        return round(self.chars / self.log_chars, 3) if self.log_chars else 0.0


def gist(text: str) -> Digest:
    """Return the digest of a whole session log, or of any other text."""
    reading = reading_of(text)
    first, used = _lead(reading, _report_line(text))
    told = parts_in_short("\n".join(_readable(text)))
    if told:  # it says itself what is in it, and no rule finds what was decided
        points = tuple([Quote(line, said(part)) for line, part in told[:POINTS]])
        return Digest(*first, points, (), (), mentions(reading, ENTITIES), len(text))
    weighed = weigh(reading)
    decided = decisions(reading, weighed, CHOICES)
    open_ = actions(reading, weighed, TODOS)
    used |= {quote.text for quote in (*decided, *open_)}
    points = _points(reading, weighed, used, len(text))
    return Digest(*first, points, open_, decided, mentions(reading, ENTITIES), len(text))


def lead(text: str) -> Lead:
    """Return how the digest of a text begins, in a third of the time."""
    return _lead(reading_of(text), _report_line(text))[0]


def _report_line(text: str) -> int:
    """Return the line before the last report of a captured log, 0 where it tells none."""
    start = report_start(text)
    return text.count("\n", 0, start) + 1 if start >= 0 else 0


def reading_of(text: str) -> Reading:
    """Read a session log, or any other text, without secrets and conflict markers."""
    return read_sentences(_readable(text))


def _readable(text: str) -> list[str]:
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_conflict(_without_secrets(text).split("\n"))


def _without_secrets(text: str) -> str:
    """Put secrets out of a text; every line keeps its number."""
    places = Lines(text).held(find_secrets(text))
    if not places:
        return text
    parts: list[str] = []
    at = 0
    for place in places:
        breaks = "\n" * text.count("\n", place.start, place.end)
        parts += (text[at : place.start], stand_in(place.rule), breaks)
        at = place.end
    return "".join(parts) + text[at:]


def _without_conflict(lines: list[str]) -> list[str]:
    """Leave of a log with conflict markers its title, as reading it does (FORMAT.md, C7)."""
    awaited, first = "<<<<<<< ", 0
    code = code_ranges(lines)
    for index, line in enumerate(lines):
        if code and index >= code[0][0]:
            if index == code[0][1] - 1:
                del code[0]
        elif line[:8] == awaited and (awaited[0] != "=" or line == "======="):
            if awaited[0] == ">":
                above = lines[:first]
                heads = (n for n, head in enumerate(above, 1) if head[:2] == "# ")
                return above[: next(heads, 0)]
            first = first or index
            awaited = "=======" if awaited[0] == "<" else ">>>>>>> "
    return lines


def _lead(reading: Reading, report: int) -> tuple[Lead, set[str]]:
    """Return what the log leads with, and what need not be said again.

    It is the first sentence that says something: behind the line `report` where that is one, else in a
    section that sums up, else anywhere, with what follows it in its paragraph while that is short; else
    the title, else the first fact.
    """
    sentences = reading.sentences
    title = clipped(reading.title, LINE_CHARS) if tells(reading.title) else ""
    told = [number for number, one in enumerate(sentences) if report and one.line > report]
    told += [number for number, one in enumerate(sentences) if one.about == SUMMARY]
    for start in (*told, *range(len(sentences))):
        first = sentences[start]
        if first.mark or first.about in (CHECKS, ACTIONS) or says_little(first.text):
            continue
        text, used = first.text, {said(first.text)}
        for number in range(start + 1, len(sentences)):
            more = sentences[number]
            room = len(text) < _SHORT_SUMMARY_CHARS and len(text) + len(more.text) < SUMMARY_CHARS
            if more.part != first.part or not room:
                break
            text = f"{text} {more.text}"
            used.add(said(more.text))
        return Lead(title, clipped(text, SUMMARY_CHARS), first.line), used
    if title:
        return Lead(title, title, reading.title_line), set()
    texts = [(one.line, one.text) for one in reading.facts]
    for line, text in (*texts, *[(one.line, one.text) for one in sentences]):
        if text:
            return Lead("", said(text), line), {said(text)}
    return Lead("", "", 0), set()


def _points(
    reading: Reading, weighed: Sequence[Weighed], used: set[str], log_chars: int
) -> tuple[Quote, ...]:
    """Return what else the log says: its facts, then what weighs most, within a part of its length."""
    room = max(log_chars // _PART, _FEW_CHARS)
    ranked = [
        (-200, -1, Quote(block.line, said(block.text))) for block in reading.facts if block.text
    ]
    ranked += [
        (-one.weight, place, Quote(one.sentence.line, said(one.sentence.text)))
        for place, one in enumerate(weighed)
        if one.weight > _LIGHT and one.sentence.about != ACTIONS
    ]
    fitting: list[tuple[int, int, Quote]] = []
    known = set(used)
    for row in sorted(ranked):
        text = row[2].text
        if len(text) > room and len(fitting) > 2:
            break
        if text not in known and len(text) <= room:
            known.add(text)
            room -= len(text)
            fitting.append(row)
    return best([], fitting, POINTS)
