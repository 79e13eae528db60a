"""Define what is told of the life of a fact, and keep track of one while it is walked."""

from __future__ import annotations

from functools import lru_cache

from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from projection.fold.projection_state import ARCHIVED_TIERS, CLOSED, FADED, INVALIDATED, SUPERSEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import Fact

#: What can happen to a fact, beside `faded`, `superseded`, `invalidated` and `closed` of `state`.
RETURNED, REINSTATED = "returned", "reinstated"
_DAY_MS = 86_400_000


class Moment(Record):
    """Something that happened to a fact."""

    what: str  #: `faded`, `returned`, `superseded`, `invalidated`, `reinstated` or `closed`
    stem: str  #: the log at which it did; for what the clock did alone, the work log that moved it
    session: int  #: how many work logs there were, that one included
    age_sessions: int  #: work logs behind the birth by then
    age_days: int  #: calendar days since the birth


class Life(Record):
    """One fact from its birth to where it stands at the end."""

    id: str  #: of the fact
    kind: str  #: of it, at the end
    agent: str  #: who wrote the log of its birth, "" where nobody is named
    born: str  #: where age counts from; compares with stems
    session: int  #: how many work logs there were then
    uses: int  #: logs that use it (F4)
    last: str  #: the newest of them, "" if none
    tier: str  #: at the end
    reason: str  #: why it is archived then, "" for a live one
    moments: tuple[Moment, ...]  #: what happened, oldest first
    #: (session, tier) for each session at whose end it stood in another tier than before
    spans: tuple[tuple[int, str], ...]


class Track:
    """What happened to one fact so far.

    Args:
        born: where its age counts from.
        birth: how many work logs there were then.
    """

    def __init__(self, born: str = "", birth: int = 0) -> None:
        self.moments: list[Moment] = []
        self.spans: list[tuple[int, str]] = []
        self.tier = ""
        self._born, self._birth = born, birth
        self._closed = True  # one that is closed at birth was not closed by anything

    def step(self, fact: Fact, session: int, stem: str, tier: str, birth: int) -> None:
        """Note where the fact stands from a log on.

        `session` is how many work logs there are then, `birth` how many there were when it was born.
        """
        self._born, self._birth = fact.born, birth
        if tier != self.tier:
            self.turn(session, stem, tier, superseded=bool(fact.superseded_by))
        if fact.closed and not self._closed:
            self._note(CLOSED, session, stem)
        self._closed = fact.closed

    def turn(self, session: int, stem: str, tier: str, *, superseded: bool = False) -> None:
        """Note that the fact stands in another tier from a log on."""
        before, self.tier = self.tier, tier
        if tier == "archived":
            self._note(FADED, session, stem)
        elif tier == "superseded":
            self._note(SUPERSEDED if superseded else INVALIDATED, session, stem)
        elif before in ARCHIVED_TIERS:
            self._note(RETURNED if before == "archived" else REINSTATED, session, stem)
        if self.spans and self.spans[-1][0] == session:
            self.spans.pop()
        self.spans.append((session, tier))

    def _note(self, what: str, session: int, stem: str) -> None:
        days = _day_of(stem[:10]) - _day_of(self._born[:10])
        age = max(session - self._birth, 0)
        self.moments.append(Moment(what, stem, session, age, max(days, 0)))


@lru_cache(maxsize=4096)
def _day_of(date: str) -> int:
    """Return the number of a day; moments of many facts share it."""
    return milliseconds_of(date) // _DAY_MS
