"""Decide whether a fact is false: what was said against it, what was taken back, who knew of what.

Reads one history at a time; what closes a circle is left out elsewhere (`cycles.cut_edges`). Keeps
invariants F6 and F10 of FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.ids import version_id
from ledger.model.order import stem_in
from projection.fold.fact_history import History

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


def against(fact: str, history: History) -> tuple[str, ...]:
    """Return the keys of the logs that call a fact false and were not taken back, oldest first."""
    takes = takes_in(fact, history)
    found: dict[str, None] = {}
    for stem, _, event, _ in history.acts:
        said = isinstance(event, FactSuperseded | FactInvalidated) and event.id == fact
        if said and not taken(stem, takes):
            found[stem] = None
    return tuple(found)


def calls(fact: str, history: History) -> dict[str, tuple[str, ...]]:
    """Return what calls a fact false and was not taken back: a successor, or "", and the logs."""
    keys = set(against(fact, history))
    found: dict[str, dict[str, None]] = {}
    for key, _, event, _ in history.acts:
        if key in keys and event.id == fact and isinstance(event, FactSuperseded | FactInvalidated):
            new = event.new if isinstance(event, FactSuperseded) else ""
            found.setdefault(new, {})[stem_in(key)] = None
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
