"""Cut the text of a hit: one line, what stands around it, or the whole, from the log's own bytes."""

from __future__ import annotations

from collections.abc import Sequence

from projection.text.clipping import ended, sentence_starts

#: The most characters that a line of a hit has: about 80 tokens.
LINE_CHARS = 320
#: The most that a hit has that is shown whole: a passage, behind the title and the heading.
WHOLE_CHARS = 720
#: How much of a line the title and the heading may take.
_TITLE_CHARS = 60
#: The most that is shown of a section.
SECTION_CHARS = 6000


def one_line(text: str, chars: int = LINE_CHARS) -> str:
    """Return a text on one line; one too long is cut behind a sentence of its back half, or a word."""
    return ended(text, chars)


def telling(text: str, words: Sequence[str], chars: int = LINE_CHARS) -> str:
    """Return a text from the first of the sentences that have most of some words, where it is too long.

    A word is looked for without its ending, so this is a guess; it only says what is shown first.
    """
    if len(text) <= chars or not words:
        return text
    starts = [0, *sentence_starts(text, 0, len(text))]
    lower = text.lower()
    heads = [word[: max(3, len(word) - 2)] for word in words]
    counts = [
        sum([head in lower[start:end] for head in heads])
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]
    best = starts[counts.index(max(counts))]
    return "… " + text[best:] if best else text


def title_of(lines: list[str]) -> str:
    """Return the title of a log, "" where it has none."""
    for line in lines[:40]:
        if line[:2] == "# ":
            return line[2:].strip()
    return ""


def heading_of(lines: list[str], number: int) -> str:
    """Return the heading that a line (from 1) stands under, without its marks, "" for none."""
    for index in range(min(number, len(lines)) - 1, -1, -1):
        line = lines[index]
        if line[:2] == "##":
            return line.lstrip("#").strip()
    return ""


def titled(
    title: str, heading: str, text: str, words: Sequence[str], chars: int = LINE_CHARS
) -> str:
    """Return a passage on one line, behind the title of its log and the heading it stands under.

    `heading` is the nearest one above the passage; headings in `text` lose their marks. It is shown
    from where the `words` are that it was found by; `chars` is what all of it may take.
    """
    lines = text.split("\n")
    while lines and (lines[0][:1] == "#" or not lines[0].strip()):
        heading = lines.pop(0).lstrip("#").strip() or heading
    names = [one_line(name, _TITLE_CHARS) for name in dict.fromkeys((title, heading)) if name]
    said = "\n".join(lines).strip()
    if not said:
        return " / ".join(names)
    head = f"{' / '.join(names)}: " if names else ""
    room = chars - len(head)
    return head + one_line(telling(said, words, room), room)


def section_of(lines: list[str], number: int) -> tuple[int, str]:
    """Return the section that a line (from 1) stands in, and the line it begins on.

    A long one is cut around the line, at whole lines.
    """
    start = number - 1
    while start > 0 and lines[start][:1] != "#":
        start -= 1
    end = number
    while end < len(lines) and lines[end][:1] != "#":
        end += 1
    chars = sum([len(line) + 1 for line in lines[start:end]])
    while chars > SECTION_CHARS and end - start > 1:
        if number - 1 - start >= end - number:
            chars -= len(lines[start]) + 1
            start += 1
        else:
            end -= 1
            chars -= len(lines[end]) + 1
    return start + 1, "\n".join(lines[start:end]).strip("\n")[:SECTION_CHARS]
