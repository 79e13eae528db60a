"""Replay all logs into the whole state; each fact is worked out only when it is asked for.

A `State` never changes. Its facts are resolved when they are looked at, so the state after one more log
costs what that log touches; looking at everything costs the full price once.
"""

from __future__ import annotations

from ledger.model.record import Record
from projection.fold.checks import fact_findings, pending_findings
from projection.fold.cycles import cut_of
from projection.fold.decay import Decay
from projection.fold.fact_history import Fact, History
from projection.fold.fold import resolve, rivals
from projection.fold.projection_state import LiveView, Standing, Summary
from projection.fold.tiers import live_view, never_decaying, stand, surely_faded
from projection.fold.withholding import withheld_fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.model.findings import Finding
    from projection.fold.falsity import Edge
    from projection.policy.model import Policy


class Resolved(Record):
    """What is known of histories already: the supersessions that do not count, and facts by id.

    The facts are added to, each with the history that it was read off.
    """

    cut: frozenset[Edge]
    facts: dict[str, tuple[History, Fact | None]]


class State:
    """A replayed ledger: a mapping from fact id to `Standing`.

    Args:
        histories: what all logs say, by fact id; not changed afterwards by anybody.
        work: the stems of all `work` logs in ledger order; the same.
        summary: of the same logs.
        policy: windows and kinds.
        noticed: what reading the logs brought up.
        resolved: what is resolved of these very histories already, None for nothing.
        withheld: facts that were redacted since: F9 holds at every point of the past.
    """

    def __init__(
        self,
        histories: Mapping[str, History],
        work: Sequence[str],
        summary: Summary,
        policy: Policy,
        noticed: tuple[Finding, ...] = (),
        resolved: Resolved | None = None,
        withheld: frozenset[str] = frozenset(),
    ) -> None:
        self.histories = histories
        self.work = work
        self.summary = summary
        self.policy = policy
        self.cut, self._resolved = resolved or Resolved(cut_of(histories), {})
        self._noticed = noticed
        self._withheld = withheld
        self.decay = Decay(work, policy.windows)
        self._clock = self.decay.clock()
        self._lasting = never_decaying(policy)
        self._view: LiveView | None = None

    def fact(self, fact: str) -> Fact | None:
        """Return a fact, None when no log has brought a text for the id."""
        found = self._alone(fact)
        if found is not None and len(found.superseded_by) > 1:
            return found._replace(rivals=self._rivals(found))
        return found

    def _alone(self, fact: str) -> Fact | None:
        """Return a fact as its own history tells it."""
        history = self.histories.get(fact)
        if history is None:
            return None
        known = self._resolved.get(fact)
        if known is not None and known[0] is history:
            found = known[1]
        else:
            found = resolve(fact, history, self.cut)
            if found is not None and fact in self._withheld and not found.redacted:
                found = withheld_fact(found)
            self._resolved[fact] = (history, found)
        return found

    def _rivals(self, fact: Fact) -> tuple[str, ...]:
        known = {name: self._alone(name) for name in fact.superseded_by if name != fact.id}
        return rivals(fact, {name: found for name, found in known.items() if found is not None})

    def get(self, fact: str) -> Standing | None:
        """Return where a fact stands, None when there is no such fact."""
        found = self.fact(fact)
        if found is None:
            return None
        return stand(found, self._clock, self._lasting, self.decay)

    def __getitem__(self, fact: str) -> Standing:
        """Return where a fact stands.

        Raises:
            KeyError: there is no such fact.
        """
        found = self.get(fact)
        if found is None:
            raise KeyError(fact)
        return found

    def __contains__(self, fact: object) -> bool:
        """Tell whether a fact of this id exists."""
        return isinstance(fact, str) and self.fact(fact) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the ids of all facts, sorted."""
        return (fact for fact in sorted(self.histories) if self.fact(fact) is not None)

    def __len__(self) -> int:
        """Count the facts."""
        return sum(1 for _ in self)

    def standings(self) -> list[Standing]:
        """Return all facts where they stand, by id."""
        found = (self.get(fact) for fact in sorted(self.histories))
        return [standing for standing in found if standing is not None]

    def findings(self) -> tuple[Finding, ...]:
        """Return what was noticed in the logs and in what they say together."""
        found = list(self._noticed)
        for fact in sorted(self.histories):
            value = self.fact(fact)
            if value is None:
                found += pending_findings(fact, self.histories[fact])
            else:
                found += fact_findings(value, self.histories[fact], self.policy, self.cut)
        return tuple(found)

    def view(self) -> LiveView:
        """Return what `continuity.md` shows; worked out once."""
        if self._view is None:
            self._view = self._looked_at()
        return self._view

    def _looked_at(self) -> LiveView:
        facts: list[Fact] = []
        contradicted: list[Fact] = []
        total = false = 0
        for name, history in self.histories.items():
            if len(history.acts) == 1 and surely_faded(history, self._clock, self._lasting):
                total += 1
                continue
            fact = self.fact(name)
            if fact is None:
                continue
            total += 1
            if fact.false:
                false += 1
            else:
                facts.append(fact)
            if fact.contradicted:
                contradicted.append(fact)
        return live_view(
            self.summary, self.policy, self._clock, facts, contradicted, (total, false)
        )
