"""Read a log's prose, and say in a line what a session came to: its title, and how its last report begins.

Pure and light, as a brief asks it of five logs: nothing is looked through for secrets.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record
from projection.text.clipping import sentence_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Sections that say nothing of what a session came to.
_APART = ("## Memory References", "## Facts", "## Observed")
#: The sections of a captured log (FORMAT.md, W19), and those whose items are lines of their own.
_ITEMS = ("## Answered", "## Observed")
_TOLD = (*_ITEMS, "## Commits", "## Texts", "## Turns")
_ITEM_MARKS, _BARE = ("- ", "* "), ("-", "*")
#: What begins no prose: headings, what a person asked, code, tables, comments.
_NO_PROSE = ("#", ">", "```", "~~~", "|", "<!--", "---")
#: What has fewer characters says little: a sentence is told with the next one.
SHORT = 40


class Piece(Record):
    """A paragraph or an item of a log, on one line."""

    line: int  #: of the log that it begins on, from 1
    text: str  #: without the mark of its item
    mark: str = ""  #: of the checkbox of an item: " " open, "x" closed, "" for none


def report_start(text: str) -> int:
    """Return where the last report of a captured log begins (FORMAT.md, W19), -1 where it tells none."""
    turns = text.find("\n## Turns\n")
    end = text.find("\n## ", turns + 1) if turns >= 0 else -1
    last = text.rfind("\n### Turn ", turns, end if end >= 0 else len(text)) if turns >= 0 else -1
    return text.find("\n", last + 1) if last >= 0 else -1


def in_short(text: str) -> tuple[str, str]:
    """Return a log's title and the first sentence of its last report, else of its prose; "" for none."""
    return title_of_log(text), first_sentence(prose(text, report_start(text)))[0]


def title_of_log(text: str) -> str:
    """Return a log's title, "" where it has none."""
    body = text[_behind_header(text) :].split("\n", 9)
    return next((line[2:] for line in body if line[:2] == "# "), "").strip()


def first_sentence(pieces: Iterable[Piece]) -> tuple[str, int]:
    """Return how prose begins, a short sentence with the next one, and its line; ("", 0) for none."""
    said, line = "", 0
    for piece in pieces:
        told, line = said, line or piece.line
        for at in [*sentence_starts(piece.text, 0, len(piece.text)), len(piece.text)]:
            told = f"{said} {piece.text[:at].strip()}".strip()
            if len(told) >= SHORT:
                return told.replace("**", ""), line
        said = told
    return said.replace("**", ""), line


def parts_in_short(text: str) -> list[tuple[int, str]]:
    """Return a line for each part of a captured log, with the number of its own; [] for another log.

    An answer and an observation stand as they are, what has a heading by that and its first sentence.
    """
    found: list[tuple[int, str]] = []
    section, lines = "", text.split("\n")
    for number, line in enumerate(lines, 1):
        if line[:3] == "## ":
            section = line if line in _TOLD else ""
        elif section in _ITEMS and line[:2] == "- ":
            found.append((number, f"{section[3:]}: {line[2:]}"))
        elif section and line[:4] == "### ":
            behind = next(
                (n for n in range(number, len(lines)) if lines[n][:2] == "##"), len(lines)
            )
            said = first_sentence(prose("\n".join(lines[number:behind])))[0]
            found.append((number, f"{line[4:]}: {said}" if said else line[4:]))
    return found


def prose(text: str, start: int = -1) -> Iterator[Piece]:
    """Yield the paragraphs and items of a log that say something, up to a section that does not.

    `start` is where to begin; -1 for behind the header.
    """
    start = _behind_header(text) if start < 0 else start
    line, fenced = text.count("\n", 0, start) + 1, False
    for block in text[start:].split("\n\n"):
        parts: list[list[str]] = [[]]
        lines = [line]
        for number, raw in enumerate(block.split("\n"), line):
            bare = raw.strip()
            if bare.startswith(("```", "~~~")):
                fenced = not fenced
            elif raw in _APART:
                return
            elif fenced or not bare:
                continue
            elif bare in _BARE or bare.startswith((*_NO_PROSE, *_ITEM_MARKS)):
                parts.append([bare] * bare.startswith(_ITEM_MARKS))
                lines.append(number)
            else:
                lines[-1] = lines[-1] if parts[-1] else number
                parts[-1].append(bare)
        line += block.count("\n") + 2
        for begins, part in zip(lines, parts, strict=True):
            yield from _saying(" ".join(" ".join(part).split()), begins)


def _behind_header(text: str) -> int:
    return text.find("\n---", 3) + 4 if text[:3] == "---" else 0


def _saying(said: str, line: int) -> Iterator[Piece]:
    """Yield what of a paragraph says something: no bold heading, no last sentence that announces."""
    is_item = said[:2] in _ITEM_MARKS
    said = said[2 * is_item :].lstrip()
    mark = said[1].lower() if is_item and said[:1] + said[2:4] == "[] " else ""
    if mark in (" ", "x"):
        said = said[4:].lstrip()
    bold = said[:2] == "**" == said[-2:] and said.count("**") == 2
    if said.rstrip("*").endswith((":", "\uff1a")):
        said = said[: max([0, *sentence_starts(said, 0, len(said))])].strip()
    if said and not bold:
        yield Piece(line, said, mark)
