"""Draw what stands below a picture over time: releases above, months below, each leads to its point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ledger.model.record import Record

_ROW = 17  #: how high a row of names is
#: How much of the width a letter takes, in per cent: on a wide screen at least, and on the narrowest.
WIDE, NARROW = 1.0, 2.2
#: From here to the edges a name stands beside its mark.
_EDGE = 6.0
_NAME_CHARS = 20


class Tick(Record):
    """A mark below it."""

    session: int  #: after which it stands
    name: str
    at: str  #: how an address names the point


def ticks(rows: Sequence[Sequence[Tick]], sessions: int, url: Callable[..., str]) -> str:
    """Draw marks in rows, oldest first; a name that has no room is left out, of older ones first.

    Places are in per cent, so this is as wide as what stands above it; names of the class `roomy` have no
    room on a narrow screen. Each is said by a field beside it as well: the keyboard passes it by.
    """
    shown = [row for row in rows if row]
    parts = []
    for number, row in enumerate(shown):
        below = number * _ROW
        free = dict.fromkeys((WIDE, NARROW), 101.0)
        for one in reversed(row):
            x = 100 * one.session / max(sessions, 1)
            name = one.name if len(one.name) <= _NAME_CHARS else f"{one.name[: _NAME_CHARS - 1]}…"
            anchor = "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"
            fits = [_fits(letter, x, anchor, len(name), free) for letter in (WIDE, NARROW)]
            roomy = "" if fits[1] else ' class="roomy"'
            place = f'x="{x:.2f}%" y="{below + 15}" text-anchor="{anchor}"'
            said = f"<text{roomy} {place}>{escape(name)}</text>"
            parts.append(
                f'<a href="{url("/", as_of=one.at)}" tabindex="-1"><title>{escape(one.name)}</title>'
                f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{below}" y2="{below + 5}"/>'
                f"{said if fits[0] else ''}</a>"
            )
    height = _ROW * len(shown)
    return (
        f'<svg class="moments" width="100%" height="{height}" role="group"'
        f' aria-label="Tags and months">{"".join(parts)}</svg>'
    )


def _fits(letter: float, x: float, anchor: str, chars: int, free: dict[float, float]) -> bool:
    """Tell whether a name has room before the one behind it, and take that room."""
    wide = letter * (chars + 1)
    left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
    if left + wide > free[letter] or left < 0:
        return False
    free[letter] = left
    return True
