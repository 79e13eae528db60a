"""Cut what was said into paragraphs, and choose the ones that a log has room for.

Nothing is reworded: a paragraph is kept or left out, and one that is longer than the room for all loses
whole sentences from its end. What a paragraph leans on (the heading above it, the line that announces it)
is kept with it and goes with it, and one that takes back what stands before it is never parted from that.
Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files

from ledger.escape import prose
from ledger.model.record import Record

#: Gives texts as others may read them, "" for those of which nothing is left.
Opens = Callable[[Sequence[str]], list[str]]
#: A block of code that is longer is left out, and one that is what a program printed.
_CODE_LINES, _CODE_CHARS = 3, 240
_PRINTED = frozenset("text txt plain plaintext console output log logs terminal".split())
_FENCES = ("```", "~~~")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
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
_ANNOUNCES = (":", ":**", "\uff1a", "\uff1a**")


def phrases(role: str) -> str:
    """Return how people of all languages say something, as alternatives of a regular expression."""
    lines = files(__package__).joinpath("phrases.txt").read_text("utf-8").splitlines()
    return "|".join([line.partition(": ")[2] for line in lines if line.split(" ")[0] == role])


#: A paragraph that begins so takes back the one before it, or puts it right.
_TURNS = re.compile(
    rf"[\W_]{{0,6}}(?:(?:{phrases('correction')})\b|(?:{phrases('no')})\s?[,.:;!—–-]|{phrases('correction-cjk')})",
    re.IGNORECASE,
)
#: How words begin that tell why, what must not be, what is left and what went wrong.
_REASON = re.compile(rf"\b(?:{phrases('reason')})|n't\b|{phrases('reason-cjk')}", re.IGNORECASE)
#: Where a sentence ends: a mark, a blank and a capital; a wide mark alone.
_SENTENCE = re.compile(
    r"[.!?…।؟\u06d4][\"'”’)\]*_`]{0,4}\s+(?=[\"'“„«(\[*_`]{0,3}[^\W\d_a-zà-ÿа-я])|(?<=[。\uff01\uff1f\uff1b])"
)


class Paragraph(Record):
    """A paragraph, an item of a list, a row of a table or a short piece of code."""

    text: str  #: as it was said, without what only laid it out; an item begins with its mark
    needs: tuple[int, ...] = ()  #: the places of those that it can not be understood without
    leads: bool = False  #: its end announces what follows, or all of it does


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of what was said."""
    text = text.partition(_CITED)[0]
    return _Reader().read(_FILE_LINK.sub(r"\1", _MARKS.sub("", text)))


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Part a room among sizes: equal shares, but who needs less leaves the rest to the longer ones."""
    found = [0] * len(sizes)
    left = room
    for count, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        found[place] = min(sizes[place], left // (len(sizes) - count))
        left -= found[place]
    return found


def standing(found: Sequence[Paragraph], kept: Callable[[str], str] = str) -> list[Paragraph]:
    """Return paragraphs in their places, "" for those that are left out or mean nothing without these.

    What leans on one that is left out goes, and so does what announced only such. `kept` gives a text as
    it may be read, "" for none.
    """
    stays: list[Paragraph] = []
    for one in found:
        whole = all(stays[need].text for need in one.needs)
        stays.append(one._replace(text=kept(one.text) if whole and one.text else ""))
    needed: set[int] = set()
    for place in range(len(stays) - 1, -1, -1):
        one = stays[place]
        if one.leads and place not in needed:
            one = stays[place] = one._replace(text=_unannounced(one.text), leads=False)
        needed.update(one.needs if one.text else ())
    return stays


def fitted(found: Sequence[Paragraph], room: int) -> str:
    """Return as much of a text as fits into `room` characters, what tells why first and the later first.

    How it ended, and what is left, stands at the end. All in its order.
    """
    if size_of(found) <= room:
        return _joined([one.text for one in found if one.text])
    kept: dict[int, str] = {}
    texts = [_unannounced(one.text) if one.leads else one.text for one in found]
    told = [place for place in reversed(range(len(found))) if texts[place]]
    told.sort(key=lambda place: not _REASON.search(texts[place]))
    left = room
    for place in told:
        needs = found[place].needs
        cost = _cost(found, kept, needs) + (0 if place in kept else len(texts[place]) + 2)
        if cost <= left:
            kept.update((one, found[one].text) for one in needs)
            kept.setdefault(place, texts[place])
            left -= cost
    for place in told if not kept else ():
        needs = found[place].needs
        end = "" if "\n" in texts[place] else _cut(texts[place], room - _cost(found, kept, needs))
        if end:  # of several lines the end may take back the rest
            kept = {**{one: found[one].text for one in needs}, place: end}
            break
    return _joined([kept[place] for place in sorted(kept)])


def _cost(found: Sequence[Paragraph], kept: Mapping[int, str], places: Iterable[int]) -> int:
    return sum(len(found[one].text) - (len(kept[one]) if one in kept else -2) for one in places)


def size_of(found: Sequence[Paragraph]) -> int:
    """Return how much room paragraphs take."""
    return sum([len(one.text) + 2 for one in found if one.text])


def _unannounced(text: str) -> str:
    """Return what one that announces something says besides, "" for nothing."""
    if not text.endswith(_ANNOUNCES) or "\n" in text:  # a correction is not parted
        return ""
    ends = sentence_ends(text, listed_mark(text))
    told = text[: ends[-1]].rstrip() if ends else ""
    return told or (f"{text} …" if len(text.encode()) > _LEAD_BYTES else "")


def sentence_ends(line: str, begin: int = 0) -> list[int]:
    """Return the places behind the sentences of a line from a place on, but for that of the last."""
    return [one.end() for one in _SENTENCE.finditer(line, begin)]


def sentences_of(line: str) -> list[str]:
    """Return the sentences of a line; an end is a mark with a blank and a capital behind it."""
    ends = sentence_ends(line)
    bounds = zip([0, *ends], [*ends, len(line)], strict=True)
    return [one for begin, end in bounds if (one := line[begin:end].strip())]


def listed_mark(line: str) -> int:
    """Return the place behind the mark of a list's item, 0 for a line that is none."""
    blanks = len(line) - len(line.lstrip())
    mark = _ITEM.match(line, blanks)
    return mark.end() if mark else 0


def _cut(text: str, room: int) -> str:
    """Return the first sentences of a text that there is room for, and a mark; "" for none."""
    kept = ""
    for one in sentences_of(text):
        if len(kept) + len(one) + 3 > room:
            break
        kept = f"{kept} {one}" if kept else one
    return f"{kept} …" if kept else ""


def _joined(texts: Iterable[str]) -> str:
    found = ""
    for text in texts:
        listed = _is_listed(text) and _is_listed(found.rpartition("\n")[2])
        found += ("\n" if listed else "\n\n") * bool(found) + text
    return found


def _is_listed(text: str) -> bool:
    return text[:1] == "|" or _ITEM.match(text.lstrip()) is not None


class _Reader:
    """Reads one text, line by line."""

    def __init__(self) -> None:
        self._found: list[Paragraph] = []
        self._lines: list[str] = []
        self._indent = ""
        #: The places of the heading, of what announces a list, of the item above a nested one, and of
        #: what announces whatever comes next.
        self._heading = self._label = self._item = self._lead = -1
        self._fence, self._code, self._printed = "", list[str](), False

    def read(self, text: str) -> list[Paragraph]:
        for line in text.split("\n"):
            bare = line.strip()
            if self._fence:
                self._in_code(bare, line)
            elif bare[:3] in _FENCES:
                self._close()
                self._fence, self._code = bare[:3], []
                self._printed = bare[3:].strip().lower() in _PRINTED
            elif not bare or _RULE.issuperset(bare) or _TAG.fullmatch(bare):
                self._close()
                if bare[:1] == "|" and self._found and self._found[-1].text[0] == "|":
                    self._head_of_table()
            elif bare[0] == "#" and bare.lstrip("#")[:1] in (" ", "\t"):
                self._close()
                self._head(prose(bare.strip("# \t")))
            elif bare[0] == "|" or _ITEM.match(bare):
                self._close()
                self._indent = "  " if line[:2].isspace() and self._item >= 0 else ""
                self._lines = [bare]
            else:
                self._lines.append(bare.lstrip("> ") if bare[0] == ">" else bare)
        self._close()
        if self._fence:  # a block that is never closed is none
            rest, self._fence, self._code = self._code, "", []
            self.read("\n".join(rest))
        return self._found

    def _head(self, text: str) -> None:
        """Take a heading: it is shown where something below it is."""
        if text:
            self._label = self._item = self._lead = -1
            self._heading = len(self._found)
            bold = text if text.startswith("**") else f"**{text}**"
            self._found.append(Paragraph(bold, leads=True))

    def _head_of_table(self) -> None:
        """Take the last row for the head of a table: no row below it is shown without it."""
        head, last = self._found[-1], self._found[self._label]
        needs = last.needs if self._label >= 0 and last.text[0] == "|" else head.needs
        self._label = len(self._found) - 1
        self._found[-1] = head._replace(needs=needs, leads=True)

    def _in_code(self, bare: str, line: str) -> None:
        if not bare.startswith(self._fence):
            self._code.append(line.rstrip())
            return
        self._fence = ""
        code = [prose(one) for one in self._code if one.strip()]
        short = len(code) <= _CODE_LINES and sum(map(len, code)) <= _CODE_CHARS
        if code and short and not self._printed:
            text = "\n".join([one if "`" in one else f"`{one}`" for one in code])
            last = (len(self._found) - 1,) if self._found else ()
            self._found.append(Paragraph(text, last and (*self._found[-1].needs, *last)))
        else:
            self._label = -1
        self._lead = -1

    def _close(self) -> None:
        text, self._lines = _plain(" ".join(self._lines)), []
        if not text:
            return
        place, listed = len(self._found), _is_listed(text)
        above = self._found[self._label].needs if listed and self._label >= 0 else ()
        needs = [self._heading, *above, self._label if listed else -1]
        if self._indent:
            needs.append(self._item)
        elif listed:
            self._item = place
        needs.append(self._lead)
        leads = text.endswith(_ANNOUNCES)
        self._lead = place if leads else -1
        self._label = self._label if listed else self._lead
        self._item = self._item if listed else -1
        needs = [one for one in dict.fromkeys(needs) if one >= 0]
        text, self._indent = self._indent + text, ""
        if place and _TURNS.match(text) and not self._found[-1].leads:
            before = self._found[-1]
            between = "\n" if listed else "\n\n"
            self._found[-1] = before._replace(text=f"{before.text}{between}{text}", leads=leads)
            self._item = min(self._item, place - 1)
            self._label = min(self._label, place - 1)
            self._lead = min(self._lead, place - 1)
        else:
            self._found.append(Paragraph(text, tuple(needs), leads))


def _plain(line: str) -> str:
    """Put a line where it is a sentence of a log, whatever it begins with."""
    line = prose(line)
    return f"\\{line}" if line.startswith(_OPENS) else line
