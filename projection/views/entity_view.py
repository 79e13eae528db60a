"""Write the view `entities`: a page for each entity that facts are about, by type, its facts by kind.

A type stands before the name, as in `entity: person/Alice`. What only has slashes in it, a path say, has
none.
"""

from __future__ import annotations

import re

from ledger.model.record import Record
from projection.document.page_renderer import one_line
from projection.graph.graph_neighbours import entity_names, folded
from projection.views.view_page import Page, Section, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import Fact
    from projection.policy.model import Policy
    from projection.views.view_source import ViewSource

#: Stands for the type of what has none.
NO_TYPE = "other"
NONE = "No fact names an entity."
_TYPED = re.compile(r"\s*([A-Za-z][A-Za-z -]{0,30}?)\s*/\s*([^/.\s][^/]*[^/\s]|[^/.\s])\s*")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")


class EntityPage(Record):
    """An entity with what stands about it."""

    name: str  #: as most often written, without its type
    type: str  #: in lower case, `NO_TYPE` where it has none
    facts: tuple[Fact, ...]  #: that hold, by kind and then by birth
    false: int  #: how many more were superseded or invalidated

    @property
    def false_said(self) -> str:
        """How many more were, in a sentence."""
        return f"{self.false} more about it {'is' if self.false == 1 else 'are'} false by now."


def typed(name: str) -> tuple[str, str]:
    """Split what a footer calls an entity into its type and its name."""
    found = _TYPED.fullmatch(name)
    if found is None or _FILE.search(name):
        return NO_TYPE, name
    return found[1].lower(), found[2]


def entity_pages(source: ViewSource) -> tuple[EntityPage, ...]:
    """Return all entities, by type and name; what has no type comes last."""
    written: dict[tuple[str, str], dict[str, int]] = {}
    about: dict[tuple[str, str], list[Fact]] = {}
    for one in source.shared():
        for said in entity_names(one.fact):
            type, name = typed(said)
            key = type, folded(name)
            known = written.setdefault(key, {})
            known[name] = known.get(name, 0) + 1
            there = about.setdefault(key, [])
            if one.fact not in there[-1:]:
                there.append(one.fact)
    order = {kind.name: number for number, kind in enumerate(source.policy.kinds)}
    pages = []
    for key in sorted(about, key=lambda key: (key[0] == NO_TYPE, key)):
        counts = written[key]
        spelled = min(counts, key=lambda way: (-counts[way], way))
        holds = [fact for fact in about[key] if not fact.false]
        holds.sort(key=lambda fact: (order.get(fact.kind, len(order)), fact.created, fact.id))
        pages.append(EntityPage(spelled, key[0], tuple(holds), len(about[key]) - len(holds)))
    return tuple(pages)


def entities(source: ViewSource, name: str = "") -> Page | None:
    """Write the view: of one entity, in any spelling, or of all; None where nothing is about that one."""
    pages = entity_pages(source)
    project = source.policy.project
    if name:
        wanted = folded(typed(name)[1])
        types = {typed(name)[0]} - {NO_TYPE}
        pages = tuple([one for one in pages if folded(one.name) == wanted and types <= {one.type}])
        if not pages:
            return None
    sections: list[Section] = []
    for one in pages:
        if not sections or sections[-1].title != one.name:
            before = [section.title for section in sections if section.level == 2]
            if before[-1:] != [one.type]:
                sections.append(Section(one.type))
        sections += entity_sections(one, source.policy)
    if not pages:
        sections.append(Section(NO_TYPE, (NONE,)))
    return Page(f"Entities — {project}", "", tuple(sections))


def entity_sections(page: EntityPage, policy: Policy) -> list[Section]:
    """Return the sections of one entity: its heading, then its facts by kind."""
    found = [Section(one_line(page.name), (page.false_said,) if page.false else (), 3)]
    kinds = dict.fromkeys([fact.kind for fact in page.facts])
    for kind in kinds:
        lines = [f"- {told(fact)} `{fact.id}`" for fact in page.facts if fact.kind == kind]
        found.append(Section(one_line(policy.kind(kind).section), tuple(lines), 4))
    return found
