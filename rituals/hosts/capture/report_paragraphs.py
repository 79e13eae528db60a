"""Cut what was said into paragraphs, and choose the ones that a log has room for.

Nothing is reworded: a paragraph, a list and a table is kept whole or left out, and a paragraph that is
longer than the room for all loses whole sentences from its end. What one leans on (the heading above it,
the line that announces it) is kept with it and goes with it. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ledger.escape import prose
from ledger.model.record import Record

#: A block of code that is longer is left out, and one that is what a program printed.
_CODE_LINES, _CODE_CHARS = 3, 240
_PRINTED = frozenset("text txt plain plaintext console output log logs terminal".split())
_FENCES = ("```", "~~~")
_ITEM = re.compile(r"\s*(?:[-*+•]|(?:\*\*)?(\d{1,3})[.)])\s+(?=\S)")
#: A heading: marked, or a line in bold alone, which ends no sentence or has a number.
_HEADING = re.compile(
    r"#+[ \t].*|\*\*(?:\d{1,3}[.)] [^*]+\*\*:?|[^*]*[^*:.!?…\s\uff01\uff1a\uff1f。]\*\*)"
)
_RULE = frozenset("-=_*|: \t")
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,60}>")
#: Links to files keep their text; citations and marks of hosts go.
_FILE_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((?![a-z]{2,9}://|mailto:|#)[^()\n]{1,500}\)")
_MARKS = re.compile(
    r"【[^】\n]{0,120}】|\ue200[^\ue201\n]{0,200}\ue201|^::[a-z-]{2,40}\{[^\n]{0,500}\}[ \t]*$",
    re.MULTILINE,
)
_CITED = "<oai-mem-citation>"
#: What begins a line of a log and would be more than a sentence there.
_OPENS = ("#", ">", "<", *_FENCES, "---", "===")
#: How one ends that announces what follows; one of more bytes says something by itself.
_ANNOUNCES = (":", ":**", "\uff1a", "\uff1a**")
_LEAD_BYTES = 100
#: So many that announce each other are kept together.
_CHAIN = 8
#: How one ends that cheers, or asks; of so few words it is short.
_ENDS, _FEW_WORDS = ("!", "\uff01", "?", "\uff1f"), 8
_ORNAMENT = ' *_"\u2019\u201d)' + "".join(
    map(chr, (*range(0x2190, 0x2C00), 0xFE0F, *range(0x1F000, 0x1FB00)))
)
#: Code in marks; a word with a mark, a digit or a capital within; one with a capital behind a word.
_NAMES = re.compile(
    r"`[^`\n]+`|(?<![\w@])(?:[\w@]+[/\\.:@=#]+\w[\w/\\.-]*|\w*[\d_]\w*|[a-z]\w*[A-Z]\w*)"
    r"|(?<=[a-z,] )[A-Z]\w+"
)
#: Where a sentence ends: a mark, a blank and a capital; a wide mark alone.
_SENTENCE = re.compile(
    r"[.!?…।؟\u06d4][\"'”’)\]*_`]{0,4}\s+(?=[\"'“„«(\[*_`]{0,3}[^\W\d_a-zà-ÿа-я])|(?<=[。\uff01\uff1f\uff1b])"
)


class Paragraph(Record):
    """A paragraph, a heading, a list, a table or a short piece of code."""

    text: str  #: as it was said, without what only laid it out; items and rows are a line each
    needs: tuple[int, ...] = ()  #: the places of those that it can not be understood without
    leads: bool = False  #: its end announces what follows, or all of it does


class _Block:
    """A paragraph while it is read."""

    def __init__(self, kind: str, *rows: str) -> None:
        self.kind = kind  #: "#" a heading, "t" words, "-" a list, "|" a table, "`" code
        self.rows = [[row] for row in rows]  # each of lines
        self.number = 0  #: of the last item that has one

    @property
    def text(self) -> str:
        """What is told of it; nothing of a table's head without a row."""
        whole = [" ".join(row) for row in self.rows]
        rows = [" " * (len(row) - len(row.lstrip())) + _plain(row) for row in whole]
        return "" if self.kind == "|" and len(rows) == 1 else "\n".join(rows)


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of what was said; of code that is left out an empty one."""
    text = _FILE_LINK.sub(r"\1", _MARKS.sub("", text.partition(_CITED)[0]))
    found: list[Paragraph] = []
    heading: tuple[int, ...] = ()
    last = ""
    for place, block in enumerate(_blocks(text.split("\n"))):
        text, leads, needs = block.text, block.kind == "#", heading
        if leads:
            heading, needs = (place,), ()
        elif found and last == block.kind == "`":
            needs = found[-1].needs
        elif found and (block.kind == "`" or found[-1].text.endswith(_ANNOUNCES)):
            needs = tuple(dict.fromkeys((*heading, *found[-1].needs[-_CHAIN:], place - 1)))
        last = block.kind
        found.append(Paragraph(text, needs, leads or text.endswith(_ANNOUNCES)))
    return found


def _blocks(lines: Sequence[str]) -> list[_Block]:
    """Cut lines into blocks."""
    found: list[_Block] = []
    at, numbered, goes_on, in_table = 0, -1, False, False
    while at < len(lines):
        line, bare, at = lines[at], lines[at].strip(), at + 1
        fence = bare[:3] if bare[:3] in _FENCES else ""
        ends = (n for n in range(at, len(lines)) if lines[n].strip().startswith(fence))
        end = next(ends, 0) if fence else 0  # one that is never closed is none
        mark, is_row, within = _ITEM.match(bare), bare.startswith("|"), line[:2].isspace()
        ruled = not end and (fence or _RULE.issuperset(bare) or _TAG.fullmatch(bare))
        goes_on, in_table = goes_on and not (end or ruled), in_table and is_row
        if end:
            found.append(_Block("`", *_code(lines[at:end], bare[3:].strip().lower())))
            at = end + 1
        elif ruled:
            pass
        elif _HEADING.fullmatch(bare):
            goes_on, title = False, bare.strip("# \t").replace("**", "")
            if title := title[listed_mark(title) :]:
                found.append(_Block("#", f"**{title}**"))
        elif mark:
            number = int(mark[1] or 0) * (not within)
            kinds = "".join([one.kind for one in found[-2:]])
            first = len(found) - (2 if kinds == "-`" else 1 if kinds[-1:] == "-" else 0)
            if number > 1 and numbered >= 0 and found[numbered].number == number - 1:
                first = numbered  # what stands between belongs to the item before
            if first == len(found):
                found.append(_Block("-"))
            for one in found[first + 1 :]:
                found[first].rows += one.rows
            del found[first + 1 :]
            found[first].rows.append(["  " * within + bare])
            goes_on = True
            if number:
                numbered, found[first].number = first, number
        elif is_row and not in_table:
            found.append(_Block("|", bare))
            goes_on = in_table = True
        elif is_row:
            found[-1].rows.append([bare])
        elif goes_on:
            found[-1].rows[-1].append(bare.lstrip("> "))
        else:
            goes_on, is_lists = True, within and found and found[-1].kind == "-"
            if is_lists:
                found[-1].rows.append([f"  {bare}"])
            else:
                found.append(_Block("t", bare.lstrip("> ")))
    return found


def _code(lines: Sequence[str], info: str) -> list[str]:
    """Return the lines of a block of code, none of one that is long or was printed."""
    code = [prose(one) for one in lines if one.strip()]
    short = len(code) <= _CODE_LINES and sum(map(len, code)) <= _CODE_CHARS
    told = code if short and info not in _PRINTED else []
    return [one if "`" in one else f"`{one}`" for one in told]


def standing(found: Sequence[Paragraph], kept: Callable[[str], str]) -> list[Paragraph]:
    """Return paragraphs in their places, "" for those that are left out or mean nothing without these.

    What leans on one that is left out goes, and so does what announced only such. `kept` gives a text as
    it may be read, "" for none.
    """
    stays: list[Paragraph] = []
    for one in found:
        whole = all(stays[need].text for need in one.needs)
        stays.append(one._replace(text=kept(one.text) if whole else ""))
    needed: set[int] = set()
    for place in range(len(stays) - 1, -1, -1):
        one = stays[place]
        if one.leads and place not in needed:
            one = stays[place] = one._replace(text=_unannounced(one.text), leads=False)
        needed.update(one.needs if one.text else ())
    return stays


def without_fillers(found: Sequence[Paragraph], *, goes_on: bool) -> list[Paragraph]:
    """Leave out of a report short cheers, and an end that cheers or asks and names nothing else.

    Where the agent works on behind it, its end says what comes. An end that is all there is stays.
    """
    end = max((place for place, one in enumerate(found) if one.text), default=-1)
    named, stays = set[str](), list[Paragraph]()
    for place, one in enumerate(found):
        names = names_in(one.text)
        offers = place == end and "\n" not in one.text and names <= named
        offers = offers and any(other.text and not other.leads for other in stays)
        offers = offers and (goes_on or one.text.rstrip(_ORNAMENT).endswith(_ENDS))
        stays.append(one._replace(text="") if offers or is_cheer(one.text) else one)
        named |= names
    return standing(stays, str)


def is_cheer(text: str) -> bool:
    """Tell whether a text is a few words with a mark of exclamation, and names nothing."""
    few = len(text.split()) <= _FEW_WORDS and text.rstrip(_ORNAMENT).endswith(_ENDS[:2])
    return few and not names_in(text)


def names_in(text: str) -> set[str]:
    """Return what a text names that is no plain word: code, files, addresses, names, numbers."""
    return {one.group().strip("`").lower() for one in _NAMES.finditer(text)}


def fitted(found: Sequence[Paragraph], room: int) -> str:
    """Return as much of a text as fits into `room` characters, from its beginning on.

    What announces something stands with the first that follows, and neither without the other. Where
    nothing fits the first sentences of a paragraph do, with a mark.
    """
    kept: dict[int, str] = {}
    first: dict[int, int] = {}  # that follows one which announces it
    told = [place for place, one in enumerate(found) if one.text and not one.leads]
    for place in told:
        for need in found[place].needs:
            first.setdefault(need, place)
    for cut in (False, True):
        for place in told:
            one = found[place]
            if (cut and kept) or not all(at in kept or first[at] == place for at in one.needs):
                continue
            more = {need: found[need].text for need in one.needs} | {place: one.text}
            more = {at: text for at, text in more.items() if at not in kept}
            left = room - sum([len(text) + 2 for text in more.values()])
            if cut and left < 0:
                ends = [] if "\n" in one.text else sentence_ends(one.text)
                end = max([end for end in ends if end < left + len(one.text) + 2], default=0)
                more[place], left = f"{one.text[:end].rstrip()} …", end - 1
            if left >= 0:
                kept.update(more)
                room = left
    text = ""
    for place in sorted(kept):
        listed = is_listed(kept[place]) and is_listed(text.rpartition("\n")[2])
        text += ("\n" if listed else "\n\n") * bool(text) + kept[place]
    return text


def size_of(found: Sequence[Paragraph]) -> int:
    """Return how much room paragraphs take."""
    return sum([len(one.text) + 2 for one in found if one.text])


def _unannounced(text: str) -> str:
    """Return what one that announces something says besides, "" for nothing."""
    if not text.endswith(_ANNOUNCES):
        return ""
    if "\n" in text:  # a list is not parted
        return f"{text} …"
    ends = sentence_ends(text, listed_mark(text))
    told = text[: ends[-1]].rstrip() if ends else ""
    told = "" if is_cheer(told) else told
    return told or (f"{text} …" if len(text.encode()) > _LEAD_BYTES else "")


def sentence_ends(line: str, begin: int = 0) -> list[int]:
    """Return the places behind the sentences of a line from a place on, but for that of the last."""
    return [one.end() for one in _SENTENCE.finditer(line, begin)]


def listed_mark(line: str) -> int:
    """Return the place behind the mark of a list's item, 0 for a line that is none."""
    mark = _ITEM.match(line)
    return mark.end() if mark else 0


def is_listed(text: str) -> bool:
    """Tell whether a line is an item of a list, or a row of a table."""
    return text.startswith("|") or _ITEM.match(text) is not None


def _plain(line: str) -> str:
    """Put a line where it is a sentence of a log, whatever it begins with."""
    line = prose(line)
    return f"\\{line}" if line.startswith(_OPENS) else line
