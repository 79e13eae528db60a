"""Read facts from piped text: one for each line, or for each bullet where there are bullets."""

from __future__ import annotations

import re
from textwrap import dedent

from ledger.errors import WrongUsage
from projection.policy.model import THREAD_KIND

_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"\[([ xX])\][ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t]|```|~~~")
_WHOLE_LOG = "a whole log, with headings and prose, is what `diurna append -` reads"


def texts_of(piped: str) -> tuple[str, ...]:
    """Return the facts that a text holds, as `diurna note` takes them.

    A bullet goes on with what is indented below it; an open checkbox makes a thread of it.

    Raises:
        WrongUsage: a line belongs to no fact, or a fact is a thread that is done.
    """
    lines = dedent(piped.replace("\r\n", "\n")).split("\n")
    bulleted = any(_BULLET.match(line) for line in lines)
    found: list[list[str]] = []
    fresh = True  # whether nothing that a line could continue stands right above it
    for number, line in enumerate(lines, 1):
        bullet = _BULLET.match(line)
        if bullet:
            found.append([_boxed(line[bullet.end() :], number)])
        elif not line.strip():
            if bulleted and found:
                found[-1].append("")
        elif _HEADING.match(line) or (bulleted and fresh and line[:1].strip()):
            raise WrongUsage(f"line {number} is no fact", where="standard input", hint=_WHOLE_LOG)
        elif bulleted and found:
            found[-1].append(line)
        else:
            found.append([line.strip()])
        fresh = not line.strip() or not found
    return tuple(_joined(first, rest) for first, *rest in found)


def _boxed(text: str, number: int) -> str:
    """Read the checkbox of a bullet."""
    box = _BOX.match(text)
    if box is None:
        return text
    if box[1] != " ":
        raise WrongUsage(
            f"line {number} is a thread that is done", where="standard input",
            hint="leave it out; `diurna append --close ID` closes a thread that memory has",
        )  # fmt: skip
    text = text[box.end() :]
    return text if text.startswith(f"{THREAD_KIND}:") else f"{THREAD_KIND}: {text}"


def _joined(first: str, rest: list[str]) -> str:
    return f"{first}\n{dedent(chr(10).join(rest))}".rstrip()
