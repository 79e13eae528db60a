"""Define what a view is made of: facts where they stand, what happened, and the policy. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ledger.model.order import NO_DAY
from ledger.model.record import Record
from projection.fold.fact_history import Fact, History
from projection.fold.projection_state import Standing, Summary
from projection.graph.fact_links import footer
from projection.policy.model import Policy

ROLE_KEY = "role"


class SessionLine(Record):
    """One session log as views tell it: its header, and its digest by rules."""

    at: str  #: a stamp, by its writer's clock, or the name of the log where that says no other
    agent: str = ""  #: who wrote it, "" where it does not say
    role: str = ""  #: of its header
    type: str = "work"  #: of the log
    title: str = ""  #: of its digest, "" where it says nothing
    summary: str = ""  #: of its digest
    decided: tuple[str, ...] = ()  #: what was decided, in the words of the log
    open: tuple[str, ...] = ()  #: what it left to be done, likewise
    told: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: (verb, ids): what it did to facts

    @property
    def day(self) -> str:
        """The day, `YYYY-MM-DD`."""
        return self.at[:10]

    @property
    def clock(self) -> str:
        """The time of day in UTC, `HH:MM`; "" for a log whose name tells none."""
        digits = self.at[11:15]
        return f"{digits[:2]}:{digits[2:]}" if len(digits) == 4 and digits.isdigit() else ""

    @property
    def headline(self) -> str:
        """What a line about it begins with."""
        return self.title or self.summary or "(nothing said)"


class ViewSource(Record):
    """What a view is made of."""

    policy: Policy  #: names the project and the kinds
    summary: Summary  #: of all logs
    #: every fact that the view may show, by id; more do no harm
    standings: tuple[Standing, ...] = ()
    histories: Mapping[str, History] = MappingProxyType({})  #: what logs said of these
    sessions: tuple[SessionLine, ...] = ()  #: the logs that the view tells of, newest first

    def shared(self) -> list[Standing]:
        """Return the facts that are no note of a role: only the view `roles` has those."""
        return [one for one in self.standings if not footer(one.fact, ROLE_KEY)]

    def fact(self, name: str) -> Fact | None:
        """Return a fact of these, None where it is not among them."""
        return next((one.fact for one in self.standings if one.fact.id == name), None)


def minute_of(at: str) -> str:
    """Return when a log ended: `2026-11-21 08:30 UTC`; the day where its name says no more."""
    clock = SessionLine(at).clock
    return f"{at[:10]} {clock} UTC" if clock else at[:10] or NO_DAY
