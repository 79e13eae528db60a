"""Keep where the characters of a text come from that was made of another, and what of it was changed."""

from __future__ import annotations

from bisect import bisect_right


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

    def cut_before(self, end: int) -> int:
        """Return where the run begins that holds the character before a place."""
        return self._starts[bisect_right(self._starts, end - 1) - 1]

    def _is_copied(self, run: int) -> bool:
        return self._starts[run + 1] - self._starts[run] == self._ends[run] - self._origins[run]


def place_in_source(views: list[View], start: int, end: int) -> tuple[int, int]:
    """Return the place in the first text that a place in the last view comes from."""
    for view in reversed(views):
        start, end = view.span(start, end)
    return start, end
