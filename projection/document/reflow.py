"""See through what editors do to a page and say nothing by: wrapped lines, blanks, wide bullets."""

from __future__ import annotations

import re

from ledger.codec.fact_blocks import tidy

_FENCES = ("```", "~~~")
#: A bullet whose text stands further right than Diurna writes it.
_WIDE = re.compile(r"([-*+])( {2,4})(?=[^ ])")
#: What begins a line that markdown does not join to the one before.
_STRUCTURE = re.compile(r"[-*+>#|=]|\d+[.)]|<!--")


def flowed(text: str) -> str:
    """Return a text with its lines as markdown joins them, to compare it with another."""
    first, *rest = tidy(text.replace("\r\n", "\n").removesuffix("\r")).split("\n")
    out, code = [" ".join(first.split())], first[:3] in _FENCES
    for line in rest:
        words = " ".join(line.split())
        fence = words[:3] in _FENCES
        if code or fence or (line[:4] == "    " and not out[-1]):
            out.append(line)
            code ^= fence
        elif not words:
            out += [""] * bool(out[-1])
        elif (
            not out[-1] or out[-1][-1] == "\\" or out[-1][:3] in _FENCES or _STRUCTURE.match(words)
        ):
            out.append(line[: len(line) - len(line.lstrip(" "))] + words)
        else:
            out[-1] += f" {words}"
    return "\n".join(out)


def narrowed(text: str) -> str:
    """Return a page with its bullets as wide as Diurna writes them, line for line."""
    mixed = "\r\n" in text
    lines, inset = text.split("\n"), 0
    for number, line in enumerate(lines):
        if mixed:
            line = line.removesuffix("\r")
        wide = _WIDE.match(line)
        if wide:
            inset = len(wide[2]) - 1
            line = f"{wide[1]} {line[wide.end() :]}"
        elif line[:1] not in ("", " ", "\t", "\r"):
            inset = 0
        elif inset and line[: inset + 2].strip(" ") == "":
            line = line[inset:]
        lines[number] = line
    return "\n".join(lines)
