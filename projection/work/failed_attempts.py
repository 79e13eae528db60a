"""Find what was tried and failed, so that nobody tries it again unawares, and when somebody does.

Pure. An attempt is a fact of kind `attempt`: it is `about` what it was to do, and its `outcome` says what
became of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.graph.fact_links import SERVES, footer, ids_in
from projection.policy.model import ATTEMPT_KIND

FAILED, WORKED = "failed", "worked"


class Attempt(Record):
    """One thing that was tried."""

    fact: Fact  #: as the ledger has it; its text says what was tried
    outcome: str  #: `FAILED`, `WORKED`, or what else its footer says, "" for nothing
    iteration: int  #: which one it was, 0 where nobody counted

    @property
    def said(self) -> str:
        """What became of it, in a few words: `failed, iteration 3`."""
        return self.outcome + (f", iteration {self.iteration}" if self.iteration else "")


def failed_before(facts: Iterable[Fact], task: str) -> tuple[Attempt, ...]:
    """Return the attempts at a task that failed, newest first; none that turned out false, or is withheld.

    Args:
        facts: where attempts are among, archived ones too (`Questions.facts_of_kind`).
        task: the id that they are `about`, or serve.
    """
    found = [
        _attempt(fact)
        for fact in facts
        if fact.kind == ATTEMPT_KIND
        and not (fact.false or fact.redacted)
        and task in ids_in(f"{footer(fact, 'about')} {footer(fact, SERVES)}")
        and footer(fact, "outcome").strip().casefold() == FAILED
    ]
    found.sort(key=lambda one: (one.fact.born, one.iteration, one.fact.id), reverse=True)
    return tuple(found)


def _attempt(fact: Fact) -> Attempt:
    said = footer(fact, "iteration").strip()
    counted = said.isascii() and said.isdigit() and len(said) < 10
    return Attempt(fact, footer(fact, "outcome").strip().casefold(), int(said) if counted else 0)
