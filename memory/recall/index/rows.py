"""Define the rows of the index: where passages, facts and questions of a log have their places."""

from __future__ import annotations

from ledger.model.record import Record
from memory.cache.sqlite import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: A row's number is that of its log, and behind it the place in the log.
PLACE_BITS = 16
PLACES = (1 << PLACE_BITS) - 1
#: Where the facts of a log begin, and how far they stand apart: they have no neighbours.
FACTS_FROM, FACTS_APART = 1 << 14, 4
#: Set in the place of a question behind which a session used a fact (W13): it is found like its text.
QUESTIONS_BIT = 1


class IndexDamaged(Exception):
    """The index's file can not be read, or is of another version: build it anew."""


class Piece(Record):
    """A passage as the index keeps it, behind `skip` characters of its line; `fact` is the id of one."""

    line: int
    chars: int
    fact: str = ""
    skip: int = 0
    listed: bool = False  #: it is of what a machine saw: files and commands, one after the other


class LogRow(Record):
    """A log as the index keeps it."""

    stem: str  #: its key in the set, `STEM~BLOB` for the second log of a name
    blob: str  #: the object whose bytes were indexed
    day: str
    agent: str
    role: str
    branch: str
    pieces: tuple[Piece, ...]  #: its passages of prose, in order
    facts: tuple[Piece, ...]  #: those that hold a fact's text
    questions: tuple[Piece, ...] = ()  #: those that hold the questions behind which a fact was used

    def at(self, place: int) -> Piece | None:
        """Return the passage at a place, None when there is none."""
        some = self.pieces
        if place >= FACTS_FROM:
            some = self.questions if is_question(place) else self.facts
            place = (place - FACTS_FROM) // FACTS_APART
        return some[place] if place < len(some) else None


def is_question(row: int) -> bool:
    """Tell whether a row, or a place, is of the questions behind which a fact was used."""
    return row & PLACES >= FACTS_FROM and bool(row & QUESTIONS_BIT)


def log_row(row: tuple[Any, ...]) -> LogRow:
    """Return a log from what the file has of it."""
    *said, packed = row
    return LogRow(*said, *unpack(packed, _pieces))


def _pieces(packed: Iterable[Iterable[Any]]) -> list[tuple[Piece, ...]]:
    new = tuple.__new__  # there are thousands: the constructor takes thrice as long
    return [tuple([new(Piece, one) for one in some]) for some in packed]
