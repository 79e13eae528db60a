"""Write the view `roles`: what each role has learned, and how far each of its rules has proved itself."""

from __future__ import annotations

from projection.document.page_renderer import one_line
from projection.graph.fact_links import footer
from projection.lifecycle.pattern_standing import pattern_standing
from projection.policy.model import PATTERN_KIND
from projection.views.view_page import Page, Section, told
from projection.views.view_source import ROLE_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import Fact
    from projection.policy.model import Policy
    from projection.views.view_source import ViewSource

NONE = "No fact is for a role."


def roles(source: ViewSource) -> Page:
    """Write the view; a fact for several roles stands under each."""
    sections = []
    for role, facts in known_by_role(source).items():
        kinds = [one_line(kind_told(fact, source.policy)) for fact in facts]
        lines = [
            f"- {told(one)} ({kind}) `{one.id}`" for one, kind in zip(facts, kinds, strict=True)
        ]
        sections.append(Section(role, tuple(lines)))
    shown = tuple(sections) or (Section("None", (NONE,)),)
    return Page(f"Roles — {source.policy.project}", "", shown)


def known_by_role(source: ViewSource) -> dict[str, list[Fact]]:
    """Return what each role has learned: facts that hold, by kind and then by birth; roles by name."""
    known: dict[str, list[Fact]] = {}
    for one in source.standings:
        if one.fact.false:
            continue
        for role in roles_of(one.fact):
            known.setdefault(role, []).append(one.fact)
    for facts in known.values():
        facts.sort(key=lambda fact: (fact.kind, fact.created, fact.id))
    return dict(sorted(known.items()))


def roles_of(fact: Fact) -> tuple[str, ...]:
    """Return the roles that a fact is for, each once, in the order written."""
    names = [one_line(name) for name in footer(fact, ROLE_KEY).split(",")]
    return tuple(dict.fromkeys([name for name in names if name]))


def kind_told(fact: Fact, policy: Policy) -> str:
    """Say the kind of a fact, and of a pattern how far it has come."""
    if fact.kind != PATTERN_KIND:
        return fact.kind
    return f"{fact.kind}, {pattern_standing(fact, policy.learning)}"
