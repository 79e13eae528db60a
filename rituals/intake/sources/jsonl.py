"""Read JSON lines: an object a line, with whatever of text, kind, date, author and id it has."""

from __future__ import annotations

from rituals.intake.intake_items import LeftOut, Reading
from rituals.intake.sources.object_items import reading_of
from rituals.intake.sources.source_files import text_of
from rituals.intake.sources.source_table import Ground

_SOURCE = "jsonl"
FILE_LIMIT_BYTES = 64 << 20


def places(ground: Ground) -> tuple[str, ...]:
    """Nothing lies anywhere by default: the user names a file."""
    return ()


def read(place: str, ground: Ground) -> Reading:
    """Read one file."""
    name = place.rpartition("/")[2]
    text = text_of(place, name, limit=FILE_LIMIT_BYTES)
    if isinstance(text, LeftOut):
        return Reading(_SOURCE, (), (text,))
    return reading_of(_SOURCE, name, text)
