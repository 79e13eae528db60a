"""Draw what stands below a slider: releases above, months below, each a link to its point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ledger.model.record import Record

#: How high a row of names is, and how much of the width a letter takes where that is least, in per cent.
_ROW, _LETTER = 17, 1.7
#: From here to the edges a name stands beside its mark.
_EDGE = 6.0
_NAME_CHARS = 20


class Tick(Record):
    """A mark on the slider."""

    session: int  #: after which it stands
    name: str
    at: str  #: how an address names the point


def ticks(rows: Sequence[Sequence[Tick]], sessions: int, url: Callable[..., str]) -> str:
    """Draw marks in rows, oldest first; a name that has no room is left out, of older ones first.

    Places are in per cent, so the picture is as wide as the slider. Each is said by a field beside it as
    well: the keyboard passes it by.
    """
    shown = [row for row in rows if row]
    parts = []
    for number, row in enumerate(shown):
        below = number * _ROW
        free = 100.0 + 2 * _LETTER
        for one in reversed(row):
            x = 100 * one.session / max(sessions, 1)
            name = one.name if len(one.name) <= _NAME_CHARS else f"{one.name[: _NAME_CHARS - 1]}…"
            wide = _LETTER * (len(name) + 1)
            anchor = "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"
            left = x if anchor == "start" else x - wide if anchor == "end" else x - wide / 2
            said = ""
            if left + wide <= free:
                free = left
                said = f'<text x="{x:.2f}%" y="{below + 15}" text-anchor="{anchor}">{escape(name)}</text>'
            parts.append(
                f'<a href="{url("/then", at=one.at)}" tabindex="-1"><title>{escape(one.name)}</title>'
                f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{below}" y2="{below + 5}"/>{said}</a>'
            )
    height = _ROW * len(shown)
    return (
        f'<svg class="moments" width="100%" height="{height}" role="group"'
        f' aria-label="Marks below the slider">{"".join(parts)}</svg>'
    )
