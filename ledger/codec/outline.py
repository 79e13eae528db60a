"""Read the bytes of a document as text, and find its title, its headings and what a merge left.

Headings are found by the line reader or, in doubt, by the markdown parser; marks of conflict in git's
plain style and in `diff3`.
"""

from __future__ import annotations

from ledger.codec.outline_by_lines import Outline, outline_by_lines

#: How a file says that it is UTF-16, which Windows writes where nobody asks for another encoding.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
#: Why a file is not read.
NO_TEXT = "it is no text in UTF-8, or in UTF-16 with a byte order mark"


def text_of(data: bytes) -> str:
    """Return the text of a log as it is read, whatever its bytes: findings count its lines."""
    return normal(data.decode("utf-8", "replace")).replace("\0", "\ufffd")


def document_text(data: bytes) -> str | None:
    """Return the text of a file that a person wrote, as `normal` has it; None where it is no text.

    It is in UTF-8, or in UTF-16 with a byte order mark. Nothing of other bytes is text: half of a word is
    another word.
    """
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else normal(text)


def normal(text: str) -> str:
    """Return a text without a byte order mark, its lines ending in line feeds alone."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


#: Words of which a title says no more than that there was a session.
EMPTY_TITLE = frozenset("session log notes note work memory update of the on for and".split())


def outline(lines: list[str], start: int = 0) -> Outline:
    """Find the top-level headings among `lines[start:]`; asks the markdown parser when in doubt."""
    found = outline_by_lines(lines, start)
    if found is None:
        from ledger.codec.outline_by_markdown import outline_by_markdown

        found = outline_by_markdown(lines, start)
    return found


def take_title(lines: list[str], body: int) -> tuple[str, int]:
    """Take the title off: the first line behind the header, if it is a `# ` heading."""
    index = body
    while index < len(lines) and not lines[index].strip(" \t"):
        index += 1
    if index < len(lines) and lines[index][:2] == "# ":
        return lines[index][2:].strip(), index + 1
    return "", body


def tells(title: str) -> bool:
    """Tell whether a title says more than that this is a session of some date."""
    return says_more(title, EMPTY_TITLE)


def says_more(title: str, empty: frozenset[str]) -> bool:
    """Tell whether a title has a word that is none of some and begins with no digit."""
    for word in title.lower().split():
        bare = word.strip("()[]#:,.-—–*_!?'\"")
        if bare and bare not in empty and not bare[0].isdigit():
            return True
    return False


_OURS, _BASE, _PARTED, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def marker_line(text: str) -> int:
    """Return the number of the first line that a merge left, 0 where there is none.

    One of them is enough: who settles a conflict by hand forgets one. What closed code quotes is only a
    quotation, seven bars may be a row of a table, and seven `>` a quote, unless a `=======` stands above.
    """
    if _OURS not in text and _BASE not in text and _THEIRS not in text:
        return 0
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = [
        number
        for number, line in enumerate(lines)
        if line == _PARTED
        or (line[:7] == _BASE and line[7:8] == " " and "|" not in line[7:])
        or (line[:7] in (_OURS, _THEIRS) and line[7:8] in ("", " "))
    ]
    if not found:
        return 0
    hidden = iter((*outline(lines).hidden, (len(lines), len(lines))))
    begin, end = next(hidden)
    parted = False
    for number in found:
        while end <= number:
            begin, end = next(hidden)
        if begin <= number:
            continue
        start = lines[number][:7]
        if start == _PARTED:
            parted = True
        elif start != _THEIRS or parted:
            return number + 1
    return 0
