"""Draw when something was used as a row of bars, the oldest sessions on the left."""

from __future__ import annotations

from collections.abc import Sequence

_BARS, _PITCH, _HEIGHT = 24, 3, 18
_LEAST = 2  #: pixels of a bar that is not empty


def sparkline(uses: Sequence[int], sessions: int) -> str:
    """Draw the uses of a fact over all sessions, from the numbers, 0 on, of those that used it."""
    counts = [0] * _BARS
    for number in uses:
        counts[min(number * _BARS // max(sessions, 1), _BARS - 1)] += 1
    most = max(*counts, 1)
    bars = "".join(
        f"M{at * _PITCH + 1} {_HEIGHT}v-{max(_LEAST, round(count * _HEIGHT / most))}"
        for at, count in enumerate(counts)
        if count
    )
    width = _BARS * _PITCH
    label = f"used in {len(uses)} of {sessions} session{'s' if sessions != 1 else ''}"
    return (
        f'<svg class="spark" width="{width}" height="{_HEIGHT}" role="img" aria-label="{label}">'
        f'<path d="{bars}"/><title>{label}, the newest on the right</title></svg>'
    )
