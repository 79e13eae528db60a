"""Find the imports that bring the texts of what a session did: pages show them below it."""

from __future__ import annotations

from bisect import bisect_left

from ledger.model.event import facts_in
from ledger.model.order import milliseconds_of
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.model.session import Entry

_IMPORT = "import"
#: An import tells of a session that is so many work logs and so long away at most.
_NEAR, _NEAR_MS = 20, 86_400_000


class Folded(Record):
    """The imports that stand below a session."""

    session: Mapping[str, str]  #: by the key of the import, that of the session
    imports: Mapping[str, tuple[Entry, ...]]  #: by the key of the session, in ledger order


def folded(entries: Sequence[Entry]) -> Folded:
    """Return those of some logs, which are in ledger order."""
    found = folded_in(entries)
    known = {entry.stem: entry for entry in entries} if found else {}
    imports: dict[str, tuple[Entry, ...]] = {}
    for key, session in found.items():
        imports[session] = (*imports.get(session, ()), known[key])
    return Folded(found, imports)


def folded_in(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the keys of such imports, each with the session's; entries are in ledger order.

    What adoption reads off an older commit comes as a log of its own, near the session whose commit that
    was: of those that name one of its facts the nearest, one that made or changed it before all others.
    """
    found: dict[str, str] = {}
    sessions = [entry for entry in entries if entry.work]
    times = [milliseconds_of(entry.stem) for entry in sessions]
    for entry in entries:
        if entry.type != _IMPORT:
            continue
        ids, at = (
            {name for act in entry.acts for name in facts_in(act)},
            milliseconds_of(entry.stem),
        )
        here = bisect_left(times, at)
        near = []
        for place in range(max(here - _NEAR, 0), min(here + _NEAR, len(times))):
            away = abs(times[place] - at)
            one = sessions[place]
            if away <= _NEAR_MS:
                if not ids.isdisjoint([act.id for act in one.acts]):
                    near.append((0, away, one.stem))
                elif not ids.isdisjoint(one.named):
                    near.append((1, away, one.stem))
        if near:
            found[entry.stem] = min(near)[2]
    return found
