"""Write the view `roles`: what each role has learned, and how far each of its rules has proved itself."""

from __future__ import annotations

from projection.document.render import one_line
from projection.graph.links import footer
from projection.lifecycle.pattern_standing import pattern_standing
from projection.policy.model import PATTERN_KIND
from projection.views.page import Page, Section, told
from projection.views.source import ROLE_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact import Fact
    from projection.policy.model import Policy
    from projection.views.source import ViewSource

NONE = "No fact is for a role."


def roles(source: ViewSource) -> Page:
    """Write the view; a fact for several roles stands under each."""
    known: dict[str, list[Fact]] = {}
    for one in source.standings:
        if one.fact.false:
            continue
        for role in roles_of(one.fact):
            known.setdefault(role, []).append(one.fact)
    sections = []
    for role in sorted(known):
        facts = sorted(known[role], key=lambda fact: (fact.kind, fact.created, fact.id))
        sections.append(Section(role, tuple([_line(fact, source.policy) for fact in facts])))
    return Page(
        f"Roles — {source.policy.project}", "", tuple(sections) or (Section("None", (NONE,)),)
    )


def roles_of(fact: Fact) -> tuple[str, ...]:
    """Return the roles that a fact is for, each once, in the order written."""
    names = [one_line(name) for name in footer(fact, ROLE_KEY).split(",")]
    return tuple(dict.fromkeys([name for name in names if name]))


def _line(fact: Fact, policy: Policy) -> str:
    kind = fact.kind
    if kind == PATTERN_KIND:
        kind = f"{kind}, {pattern_standing(fact, policy.learning)}"
    return f"- {told(fact)} ({one_line(kind)}) `{fact.id}`"
