"""The one door to rapidfuzz, which costs 20 ms to load: only when spelling has to be compared."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def ratio(one: str, two: str) -> float:
    """Return how alike two words are spelled, 0 to 100."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one, two)


def nearest(name: str, names: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the names that are spelled nearly like one, best first."""
    from rapidfuzz import fuzz, process

    found = process.extract(name, names, scorer=fuzz.ratio, limit=count, score_cutoff=70)
    return tuple(sorted((one for one, _, _ in found), key=lambda n: -fuzz.ratio(name, n)))
