"""Keep where the characters of a text come from that was made of another, and what of it was changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

#: How far from an edit it bears on what is a secret, and what stands around that to judge it by.
_REACH, _ROOM = 400, 800


class View:
    """A text that was made of another one, and where its characters come from.

    Args:
        text: of the view.
        starts: where each run of it begins.
        origins: where that run begins in the other text.
        ends: where it ends there; a run as long as that is copied, any other stands for it as a whole.
    """

    def __init__(self, text: str, starts: list[int], origins: list[int], ends: list[int]) -> None:
        self.text = text
        self._starts, self._origins, self._ends = starts, origins, ends

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the other text that a place of the view comes from."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        begin, stop = self._origins[first], self._ends[last]
        if self._is_copied(first):
            begin += start - self._starts[first]
        if self._is_copied(last):
            stop = self._origins[last] + end - self._starts[last]
        return begin, stop

    def place(self, at: int) -> int:
        """Return the place in the view of a place of the other text."""
        run = max(0, bisect_right(self._origins, at) - 1)
        return self._starts[run] + at - self._origins[run] if self._starts else 0

    def edits(self) -> list[int]:
        """Return where runs meet in the view, and its ends."""
        return [0, *self._starts, len(self.text)]

    def is_joined(self, start: int, end: int) -> bool:
        """Tell whether a place of the view was two places before: runs meet in it."""
        begin, stop = self.span(start, end)
        return stop - begin != end - start

    def cut_before(self, end: int) -> int:
        """Return where the run begins that holds the character before a place."""
        return self._starts[bisect_right(self._starts, end - 1) - 1]

    def _is_copied(self, run: int) -> bool:
        behind = self._starts[run + 1] if run + 1 < len(self._starts) else len(self.text)
        return behind - self._starts[run] == self._ends[run] - self._origins[run]


def place_in_source(views: list[View], start: int, end: int) -> tuple[int, int]:
    """Return the place in the first text that a place in the last view comes from."""
    for view in reversed(views):
        start, end = view.span(start, end)
    return start, end


def parts_edited(text: str, views: Sequence[View]) -> list[tuple[int, int, int, int]]:
    """Return the parts of the last view that edits bear on, in whole lines.

    Returns:
        Of each part where it begins and ends, and where in it what the edits bear on does.
    """
    places: list[int] = []
    for view in views:
        places = [*map(view.place, places), *view.edits()]
    if "-----BEGIN " in text or "Private-Lines:" in text:
        return [(0, len(text), 0, len(text))]  # a key has any length
    parts: list[tuple[int, int, int, int]] = []
    begin = first = last = stop = 0
    for at in sorted({*places, len(text)}):
        start = text.rfind("\n", 0, max(0, at - _ROOM)) + 1 if at - _ROOM > stop else stop
        if start > stop:
            parts.append((begin, stop, first, last))
            begin, first = start, at - _REACH
        last = at + _REACH
        if at + _ROOM > stop < len(text):
            end = text.find("\n", at + _ROOM)
            stop = end if end >= 0 else len(text)
    return [*parts, (begin, stop, first, last)]
