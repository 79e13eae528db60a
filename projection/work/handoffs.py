"""Follow handoffs: what one agent left for another, until whoever gets it has written a log.

Pure. A handoff is a fact of kind `handoff`: it `serves` the task, says who gives it (`from`) and who is
to get it (`to`: an agent or a role, in any case; nobody, for whoever moves the task to in-progress).
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.graph.fact_links import footer, served
from projection.policy.model import HANDOFF_KIND


def role_names(value: str) -> frozenset[str]:
    """Return the roles that a value names, parted by commas, in the form in which they are compared.

    Case and blanks make no other role, and neither does how a letter with an accent is written.
    """
    if not value:
        return frozenset()
    if not value.isascii():
        from unicodedata import normalize

        value = normalize("NFC", normalize("NFC", value).casefold())
    names = value.casefold().split(",")
    return frozenset([name for one in names if (name := " ".join(one.split()))])


class Handoff(Record):
    """A handoff that is open."""

    standing: Standing  #: the fact
    tasks: tuple[str, ...]  #: ids of the tasks that it serves
    giver: str  #: who left it, as its footer says
    to: str  #: an agent or a role, "" for whoever takes the task
    confidence: str  #: in the giver's words

    def names(self, agent: str, role: str) -> bool:
        """Tell whether it is meant for an agent, or for one in a role."""
        if not self.to or self.to.casefold() == agent.casefold():
            return bool(self.to)
        return not role_names(self.to).isdisjoint(role_names(role))


def open_handoffs(facts: Iterable[Standing]) -> tuple[Handoff, ...]:
    """Return the open handoffs among some facts, newest first."""
    found = []
    for standing in facts:
        fact = standing.fact
        if is_open(fact):
            said = [footer(fact, key).strip() for key in ("from", "to", "confidence")]
            found.append(Handoff(standing, served(fact), *said))
    found.sort(key=lambda one: (one.standing.fact.born, one.standing.fact.id), reverse=True)
    return tuple(found)


def handed_to(facts: Iterable[Standing], agent: str, role: str) -> tuple[Handoff, ...]:
    """Return the open handoffs for whoever asks, newest first: those to it, and those to nobody by name.

    `agent` is who asks, as logs name it; `role` is "" for none.
    """
    return tuple([one for one in open_handoffs(facts) if not one.to or one.names(agent, role)])


def handed_elsewhere(facts: Iterable[Standing], agent: str, role: str) -> dict[str, str]:
    """Return the tasks that others are to take, by id, with whom each was handed to last.

    `agent` is who asks, as logs name it; `role` is "" for none.
    """
    newest: dict[str, Handoff] = {}
    for one in open_handoffs(facts):
        for task in one.tasks:
            newest.setdefault(task, one)
    return {task: one.to for task, one in newest.items() if one.to and not one.names(agent, role)}


def is_open(fact: Fact) -> bool:
    """Tell whether a fact is a handoff that nobody has taken."""
    return fact.kind == HANDOFF_KIND and not (fact.closed or fact.false or fact.archived_at)
