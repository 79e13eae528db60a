"""Read AsciiDoc as sections and passages; listings, quotations and comments are passed over."""

from __future__ import annotations

import re

from rituals.intake.harvest.harvested_document import Builder, Document, outside_code, squeezed

_HEADING = re.compile(r"(={1,6})\s+(.*)$")
_ATTRIBUTE = re.compile(r":([A-Za-z][\w-]*):(?:\s+(.*))?$")
_ITEM = re.compile(r"([*.]{1,5}|-|\d{1,3}\.)\s+")
# what a search begins again with ends the part before it, or that part has a limit: no place is read twice
_LINK = re.compile(r"(?:link:|xref:|mailto:|https?://)[^\s\[\]]{0,500}\[([^\]\[]*)\]")
_CROSS = re.compile(r"<<[^,<>]*+(?:,\s*+([^<>]*+))?>>")
_STRESS = re.compile(r"(?<![\w*_])([*_]{1,2})(?=\S)([^*_]+?)(?<=\S)\1(?![\w*_])")
_LABEL = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+")
_HIDING = re.compile(r"(?:-{4,}|\.{4,}|_{4,}|\+{4,}|/{4,}|```.*)$")


def plain_asciidoc(text: str) -> str:
    """Return a text as it reads: links as their words, no marks of type outside of code."""
    text = _CROSS.sub(lambda cross: cross[1] or "", _LINK.sub(r"\1", text))
    text = text.replace("`+", "`").replace("+`", "`")
    return squeezed(outside_code(text, lambda said: _STRESS.sub(r"\2", said)))


def read_asciidoc(path: str, text: str) -> Document:
    """Read a document."""
    built = Builder(path, plain_asciidoc)
    hidden, table = "", False
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if hidden:
            hidden = "" if bare == hidden else hidden
        elif _HIDING.match(bare):
            built.close()
            hidden = "```" if bare.startswith("```") else bare
        elif bare.startswith("|==="):
            built.close()
            table = not table
        elif table:
            if bare.startswith("|"):
                built.row(number, bare.strip("| ").split("|"))
        elif not bare or bare.startswith(("//", "[", "====", "****")) or bare == "+":
            built.close()
        elif attribute := _ATTRIBUTE.match(bare):
            built.field(attribute[1], attribute[2] or "", number)
        elif heading := _HEADING.match(line):
            built.heading(number, len(heading[1]), heading[2])
        elif line[:1] == " " and not built.is_open and not _ITEM.match(bare):
            pass  # a literal paragraph
        elif (item := _ITEM.match(bare)) and not bare[item.end() :].startswith("*"):
            built.item(number, bare[item.end() :], len(item[1]))
        elif bare.startswith(".") and not built.is_open:
            pass  # the title of a block
        else:
            built.text(number, _LABEL.sub("", bare, count=1))
    return built.built()
