"""Decide which moves of a task stand, in ledger order, as texts are folded.

Nothing here knows who saw what but by what they name: a move names the logs whose moves it saw. Keeps
invariant F11 of FORMAT.md.
"""

from __future__ import annotations

from ledger.model.event import FactCreated, FactMoved, ThreadClosed, ThreadReopened
from ledger.model.order import is_stem, stem_in
from ledger.model.record import Record
from ledger.model.task_states import CLOSING, DONE, STATES, TODO
from projection.fold.fact_history import NOBODY, Act, Move, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Said(Record):
    """What one event says of the state of a task."""

    state: str  #: to which it goes
    key: str  #: of the log
    #: the stems of the logs whose moves that answers, None for all that stand
    was: tuple[str, ...] | None
    by: Signature = NOBODY  #: who wrote the log
    moved: bool = False  #: it is a `Moved`


def moves_said(acts: Iterable[Act]) -> Iterator[Said]:
    """Yield what was said of the state of a task, in the order of the events.

    A ticked box at birth is `done`, and answers nothing; of several births the first with a box counts.
    """
    boxed = False
    for key, _, event, by in acts:
        if isinstance(event, FactMoved):
            yield Said(event.state, key, event.was, by, moved=True)
        elif isinstance(event, ThreadClosed):
            was = None if event.was is None else tuple(filter(is_stem, event.was))
            yield Said(DONE, key, was, by)
        elif isinstance(event, ThreadReopened):
            yield Said(TODO, key, None, by)
        elif isinstance(event, FactCreated) and event.mark and not boxed:
            boxed = True
            if event.mark == "x":
                yield Said(DONE, key, (), by)


def standing_moves(acts: Iterable[Act]) -> tuple[Move, ...]:
    """Return the moves of a task that stand."""
    moves = Moves()
    for said in moves_said(acts):
        moves.move(said)
    return moves.standing()


class Moves:
    """The moves that stand, right after every step."""

    def __init__(self) -> None:
        self._standing: dict[
            str, dict[str, list[Move]]
        ] = {}  # by the stem, and the key, of their logs

    def move(self, said: Said) -> None:
        """Let a move stand; those that it names no longer do, but for those of its own log."""
        state, key, was, by, _ = said
        for name in list(self._standing) if was is None else was:
            there = self._standing.pop(name, {})
            if key in there:
                self._standing[name] = {key: there[key]}
        own = self._standing.setdefault(stem_in(key), {}).setdefault(key, [])
        if all(move.state != state for move in own):
            own.append(Move(state, key, by.agent, by.session))

    def standing(self) -> tuple[Move, ...]:
        """Return what stands, in ledger order; several of one log in that of the states."""
        found = [
            move for keys in self._standing.values() for moves in keys.values() for move in moves
        ]
        return tuple(sorted(found, key=lambda move: (move.stem, STATES.index(move.state))))


def closed_by(moves: tuple[Move, ...]) -> str:
    """Return the log since which all that stands closes a task, "" where not all of it does."""
    if not moves or any(move.state not in CLOSING for move in moves):
        return ""
    return moves[-1].stem
