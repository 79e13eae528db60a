"""Define the projection as a value: facts with their tiers, and the numbers that the files show."""

from __future__ import annotations

from ledger.model.record import Record
from projection.fold.fact import Fact
from projection.policy.model import Policy

TIERS = ("core", "working", "active", "archive-candidate", "archived", "superseded")
#: The tiers whose facts never stand in `continuity.md`.
ARCHIVED_TIERS = ("archived", "superseded")

#: Why a fact stands in the archive.
FADED, SUPERSEDED, INVALIDATED, CLOSED = "faded", "superseded", "invalidated", "closed"
#: The same: a person put it away.
BY_HAND = "archived"


class DecayClock(Record):
    """Where the ledger stands, counted in work logs.

    A cut for a window of k is the stem of the (k+1)-th newest work log, "" if there are fewer: a fact
    is at most k work logs old exactly when its anchor is not below that cut.
    """

    sessions: int
    working: str
    active: str
    archive: str


class Standing(Record):
    """A fact where it stands now. `reason` is "" for a live fact, else why it is archived.

    `quarter` is the archive page of an archived fact, `YYYY-Qn`, "" for a live one.
    """

    fact: Fact
    tier: str
    reason: str = ""
    quarter: str = ""

    @property
    def live(self) -> bool:
        """Whether it stands in `continuity.md`."""
        return not self.reason


class Summary(Record):
    """What the state block and the machine line of `continuity.md` say of the ledger.

    Stems are "" where there is none. `digest` is the 64 hex digits of the set of logs.
    """

    logs: int
    sessions: int
    newest: str
    digest: str
    last_session: str = ""
    last_agent: str = ""
    last_review: str = ""
    last_check: str = ""


class LiveView(Record):
    """All that `continuity.md` shows: enough to render it without the archive.

    `live` are the live standings, in any order; `contradictions` the ids of contradicted facts with
    their facts; `tiers` counts all facts by tier, in the order of `TIERS`.
    """

    summary: Summary
    policy: Policy
    live: tuple[Standing, ...]
    contradicted: tuple[Fact, ...]
    tiers: tuple[int, ...]
