"""Define the place of a secret in a text, without its value, and what a text was made of.

What nothing may keep is taken out of a text here too: `<private>…</private>`, linear in the text.
"""

from __future__ import annotations

from _bisect import bisect_right

from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import Any

SECRET, PERSONAL = "secret", "personal"
#: The rule for what only its look behind a label tells.
LABELLED = "labelled-value"
#: The rule for what is drawn as tokens are, of whatever vendor.
OPAQUE = "opaque-token"
#: The rules for personal data; every other rule is for secrets.
PERSONAL_RULES = ("home-path",)


class _Expression:
    """A regular expression that is compiled when it is first asked: most texts ask few of them."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        import re  # a hook and most notes ask for none

        found = getattr(re.compile(self._pattern), name)
        setattr(self, name, found)
        return found


def expression(pattern: str) -> re.Pattern[str]:
    """Return a regular expression that costs nothing until it is asked; its flags stand in it."""
    return _Expression(pattern)  # type: ignore[return-value]


class Hit(Record):
    """Where a value stands in a text, and what it is."""

    rule: str  #: which kind of value, `github-token` for instance
    start: int  #: of the value, in characters
    end: int  #: behind it
    shown: str  #: what may be printed of it: the vendor's public mark and the length, `ghp_…(40)`

    @property
    def kind(self) -> str:
        """`secret` or `personal`."""
        return PERSONAL if self.rule in PERSONAL_RULES else SECRET


def hit(rule: str, start: int, end: int, mark: str = "") -> Hit:
    """Describe a value; of the value itself only `mark`, which is the same for everybody, is kept."""
    return Hit(rule, start, end, f"{mark}…({end - start})")


def places(text: str, mark: str) -> Iterator[int]:
    """Yield where a mark stands in a text, none of them in another one."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def apart(found: list[Hit]) -> tuple[Hit, ...]:
    """Order hits and leave out those inside another; of two that overlap the first found stays."""
    if len(found) < 2:
        return tuple(found)
    taken = bytearray(max([one.end for one in found]))
    kept: list[Hit] = []
    for one in found:
        if taken.find(1, one.start, one.end) < 0:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


class View:
    """A text that was made of another one, and where its characters come from.

    Args:
        text: of the view.
        starts: where each run of it begins, and where the last one ends.
        origins: where that run begins in the other text.
        ends: where it ends there; a run as long as that is copied, any other stands for it as a whole.
    """

    def __init__(self, text: str, starts: list[int], origins: list[int], ends: list[int]) -> None:
        self.text = text
        self.starts, self._origins, self._ends = starts, origins, ends

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the other text that a place of the view comes from."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        begin, stop = self._origins[first], self._ends[last]
        if self._is_copied(first):
            begin += start - self.starts[first]
        if self._is_copied(last):
            stop = self._origins[last] + end - self.starts[last]
        return begin, stop

    def _is_copied(self, run: int) -> bool:
        return self.starts[run + 1] - self.starts[run] == self._ends[run] - self._origins[run]


def place_in_source(views: list[View], start: int, end: int) -> tuple[int, int]:
    """Return the place in the first text that a place in the last view comes from."""
    for view in reversed(views):
        start, end = view.span(start, end)
    return start, end


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
