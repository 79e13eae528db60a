"""Take out of a text what nothing may keep: `<private>…</private>`. Linear in the text."""

from __future__ import annotations

_TAG = "private"
#: How far from its bracket the name of the tag stands, and how far the tag goes on behind it.
_BEFORE, _BEHIND = 4, 80


def without_private(text: str) -> str:
    """Return a text without what stands between `<private>` and its end, whatever is between them.

    A tag that is not closed goes on to the end; one of code, between back-ticks, is none.
    """
    low = text.translate(_LOWER)
    if _TAG not in low:
        return text
    parts: list[str] = []
    start = depth = 0
    at = low.find(_TAG)
    while at >= 0:
        found = _tag(low, at)
        if found is not None:
            opened, closes, end = found
            if not closes:
                if not depth:
                    parts.append(text[start:opened])
                depth += 1
            elif depth:
                depth -= 1
                start = end
            else:  # the end of one that began elsewhere
                parts.append(text[start:opened])
                start = end
        at = low.find(_TAG, at + len(_TAG))
    return "".join(parts) + (text[start:] if not depth else "") if parts else text


_LOWER = {ord(char): char.lower() for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _tag(low: str, at: int) -> tuple[int, bool, int] | None:
    """Return where the tag begins whose name stands at a place, whether it closes one, and its end."""
    head = low[max(0, at - _BEFORE - 2) : at].rstrip(" ")
    closes = head.endswith("/")
    head = head[:-1].rstrip(" ") if closes else head
    mark = next((one for one in ("<", "&lt;") if head.endswith(one)), "")
    if not mark:
        return None
    opened = low.rfind(mark, 0, at)
    stop, behind = (">", 1) if mark == "<" else ("&gt;", 4)
    near = low[at + len(_TAG) : at + len(_TAG) + _BEHIND]
    end = near.find(stop)
    if (
        end < 0
        or (near[:1] not in (" ", "/", "\t", "\n") and end)
        or low[opened - 1 : opened] == "`"
    ):
        return None
    if near[:end].endswith("/") and not closes:
        return None  # `<private/>` holds nothing
    return opened, closes, at + len(_TAG) + end + behind
