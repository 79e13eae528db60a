"""Read reStructuredText as sections and passages; literal blocks and quotations are passed over."""

from __future__ import annotations

import re

from rituals.intake.harvest.harvested_document import Builder, Document, squeezed

_ADORNMENT = frozenset("=-`:.'\"~^_*+#<>")
_ITEM = re.compile(r"([-*+•]|(?:\d{1,3}|#|[a-z])[.)]|\(\d{1,3}\))(?:\s+|$)")
_FIELD = re.compile(r":([A-Za-z][\w -]*):(?:\s+(.*))?$")
_DIRECTIVE = re.compile(r"\.\.\s+([\w:-]+)::\s*(.*)$")
#: Directives whose body is prose of the document.
_PROSE = frozenset(
    "note warning important attention caution danger admonition versionadded".split()
)
_CODE_ROLES = (
    r":(?:code|file|command|program|option|class|func|meth|mod|attr|data|exc|obj|"
    r"const|envvar|samp|[a-z]+:[a-z]+):"
)
_BLANKS = re.compile(r"[^\S\n]+")
#: What a search begins again with ends the part before it, or that has a limit: no place is read twice.
_RULES = (
    (re.compile(r"``(.+?)``"), r"`\1`"),
    (re.compile(rf"{_CODE_ROLES}`~?([^`<]+?)(?:\s*<[^>`]*>)?`"), r"`\1`"),
    (re.compile(r":[\w:+.-]{1,60}:`~?([^`<]+?)(?:\s*<[^>`]*>)?`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^>`]*>`__?"), r"\1"),
    (re.compile(r"`([^`]+)`__?(?!\w)"), r"\1"),
    (re.compile(r"\s*\[(?:#\w*|\d+|\*)\]_"), ""),
    (re.compile(r"(?<![\w`-])([\w-]+)__?(?=[\s.,;:)]|$)(?<!_)"), r"\1"),
    (re.compile(r"\*\*(\S(?:.{0,400}?\S)?)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])"), r"\1"),
)


def plain_rst(text: str) -> str:
    """Return a text as it reads: links and roles as their words, no marks of type."""
    text = _BLANKS.sub(" ", text)  # long ones would be looked through again and again
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return squeezed(text.replace("\\ ", ""))


def read_rst(path: str, text: str) -> Document:
    """Read a document."""
    return _Reader(path, text).read()


class _Reader:
    """Goes through the lines once."""

    def __init__(self, path: str, text: str) -> None:
        self._lines = [line.expandtabs(8).rstrip() for line in text.split("\n")]
        self._built = Builder(path, plain_rst)
        self._levels: list[str] = []

    def read(self) -> Document:
        built, lines = self._built, self._lines
        index, base, literal = 0, 0, False
        while index < len(lines):
            line = lines[index]
            bare = line.lstrip()
            indent = len(line) - len(bare)
            if not bare:
                literal = literal or (built.is_open and built.rows[-1][1].endswith("::"))
                built.close()
                index += 1
                continue
            if literal and indent > base:
                index = self._behind(index, base)
                literal = False
                continue
            literal = False
            if not indent:
                after = self._heading(index)
                if after > index:
                    index, base = after, 0
                    continue
            if bare.startswith("..") and bare[2:3] in ("", " "):
                built.close()
                index, base = self._explicit(index, indent, bare)
                continue
            index += 1
            if bare[:2] in ("+-", "==") or set(bare) <= {"=", " "} or bare[0] == "|":
                built.close()
                continue
            item = _ITEM.match(bare)
            if item and not (built.is_open and indent < base):
                built.item(index, bare[item.end() :], indent)
                base = indent + len(item[0])
            elif indent > base:
                if built.is_open and not indent - base > 4:
                    built.text(index, bare)
                else:
                    index = self._behind(index - 1, base)  # a quotation or a definition
            else:
                base = base if indent else 0
                field = _FIELD.match(bare)
                if field and not built.is_open:
                    built.field(field[1], field[2] or "", index)
                else:
                    built.text(index, bare)
        return built.built()

    def _heading(self, index: int) -> int:
        """Read a heading; return the index behind it, or the same where there is none."""
        line = self._at(index)
        if _adorns(line) and self._at(index + 2) == line and self._at(index + 1).strip():
            return self._titled(index + 1, line[0] + "o", 3, index)
        if self._built.is_open or _adorns(line):
            return index
        below = self._at(index + 1)
        if _adorns(below) and len(below) >= min(len(line), 4) - 1 and not line.startswith(".. "):
            return self._titled(index, below[0], 2, index)
        return index

    def _titled(self, at: int, style: str, count: int, index: int) -> int:
        if style not in self._levels:
            self._levels.append(style)
        self._built.heading(at + 1, self._levels.index(style) + 1, self._at(at).strip())
        return index + count

    def _explicit(self, index: int, indent: int, bare: str) -> tuple[int, int]:
        """Pass over a comment, target or directive; return the next index, and the column of prose."""
        directive = _DIRECTIVE.match(bare)
        if directive and directive[1].lower() in _PROSE:
            if directive[2] and directive[1] not in ("admonition", "versionadded"):
                self._built.text(index + 1, directive[2])
            below = index + 1
            while below < len(self._lines) and not self._lines[below]:
                below += 1
            inner = len(self._at(below)) - len(self._at(below).lstrip())
            return index + 1, inner if inner > indent else 0
        return self._behind(index + 1, indent), indent or 0

    def _behind(self, index: int, indent: int) -> int:
        """Return the index of the next line that is indented no further."""
        while index < len(self._lines):
            line = self._lines[index]
            if line and len(line) - len(line.lstrip()) <= indent:
                break
            index += 1
        return index

    def _at(self, index: int) -> str:
        return self._lines[index] if index < len(self._lines) else ""


def _adorns(line: str) -> bool:
    return len(line) > 2 and line[0] in _ADORNMENT and line == line[0] * len(line)
