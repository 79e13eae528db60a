"""Find the lines that an unsettled merge left in a text, in git's plain style and in `diff3`."""

from __future__ import annotations

_OURS, _BASE, _PARTED, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def marker_line(text: str) -> int:
    """Return the number of the first line that a merge left, 0 where there is none.

    One of them is enough: who settles a conflict by hand forgets one. What closed code quotes is only a
    quotation, seven bars may be a row of a table, and seven `>` a quote, unless a `=======` stands above.
    """
    if _OURS not in text and _BASE not in text and _THEIRS not in text:
        return 0
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = [
        number
        for number, line in enumerate(lines)
        if line == _PARTED
        or (line[:7] == _BASE and line[7:8] == " " and "|" not in line[7:])
        or (line[:7] in (_OURS, _THEIRS) and line[7:8] in ("", " "))
    ]
    if not found:
        return 0
    from ledger.codec.outline import outline

    hidden = iter((*outline(lines).hidden, (len(lines), len(lines))))
    begin, end = next(hidden)
    parted = False
    for number in found:
        while end <= number:
            begin, end = next(hidden)
        if begin <= number:
            continue
        start = lines[number][:7]
        if start == _PARTED:
            parted = True
        elif start != _THEIRS or parted:
            return number + 1
    return 0
