"""Put somebody's words on one line, without anything that commands or hides.

Line ends become a mark; controls, bidi overrides and what can not be seen become visible escapes, so that
no text leaves its line in any format.
"""

from __future__ import annotations

from ledger.escape import visible

#: What names of agents, kinds, roles and projects may take.
LABEL_CHARS = 32
_BREAK = " ⏎ "
#: Where such a character is next to them, two stars are a power, a path or code, and no emphasis.
_STARRED = "/`*"
#: How a line starts that does not go on where the one above it ended.
_STARTS = ("- ", "* ", "+ ", "#", "|", ">", "```", "~~~", "1. ", "2. ")
_MARKS = str.maketrans("<>&\"'\\`", "·······")


def plain(text: str) -> str:
    """Put a text on one line on which nothing acts and nothing hides.

    A line that only goes on is joined by a blank; where a paragraph, a list item or a block starts, a
    mark says so.
    """
    if "\n" not in text:
        return visible(" ".join(text.split()))
    parts: list[str] = []
    fresh = False
    for line in text.split("\n"):
        said = " ".join(line.split())
        if said:
            if parts:
                parts.append(_BREAK if fresh or said.startswith(_STARTS) else " ")
            parts.append(said)
        fresh = not said
    return visible("".join(parts))


def label(name: str) -> str:
    """Return a name that somebody chose, of an agent for instance: short, and without marks."""
    return shortened(plain(name).translate(_MARKS), LABEL_CHARS)


def title_of(text: str, chars: int) -> tuple[str, bool]:
    """Return how a text begins, on one line and without emphasis, and whether it says more.

    That is all of it where it fits, else whole sentences, else what a cut leaves.
    """
    said = plain(unstressed(text))
    if len(said) <= chars:
        return said, False
    from projection.text.clipping import clipped, sentence_starts

    least = chars * 3 // 5
    ends = [said.rfind(_BREAK, least, chars - 1), *sentence_starts(said, least, chars - 2)]
    end = max(ends)
    return (f"{said[:end].rstrip()} …" if end > 0 else clipped(said, chars)), True


def unstressed(text: str) -> str:
    """Take the stars off bold words."""
    parts = text.split("**")
    kept, at = parts[:1], 1
    while at < len(parts):
        bold = parts[at]
        if at + 1 < len(parts) and bold.strip() == bold != "":
            around = parts[at - 1][-1:], parts[at + 1][:1]
            if not any(one.isalnum() or (one and one in _STARRED) for one in around):
                kept += parts[at : at + 2]
                at += 2
                continue
        kept += ["**", bold]
        at += 1
    return "".join(kept)


def shortened(text: str, chars: int) -> str:
    """Cut a text to so many characters, between two words where there is a place, and mark the cut."""
    if len(text) <= chars:
        return text
    from projection.text.clipping import clipped

    return clipped(text, chars)
