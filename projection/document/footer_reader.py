"""Read one bullet of `continuity.md` or an archive page: its checkbox, its text, its footer.

A footer is the last line of a bullet, or stands above what somebody wrote below it (A10). The nested
entries of a contradicted fact, and those under Contradictions, are read only in the form in which `render`
writes them; anything else is text.
"""

from __future__ import annotations

from ledger.model.session import META_KEYS
from projection.document import page_renderer
from projection.fold.fact_history import Version

Pairs = tuple[tuple[str, str], ...]
BLANK = " \t\r"
#: What a comment must name to be a footer.
_FOOTER_KEYS = frozenset((*META_KEYS, *page_renderer.COMPUTED_KEYS, "version", "log"))


def read_item(lines: list[str]) -> tuple[str, str, Pairs | None, int]:
    """Split an item into checkbox, text, footer, and the footer's index (negative: text follows)."""
    last = len(lines) - 1
    while last and not lines[last].strip(BLANK):
        last -= 1
    at = last
    pairs = read_footer(lines[last]) if last else None
    if pairs is None and last and lines[last].rstrip(BLANK).endswith("-->"):
        lines, last = _in_one_line(lines, last)
        pairs, at = read_footer(lines[last]) if last else None, last
    if pairs is None:
        # a block keeps its identity when somebody writes a paragraph below its footer
        begin = lines[0][2:].strip(BLANK)
        if page_renderer.is_boxed(begin):
            begin = begin[4:].strip(BLANK)
        at = max(footers_inside([begin, *lines[1 : last + 1]]), default=0)
        pairs = read_footer(lines[at]) if at else None
    first = lines[0][2:].lstrip(" ") or lines[0][2:]
    cut = min(len(lines[0]) - len(first), 4)  # an editor may have made the bullet wider
    rest = [_dedent(line, cut) for n, line in enumerate(lines[1 : last + 1], 1) if n != at]
    if pairs is None:  # written by hand: no byte of it has to be kept
        joined = "\n".join([line.removesuffix("\r") for line in (first, *rest)])
        first, *rest = joined.strip(" \t\r\n").split("\n")
        at = 0
    mark = ""
    if page_renderer.is_boxed(first):
        mark = " " if first[1] == " " else "x"
        first = first[4:]
    elif first[:1] == "\\" and page_renderer.is_boxed(first.lstrip("\\")):
        first = first[1:]
    text = "\n".join([first, *rest])
    if pairs is None:
        text = text.strip(" \t\r\n")
    return mark, text, pairs, -at if at < last else at


def _dedent(line: str, cut: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[1:] if line[:1] == "\t" else line[min(blanks, cut) :]


def read_footer(line: str) -> Pairs | None:
    """Read a line as a footer, or return None: it is text.

    Six blanks or more before it make it code in an item.
    """
    bare = line.strip(BLANK)
    if not (bare.startswith("<!--") and bare.endswith("-->") and len(bare) >= 7):
        return None
    indent = line[: line.index("<")]
    if len(indent) > 5 or ("\t" in indent and indent != "\t"):
        return None
    inner = bare[4:-3]
    if "-->" in inner or ":" not in inner:
        return None
    pairs = []
    for part in inner.split("|"):
        key, colon, value = part.partition(":")
        key, value = key.strip(BLANK), value.strip(BLANK)
        pairs.append((key, value) if colon else ("", key))
    if not any(key in _FOOTER_KEYS for key, _ in pairs):
        return None
    return tuple(pairs)


def _in_one_line(lines: list[str], last: int) -> tuple[list[str], int]:
    """Put a comment that an editor broke into several lines at the end of an item into one."""
    begin = last
    while begin > 1 and "<!--" not in lines[begin]:
        begin -= 1
    joined = " ".join([line.strip(BLANK) for line in lines[begin : last + 1]])
    if begin == last or read_footer(joined) is None:
        return lines, last
    return [*lines[:begin], f"  {joined}"], begin


def footers_inside(lines: list[str]) -> dict[int, Pairs]:
    """Return the footers among the lines of a bullet, outside closed code fences, by their index."""
    maybe = [n for n, line in enumerate(lines) if n and line.lstrip(BLANK)[:4] == "<!--"]
    if not maybe:
        return {}
    from ledger.codec.outline_by_lines import code_lines

    code = code_lines(lines)
    found = {number: read_footer(lines[number]) for number in maybe if number not in code}
    return {number: pairs for number, pairs in found.items() if pairs is not None}


def read_versions(text: str) -> tuple[Version, ...]:
    """Read the nested items of a contradicted fact; () if one of them is not in its form."""
    head, _, below = text.partition("\n- ")
    lines = f"- {below}".split("\n")
    starts = [number for number, line in enumerate(lines) if line[:1] == "-"]
    if not starts or starts[0] != 0:
        return ()
    if any(line[:1] not in ("", " ", "-") for line in lines):
        return ()
    versions = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        mark, body, pairs, at = read_item(lines[start:end])
        if pairs is None or at < 0 or mark or [key for key, _ in pairs] != ["version", "log"]:
            return ()
        versions.append(Version(pairs[0][1], body, pairs[1][1]))
    said = " ".join(head.split())
    number = said[len(page_renderer.LEAD) :].partition(" ")[0]
    return tuple(versions) if number.isalnum() and said == page_renderer.lead(number) else ()


def unwrapped(text: str) -> str:
    """Return an entry under Contradictions as it was before an editor wrapped its lines."""
    out: list[str] = []
    for line in text.split("\n"):
        bare = line.strip(BLANK)
        if out and bare[:2] != "- ":
            out[-1] += f" {bare}"
        else:
            out.append(bare)
    return "\n".join(out)
