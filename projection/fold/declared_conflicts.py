"""Find which facts footers set against each other: `conflicts: ID, …` (FORMAT.md, F14)."""

from __future__ import annotations

from ledger.model.event import FactCreated, FactUpdated
from projection.policy.model import CLOSABLE, QUESTION_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from projection.fold.fact_history import Fact, History

#: The key, and its value where nothing is against a fact any more.
CONFLICTS, NO_CONFLICTS = "conflicts", "-"
#: The kinds of what asks: what such a one names is set against each other, and not against itself.
_ASKING = CLOSABLE | {QUESTION_KIND}


def declares(history: History) -> bool:
    """Tell whether a footer of a fact said once what is against what."""
    return any(
        key == CONFLICTS
        for act in history.acts
        if isinstance(act.event, FactCreated | FactUpdated)
        for key, _ in act.event.meta
    )


def declared(fact: Fact) -> tuple[str, ...]:
    """Return what the footer of a fact sets against each other: the first against all others."""
    value = next((value for key, value in fact.meta if key == CONFLICTS), "")
    if not _stands(fact):
        return ()
    ids = [one for one in value.replace(",", " ").split() if one != fact.id]
    sides = ids if fact.kind in _ASKING and len(ids) > 1 else [fact.id, *ids]
    return tuple(dict.fromkeys(sides)) if len(sides) > 1 else ()


def opposed(
    declaring: Iterable[Fact], fact_of: Callable[[str], Fact | None]
) -> dict[str, tuple[str, ...]]:
    """Return by id what stands against a fact; both of them hold.

    `declaring` are all facts with such a footer; `fact_of` gives what there is of an id.
    """
    found: dict[str, set[str]] = {}
    for fact in declaring:
        first, *others = declared(fact) or ("",)
        for other in others if _stands(fact_of(first)) else ():
            if _stands(fact_of(other)):
                found.setdefault(first, set()).add(other)
                found.setdefault(other, set()).add(first)
    return {id: tuple(sorted(against)) for id, against in found.items()}


def _stands(fact: Fact | None) -> bool:
    return fact is not None and not (fact.false or fact.closed or fact.redacted)
