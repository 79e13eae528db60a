"""Read and write the blocks of `## Facts`.

A block is one top-level list item whose last line is its footer comment. Only the last line is ever
read as a footer, and the lines of a text are always indented, so a text can not forge structure.
The text is stored dedented and without trailing spaces. Keeps invariants S9 to S12 of FORMAT.md.
"""

from __future__ import annotations

from ledger.codec.outline_by_lines import OVERLONG
from ledger.model.event import Meta
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.log_names import is_date
from ledger.model.record import Record
from ledger.model.session import META_KEYS

_DATE_KEYS = ("created", "last_used")
_RANK = {key: rank for rank, key in enumerate(META_KEYS)}
_MARKS = {"[ ] ": " ", "[x] ": "x", "[X] ": "x"}


class Block(Record):
    """One fact block; `line` is that of its bullet."""

    id: str
    text: str
    mark: str
    meta: Meta
    line: int


def read_facts(
    lines: list[str], first_line: int = 1, file: str = ""
) -> tuple[list[Block], list[Finding]]:
    """Read the lines behind the heading `## Facts`; what is no block becomes a finding."""
    blocks: list[Block] = []
    findings: list[Finding] = []
    begin: int | None = None
    after_blank = stray = False
    for index, line in enumerate(lines):
        if line[:2] == "- " or line[:2] in ("* ", "+ ") or line in ("-", "*", "+"):
            if begin is not None:
                _finish(lines[begin:index], first_line + begin, file, blocks, findings)
            begin = index
            after_blank = stray = False
        elif not line.strip(" \t"):
            after_blank = True
        elif begin is not None and (
            line[0] in " \t" or not (after_blank or is_footer(lines[index - 1].strip(" \t")))
        ):
            after_blank = False
        else:
            if begin is not None:
                _finish(lines[begin:index], first_line + begin, file, blocks, findings)
            begin = None
            if not stray:
                message = "a line among the facts that belongs to no fact"
                hint = "a fact is a `- ` bullet; indent what belongs to it by two spaces"
                findings.append(Finding("bad-footer", message, file, first_line + index, hint))
            stray = True
    if begin is not None:
        _finish(lines[begin:], first_line + begin, file, blocks, findings)
    return blocks, findings


def write_fact(id: str, text: str, mark: str, meta: Meta) -> str:
    """Write one block, without a final newline."""
    box = f"[{mark}] " if mark else ""
    if "\n" in text:
        text = "\n".join(line and "  " + line for line in text.split("\n"))[2:]
    return f"- {box}{text}\n  {write_footer(id, meta)}"


def write_footer(id: str, meta: Meta) -> str:
    """Write a footer comment."""
    return f"<!-- {' | '.join([f'id: {id}', *(f'{key}: {value}' for key, value in meta)])} -->"


def tidy(text: str) -> str:
    """Return a fact's text as it is stored: no trailing spaces, no blank lines around it."""
    text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    return text.strip("\n").lstrip(" \t")


def is_footer(text: str) -> bool:
    """Tell whether a stripped line has the form of a footer: one comment that names an id."""
    if text[:4] != "<!--" or text[-3:] != "-->":
        return False
    return any(part.partition(":")[0].strip() == "id" for part in text[4:-3].lower().split("|"))


def parse_footer(text: str) -> tuple[str, Meta, list[str]] | None:
    """Read a footer comment.

    Returns:
        id, the other keys in canonical order, and what is wrong with it; None when it is no footer.
    """
    if text[:4] != "<!--" or text.find("-->") != len(text) - 3:
        return None
    id = ""
    meta: list[tuple[str, str]] = []
    wrong: list[str] = []
    seen = set()
    for part in text[4:-3].split("|"):
        key, colon, value = part.partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon or not key:
            if part.strip():
                wrong.append(f"`{part.strip()[:60]}` is not `key: value`")
        elif key in seen:
            wrong.append(f"the key {key[:60]} stands twice; the first counts")
        else:
            seen.add(key)
            if key == "id":
                id = value
            elif value:
                meta.append((key, value.replace("\t", " ")))
    if "id" not in seen:
        return None
    return id, order_meta(meta), wrong


def order_meta(meta: list[tuple[str, str]] | Meta) -> Meta:
    """Put known keys into canonical order and unknown ones behind them, as found."""
    return tuple(sorted(meta, key=lambda pair: _RANK.get(pair[0], len(_RANK))))


def _finish(
    lines: list[str], first_line: int, file: str, blocks: list[Block], findings: list[Finding]
) -> None:
    """Read one item: its text and the footer that is its last line."""
    while not lines[-1].strip(" \t"):
        lines.pop()
    last = first_line + len(lines) - 1

    def find(code: str, message: str, hint: str = "") -> None:
        findings.append(Finding(code, message, file, last, hint))

    if OVERLONG in lines:
        find("line-too-long", "a fact with a line over the limit was not read")
        return
    parsed = parse_footer(lines[-1].strip(" \t")) if len(lines) > 1 else None
    if parsed is None:
        find("bad-footer", "a fact without a footer", "end it with `  <!-- id: some-id -->`")
        return
    id, meta, wrong = parsed
    if not is_fact_id(id):
        hint = "ids are lower-case words joined by hyphens or dots"
        find("bad-id", f"not a fact id: {id[:80]}", hint)
        return
    for what in wrong:
        find("bad-footer", what)
    for key, value in meta:
        if key in _DATE_KEYS and not is_date(value):
            find("bad-date", f"{key}: {value[:40]} is no calendar date; it is left out")
            meta = tuple(pair for pair in meta if pair[0] != key)
    first = lines[0][2:]
    mark = _MARKS.get(first[:4], "")
    if not mark and first in ("[ ]", "[x]", "[X]"):
        mark, first = _MARKS[first + " "], ""
    elif mark:
        first = first[4:]
    bare = first.lstrip(" \t")
    width = 2 if mark else 2 + min(len(first) - len(bare), 4)
    if len(lines) == 2:
        text = bare.rstrip(" \t")
    else:
        text = tidy("\n".join([bare, *[_dedent(line, width) for line in lines[1:-1]]]))
    if not text:
        find("bad-footer", f"the fact {id} has no text")
        return
    blocks.append(Block(id, text, mark, meta, first_line))


def _dedent(line: str, width: int) -> str:
    """Take away the indentation that belongs to the list item."""
    if line[:1] == "\t":
        return line[1:]
    return line[min(width, len(line) - len(line.lstrip(" "))) :]
