"""Decide whether a fact is false: what was said against it, what was taken back, who knew of what.

Reads one history at a time; what closes a circle is left out elsewhere (`cycles.cut_edges`). Keeps
invariants F6 and F10 of FORMAT.md.
"""

from __future__ import annotations

from ledger.model.event import (
    BRINGING,
    FactCreated,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.ids import version_id
from ledger.model.log_names import stem_in
from projection.fold.fact_history import Fact, History
from projection.policy.model import CLOSABLE, QUESTION_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

#: A supersession `old → new` as said at one place of the ledger: (stem, seq, old, new).
Edge = tuple[str, int, str, str]
#: What a person took back, for good: (fact, stem, whether all that sorts before the stem is meant).
Take = tuple[str, str, bool]
#: What calls a fact false: (stem, successor or "", versions that its writer saw or None).
Call = tuple[str, str, tuple[str, ...] | None]


def takes_in(fact: str, history: History) -> list[Take]:
    """Return what was taken back of all that was said against a fact."""
    return [
        take
        for stem, _, event, _ in history.acts
        if isinstance(event, FactReinstated) and event.id == fact
        for take in takes_of(stem, event)
    ]


def takes_of(stem: str, event: FactReinstated) -> list[Take]:
    """Return what one log takes back."""
    if event.said is None:
        return [(event.id, stem, True)]
    return [(event.id, said, False) for said in event.said]


def taken(stem: str, takes: Iterable[Take]) -> bool:
    """Tell whether what a log said against a fact was taken back; `takes` are those of the fact."""
    return any(stem < point if before else stem_in(stem) == point for _, point, before in takes)


def _said(fact: str, history: History) -> Iterator[tuple[str, str]]:
    """Yield (key of a log, successor or "") of what calls a fact false and was not taken back."""
    takes = takes_in(fact, history)
    for stem, _, event, _ in history.acts:
        if isinstance(event, FactSuperseded | FactInvalidated) and event.id == fact:
            if not taken(stem, takes):
                yield stem, event.new if isinstance(event, FactSuperseded) else ""


def against(fact: str, history: History) -> tuple[str, ...]:
    """Return the keys of the logs that call a fact false and were not taken back, oldest first."""
    return tuple(dict.fromkeys([stem for stem, _ in _said(fact, history)]))


def calls(fact: str, history: History) -> dict[str, tuple[str, ...]]:
    """Return what calls a fact false and was not taken back: a successor, or "", and the logs."""
    found: dict[str, dict[str, None]] = {}
    for stem, new in _said(fact, history):
        found.setdefault(new, {})[stem_in(stem)] = None
    return {new: tuple(stems) for new, stems in found.items()}


def said_against(fact: str, history: History) -> tuple[str, ...]:
    """Return the stems of these logs, as an event names them."""
    return tuple(dict.fromkeys([stem_in(key) for key in against(fact, history)]))


def known(heads: Iterable[str], calls: Sequence[Call], history: History) -> bool:
    """Tell whether what stands of a fact is known to what calls it false, or the other way round (F10)."""
    seen: set[str] = set()
    for _, _, was in calls:
        if was is None:  # from before the rule: it speaks of every text
            return True
        seen.update(was)
    unseen = {head for head in heads if head not in seen}
    if unseen:
        for stem, _, event, _ in history.acts:
            if isinstance(event, FactCreated | FactUpdated) and event.text is not None:
                if any(_aware(stem, event, call) for call, _, _ in calls):
                    unseen.discard(version_id(event.text))
    return not unseen


def _aware(stem: str, event: FactCreated | FactUpdated, call: str) -> bool:
    """Tell whether whoever brought a text knew of a log that calls the fact false."""
    if stem == call:
        return True
    if isinstance(event, FactCreated):
        return False
    return stem_in(call) in (event.said or ()) or (event.was is None and call < stem)


#: The key, and its value where nothing is against a fact any more.
CONFLICTS, NO_CONFLICTS = "conflicts", "-"
#: The kinds of what asks: what such a one names is set against each other, and not against itself.
_ASKING = CLOSABLE | {QUESTION_KIND}


def declares(history: History) -> bool:
    """Tell whether a footer of a fact said once what is against what."""
    brought = [event for _, _, event, _ in history.acts if isinstance(event, BRINGING)]
    return CONFLICTS in [key for event in brought for key, _ in event.meta]


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


def edges_and_takes(histories: Mapping[str, History]) -> tuple[list[Edge], list[Take]]:
    """Return the supersessions that histories hold, and what was taken back of what they say."""
    edges: list[Edge] = []
    takes: list[Take] = []
    for fact, history in histories.items():
        for stem, seq, event, _ in history.acts:
            if isinstance(event, FactSuperseded):
                if event.id == fact:
                    edges.append((stem, seq, fact, event.new))
            elif isinstance(event, FactReinstated):
                takes += takes_of(stem, event)
    return edges, takes
