"""Show the roles: what each has learned, and what was handed over to it."""

from __future__ import annotations

from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.views.role_view import kind_told, known_by_role
from projection.views.view_source import ViewSource
from projection.work.handoffs import Handoff, open_handoffs
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many facts of a role are shown.
FACTS = 60


class Role(Record):
    """A role."""

    name: str  #: of it
    #: what it has learned, by kind and then by birth, each with what is said of its kind
    facts: tuple[tuple[Fact, str], ...]
    more: int  #: how many are not shown
    handoffs: tuple[Handoff, ...]  #: that wait for it


def roles(tip: TipView, asked: Asked) -> Page:
    """Return the page of the roles."""
    state = tip.state
    standings = tuple(tip.standings.values())
    handoffs = open_handoffs(standings)
    found = []
    for name, facts in known_by_role(ViewSource(state.policy, state.summary, standings)).items():
        shown = tuple([(fact, kind_told(fact, state.policy)) for fact in facts[:FACTS]])
        mine = tuple([one for one in handoffs if one.names("", name)])
        found.append(Role(name, shown, len(facts) - len(shown), mine))
    taken = {one.standing.fact.id for role in found for one in role.handoffs}
    others = tuple([one for one in handoffs if one.standing.fact.id not in taken])
    return Page("roles", "Roles", {"roles": found, "others": others})
