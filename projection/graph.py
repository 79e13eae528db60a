"""The graph of facts: what entities they are about, and what they link to.

Pure. An entity is a name in the footer `entity` of a fact, several parted by commas. Names that differ
only in case, width, blanks, hyphens or underscores are one: `Payments API`, `payments-api`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fact import Fact

#: Footer keys that hold names of people's choosing.
ENTITY_KEY, TAGS_KEY = "entity", "tags"
#: What people put around a name, and before it.
_AROUND, _BEFORE = "`'\"[] \t", "#@"
_JOINTS = str.maketrans("-_", "  ")


def entity_names(fact: Fact) -> tuple[str, ...]:
    """Return the entities that a fact is about, as written, each once, in the order written."""
    return _distinct(_footer(fact, ENTITY_KEY))


def tags(fact: Fact) -> tuple[str, ...]:
    """Return the tags of a fact, as written, each once, in the order written."""
    return _distinct(_footer(fact, TAGS_KEY))


def matches_entity(fact: Fact, name: str) -> bool:
    """Tell whether a fact is about the entity of a name."""
    return _holds(_footer(fact, ENTITY_KEY), name)


def matches_tag(fact: Fact, tag: str) -> bool:
    """Tell whether a fact bears a tag; compared as entities are."""
    return _holds(_footer(fact, TAGS_KEY), tag)


def folded(name: str) -> str:
    """Return the form in which names are compared; "" for what is no name."""
    name = name.casefold()
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", normalize("NFKC", name).casefold())
    bare = " ".join(name.translate(_JOINTS).split())
    return bare.lstrip(_BEFORE + _AROUND).rstrip(_AROUND)


def _footer(fact: Fact, wanted: str) -> str:
    for key, value in fact.meta:
        if key == wanted:
            return value
    return ""


def _holds(value: str, name: str) -> bool:
    if not value:
        return False
    wanted = folded(name)
    return bool(wanted) and any(folded(part) == wanted for part in value.split(","))


def _distinct(value: str) -> tuple[str, ...]:
    """Return the names in a footer's value, without what people put around them."""
    if not value:
        return ()
    names: dict[str, str] = {}
    for part in value.split(","):
        known = folded(part)
        if known:
            names.setdefault(known, " ".join(part.strip(_AROUND).split()))
    return tuple(names.values())
