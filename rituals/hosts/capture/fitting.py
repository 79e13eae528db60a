"""Cut what was said into paragraphs, and choose the ones that a log has room for.

Nothing is reworded: a paragraph, a list and a table is kept whole or left out, and a paragraph that is
longer than the room for all loses whole sentences from its end. What one leans on (the heading above it,
the line that announces it) is kept with it and goes with it. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ledger.escape import prose
from ledger.model.record import Record

#: Gives texts as others may read them, "" for those of which nothing is left.
Opens = Callable[[Sequence[str]], list[str]]
#: A block of code that is longer is left out, and one that is what a program printed.
_CODE_LINES, _CODE_CHARS = 3, 240
_PRINTED = frozenset("text txt plain plaintext console output log logs terminal".split())
_FENCES = ("```", "~~~")
_HEADING = re.compile(r"#+[ \t]")
_ITEM = re.compile(r"\s*(?:[-*+•]|(?:\*\*)?(\d{1,3})[.)])\s+(?=\S)")
#: A line in bold alone, which ends no sentence, or has a number.
_BOLD_HEADING = re.compile(
    r"\*\*(?:\d{1,3}[.)] [^*]+\*\*:?|[^*]*[^*:.!?…\s\uff01\uff1a\uff1f。]\*\*)"
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
_LEAD_BYTES = 100
_NOWHERE: tuple[int, ...] = ()
_ANNOUNCES = (":", ":**", "\uff1a", "\uff1a**")
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
    """A paragraph, a list, a table or a short piece of code."""

    text: str  #: as it was said, without what only laid it out; items and rows are a line each
    needs: tuple[int, ...] = ()  #: the places of those that it can not be understood without
    leads: bool = False  #: its end announces what follows, or all of it does


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of what was said."""
    text = text.partition(_CITED)[0]
    return _Reader().read(_FILE_LINK.sub(r"\1", _MARKS.sub("", text)))


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

    What announces something stands with the first that follows, and neither without the other.
    """
    kept: dict[int, str] = {}
    texts = [_unannounced(one.text) if one.leads else one.text for one in found]
    told = [place for place in range(len(found)) if texts[place]]
    first = {need: place for place in reversed(told) for need in found[place].needs}
    for place in told:
        more, waits = {**kept, place: kept.get(place, texts[place])}, [place]
        if place == told[-1] and is_listed(found[place - 1].text) and not is_listed(texts[place]):
            waits = []  # what closes a report is no part of the list before it
        while waits and len(more) <= room:
            for need in found[waits.pop()].needs:
                behind = first.get(need, place)
                waits += [one for one in (need, behind) if one not in more]
                more |= {need: found[need].text}
                more.setdefault(behind, texts[behind])
        if sum([len(text) + 2 for text in more.values()]) <= room:
            kept = more
    for place in told if not kept else ():
        needs = {one: found[one].text for one in found[place].needs}
        end = _cut(texts[place], room - sum([len(text) + 2 for text in needs.values()]))
        if end:
            kept = {**needs, place: end}
            break
    return _joined([kept[place] for place in sorted(kept)])


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


def _cut(text: str, room: int) -> str:
    """Return the first sentences of a text that there is room for, and a mark; "" for none.

    Of several lines the end may take back the rest.
    """
    ends = [] if "\n" in text else sentence_ends(text)
    end = max([one for one in ends if one < room], default=0)
    return f"{text[:end].rstrip()} …" if end else ""


def _joined(texts: Iterable[str]) -> str:
    found = ""
    for text in texts:
        listed = is_listed(text) and is_listed(found.rpartition("\n")[2])
        found += ("\n" if listed else "\n\n") * bool(found) + text
    return found


def is_listed(text: str) -> bool:
    """Tell whether a line is an item of a list, or a row of a table."""
    return text.startswith("|") or _ITEM.match(text) is not None


class _Open:
    """A paragraph that may go on: its lines, and what `Paragraph` has."""

    def __init__(self, lines: list[str], needs: Iterable[int] = (), leads: bool = False) -> None:
        self.lines, self.needs, self.leads = lines, dict.fromkeys(needs), leads


class _Reader:
    """Reads one text, line by line."""

    def __init__(self) -> None:
        self._found: list[_Open] = []
        self._lines: list[str] = []
        self._indented = False
        #: The places of the heading, of what announces a list, and of what announces whatever comes next.
        self._heading = self._label = self._lead = _NOWHERE
        #: The places of the last list and of the last with numbers, -1 for none, and its last number.
        self._list, self._numbered, self._number = -1, -1, 0
        self._fence, self._info, self._code = "", "", list[str]()

    def read(self, text: str) -> list[Paragraph]:
        for line in text.split("\n"):
            bare = line.strip()
            if self._fence:
                self._in_code(bare, line)
            elif bare[:3] in _FENCES:
                self._close()
                self._fence, self._info, self._code = bare[:3], bare[3:].strip().lower(), []
            elif _RULE.issuperset(bare) or _TAG.fullmatch(bare):
                self._close()
                table = self._open_list()
                if table and table.lines[0].startswith("|"):
                    # a head is none without a row, and no table goes on behind a blank line
                    table.leads |= bool(bare) and len(table.lines) == 1
                    self._list = self._list if bare else -1
            elif _HEADING.match(bare) or _BOLD_HEADING.fullmatch(bare):
                self._close()
                self._head(prose(bare.strip("# \t")))
            else:
                if is_listed(bare):
                    self._close()
                self._indented = self._indented if self._lines else line[:2].isspace()
                self._lines.append(bare if is_listed(bare) else bare.lstrip("> "))
        self._close()
        if self._fence:  # a block that is never closed is none
            rest, self._fence = self._code, ""
            self.read("\n".join(rest))
        return [Paragraph("\n".join(one.lines), (*one.needs,), one.leads) for one in self._found]

    def _head(self, text: str) -> None:
        """Take a heading, without its number: it is shown where something below it is."""
        text = text.replace("**", "")
        if text := text[listed_mark(text) :]:
            self._label = self._lead = ()
            self._heading = (len(self._found),)
            self._found.append(_Open([f"**{text}**"], leads=True))

    def _in_code(self, bare: str, line: str) -> None:
        if not bare.startswith(self._fence):
            self._code.append(line.rstrip())
            return
        self._fence = ""
        code = [prose(one) for one in self._code if one.strip()]
        short = len(code) <= _CODE_LINES and sum(map(len, code)) <= _CODE_CHARS
        place, open_list = len(self._found), self._open_list()
        if code and short and self._info not in _PRINTED:
            lines = [one if "`" in one else f"`{one}`" for one in code]
            if open_list:
                self._go_on(self._list, [f"  {one}" for one in lines])
            else:
                needs = (*self._found[-1].needs, place - 1) if place else ()
                self._found.append(_Open(lines, needs))
        elif open_list and open_list.leads and len(open_list.lines) > 1:
            self._go_on(self._list, [open_list.lines.pop() + " …"])
        else:
            self._label = ()
        self._lead = ()

    def _close(self) -> None:
        """Take the lines so far for a paragraph, or for a part of the list that goes on."""
        text, self._lines = _plain(" ".join(self._lines)), []
        if not text:
            return
        mark, row, leads = _ITEM.match(text), text.startswith("|"), text.endswith(_ANNOUNCES)
        number = int(mark[1] or 0) if mark and not self._indented else 0
        open_list, since = self._open_list(), -1
        text = "  " * (self._indented and bool(mark or open_list)) + text
        if (
            open_list
            and row == open_list.lines[0].startswith("|")
            and (mark or row or self._indented)
        ):
            since = self._list
        elif number > 1 and number == self._number + 1:
            since = self._numbered  # what stands between belongs to the item before
        if since >= 0:
            self._go_on(since, [text], leads=leads)
        else:
            needs, since = [*self._heading, *self._lead], len(self._found)
            if mark or row:
                needs += [one for at in self._label for one in (*self._found[at].needs, at)]
                self._list = since
            self._found.append(_Open([text], needs, leads))
            self._label = self._lead = (since,) if leads else ()
        if number:
            self._numbered, self._number = since, number

    def _open_list(self) -> _Open | None:
        """Return the last paragraph where it is a list, or a table, that may go on."""
        return self._found[-1] if 0 <= self._list == len(self._found) - 1 else None

    def _go_on(self, since: int, lines: Iterable[str], *, leads: bool = False) -> None:
        """Put more lines into a list, behind all that stands behind it."""
        first, *more = self._found[since:]
        for one in more:
            first.lines += one.lines
            first.needs |= {need: None for need in one.needs if need < since}
        first.lines += lines
        first.leads = leads
        del self._found[since + 1 :]
        self._list, self._heading = since, min(self._heading, (since,))
        self._label = self._lead = (since,) if leads else ()


def _plain(line: str) -> str:
    """Put a line where it is a sentence of a log, whatever it begins with."""
    line = prose(line)
    return f"\\{line}" if line.startswith(_OPENS) else line
