"""Digest a session log by its form: how it begins, what else it says, what it decided and left open.

A pure function of the log's text: the same text gives the same digest everywhere. Nothing is made up and
no sentence is judged: what a digest says stands in the log, on the line that it names, but for white
space, the marks of bold type and what was cut off behind `…`, which leaves the word that turns a sentence
round. A decision is a fact of that kind, or stands behind that word and a colon; open is a thread, a task,
or an open box. Secrets are out before anything is read. Linear in the text.
"""

from __future__ import annotations

from itertools import islice, pairwise

from ledger.codec.fact_blocks import Block, read_facts
from ledger.codec.log import section_kind
from ledger.codec.outline import tells
from ledger.codec.outline_by_lines import code_ranges, title_of
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import FACTS_HEADING
from ledger.secrets.scanner import Lines, find_secrets, stand_in
from projection.policy.model import CLOSABLE
from projection.text.clipping import clipped
from projection.text.session_lines import (
    SHORT,
    Piece,
    first_sentence,
    parts_in_short,
    prose,
    report_start,
    title_of_log,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUMMARY_CHARS, LINE_CHARS = 500, 200
POINTS, TODOS, CHOICES = 20, 10, 10
#: How the line begins that says who wrote a log by hand (FORMAT.md, S15).
_AGENTS = ("**agent:**", "**agent**:")
#: So many paragraphs are looked at for one that says more than a few words.
_LOOKED = 5
#: The points of a digest take at most this part of the log, or so many characters.
_PART, _FEW_CHARS = 6, 300
_DECISION, _FENCES = "decision", ("```", "~~~")


class Quote(Record):
    """A line of a digest, and the line of the log on which it stands."""

    line: int
    text: str


class Digest(Record):
    """What a session log comes to."""

    title: str  #: of the log, "" where it says nothing ("Session (2026-07-15)")
    summary: str  #: one line, at most 500 characters; "" for a log that says nothing
    line: int  #: of the summary
    points: tuple[Quote, ...] = ()  #: what else it says, at most 20, in the order of the log
    actions: tuple[Quote, ...] = ()  #: what is still to be done, at most 10
    decisions: tuple[Quote, ...] = ()  #: what was decided, at most 10
    stem: str = ""  #: of the log, "" for another text


def gist(text: str) -> Digest:
    """Return the digest of a whole session log, or of any other text."""
    lines = _readable(text)
    facts, bare = _facts(lines), _without_code(lines)
    first, pieces = _lead(bare, facts), [*prose(bare)]
    if told := parts_in_short("\n".join(lines)):
        points = [Quote(line, quoted(part)) for line, part in told]
        return first._replace(points=(*points[:POINTS],))
    decided = _quotes(facts, pieces, lambda kind, mark: kind == _DECISION)
    left = _quotes(facts, pieces, lambda kind, mark: mark == " " or (not mark and kind in CLOSABLE))
    known = {first.summary, *[one.text for one in (*decided, *left)]}
    points = _points(pieces, facts, known, max(len(text) // _PART, _FEW_CHARS))
    return Digest(*first[:3], tuple(points), left[:TODOS], decided[:CHOICES])


def lead(text: str) -> Digest:
    """Return how the digest of a text begins."""
    lines = _readable(text)
    return _lead(_without_code(lines), _facts(lines))


def quoted(text: str) -> str:
    """Return a text as a line of a digest."""
    return clipped(_plain(text), LINE_CHARS)


def _lead(text: str, facts: Sequence[Block]) -> Digest:
    """Return the title, and how the last report, else the prose, begins; else the title or a fact.

    The beginning is that of a paragraph: what says little gives way to one of the next.
    """
    title, at = _title_of(text)
    title = clipped(title, LINE_CHARS) if tells(title) else ""
    said = [first_sentence([one]) for one in islice(prose(text, report_start(text)), _LOOKED)]
    said = [one for one in said if len(one[0]) >= SHORT] + said
    said += [(title, at)] * bool(title) + [(quoted(one.text), one.line) for one in facts]
    summary, line = next((one for one in said if _plain(one[0])), ("", 0))
    return Digest(title, clipped(_plain(summary), SUMMARY_CHARS), line)


def _title_of(text: str) -> tuple[str, int]:
    """Return the title of a log and its line, ("", 0) where it has none."""
    title = title_of_log(text)
    return _plain(title), text[: text.find(f"# {title}")].count("\n") + 1 if title else 0


def _quotes(
    facts: Sequence[Block], pieces: Sequence[Piece], takes: Callable[[str, str], bool]
) -> tuple[Quote, ...]:
    """Return the facts and pieces whose kind and checkbox are such, in the order of the log."""
    found = [
        Quote(one.line, quoted(one.text))
        for one in facts
        if takes(dict(one.meta).get("kind", ""), one.mark)
    ]
    found += [
        Quote(one.line, quoted(one.text)) for one in pieces if takes(_kind_of(one.text), one.mark)
    ]
    return tuple(sorted(set(found)))


def _kind_of(text: str) -> str:
    """Return the word before a colon that a text begins with, "" for none: `decision: …`."""
    word, colon, _ = text.lstrip("*").partition(":")
    return word.lower() if colon and word.isalpha() else ""


def _points(
    pieces: Sequence[Piece], facts: Sequence[Block], known: set[str], room: int
) -> list[Quote]:
    """Return what else a log says within some characters: its facts, then its paragraphs."""
    found: list[Quote] = []
    texts = [(one.line, one.text) for one in facts] + [(one.line, one.text) for one in pieces]
    for line, text in texts:
        point = Quote(line, quoted(text))
        if point.text and point.text not in known and len(point.text) <= room:
            known.add(point.text)
            room -= len(point.text)
            found.append(point)
    return sorted(found[:POINTS])


def _plain(text: str) -> str:
    """Return a text on one line, without the marks of bold type."""
    return " ".join(text.replace("**", "").split())


def _facts(lines: list[str]) -> list[Block]:
    """Return the facts that a log holds."""
    heads = [at for at, line in enumerate(lines) if line[:3] == "## "]
    return [
        fact
        for at, end in pairwise([*heads, len(lines)])
        if section_kind(title_of(lines[at]))[0] == FACTS_HEADING
        for fact in read_facts(lines[at + 1 : end], at + 2)[0]
    ]


def _without_code(lines: list[str]) -> str:
    """Return a log's text without its code and who wrote it; lines of a comment begin as one."""
    kept = ["" if line.lower().startswith(_AGENTS) else line for line in lines]
    for first, behind in code_ranges(kept):
        kept[first:behind] = [""] * (behind - first)
    kept = ["" if line.lstrip().startswith(_FENCES) else line for line in kept]  # never closed
    head, *parts = "\n".join(kept).split("<!--")
    pieces, opens = [head], not head.rpartition("\n")[2].strip()
    for part in parts:  # a comment within a line stands
        comment, closed, rest = part.partition("-->")
        breaks = comment.count("\n") if closed and opens else 0
        said = "\n".join(["<!--"] * (breaks + 1)) + (rest if breaks else part)
        opens = (opens or "\n" in said) and not said.rpartition("\n")[2].strip()
        pieces.append(said)
    return "".join(pieces)


def _readable(text: str) -> list[str]:
    """Return the lines of a text without secrets and conflict markers."""
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
