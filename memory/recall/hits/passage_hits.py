"""Make hits of passages, of session logs and of documents, from the lines that they stand in."""

from __future__ import annotations

from memory.recall.hits.snippets import (
    LINE_CHARS,
    heading_of,
    one_line,
    section_of,
    title_of,
    titled,
)
from memory.recall.recall_values import DOCUMENT_KIND, FULL, SESSION_KIND, TIMELINE, Hit, tokens_of
from projection.document.fact_remarks import PLAIN, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.recall.index.rows import LogRow


def passage_hit(
    log: LogRow,
    lines: list[str],
    place: int,
    level: str,
    words: Sequence[str],
    mark: Mark = PLAIN,
    chars: int = LINE_CHARS,
) -> Hit | None:
    """Return the hit of a passage, None where the lines are too few: they were lost since it was indexed.

    `log` may be a document; `words` are those that it was found by; `mark` is what of it does not hold
    any more; `chars` is what its line may take.
    """
    kind = SESSION_KIND if log.day else DOCUMENT_KIND
    number = log.pieces[place].line
    if number > len(lines):
        return None
    text = passage_text(log, lines, place)
    below = number + _headings_before(text)
    if kind != SESSION_KIND:
        number = below
    heading = heading_of(lines, number)
    title = title_of(lines)
    if log.day and log.day in title:  # other tools' titles are the time, which the hit says already
        title = ""
    line = titled(title, heading, text, words, chars)
    if mark.said:
        line = one_line(f"{mark.whole}: {line}", chars)
    id = f"{log.stem}:{number}"
    _, section = section_of(lines, below)
    about = "  ".join([one for one in (log.day, log.agent) if one])
    if level == FULL:
        shown = f"{mark.whole}:\n{section}" if mark.said else section
    elif level == TIMELINE:
        around = [
            ("> " if other == place else "  ") + one_line(passage_text(log, lines, other), 200)
            for other in range(max(0, place - 2), min(len(log.pieces), place + 3))
        ]
        shown = "\n".join(
            ["  ".join([one for one in (id, about, heading, mark.whole) if one]), *around]
        )
    elif kind == SESSION_KIND:
        shown = f"{id}  {kind}  {log.day}  {line}  ({log.agent or 'nobody named'})"
    else:
        shown = f"{id}  {kind}  {line}"
    stem = log.stem if kind == SESSION_KIND else ""
    return Hit(
        id, kind, "", log.day, stem, log.agent, 0.0, line, shown,
        tokens_of(shown), tokens_of(f"{mark.whole}{section}"), mark=mark,
    )  # fmt: skip


def _headings_before(text: str) -> int:
    """Return how many lines of a passage stand before the last of the headings that it begins with."""
    found = 0
    for number, line in enumerate(text.split("\n")):
        if line[:1] == "#":
            found = number
        elif line.strip():
            break
    return found


def passage_text(log: LogRow, lines: list[str], place: int) -> str:
    """Return a passage from the lines that it stands in."""
    piece = log.pieces[place]
    end = next((one.line for one in log.pieces[place + 1 :] if one.line > piece.line), len(lines))
    text = "\n".join(lines[piece.line - 1 : end])
    return text[piece.skip : piece.skip + piece.chars].strip()
