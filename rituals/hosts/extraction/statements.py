"""Cut a turn into what its speaker states: sentences, each word for word as it stands there.

What is not the speaker's own is left out: code, quotations, tables, lines of logs and of programs, and
what is announced as somebody else's. Chat is not prose: a sentence may begin with a small letter, and the
end of a line ends it where no line goes on. Linear in the text.
"""

from __future__ import annotations

import re

from ledger.model.record import Record
from projection.text.clipping import negates
from rituals.hosts.extraction.cues import DECIDED, FILLERS, LABELS, OPEN, OPENERS, OTHERS, STRESS

_FENCES = ("```", "~~~")
#: How a line begins that a program wrote.
_LOGGED = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|FAILED|PASSED)\b"
    r"|Traceback |File \"|at \S{1,200} ?\(|(?:\+\+\+|---|@@|diff --) ?\S|(?:index|commit) [0-9a-f]{7}"
    r"|[$%] |>>> |\.\.\. |E   |npm ERR|error\["
    r"|[A-Za-z_.]{0,60}(?:Error|Exception|Warning|warning|error)\b[^ ]{0,20}: "
)
#: What a line of code ends with, or has.
_CODE_ENDS = (";", "{", "}", "=>", "\\", "({", "});", "->")
_CODE = re.compile(
    r"=> |\(\);|\);|==|!=|&&|\|\||:=|</|/>"
    r"|^(?:(?:def|func|fn) \w+\(|class \w+[:(]|import [\w.]+$|from \S+ import |(?:const|let|var) \w+ ="
    r"|SELECT |INSERT INTO)"
)
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
#: Ends of sentences; what stands before is looked at by `_SHORT`.
_END = re.compile(r"[.!?…。\uff01\uff1f]+[\"'”’)\]*_`]*(?=\s|$)")
_SHORT = frozenset("e.g i.e etc vs approx ca resp no nr z.b d.h bzw ggf p.ej".split())
_SPAN = re.compile(r"`[^`\n]{1,200}`")
_QUOTED = re.compile(
    r"\"[^\"\n]{3,400}\"|“[^“”\n]{3,400}”|„[^„“”\n]{3,400}[“”]|«[^«»\n]{3,400}»|`[^`\n]{1,200}`"
)
_MARKS = ".;:!?()[]{}*_`'\"—–→…“”„«»"
_LABEL_WORDS, _LEAST_CHARS = 6, 2
#: So much of the beginning and of the end of a turn is read.
_OWN_CHARS = 16_000
#: A line of so many characters may be cut there only because it was too long.
_WRAPPED_CHARS = 60


class Statement(Record):
    """One sentence.

    Args:
        text: as it stands there, on one line.
        words: in lower case between blanks, with a blank at both ends; of what is quoted, none.
        opener: the word with which the speaker turns to what was said before, as "no" or "ok".
        asks: it is a question.
        under: what the heading or label above announces.
        place: its number in the turn.
    """

    text: str
    words: str
    opener: str
    asks: bool
    under: str
    place: int


def statements(text: str) -> list[Statement]:
    """Return the sentences of a turn that are its speaker's own, in order.

    Of what is too long to have been written there, the beginning and the end are read.
    """
    if len(text) > 2 * _OWN_CHARS:
        text = f"{text[:_OWN_CHARS]}\n\n{text[-_OWN_CHARS:].partition(chr(10))[2]}"
    return _Cutter().cut(text)


class _Cutter:
    """Cuts one turn."""

    def __init__(self) -> None:
        self._found: list[Statement] = []
        self._part: list[str] = []
        self._item = False
        #: What a heading announces, and what the line above a list does.
        self._section = self._label = ""
        self._foreign = self._skipped = False  # whether what comes next is somebody else's
        self._fence = ""

    def cut(self, text: str) -> list[Statement]:
        skipping = False  # in lines of a program, which go on up to a blank one
        for line in text.split("\n"):
            bare = line.strip()
            if self._fence:
                if bare.startswith(self._fence):
                    self._fence = ""
            elif bare[:3] in _FENCES:
                self._close()
                self._fence, self._foreign = bare[:3], False
            elif not bare:
                self._close()
                skipping = False
                self._foreign = self._foreign and not self._skipped
                self._skipped = False
            elif skipping or _is_foreign(line, bare):
                self._close()
                skipping, self._foreign = skipping or bare[0] != ">", False
            elif bare[0] == "#":
                self._close()
                self._section, self._label = announced(bare.lstrip("# ")), ""
            else:
                self._line(bare)
        self._close()
        return self._found

    def _line(self, bare: str) -> None:
        item = _ITEM.match(bare)
        if item or (self._part and len(self._part[-1]) < _WRAPPED_CHARS and not self._item):
            self._close()
        if item:
            self._item = True
            bare = bare[item.end() :]
        if bare:
            self._part.append(bare)

    def _close(self) -> None:
        """End the lines that belong together, and take their sentences."""
        part, item = " ".join(self._part), self._item
        self._part, self._item = [], False
        if not part:
            return
        if self._foreign:
            self._skipped = True  # up to the next blank line
            return
        if not item:
            self._label = ""
        if part[-1] == ":" and not item:
            self._label = announced(part)
            self._foreign = not self._label and _is_announcement(part)
            return
        seen = _QUOTED.sub(_blank, part)
        begin = 0
        for end in _ends(seen):
            self._sentence(part[begin:end], seen[begin:end])
            begin = end

    def _sentence(self, text: str, seen: str) -> None:
        text = text.strip()
        if len(text) < _LEAST_CHARS:
            return
        words = _padded(seen)
        if len(words.split()) * 2 < len(text.split()):  # most of it is quoted
            return
        label = announced(text.partition(": ")[0]) if ": " in text[:60] else ""
        under = label or self._label or self._section
        opener = _opener(words)
        asks = text.rstrip("\"'”’)]*_` ").endswith(("?", "\uff1f"))
        self._found.append(Statement(text, words, opener, asks, under, len(self._found)))


def _is_foreign(line: str, bare: str) -> bool:
    """Tell whether a line is quoted, or written by or for a program."""
    if bare[0] in ">|" or (line[:4] == "    " and not _ITEM.match(bare)):
        return True
    if _LOGGED.match(bare) and not _ITEM.match(bare):
        return True
    said = _SPAN.sub("", bare) if "`" in bare else bare
    return said.endswith(_CODE_ENDS) or _CODE.search(said) is not None


def _is_announcement(label: str) -> bool:
    """Tell whether a line that ends with a colon announces what somebody else wrote."""
    return not OTHERS.isdisjoint(_padded(label).split())


def announced(label: str) -> str:
    """Tell what a heading or label announces; its first word that says so counts."""
    words = _padded(label).split()
    if len(words) <= _LABEL_WORDS:
        found = next((LABELS[word] for word in words if word in LABELS), "")
        if words[:2] in (["not", "done"], ["not", "yet"]) or (found and negates(label)):
            return OPEN if found in ("", DECIDED) else ""
        return found
    return ""


def _blank(found: re.Match[str]) -> str:
    """Leave a short piece of code; of what is quoted, nothing but its length."""
    said = found[0]
    return said if said[0] == "`" and said.count(" ") < 2 else " " * len(said)


def _ends(text: str) -> list[int]:
    """Return where the sentences of a text end."""
    found = []
    for mark in _END.finditer(text):
        before = (
            text[max(0, mark.start() - 12) : mark.start()].rpartition(" ")[2].lower().lstrip("(\"'")
        )
        if mark[0] == "." and (before in _SHORT or before.isdigit() or len(before) == 1):
            continue
        found.append(mark.end())
    if not found or found[-1] < len(text):
        found.append(len(text))
    return found


def _padded(text: str) -> str:
    """Return the words of a text in lower case, each between blanks; commas are words."""
    low = text.lower().replace("’", "'").replace(",", " , ")
    words = [word for term in low.split() if (word := term.strip(_MARKS)) and word not in STRESS]
    return f" {' '.join(words)} "


def _opener(words: str) -> str:
    """Return how a statement turns to what was said before it."""
    for word in words.split()[:4]:
        if word in OPENERS:
            return OPENERS[word]
        if word not in FILLERS:
            return ""
    return ""
