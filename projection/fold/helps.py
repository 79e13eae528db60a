"""Count what helped and what was ignored: each log once (FORMAT.md, F12)."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.event import FactHelped, FactIgnored
from ledger.model.evidence import form_of, role_in
from projection.fold.fact_history import Act, Help


def helps_in(acts: Iterable[Act]) -> tuple[Help, ...]:
    """Return the helps with evidence, one a log, in ledger order."""
    found: dict[str, Help] = {}
    for stem, _, event, by in acts:
        if isinstance(event, FactHelped) and (form := form_of(event.remark)):
            found.setdefault(stem, Help(stem, f"{by.session} {by.branch}", form))
    return tuple(found.values())


def ignores_in(acts: Iterable[Act]) -> tuple[tuple[str, str], ...]:
    """Return (log, role) of those who had no use for a fact, each once."""
    found = [
        (stem, role_in(event.remark) or role_in(by.role))
        for stem, _, event, by in acts
        if isinstance(event, FactIgnored)
    ]
    return tuple(dict.fromkeys(found))
